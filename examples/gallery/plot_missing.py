"""
Missing values
==============

The accuracy where more and more letters of the test words are missing.

The model tells after which letters of a word a hyphen may stand.
"""

import matplotlib.pyplot as plt
import numpy as np

from treecrf import TreeCRF, load_table
from treecrf.missing import inject

train, test = load_table("../words.csv", sequence="word", label="hyphen")
model = TreeCRF(n_iterations=20, window=(2, 3), missing="instance_weighting").fit(train)

# %%
# Letters are removed at random.

rates = [0, 0.1, 0.2, 0.4, 0.6, 0.8]
accuracies = [100 * model.score(inject(test, rate, np.random.default_rng(0))) for rate in rates]
_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
axes.plot(rates, accuracies, marker="o")
axes.set(title="Accuracy by missing letters", xlabel="share removed", ylabel="accuracy (%)")
plt.show()
