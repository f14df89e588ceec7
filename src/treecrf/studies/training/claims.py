"""Claims about training: PhD chapter 3 and ICML 2004.

Differences in accuracy are those of the settings and iteration that cross-validation chose, for which a run keeps
predictions. "CRF with feature induction" is MALLET where it was run and `InducedCRF` where not, as in table 3.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pandas as pd

from treecrf.rendering.cells import number, three_digits
from treecrf.rendering.style import training_method_name
from treecrf.studies.claims import (
    FAILS,
    HALF,
    HOLDS,
    LEANS,
    Evidence,
    Finding,
    Observation,
    Place,
    Results,
    checks,
    gather,
    judge,
)
from treecrf.studies.training.comparisons import INDUCTION, MCNEMAR, Comparison, Methods, compare, first_of
from treecrf.studies.training.tables import BASELINE

DATA_SETS = ("protein", "nettalk", "hyphen", "faq_ai_general", "faq_ai_neural", "faq_aix")
"""Those of chapter 3."""

SIGNIFICANT = 0.05
SHRINKAGE_LEVEL = 0.025
"""Level of P3.1."""

FIRST_ITERATION = 20
"""Fluctuation counts after it (P3.7)."""

NO_LOSS = 0.5
"""Points of accuracy (I3)."""

MUCH = 2.0
"""So many times larger is "much" (P3.7, P3.10, I2)."""


@checks("P3.1")
def shrinkage_is_better(results: Results) -> Finding:
    """Leaf shrinkage against leaf-limited trees, both decoders."""
    pairs: list[Comparison] = []

    def observe(place: Place) -> Iterator[Observation]:
        for decoder in ("forward_backward", "viterbi"):
            if pair := compare(results, place, "treecrf", "treecrf_original", decoder):
                pairs.append(pair)
                yield pair.observation(not pair.is_worse(SHRINKAGE_LEVEL))

    evidence = gather(DATA_SETS, observe)
    n_better = sum(pair.is_better(SHRINKAGE_LEVEL) for pair in pairs)
    n_worse = sum(pair.is_worse(SHRINKAGE_LEVEL) for pair in pairs)
    listed = "; ".join(pair.points_and_p for pair in pairs)
    counted = f"significantly better in {n_better} of {len(pairs)} comparisons and worse in {n_worse}"
    conditions = (
        Observation(counted, HOLDS if n_better >= n_worse else FAILS, f"it is {counted}"),
        Observation(listed, HOLDS if n_worse <= 1 else FAILS, f"it is worse in {n_worse}, not in at most one"),
    )
    summed_up = Evidence(conditions if pairs else (), evidence.places, evidence.absent)
    return judge(summed_up, f"{MCNEMAR}, p < {SHRINKAGE_LEVEL}")


@checks("P3.2")
def induction_does_not_differ(results: Results) -> Finding:
    """TreeCRF against feature induction where neither is better."""
    return _judge_pairs(
        results,
        ("protein", "hyphen", "faq_ai_neural", "faq_aix"),
        ("treecrf", INDUCTION),
        lambda pair: pair.observation(pair.p >= SIGNIFICANT),
        f"{MCNEMAR}, p ≥ {SIGNIFICANT}",
        Fraction(2, 4),
    )


@checks("P3.3")
def trees_beat_induction_on_ai_general(results: Results) -> Finding:
    """TreeCRF against feature induction on faq_ai_general."""
    return _judge_better(results, "faq_ai_general", ("treecrf", INDUCTION), 0.001)


@checks("P3.4")
def induction_beats_trees_on_nettalk(results: Results) -> Finding:
    """Feature induction against TreeCRF on nettalk."""
    return _judge_better(results, "nettalk", (INDUCTION, "treecrf"), SIGNIFICANT)


@checks("P3.5")
def trees_beat_the_linear_crf(results: Results) -> Finding:
    """TreeCRF against the linear CRF."""
    levels = {"protein": 0.005}
    return _judge_pairs(
        results,
        ("protein", "nettalk", "hyphen", "faq_ai_general", "faq_aix"),
        ("treecrf", BASELINE),
        lambda pair: pair.observation(pair.is_better(levels.get(pair.place.name, 0.001))),
        f"{MCNEMAR}, p < 0.001, on protein p < {levels['protein']}",
        Fraction(3, 5),
    )


@checks("P3.6")
def linear_crf_is_best_on_ai_neural(results: Results) -> Finding:
    """The linear CRF against both others on faq_ai_neural."""

    def observe(place: Place) -> list[Observation]:
        pairs = [compare(results, place, BASELINE, other) for other in ("treecrf", INDUCTION)]
        return [pair.observation(pair.is_better(SIGNIFICANT)) for pair in pairs if pair] if all(pairs) else []

    return judge(gather(("faq_ai_neural",), observe), f"{MCNEMAR}, p < {SIGNIFICANT}")


@checks("P3.7")
def induction_fluctuates(results: Results) -> Finding:
    """How much test accuracy jumps from iteration to iteration."""

    def observe(place: Place) -> Iterator[Observation]:
        curves = results.frame("training", place.name, "curves")
        if curves is None:
            return
        method = first_of(INDUCTION, curves["method"])
        induction, trees = _fluctuation(curves, method), _fluctuation(curves, "treecrf")
        if np.isnan(induction) or np.isnan(trees):
            return
        ratio = _ratio(induction, trees)
        said = (
            f"{training_method_name(method)} {number(induction, 3)}, TreeCRF {number(trees, 3)}, ratio {number(ratio)}"
        )
        yield Observation(
            f"{place.name}: {said}", HOLDS if ratio > MUCH else FAILS, f"the ratio is {number(ratio)} on {place.name}"
        )

    test = (
        f"standard deviation of the change per iteration after iteration {FIRST_ITERATION} (points), ratio > {MUCH:g}"
    )
    return judge(gather(DATA_SETS, observe), f"{test} on four of six data sets", enough=Fraction(4, 6))


@checks("P3.8")
def cost_is_linear_in_iterations(results: Results) -> Finding:
    """A straight line through TreeCRF's CPU seconds by iteration."""

    def observe(place: Place) -> Iterator[Observation]:
        curves = results.frame("training", place.name, "curves")
        curve = curves[curves["method"] == "treecrf"] if curves is not None else pd.DataFrame()
        if len(curve) > 2:
            explained = float(np.corrcoef(curve["iteration"], curve["cpu_seconds"])[0, 1] ** 2)
            said = f"R² is {number(explained, 4)} on {place.name}"
            yield Observation(said, HOLDS if explained >= 0.99 else FAILS, said)

    return judge(gather(DATA_SETS, observe), "R² of a straight line ≥ 0.99 on every data set")


