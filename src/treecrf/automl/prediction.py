"""Predicted labels as a new column of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.labeller import TableLabeller
from treecrf.chain.trellis import NoPathError
from treecrf.io.columns import Vocabulary
from treecrf.io.messages import listed, quoted
from treecrf.models.decoding import Decoder, Limits
from treecrf.readers.tables import TypedTable
from treecrf.sequences import MISSING, SequenceSet

if TYPE_CHECKING:
    from treecrf.chain.n_best import NBest


PREDICTED = "predicted"
"""Name of the column with the predicted labels."""

PATH_PROBABILITY = "path_probability"
"""Name of the column with the probability of all labels of the sequence together."""


class PredictOptions(NamedTuple):
    """What is asked of a labeller.

    Attributes
    ----------
    decoder : "forward_backward" or "viterbi", optional
        Unless given, what the metric asks for that the model was chosen by.
    probabilities : bool
        Of each label, whatever the other positions are.
    n_best : int, optional
        So many likeliest label sequences, in place of what the decoder finds.
    constraints : str, optional
        A scheme of labels (`treecrf.chain.constraints.SCHEMES`).
    lag : int, optional
        Rows after each that decide its label.
    known : str, optional
        A column with labels that are known already; its other cells are empty.
    """

    decoder: Decoder | None = None
    probabilities: bool = False
    n_best: int | None = None
    constraints: str | None = None
    lag: int | None = None
    known: str | None = None


def add_predictions(model: TableLabeller, table: TypedTable, options: PredictOptions) -> pd.DataFrame:
    """The table with the predicted label of every row as a last column; other labels than known ones are not looked at.

    Before it come, where they are asked for: a column ``P(LABEL)`` for each label; the probability of the best path
    (`PATH_PROBABILITY`), and the labels and probabilities of the others, ``predicted_2``, ``path_probability_2``, ..

    Raises
    ------
    ValueError
        If the table has a column of such a name, or a sequence has no labels within the limits; names file and row.
    """
    labels = model.labeller.label_names_
    ranks = [f"_{rank}" for rank in range(2, (options.n_best or 1) + 1)]
    added = [f"P({name})" for name in labels] if options.probabilities else []
    added += [PATH_PROBABILITY, *(name + rank for rank in ranks for name in (PREDICTED, PATH_PROBABILITY))] * bool(
        options.n_best
    )
    added.append(PREDICTED)
    taken = [name for name in added if name in table]
    if taken:
        raise ValueError(
            f"table {table.path} has a column {taken[0]!r} already, which predictions would be called; rename it."
        )
    data, frame = model.read(table, labelled=False), table.frame
    try:
        columns = _predict(model, data, options, _limits(model, table, options))
    except NoPathError as error:
        problem = f"no labelling of its sequence is left here, all are forbidden; {_ADVICE}."
        raise table.cell_error(error.position, model.columns.sequence, problem) from None
    return pd.concat([frame, pd.DataFrame({name: columns[name] for name in added}, index=frame.index)], axis=1)


_ADVICE = "correct the labels that are known, or leave the constraints out (decoder, where they are the model's)"


def _predict(
    model: TableLabeller, data: SequenceSet, options: PredictOptions, limits: Limits
) -> dict[str, NDArray[Any]]:
    """The columns by name."""
    labeller, names = model.labeller, np.array([*model.labeller.label_names_, None], dtype=object)  # -1 is the last one
    columns: dict[str, NDArray[Any]] = {}
    if options.probabilities:
        marginals = labeller.predict_proba(data, **limits)
        columns = {f"P({name})": of_label for name, of_label in zip(names[:-1], marginals.T, strict=True)}
    if options.n_best is None:
        if options.decoder is None and not limits:
            return columns | {PREDICTED: names[model.metric.predict(labeller, data)]}
        are_its_own = options.constraints is None and "constraints" in limits
        decoder = options.decoder or ("viterbi" if are_its_own else "forward_backward")
        return columns | {PREDICTED: names[labeller.predict(data, decoder, **limits)]}
    paths = cast("NBest", labeller.predict_n_best(data, options.n_best, **limits))
    for rank in range(options.n_best):
        suffix = f"_{rank + 1}" if rank else ""
        is_there = paths.labels[rank] != MISSING
        probability = np.repeat(np.exp(paths.log_probabilities[rank]), data.lengths)
        columns[PATH_PROBABILITY + suffix] = np.where(is_there, probability, np.nan)
        columns[PREDICTED + suffix] = names[paths.labels[rank]]
    return columns


def _limits(model: TableLabeller, table: TypedTable, options: PredictOptions) -> Limits:
    """The limits that are asked for, and the model's own constraints where no decoder is and nothing streams.

    Without other limits there are none of these, as the model's metric decodes.
    """
    limits, labels = Limits(), model.labeller.label_names_
    is_limited = options.n_best is not None or options.known is not None
    constraints = options.constraints
    if constraints is None and is_limited and options.decoder is None and options.lag is None:
        constraints = model.constraints
    if constraints is not None:
        limits["constraints"] = constraints
    if options.lag is not None:
        limits["lag"] = options.lag
    if options.known is not None:
        table.check_columns([options.known], "name the column with known labels by --known")
        codes, texts = table[options.known].distinct
        known = np.append(Vocabulary(labels).places(texts), MISSING)[codes]
        unknown = (known == MISSING) & (codes != MISSING)
        if unknown.any():
            row = int(unknown.argmax())
            raise table.cell_error(
                row,
                options.known,
                f"the model was not trained with the label {quoted(texts[codes[row]])} (it knows "
                f"{listed(labels, str)}); correct it, or empty the cell.",
            )
        limits["known"] = known
    return limits
