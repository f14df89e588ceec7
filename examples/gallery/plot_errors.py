"""
Errors
======

Which label is taken for which: rows of a confusion matrix are true labels, columns predicted ones.

The numbers are of the accelerometers of thirty people, which are made up.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.plot import plot_confusion

people = pd.read_csv("../activities.csv")
data = SequenceSet.from_frame(people, sequence="person", label="activity")
train, test = data.select(range(20)), data.select(range(20, 30))
model = TreeCRF(n_iterations=20, max_leaves=10, leaf_values="newton", window=(2, 2))
model.fit(train)

# %%
# The other ten people did not train. Each row is shaded by its shares of the true label.

names = np.array(test.label_names)
confusion = pd.crosstab(names[test.labels], names[model.predict(test)])
_, axes = plt.subplots(figsize=(5, 4), layout="constrained")
plot_confusion(confusion.reindex(index=names, columns=names, fill_value=0), axes)
plt.show()
