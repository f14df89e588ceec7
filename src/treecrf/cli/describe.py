"""``treecrf describe``: the contents of a file or a model."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treecrf.cli import shared, tables
from treecrf.io.messages import counted, listed

if TYPE_CHECKING:
    from treecrf.automl.labeller import TableLabeller
    from treecrf.readers.tables import TypedTable
    from treecrf.sequences import SequenceSet


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
    as_json: Annotated[
        Path | None,
        shared.option(
            "Write origin, columns, labels and settings of a model to a JSON file.",
            "FILE.json",
            "--json",
            default="none",
        ),
    ] = None,
) -> None:
    """Describe a file (sequences, labels, attributes, missing values) or a model (settings, most used tests).

    [bold]Examples[/bold]
    treecrf describe train.csv --sequence sentence --label tag
    treecrf describe model.npz --json card.json
    """
    from treecrf.readers.columns import has_suffix

    if as_json is not None:
        shared.check_suffix(as_json, ".json", option="--json")
        shared.check_writable(as_json, file)
    if has_suffix(file, ".npz"):
        _describe_model(file, as_json)
    elif as_json is not None:
        raise typer.BadParameter("--json is for models; leave it out for a data file.")
    else:
        reading = tables.TableOptions.parse(
            sequence, label, attributes, kinds, format_, separator, decimal, encoding, quote, na, groups=groups
        )
        _describe_table(file, reading)


def _describe_table(file: Path, reading: tables.TableOptions) -> None:
    from treecrf.automl.description import (
        attribute_counts,
        column_warnings,
        inputs_sentence,
        left_out,
        likely_groups,
        likely_times,
        number_counts,
    )
    from treecrf.inputs.times import are_times, identifying_times

    table, reading = tables.read_guessed_table(file, reading)
    unnamed = tables.unnamed_columns(table, reading)
    if unnamed:
        sequence = None if "sequence" in unnamed else reading.sequence
        label = None if "label" in unnamed else reading.label
        others = (reading.groups, *(reading.attributes or ()))
        table.check_columns([name for name in (sequence, label, *others) if name is not None])
        _describe_columns(file, table, sequence, label, reading)
        return
    used = (reading.sequence, reading.label, reading.groups)
    if reading.attributes is None and all(name in used for name in table):
        _describe_labels(file, table, reading)
        return
    table, columns, data = tables.as_labelled(table, reading, strict=False)
    _say_sizes(file, table, data)
    n_missing, n_cells = data.n_missing, data.n_cells
    shared.say(f"Missing cells: {n_missing:,} of {n_cells:,} ({100 * n_missing / n_cells:.1f} %).")
    headings = {"n_values": "values", "n_missing": "missing", "share_missing": "share", "commonest_share": "its share"}
    guesses, is_grouped = reading.attributes is None, columns.groups is not None
    reasons = left_out(table, columns.attributes, columns.sequence, columns.groups) if guesses else {}
    inputs = tables.without_inputs(columns, reasons)
    of_inputs = table.encode(inputs)
    stamps = identifying_times(of_inputs)
    times = [attribute.name for attribute in of_inputs.attributes if are_times(attribute.categories)]
    shared.say(inputs_sentence(tables.without_inputs(inputs, stamps), times))
    for name in stamps:
        shared.say(f"treecrf fit uses {name!r} for derived inputs alone: its time stamps identify the rows.")
    for name, reason in reasons.items():
        shared.say(f"treecrf fit leaves out {name!r}: {reason}")
    groups = {} if is_grouped else likely_groups(table, columns.attributes, columns.sequence)
    for role, names in (("time", likely_times(table, columns.attributes, columns.sequence)), ("group", groups)):
        if names:
            _say_likely(role, names)
    shared.say()
    _show_labels(data, columns.label)
    if columns.numbers:
        shared.show_table(number_counts(data).rename(columns=headings), "Numbers")
    if columns.categories:
        shared.show_table(attribute_counts(table, columns.categories).rename(columns=headings), "Attributes")
    for sentence in column_warnings(table, tables.without_inputs(inputs, stamps)):
        shared.note(sentence)
    _say_fit(file, reading._replace(groups=columns.groups or next(iter(groups), None)))


def _describe_labels(file: Path, table: TypedTable, reading: tables.TableOptions) -> None:
    """A file that has nothing to label from."""
    from treecrf.readers.tables import TableColumns

    table.check_columns([name for name in (reading.sequence, reading.label, reading.groups) if name is not None])
    nothing = "no column"  # all of whose cells are missing, as a set must have one
    columns = TableColumns(reading.sequence, reading.label, (nothing,), groups=reading.groups)
    data = table.with_missing([nothing]).encode(columns)
    _say_sizes(file, table, data)
    shared.say()
    _show_labels(data, reading.label)
    shared.say(
        "There is no column to label from; add some that are known of new sequences, too, such as words or "
        "measurements, and treecrf fit trains a model."
    )


def _say_sizes(file: Path, table: TypedTable, data: SequenceSet) -> None:
    import numpy as np

    lengths = data.lengths
    shared.say(
        f"{file}: {counted(len(data), 'sequence')}, {counted(data.n_positions, 'labelled position')}, "
        f"{counted(len(table.frame), 'row')}."
    )
    shared.say(f"Lengths: {lengths.min():,} to {lengths.max():,}, median {np.median(lengths):,.10g}.")


def _show_labels(data: SequenceSet, column: str) -> None:
    from treecrf.automl.description import label_counts

    labels = label_counts(data).rename(columns={"n_positions": "positions"})
    shared.show_table(labels, f"Labels (column {column})", most=30)


def _describe_columns(
    file: Path, table: TypedTable, sequence: str | None, label: str | None, reading: tables.TableOptions
) -> None:
    """A file whose column of sequences or labels is not known: what its columns are, and may be."""
    from treecrf.automl.description import (
        column_counts,
        guess_label,
        likely_groups,
        likely_labels,
        likely_sequences,
        likely_times,
    )

    shared.say(f"{file}: {counted(len(table.frame), 'row')}, {counted(len(table), 'column')}.\n")
    headings = {"n_values": "values", "n_missing": "missing"}
    shared.show_table(column_counts(table).rename(columns=headings), "Columns")
    if len(table) == 1:
        shared.say("There is one column alone; give the field separator by --separator if there are more.")
    given = reading.groups
    others = [name for name in table if name not in (sequence, label, given)]
    times = likely_times(table, others, sequence)
    others = [name for name in others if name not in times]
    groups: Collection[str] = [given] if given is not None else ()
    if sequence is not None and given is None:
        try:
            groups = likely_groups(table, others, sequence)
        except ValueError as error:  # rows of a sequence in two places
            shared.note(str(error))
    sequences = [name for name in likely_sequences(table, label) if name not in times]
    labels = [name for name in likely_labels(table, sequence) if name not in (*times, *groups)]
    _say_likely("sequence", [sequence] if sequence is not None else sequences)
    _say_likely("label", [label] if label is not None else labels)
    _say_likely("group", groups)
    _say_likely("time", times)
    if label is None:
        guess = guess_label(table, sequence)
        label = guess if guess in labels else None
    _say_fit(
        file,
        reading._replace(sequence=sequence or "SEQUENCE", label=label or "LABEL", groups=next(iter(groups), None)),
    )
    missing = [word for word, name in (("SEQUENCE", sequence), ("LABEL", label)) if name is None]
    if missing:
        shared.say(
            f"Write {'names of columns' if len(missing) > 1 else 'the name of a column'} for {' and '.join(missing)}."
        )
    if sequence is None and not sequences:
        shared.say("A file that is one sequence needs a column with the same value in each row.")


def _say_likely(role: str, names: Collection[str]) -> None:
    shared.say(f"Likely {role} columns: {listed(names)}." if names else f"No column is likely to be a {role} column.")


def _say_fit(file: Path, reading: tables.TableOptions) -> None:
    """The line that trains on the file as it was read."""
    dialect = reading.dialect
    options = {
        "--sequence": reading.sequence,
        "--label": reading.label,
        "--attributes": ",".join(reading.attributes or ()),
        "--groups": reading.groups,
        "--kinds": ",".join(f"{name}={kind}" for name, kind in reading.kinds.items()),
        "--format": dialect.format,
        "--separator": "tab" if dialect.separator == "\t" else dialect.separator,
        "--decimal": dialect.decimal,
        "--encoding": dialect.encoding,
        "--quote": dialect.quote,
        "--na": ",".join(dialect.na),
    }
    named = [part for option, text in options.items() if text and option != f"--{text}" for part in (option, text)]
    shared.say(f"To train a model: {shlex.join(['treecrf', 'fit', str(file), '-o', 'model.npz', *named])}")


def _describe_model(file: Path, as_json: Path | None) -> None:
    import pandas as pd

    from treecrf.automl.explanation import trees_of, used_tests
    from treecrf.automl.labeller import TableLabeller

    model = TableLabeller.load(file)
    labeller, columns = model.labeller, model.columns
    if as_json is not None:
        _write_card(model, as_json)
    shared.say(f"{file}: {type(labeller).__name__}.")
    for sentence in () if model.origin is None else model.origin.sentences():
        shared.say(sentence)
    shared.say(
        f"Reads the sequences in {columns.sequence!r}, the attributes in {', '.join(map(repr, columns.attributes))}."
    )
    if columns.groups is not None:
        shared.say(f"Groups of related sequences: {columns.groups!r}.")
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
        pd.DataFrame({"setting": list(settings), "value": list(map(_setting_text, settings.values()))}), "Settings"
    )
    tests, with_trees = used_tests(model).rename(columns={"n_splits": "splits"}), trees_of(labeller)
    if len(tests) and with_trees is not None:
        forest = with_trees.forest_
        shared.say(
            f"{counted(forest.n_trees, 'tree')}, {counted(len(forest.columns), 'split')}, at most "
            f"{counted(forest.most_leaves, 'leaf', 'leaves')}.\n"
        )
        shared.show_table(tests, "Most used tests", most=15)
    if as_json is not None:
        shared.say(f"Wrote {as_json}.")


def _setting_text(value: object) -> str:
    """A setting; of labellers, whose own settings have rows of their own, the class."""
    from treecrf.models.base import Labeller

    if isinstance(value, Labeller):
        return type(value).__name__
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple) and any(isinstance(each, Labeller | float) for each in value):
        return ", ".join(map(_setting_text, value))
    return str(value)


def _write_card(model: TableLabeller, path: Path) -> None:
    """A model's origin, columns, labels and settings; settings that are no JSON values are texts."""
    import json

    from treecrf.io.files import write_text

    labeller, columns = model.labeller, model.columns
    card = {
        "class": type(labeller).__name__,
        "origin": None if model.origin is None else model.origin.described(),
        "sequence": columns.sequence,
        "groups": columns.groups,
        "label": columns.label,
        "labels": list(labeller.label_names_),
        "attributes": list(columns.attributes),
        "numbers": list(columns.numbers),
        "settings": labeller.get_params(),
    }
    write_text(json.dumps(card, indent=1, ensure_ascii=False, default=str) + "\n", path)
