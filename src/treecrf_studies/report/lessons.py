"""What a run of the papers' protocol shows: short answers, numbers with their intervals, each with a link to its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.io.files import read_frame
from treecrf.io.messages import counted
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.coding.methods import method_text
from treecrf_studies.ensembles.methods import BEST as RETRAINED_EXPERT
from treecrf_studies.ensembles.methods import COMBINED
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.views import NEAR, distinct_accuracies, nearness_texts, published_values
from treecrf_studies.future.tables import gains
from treecrf_studies.kernels.methods import BEST_KERNEL, BEST_TREES
from treecrf_studies.kernels.methods import method_text as kernel_method_text
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import p_text, signed, with_and
from treecrf_studies.rendering.style import method_name, ordered_training_methods, training_method_name
from treecrf_studies.training.choices import CHOICE, preferred_at

TREES, NET, BOTH = "treecrf_newton", "neural_crf", "trees_and_net"
SHOWN = {"better": "more accurate than {} on", "worse": "less accurate than {} on"}
NOT_SHOWN = {"equivalent": "Equivalent on", "undecided": "Undecided on"}

FAMILY = ("family_low", "family_high")
"""Ends of the intervals of all pairs of methods (Bonferroni)."""

UNCORRECTED = "These intervals are uncorrected."

DATA_SET, TEST_SET = "data set", "test set of the study"
"""What separates no two methods."""

KINDS = {"same": "", "second": "second population, "}
"""What is said of a sample, by its population."""

FAQ = "faq_"
"""First letters of the names of data sets that are alike."""

DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are tied."""

WIDE = 50.0
"""Points: a wider interval tells a reader nothing more."""

FEW = 3
"""So many data sets have their numbers one by one; of more the smallest and the largest is given."""


class Gap(NamedTuple):
    """Points by which a method is more accurate than another on a data set, with interval and decision."""

    dataset: str
    points: float
    low: float
    high: float
    decision: str

    @property
    def text(self) -> str:
        if self.high - self.low > WIDE:
            return f"{self.dataset} ({signed(self.points)}, with an interval over {WIDE:g} points wide)"
        return f"{self.dataset} ({signed(self.points)}, {signed(self.low)} to {signed(self.high)})"


class Pair(NamedTuple):
    """Two methods as readers see them, and the points by which the first one is more accurate: on the data sets of the
    papers, and on larger samples of the same populations.

    Without `is_averaged`, a mean over the data sets says nothing.
    """

    method: str
    other: str
    gaps: Sequence[Gap]
    larger: Sequence[Gap] = ()
    is_averaged: bool = True


class Lesson(NamedTuple):
    """An answer: what it is about, sentences, the page and anchor of its table, and the pairs of methods in it."""

    title: str
    sentences: Sequence[str]
    target: str
    pairs: Sequence[Pair] = ()


