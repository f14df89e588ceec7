"""Page section on training (PhD chapter 3)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from treecrf.io.files import read_json
from treecrf.io.messages import counted
from treecrf.statistics.ranking import NEAR_THE_TOP, WORSE
from treecrf_studies.framework.comparisons import compared
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.page import (
    PageContext,
    PageSection,
    StudyPage,
    by_dataset,
    choices,
    computed,
    downloads,
    figure,
    setting,
    table,
    text,
)
from treecrf_studies.framework.settings import Settings, TableDataset, TrainingSettings
from treecrf_studies.framework.tables import method_names
from treecrf_studies.methods.catalogue import IN_JAVA, OFFERED, TRAINING
from treecrf_studies.options import candidate_name, custom_candidates
from treecrf_studies.rendering.cells import DASH, cell_texts, interval_texts, number, p_text, seconds_text, signed
from treecrf_studies.rendering.parts import Note, Part, Table, code_block, listed, md, paragraph
from treecrf_studies.rendering.style import DECODER_NAMES, training_method_name
from treecrf_studies.training.choices import BETTER, CHOICE, preferred_at, with_iterations
from treecrf_studies.training.tables import notes_layout, trees_and_networks
from treecrf_studies.training.words import tell_curves, tell_seconds

INTRODUCTION = """
Accuracy is the percentage of test positions that are labelled correctly. Compare methods at the *cross-validated
choice*, because a *peak* is an optimistic upper bound.

The *cross-validated choice* has the settings, the iteration and the decoder with the best accuracy in cross-validation
on the training sequences, with {folds} folds. One training on all training sequences then serves both decoders.

The *peak* is the highest point of the test curve with these settings and this decoder. Test labels chose its iteration.

*Mean ± sd* is over {runs} trainings from perturbed starts (perturbed runs). Three trainings or more have a standard
deviation. All have the same settings, so the spread does not include variation from selecting settings. A method
without such runs shows its one training.

Marks: docs/statistics.md.{slow}
"""

DOCUMENTS_NOTE = """
Where each document is a test set in turn, accuracy is the mean over the documents. The training documents, left out in
turn, are then the folds.
"""

SLOW_NOTE = """
Stacking and methods that run in Java have {runs} perturbed runs. MALLET and SMILE choose settings and iterations by
their own cross-validation, unless the table of settings names another method.
"""

TESTS_NOTE = """
The sequence-level test decides between two methods. A method is *better* or *worse* if p < 0.05 after Holm's correction
over the pairs of the data set. Otherwise the two are *equivalent* if the uncorrected 90 % interval lies within {margin}
percentage points, and else *undecided*. A large p-value is no evidence of equality.

The test takes whole groups of related test sequences, and the trainings of each method, as independent. With fewer than
{least} such groups it takes blocks of at least {length} positions instead, and applies to these documents only. With
fewer than three trainings of a method it applies to these trainings, not to the method.

All results apply to methods trained on these training sequences. Intervals and p-values come from one standard error. A
significant difference may have a Bonferroni interval that contains 0 (docs/statistics.md).

