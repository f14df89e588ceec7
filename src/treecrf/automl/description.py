"""Descriptions of tables and of their missing cells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.inputs.times import SHARE_OF_STAMPS, are_times, epoch_of
from treecrf.io.columns import CellError, Column, Kind, about_marked, find_marks, infer_kind
from treecrf.io.frames import find_sequences
from treecrf.io.messages import counted, listed, quoted
from treecrf.readers.tables import TableColumns, TypedTable
from treecrf.sequences import MAX_CATEGORIES, MISSING, SequenceSet, window_rows
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL, adjust_holm
from treecrf.statistics.paired import score_flip_p_value
from treecrf.statistics.selection import derive_seed


def label_counts(data: SequenceSet) -> pd.DataFrame:
    """label, n_positions, share, the commonest first."""
    counts = np.bincount(np.asarray(data.labels), minlength=len(data.label_names))
    frame = pd.DataFrame({"label": data.label_names, "n_positions": counts, "share": counts / data.n_positions})
    return frame.sort_values("n_positions", ascending=False, kind="stable", ignore_index=True)


def attribute_counts(table: TypedTable, attributes: Sequence[str]) -> pd.DataFrame:
    """attribute, n_values (different ones), n_missing, share_missing, commonest, commonest_share (of what is there)."""
    rows = []
    for name in attributes:
        codes, texts = table[name].distinct
        counts = np.bincount(codes[codes != MISSING], minlength=len(texts))
        n_known = int(counts.sum())
        n_missing = len(codes) - n_known
        rows.append(
            {
                "attribute": name,
                "n_values": len(texts),
                "n_missing": n_missing,
                "share_missing": n_missing / len(codes),
                "commonest": str(texts[counts.argmax()]) if n_known else "",
                "commonest_share": counts.max() / n_known if n_known else np.nan,
            }
        )
    return pd.DataFrame(rows)


def number_counts(data: SequenceSet) -> pd.DataFrame:
    """number, n_missing, share_missing, lowest, median, highest (text of four digits or a whole number; empty where all
    are missing).
    """
    numbers = pd.DataFrame(data.numbers, columns=list(data.number_names))
    missing = numbers.isna()
    columns = {
        "number": data.number_names,
        "n_missing": missing.sum().to_numpy(),
        "share_missing": missing.mean().to_numpy(),
    }
    for name, values in (("lowest", numbers.min()), ("median", numbers.median()), ("highest", numbers.max())):
        columns[name] = [_short(value) for value in values]
    return pd.DataFrame(columns)


def _short(value: float) -> str:
    """Four digits, or a whole number where these are not enough: times as numbers differ in the last ones."""
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def column_warnings(table: TypedTable, columns: TableColumns) -> Iterator[str]:
    """A sentence for each column that a labeller can do little with as it is, or that may hold what is not meant."""
    for name, kind in columns.kinds.items():
        yield from _about_values(table[name], kind)
        sentence = about_marked(table[name]) if kind == "number" else None
        if sentence is not None:
            yield sentence
        if kind == "category":
            yield from _about_marks(table[name])
        elif rises(table[name], table[columns.sequence]):
            yield (
                f"Column {name!r} only rises within sequences, as a row number or a time does; leave it out by "
                "--attributes unless its value matters."
            )
    for name in (columns.label, *columns.categories):
        yield from _about_white_space(table[name])


def inputs_sentence(columns: TableColumns, times: Collection[str] = ()) -> str:
    """The inputs by what they hold; `times` are the categories that are time stamps."""
    parts = [
        f"{listed(names, str)} ({kind if len(names) == 1 else kinds})"
        for names, kind, kinds in (
            ([name for name in columns.categories if name not in times], "category", "categories"),
            ([name for name in columns.categories if name in times], "time stamp", "time stamps"),
            (columns.numbers, "number", "numbers"),
        )
        if names
    ]
    return f"Inputs: {'; '.join(parts)}. Change them by --attributes and --kinds."


def _about_values(column: Column, kind: Kind) -> Iterator[str]:
    n_values = len(column.distinct[1])
    if n_values == 0:
        yield f"Column {column.name!r} is empty everywhere; leave it out by --attributes."
    elif n_values == 1:
        yield f"Column {column.name!r} has the same value wherever it has one."
    elif kind == "category" and n_values > MAX_CATEGORIES:
        yield (
            f"Column {column.name!r} has {n_values:,} different values, and {MAX_CATEGORIES:,} are the most; treecrf "
            "fit --min-count 2 takes those as one that occur once."
        )


def _about_marks(column: Column) -> Iterator[str]:
    """Whether a column of numbers has a few other values, as tables of other programs have for a missing one."""
    marks = find_marks(column)
    if marks is not None:
        n_cells = counted(int(marks.strange.sum()), "cell")
        yield (
            f"Column {column.name!r} holds numbers and {listed(marks.texts)} ({n_cells}); name them by --na if they "
            "are missing."
        )


def _about_white_space(column: Column) -> Iterator[str]:
    """Whether two values of a column differ only by the white space around them."""
    seen: dict[str, str] = {}
    for value in sorted(column.distinct[1]):
        other = seen.setdefault(value.strip(), value)
        if other != value and value.strip():
            yield (
                f"Column {column.name!r} has both {quoted(other)} and {quoted(value)}, which are two values; make them "
                "one if the white space means nothing."
            )
            return


# --- missing cells ----------------------------------------------------------------------------------

N_EXCHANGES = 2000
"""How often sequences are exchanged between two files at random, for the p-value of a difference."""

Bools = NDArray[np.bool_]


def describe_missing(data: SequenceSet, seed: int, other: SequenceSet | None = None) -> pd.DataFrame:
    """Each column with missing cells, and three questions about them.

    Parameters
    ----------
    data : SequenceSet
        With labels.
    seed : int
        Of the tests.
    other : SequenceSet, optional
        A second file with the same columns, such as the test set.

    Returns
    -------
    DataFrame
        One row for each column with missing cells (in either set).

        column, share
            And the share of its cells that is missing.
        label_most, share_at_most, label_least, share_at_least, p_label
            The labels at which it is missing most and least often, and whether the two are associated.
        run, run_by_chance, p_run
            Observations in a run of missing cells, on average, and what that would be if each cell were missing by
            itself; whether neighbours are missing together.
        share_other, p_other
            With `other`: its share, and whether it differs.

        The p-values are by sequence, or by group of related ones, with Holm's correction over the columns.
    """
    names = [*(attribute.name for attribute in data.attributes), *data.number_names]
    mask, mask_of_other = _mask(data), None if other is None else _mask(other)
    rows = []
    for j, name in enumerate(names):
        missing = mask[:, j]
        if not missing.any() and (mask_of_other is None or not mask_of_other[:, j].any()):
            continue
        row = {
            "column": name,
            "share": float(missing.mean()),
            **_by_label(data, missing, derive_seed(seed, name, "label")),
        }
        row |= _in_runs(data, missing, derive_seed(seed, name, "runs"))
        if other is not None and mask_of_other is not None:
            row |= _between(data, missing, other, mask_of_other[:, j], derive_seed(seed, name, "other"))
        rows.append(row)
    frame = pd.DataFrame(rows)
    for column in [column for column in frame.columns if column.startswith("p_")]:
        frame[column] = adjust_holm(frame[column].to_numpy(dtype=np.float64))
    return frame


def missing_sentences(frame: pd.DataFrame) -> Iterator[str]:
    """The answers in sentences, from `describe_missing`."""
    questions = (
        (
            "p_label",
            "Missing values depend on the label: {}.",
            "No column has missing values that significantly depend on the label.",
        ),
        ("p_run", "Missing values come in runs: {}.", "No column has missing values that significantly come in runs."),
        (
            "p_other",
            "Missing more or less often in the other file: {}.",
            "No column was found to be missing more often in one file.",
        ),
    )
    for column, answer, none in questions:
        if column in frame.columns:
            is_found = frame[column] < SIGNIFICANCE_LEVEL
            if column == "p_run":  # runs that are shorter than by chance are none
                is_found &= frame["run"] > frame["run_by_chance"]
            names = frame.loc[is_found, "column"].tolist()
            yield answer.format(", ".join(names)) if names else none


def _by_group(values: NDArray[Any], data: SequenceSet) -> NDArray[Any]:
    """Values of sequences, summed over each group of related ones; shape (n_groups, ...)."""
    places, group = np.unique(data.groups, return_inverse=True)
    sums = np.zeros((len(places), *values.shape[1:]), dtype=values.dtype)
    np.add.at(sums, group, values)
    return sums


def _mask(data: SequenceSet) -> Bools:
    return np.hstack([data.values == MISSING, np.isnan(data.numbers)])


def _by_label(data: SequenceSet, missing: Bools, seed: int) -> dict[str, object]:
    labels, n_labels = np.asarray(data.labels), len(data.label_names)
    of_positions = missing[window_rows(data, (0, 0))[:, 0]].astype(np.float64)
    shares = np.bincount(labels, minlength=n_labels) / len(labels)
    rates = np.bincount(labels, weights=of_positions, minlength=n_labels) / np.maximum(shares * len(labels), 1)
    excess = of_positions - of_positions.mean()
    scores = np.empty((len(data), n_labels))
    for label in range(n_labels):
        scores[:, label] = np.add.reduceat(excess * ((labels == label) - shares[label]), data.offsets[:-1])
    seen = np.flatnonzero(shares)
    most, least = seen[rates[seen].argmax()], seen[rates[seen].argmin()]
    return {
        "label_most": data.label_names[most],
        "share_at_most": float(rates[most]),
        "label_least": data.label_names[least],
        "share_at_least": float(rates[least]),
        "p_label": score_flip_p_value(_by_group(scores, data), seed),
    }


def _in_runs(data: SequenceSet, missing: Bools, seed: int) -> dict[str, float]:
    starts, rate = data.observation_offsets[:-1], float(missing.mean())
    first = np.zeros(len(missing), dtype=np.bool_)
    first[starts] = True
    n_runs = int((missing & (first | ~np.roll(missing, 1))).sum())
    lengths = np.diff(data.observation_offsets)
    # Of m cells that are missing by themselves with probability p, p + (m - 1) p (1 - p) begin a run on average.
    by_chance = len(missing) / float((1 + (lengths - 1) * (1 - rate)).sum())
    excess = missing - rate
    products = np.where(first, 0.0, excess * np.roll(excess, 1))
    scores = np.add.reduceat(products, starts)[:, None]
    run = int(missing.sum()) / n_runs if n_runs else float("nan")
    return {"run": run, "run_by_chance": by_chance, "p_run": score_flip_p_value(_by_group(scores, data), seed)}


def _between(data: SequenceSet, missing: Bools, other: SequenceSet, of_other: Bools, seed: int) -> dict[str, float]:
    """Exchange of whole groups of sequences between the files, which keeps the numbers of both."""
    sums = [
        _by_group(np.add.reduceat(h.astype(np.int64), d.observation_offsets[:-1]), d)
        for d, h in ((data, missing), (other, of_other))
    ]
    lengths = [_by_group(np.diff(d.observation_offsets), d) for d in (data, other)]
    counts, sizes = np.concatenate(sums), np.concatenate(lengths)
    rng, n_first = np.random.default_rng(seed), len(sums[0])
    order = np.arange(len(counts))
    differences = np.empty(N_EXCHANGES)
    for exchange in range(N_EXCHANGES):  # the first is as it is, so that p is never 0
        one, two = order[:n_first], order[n_first:]
        differences[exchange] = counts[one].sum() / sizes[one].sum() - counts[two].sum() / sizes[two].sum()
        order = rng.permutation(len(counts))
    tolerance = 1e-12
    p_value = float((np.abs(differences) >= abs(differences[0]) - tolerance).mean())
    return {"share_other": float(of_other.mean()), "p_other": p_value}


# --- what the columns of a file seem to be ---------------------------------------------------------


LABEL_NAMES = frozenset(("label", "labels", "tag", "tags", "target", "class", "y", "ner", "pos", "activity", "state"))
"""Names that columns of labels often have, in small letters."""

MOST_LABELS = 200
"""A column with more different values is taken for no column of labels."""


LEAST_IDENTIFIERS = 50
"""Rows from which on values that are all different identify them."""


def guess_sequence(table: TypedTable, label: str | None = None) -> str | None:
    """The column that seems to name the sequences; None where several readings are possible, or none is.

    It has each of its values in one run of rows, more than one row in some run, and more values than any other such
    column, each of which has one value in each of its runs.
    """
    starts_of = _starts_of_runs(table, label)
    if not starts_of:
        return None
    finest = max(starts_of, key=lambda name: len(starts_of[name]))
    is_plain = all(np.isin(starts, starts_of[finest]).all() for starts in starts_of.values())
    is_only = sum(len(starts) == len(starts_of[finest]) for starts in starts_of.values()) == 1
    return finest if is_plain and is_only else None


def _starts_of_runs(table: TypedTable, label: str | None) -> dict[str, NDArray[np.int64]]:
    """The first rows of the runs of each column that may name sequences."""
    starts_of = {}
    for name in table if len(table.frame) else ():
        starts = None if name == label else _starts(table[name])
        if starts is not None and 1 < len(starts) < len(table.frame):
            starts_of[name] = starts
    return starts_of


def _starts(column: Column) -> NDArray[np.int64] | None:
    """The first rows of a column's runs, where each value has one run and none is missing; numbers have none."""
    if not column.strange.any() and (column.numbers != np.floor(column.numbers)).any():
        return None
    try:
        return find_sequences(column)[:-1]
    except CellError:
        return None


