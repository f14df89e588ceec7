"""Answers for readers with data of their own: which labellers are best, whether the lead is real, how to train one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from treecrf.io.messages import counted
from treecrf.models.registry import TABLES
from treecrf.rendering.cells import DASH, cell_texts, interval_texts, number, seconds_text, signed
from treecrf.rendering.parts import Note, Part, Table, paragraph
from treecrf.rendering.style import training_method_name
from treecrf.rendering.words import p_text
from treecrf.statistics.ranking import NEAR_THE_TOP, WORSE
from treecrf.studies.framework.settings import Settings, TableDataset
from treecrf.studies.framework.tables import Rows, by_key, method_names
from treecrf.studies.training.comparison_tables import find_pair
from treecrf.studies.training.names import BETTER, PAIR

_OPTIONS = {"max_leaves": "--max-leaves", "l2_regularization": "--l2", "variance": "--variance"}
"""Of ``treecrf fit``, by the settings that cross-validation chooses."""


def answers(
    settings: Settings, names: Sequence[str], summary: pd.DataFrame, comparisons: pd.DataFrame, ranks: pd.DataFrame
) -> list[Part]:
    """The answers on each data set that has several methods; frames as of `treecrf.studies.training.summary.summarise_dataset`."""
    parts: list[Part] = []
    for name in names:
        of_set = ranks[ranks["dataset"] == name]
        if len(of_set):
            chosen = summary[(summary["dataset"] == name) & (summary["decoder"] == BETTER)].set_index("method")
            parts += [
                _lead(of_set, comparisons),
                Table(f"Labellers on {name}, best first", groups_layout(of_set, chosen, comparisons), is_list=True),
                *_advice(settings, name, of_set, chosen),
            ]
    return parts


def groups_layout(ranks: pd.DataFrame, chosen: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """The methods of one data set, their standing to the best (`treecrf.statistics.ranking.rank_methods`) and the gap with its interval.

    Parameters
    ----------
    ranks : DataFrame
        Of the data set, the best first.
    chosen : DataFrame
        The rows of the summary with the preferred decoder, by method.
    comparisons : DataFrame
    """
    pairs, dataset = by_key(comparisons, *PAIR), ranks["dataset"].iloc[0]
    return pd.DataFrame(
        {
            "standing": ranks["standing"].astype(str).tolist(),
            "method": method_names(ranks["method"]),
            "accuracy (%)": cell_texts(ranks["accuracy"], number),
            "minus the best (points)": cell_texts(ranks["gap_points"], signed),
            "95 %, Holm": interval_texts(ranks["gap_low"], ranks["gap_high"]),
            "significantly worse than": [
                _better_ones(pairs, dataset, method, ranks["method"]) for method in ranks["method"]
            ],
            "training (CPU s)": cell_texts(ranks["method"].map(chosen["cpu_seconds"]), seconds_text),
        }
    )


def _better_ones(pairs: Rows, dataset: str, method: str, others: Iterable[str]) -> str:
    """The methods that the sequence-level test finds better than one."""
    better = [other for other in others if find_pair(pairs, dataset, BETTER, method, other).decision == "worse"]
    return ", ".join(method_names(better)) or DASH


def fit_command(dataset: TableDataset, method: str, candidate: object, iteration: int | None) -> str:
    """The command that trains a method on all of a table, with what cross-validation chose as far as there are options for it.

    Parameters
    ----------
    dataset : TableDataset
    method : str
        One that ``treecrf fit`` offers.
    candidate : str
        Such as ``l2_regularization=10``; anything else is no choice.
    iteration : int, optional
        None for a method without iterations.
    """
    columns = ["--sequence", dataset.sequence, "--label", dataset.label]
    if dataset.attributes is not None:
        columns += ["--attributes", ",".join(dataset.attributes)]
    if dataset.kinds:
        columns += ["--kinds", ",".join(f"{name}={kind}" for name, kind in dataset.kinds.items())]
    chosen = ["--window", f"{dataset.window[0]},{dataset.window[1]}", "--method", method]
    if iteration is not None:
        chosen += ["--iterations", str(iteration)]
    for name, value in re.findall(r"(\w+)=([^,]+)", candidate if isinstance(candidate, str) else ""):
        chosen += [_OPTIONS[name], value] if name in _OPTIONS else []
    return " \\\n  ".join(map(shlex.join, (["treecrf", "fit", dataset.path, "--output", "model.npz"], columns, chosen)))


def _lead(ranks: pd.DataFrame, comparisons: pd.DataFrame) -> Note:
    """Whether the best method's lead is real."""
    dataset, methods = ranks["dataset"].iloc[0], list(ranks["method"])
    best, second = training_method_name(methods[0]), training_method_name(methods[1])
    pair = find_pair(by_key(comparisons, *PAIR), dataset, BETTER, methods[0], methods[1])
    ahead = f"{best} is {number(pair.mean_points)} points ahead of {second}"
    n_others = int((ranks["standing"] != WORSE).sum()) - 1
    if n_others == 0:
        said = f"{ahead}, significantly more accurate than every other method ({second}: {p_text(pair.valid_p_holm)})."
    elif pair.decision == "equivalent":
        said = f"{ahead}, which is equivalent."
    else:
        said = f"{ahead}, not significantly ({p_text(pair.valid_p_holm)}). "
        said += f"No test separates {counted(n_others, 'other method')} from it."
    return paragraph("<b>{dataset}.</b> {said}", dataset=dataset, said=said)