class Frames:
    """Frames of a run by study and name, those of all data sets of their own one under another."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._studies = {study.name: StudyFiles(study, settings) for study in registry()}

    def read(self, study: str, name: str) -> pd.DataFrame:
        """A frame of a study; empty without it. Data sets that repeat another one of the study are left out."""
        frames = [self.of(study, dataset, name) for dataset in self._studies[study].distinct_datasets()]
        filled = [frame for frame in frames if len(frame)]
        return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()

    def of(self, study: str, dataset: str, name: str) -> pd.DataFrame:
        """A frame of a data set; empty without it."""
        path = Path(self.settings.results, study, dataset, f"{name}.csv")
        return read_frame(path) if path.is_file() else pd.DataFrame()


def find_lessons(settings: Settings) -> list[Lesson]:
    """What the results of a run answer."""
    frames = Frames(settings)
    return [lesson for lesson in (answer(frames) for answer in LESSONS) if lesson is not None]


# --- differences ------------------------------------------------------------------------------------


def gaps(
    frame: pd.DataFrame,
    method: str,
    other: str,
    ends: Sequence[str] = ("low", "high"),
) -> list[Gap]:
    """`method` minus `other` on each data set of a frame of comparisons, with the interval whose ends are named."""
    if frame.empty:
        return []
    rows = facing(frame, method).sort_index()
    names = ["dataset", "value", *ends, "decision"]
    return [Gap(*row) for row in rows.loc[rows["other"] == other, names].itertuples(index=False)]


def difference(
    method: str, other: str, found: Sequence[Gap], is_averaged: bool = True, unit: str = DATA_SET
) -> list[str]:
    """Gaps in sentences: where `method` is more or less accurate than `other`, where nothing is shown, and the mean;
    none without a gap.

    `unit` is `DATA_SET` or `TEST_SET`.
    """
    if not found:
        return []
    by_decision = {name: [gap for gap in found if gap.decision == name] for name in (*SHOWN, *NOT_SHOWN)}
    shown = [f"{SHOWN[name].format(other)} {_named(by_decision[name])}" for name in SHOWN if by_decision[name]]
    sentences = [f"{method} is {with_and(shown)}." if shown else f"No {unit} separates {method} from {other}."]
    sentences += [f"{NOT_SHOWN[name]} {_named(by_decision[name])}." for name in NOT_SHOWN if by_decision[name]]
    if is_averaged and len(found) > FEW:
        sentences.append(_mean(found))
    return sentences


def _mean(found: Sequence[Gap]) -> str:
    """The mean over data sets, and that without FAQ sets, which are alike."""
    rest = [gap for gap in found if not gap.dataset.startswith(FAQ)]
    n_faq = len(found) - len(rest)
    if not (n_faq and rest):
        return f"Mean over {len(found)} data sets: {_mean_text(found)}."
    return f"Mean over {len(found)} data sets ({counted(n_faq, 'FAQ set')}): {_mean_text(found)}; without FAQ sets {_mean_text(rest)}."


def _mean_text(found: Sequence[Gap]) -> str:
    mean, (low, high) = mean_with_interval(pd.Series([gap.points for gap in found]))
    return f"{signed(mean)} ({signed(low)} to {signed(high)})" if len(found) > 1 else signed(mean)


def _named(found: Sequence[Gap]) -> str:
    """Data sets with their numbers; of more than `FEW`, their number and the ends."""
    if len(found) <= FEW:
        return with_and(gap.text for gap in found)
    ordered = sorted(found, key=lambda gap: gap.points)
    return f"{len(found)} data sets, from {ordered[0].text} to {ordered[-1].text}"


def _told(*pairs: Pair, unit: str = DATA_SET) -> list[str]:
    """`difference` of all pairs."""
    return [text for pair in pairs for text in difference(*pair[:3], is_averaged=pair.is_averaged, unit=unit)]


def _training_pair(frames: Frames, method: str, other: str) -> Pair:
    """Two methods of the study of training, with their preferred decoders."""
    frame = frames.read("training", "comparisons")
    frame = frame[frame["decoder"] == "better"] if len(frame) else frame
    larger = frames.read("training", "larger_comparisons")
    if len(larger):
        larger = larger[larger["population"] == "same"].drop(columns="dataset").rename(columns={"sample": "dataset"})
    names = training_method_name(method), training_method_name(other)
    return Pair(*names, gaps(frame, method, other, FAMILY), gaps(larger, method, other, FAMILY))


def _on_larger_samples(frames: Frames, method: str, other: str) -> list[str]:
    """The larger samples and second populations that separate two methods; nothing where none has both."""
    frame = frames.read("training", "larger_comparisons")
    if frame.empty:
        return []
    rows = facing(frame, method).sort_index()
    rows = rows[rows["other"] == other]
    shown = [
        f"{row['sample']} ({KINDS[row['population']]}{signed(row['value'])}, {p_text(row['p_holm'])})"
        for row in rows[rows["decision"].isin(list(SHOWN))].to_dict("records")
    ]
    if not shown:
        return [f"None of {counted(len(rows), 'larger sample')} separates them."] if len(rows) else []
    return [f"Larger samples that separate them ({len(shown)} of {len(rows)}): {with_and(shown)}."]


# --- answers ----------------------------------------------------------------------------------------


def nets(frames: Frames) -> Lesson | None:
    """A neural CRF against trees, where the study of training has it; else in that of kernels, against the best
    TreeCRF.
    """
    if lesson := _asked("Trees vs nets", "chapter-3.md#training-accuracy", (NET, TREES))(frames):
        return lesson
    pair = _kernel_pair(frames, NET, BEST_TREES)
    sentences = _told(pair)
    if any(gap.dataset == "ocr" for gap in pair.gaps):
        sentences.append("On ocr, networks see the letters of a word as pictures, and trees the pixels of one letter.")
    return _lesson("Trees vs nets", sentences, "uai-2004.md#kernels-tests", [pair], is_family=False)


def kernels(frames: Frames) -> Lesson | None:
    """Conjunctions of inputs in kernels, and kernels against trees (UAI 2004)."""
    pairs = [_kernel_pair(frames, *pair) for pair in (("degree_2", "degree_1"), (BEST_TREES, BEST_KERNEL))]
    return _lesson("Kernels", _told(*pairs), "uai-2004.md#kernels-tests", pairs, is_family=False)


def _kernel_pair(frames: Frames, method: str, other: str) -> Pair:
    found = gaps(frames.read("kernels", "comparisons"), method, other)
    return Pair(kernel_method_text(method), kernel_method_text(other), found)


def ensembles(frames: Frames) -> Lesson | None:
    """ESPBoost against the best expert, and what part B's labels are worth to that expert (ESPBoost 2014)."""
    frame = frames.read("ensembles", "comparisons")
    names = {"espboost": COMBINED["espboost"], RETRAINED_EXPERT: "the best expert, trained with all labels,"}
    pairs = [
        Pair(name, "the best expert of part A", gaps(frame, method, "best_expert")) for method, name in names.items()
    ]
    return _lesson("Ensembles", _told(*pairs), "espboost-2014.md#ensembles-data", pairs, is_family=False)


