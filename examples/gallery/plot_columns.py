"""
Importance of columns
=====================

The accuracy that is lost where the cells of a column change places, on sequences that did not train.

The numbers are of the accelerometers of thirty people, which are made up.
"""

import matplotlib.pyplot as plt
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.explanation import permutation_importance
from treecrf.automl.labeller import TableLabeller
from treecrf.plot import plot_importance
from treecrf.readers.tables import TableColumns

people = pd.read_csv("../activities.csv")
data = SequenceSet.from_frame(people, sequence="person", label="activity")
train, test = data.select(range(20)), data.select(range(20, 30))
model = TreeCRF(n_iterations=20, max_leaves=10, leaf_values="newton", window=(2, 2))
model.fit(train)

# %%
# The other ten people did not train. Intervals tell how much depends on who they are.

inputs = data.number_names
labeller = TableLabeller(model, TableColumns("person", "activity", inputs, numbers=inputs))
_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
plot_importance(permutation_importance(labeller, test, seed=0), ax=axes)
plt.show()
