"""The labellers of this study as readers see them, and their published accuracies."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from treecrf_studies.methods.catalogue import FUTURE, drawing_of

NO_BAG, WHOLE_FUTURE = "no bag", "bag to the end"
"""Of `bag`: methods without bags, and bags that reach to the end; else ``bag 6`` and the like."""

INSTANCE = 0
"""Of `distance`: the score of the instance itself."""

VARIANT = ["dataset", "method", "bag", "g0"]
"""Columns that tell the rows of the tables apart."""

WEIGHT_NAMES = ["feature", "label", "eta", "attribute", "category", "distance", "value", "n"]
TREE_NAMES = ["feature", "tree", "node", "parent", "side", "test", "value"]
"""Columns of the frames of weights and trees."""

MEMM_DECODERS: tuple[Literal["forward_backward", "viterbi", "greedy"], ...] = ("forward_backward", "viterbi", "greedy")
"""How MEMM and FF-MEMM may be decoded (CRFs: not the last); greedy: from left to right, each label given those
predicted before.
"""


def family_name(family: str) -> str:
    """What readers see of a labeller; a custom one has the name that they gave it."""
    return drawing_of(family, FUTURE).name if family in FUTURE else family


def split_method(method: str) -> tuple[str, int]:
    """The labeller and the order of a method's name."""
    family, _, order = method.rpartition("_")
    return (family, int(order)) if order.isdigit() and family in FUTURE else (method, 0)


def method_text(method: str) -> str:
    """What readers see of a method, perhaps with its bag in brackets."""
    name, _, bag = method.partition(" ")
    family, order = split_method(name)
    has_order = family in FUTURE and bool(FUTURE[family].orders)
    text = family_name(family) + (f"-{order}" if has_order else "")
    return f"{text} {bag}".strip()


def variant_name(method: str, bag: str) -> str:
    """A method with its bag, where it has one."""
    return method if bag == NO_BAG else f"{method} ({bag})"


def variant_names(frame: pd.DataFrame) -> pd.Series:
    """`variant_name` of every row."""
    return pd.Series(
        [variant_name(m, b) for m, b in zip(frame["method"], frame["bag"], strict=True)],
        index=frame.index,
        dtype=object,
    )


def scored(best: pd.DataFrame) -> pd.DataFrame:
    """The scores of all variants, under their names."""
    return _named(best).assign(settings=_iterations(best) + " (median)")


def ran(runs: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """The runs of the best variants, under their names."""
    rows = runs.merge(best[VARIANT])
    return _named(rows).assign(settings=_iterations(rows))


def predicted(predictions: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """The predictions of the best variants, under their names; sequences are not related."""
    rows = predictions.merge(best[VARIANT])
    return _named(rows).assign(group=rows["sequence"])


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(method=variant_names(frame))


def _iterations(frame: pd.DataFrame) -> pd.Series:
    return "iteration " + frame["n_iterations"].map("{:.0f}".format).astype(str)


def discovers_features(method: str) -> bool:
    """Whether a method, perhaps with its bag, discovers features of the future."""
    return method.startswith("ff_")
