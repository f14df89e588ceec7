"""
One label
=========

What each column adds to the score of the label of one row, and the label before it; the parts add up.

The accelerometers of thirty people are made up: each activity has its own mean numbers and lasts for a while, and
people hold the device in different ways.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.contributions import column_contributions
from treecrf.automl.labeller import TableLabeller
from treecrf.plot import plot_contributions
from treecrf.readers.tables import TableColumns

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
# The row is the thirteenth of a person who did not train.

inputs = data.number_names
labeller = TableLabeller(model, TableColumns("person", "activity", inputs, numbers=inputs))
contributions = column_contributions(labeller, test, sequence=0, place=12, seed=0)
_, axes = plt.subplots(figsize=(6, 4), layout="constrained")
plot_contributions(contributions, axes)
plt.show()
