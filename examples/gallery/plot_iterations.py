"""
Iterations
==========

The accuracy after each iteration, which adds trees: how many are enough?

The model tells after which letters of a word a hyphen may stand.
"""

import matplotlib.pyplot as plt

from treecrf import TreeCRF, load_table

train, test = load_table("../words.csv", sequence="word", label="hyphen")
model = TreeCRF(n_iterations=60, window=(2, 3)).fit(train)

# %%
# On the words of the training the accuracy goes on to grow, on held-out words it does not.

_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
for name, data in {"train": train, "test": test}.items():
    accuracies = 100 * model.staged_score(data, ["forward_backward"])[:, 0]
    axes.plot(range(1, len(accuracies) + 1), accuracies, label=name)
axes.set(title="Accuracy by iteration", xlabel="iteration", ylabel="accuracy (%)")
axes.legend()
plt.show()
