"""
Windows
=======

The accuracy by how many letters before and after a position the label may depend on.

The model tells after which letters of a word a hyphen may stand.
"""

import matplotlib.pyplot as plt

from treecrf import TreeCRF, load_table

train, test = load_table("../words.csv", sequence="word", label="hyphen")
windows = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3)]
accuracies = []
for window in windows:
    model = TreeCRF(n_iterations=20, window=window).fit(train)
    accuracies.append(100 * model.score(test))

# %%
# Without a window the label depends on the letter itself and on the labels beside it.

_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
axes.bar([f"{before}, {after}" for before, after in windows], accuracies)
axes.set(title="Accuracy by window", xlabel="letters before, after", ylabel="accuracy (%)")
axes.set_ylim(50, 100)
plt.show()
