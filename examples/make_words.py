"""Makes examples/words.csv: 600 hyphenated words, a letter a row, a tenth missing. See docs/own_data.md."""

import numpy as np

from treecrf.missing import inject
from treecrf_studies import datasets


def make_words():
    """One row per letter: word (its number), letter, hyphen (whether one may follow the letter)."""
    words, _ = datasets.load("hyphen_tex", n_train=600)
    frame = inject(words, 0.1, np.random.default_rng(0)).to_frame(sequence="word", label="hyphen")
    return frame.replace({"hyphen": {"hyphen": "yes", "no_hyphen": "no"}})[["word", "letter", "hyphen"]]


if __name__ == "__main__":
    make_words().to_csv("examples/words.csv", index=False, lineterminator="\n")
