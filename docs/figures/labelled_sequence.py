"""Draws labelled_sequence.svg: a held-out word of examples/words.csv with probabilities of hyphens.

``make figures`` runs it. The word is the longest one with a missing letter; the earliest of several.
"""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from treecrf import MISSING, TreeCRF
from treecrf_studies import datasets

FOLDER = Path(__file__).parent
WORDS = FOLDER.parent.parent / "examples/words.csv"
INK, GREY, BLUE, PALE = "#6e7781", "#afb8c1", "#218bff", "#80ccff"
"""Colours that are readable on white and on black."""


def label_word() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Letters (None: missing), and for all but the last P(hyphen after it) and whether there is one."""
    train, test = datasets.load("table", path=WORDS, sequence="word", label="hyphen")
    model = TreeCRF(
        n_iterations=80,
        max_leaves=30,
        l2_regularization=5.0,
        window=(2, 3),
        splits="subsets",
        leaf_values="newton",
        learning_rate=0.1,
        missing="instance_weighting",
        random_state=0,
    ).fit(train)
    words = [test[i] for i in range(len(test))]
    word = max((word for word in words if word.has_missing), key=lambda word: word.n_positions)
    letters = [None if code == MISSING else word.attributes[0].categories[code] for code in word.values[:, 0]]
    return letters, model.predict_proba(word)[:, 1], word.labels == 1


@matplotlib.rc_context({"svg.hashsalt": "treecrf", "svg.fonttype": "none", "font.family": "sans-serif"})
def draw(letters: list[str | None], probabilities: np.ndarray, hyphens: np.ndarray, path: Path) -> None:
    """Write the figure."""
    figure, axes = plt.subplots(figsize=(8, 2.4), facecolor="none")
    axes.set_facecolor("none")
    axes.tick_params(colors=INK)
    places = np.arange(len(probabilities)) + 0.5
    axes.bar(places, probabilities, width=0.5, color=np.where(probabilities > 0.5, BLUE, PALE))
    for place, probability, is_hyphen in zip(places, probabilities, hyphens, strict=True):
        axes.text(place, probability + 0.03, f"{probability:.2f}", ha="center", fontsize=9, color=INK)
        if is_hyphen:
            axes.text(place, -0.17, "-", ha="center", va="center", fontsize=22, color=BLUE, weight="bold")
    for place, letter in enumerate(letters):
        axes.text(place, -0.16, letter or "?", ha="center", va="center", fontsize=20, color=INK)
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xlim=(-0.6, len(letters) - 0.4), ylim=(0, 1.12), yticks=[0, 0.5, 1], xticks=[])
    axes.set_ylabel("P(hyphen)", color=INK)
    axes.set_title(
        "Bars: predicted probability of a hyphen. Blue hyphens: true labels. ?: missing letter.",
        fontsize=10,
        color=INK,
        loc="left",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    figure.subplots_adjust(left=0.08, right=0.99, top=0.88, bottom=0.19)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


if __name__ == "__main__":
    draw(*label_word(), Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "labelled_sequence.svg")
