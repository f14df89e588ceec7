"""Results that give every claim of the ledger each of its verdicts."""

from itertools import zip_longest

import pandas as pd
from planted_claims import (
    CHAPTER_3,
    FB,
    GENERATED,
    IMPUTATION,
    INDICATOR,
    N_REPEATS,
    RATES,
    SURROGATES,
    VITERBI,
    WEIGHTING,
    against_others,
    plant,
    plant_accuracies,
    plant_coefficients,
    plant_comparisons,
    plant_costs,
    plant_curves,
    plant_example,
    plant_features,
    plant_flattened,
    plant_frequencies,
    plant_inductions,
    plant_lengths,
    plant_one_pair,
    plant_patterns,
    plant_ranks,
    plant_scores,
    plant_seconds,
    plant_stars,
    plant_steps,
    plant_timings,
    plant_variants,
    plant_windows,
)
from planted_coding import CODED
from planted_ensembles import COMBINED
from planted_kernels import KERNEL


def shrinkage(*outcomes):
    """Table 3.4: (points, p) of shrinkage with both decoders, data set after data set; the others are equal.

    The intervals are shorter than half of each published difference.
    """

    def plant(folder):
        given = zip(outcomes[::2], outcomes[1::2], strict=True)
        for dataset, pair in zip_longest(CHAPTER_3, given, fillvalue=(EQUAL, EQUAL)):
            rows = [("treecrf", "treecrf_original", *o, d) for o, d in zip(pair, (FB, VITERBI), strict=True)]
            plant_comparisons(folder, dataset, *rows, half_width=0.004)

    return plant


def pairs(method, other, **outcomes):
    return lambda folder: plant_one_pair(folder, method, other, outcomes)


def induction(**outcomes):
    """Table 3.5: (points, p) of TreeCRF against feature induction by data set."""
    return pairs("treecrf", "induced_crf", **outcomes)


def baseline(method, *outcomes):
    """Table 3.5: (points, p) of a method against MALLET without induction, data set after data set; our linear CRF
    would decide otherwise.
    """
    return lambda folder: [
        plant_comparisons(folder, dataset, (method, "mallet_linear", *outcome), (method, "linear_crf", -9.0, 1e-9))
        for dataset, outcome in zip(CHAPTER_3, outcomes, strict=True)
    ]


def ai_neural(*outcomes):
    """Table 3.5 on faq_ai_neural: (points, p) of TreeCRF, then feature induction, against MALLET without induction."""
    rows = ("treecrf", "mallet_linear", *outcomes[0]), ("mallet_linear", "induced_crf", *outcomes[1])
    ours = [(name, "linear_crf", 0.0, 0.9) for name in ("treecrf", "induced_crf")]
    return lambda folder: plant_comparisons(folder, "faq_ai_neural", *rows, *ours)


def ai_general(points, p):
    """P3.13: feature induction against MALLET without induction; our linear CRF would decide otherwise."""
    rows = ("induced_crf", "mallet_linear", points, p), ("induced_crf", "linear_crf", -9.0, 1e-9)
    return lambda folder: plant_comparisons(folder, "faq_ai_general", *rows)


def jumps(n_jumpy):
    return lambda folder: [
        plant_curves(folder, name, jump=0.21 if place < n_jumpy else 0.19) for place, name in enumerate(CHAPTER_3)
    ]


def straight(n_straight, half_width=0.04):
    return lambda folder: [
        plant_growth(folder, name, 0.95 if place < n_straight else 1.3, half_width)
        for place, name in enumerate(CHAPTER_3)
    ]


def plant_growth(folder, dataset, slope, half_width=0.04):
    """With which power of the iterations the seconds of TreeCRF grow; those of feature induction grow with the
    square.
    """
    rows = [("treecrf", slope, slope - half_width, slope + half_width), ("induced_crf", 2.0, 1.9, 2.1)]
    names = ["method", "seconds_slope", "seconds_slope_low", "seconds_slope_high"]
    plant(pd.DataFrame(rows, columns=names), folder, "training", dataset, "costs")