def missing_values(frames: Frames) -> Lesson | None:
    """Instance weighting where cells go missing completely at random (PhD chapter 4), at the highest rate."""
    frame = frames.read("missing", "comparisons")
    if not len(frame):
        return None
    rate = frame["rate"].max()
    highest = frame[(frame["rate"] == rate) & (frame["other"] == "instance_weighting")]
    pairs = [
        Pair("instance weighting", method_name(other), gaps(highest, "instance_weighting", other, FAMILY))
        for other in ("imputation", "indicator")
    ]
    title = f"Missing completely at random ({100 * rate:g} % of cells)"
    return _lesson(title, _told(*pairs), "missing-values.md#missing-advice", pairs)


def label_holes(frames: Frames) -> Lesson | None:
    """Instance weighting where cells go missing by label, against the best other treatment of each data set."""
    tests, counts = frames.read("missing", "mechanism_comparisons"), frames.read("missing", "mechanism_evaluations")
    if not (len(tests) and len(counts)):
        return None
    tests, counts = (frame[frame["mechanism"] == "label"] for frame in (tests, counts))
    tests = tests[tests["other"] == "instance_weighting"]
    others = counts[counts["method"] != "instance_weighting"]
    sums = others.groupby(["dataset", "method"], sort=False)[["n_correct", "n_positions"]].sum()
    shares = sums["n_correct"] / sums["n_positions"]
    pairs = [
        Pair("instance weighting", method_name(method), [gap])
        for dataset, method in shares.groupby("dataset", sort=False).idxmax()
        for gap in gaps(tests[tests["dataset"] == dataset], "instance_weighting", method, FAMILY)
    ]
    return _lesson("Missing by label", _told(*pairs), "missing-values.md#missing-mechanisms", pairs)


def many_labels(frames: Frames) -> Lesson | None:
    """Trees of all labels at once against the chosen cascade of codes (M.S. thesis)."""
    best, tests = frames.read("coding", "best"), frames.read("coding", "comparisons")
    if not (len(best) and len(tests)):
        return None
    cascades = best[(best["learner"] == "gtb") & (best["use"] == "cascade") & (best["window"] == 1)]
    chosen = [(row["dataset"], row["method"]) for row in cascades.to_dict("records")]
    pairs = []
    for method in ("separable", "full"):
        found = [
            gap
            for dataset, cascade in chosen
            for gap in gaps(tests[(tests["dataset"] == dataset) & (tests["window"] == 1)], method, cascade)
        ]
        pairs.append(Pair(f"with window 1, {method_text(method)}", "the chosen cascade of codes with trees", found))
    return _lesson("Many labels", _told(*pairs), "thesis.md#coding-all", pairs, is_family=False)