def _advice(settings: Settings, name: str, ranks: pd.DataFrame, chosen: pd.DataFrame) -> list[Part]:
    """Which method to take, and the command that trains it where the data are a table."""
    offered = [method for method in ranks["method"] if method in TABLES or method in settings.labellers]
    near = ranks.loc[ranks["standing"].isin(NEAR_THE_TOP), "method"]
    among = [method for method in offered if method in set(near)]
    taken = min(among, key=lambda method: chosen["cpu_seconds"][method]) if among else next(iter(offered), None)
    dataset = settings.datasets[name]
    if taken is None or not isinstance(dataset, TableDataset):
        return []
    row = chosen.loc[taken].to_dict()
    why = (
        ""
        if len(ranks) == 1 or not among
        else ", the fastest of the methods that are best, equivalent or close to the best"
    )
    why = "" if len(among) == 1 else why
    told = paragraph(
        "Recommended: {method}{why}. To train it on the whole file:", method=training_method_name(taken), why=why
    )
    return [told, Note(Markup("<pre><code>{}</code></pre>").format(_way(settings, dataset, taken, row)))]


def _way(settings: Settings, dataset: TableDataset, method: str, row: Mapping[Any, Any]) -> str:
    """The command, or for a class of the user's own what to write in Python."""
    if method not in settings.labellers:
        iteration = int(row["iteration"]) if max(row["iteration_high"], row["peak_iteration"]) > 1 else None
        return fit_command(dataset, method, row["candidate"], iteration)
    labeller = settings.labellers[method]
    given = f"{dataset.path!r}, sequence={dataset.sequence!r}, label={dataset.label!r}"
    return (
        "from treecrf import SequenceSet, datasets\n"
        "from treecrf.models.custom import CustomLabeller\n\n"
        f"data = SequenceSet.concatenate(datasets.load('table', path={given}))\n"
        f"model = CustomLabeller({labeller.class_name!r}, {_chosen_settings(labeller, row['candidate'])!r}, "
        f"window={tuple(dataset.window)}).fit(data)"
    )


def _chosen_settings(labeller: Any, candidate: object) -> dict[str, Any]:
    """The settings of a class with the candidate of this name."""
    from treecrf.studies.framework.custom import candidate_name, custom_candidates

    values = next((each for each in custom_candidates(labeller) if candidate_name(each) == candidate), {})
    return {**labeller.settings, **values}