def icml(equal, above):
    """I1: (points, p) of TreeCRF against feature induction, and of both against the network, at the peaks."""
    return lambda folder: plant_comparisons(
        folder,
        "protein",
        ("treecrf", "induced_crf", *equal, FB),
        *[(name, "neural_network", *o, FB) for name, o in zip(("treecrf", "induced_crf"), above, strict=True)],
        frame="peak_comparisons",
    )


def plant_starts(folder, *measured, spread=1.0, drift=1.0):
    """I3: (times as fast, points of accuracy) of every number of first iterations by the pseudo-likelihood."""
    rows = []
    for repeat in range(N_REPEATS):
        plain, factor = 8.0 * drift**repeat, spread ** (repeat - 1)
        rows.append((repeat, "none", 1, 90.0, plain, plain))
        rows += [
            (repeat, "pseudo_likelihood_iterations", k, 90 + points, plain, plain / (ratio * factor))
            for k, (ratio, points) in enumerate(measured, 5)
        ]
    names = ["repeat", "option", "value", "accuracy", "plain_seconds_to_likelihood", "seconds_to_likelihood"]
    for dataset in ("protein", "nettalk", "hyphen"):
        plant(pd.DataFrame(rows, columns=names), folder, "cost", dataset, "sampling")


def coefficients(dataset, baseline, n_better, rates=RATES, otherwise=(-0.1, 0.05), half_width=1.0):
    outcomes = against_others(n_better, rates, baseline, otherwise)
    return lambda folder: plant_coefficients(folder, dataset, baseline, outcomes, half_width=half_width)


def scores(dataset, rate, half_width=0.3, **points):
    """Points of instance weighting, surrogate splitting, imputation and the indicator at a rate."""
    names = {"w": WEIGHTING, "s": SURROGATES, "i": IMPUTATION, "f": INDICATOR}
    return call(plant_scores, dataset, {rate: {names[key]: value for key, value in points.items()}}, half_width)


def plant_indicators(folder, n_better, half_width=0.3):
    """P4.13: the indicator is a point better than imputation on `n_better` data sets, and a point worse on the
    others.
    """
    for place, dataset in enumerate(("protein", "nettalk", "hyphen", "faq_ai_general")):
        points = 0.0 if half_width > 0.5 else 1.0 if place < n_better else -1.0
        methods = {WEIGHTING: 0.0, SURROGATES: 0.0, IMPUTATION: 0.0, INDICATOR: points}
        plant_scores(folder, dataset, dict.fromkeys(RATES, methods), half_width)


def plant_leads(folder, method, n_ahead, half_width=0.3):
    """Of the 16 cases, in `n_ahead` the method is a point better than the others; in the rest all are equal."""
    for place, dataset in enumerate(("protein", "nettalk", "hyphen", "faq_ai_general")):
        plant_cases(folder, dataset, method, n_ahead - place * len(RATES), half_width)


def plant_pairs(folder, n_ahead, half_width=0.3):
    """The same of instance weighting in the 12 cases of three data sets."""
    for place, dataset in enumerate(("protein", "nettalk", "hyphen")):
        plant_cases(folder, dataset, WEIGHTING, n_ahead - place * len(RATES), half_width)


def plant_cases(folder, dataset, method, n_ahead, half_width):
    equal = dict.fromkeys((WEIGHTING, SURROGATES, IMPUTATION, INDICATOR), 0.0)
    scores_at = {rate: equal | {method: float(place < n_ahead)} for place, rate in enumerate(RATES)}
    plant_scores(folder, dataset, scores_at, half_width)


def surrogates_on_faq(half_width=0.3, **points):
    """P4.17: the same scores at both rates."""
    scores = {WEIGHTING: 0.0, SURROGATES: 0.0, IMPUTATION: 0.0, INDICATOR: 0.0} | points
    return call(plant_scores, "faq_ai_general", dict.fromkeys((0.05, 0.2), scores), half_width)


def most(method):
    """P3.5, P3.12: a method is better than BASELINE on four data sets, three, two, or two and perhaps a third."""
    just, barely = (1.0, 0.049), (1.0, 0.05)
    return {
        "replicated": baseline(method, just, just, just, just, DOWN, DOWN),
        "partly": baseline(method, UP, UP, UP, barely, DOWN, DOWN),
        "not_replicated": baseline(method, UP, UP, DOWN, DOWN, DOWN, DOWN),
        "undecided": baseline(method, UP, UP, barely, DOWN, DOWN, DOWN),
    }


