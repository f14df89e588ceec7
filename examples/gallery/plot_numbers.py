"""
Numbers over time
=================

The activity of a person by the three numbers of an accelerometer: true and predicted labels, and their probabilities.

The accelerometers of thirty people are made up: each activity has its own mean numbers and lasts for a while, and
people hold the device in different ways.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treecrf import SequenceSet, TreeCRF
from treecrf.plot import plot_sequence

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
# One person who did not train. The band at the bottom shows the probabilities of the labels.

person = test.select([0])
names = np.array(test.label_names)
inputs = pd.DataFrame(person.numbers, columns=person.number_names)
probabilities = model.predict_proba(person)
true = names[person.labels].tolist()
figure = plt.figure(figsize=(7, 5), layout="constrained")
plot_sequence(inputs, probabilities, names, true, title="Activities of a person", figure=figure)
plt.show()
