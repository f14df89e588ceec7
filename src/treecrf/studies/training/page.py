"""Page section on training (PhD chapter 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from treecrf.io.files import read_frame, read_frames, read_json
from treecrf.rendering.parts import (
    Fold,
    Part,
    Section,
    Study,
    Table,
    by_dataset,
    drawn,
    listed,
    open_choices,
    paragraph,
)
from treecrf.rendering.style import DECODER_NAMES, training_method_name
from treecrf.studies.cost.tables import sampling_layout, steps_layout, windows_layout
from treecrf.studies.methods import METHODS
from treecrf.studies.published import training_costs
from treecrf.studies.settings import Settings, TrainingSettings
from treecrf.studies.training.headline import training_headline
from treecrf.studies.training.layouts import training_layouts
from treecrf.studies.training.tables import (
    BASELINE,
    BASELINE_LEVELS,
    SHRINKAGE_LEVELS,
    SIGNIFICANCE_LEVEL,
    notes_layout,
)

INTRODUCTION = """
Percent of test positions; of data sets that are tested document by document, the mean over the documents.
<em>Choice</em>: settings, iteration and decoder with the best accuracy in cross-validation on the training sequences, with
{folds} folds, or as many training documents, one by one; then one training on all of them, which serves both decoders.
<em>Peak</em>: the best point of all test curves; it uses the test labels to choose, so it says what a method could give, not
what it would give. <em>Mean ± sd</em>: over {runs} trainings from perturbed starts (methods in Java: {java_runs});
differences smaller than this spread say nothing. A method without such runs shows its one training. Methods in Java take the settings that the same
algorithm here has chosen.
"""

OVERVIEW_NOTE = """
Accuracy of every method. Dot: the cross-validated choice, mean over the perturbed runs; bar: smallest to largest of them.
Triangle: peak of the test curve. Vertical line: published, where there is a value. A method whose triangle is far to the
right of its dot is hard to stop at the right iteration.
"""

SHRINKAGE_NOTE = """
Table 3.4. Trees with shrunken leaves beside the original best-first trees with few leaves. {stars}: McNemar's p &lt;
{levels}, on the better of the two, with positions independent, as in the dissertation. †: p &lt; {level} also in the test
clustered by test sequence, after Holm's correction over all pairs of methods. The dissertation reports the best
performance, at the iteration of the peak (section 3.5.3): set its numbers beside <em>peak</em> as well as <em>choice</em>.
"""

METHODS_NOTE = """
Table 3.5, each method with the decoder that cross-validation prefers. {stars} on a choice: differs from {baseline} with
McNemar's p &lt; {levels}. †: as above. Bold: significantly better (p &lt; {level}) of TreeCRF and MALLET, or of TreeCRF and
CRF with induction where MALLET was not run. CPU seconds of one thread, up to the chosen iteration; published: up to the
peak, on a 2.4 GHz Intel Xeon. Several splits: means, and the smallest to the largest chosen iteration. CRF with induction
is the algorithm of MALLET; it stands beside MALLET's published numbers.
"""

CLUSTERED_NOTE = """
The clustered test takes sequences as independent, not positions. Its statistic cannot exceed the number of test sequences:
with few of them, as in the FAQ sets, where a file is a sequence, its p-value cannot get small, and Holm's correction can
leave no difference significant, however large.
"""

ACCURACY_FIGURE_NOTE = """
Figure 3.1. Test accuracy by iteration with the chosen settings. Line: unperturbed training; band: smallest to largest of
all runs. Filled marker: chosen by cross-validation; hollow marker: published accuracy and iteration (table 3.5). See
whether a curve is smooth: one that jumps from iteration to iteration is hard to stop well.
"""

SECONDS_FIGURE_NOTE = """
Figure 3.2. CPU seconds of training up to each iteration, one thread. A straight line: every iteration costs the same. A
staircase: steps are inductions of features. Marker: chosen by cross-validation.
"""

STEPS_NOTE = """
Table 3.6. CPU seconds per iteration of forward-backward (inference and new values of F), and per induction of features
(one tree for each label, or one round of conjunctions); one thread. Published: a 2.4 GHz Intel Xeon, TreeCRF in C++,
MALLET in Java.
"""

SCALING_FIGURES = {
    "figure_3_3a": (
        "CPU seconds of forward-backward per iteration by sequence length, both axes logarithmic, a line for each method.",
        "Figure 3.3a. Forward-backward, per iteration, on generated sequences (section 3.5.3). A line parallel to the grey "
        "one: cost in proportion to the length.",
    ),
    "figure_3_3b": (
        "CPU seconds of one induction of features by number of features, both axes logarithmic, a line for each method.",
        "Figure 3.3b. One induction of features, by boolean features of the window. A line steeper than the grey one: cost "
        "grows faster than the number of features.",
    ),
    "figure_3_3c": (
        "Time to evaluate F at one position by sequence length, a line for each way to evaluate it.",
        "Figure 3.3c, not in the dissertation, which proposes it (section 3.5.3). Evaluating F at one position: by trees, by "
        "the same trees flattened to features and weights, and by the dot products of the CRF with induction.",
    ),
}

WINDOWS_NOTE = """
CPU seconds of one iteration by window (observations seen at each position), as the ICML 2004 paper compares; accuracy with
forward-backward decoding after the last iteration, in percent.
"""

SAMPLING_NOTE = """
Trees grown on samples of rows or of features, or without the rows of least influence (sections 3.3 and 6.2). Star: all of
them. Up: more accurate; left: cheaper; numbers: the share. Fractions: mean accuracy and median seconds over several samples.
Small differences say nothing. First iterations by the pseudo-likelihood (ICML 2004, section 3) need no forward-backward;
numbers: how many.
"""

CHOICES = (
    "n_folds",
    "l2_regularizations",
    "memm_regularizations",
    "original_max_leaves",
    "variances",
    "network_penalties",
    "network_hidden",
    "network_epochs",
    "lightgbm_leaves",
    "n_perturbed_runs",
    "start_noise",
    "exact_under",
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

NEEDED = ("summary", "curves", "costs", "comparisons", "notes")
"""Files without which a data set is not in the page."""


def training_study(settings: Settings, results: Path) -> Study | None:
    """The study of training, from the summaries of the data sets that are finished; None where there is nothing."""
    finished = [name for name in settings.training.datasets if training_is_finished(results, name)]
    folder = results / "training"
    sections, headline = [], ""
    if finished:
        frames = {file: read_frames([str(folder / name / f"{file}.csv") for name in finished]) for file in NEEDED}
        layouts = training_layouts(frames)
        headline = training_headline(frames["summary"])
        sections = [
            _accuracy(settings.training, frames, layouts, _stand_ins(results, finished), folder),
            _published(frames, layouts, folder),
            *_curves(folder, finished),
            _steps(frames["costs"], folder),
        ]
    if (folder / "windows.csv").is_file():
        sections.append(_windows(results))
    if (folder / "sampling.csv").is_file():
        sections.append(_sampling(results))
    return Study("training", "Training (chapter 3)", headline, sections) if sections else None


def training_is_finished(results: Path, name: str) -> bool:
    """Whether a data set's description and summary are there."""
    needed = [results / "training" / name / f"{file}.csv" for file in NEEDED]
    return all(path.is_file() for path in [results / "data" / name / "description.json", *needed])


