"""Small result files that claims of the ledger look at."""

import numpy as np
import pandas as pd

from treecrf.io.files import write_frame, write_json
from treecrf_studies.future.methods import NO_BAG
from treecrf_studies.missing.claims import METHODS
from treecrf_studies.missing.tables import missing_value_coefficients
from treecrf_studies.training.choices import BETTER

FB, VITERBI = "forward_backward", "viterbi"
CHAPTER_3 = ("protein", "nettalk", "hyphen", "faq_ai_general", "faq_ai_neural", "faq_aix")
RATES = (0.05, 0.1, 0.2, 0.4)
WEIGHTING, SURROGATES, IMPUTATION, INDICATOR = "instance_weighting", "surrogate_splitting", "imputation", "indicator"


def plant(frame, folder, study, dataset, name):
    """A summary of a data set of a study, with what the page says of the set."""
    place = folder / (study if study in ("future", "coding", "kernels") else "data") / dataset
    write_json({"source": dataset, "stand_in": None}, place / "description.json")
    write_frame(frame, folder / study / dataset / f"{name}.csv")


def plant_comparisons(folder, dataset, *rows, frame="comparisons", half_width=0.29, papers_p=0.5, test="sequences"):
    """Comparisons of the training study; rows (method, other, points, valid p) or with the decoder as a fifth.

    The paper's p would decide otherwise than most valid ones.
    """
    names = ["method", "other", "value", "p_value", "decoder"]
    table = pd.DataFrame([(*row, BETTER)[:5] for row in rows], columns=names).assign(
        dataset=dataset, papers_value=9.0, papers_p=papers_p, test=test
    )
    ends = {"low_90": table["value"] - half_width, "high_90": table["value"] + half_width}
    plant(table.assign(**ends), folder, "training", dataset, frame)


def plant_larger(folder, dataset, sample, *rows, half_width=0.29, n_clusters=100, test="folds"):
    """Comparisons on a larger sample of a data set; rows (method, other, points, p) or with the decoder as a fifth."""
    names = ["method", "other", "value", "p_value", "decoder"]
    table = pd.DataFrame([(*row, "forward_backward")[:5] for row in rows], columns=names).assign(
        dataset=dataset, sample=sample, test=test, n_clusters=n_clusters, n=10
    )
    ends = {"low_90": table["value"] - half_width, "high_90": table["value"] + half_width}
    plant(table.assign(**ends), folder, "training", dataset, "larger_comparisons")


def plant_one_pair(folder, method, other, outcomes):
    """One comparison on each data set; outcomes (points, p) by data set."""
    for dataset, outcome in outcomes.items():
        plant_comparisons(folder, dataset, (method, other, *outcome))


def plant_curves(folder, dataset, jump=0.1):
    """Curves of TreeCRF, rising by 0.1 or 0.3 points, and of feature induction, by `jump` more in turn."""
    iteration = np.arange(2, 61, 2)
    turn = np.arange(len(iteration)) % 2
    rise = {"treecrf": 0.1, "induced_crf": jump}
    parts = [
        pd.DataFrame({"iteration": iteration, "accuracy": 60 + step * turn, "method": method})
        for method, step in rise.items()
    ]
    wild = pd.DataFrame({"iteration": [1], "accuracy": [0.0], "method": "treecrf"})
    curves = pd.concat([wild, *parts], ignore_index=True).assign(preferred=True)
    other = curves.assign(accuracy=40 * np.arange(len(curves)) % 70, preferred=False)  # of another decoder
    plant(pd.concat([other, curves]), folder, "training", dataset, "curves")


N_REPEATS = 3
"""Of measured times: in the first a ratio is divided by the `spread` of these functions, in the last multiplied by it.
"""


