"""The methods of the study: output codes, beam search, and labellers that learn all labels at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from treecrf_studies.methods.catalogue import CODING, names_of

CHUNK_NAMES = ("precision", "recall", "f1")
"""Columns of runs about noun phrases, in percent."""

LINE = ["dataset", "method", "window", "size"]
"""Columns that tell the points of lines apart: observations of a window; bits of a code, labels of a beam, else 0."""


LEARNERS = {"gtb": "GTB", "vp": "VP"}
"""Base learners of the thesis: gradient tree boosting and the voted perceptron."""

IID, INDEPENDENT, CASCADE, BEAM = "iid", "secoc", "cascade", "beam"
"""What a learner is used in: codes of independent positions, of independent chains, of chains one after another; beams.
"""

KNOWN_MODEL = "known_model"
"""The generator's own model, which is not trained: a reference, no competitor."""

TREES_AND_NETS = "trees_and_nets"
"""The mean of the probabilities of trees (the last of the grid of "separable") and of `N_NETS` neural CRFs with other
seeds. It is no default.
"""

ALL_LABELS = names_of(CODING) | {KNOWN_MODEL: "known model (reference)"}
"""Methods that label with all labels at once, as readers see them."""

BEST = "cascade_best"
"""After a learner's name, the cascade that held-out sequences prefer."""

_CODED = re.compile(rf"(gtb|vp)_(?:({IID}|{INDEPENDENT}|{BEAM})|{CASCADE}_([1-9]\d*|all|best))")


class Form(NamedTuple):
    """What a method of the thesis is: a learner of `LEARNERS`, its use, and how many earlier bits a bit sees (0 but for
    cascades).
    """

    learner: str
    use: str
    history: int | str = 0


def form_of(method: str) -> Form | None:
    """What a method of the thesis is; None for another method."""
    match = _CODED.fullmatch(method)
    if match is None:
        return None
    learner, use, history = match.groups()
    if use is not None:
        return Form(learner, use)
    return Form(learner, CASCADE, int(history) if history.isdigit() else history)


def is_coded(method: str) -> bool:
    """Whether a method learns the bits of a code."""
    form = form_of(method)
    return form is not None and form.use != BEAM


def is_cascade(method: str) -> bool:
    """Whether a method is one of the cascades, of any history."""
    form = form_of(method)
    return form is not None and form.use == CASCADE


def learner_of(method: str) -> str:
    """The learner of a method of the thesis, an empty text for another one."""
    form = form_of(method)
    return form.learner if form else ""


def use_text(method: str) -> str:
    """The use that a method of the thesis makes of its learner, in words."""
    form = form_of(method)
    assert form is not None
    history = {"best": "chosen h"}.get(str(form.history), str(form.history))
    return {IID: "iid", INDEPENDENT: "i-SECOC", CASCADE: f"c-SECOC({history})", BEAM: "beam search"}[form.use]


def method_text(method: str) -> str:
    """The name of a method for readers."""
    form = form_of(method)
    return ALL_LABELS.get(method, method) if form is None else f"{LEARNERS[form.learner]} {use_text(method)}"


def window_texts(frame: pd.DataFrame) -> pd.Series:
    """The windows of a frame in words."""
    return "window " + frame["window"].astype(str)


def method_texts(methods: Iterable[str]) -> list[str]:
    """`method_text` of each."""
    return [method_text(method) for method in methods]


def with_best(best: pd.DataFrame, window: int) -> dict[str, str]:
    """The chosen cascade of each learner by "gtb_cascade_best" and the like, of one data set and window."""
    rows = best[(best["window"] == window) & best["method"].map(is_cascade).astype(bool)]
    return {f"{row['learner']}_{BEST}": str(row["method"]) for row in rows.to_dict("records")}