# --- sections ---------------------------------------------------------------------------------------


def _accuracy(
    settings: TrainingSettings,
    frames: dict[str, pd.DataFrame],
    layouts: dict[str, pd.DataFrame],
    stand_ins: dict[str, str],
    folder: Path,
) -> Section:
    overview = paragraph(
        INTRODUCTION,
        folds=by_dataset(settings, "n_folds"),
        runs=by_dataset(settings, "n_perturbed_runs"),
        java_runs=by_dataset(settings, "n_perturbed_java_runs"),
    )
    names = ", ".join(dict.fromkeys(frames["summary"]["dataset"]))
    alt = f"Accuracy of every method, a panel for each of {names}; the table below has the numbers."
    parts: list[Part] = [
        overview,
        *listed(
            [Markup("<b>{} is a stand-in</b>: {}").format(*stand_in) for stand_in in stand_ins.items()], "stand-in"
        ),
        *drawn(folder / "accuracies.svg", alt, OVERVIEW_NOTE),
        Table(
            "Cross-validated choice, mean ± sd; the best of a data set is bold",
            layouts["accuracy"],
            _file(folder, "accuracy"),
        ),
        *listed(_not_run(frames["notes"]), "notes"),
        Fold(
            "Peaks of the test curves",
            [
                Table(
                    "Peak of the test curve, mean ± sd; the best of a data set is bold",
                    layouts["peaks"],
                    _file(folder, "peaks"),
                )
            ],
        ),
        Fold(
            "What cross-validation chose",
            [Table("What cross-validation chose", layouts["choices"], _file(folder, "choices"))],
        ),
        _choices(settings),
    ]
    return Section("training-accuracy", "Accuracy of all methods", parts)