def guess_label(table: TypedTable, sequence: str | None) -> str | None:
    """The column that seems to hold the labels: the only one of categories with a usual name, else the last if it has
    no empty cell; None if it cannot be.

    It has categories, two or more, but at most `MOST_LABELS`, and fewer than half as many as rows.
    """
    names = [name for name in table if name != sequence]
    usual = [
        name
        for name in names
        if name.casefold() in LABEL_NAMES and infer_kind(table[name], is_written=True) == "category"  # y may be an axis
    ]
    if not names or len(usual) > 1:
        return None
    guess = usual[0] if usual else names[-1]
    codes, texts = table[guess].distinct
    if not usual and (codes == MISSING).any():  # as the remarks that often stand last
        return None
    n_values = len(texts)
    is_likely = 2 <= n_values <= min(MOST_LABELS, len(table.frame) // 2)
    return guess if is_likely and infer_kind(table[guess], is_written=True) == "category" else None


def likely_labels(table: TypedTable, sequence: str | None) -> list[str]:
    """The columns that may hold the labels where `guess_label` takes none: those of few, repeated categories."""
    most = min(MOST_LABELS, len(table.frame) // 2)
    return [
        name
        for name in table
        if name != sequence
        and 2 <= len(table[name].distinct[1]) <= most
        and infer_kind(table[name], is_written=True) == "category"
    ]


def likely_sequences(table: TypedTable, label: str | None) -> list[str]:
    """The columns that may name the sequences, where `guess_sequence` takes none: those with each value in one run."""
    return list(_starts_of_runs(table, label))


def likely_times(table: TypedTable, names: Sequence[str], sequence: str | None) -> list[str]:
    """The columns of times (`treecrf.inputs.times.FORMS`), or of texts in the order of the rows."""
    n_rows = len(table.frame)
    if not n_rows:
        return []
    try:
        offsets = np.array([0, n_rows]) if sequence is None else find_sequences(table[sequence])
    except CellError:
        offsets = np.array([0, n_rows])
    of_rows = Column(pd.Series(["1"] * n_rows, dtype="str"), "") if sequence is None else table[sequence]
    return [
        name
        for name in names
        if are_times(tuple(sorted(table[name].distinct[1])))
        or (not table[name].strange.any() and epoch_of(table[name].numbers, offsets) is not None)
        or (table[name].strange.any() and is_order(table[name], of_rows))
    ]


def column_counts(table: TypedTable) -> pd.DataFrame:
    """column, kind, n_values (different ones), n_missing, examples: of each column, whatever its use."""
    rows = []
    for name in table:
        codes, texts = table[name].distinct
        kind = infer_kind(table[name], is_written=True)
        n_missing = int((codes == MISSING).sum())
        rows.append((name, kind, len(texts), n_missing, ", ".join(map(str, texts[:3]))))
    return pd.DataFrame(rows, columns=["column", "kind", "n_values", "n_missing", "examples"])


def rises(numbers: Column, sequence: Column) -> bool:
    """Whether numbers rise from each observation to the next within every sequence."""
    same = np.diff(sequence.distinct[0]) == 0
    return bool(same.any()) and bool((np.diff(numbers.numbers)[same] > 0).all())


def likely_groups(table: TypedTable, names: Sequence[str], sequence: str) -> dict[str, int]:
    """The columns that seem to say what sequences share, such as a person, and how many different values they have.

    Such a column has one value in each sequence, the same in some of them, and no fractions. A labeller that sees it
    learns of these persons what does not hold for others.
    """
    counts_by_column: dict[str, int] = {}
    if table.frame.empty:
        return counts_by_column
    try:
        starts = find_sequences(table[sequence])[:-1]
    except CellError as error:
        raise table.error(error) from None
    n_sequences = len(starts)
    if n_sequences == len(table.frame):
        return counts_by_column
    for name in names:
        codes, texts = table[name].distinct
        of_sequences = codes[starts]
        numbers = table[name].numbers
        is_whole = table[name].strange.any() or (np.isfinite(numbers) & (numbers == np.floor(numbers))).all()
        varies = codes[1:] != codes[:-1]
        varies[starts[1:] - 1] = False
        if is_whole and 1 < len(texts) < n_sequences and not varies.any() and (of_sequences != MISSING).all():
            counts_by_column[name] = len(texts)
    return counts_by_column


def left_out(table: TypedTable, names: Sequence[str], sequence: str, groups: str | None = None) -> dict[str, str]:
    """Why inputs that nobody named are left out of a training, by column: those without any cell, those that identify
    or order rows, and those that seem to hold groups, or, where the column of `groups` is known, parts of them.
    """
    if table.frame.empty:
        return {}
    reasons = {name: "it is empty." for name in names if not len(table[name].distinct[1])}
    full = [name for name in names if name not in reasons]
    useful = [name for name in full if not is_identifier(table[name])] or full
    reasons |= {
        name: "its value identifies the row; name it in --attributes to use it." for name in full if name not in useful
    }
    for name in list(useful):
        column = table[name]
        is_text = column.strange.any() and not are_times(tuple(column.distinct[1]))
        if len(useful) > 1 and is_text and is_order(column, table[sequence]):
            useful.remove(name)
            reasons[name] = (
                "its values rise with the rows, as times or row numbers do; write times as in 2024-01-31T13:45:00 to "
                "derive inputs from them, or name it in --attributes to use it as it is."
            )
    likely = likely_groups(table, useful, sequence)
    if groups is not None:
        for name in likely if len(likely) < len(useful) else ():
            if _is_within(table[name], table[groups]):
                reasons[name] = (
                    "each of its values is of one group alone, so that new groups have others; name it in --attributes "
                    "to use it as an input."
                )
        return reasons
    for name, n_groups in likely.items() if len(likely) < len(useful) else ():
        reasons[name] = (
            f"it has one value in each sequence, and {n_groups:,} in all, as a person or a document has. If related "
            f"sequences share it, hold them out together by --groups {name}; name it in --attributes to use it as an "
            "input."
        )
    return reasons


def _is_within(column: Column, groups: Column) -> bool:
    """Whether a column of categories has each of its values in one group alone."""
    codes, texts = column.distinct
    n_pairs = np.unique(np.stack([codes, groups.distinct[0]]), axis=1).shape[1]
    return infer_kind(column, is_written=True) == "category" and n_pairs == len(texts)


def is_order(column: Column, sequence: Column) -> bool:
    """Whether texts with digits, nearly all different, rise within sequences, as times of the day or row numbers do."""
    codes, texts = column.distinct
    same = (np.diff(sequence.distinct[0]) == 0) & (codes[1:] != MISSING) & (codes[:-1] != MISSING)
    if same.sum() < LEAST_IDENTIFIERS or not all(any(map(str.isdigit, text)) for text in texts):
        return False
    place = np.argsort(np.argsort(texts))
    return bool((np.diff(place[codes])[same] > 0).mean() >= SHARE_OF_STAMPS)


def is_identifier(column: Column) -> bool:
    """Whether a column numbers the rows of the file, or has another code with digits in nearly each, but no time."""
    codes, texts = column.distinct
    n_known = int((codes != MISSING).sum())
    if n_known < LEAST_IDENTIFIERS:
        return False
    if not column.strange.any():
        is_time = epoch_of(column.numbers, np.array([0, len(codes)])) is not None
        return bool((np.diff(column.numbers) == 1).all()) and not is_time
    has_digit = [any(map(str.isdigit, text)) for text in texts]
    return len(texts) >= SHARE_OF_STAMPS * n_known and all(has_digit) and not are_times(tuple(texts))