def future_features(frames: Frames) -> Lesson | None:
    """Discovered features of the future (PhD chapter 5)."""
    best, tests = frames.read("future", "best"), frames.read("future", "comparisons")
    if not (len(best) and len(tests)):
        return None
    found = [Gap(name, pair.points, *pair.interval, pair.decision) for name, pair in gains(best, tests).items()]
    pair = Pair("the best labeller with discovered features", "the best without", found, is_averaged=False)
    return _lesson("Future features", _told(pair), "chapter-5.md#future-orders", [pair], is_family=False)


def related_sequences(frames: Frames) -> Lesson | None:
    """What cross-validation promises where related proteins are on both sides of a split, and where they are not."""
    sentences = []
    for dataset, how in (
        ("protein_ungrouped", "related proteins on both sides"),
        ("protein", "related proteins together"),
    ):
        summary = frames.of("training", dataset, "summary")
        if not len(summary):
            return None
        rows = preferred_at(summary, CHOICE)
        rows = rows[rows["method"].isin(["treecrf", TREES, "treecrf_original", "linear_crf"])]
        promised = (rows["held_out_accuracy"] - rows["value"]).dropna()
        if promised.empty:
            return None
        sentences.append(
            f"With {how}, cross-validation promises {signed(promised.min())} to {signed(promised.max())} points more "
            f"than the test accuracy ({counted(len(promised), 'method')})."
        )
    return _lesson("Related proteins", sentences, "chapter-3.md#training-accuracy")


def tests_of_positions(frames: Frames) -> Lesson | None:
    """How many differences McNemar's test on positions finds, and how many of them a test on sequences does."""
    frame = frames.read("training", "comparisons")
    if not len(frame):
        return None
    frame = frame[frame["decoder"] == "better"]
    by_positions = frame["papers_p_holm"] < SIGNIFICANCE_LEVEL
    by_sequences = frame["decision"].isin(["better", "worse"])
    n_both = int((by_positions & by_sequences).sum())
    sentences = [
        f"Of {len(frame)} pairs of methods, McNemar's test on positions separates {int(by_positions.sum())}; a test on "
        f"sequences confirms {n_both} of these (both with Holm's correction)."
    ]
    cut, full = (_bag_accuracy(frames, name) for name in ("xor", "xor_full"))
    shared = cut.index.intersection(full.index)
    if len(shared):
        gained = cut[shared] - full[shared]
        sentences.append(
            f"On xor, cutting the last bags at the end of a sequence adds {signed(gained.min())} to "
            f"{signed(gained.max())} points ({counted(len(shared), 'method')})."
        )
    return _lesson("Choices of the papers' protocol", sentences, "chapter-3.md#training-tests")


def _bag_accuracy(frames: Frames, dataset: str) -> pd.Series:
    best = frames.of("future", dataset, "best")
    if not len(best):
        return pd.Series(dtype=np.float64)
    return best.loc[~best["method"].str.startswith("ff_")].set_index("method")["value"]


def published_accuracies(frames: Frames) -> Lesson | None:
    """How many printed accuracies a run meets, peaks beside peaks."""
    pairs = distinct_accuracies(published_values(frames.settings))
    if pairs.empty:
        return None
    met, of, apart = nearness_texts(pairs)
    low, median, high = pairs.loc[pairs["kind"] == "", "away"].quantile([0.25, 0.5, 0.75])
    sentences = [
        f"{met} are met within {NEAR:g} point: {of}.",
        f"Measured minus published is {signed(median)} in the median ({signed(low)} to {signed(high)} for the middle half).",
        *([f"Counted apart: {apart}."] if apart else []),
    ]
    return Lesson("Published accuracies", sentences, "chapter-3.md#training-published")