def _published(frames: dict[str, pd.DataFrame], layouts: dict[str, pd.DataFrame], folder: Path) -> Section:
    parts: list[Part] = []
    if len(layouts["table_3_4"]):
        parts += [
            paragraph(SHRINKAGE_NOTE, level=SIGNIFICANCE_LEVEL, **_stars(SHRINKAGE_LEVELS)),
            Table("Table 3.4, published and measured", layouts["table_3_4"], _file(folder, "table_3_4")),
        ]
    if len(layouts["table_3_5"]):
        baseline = training_method_name(BASELINE)
        parts += [
            paragraph(METHODS_NOTE, level=SIGNIFICANCE_LEVEL, baseline=baseline, **_stars(BASELINE_LEVELS)),
            Table("Table 3.5, published and measured", layouts["table_3_5"], _file(folder, "table_3_5")),
        ]
    parts.append(paragraph(CLUSTERED_NOTE))
    for decoder in dict.fromkeys(frames["comparisons"]["decoder"]):
        title = f"All tests between methods, decoder: {DECODER_NAMES[decoder]}"
        name = f"tests_{decoder}"
        parts.append(Fold(title, [Table(title, layouts[name], _file(folder, name))]))
    return Section("training-tests", "Published and measured (tables 3.4 and 3.5)", parts)


def _curves(folder: Path, names: Sequence[str]) -> Iterator[Section]:
    panels = f"a panel for each of {', '.join(names)}, a line for each method"
    parts = [
        *drawn(folder / "figure_3_1.svg", f"Test accuracy by iteration: {panels}.", ACCURACY_FIGURE_NOTE),
        *drawn(folder / "figure_3_2.svg", f"CPU seconds up to each iteration: {panels}.", SECONDS_FIGURE_NOTE),
    ]
    if parts:
        yield Section("training-curves", "Learning curves (figures 3.1 and 3.2)", parts)


def _steps(costs: pd.DataFrame, folder: Path) -> Section:
    layout = steps_layout(costs, training_costs())
    parts: list[Part] = []
    if len(layout):
        table = Table("Table 3.6, published and measured", layout, _file(folder, "table_3_6"))
        parts += [paragraph(STEPS_NOTE), table]
    for name, (alt, note) in SCALING_FIGURES.items():
        parts += drawn(folder / f"{name}.svg", alt, note)
    return Section("training-cost", "What training costs (table 3.6, figure 3.3)", parts)


def _windows(results: Path) -> Section:
    layout, path = windows_layout(_measured(results, "windows")), _file(results / "training", "windows")
    table = Table("CPU seconds of one iteration and accuracy by window", layout, path)
    return Section("training-windows", "Cost by window (ICML 2004)", [paragraph(WINDOWS_NOTE), table])


def _sampling(results: Path) -> Section:
    alt = "Accuracy against CPU seconds of training, a panel for each data set, a line for each way of sampling."
    folder = results / "training"
    table = Table(
        "Sampling, trimming, pseudo-likelihood",
        sampling_layout(_measured(results, "sampling")),
        _file(folder, "sampling"),
    )
    parts = [*drawn(folder / "sampling.svg", alt, SAMPLING_NOTE), Fold("The same as a table", [table])]
    return Section("training-sampling", "Sampling, trimming, pseudo-likelihood", parts)


# --- parts ------------------------------------------------------------------------------------------


def _file(folder: Path, name: str) -> Path:
    """A table's files but for the suffix."""
    return folder / "tables" / name


def _stars(levels: Sequence[float]) -> dict[str, str]:
    """Values for the template of a note: the stars of the levels, and the levels."""
    stars = ", ".join("*" * n for n in range(1, len(levels) + 1))
    return {"stars": stars, "levels": ", ".join(f"{level:g}" for level in levels)}


def _stand_ins(results: Path, names: Iterable[str]) -> dict[str, str]:
    """What the data sets among `names` that are stand-ins stand in for."""
    texts = {name: read_json(results / "data" / name / "description.json")["stand_in"] for name in names}
    return {name: text for name, text in texts.items() if text}


def _measured(results: Path, file: str) -> pd.DataFrame:
    """Measurements on several data sets, with a column stand_in."""
    frame = read_frame(results / "training" / f"{file}.csv")
    return frame.assign(stand_in=frame["dataset"].isin(_stand_ins(results, frame["dataset"].unique())))


def _not_run(notes: pd.DataFrame) -> list[Markup]:
    """Which methods were not run, on which data sets, and why."""
    rows = notes_layout(notes).itertuples(index=False, name=None)
    item = Markup("<b>{method} was not run on {names}</b>: {reason}")
    return [item.format(names=names, method=method, reason=reason) for names, method, reason in rows]


def _choices(settings: TrainingSettings) -> Fold:
    induction = METHODS["induced_crf"].build(settings, {}, (0, 0), None).get_params()
    return open_choices(settings, CHOICES, {name: induction[name] for name in INDUCTION_CHOICES})