def plant_lengths(folder, trees, mallet, spread=0.0, drift=1.0):
    """Forward-backward seconds by length, with these slopes; those of our own feature induction have 3.

    Slopes of TreeCRF differ by `spread` from repeat to repeat, in each of which the machine is `drift` times slower.
    """
    rows = [
        (repeat, "length", length, method, "forward_backward", drift**repeat * length**slope)
        for repeat in range(N_REPEATS)
        for method, slope in (("treecrf", trees + spread * (repeat - 1)), ("mallet", mallet), ("induced_crf", 3.0))
        for length in (10, 20, 40, 80, 160, 320, 640, 1280, 2560)
    ]
    plant_scaling(folder, [*rows, *((*row[:2], 75, row[3], "induction", 5.0) for row in rows[:1])])


def plant_features(folder, ratio, spread=1.0, drift=1.0):
    """Seconds of an induction by number of features: they grow `ratio` times as much with MALLET as with trees, from a
    thousand times as many; those of our own feature induction grow more still."""
    rows = [
        (repeat, "n_features", value, method, "induction", seconds)
        for repeat, value, method, seconds in grown((75, 125, 175, 225, 275), 1e3, ratio, spread, drift)
    ]
    plant_scaling(folder, rows)


def plant_flattened(folder, *flattened, spread=1.0):
    """P3.21: seconds of evaluating F with flattened trees, by length; with dot products they are 1, with trees 10."""
    rows = [
        (repeat, "length", length, method, "evaluation", seconds)
        for repeat in range(N_REPEATS)
        for length, flat in zip((10, 20), flattened, strict=True)
        for method, seconds in (("treecrf", 10), ("treecrf_flat", flat * spread ** (repeat - 1)), ("induced_crf", 1))
    ]
    plant_scaling(folder, rows)


def plant_scaling(folder, rows):
    names = ["repeat", "axis", "value", "method", "quantity", "seconds"]
    write_frame(pd.DataFrame(rows, columns=names).assign(n_positions=1000), folder / "cost/scaling.csv")


def plant_inductions(folder, ratio, spread=1.0):
    """P3.23: seconds of MALLET's first and last induction; those of trees are constant."""
    rows = [
        (repeat, "n_features", 75, method, f"{which}_induction", seconds)
        for repeat in range(N_REPEATS)
        for method, last in (("mallet", ratio * spread ** (repeat - 1)), ("treecrf", 1.0))
        for which, seconds in (("first", 1.0), ("last", last))
    ]
    plant_scaling(folder, rows)


def plant_windows(folder, at_smallest, ratio, spread=1.0, drift=1.0, own=50.0):
    """Seconds of an iteration on protein; TreeCRF takes 1 second at a window of 1, MALLET `at_smallest`."""
    rows = [
        (repeat, size, method, seconds)
        for repeat, size, method, seconds in grown((1, 3, 5, 7, 9, 11), at_smallest, ratio, spread, drift, own)
    ]
    names = ["repeat", "window_size", "method", "seconds_per_iteration"]
    plant(pd.DataFrame(rows, columns=names), folder, "cost", "protein", "windows")


def grown(sizes, start, ratio, spread, drift, own=50.0):
    """Rows (repeat, size, method, seconds): those of trees grow by 2.33 over the sizes, of MALLET `ratio` times as
    much.
    """
    for repeat in range(N_REPEATS):
        factor = spread ** (repeat - 1)
        methods = {
            "treecrf": (1.0, 2.33),
            "mallet": (start * factor, 2.33 * ratio * factor),
            "induced_crf": (start, own),
        }
        for method, (first, growth) in methods.items():
            for size in sizes:
                power = np.log(size / sizes[0]) / np.log(sizes[-1] / sizes[0])
                yield repeat, size, method, drift**repeat * first * growth**power


