"""
Importance by distance
======================

What the splits of the trees gain, by column and by the observation that they look at.

The accelerometers of thirty people are made up: each activity has its own mean numbers and lasts for a while, and
people hold the device in different ways.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.explanation import gain_importance
from treecrf.plot import plot_importance

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
# The window reaches from two rows before the label to two rows after it.

_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
plot_importance(gain_importance(model, test), by="offset", ax=axes)
plt.show()
