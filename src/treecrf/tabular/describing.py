"""Descriptions of tables and of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from treecrf.io.messages import counted, listed, quoted
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.sequences import MAX_CATEGORIES, SequenceSet
from treecrf.tabular.columns import MANY_NUMBERS, RARE, TableColumns, numbers, parse_numbers
from treecrf.tabular.labeller import TableLabeller

MOST_MARKS = 3
"""More different values beside numbers are not taken for marks of missing ones."""


def label_counts(data: SequenceSet) -> pd.DataFrame:
    """label, n_positions, share, the commonest first."""
    counts = np.bincount(np.asarray(data.labels), minlength=len(data.label_names))
    frame = pd.DataFrame({"label": data.label_names, "n_positions": counts, "share": counts / data.n_positions})
    return frame.sort_values("n_positions", ascending=False, kind="stable", ignore_index=True)


def attribute_counts(frame: pd.DataFrame, attributes: Sequence[str]) -> pd.DataFrame:
    """attribute, n_values (different ones), n_missing, share_missing, commonest, commonest_share (of what is there)."""
    rows = []
    for name in attributes:
        text = _present(frame[name])
        counts = text.value_counts()
        n_missing = len(frame) - len(text)
        rows.append(
            {
                "attribute": name, "n_values": len(counts), "n_missing": n_missing,
                "share_missing": n_missing / len(frame), "commonest": str(counts.index[0]) if len(counts) else "",
                "commonest_share": counts.iloc[0] / len(text) if len(text) else np.nan,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def warnings_of(frame: pd.DataFrame, columns: TableColumns) -> Iterator[str]:
    """A sentence for each column that a labeller can do little with as it is, or that may hold what is not meant."""
    for name in columns.attributes:
        if name not in columns.edges:
            yield from _use(frame[name], name)
            yield from _marks(frame[name], name)
    for name in (columns.label, *columns.attributes):
        if name not in columns.edges:
            yield from _twins(frame[name], name)


def _use(column: pd.Series, name: str) -> Iterator[str]:
    n_values = _present(column).nunique()
    if n_values == 0:
        yield f"Column {name!r} is empty everywhere; leave it out by --attributes."
    elif n_values == 1:
        yield f"Column {name!r} has the same value wherever it has one."
    elif n_values > MANY_NUMBERS and numbers(column) is not None:
        yield (
            f"Column {name!r} holds {n_values:,} different numbers, each of which is a category of its own; "
            "treecrf fit --bins 10 cuts such columns into 10 bins."
        )
    elif n_values > MAX_CATEGORIES:
        yield (
            f"Column {name!r} has {n_values:,} different values; treecrf fit keeps the {MAX_CATEGORIES - 1} commonest and "
            f"takes all others as one, {RARE}."
        )


def _marks(column: pd.Series, name: str) -> Iterator[str]:
    """Whether a column of numbers has a few other values, as tables of other programs have for a missing one."""
    values, strange = parse_numbers(column)
    marks = column[strange].unique()
    if 0 < len(marks) <= MOST_MARKS and len(marks) < values.nunique() and strange.sum() < values.count():
        yield (
            f"Column {name!r} holds numbers and {listed(marks)} ({counted(int(strange.sum()), 'cell')}); empty those cells "
            "if they are missing."
        )


def _twins(column: pd.Series, name: str) -> Iterator[str]:
    """Whether two values of a column differ only by the white space around them."""
    seen: dict[str, str] = {}
    for value in sorted(_present(column).unique()):
        other = seen.setdefault(value.strip(), value)
        if other != value and value.strip():
            yield (
                f"Column {name!r} has both {quoted(other)} and {quoted(value)}, which are two values; make them one if the "
                "white space means nothing."
            )
            return


def used_tests(model: TableLabeller) -> pd.DataFrame:
    """The tests (in words) of a model's trees, their n_splits and share, the most used first; empty without trees."""
    labeller = model.labeller
    if not isinstance(labeller, TreeCRF):
        return pd.DataFrame({"test": [], "n_splits": [], "share": []})
    forest = labeller.forest_
    counts = Counter(
        _test_name(labeller, int(column), tuple(tree.test(split).tolist()))
        for tree in (forest.tree(i) for i in range(forest.n_trees))
        for split, column in enumerate(tree.columns)
    )
    ordered = sorted(counts.items(), key=lambda item: (-int(item[1]), str(item[0])))
    frame = pd.DataFrame({"test": [test for test, _ in ordered], "n_splits": [number for _, number in ordered]})
    return frame.assign(share=frame["n_splits"] / max(frame["n_splits"].sum(), 1))


def _test_name(labeller: TreeCRF, column: int, codes: tuple[int, ...]) -> str:
    left, right = labeller.window
    n_attributes = len(labeller.attributes_)
    n_slots = (left + right + 1) * n_attributes
    if column >= n_slots:
        names = (*labeller.label_names_, "(none, a start)")
        return f"label {column - n_slots + 1} before {_one_of(names, codes)}"
    place, attribute = column // n_attributes - left, labeller.attributes_[column % n_attributes]
    where = "" if place == 0 else f" {abs(place)} {'after' if place > 0 else 'before'}"
    names = (*attribute.categories, "(outside the sequence)", "(missing)")
    return f"{attribute.name}{where} {_one_of(names, codes)}"


def _one_of(names: Sequence[str], codes: tuple[int, ...]) -> str:
    """What a test asks for, in words."""
    if len(codes) == 1:
        return f"= {names[codes[0]]}"
    return f"in {{{', '.join(names[code] for code in codes)}}}"


def _present(column: pd.Series) -> pd.Series:
    """Cells with a value, as text."""
    text = column.dropna().astype(str)
    return text[text != ""]