def plant_coefficients(folder, dataset, baseline, outcomes, extra=(), paper=(1, 1e-9), half_width=1.0):
    """Comparisons on the papers' damaged sets; outcomes (points, p) by (rate, method), of which the paper's test says
    `paper`.

    p is the one that Holm's correction gives over the planted pairs of the papers' methods. `half_width` is that of 90
    % intervals.
    """
    rows = [(rate, baseline, method, *outcome) for (rate, method), outcome in outcomes.items()]
    rows += [(rate, baseline, "default_direction", 9.0, 1e-9) for rate in RATES]  # beyond the papers
    rows += [(0.3, baseline, SURROGATES, 9.0, 1e-9), (0.1, INDICATOR, SURROGATES, 9.0, 1e-9)]  # another rate, baseline
    frame = pd.DataFrame(rows, columns=["rate", "other", "method", "value", "p_holm"])
    sign, papers_p = paper
    frame = frame.assign(coefficient=sign * frame["value"], papers_p=papers_p, cluster="group")
    frame = frame.assign(standard_error=half_width / QUANTILE, degrees_of_freedom=1e9)
    of_papers = frame["method"].isin(METHODS) & frame["other"].isin(METHODS)
    frame["p_value"] = frame[of_papers].groupby("rate")["p_holm"].transform(uncorrected)
    plant_damaged(frame.assign(likelihood_ratio_p_value=np.nan), folder, dataset)


def uncorrected(p_values):
    """p-values whose Holm correction is these; one that is not known counts as the largest."""
    order = p_values.fillna(1).rank(method="first")
    return p_values / (len(p_values) + 1 - order)


def plant_damaged(frame, folder, dataset):
    """The same comparisons on the papers' 5 x 5 damaged sets and on 20 x 20."""
    for name, n_sets in (("papers_comparisons", 5), ("comparisons", 20)):
        plant(frame.assign(n_training_sets=n_sets), folder, "missing", dataset, name)


QUANTILE = 1.6448536
"""By which half the width of a 90 % interval is divided for a standard error."""


def plant_scores(folder, dataset, scores_at, half_width=0.3):
    """Comparisons of every method with every other one, by rate: differences of scores (points), significant above the
    half width.
    """
    rows = [
        (rate, other, method, scores[method] - scores[other])
        for rate, scores in scores_at.items()
        for other in scores
        for method in scores
        if method != other
    ]
    frame = pd.DataFrame(rows, columns=["rate", "other", "method", "value"])
    p_value = np.where(frame["value"].abs() > half_width, 0.001, 0.9)
    frame = frame.assign(coefficient=frame["value"], papers_p=p_value, p_value=p_value, cluster="group")
    frame = frame.assign(standard_error=half_width / QUANTILE, degrees_of_freedom=1e9, p_holm=p_value)
    plant_damaged(frame.assign(likelihood_ratio_p_value=np.nan), folder, dataset)


def plant_stars(folder, n_found):
    """On `n_found` of the four data sets half of the stars of table 4.1 are found, on the others fewer, or with another
    sign.
    """
    published = missing_value_coefficients()
    for place, (dataset, rows) in enumerate(published.groupby("dataset", sort=False)):
        n_stars = int(rows["significant"].sum())
        found = rows["significant"].cumsum() <= (n_stars + 1) // 2 - (place >= n_found)
        sign = np.where(found, 1, -1)
        frame = rows.drop(columns="significant").assign(
            coefficient=sign * rows["coefficient"],
            value=sign * rows["coefficient"],
            p_value=0.01,
            p_holm=0.04,
            papers_p=0.01,
            likelihood_ratio_p_value=np.nan,
            cluster="group",
            standard_error=1.0,
            degrees_of_freedom=9.0,
        )
        plant_damaged(frame, folder, str(dataset))


def plant_timings(folder, dataset, seconds, point="peak", spread=1.01):
    """CPU seconds of three trainings of each method, which differ by the factor `spread`; those to other points would
    decide otherwise.
    """
    rows = [
        (method, place, taken * spread**run)
        for method, value in seconds.items()
        for run in (-1, 0, 1)
        for place, taken in ((point, value), ("choice", value**2 + 1))
    ]
    plant(pd.DataFrame(rows, columns=["method", "point", "cpu_seconds"]), folder, "training", dataset, "timings")


