"""Claims about missing values: PhD chapter 4.

Tests are the Wald tests of the binomial model of section 4.4; where a coefficient has no finite maximum, the likelihood ratio
decides. The method beyond the papers, the default direction, has no part in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from treecrf.rendering.cells import number, seconds_text
from treecrf.rendering.style import METHOD_NAMES
from treecrf.rendering.words import p_text
from treecrf.studies.claims import (
    FAILS,
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
from treecrf.studies.missing.published import missing_value_coefficients
from treecrf.studies.missing.tables import PHASES_APART

METHODS = ("instance_weighting", "surrogate_splitting", "imputation", "indicator")
"""Those of the dissertation."""

RATES = (0.05, 0.1, 0.2, 0.4)
"""Its shares of missing cells."""

SIGNIFICANT = 0.05
MODEL = f"Wald test of the deviance model, p < {SIGNIFICANT}"

FEW = 0.1
"""A feature is true on few lines if on a smaller share (P4.6)."""

N_SKEWED = 10
"""So many features at least (P4.6)."""


@checks("P4.1")
def weighting_is_nowhere_worse_on_protein(results: Results) -> Finding:
    """Instance weighting against the others on protein."""
    evidence = gather(("protein",), lambda place: _against(results, place, "instance_weighting", RATES))
    total = len(evidence.observations)
    n_better = sum(each.degree == HOLDS for each in evidence.observations)
    worse = [each.difference for each in evidence.observations if each.degree == FAILS]
    listed = "; ".join(each.numbers for each in evidence.observations)
    counted = f"significantly better in {n_better} of {total} comparisons and worse in {len(worse)}"
    conditions = (
        Observation(counted, HOLDS if 2 * n_better > total else FAILS, f"it is {counted}"),
        Observation(listed, FAILS if worse else HOLDS, f"it is significantly worse: {'; '.join(worse)}"),
    )
    return judge(Evidence(conditions if total else (), evidence.places, evidence.absent), MODEL)


@checks("P4.2")
def weighting_is_best_on_nettalk(results: Results) -> Finding:
    """Instance weighting against the others on nettalk."""
    return _judge_better(results, "nettalk", "instance_weighting", RATES, Fraction(8, 12))


@checks("P4.3")
def weighting_is_best_on_hyphen(results: Results) -> Finding:
    """Instance weighting against the others on hyphen at the two highest rates."""
    return _judge_better(results, "hyphen", "instance_weighting", (0.2, 0.4), Fraction(4, 6))


@checks("P4.4")
def imputation_is_best_on_ai_general(results: Results) -> Finding:
    """Imputation against the others on the FAQ set."""
    return _judge_better(results, "faq_ai_general", "imputation", (0.1, 0.4), Fraction(4, 6))


@checks("P4.5")
def imputation_is_among_the_worst_on_protein(results: Results) -> Finding:
    """The rank of imputation's coefficient on protein."""

    def observe(place: Place) -> Iterator[Observation]:
        rows = _comparisons(results, place, "instance_weighting", RATES)
        for rate, group in rows.groupby("rate"):
            coefficients = {"instance_weighting": 0.0, **dict(zip(group["method"], group["coefficient"], strict=True))}
            if set(coefficients) == set(METHODS):
                n_worse = sum(value < coefficients["imputation"] for value in coefficients.values())
                said = f"at {rate:.0%} imputation ({_signed(coefficients['imputation'])}) has {n_worse} of the other three below it"
                yield Observation(said, HOLDS if n_worse <= 1 else FAILS, said)

    test = "rank of the coefficient of the deviance model, lowest or second lowest at three of four rates"
    return judge(gather(("protein",), observe), test, enough=Fraction(3, 4))


@checks("P4.6")
def faq_features_are_skewed(results: Results) -> Finding:
    """How many of the line features are true on few lines."""

    def observe(place: Place) -> Iterator[Observation]:
        frequencies = results.frame("missing", place.name, "frequencies")
        if frequencies is not None and len(frequencies):
            n_few = int((frequencies["share_true"] < FEW).sum())
            said = f"{n_few} of {len(frequencies)} features are true on < {FEW:.0%} of the lines of {place.name}"
            yield Observation(said, HOLDS if n_few >= N_SKEWED else LEANS if 2 * n_few >= N_SKEWED else FAILS, said)

    return judge(gather(("faq_ai_general",), observe), f"number of features true on < {FEW:.0%} of lines ≥ {N_SKEWED}")


