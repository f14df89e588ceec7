"""
Numbers over time
=================

The activity of a person by the three numbers of an accelerometer: true and predicted labels, and their probabilities.

The numbers are of the accelerometers of thirty people, which are made up.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.plot import plot_sequence

people = pd.read_csv("../activities.csv")
data = SequenceSet.from_frame(people, sequence="person", label="activity")
train, test = data.select(range(20)), data.select(range(20, 30))
model = TreeCRF(n_iterations=20, max_leaves=10, leaf_values="newton", window=(2, 2))
model.fit(train)

# %%
# One person who did not train. The band at the bottom shows the probabilities of the labels.

person = test.select([0])
names = np.array(test.label_names)
inputs = pd.DataFrame(person.numbers, columns=person.number_names)
probabilities = model.predict_proba(person)
true = names[person.labels].tolist()
figure = plt.figure(figsize=(7, 5), layout="constrained")
plot_sequence(inputs, probabilities, names, true, title="Activities of a person", figure=figure)
plt.show()