def against_others(n_better, rates=RATES, baseline=WEIGHTING, otherwise=(-0.1, 0.05)):
    """The baseline is significantly better in `n_better` comparisons, and `otherwise` in the rest."""
    keys = [(r, m) for r in rates for m in (WEIGHTING, SURROGATES, IMPUTATION, INDICATOR) if m != baseline]
    return {key: (-0.1, 0.049) if place < n_better else otherwise for place, key in enumerate(keys)}


def plant_ranks(folder, ranks, datasets=("protein",)):
    """How many methods are below imputation, by rate: on protein, or on one data set after another."""
    for place, dataset in enumerate(datasets):
        rows = [
            (rate, method, correct)
            for rate, rank in zip(RATES, ranks[place * len(RATES) :], strict=False)
            for method, correct in zip(
                (WEIGHTING, SURROGATES, INDICATOR, IMPUTATION), (720, 730, 740, 715 + 10 * rank), strict=True
            )
        ]
        plant_evaluations(folder, dataset, rows)


def plant_evaluations(folder, dataset, rows):
    """Rows (rate, method, correct of 1000) on the papers' damaged sets; on a further one imputation is always wrong."""
    frame = pd.DataFrame(rows, columns=["rate", "method", "n_correct"]).assign(n_positions=1000, draw=4, test_set=4)
    further = frame.assign(test_set=5, n_correct=frame["n_correct"].where(frame["method"] != IMPUTATION, 0))
    plant(pd.concat([frame, further]), folder, "missing", dataset, "evaluations")


def plant_frequencies(folder, n_few, dataset="faq_ai_general"):
    """So many of 20 features are true on fewer than a tenth of the lines, the others on a tenth."""
    frame = pd.DataFrame({"share_true": [0.099] * n_few + [0.1] * (20 - n_few)})
    plant(frame, folder, "missing", dataset, "frequencies")


def plant_accuracies(folder, n_least, tie=False):
    """Surrogates are the least accurate on `n_least` of the four data sets; at rate 0 and beyond the papers others
    are.
    """
    for place, dataset in enumerate(("protein", "nettalk", "hyphen", "faq_ai_general")):
        lowest = 700 if place < n_least else 800
        correct = {WEIGHTING: 750, SURROGATES: lowest, IMPUTATION: lowest if tie else 760, INDICATOR: 770}
        rows = [(rate, method, n) for rate in RATES for method, n in correct.items()]
        plant_evaluations(folder, dataset, [*rows, (0.0, IMPUTATION, 1), (0.1, "default_direction", 1)])


def plant_costs(folder, n_most, n_training_sets=2):
    """Surrogates cost most on `n_most` of the four data sets; choices and predictions of imputation cost more still."""
    for place, dataset in enumerate(("protein", "nettalk", "hyphen", "faq_ai_general")):
        surrogates = 3.0 if place < n_most else 1.0
        rows = [
            (
                rate,
                method,
                training_set,
                phase,
                (1 + 9 * training_set) * {SURROGATES: surrogates}.get(method, 2.0)
                if phase in ("trees", "gradient")
                else 50.0,
            )
            for rate in (0.1, 0.4)
            for training_set in range(n_training_sets)
            for method in (WEIGHTING, SURROGATES, IMPUTATION, INDICATOR)
            for phase in ("trees", "gradient", "prediction", "choice")
            if method == IMPUTATION or phase in ("trees", "gradient")
        ]
        rows += [(0.0, IMPUTATION, 0, "trees", 999.0), (0.1, "default_direction", 0, "trees", 999.0)]
        frame = pd.DataFrame(rows, columns=["rate", "method", "draw", "phase", "cpu_seconds"])
        plant(frame.assign(all_surrogates=True), folder, "missing", dataset, "costs")


def plant_example(folder, forward, backward, both):
    """Section 5.1's example with the labels that each direction and both say."""
    labels = ["l1", "l2", "l3"]
    best_labels = {"forward": forward, "backward": backward, "both": both}
    columns = {name: [0.8 if label == best else 0.1 for label in labels] for name, best in best_labels.items()}
    write_frame(pd.DataFrame({"label": labels, **columns}), folder / "future" / "example.csv")


