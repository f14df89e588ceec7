"""What the explorer shows of a study: which of its frames has which numbers, in which columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rows:
    """Rows of a frame of the study as rows of a view of the explorer (`treecrf.studies.framework.views`).

    Attributes
    ----------
    frame : str
        Of the summary or of the jobs.
    columns : mapping of str to str
        Columns of the view: a text with columns in braces ("window {window}"), a function of the study from the frame to a
        column ("@methods.variant_names"), or else an expression of `DataFrame.eval` ("100 - error", "'viterbi'"). A column
        that has the same name in the frame needs no entry.
    where : str
        The rows that count, an expression of `DataFrame.query`; all unless given.
    through : str
        A function of the study that gives another frame, to take the rows from ("summary.reduce_windows").
    join : str
        A frame of the summary, or a function of the study, whose rows are merged on the columns that both have.
    join_frames : tuple of str
        The frames that the function is called with.
    joined : mapping of str to str
        The columns that are taken from there, under their names in the merged frame; all unless given.
    """

    frame: str
    columns: Mapping[str, str] = field(default_factory=dict)
    where: str = ""
    through: str = ""
    join: str = ""
    join_frames: tuple[str, ...] = ()
    joined: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Explored:
    """What the explorer shows of a study.

    Attributes
    ----------
    name : str
        The function from a method to its name for readers, in a module of the study or by its full name.
    test : str
        What the tests between methods permute or resample, in a sentence.
    scores : tuple of Rows
        Values of metrics; without them, accuracies are those of the runs, and seconds those of `seconds`.
    pairs : tuple of Rows
        Differences between two methods, with their tests.
    runs : tuple of Rows
        Accuracies of trainings; the mean of rows of the same run.
    seconds : tuple of Rows
        CPU seconds of trainings; the sum of rows of the same run.
    curves : tuple of Rows
        Accuracies by iteration.
    published : tuple of Rows
        Numbers of the papers and what compares with them.
    predictions : tuple of Rows
        Predicted labels.
    references : tuple of str
        Methods that are no competitors, such as a generator's own model: neither ranked nor tested.
    """

    name: str
    test: str
    scores: tuple[Rows, ...] = ()
    pairs: tuple[Rows, ...] = ()
    runs: tuple[Rows, ...] = ()
    seconds: tuple[Rows, ...] = ()
    curves: tuple[Rows, ...] = ()
    published: tuple[Rows, ...] = ()
    predictions: tuple[Rows, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def views(self) -> dict[str, tuple[Rows, ...]]:
        """The views that are made of whole frames, by name."""
        names = ("scores", "pairs", "runs", "seconds", "curves", "published")
        return {name: getattr(self, name) for name in names}

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames of the study that these views need."""
        return frames_of([rows for found in self.views.values() for rows in found])

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions of the study that all views call."""
        every = [rows for found in (*self.views.values(), self.predictions) for rows in found]
        called = [name for rows in every for name in (rows.through, rows.join, *rows.columns.values())]
        functions = [name.removeprefix("@") for name in called if name.startswith("@")]
        functions += [name for rows in every for name in (rows.through, rows.join) if "." in name]
        return tuple(dict.fromkeys([self.name, *functions]))


def frames_of(declared: Sequence[Rows]) -> tuple[str, ...]:
    """The frames of a study that rows need."""
    joined = {rows.join: () if "." in rows.join else tuple(filter(None, [rows.join])) for rows in declared}
    names = [name for rows in declared for name in (rows.frame, *rows.join_frames, *joined[rows.join])]
    return tuple(dict.fromkeys(names))


COMPARED = {"points": "accuracy_points", "low": "points_low", "high": "points_high", "p_value": "valid_p_value"}
"""Columns of pairs, from frames of comparisons."""

DRAW = "draw {seed}"
"""A run of a study with draws."""

DRAWN = {
    "metric": "'accuracy'", "value": "accuracy", "low": "accuracy_low", "high": "accuracy_high", "n_runs": "n_seeds",
}  # fmt: skip
"""Columns of scores, from the lines of a study with draws."""

OVER_DRAWS = "Differences between methods are tested by the corrected resampled t test over the draws."

OVER_DRAWS_OR_GROUPS = f"{OVER_DRAWS[:-1]}; with one draw, by a t test over groups of related test sequences."
