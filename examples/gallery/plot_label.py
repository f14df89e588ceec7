"""
One label
=========

What each column adds to the score of the label of one row, and the label before it; the parts add up.

The numbers are of the accelerometers of thirty people, which are made up.
"""

import matplotlib.pyplot as plt
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.contributions import column_contributions
from treecrf.automl.labeller import TableLabeller
from treecrf.plot import plot_contributions
from treecrf.readers.tables import TableColumns

people = pd.read_csv("../activities.csv")
data = SequenceSet.from_frame(people, sequence="person", label="activity")
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