def plant_best(folder, dataset, accuracies):
    """Mean accuracies by method, or by method and bag, with the G_0 that validation prefers."""
    rows = []
    for variant, percent in accuracies.items():
        method, _, bag = variant.partition(" (")
        rows.append((method, bag.rstrip(")") or NO_BAG, -5.0 if bag else np.nan, percent))
    frame = pd.DataFrame(rows, columns=["method", "bag", "g0", "value"])
    plant(frame, folder, "future", dataset, "best")


GENERATED = ("xor", "or", "extra", "xor_full", "or_full", "extra_full")


def plant_patterns(folder, n_recovered):
    """In `n_recovered` of the twelve cells of P5.4 instances and bags are recovered with two features."""
    cells = [(dataset, g0) for dataset in GENERATED for g0 in (-5.0, -7.0)]
    faults = ((2.5, 100.0, 100.0), (2.0, 99.89, 100.0), (2.0, 100.0, 99.89), (0.0, 100.0, 100.0))
    values = [(2.0, 99.9, 99.9) if i < n_recovered else faults[i % 4] for i in range(len(cells))]
    rows = [(*cell, "ff_memm_0", *found) for cell, found in zip(cells, values, strict=True)]
    rows += [(name, 0.0, "ff_memm_0", 9.0, 0.0, 0.0) for name in GENERATED] + [("xor", -5.0, "ff_crf_1", 9.0, 0.0, 0.0)]
    names = ["dataset", "g0", "method", "n_features", "test_instance_accuracy", "test_bag_accuracy"]
    for dataset, group in pd.DataFrame(rows, columns=names).groupby("dataset"):
        steps = dict.fromkeys(("largest_alpha", "largest_beta", "largest_eta"), 1.0)
        plant(group.assign(**steps), folder, "future", str(dataset), "summary")


def plant_steps(folder, *betas):
    """P5.12: the largest β of each generated set; the largest of α and η is 20, and other methods have larger steps."""
    for dataset, beta in zip(GENERATED, betas, strict=True):
        rows = [("ff_memm_0", 20.0, 1.0, 2.0), ("ff_memm_0", 1.0, beta, 20.0), ("ff_crf_1", 1.0, 1e9, 1.0)]
        names = ["method", "largest_alpha", "largest_beta", "largest_eta"]
        recovered = {"g0": -5.0, "n_features": 1.0, "test_instance_accuracy": 100.0, "test_bag_accuracy": 100.0}
        plant(pd.DataFrame(rows, columns=names).assign(**recovered), folder, "future", dataset, "summary")


def plant_seconds(folder, ratio, spread=1.0):
    """P3.22: seconds of CRF-4, of which CRF-2 takes one, in three draws."""
    rows = [("crf_2", seed, 1.0) for seed in range(3)] + [
        ("crf_4", seed, ratio * spread ** (seed - 1)) for seed in range(3)
    ]
    for dataset in (*GENERATED, "nettalk_binary"):
        plant(pd.DataFrame(rows, columns=["method", "draw", "cpu_seconds"]), folder, "future", dataset, "runs")


def plant_variants(folder, dataset, *rows, papers_p=0.5, half_width=0.4):
    """Comparisons of the study of future features; rows (method, other, points), with a valid p as a fourth.

    The paper's p and the accuracies would decide otherwise.
    """
    table = pd.DataFrame([(*row, 0.5)[:4] for row in rows], columns=["method", "other", "value", "p_value"]).astype(
        {"p_value": float}
    )
    points = table["value"]
    ends = {
        "low": points - half_width,
        "high": points + half_width,
        "low_90": points - 0.3,
        "high_90": points + 0.3,
    }
    ends = {name: values.where(table["p_value"].notna()) for name, values in ends.items()}  # one draw has neither
    plant_best(folder, dataset, {name: 50.0 for row in rows for name in row[:2]})
    frame = table.assign(dataset=dataset, papers_p=papers_p, decision="undecided", **ends)
    plant(frame, folder, "future", dataset, "comparisons")
