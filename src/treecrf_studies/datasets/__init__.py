"""Data sets: raw files or generators in, `SequenceSet` out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from treecrf.grouping import NamedRule, Rule, find_groups, join_groups
from treecrf.readers.reading import load_table
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import generator, hold_out
from treecrf_studies.datasets import (
    conll2000,
    faq,
    hidden_markov,
    hyphenation,
    nettalk,
    ocr,
    prosody,
    protein,
    sectlabel,
    synthetic,
)
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.synthetic import Splits

__all__ = ["Description", "Splits", "describe", "documents", "load", "load_splits", "names"]


_OF_THE_CALL = re.compile(r"^\S+\(\) (got an unexpected keyword|got multiple values|missing \d+ required)")
"""Errors of a loader that was given wrong options."""


_REGISTRY = {
    description.name: description
    for module in (  # in the order in which they are listed
        protein,
        nettalk,
        hyphenation,
        faq,
        sectlabel,
        conll2000,
        ocr,
        prosody,
        synthetic,
        hidden_markov,
    )
    for description in module.DESCRIPTIONS
} | {
    "table": Description(
        "table", "a table of your own", (0, 0), load_table, source="yours", kind="table", is_drawn=True
    )
}


def names() -> tuple[str, ...]:
    """The names that `load` knows."""
    return tuple(_REGISTRY)


def describe(name: str) -> Description:
    """What is known of a data set; a ValueError lists the known names."""
    if name not in _REGISTRY:
        raise ValueError(f"data set {name!r} is not known; choose one of {', '.join(_REGISTRY)}.")
    return _REGISTRY[name]


def load(
    name: str, *, raw: str | os.PathLike[str] | None = None, groups: Rule | str | None = None, **options: Any
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set of a data set.

    Parameters
    ----------
    name : str
        One of `names`.
    raw : path, optional
        Folder of raw files; ``TREECRF_MIRROR``, else ``data/raw``, unless given.
    groups : "none", "copies", mapping or str, optional
        Which sequences of the two sets count as related (`treecrf.grouping.find_groups`), beside those that the
        data set itself relates, such as the sentences of a speaker. Of a table also the name of a column, whose values
        alone tell which sequences are related.
    **options
        Those of the data set's loader, such as ``seed``, ``n_train``, ``labels``.

    Raises
    ------
    ValueError, FileNotFoundError
        For a name or option that is not known, a file that is not there or damaged.
    """
    description = describe(name)
    if description.kind == "table" and isinstance(groups, str) and groups not in get_args(NamedRule):
        train, test = _call(description, description.loader, raw, options | {"groups": groups})
        return train, test
    train, test = _call(description, description.loader, raw, options)
    whole = SequenceSet.concatenate([train, test])
    numbers = join_groups(whole.groups, find_groups(whole, description.groups if groups is None else groups))
    return train.with_groups(numbers[: len(train)]), test.with_groups(numbers[len(train) :])


def load_splits(
    name: str,
    *,
    seed: int,
    held_out: float = 1 / 3,
    raw: str | os.PathLike[str] | None = None,
    groups: Rule | str | None = None,
    **options: Any,
) -> Splits:
    """Training, validation and test set of a data set.

    Parameters
    ----------
    name, raw, groups, **options
        As for `load`; the sets of a generator have no related sequences.
    seed : int
        The draw of the set (`Description.draw`, but for options that are given), and which training sequences validate.
    held_out : float
        Share of the training sequences that validates, where the set has no validation set of its own.
    """
    description = describe(name)
    options = description.draw(seed) | options
    if name in synthetic.FUTURE_KINDS:
        return _call(description, partial(synthetic.future_splits, name), raw, options)
    train, test = load(name, raw=raw, groups=groups, **options)
    n_groups = len(np.unique(train.groups))
    if not 0 < round(held_out * n_groups) < n_groups:
        raise ValueError(f"held_out={held_out} of {len(train)} training sequences leaves an empty set; change it.")
    fitted, validating = hold_out(train.groups, held_out, generator(name, "validation", seed=seed))
    return Splits(train.select(fitted), train.select(validating), test)


def documents(
    name: str, *, raw: str | os.PathLike[str] | None = None, groups: Rule | None = None, **options: Any
) -> SequenceSet:
    """All documents of a data set whose protocol is to leave one out, one sequence per document.

    Parameters
    ----------
    name, raw, groups, **options
        As for `load`.
    """
    description = describe(name)
    if description.whole is None:
        raise ValueError(f"data set {name!r} has a training and a test set and no list of documents; use load.")
    whole = _call(description, description.whole, raw, options)
    return whole.with_groups(find_groups(whole, description.groups if groups is None else groups))


def _call(
    description: Description, loader: Callable[..., Any], raw: str | os.PathLike[str] | None, options: dict[str, Any]
) -> Any:
    folder = Path(raw if raw is not None else os.environ.get("TREECRF_MIRROR") or "data/raw")
    arguments: Sequence[Any] = (folder,) if description.kind == "files" else ()
    try:
        return loader(*arguments, **options)
    except TypeError as error:
        if not _OF_THE_CALL.search(str(error)):
            raise
        raise ValueError(
            f"data set {description.name!r}: {str(error).split(' ', 1)[1]}; "
            f"{'give it' if 'missing' in str(error) else 'leave that option out'}."
        ) from error
