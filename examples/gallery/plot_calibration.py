"""
Calibration
===========

Are labels with a probability of 0.8 right four times of five?

The model tells after which letters of a word a hyphen may stand.
"""

import matplotlib.pyplot as plt

from treecrf import TreeCRF, load_table
from treecrf.plot import plot_calibration
from treecrf.statistics.metrics import reliability

train, test = load_table("../words.csv", sequence="word", label="hyphen")
model = TreeCRF(n_iterations=20, window=(2, 3)).fit(train)

# %%
# Predictions for held-out words, in ten bins of the probability of the predicted label.

_, axes = plt.subplots(figsize=(5, 4), layout="constrained")
plot_calibration(reliability(model.predict_proba(test), test.labels), axes)
plt.show()