McNemar's test takes positions as independent and compares one training of each method. It finds differences that are
not there far more often than its level allows.
"""

CHOICES = (
    "n_folds",
    "l2_regularizations",
    "memm_regularizations",
    "original_max_leaves",
    "anchors",
    "anchored_orders",
    "variances",
    "network_penalties",
    "network_hidden",
    "network_epochs",
    "neural_kinds",
    "neural_widths",
    "neural_layers",
    "neural_dropouts",
    "neural_epochs",
    "lightgbm_leaves",
    "stacking_experts",
    "stacking_iterations",
    "stacking_folds",
    "n_perturbed_runs",
    "n_perturbed_slow_runs",
    "n_timed_runs",
    "timed_methods",
    "steady_methods",
    "java_iterations",
    "borrowed_choices",
    "start_noise",
    "exact_under",
    "blocks_under",
    "block_length",
    "equivalence_margin",
    "separation_margin",
    "unseen",
    "test_every",
)
"""Settings that the papers leave open, or that methods beyond the papers need."""

INDUCTION_CHOICES = (
    "iterations_between_inductions",
    "features_per_induction",
    "true_label_threshold",
    "training_proportions",
)
"""The same of the CRF with induction."""

HIGHEST = "Highest accuracy over all settings and iterations"
CHOSEN, ESTIMATES = "Settings chosen by cross-validation", "Cross-validation estimate vs test accuracy"

PANELS = (
    "Each data set has a panel: {names}. Each method with several iterations has a line; a panel names at most eight."
)


def _slow(context: PageContext) -> str:
    """A sentence on slow methods, where there are any."""
    in_java = set(IN_JAVA) & set(context.own.values("method"))
    return SLOW_NOTE.format(runs=by_dataset(context.own, "n_perturbed_slow_runs")) if in_java else ""


def _stand_ins(context: PageContext) -> Sequence[Part]:
    """What data sets that are stand-ins stand in for."""
    folder = context.results / "data"
    texts = {name: read_json(folder / name / "description.json")["stand_in"] for name in context.datasets}
    return listed(
        md("**{name} is a stand-in**: {text}", name=name, text=stands_for)
        for name, stands_for in texts.items()
        if stands_for
    )


def _not_run(notes: pd.DataFrame) -> Sequence[Part]:
    """Which methods were not run, on which data sets, and why."""
    rows = notes_layout(notes).itertuples(index=False, name=None)
    item = "**{method} was not run on {names}**: {reason}"
    return listed(md(item, names=names, method=method, reason=reason) for names, method, reason in rows)


def _all_pairs(context: PageContext) -> dict[str, str]:
    """The tables of every pair of methods."""
    decoders = context.own.values("decoder")
    tests = {f"tests, {DECODER_NAMES[decoder]}": f"tests_{decoder}" for decoder in decoders}
    return tests | {f"matrix of {name}": f"{name}/matrix" for name in context.datasets}


def _induction(settings: TrainingSettings) -> dict[str, object]:
    """Settings of the CRF with induction that the study does not name."""
    parameters = find_method("induced_crf", TRAINING).build(settings, {}, (0, 0)).get_params()
    return {name: parameters[name] for name in INDUCTION_CHOICES}


def _answers(context: PageContext) -> Sequence[Part]:
    frames = context.frames("summary", "comparisons", "ranks")
    return answers(context.settings, context.datasets, *frames) if frames else []


PAGE = StudyPage(
    (
        PageSection(
            "training-accuracy",
            "Accuracy of all methods",
            (
                text(
                    INTRODUCTION, DOCUMENTS_NOTE, slow=_slow, folds=setting("n_folds"), runs=setting("n_perturbed_runs")
                ),
                _stand_ins,
                figure(
                    "accuracies",
                    "Dot plot of the accuracy of every method. Each data set has a panel: {names}. The next table has "
                    "the numbers.",
                ),
                table("accuracy", "Cross-validated choice, mean ± sd", has_caption=False),
                computed(_not_run, "notes"),
                table(
                    "peaks",
                    "Peak of the test curve, first training",
                    has_caption=False,
                ),
                table("highest", HIGHEST),
                table("choices", CHOSEN, has_caption=False),
                table("estimates", ESTIMATES, has_caption=False),
                choices(CHOICES, _induction),
            ),
        ),
        PageSection(
            "training-tests",
            "Ranks and tests between methods",
            (
                text(
                    TESTS_NOTE,
                    least=setting("blocks_under"),
                    length=setting("block_length"),
                    margin=setting("equivalence_margin"),
                ),
                table("ranks", "Ranks at the cross-validated choice"),
                downloads("Every pair of methods:", _all_pairs),
                table("noise", "Variance components"),
                table("larger_accuracies", "Larger samples and second populations: accuracy"),
                table("larger", "Larger samples and second populations: tests"),
                figure("accuracy_by_size", "Line plot of accuracy by number of training sequences."),
                computed(lambda rows: listed(trees_and_networks(rows)), "larger_accuracies"),
            ),
        ),
        PageSection(
            "training-published",
            "Accuracy, published vs reproduced",
            (
                table("table_3_4", "Published and measured", "Table 3.4"),
                table("table_3_5", "Published and measured", "Table 3.5"),
            ),
            "tables 3.4 and 3.5",
        ),
        PageSection(
            "training-curves",
            "Learning curves",
            (
                figure("figure_3_1", f"Line plot of test accuracy by iteration. {PANELS}", tell_curves),
                figure("figure_3_2", f"Line plot of CPU seconds up to each iteration. {PANELS}", tell_seconds),
            ),
            "figures 3.1 and 3.2",
        ),
        PageSection(
            "training-seconds",
            "Accuracy by CPU time",
            (figure("accuracy_by_seconds", f"Line plot of test accuracy by CPU seconds. {PANELS}", tell_curves),),
            "figures 2 to 4",
        ),
        PageSection(
            "training-cost",
            "CPU seconds per iteration",
            (
                table("table_3_6", "Published and measured", "Table 3.6"),
                table("steps", "CPU seconds per iteration and of a whole training"),
            ),
            "table 3.6",
        ),
    ),
    answers=_answers,
)


_OPTIONS = {"max_leaves": "--max-leaves", "l2_regularization": "--l2", "variance": "--variance"}
"""Of ``treecrf fit``, by the settings that cross-validation chooses."""


def answers(
    settings: Settings, names: Sequence[str], summary: pd.DataFrame, comparisons: pd.DataFrame, ranks: pd.DataFrame
) -> list[Part]:
    """The answers on each data set that has several methods; frames as of
    `treecrf_studies.training.summary.make_frames_outcomes`.
    """
    parts: list[Part] = []
    for name in names:
        of_set = ranks[ranks["dataset"] == name]
        if len(of_set):
            points = summary[(summary["dataset"] == name) & (summary["decoder"] == BETTER)]
            chosen = preferred_at(with_iterations(points), CHOICE).set_index("method")
            parts += [
                _lead(of_set, comparisons),
                Table(f"Labellers on {name}, best first", groups_layout(of_set, chosen, comparisons)),
                *_advice(settings, name, of_set, chosen),
            ]
    return parts


def groups_layout(ranks: pd.DataFrame, chosen: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """The methods of one data set, their standing to the best (`treecrf.statistics.ranking.rank_methods`) and the gap
    with its interval.

    `ranks` has the best first; `chosen` the rows of the summary with the preferred decoder, by method.
    """
    rows = comparisons[(comparisons["dataset"] == ranks["dataset"].iloc[0]) & (comparisons["decoder"] == BETTER)]
    pairs = compared(rows)
    return pd.DataFrame(
        {
            "standing": ranks["standing"].astype(str).tolist(),
            "method": method_names(ranks["method"]),
            "accuracy (%)": cell_texts(ranks["value"], number),
            "minus the best (points)": cell_texts(ranks["gap_points"], signed),
            "95 %, Bonferroni": interval_texts(ranks["gap_low"], ranks["gap_high"]),
            "significantly worse than": [
                ", ".join(
                    method_names(
                        other
                        for other in ranks["method"]
                        if (pair := pairs.get((method, other))) and pair.decision == "worse"
                    )
                )
                or DASH
                for method in ranks["method"]
            ],
            "training (CPU s)": cell_texts(ranks["method"].map(chosen["cpu_seconds"]), seconds_text),
        }
    )


def fit_command(dataset: TableDataset, method: str, candidate: object, iteration: int | None) -> str:
    """The command that trains a method on all of a table, with what cross-validation chose as far as there are options
    for it.

    A `candidate` is such as ``l2_regularization=10``; anything else is no choice.
    """
    columns = ["--sequence", dataset.sequence, "--label", dataset.label]
    if dataset.attributes is not None:
        columns += ["--attributes", ",".join(dataset.attributes)]
    if dataset.groups_column is not None:
        columns += ["--groups", dataset.groups_column]
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
    rows = comparisons[(comparisons["dataset"] == dataset) & (comparisons["decoder"] == BETTER)]
    pair = compared(rows)[methods[0], methods[1]]
    ahead = f"{best} is {number(pair.points)} points ahead of {second}"
    n_others = int((ranks["standing"] != WORSE).sum()) - 1
    if n_others == 0:
        said = f"{ahead}, significantly more accurate than every other method ({second}: {p_text(pair.p_holm)})."
    elif pair.decision == "equivalent":
        said = f"{ahead}, which is equivalent."
    else:
        said = f"{ahead}, not significantly ({p_text(pair.p_holm)}). "
        said += f"No test separates {counted(n_others, 'other method')} from it."
    return paragraph("**{dataset}.** {said}", dataset=dataset, said=said)


def _advice(settings: Settings, name: str, ranks: pd.DataFrame, chosen: pd.DataFrame) -> list[Part]:
    """Which method to take, and the command that trains it where the data are a table."""
    offered = [method for method in ranks["method"] if method in OFFERED or method in settings.labellers]
    near = ranks.loc[ranks["standing"].isin(NEAR_THE_TOP), "method"]
    among = [method for method in offered if method in set(near)]
    taken = min(among, key=lambda method: chosen["cpu_seconds"][method]) if among else next(iter(offered), None)
    dataset = settings.datasets[name]
    if taken is None or not isinstance(dataset, TableDataset):
        return []
    row = chosen.loc[taken].to_dict()
    why = ", the fastest of the methods that are best, equivalent or close to the best" if len(among) > 1 else ""
    told = paragraph(
        "Recommended: {method}{why}. To train it on the whole file:", method=training_method_name(taken), why=why
    )
    return [told, Note(code_block(_way(settings, dataset, taken, row)))]


def _way(settings: Settings, dataset: TableDataset, method: str, row: Mapping[Any, Any]) -> str:
    """The command, or for a class of the user's own what to write in Python."""
    if method not in settings.labellers:
        iteration = int(row["iteration"]) if row["has_iterations"] else None
        return fit_command(dataset, method, row["candidate"], iteration)
    labeller = settings.labellers[method]
    given = f"{dataset.path!r}, sequence={dataset.sequence!r}, label={dataset.label!r}"
    if dataset.groups_column is not None:
        given += f", groups={dataset.groups_column!r}"
    return (
        "from treecrf import SequenceSet; from treecrf_studies import datasets\n"
        "from treecrf.models.custom import CustomLabeller\n\n"
        f"data = SequenceSet.concatenate(datasets.load('table', path={given}))\n"
        f"model = CustomLabeller({labeller.class_name!r}, {_chosen_settings(labeller, row['candidate'])!r}, "
        f"window={tuple(dataset.window)}).fit(data)"
    )


def _chosen_settings(labeller: Any, candidate: object) -> dict[str, Any]:
    """The settings of a class with the candidate of this name."""
    values = next((each for each in custom_candidates(labeller) if candidate_name(each) == candidate), {})
    return {**labeller.settings, **values}