def highest(frames: Frames) -> Lesson | None:
    """The methods with the highest accuracy on each data set, how many a test finds worse than another, and those that
    no test finds worse.
    """
    summary, tests = frames.read("training", "summary"), frames.read("training", "comparisons")
    if not (len(summary) and len(tests)):
        return None
    chosen, tests = preferred_at(summary, CHOICE), tests[tests["decoder"] == "better"]
    accuracy = chosen["value"].round(DIGITS)
    first = chosen[accuracy == accuracy.groupby(chosen["dataset"]).transform("max")]
    names = first.groupby("dataset", sort=False)["method"].agg(_ties)
    by_names = names.index.to_series().groupby(names, sort=False).agg(list)
    shown = [f"{methods} on {with_and(datasets)}" for methods, datasets in by_names.items()]
    beaten = _beaten(tests)
    n_sets = chosen.groupby("method")["dataset"].nunique()
    safe = [str(name) for name in n_sets.index[n_sets == n_sets.max()] if name not in set(beaten["method"])]
    sentences = [f"The highest are those of {'; '.join(shown)}."]
    worse = [
        f"{(beaten['dataset'] == dataset).sum()} of {(chosen['dataset'] == dataset).sum()} on {dataset}"
        for dataset in names.index
    ]
    sentences.append(f"Methods that tests find worse than any other one, not only than the best: {with_and(worse)}.")
    if safe:
        unbeaten = with_and(training_method_name(method) for method in ordered_training_methods(safe))
        sentences.append(f"On none of {n_sets.max()} data sets does a test find a better method than {unbeaten}.")
    return _lesson("Highest accuracies", sentences, "chapter-3.md#training-accuracy")


def _ties(methods: pd.Series) -> str:
    """Methods in a sentence, and that they are equal where they are several."""
    return f"{with_and(map(training_method_name, methods))}{' (a tie)' if len(methods) > 1 else ''}"


def _beaten(tests: pd.DataFrame) -> pd.DataFrame:
    """Data set and method of each method that a test finds worse than another one, once."""
    pairs = [
        tests[tests["decision"] == word][["dataset", name]] for word, name in (("worse", "method"), ("better", "other"))
    ]
    return pd.concat([part.set_axis(["dataset", "method"], axis=1) for part in pairs]).drop_duplicates()


def seconds_of_training(frames: Frames) -> Lesson | None:
    """CPU seconds of a training up to the chosen iteration, as a multiple of TreeCRF's."""
    summary = frames.read("training", "summary")
    if not len(summary):
        return None
    chosen = preferred_at(summary, CHOICE)
    seconds = chosen.pivot_table(index="dataset", columns="method", values="cpu_seconds")
    sentences = []
    for method in ("mallet", "linear_crf"):
        if not {method, "treecrf"} <= set(seconds):
            continue
        ratios = (seconds[method] / seconds["treecrf"]).dropna()
        sentences.append(
            f"Up to the chosen iteration, {training_method_name(method)} takes {ratios.min():.2g} to "
            f"{ratios.max():.2g} times the CPU seconds of TreeCRF ({counted(len(ratios), 'data set')})."
        )
    return _lesson("CPU seconds of a training", sentences, "chapter-3.md#training-published")


def _lesson(
    title: str, sentences: Sequence[str], target: str, pairs: Sequence[Pair] = (), is_family: bool = True
) -> Lesson | None:
    """A lesson, its sentences with capital letters; None without one.

    Without `is_family` its intervals are of single pairs.
    """
    if not sentences:
        return None
    told = [*sentences, *([] if is_family else [UNCORRECTED])]
    return Lesson(title, [f"{text[0].upper()}{text[1:]}" for text in told], target, pairs)


Answer = Callable[[Frames], Lesson | None]


def _asked(title: str, target: str, *pairs: tuple[str, str]) -> Answer:
    """The answer that is the differences between pairs of methods of the study of training."""

    def answer(frames: Frames) -> Lesson | None:
        found = [_training_pair(frames, *pair) for pair in pairs]
        sentences = [
            text
            for pair, names in zip(found, pairs, strict=True)
            for text in (*_told(pair, unit=TEST_SET), *_on_larger_samples(frames, *names))
        ]
        return _lesson(title, sentences, target, found)

    return answer


LESSONS: tuple[Answer, ...] = (
    published_accuracies,
    highest,
    _asked(
        "Trees vs linear features",
        "chapter-3.md#training-published",
        (TREES, "linear_crf"),
        ("treecrf", "induced_crf"),
    ),
    _asked(
        "Features of label pairs",
        "chapter-3.md#training-accuracy",
        ("linear_crf", "linear_crf_labels"),
        ("induced_crf", "induced_crf_labels"),
    ),
    nets,
    _asked("Trees and net together", "chapter-3.md#training-accuracy", (BOTH, TREES), (BOTH, NET)),
    kernels,
    missing_values,
    label_holes,
    future_features,
    many_labels,
    ensembles,
    seconds_of_training,
    related_sequences,
    tests_of_positions,
)
