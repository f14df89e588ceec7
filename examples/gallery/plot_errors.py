"""
Errors
======

Which label is taken for which: rows of a confusion matrix are true labels, columns predicted ones.

The accelerometers of thirty people are made up: each activity has its own mean numbers and lasts for a while, and
people hold the device in different ways.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.plot import plot_confusion

rng = np.random.default_rng(0)
means = {"sit": [0, 0, 1], "walk": [1, 0.5, 0], "run": [-0.5, 1, 0.5]}
people = []
for person in range(30):
    activity = np.repeat(rng.choice([*means], 5), 6)
    numbers = rng.normal([means[name] for name in activity], 0.6)
    numbers += rng.normal(scale=0.4, size=3)  # how the person holds the device
    rows = pd.DataFrame(numbers, columns=["x", "y", "z"])
    people.append(rows.assign(person=person, activity=activity))
data = SequenceSet.from_frame(pd.concat(people), sequence="person", label="activity")
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
