"""A labeller, the columns of a table that it reads, what treats missing cells before it sees them, and its origin."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self
from zipfile import is_zipfile

import numpy as np
from numpy.typing import NDArray

from treecrf.automl.fitting import derived_only, innermost, tested_columns
from treecrf.automl.scores import METRICS, Metric
from treecrf.chain.constraints import SCHEMES
from treecrf.inputs.times import are_times
from treecrf.io.columns import Column, Vocabulary, about_marked
from treecrf.io.files import check_file, sha256
from treecrf.io.messages import counted, listed, quoted
from treecrf.io.npz import read_npz, write_npz
from treecrf.missing import Imputer, Indicator
from treecrf.missing.transforms import describe_transform, restore_transform
from treecrf.models.base import FORMAT, Labeller, Monitor
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.inputs import RARE, SPECIAL
from treecrf.models.persistence import rebuild
from treecrf.models.pipelines import TransformingLabeller
from treecrf.readers.tables import TableColumns, TypedTable
from treecrf.readers.text_files import Dialect
from treecrf.sequences import MISSING, SequenceSet
from treecrf.statistics.metrics import Accuracy

USUALLY_NEW = 0.5
"""Share of the cells that may be new where the training table has many values once, which count as one."""

LEAST_KNOWN = 20
"""Cells from which on a column without any value of the training table is taken for one that is written otherwise."""


_ADVICE = "give it the columns that the model was trained with"


@dataclass(frozen=True)
class Origin:
    """The training of a model.

    Attributes
    ----------
    date : str
        When it was trained, in UTC, to the second.
    file, digest : str
        Name of the training file and its SHA-256, or those of several after commas; the digest is empty of standard
        input and of folders.
    n_sequences, n_positions, n_groups : int
    accuracy, low, high : float or None
        Expected on new data, in percent, with the ends of the 95 % confidence interval; None where nothing was held
        out, or an interval cannot be told.
    unit : str
        What the interval takes as one: "sequence", "group" or "block".
    versions : dict of str to str
        Of treecrf, Python and NumPy.
    metric : str
        What the estimate is of (`treecrf.automl.scores.METRICS`); models without it have accuracies.
    options : dict of str to str
        Of the training, by name; models without them do not know.
    """

    date: str
    file: str
    digest: str
    n_sequences: int
    n_positions: int
    n_groups: int
    accuracy: float | None
    low: float | None
    high: float | None
    unit: str
    versions: dict[str, str]
    metric: str = "accuracy"
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        path: Path,
        data: SequenceSet,
        accuracy: Accuracy | None,
        unit: str,
        metric: str = "accuracy",
        options: Mapping[str, str] = MappingProxyType({}),
    ) -> Self:
        """Of a training that ends now."""
        points, low, high = (
            None if end is None or end != end else float(end) for end in (accuracy or (None, None, None))
        )
        return cls(
            datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00") + "Z",
            os.fsdecode(path.name),
            sha256(path) if path.is_file() else "",
            len(data),
            data.n_positions,
            len(np.unique(data.groups)),
            points,
            low,
            high,
            unit,
            {"treecrf": version("treecrf"), "python": platform.python_version(), "numpy": np.__version__},
            metric,
            dict(options),
        )

    def with_files(self, *more: Path) -> Self:
        """Of the same training, on further files, too."""
        if not more:
            return self
        digests = [self.digest, *(sha256(path) if path.is_file() else "" for path in more)]
        names = [self.file, *(os.fsdecode(path.name) for path in more)]
        return replace(self, file=", ".join(names), digest=", ".join(digests) if all(digests) else "")

    def described(self) -> dict[str, Any]:
        """As JSON values, for the header of a model file."""
        return asdict(self)

    @classmethod
    def from_described(cls, described: Mapping[str, Any]) -> Self:
        """What `described` gave; a ValueError if the parts are others, or of other types."""
        if {"metric", "options", *described} != {part.name for part in fields(cls)}:
            raise ValueError("the origin of the model has other parts")
        origin = cls(**described)
        texts = [origin.date, origin.file, origin.digest, origin.unit]
        texts += [text for by_name in (origin.versions, origin.options) for pair in by_name.items() for text in pair]
        counts = (origin.n_sequences, origin.n_positions, origin.n_groups)
        numbers = (origin.accuracy, origin.low, origin.high)
        if not (
            all(isinstance(text, str) for text in texts)
            and all(type(count) is int and count >= 0 for count in counts)
            and all(number is None or type(number) in (int, float) for number in numbers)
            and origin.metric in METRICS
        ):
            raise ValueError("the origin of the model has parts of other types")
        return origin

    def sentences(self) -> Iterator[str]:
        """What a person reads of it."""
        groups = f" in {counted(self.n_groups, 'group')}" if self.n_groups < self.n_sequences else ""
        shown = ", ".join(f"{digest[:12]}.." for digest in self.digest.split(", ") if digest)
        digest = f" (SHA-256 {shown})" if shown else ""
        yield (
            f"Trained on {self.date[:10]} at {self.date[11:16]} UTC on {quoted(self.file)}{digest}: "
            f"{counted(self.n_sequences, 'sequence')}{groups}, {counted(self.n_positions, 'position')}."
        )
        if self.accuracy is not None:
            interval = (
                ""
                if self.low is None or self.high is None
                else f" (95 % confidence interval by {self.unit}: {self.low:.1f} to {self.high:.1f} %)"
            )
            words = METRICS[self.metric]
            yield f"{words[0].upper()}{words[1:]} estimated then for new data: {self.accuracy:.1f} %{interval}."
        if self.options:
            yield f"Options: {', '.join(f'{name} {value}' for name, value in self.options.items())}."
        yield f"Versions: {', '.join(f'{name} {number}' for name, number in self.versions.items())}."


def ranges_of(data: SequenceSet) -> dict[str, list[float]]:
    """Quantiles (`QUANTILES`) of each column of numbers that has some."""
    quantiles_by_column = {}
    for name, numbers in zip(data.number_names, data.numbers.T, strict=True):
        known = numbers[~np.isnan(numbers)]
        if len(known):
            quantiles_by_column[name] = np.quantile(known, QUANTILES).tolist()
    return quantiles_by_column


@dataclass
class TableLabeller:
    """A fitted labeller that reads tables, its columns, what imputes or marks missing cells in every set, if anything,
    its origin, if it is known, the scheme whose impossible pairs of labels its predictions leave out, if any, quantiles
    of the numbers that it was trained with, and the texts that meant a missing cell in the training table.

    The command line trains, saves and loads these; ``treecrf.load`` reads the labeller alone from the same file.
    """

    labeller: Labeller
    columns: TableColumns
    missing: Imputer | Indicator | None = None
    origin: Origin | None = None
    constraints: str | None = None
    ranges: Ranges = field(default_factory=dict)
    na: tuple[str, ...] = ()

    def dialect(self, given: Dialect) -> Dialect:
        """That of a file to label, with the training table's texts for missing cells unless some are given."""
        return given if given.na else replace(given, na=self.na)

    @property
    def metric(self) -> Metric:
        """What it was chosen by, and how it decodes; models of version 0.2 decode without constraints."""
        return Metric("accuracy" if self.origin is None else self.origin.metric, self.constraints)

    def read(self, table: TypedTable, *, labelled: bool, new_labels: bool = False) -> SequenceSet:
        """What the labeller sees of a table: `encode`, then `prepare`."""
        return self.prepare(self.encode(table, labelled=labelled, new_labels=new_labels))

    def unit(self, table: TypedTable) -> str:
        """What intervals and tests take as one: a group where the table has the column of groups, else a sequence."""
        return "group" if self.columns.groups in table else "sequence"

    def sequence_names(self, table: TypedTable, data: SequenceSet) -> tuple[list[str], list[str] | None]:
        """Names of the sequences of a table, and of their groups where it has them."""
        first = data.observation_offsets[:-1]
        names = table.frame[self.columns.sequence].astype(str).to_numpy()[first].tolist()
        groups = self.columns.groups
        if groups is None or groups not in table:
            return names, None
        return names, table.frame[groups].astype(str).to_numpy()[first].tolist()

    def prepare(self, data: SequenceSet) -> SequenceSet:
        """The set with its missing cells imputed or marked, where something does that before the labeller sees it."""
        return data if self.missing is None else self.missing.transform(data)

    def complete(self, table: TypedTable, most_unknown: float = 0.0) -> TypedTable:
        """The table with the inputs that it lacks as columns of missing cells.

        A ValueError names the first one that the model asks for, unless a share `most_unknown` of 1 may be unknown.
        """
        lacking = [name for name in self.columns.attributes if name not in table]
        if most_unknown < 1:
            asked = tested_columns(self.labeller) | {*self.columns.numbers}
            advice = f"{_ADVICE}, or label without them (unknown 1)"
            table.check_columns([name for name in lacking if name in asked], advice)
        return table.with_missing(lacking) if lacking else table

    def encode(self, table: TypedTable, *, labelled: bool, new_labels: bool = False) -> SequenceSet:
        """The sequences of a table, missing cells as they are.

        Without `labelled` the column of the labels is not read, and every row is a position. Labels that the training
        table did not have are refused, or with `new_labels` come after the others in the set's label names, in the
        order of the file. A ValueError names file, line, row and column.
        """
        columns = self.columns
        needed = [columns.sequence, *([columns.label] if labelled else []), *columns.attributes]
        table.check_columns(needed, _ADVICE)
        names = tuple(self.labeller.label_names_)
        if labelled:
            codes, texts = table[columns.label].distinct
            unknown = np.flatnonzero(Vocabulary(names).places(texts) == MISSING)
            if new_labels:
                names += tuple(texts[unknown])
            elif len(unknown):
                raise table.cell_error(
                    int((codes == unknown[0]).argmax()),
                    columns.label,
                    f"the model was not trained with the label {quoted(texts[unknown[0]])} (it knows "
                    f"{listed(names, str)}); fix that label, or train with it.",
                )
        return table.encode(columns, labelled=labelled, label_names=names if labelled else None)

    def notices(self, table: TypedTable, most_unknown: float = 0.0) -> Iterator[str]:
        """Sentences on cells that are read as missing, and a table of columns that differ from those of the training
        table: columns that are not there (`complete`), values that it did not have, and numbers that are elsewhere.

        A column is named where more than a share `most_unknown` of its cells has new values. Of a column that the model
        asks for, with at least `LEAST_KNOWN` cells and no value that it knows, a ValueError names the first, or where
        the share is 1 the table the column.
        """
        table.check_columns(self.columns.attributes, _ADVICE)
        for name in self.columns.numbers:
            sentence = about_marked(table[name])
            if sentence is not None:
                yield sentence
        known = {attribute.name: attribute.categories for attribute in self.labeller.attributes_}
        asked, unused = tested_columns(self.labeller), derived_only(self.labeller)
        n_rows = len(table.frame)
        lacking = [name for name in self.columns.attributes if name not in table.frame]
        differences = [Difference(name, n_rows, n_rows, "the column is not there") for name in lacking]
        for name in self.columns.categories:
            if name in unused or are_times(tuple(known[name])):  # parts of times are seen, whatever their date
                continue
            cells, new = new_values(table[name], known[name], SPECIAL)
            has_none = new.n_cells == new.n_known >= LEAST_KNOWN and name in asked
            if has_none and most_unknown < 1:
                problem = (
                    f"the training table had none of the values of the column ({new.examples}); write them as there, "
                    "or label without them (unknown 1)."
                )
                raise table.cell_error(int(cells.argmax()), name, problem)
            usual = USUALLY_NEW if RARE in known[name] else 0.0
            if has_none or new.n_cells > max(most_unknown, usual) * new.n_known:
                differences.append(new)
        elsewhere = (
            are_elsewhere(table[name], self.ranges[name])
            for name in self.columns.numbers
            if name in self.ranges and name not in unused
        )
        differences += [each for each in elsewhere if each is not None]
        if differences:
            yield (
                f"table {table.path} differs from the training table; new values count as missing, or as rare ones, "
                f"where nothing is derived from them.\n{as_table(differences)}"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file; atomic."""
        header, arrays = self.labeller.contents()
        table = asdict(self.columns) | {"missing": describe_transform(self.missing)}
        table["origin"] = None if self.origin is None else self.origin.described()
        table["constraints"] = self.constraints
        table["na"] = list(self.na)
        table["ranges"] = {name: list(quantiles) for name, quantiles in self.ranges.items()}
        write_npz(path, header | {"table": table}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; a ValueError names the file if it is something else."""
        check_file(path, "model", "correct the path, or train one by treecrf fit")
        with open(path, "rb") as stream:
            if not is_zipfile(stream):
                raise ValueError(f"{os.fspath(path)} is no model file; the model that treecrf fit wrote comes first.")
        header, arrays = read_npz(path, FORMAT)
        if "table" not in header:
            raise ValueError(f"model {os.fspath(path)} does not say which columns it reads; train it by treecrf fit.")
        try:
            table = header["table"]
            columns = TableColumns(
                table["sequence"],
                table["label"],
                tuple(table["attributes"]),
                tuple(table["numbers"]),
                table.get("groups"),
            )
            names = (*astuple(columns)[:2], *columns.attributes, *columns.numbers, columns.groups or "")
            if not all(isinstance(name, str) for name in names):
                raise ValueError("names of columns are no text")
            missing = restore_transform(table["missing"])
            described = table.get("origin")  # version 0.2 had none
            origin = None if described is None else Origin.from_described(described)
            constraints = table.get("constraints")
            if constraints not in (None, *SCHEMES):
                raise ValueError(f"the constraints {constraints!r} are not known")
            na = tuple(table.get("na", ()))
            if not all(isinstance(text, str) for text in na):
                raise ValueError("marks of missing cells are no text")
            ranges = {str(name): [float(each) for each in of_name] for name, of_name in table.get("ranges", {}).items()}
            if any(len(of_name) != len(QUANTILES) or sorted(of_name) != of_name for of_name in ranges.values()):
                raise ValueError("the ranges of numbers are no quantiles")
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(
                f"model {os.fspath(path)} is of another version of treecrf ({quoted(str(error))}); train it again."
            ) from error
        return cls(rebuild(header, arrays, os.fspath(path)), columns, missing, origin, constraints, ranges, na)


# --- further training ------------------------------------------------------------------------------


def check_continuable(model: TableLabeller, name: str) -> TreeCRF:
    """The trees of a model, called `name` in the error; a ValueError if it is of a method that cannot go on."""
    labeller = _trained(model.labeller)
    if not isinstance(labeller, TreeCRF):
        raise ValueError(
            f"{name} is of the class {type(labeller).__name__}, whose training cannot go on; only models of one "
            "TreeCRF can (--method treecrf_newton). Train on all files instead."
        )
    return labeller


def _trained(labeller: Labeller) -> Labeller:
    return _trained(labeller.labeller_) if isinstance(labeller, TransformingLabeller) else labeller


def continue_training(
    model: TableLabeller,
    data: SequenceSet,
    n_more: int,
    path: Path,
    n_threads: int,
    monitor: Monitor | None = None,
    weights: NDArray[np.float64] | None = None,
) -> None:
    """Add iterations of boosting to a model, in place.

    Parameters
    ----------
    model : TableLabeller
        Of one TreeCRF (`check_continuable`).
    data : SequenceSet
        Labelled sequences (`TableLabeller.encode`). The further trees are grown on these alone.
    n_more : int
        Number of iterations.
    path : path
        Of the file, for the model's origin.
    n_threads : int
    monitor : callable, optional
        As of `Labeller.fit`.
    weights : float64, shape (n_positions,), optional
        What positions count.

    Notes
    -----
    Inputs, their bins and the labels stay those of the first training. On the same set the result is that of one longer
    training, to the bit.
    """
    trees = check_continuable(model, "the model")
    settings = {"n_iterations": len(trees.steps_) + n_more, "warm_start": True, "n_threads": n_threads}
    ready = model.prepare(data)
    outer = model.labeller
    while isinstance(outer, TransformingLabeller):
        ready = outer.prepare(ready)
        outer = outer.labeller_
    innermost(model.labeller).set_params(**settings)  # what a pipeline was built with, and its prediction follows
    trees.set_params(**settings)
    trees.fit(ready, sample_weight=weights, monitor=monitor)
    for each in (innermost(model.labeller), trees):
        each.set_params(warm_start=False)
    now = Origin.of(path, data, None, "sequence")
    before = model.origin
    model.origin = (
        now
        if before is None
        else replace(
            now,
            file=f"{before.file}, {now.file}",
            digest=f"{before.digest}, {now.digest}" if before.digest and now.digest else "",
            n_sequences=before.n_sequences + now.n_sequences,
            n_positions=before.n_positions + now.n_positions,
            n_groups=before.n_groups + now.n_groups,
            metric=before.metric,
            options=before.options | {"iterations": str(settings["n_iterations"])},
        )
    )
    model.ranges = {**model.ranges, **ranges_of(data)}  # the newest numbers are what the next ones are measured by


# --- how a table differs from that of the training -------------------------------------------------


QUANTILES = (0.0, 0.05, 0.5, 0.95, 1.0)
"""Of the numbers of the training table that a model keeps."""

BEYOND = 0.1
"""Share of cells outside the range of the training table from which on a column of numbers is named."""

LEAST_NUMBERS = 20
"""Of fewer numbers nothing is said."""

MOST_EXAMPLES = 3
"""Of values of a column."""

Ranges = Mapping[str, Sequence[float]]


class Difference(NamedTuple):
    """A column that differs.

    Attributes
    ----------
    column : str
    n_cells, n_known : int
        Cells that are unlike those of the training table, and those that have a value.
    examples : str
    """

    column: str
    n_cells: int
    n_known: int
    examples: str


def new_values(column: Column, known: Sequence[str], special: Sequence[str]) -> tuple[NDArray[np.bool_], Difference]:
    """The cells whose category training did not have, and their summary."""
    codes, texts = column.distinct
    new = np.flatnonzero(Vocabulary(known, tuple(special)).places(texts) == MISSING)
    cells = np.isin(codes, new)
    n_known = int((codes != MISSING).sum())
    return cells, Difference(column.name, int(cells.sum()), n_known, listed(texts[new][:MOST_EXAMPLES]))


def are_elsewhere(column: Column, quantiles: Sequence[float]) -> Difference | None:
    """Whether many numbers of a column are beyond all of the training table, or their median is beyond nearly all."""
    numbers = column.numbers[np.isfinite(column.numbers)]
    low, usual_low, _, usual_high, high = quantiles
    beyond = numbers[(numbers < low) | (numbers > high)]
    if len(numbers) < LEAST_NUMBERS or column.strange.any():  # others than numbers are an error of their own
        return None
    median = float(np.median(numbers))
    if len(beyond) <= BEYOND * len(numbers) and usual_low <= median <= usual_high:
        return None
    return Difference(
        column.name,
        len(beyond),
        len(numbers),
        f"median {median:.4g}; in training mostly {usual_low:.4g} to {usual_high:.4g}: another unit or other "
        "conditions?",
    )


def as_table(differences: Sequence[Difference]) -> str:
    """A line for each column, below a heading."""
    rows = [
        ("column", "unlike training", "examples"),
        *(
            (quoted(each.column), f"{each.n_cells:,} of {counted(each.n_known, 'cell')}", each.examples)
            for each in differences
        ),
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(2)]
    return "\n".join(f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]}" for row in rows)
