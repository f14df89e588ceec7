"""``treecrf describe``: the contents of a file or a model."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from treecrf.cli import shared, tables
from treecrf.io.messages import counted, listed


def describe(
    file: Annotated[Path, shared.argument("FILE|MODEL", "Data file, or model file (.npz) of treecrf fit.")],
    sequence: shared.Sequence_ = "sequence",
    label: shared.Label = "label",
    attributes: shared.Attributes = None,
    groups: shared.Groups = None,
    kinds: shared.Kinds = None,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    quote: shared.Quote = None,
    na: shared.Na = None,
) -> None:
    """Describe a file (sequences, labels, attributes, missing values) or a model (settings, most used tests).

    [bold]Examples[/bold]
    treecrf describe train.csv --sequence sentence --label tag
    treecrf describe model.npz
    """
    from treecrf.readers.columns import has_suffix

    if has_suffix(file, ".npz"):
        _describe_model(file)
    else:
        reading = tables.TableOptions.parse(
            sequence, label, attributes, kinds, format_, separator, decimal, encoding, quote, na, groups=groups
        )
        _describe_table(file, reading)


def _describe_table(file: Path, reading: tables.TableOptions) -> None:
    import numpy as np

    from treecrf.automl.description import (
        attribute_counts,
        column_warnings,
        inputs_sentence,
        label_counts,
        likely_groups,
        number_counts,
    )
    from treecrf.inputs.derived import are_times

    table, columns, data = tables.read_labelled_table(file, reading, strict=False)
    lengths = data.lengths
    shared.say(
        f"{file}: {counted(len(data), 'sequence')}, {counted(data.n_positions, 'labelled position')}, "
        f"{counted(len(table.frame), 'row')}."
    )
    shared.say(f"Lengths: {lengths.min():,} to {lengths.max():,}, median {np.median(lengths):g}.")
    n_missing, n_cells = data.n_missing, data.n_cells
    shared.say(f"Missing cells: {n_missing:,} of {n_cells:,} ({100 * n_missing / n_cells:.1f} %).")
    headings = {"n_values": "values", "n_missing": "missing", "share_missing": "share", "commonest_share": "its share"}
    times = [attribute.name for attribute in data.attributes if are_times(attribute.categories)]
    shared.say(f"{inputs_sentence(columns, times)}\n")
    labels = label_counts(data).rename(columns={"n_positions": "positions"})
    shared.show_table(labels, f"Labels (column {columns.label})", most=30)
    if columns.numbers:
        shared.show_table(number_counts(data).rename(columns=headings), "Numbers")
    if columns.categories:
        shared.show_table(attribute_counts(table, columns.categories).rename(columns=headings), "Attributes")
    for sentence in column_warnings(table, columns):
        shared.note(sentence)
    groups = likely_groups(table, columns.attributes, columns.sequence) if columns.groups is None else {}
    for name, n_groups in groups.items():
        shared.say(f"Column {name!r} has one value in each sequence, and {n_groups:,} in all: a group, perhaps.")
    options = {
        "--sequence": columns.sequence,
        "--label": columns.label,
        "--groups": columns.groups or next(iter(groups), ""),
    }
    named = [part for option, name in options.items() if name and option != f"--{name}" for part in (option, name)]
    shared.say(f"To train a model: {shlex.join(['treecrf', 'fit', str(file), '-o', 'model.npz', *named])}")


def _describe_model(file: Path) -> None:
    import pandas as pd

    from treecrf.automl.explanation import trees_of, used_tests
    from treecrf.automl.labeller import TableLabeller

    model = TableLabeller.load(file)
    labeller, columns = model.labeller, model.columns
    shared.say(f"{file}: {type(labeller).__name__}.")
    for sentence in () if model.origin is None else model.origin.sentences():
        shared.say(sentence)
    shared.say(
        f"Reads the sequences in {columns.sequence!r}, the attributes in {', '.join(map(repr, columns.attributes))}."
    )
    shared.say(f"Labels ({columns.label!r}): {', '.join(labeller.label_names_)}.")
    if columns.numbers:
        shared.say(f"Numbers: {', '.join(map(repr, columns.numbers))}.")
    for attribute in labeller.attributes_:
        if attribute.ordered:
            shared.say(f"Bins of {attribute.name!r}: {listed(attribute.categories, str)}.")
    if model.missing is not None:
        shared.say(f"{type(model.missing).__name__} fills or marks missing cells before labelling.")
    if model.na:
        shared.say(f"Cells with {listed(model.na)} are missing.")
    shared.say()
    settings = labeller.get_params()
    shared.show_table(
        pd.DataFrame({"setting": list(settings), "value": [str(value) for value in settings.values()]}), "Settings"
    )
    tests, with_trees = used_tests(model).rename(columns={"n_splits": "splits"}), trees_of(labeller)
    if len(tests) and with_trees is not None:
        forest = with_trees.forest_
        shared.say(f"{forest.n_trees:,} trees, {len(forest.columns):,} splits, {forest.most_leaves} leaves at most.\n")
        shared.show_table(tests, "Most used tests", most=15)