@checks("P3.9")
def forward_backward_is_linear_in_length(results: Results) -> Finding:
    """The slope of forward-backward seconds by length, both logarithmic, of the two methods of figure 3.3a."""

    def observe(place: Place) -> Iterator[Observation]:
        scaling = _scaling(results, "length", "forward_backward")
        for method in ("treecrf", first_of(INDUCTION, scaling["method"])):
            rows = scaling[scaling["method"] == method].sort_values("value")
            rows = rows.iloc[len(rows) // 2 :]
            if len(rows) > 1:
                slope = _slope(np.log(rows["value"]), np.log(rows["seconds"]))
                lengths = f"lengths {rows['value'].min():g} to {rows['value'].max():g}"
                said = f"{training_method_name(method)} has slope {number(slope)} over {lengths} of {place.name}"
                yield Observation(said, HOLDS if 0.9 <= slope <= 1.1 else FAILS, said)

    return judge(
        gather(("hmm",), observe), "slope of log seconds by log length, largest half of the lengths, 0.9 to 1.1"
    )


@checks("P3.10")
def induction_grows_with_features(results: Results) -> Finding:
    """CPU seconds of an induction by number of features against those of growing trees."""
    scaling = _scaling(results, "n_features", "induction").rename(columns={"value": "size"})
    evidence = gather(("hmm",), lambda place: _growth(place, scaling, "boolean feature"))
    return judge(evidence, f"slope of seconds by number of features, induction / trees > {MUCH:g}")


@checks("I1")
def peaks_do_not_differ_on_protein(results: Results) -> Finding:
    """TreeCRF-FB, feature induction and the neural network on protein."""
    decoder = "forward_backward"

    def observe(place: Place) -> list[Observation]:
        equal = compare(results, place, "treecrf", INDUCTION, decoder)
        above = [compare(results, place, method, "neural_network", decoder) for method in ("treecrf", INDUCTION)]
        if not equal or not all(above):
            return []
        found = [pair.observation(not pair.is_worse(SIGNIFICANT)) for pair in above if pair]
        return [_with_peaks(results, equal), *found]

    test = f"{MCNEMAR} (predictions at the peaks are not kept); equal: p ≥ {SIGNIFICANT}; as accurate: not significantly worse"
    return judge(gather(("protein",), observe), test)


@checks("I2")
def induction_grows_with_the_window(results: Results) -> Finding:
    """CPU seconds of an iteration by the size of the window on protein."""

    def observe(place: Place) -> list[Observation]:
        windows = results.frame("cost", place.name, "windows")
        if windows is None:
            return []
        windows = windows.rename(columns={"window_size": "size", "seconds_per_iteration": "seconds"})
        growth = list(_growth(place, windows, "observation in the window"))
        return [_at_the_smallest(windows), *growth] if growth else []

    test = f"CPU seconds per iteration: cheaper at the smallest window; slope by window, induction / trees > {MUCH:g}"
    return judge(gather(("protein",), observe), test)


@checks("I3")
def pseudo_likelihood_starts_are_faster(results: Results) -> Finding:
    """CPU seconds to the same log likelihood with and without first iterations by the pseudo-likelihood, and accuracy."""

    def observe(place: Place) -> Iterator[Observation]:
        sampling = results.frame("cost", place.name, "sampling")
        if sampling is None:
            return
        plain = sampling.loc[sampling["option"] == "none", "accuracy"].iloc[0]
        for row in sampling[sampling["option"] == "pseudo_likelihood_iterations"].to_dict("records"):
            ratio = _ratio(row["plain_seconds_to_likelihood"], row["seconds_to_likelihood"])
            points = row["accuracy"] - plain
            said = (
                f"with {row['value']:g} of them on {place.name}, {number(ratio)} times as fast and {number(points)} points of "
                "accuracy"
            )
            degree = FAILS if ratio <= 1 else HOLDS if points > -NO_LOSS else LEANS
            yield Observation(said, degree, said)

    test = f"plain seconds / seconds to the same log likelihood > 1, and loss of accuracy < {NO_LOSS:g} points"
    return judge(gather(("protein", "nettalk", "hyphen"), observe), test)


# --- comparisons of accuracy ------------------------------------------------------------------------


def _judge_pairs(
    results: Results,
    named: tuple[str, ...],
    methods: tuple[Methods, Methods],
    observation: Callable[[Comparison], Observation],
    test: str,
    partly: Fraction = HALF,
) -> Finding:
    """The verdict on a claim about the same two methods on several data sets."""

    def observe(place: Place) -> list[Observation]:
        pair = compare(results, place, *methods)
        return [observation(pair)] if pair else []

    return judge(gather(named, observe), test, partly=partly)


def _judge_better(results: Results, named: str, methods: tuple[Methods, Methods], level: float) -> Finding:
    """The verdict on a claim that the first method is better on one data set."""

    def observation(pair: Comparison) -> Observation:
        return pair.observation(pair.is_better(level), leans=pair.points > 0)

    return _judge_pairs(results, (named,), methods, observation, f"{MCNEMAR}, p < {level:g}")


def _with_peaks(results: Results, pair: Comparison) -> Observation:
    """Whether two methods do not differ; the numbers show their peaks too."""
    summary = results.frame("training", pair.place.name, "summary")
    observation = pair.observation(pair.p >= SIGNIFICANT)
    if summary is None:
        return observation
    peaks = summary[summary["decoder"] == pair.decoder].set_index("method")["peak_accuracy"]
    texts = [
        f"{training_method_name(name)} {number(peaks[name])} %" for name in (pair.method, pair.other) if name in peaks
    ]
    return Observation(f"{observation.numbers}; peaks {', '.join(texts)}", observation.degree, observation.difference)


# --- costs ------------------------------------------------------------------------------------------


def _scaling(results: Results, axis: str, quantity: str) -> pd.DataFrame:
    """Measured seconds of a quantity above 0; without rows where nothing was measured."""
    scaling = results.table("cost", "scaling.csv")
    if scaling is None:
        return pd.DataFrame(columns=["axis", "value", "method", "quantity", "seconds"])
    return scaling[(scaling["axis"] == axis) & (scaling["quantity"] == quantity) & (scaling["seconds"] > 0)]


def _growth(place: Place, measured: pd.DataFrame, unit: str) -> Iterator[Observation]:
    """How much faster seconds rise with size for feature induction than for trees; columns method, size, seconds."""
    method = first_of(INDUCTION, measured["method"])
    slopes = []
    for name in (method, "treecrf"):
        rows = measured[measured["method"] == name]
        if len(rows) < 2:
            return
        slopes.append(_slope(rows["size"], rows["seconds"]))
    ratio = _ratio(*slopes)
    said = (
        f"on {place.name}, {three_digits(slopes[0])} s more per {unit} with {training_method_name(method)}, "
        f"{three_digits(slopes[1])} s with TreeCRF, ratio {number(ratio)}"
    )
    yield Observation(said, HOLDS if ratio > MUCH else LEANS if ratio > 1 else FAILS, said)


def _at_the_smallest(windows: pd.DataFrame) -> Observation:
    """Whether an iteration of feature induction is cheaper than one of TreeCRF at the smallest window."""
    size, method = windows["size"].min(), first_of(INDUCTION, windows["method"])
    seconds = windows[windows["size"] == size].set_index("method")["seconds"]
    said = (
        f"at window {size:g} an iteration takes {three_digits(seconds[method])} s with {training_method_name(method)} and "
        f"{three_digits(seconds['treecrf'])} s with TreeCRF"
    )
    return Observation(said, HOLDS if seconds[method] < seconds["treecrf"] else FAILS, said)


def _fluctuation(curves: pd.DataFrame, method: str) -> float:
    """Standard deviation of the change of test accuracy per iteration after `FIRST_ITERATION`; NaN for too short curves."""
    curve = curves[(curves["method"] == method) & (curves["iteration"] >= FIRST_ITERATION)].sort_values("iteration")
    changes = np.diff(curve["accuracy"]) / np.diff(curve["iteration"])
    return float(np.std(changes, ddof=1)) if len(changes) > 1 else float("nan")


def _slope(x: pd.Series, y: pd.Series) -> float:
    """Of the line of least squares."""
    return float(np.polyfit(x.to_numpy(float), y.to_numpy(float), 1)[0])


def _ratio(above: float, below: float) -> float:
    """The ratio of two measures of growth; what does not grow is infinitely slower than what does."""
    if below > 0:
        return above / below
    return float("inf") if above > 0 else 0.0