def spent(pair, datasets, *ratios, point="peak", **more):
    """CPU seconds of the first of a pair by those of the second, data set after data set."""
    return lambda folder: [
        plant_timings(folder, name, dict(zip(pair, (ratio, 1.0), strict=True)), point, **more)
        for name, ratio in zip(datasets, ratios, strict=True)
    ]


def baseline_is_faster(n_faster, spread=1.01):
    """P3.16: MALLET without induction takes less time than both others on so many data sets, and more than both on the
    rest.
    """
    return lambda folder: [
        plant_timings(folder, name, {"treecrf": seconds, "mallet": seconds, "mallet_linear": 1.0}, spread=spread)
        for place, name in enumerate(CHAPTER_3)
        for seconds in [1.1 if place < n_faster else 0.9]
    ]


def ends(*outcomes):
    """I4: (points, p) of TreeCRF against MALLET after the last iteration on the FAQ sets."""
    return lambda folder: [
        plant_comparisons(folder, name, ("treecrf", "mallet", *outcome), frame="last_comparisons")
        for name, outcome in zip(CHAPTER_3[3:], outcomes, strict=True)
    ]


def significant_in(dataset, baseline, rates, numbers):
    """A baseline is better in so many comparisons for it to be replicated, partly or not; in the others it is worse."""
    worse = {"rates": rates, "otherwise": (0.1, 0.049)}
    found = {"replicated": coefficients(dataset, baseline, numbers[0], rates)}
    found["partly"] = coefficients(dataset, baseline, numbers[1], **worse)
    found["not_replicated"] = coefficients(dataset, baseline, numbers[2], **worse)
    return found | {"undecided": coefficients(dataset, baseline, numbers[2], rates)}


def generated(method_pairs, datasets, *outcomes):
    """(points, p) of each pair on each generated set, set after set; the last outcome holds for the rest."""
    places = [(dataset, pair) for dataset in datasets for pair in method_pairs]
    filled = [*outcomes, *[outcomes[-1]] * len(places)][: len(places)]

    def plant(folder):
        for dataset in datasets:
            found = zip(places, filled, strict=True)
            plant_variants(folder, dataset, *[(*pair, *outcome) for (name, pair), outcome in found if name == dataset])

    return plant


def variants(*rows):
    return lambda folder: plant_variants(folder, "nettalk_binary", *rows)


def bags(*points):
    """Table 5.5: points that a bag of 4 is better than one of 2, by order."""
    return variants(*[(f"ff_memm_{k} (bag 4)", f"ff_memm_{k} (bag 2)", p) for k, p in enumerate(points, 1)])


def similar(memm, crf, both):
    """P5.8: points of MEMM-1 and CRF-1 against windows, and of CRF-1 against MEMM-1."""
    return variants(("memm_1", "sliding_window", memm), ("crf_1", "sliding_window", crf), ("crf_1", "memm_1", both))


def stressed(memm, crf):
    """P5.5: points of FF-MEMM-1 against both on nettalk_binary, one of them the other way round."""
    return variants(("ff_memm_1 (bag 2)", "memm_1", memm), ("crf_1", "ff_memm_1 (bag 2)", -crf))


def call(function, *arguments, **named):
    return lambda folder: function(folder, *arguments, **named)


UP, DOWN, SAME, UNKNOWN = (1.0, 1e-4), (-1.0, 1e-4), (0.2, 0.05), (0.3, float("nan"))
EQUAL, ALIKE, OPEN = (0.001, 0.05), (1.0, 0.025), (1.0, 0.9)
FOR_MALLET, FOR_TREES = ("mallet", "treecrf"), ("treecrf", "mallet")
LITTLE, LESS, ONE_DRAW = (0.1, 0.05), (0.1, 0.049), (0.1, None)
"""Of an order on XOR: not significant, significant, and of one draw."""

ORDERS = [(f"crf_{order}", "crf_1") for order in (2, 3, 4)]
ZEROTH = [("ff_memm_0 (bag 6)", other) for other in ("sliding_window", "memm_1", "crf_1", "crf_2", "crf_3", "crf_4")]
OTHERS = [name for name in GENERATED if "xor" not in name]
EITHER = [*GENERATED[::3], *OTHERS]


