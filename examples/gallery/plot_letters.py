"""
Letters of a word
=================

The probability of a hyphen after each letter of a word that did not train. Some letters are missing.
"""

import matplotlib.pyplot as plt
import numpy as np

from treecrf import MISSING, TreeCRF, load_table

train, test = load_table("../words.csv", sequence="word", label="hyphen")
model = TreeCRF(n_iterations=20, window=(2, 3), missing="instance_weighting").fit(train)

# %%
# The longest held-out word with a missing letter.

damaged = [test[place] for place in range(len(test)) if test[place].has_missing]
word = max(damaged, key=lambda word: word.n_positions)
categories = word.attributes[0].categories
letters = ["?" if code == MISSING else categories[code] for code in word.values[:, 0]]
probabilities = model.predict_proba(word)[:, word.label_names.index("yes")]

# %%
# No hyphen can follow the last letter, so that it has no label.

_, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
for name, color in {"no": "C7", "yes": "C0"}.items():
    places = np.flatnonzero(np.array(word.label_names)[word.labels] == name)
    axes.bar(places + 0.5, probabilities[places], width=0.6, color=color, label=name)
axes.set_xticks(range(len(letters)), letters, fontsize=16, family="monospace")
axes.set(title="Hyphens of a word", ylabel="probability of a hyphen", ylim=(0, 1))
axes.tick_params(axis="x", length=0)
axes.legend(title="true label")
plt.show()
