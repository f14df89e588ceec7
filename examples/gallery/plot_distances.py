"""
Importance by distance
======================

What the splits of the trees gain, by column and by the observation that they look at.

The numbers are of the accelerometers of thirty people, which are made up.
"""

import matplotlib.pyplot as plt
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.explanation import gain_importance
from treecrf.plot import plot_importance

people = pd.read_csv("../activities.csv")
data = SequenceSet.from_frame(people, sequence="person", label="activity")
train, test = data.select(range(20)), data.select(range(20, 30))
model = TreeCRF(n_iterations=20, max_leaves=10, leaf_values="newton", window=(2, 2))
model.fit(train)

# %%
# The window reaches from two rows before the label to two rows after it.

_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
plot_importance(gain_importance(model, test), by="offset", ax=axes)
plt.show()