PLANTED = (
    {
        "P3.1": {
            "replicated": shrinkage(*[(1.0, 0.024)] * 6, (-1.0, 0.024), EQUAL),
            "partly": shrinkage(*[UP] * 6, DOWN, DOWN),
            "not_replicated": shrinkage(*[UP] * 5, (0.001, 0.025), DOWN, DOWN),
            "undecided": shrinkage(*[UP] * 5, (1.0, 0.025), (1.0, 0.025), EQUAL),
        },
        "P3.2": {
            "replicated": induction(protein=SAME, hyphen=SAME, faq_ai_neural=SAME, faq_aix=(9.0, 0.05), nettalk=UP),
            "partly": induction(protein=SAME, hyphen=SAME, faq_ai_neural=UP, faq_aix=(-0.1, 0.049)),
            "not_replicated": induction(protein=SAME, hyphen=DOWN, faq_ai_neural=UP, faq_aix=DOWN),
            "undecided": induction(protein=SAME, hyphen=DOWN, faq_ai_neural=UNKNOWN, faq_aix=UNKNOWN),
        },
        "P3.3": {
            "replicated": induction(faq_ai_general=(1.0, 0.049)),
            "not_replicated": induction(faq_ai_general=(-1.0, 0.049)),
            "undecided": induction(faq_ai_general=(1.0, 0.05)),
        },
        "P3.4": {
            "replicated": induction(nettalk=(-1.0, 0.049)),
            "not_replicated": induction(nettalk=(1.0, 0.049)),
            "undecided": induction(nettalk=(-1.0, 0.05)),
        },
        "P3.5": most("treecrf"),
        "P3.6": {
            "replicated": ai_neural(DOWN, UP),
            "partly": ai_neural(DOWN, (1.0, 0.05)),
            "not_replicated": ai_neural(UP, DOWN),
            "undecided": ai_neural(UP, (1.0, 0.05)),
        },
        "P3.7": {"replicated": jumps(4), "partly": jumps(3), "not_replicated": jumps(2)},
        "P3.8": {
            "replicated": straight(6),
            "partly": straight(3),
            "not_replicated": straight(2),
            "undecided": straight(3, half_width=0.06),
        },
        "P3.11": {
            "replicated": shrinkage(UP, UP, UP, UP, ALIKE, ALIKE, ALIKE, UP, ALIKE, UP, ALIKE, UP),
            "partly": shrinkage(UP, UP, UP, UP, (1.0, 0.024), (1.0, 0.024)),
            "not_replicated": shrinkage(*[UP] * 7, EQUAL, UP, UP),
            "undecided": shrinkage(*[UNKNOWN] * 12),
        },
        "P3.12": most("induced_crf"),
        "P3.13": {
            "replicated": ai_general(9.0, 0.05),
            "not_replicated": ai_general(0.1, 0.049),
            "undecided": ai_general(*UNKNOWN),
        },
        "P3.14": {
            "replicated": spent(FOR_MALLET, CHAPTER_3[:3], 1.75, 2.0, 2.25),
            "partly": spent(FOR_MALLET, CHAPTER_3[:3], 2.0, 2.0, 4.0),
            "not_replicated": spent(FOR_MALLET, CHAPTER_3[:3], 1.6, 2.0, 2.4),
            "undecided": spent(FOR_MALLET, CHAPTER_3[:3], 2.0, 2.0, 2.3, spread=1.1),
        },
        "P3.15": {
            "replicated": spent(FOR_TREES, CHAPTER_3[3:], 8.4, 15.0, 21.2),
            "partly": spent(FOR_TREES, CHAPTER_3[3:], 15.0, 15.0, 40.0),
            "not_replicated": spent(FOR_TREES, CHAPTER_3[3:], 7.8, 15.0, 22.6),
            "undecided": spent(FOR_TREES, CHAPTER_3[3:], 15.0, 15.0, 21.9, spread=1.1),
        },
        "P3.16": {
            "replicated": baseline_is_faster(6),
            "partly": baseline_is_faster(3),
            "not_replicated": baseline_is_faster(2),
            "undecided": baseline_is_faster(6, spread=1.1),
        },
        "P3.17": {
            "replicated": spent(FOR_TREES, CHAPTER_3[:3], 0.51, 1.0, 1.98, point="forward_backward"),
            "partly": spent(FOR_TREES, CHAPTER_3[:3], 1.0, 1.0, 2.1, point="forward_backward"),
            "not_replicated": spent(FOR_TREES, CHAPTER_3[:3], 1.0, 2.1, 0.48, point="forward_backward"),
            "undecided": spent(FOR_TREES, CHAPTER_3[:3], 1.0, 1.0, 2.0, point="forward_backward", spread=1.1),
        },
        "P3.18": {
            "replicated": spent(FOR_TREES, CHAPTER_3[3:], 10.3, 10.3, 10.3, point="forward_backward"),
            "partly": spent(FOR_TREES, CHAPTER_3[3:], 10.3, 10.3, 9.7, point="forward_backward"),
            "not_replicated": spent(FOR_TREES, CHAPTER_3[3:], 10.3, 9.7, 9.7, point="forward_backward"),
            "undecided": spent(FOR_TREES, CHAPTER_3[3:], 10.3, 10.3, 10.3, point="forward_backward", spread=1.1),
        },
        "P3.19": {
            "replicated": spent(FOR_TREES, CHAPTER_3[3:], 0.8, 1.0, 1.26, point="induction"),
            "partly": spent(FOR_TREES, CHAPTER_3[3:], 1.0, 1.0, 1.35, point="induction"),
            "not_replicated": spent(FOR_TREES, CHAPTER_3[3:], 1.0, 0.74, 1.35, point="induction"),
            "undecided": spent(FOR_TREES, CHAPTER_3[3:], 1.0, 1.0, 1.3, point="induction", spread=1.1),
        },
        "P3.20": {
            "replicated": spent(FOR_MALLET, CHAPTER_3[:3], 10.3, 10.3, 10.3, point="induction"),
            "partly": spent(FOR_MALLET, CHAPTER_3[:3], 10.3, 10.3, 9.7, point="induction"),
            "not_replicated": spent(FOR_MALLET, CHAPTER_3[:3], 10.3, 9.7, 9.7, point="induction"),
            "undecided": spent(FOR_MALLET, CHAPTER_3[:3], 10.3, 10.3, 10.3, point="induction", spread=1.1),
        },
        "P3.9": {
            "replicated": call(plant_lengths, 1.01, 1.0),
            "not_replicated": call(plant_lengths, 0.99, 1.0),
            "undecided": call(plant_lengths, 1.02, 1.0, spread=0.02),
        },
        "P3.10": {
            "replicated": call(plant_features, 1.01),
            "not_replicated": call(plant_features, 0.99),
            "undecided": call(plant_features, 1.1, spread=1.1),
        },
        "P3.21": {"no_verdict": call(plant_flattened, 1.0, 3.9)},
        "P3.23": {
            "replicated": call(plant_inductions, 1.01),
            "not_replicated": call(plant_inductions, 0.99),
            "undecided": call(plant_inductions, 1.01, spread=1.1),
        },
        "P3.22": {
            "replicated": call(plant_seconds, 1.9),
            "not_replicated": call(plant_seconds, 2.1),
            "undecided": call(plant_seconds, 1.9, spread=1.1),
        },
        "I1": {
            "replicated": icml((-0.2, 0.05), (UP, (-0.2, 0.05))),
            "partly": icml((1.0, 0.049), (UP, UP)),
            "not_replicated": icml((1.0, 0.049), (UP, (-0.3, 0.049))),
            "undecided": icml((1.0, 0.049), (UP, (-0.3, 0.05))),
        },
        "I4": {"no_verdict": ends(UP, DOWN, DOWN)},
        "I5": {"no_verdict": spent(FOR_TREES, CHAPTER_3[5:], 2.0)},
        "I3": {"no_verdict": call(plant_starts, (1.01, -0.49), (2.0, 1.0))},
        "I2": {"no_verdict": call(plant_windows, 9.0, 1.01)},
        "P4.1": significant_in("protein", WEIGHTING, RATES, (7, 6, 5)),
        "P4.2": significant_in("nettalk", WEIGHTING, RATES, (12, 8, 7)),
        "P4.3": significant_in("hyphen", WEIGHTING, (0.2, 0.4), (6, 4, 3)),
        "P4.4": significant_in("faq_ai_general", IMPUTATION, (0.1, 0.4), (6, 4, 3)),
        "P4.9": {
            "replicated": scores("hyphen", 0.05, w=0, s=1, i=0, f=0),
            "partly": scores("hyphen", 0.05, w=0, s=2, i=1, f=0),
            "not_replicated": scores("hyphen", 0.05, w=0, s=0, i=1, f=2),
            "undecided": scores("hyphen", 0.05, 0.6, w=0, s=0, i=1, f=0),
        },
        "P4.10": {
            "replicated": scores("hyphen", 0.1, w=1, s=0, i=1, f=0),
            "partly": scores("hyphen", 0.1, w=2, s=0, i=1, f=0),
            "not_replicated": scores("hyphen", 0.1, w=0, s=3, i=1, f=3),
            "undecided": scores("hyphen", 0.1, 0.6, w=0, s=0, i=0, f=0),
        },
        "P4.11": {
            "replicated": scores("faq_ai_general", 0.05, w=0, s=0, i=0, f=-1),
            "partly": scores("faq_ai_general", 0.05, w=0, s=0, i=0, f=0),
            "not_replicated": scores("faq_ai_general", 0.05, w=1, s=0, i=0, f=0),
            "undecided": scores("faq_ai_general", 0.05, 0.6, w=1, s=0, i=0, f=0),
        },
        "P4.12": {
            "replicated": scores("faq_ai_general", 0.2, w=-1, s=0, i=0, f=0),
            "partly": scores("faq_ai_general", 0.2, w=0, s=0, i=0, f=0),
            "not_replicated": scores("faq_ai_general", 0.2, w=0, s=0, i=0, f=1),
            "undecided": scores("faq_ai_general", 0.2, 0.6, w=0, s=0, i=0, f=1),
        },
        "P4.13": {
            "replicated": call(plant_indicators, 3),
            "partly": call(plant_indicators, 2),
            "not_replicated": call(plant_indicators, 1),
            "undecided": call(plant_indicators, 0, half_width=0.6),
        },
        "P4.14": {
            "replicated": call(plant_stars, 4),
            "partly": call(plant_stars, 2),
            "not_replicated": call(plant_stars, 1),
        },
        "P4.5": {"replicated": call(plant_ranks, (0, 0, 0, 0)), "not_replicated": call(plant_ranks, (0, 0, 0, 1))},
        "P4.6": {"no_verdict": call(plant_frequencies, 11)},
        "P4.7": {
            "replicated": call(plant_costs, 3),
            "partly": call(plant_costs, 2),
            "not_replicated": call(plant_costs, 1),
            "undecided": call(plant_costs, 3, n_training_sets=1),
        },
        "P4.15": {
            "replicated": call(plant_leads, WEIGHTING, 9),
            "partly": call(plant_leads, WEIGHTING, 8),
            "not_replicated": call(plant_leads, WEIGHTING, 7),
            "undecided": call(plant_leads, WEIGHTING, 7, half_width=0.6),
        },
        "P4.16": {
            "replicated": call(plant_ranks, (1, 1, 0, 0, 1, 2, 0, 0), ("nettalk", "hyphen")),
            "partly": call(plant_ranks, (1, 0, 0, 0, 2, 0, 0, 0), ("nettalk", "hyphen")),
            "not_replicated": call(plant_ranks, (1, 0, 0, 0, 0, 0, 0, 0), ("nettalk", "hyphen")),
        },
        "P4.17": {
            "replicated": surrogates_on_faq(indicator=-1.0),
            "partly": surrogates_on_faq(instance_weighting=1.0),
            "not_replicated": surrogates_on_faq(instance_weighting=1.0, imputation=1.0),
            "undecided": surrogates_on_faq(0.6),
        },
        "P4.18": {
            "replicated": call(plant_pairs, 7),
            "partly": call(plant_pairs, 6),
            "not_replicated": call(plant_pairs, 5),
            "undecided": call(plant_pairs, 5, half_width=0.6),
        },
        "P4.19": {
            "replicated": call(plant_leads, INDICATOR, 1),
            "partly": call(plant_leads, WEIGHTING, 4),
            "not_replicated": call(plant_leads, WEIGHTING, 5),
            "undecided": call(plant_leads, WEIGHTING, 4, half_width=0.6),
        },
        "P4.8": {"replicated": call(plant_accuracies, 3), "not_replicated": call(plant_accuracies, 2)},
        "P5.1": {
            "checked": call(plant_example, "l2", "l3", "l1"),
            "partly": call(plant_example, "l2", "l3", "l2"),
            "not_replicated": call(plant_example, "l1", "l3", "l2"),
        },
        "P5.2": {
            "replicated": generated(ZEROTH, GENERATED, UP),
            "partly": generated(ZEROTH, GENERATED, *[UP] * 18, DOWN),
            "not_replicated": generated(ZEROTH, GENERATED, *[UP] * 17, DOWN),
            "undecided": generated(ZEROTH, GENERATED, *[UP] * 17, OPEN),
        },
        "P5.3": {
            "replicated": generated(ORDERS, EITHER, LITTLE),
            "partly": generated(ORDERS, EITHER, *[LITTLE] * 3, LESS),
            "not_replicated": generated(ORDERS, EITHER, *[LITTLE] * 2, LESS),
            "undecided": generated(ORDERS, EITHER, *[LITTLE] * 2, ONE_DRAW),
        },
        "P5.13": {
            "replicated": generated(ORDERS, OTHERS, UP),
            "partly": generated(ORDERS, OTHERS, *[UP] * 6, DOWN),
            "not_replicated": generated(ORDERS, OTHERS, *[UP] * 5, DOWN),
            "undecided": generated(ORDERS, OTHERS, OPEN),
        },
        "P5.4": {
            "replicated": call(plant_patterns, 12),
            "partly": call(plant_patterns, 6),
            "not_replicated": call(plant_patterns, 5),
        },
        "P5.5": {
            "replicated": stressed(2.31, 2.31),
            "partly": stressed(2.31, 2.29),
            "not_replicated": stressed(1.7, 1.7),
            "undecided": stressed(2.29, 1.7),
        },
        "P5.6": {
            "replicated": variants(("crf_2", "crf_1", 1.0, 0.049)),
            "not_replicated": variants(("crf_2", "crf_1", -1.0, 0.049)),
            "undecided": variants(("crf_2", "crf_1", 1.0, 0.05)),
        },
        "P5.11": {
            "replicated": variants(("ff_memm_2 (bag 2)", "memm_2", 1.0, 0.049)),
            "not_replicated": variants(("ff_memm_2 (bag 2)", "memm_2", -1.0, 0.049)),
            "undecided": variants(("ff_memm_2 (bag 2)", "memm_2", 1.0, 0.05)),
        },
        "P5.12": {"no_verdict": call(plant_steps, *[2001.0] * 6)},
        "P5.7": {
            "replicated": bags(0.2, -1, -1, -1),
            "partly": bags(0.2, -1, -1, 0.21),
            "not_replicated": bags(-1, -1, 0.81, 0.81),
            "undecided": bags(-1, -1, 0.81, 0.8),
        },
        "P5.8": {
            "replicated": similar(1.69, -1.69, 0.0),
            "not_replicated": similar(1.69, 1.69, 2.31),
            "undecided": similar(1.71, 1.71, 1.71),
        },
        "P5.9": {
            "replicated": variants(("crf_2", "ff_memm_1 (bag 2)", 0.31)),
            "not_replicated": variants(("crf_2", "ff_memm_1 (bag 2)", -0.31)),
            "undecided": variants(("crf_2", "ff_memm_1 (bag 2)", 0.29)),
        },
        "P5.10": {
            "replicated": variants(("ff_memm_2 (bag 2)", "crf_2", -0.7, 0.05)),
            "not_replicated": variants(("ff_memm_2 (bag 2)", "crf_2", 0.1, 0.049)),
            "undecided": variants(("ff_memm_2 (bag 2)", "crf_2", 0.1, None)),
        },
    }
    | CODED
    | KERNEL
    | COMBINED
)
"""By claim: plants results that give it each verdict that it may have. Values sit at the thresholds."""