@checks("P4.7")
def surrogates_cost_most(results: Results) -> Finding:
    """CPU seconds of a training with each method."""

    def observe(place: Place) -> Iterator[Observation]:
        costs = results.frame("missing", place.name, "costs")
        if costs is None:
            return
        seconds = _seconds_of_training(costs)
        if set(seconds.index) == set(METHODS):
            said = ", ".join(f"{METHOD_NAMES[name]} {seconds_text(seconds[name])} s" for name in METHODS)
            most = seconds.idxmax()
            yield Observation(
                f"{place.name}: {said}",
                HOLDS if most == "surrogate_splitting" else FAILS,
                f"{METHOD_NAMES[str(most)]} costs most on {place.name}",
            )

    named = ("protein", "nettalk", "hyphen", "faq_ai_general")
    test = "mean CPU seconds of a training run over the rates, largest on three of four data sets"
    return judge(gather(named, observe), test, enough=Fraction(3, 4))


def _judge_better(results: Results, named: str, baseline: str, rates: Sequence[float], partly: Fraction) -> Finding:
    """The verdict on a claim that `baseline` is significantly better than each other method at each of some rates."""

    def observe(place: Place) -> list[Observation]:
        found = _against(results, place, baseline, rates)
        return [Observation(each.numbers, HOLDS if each.degree == HOLDS else FAILS, each.difference) for each in found]

    return judge(gather((named,), observe), MODEL, partly=partly)


def _against(results: Results, place: Place, baseline: str, rates: Sequence[float]) -> list[Observation]:
    """Each other method at each rate: `HOLDS` where it is significantly worse than `baseline`, `FAILS` where better."""
    published = missing_value_coefficients()
    found = []
    for row in _comparisons(results, place, baseline, rates).to_dict("records"):
        rate, method, coefficient, p = (row[name] for name in ("rate", "method", "coefficient", "p"))
        degree = LEANS if p >= SIGNIFICANT else HOLDS if coefficient < 0 else FAILS
        numbers = f"{place.name} {rate:.0%}, {METHOD_NAMES[method]} {_signed(coefficient)} ({p_text(p)}"
        known = published[
            (published["dataset"] == place.published_name)
            & (published["baseline"] == baseline)
            & (published["method"] == method)
            & np.isclose(published["missing_rate"], rate)
        ]
        said = f", {place.published(_signed(float(known['coefficient'].iloc[0])))}" if len(known) else ""
        found.append(Observation(f"{numbers})", degree, f"{numbers}{said})"))
    return found


def _comparisons(results: Results, place: Place, baseline: str, rates: Sequence[float]) -> pd.DataFrame:
    """Coefficients against `baseline` and their p-values, at `rates`, of the dissertation's methods."""
    frame = results.frame("missing", place.name, "comparisons")
    names = ["rate", "method", "coefficient", "p"]
    if frame is None:
        return pd.DataFrame(columns=names)
    at_rates = np.isclose(frame["rate"].to_numpy()[:, None], np.array(rates)).any(axis=1)
    rows = frame[at_rates & (frame["baseline"] == baseline) & frame["method"].isin(METHODS)]
    return rows.assign(p=rows["p_value"].fillna(rows["likelihood_ratio_p_value"]))[names]


def _seconds_of_training(costs: pd.DataFrame) -> pd.Series:
    """Mean CPU seconds of one training where something is missing, by the dissertation's methods."""
    training = costs[~costs["phase"].isin(PHASES_APART) & (costs["rate"] > 0) & costs["method"].isin(METHODS)]
    runs = training.groupby(["method", "rate", "training_set"])["cpu_seconds"].sum()
    return runs.groupby("method").mean()


def _signed(value: float) -> str:
    """A coefficient: three digits after the point, with a sign."""
    return ("+" if value >= 0 else "−") + number(abs(value), 3)
