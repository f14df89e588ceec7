"""Tables of the training study (PhD chapter 3): text in cells, as HTML and as LaTeX.

A cell that has no value, or whose method was not run, shows a dash. A column stand_in, where a frame has one, marks the
data sets that stand in for those of the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from treecrf.statistics.ranking import AT_THE_TOP
from treecrf_studies.framework.comparisons import Comparison, compared
from treecrf_studies.framework.tables import (
    CHOICE,
    END,
    MEASURED,
    PEAK,
    PUBLISHED,
    SPREAD,
    Block,
    Column,
    Row,
    by_key,
    columns_by_dataset,
    method_names,
    printed_layout,
    row_names,
    sorted_by_method,
)
from treecrf_studies.rendering.cells import (
    DAGGER,
    DASH,
    STAR,
    cell_texts,
    count_text,
    dataset_names,
    deviation_texts,
    grouped,
    interval_texts,
    marked_if,
    number,
    p_text,
    p_value_text,
    seconds_text,
    signed,
    three_digits,
    with_deviation,
)
from treecrf_studies.rendering.style import DECODER_NAMES, is_custom, ordered_training_methods, training_method_name
from treecrf_studies.training import choices
from treecrf_studies.training.choices import BETTER, BLOCKS, METHODS, of_first_decoder, preferred_at, with_iterations
from treecrf_studies.training.published import read_published

SHRINKAGE_LEVELS = (0.025, 0.005, 0.001)
"""A star for each of these that p is below, in table 3.4."""

BASELINE_LEVELS = (0.005, 0.001)
"""The same in table 3.5."""

BASELINE = "mallet_linear"
"""The method that table 3.5 compares the others with: MALLET without induction."""

PRINTED = {"treecrf": "treecrf", "mallet": "mallet", BASELINE: "baseline"}
"""The methods of table 3.5 and what its file calls them."""

TO_THE_END = (BASELINE, "linear_crf")
"""The baseline, and our linear CRF of the same model in a row below it: what they reach at the end of training is shown
too.
"""

UNPRINTED = ("linear_crf_labels", "induced_crf", "induced_crf_labels", "mallet_labels", "crfsuite")
"""Methods that table 3.5 does not have and that are next of kin to its own; custom labellers join them."""

STEP_METHODS = ("treecrf", "mallet", "induced_crf", "linear_crf")
"""Methods whose iterations have parts to time; custom labellers join them."""

STEP_PRINTED = {"treecrf": "TreeCRF", "mallet": "MALLET"}
"""The methods of table 3.6 and what it calls them."""

VARIANTS = {"treecrf": "shrinkage", "treecrf_original": "original"}
"""The methods of table 3.4 and what it calls them."""

SETTING_NAMES = {"l2_regularization": "lambda", "max_leaves": "leaves", "variance": "variance"}
"""Settings that cross-validation chooses, as readers see them."""

ACCURACY = "accuracy (%)"

WORSE = " (worse)"
"""After the stars of an accuracy below that of `BASELINE`."""

LINE_OF = {choices.PEAK: PEAK, choices.CHOICE: CHOICE, choices.LAST: END}
"""The lines of blocks that show points of the summary."""

Texts = dict[str, str]

PLACE = ("dataset", "decoder")
"""Columns that say where two methods are compared."""

# --- published and measured -------------------------------------------------------------------------


def shrinkage_layout(summary: pd.DataFrame, comparisons: pd.DataFrame, peak_comparisons: pd.DataFrame) -> pd.DataFrame:
    """Table 3.4 as printed: TreeCRF with shrinkage and the original algorithm, by decoder, a block of lines for each
    data set.

    Lines: published; peak of the test curve with its iteration; cross-validated choice; its mean and standard deviation
    over the perturbed runs. The better of the two has a `STAR` for each of `SHRINKAGE_LEVELS` that McNemar's p is
    below, and then a `DAGGER` where the sequence-level test decides so too
    (`treecrf_studies.training.summary.compare`).
    """
    published = read_published("table_3_4_shrinkage")
    cells, printed = _lines(summary), by_key(published, "dataset", "variant", "decoder")
    tests = {PEAK: compared(peak_comparisons, *PLACE), CHOICE: compared(comparisons, *PLACE)}
    decoders = [decoder for decoder in dict.fromkeys(summary["decoder"]) if decoder != BETTER]
    rivals = dict(zip(VARIANTS, reversed(VARIANTS), strict=True))
    columns = {(DECODER_NAMES[d], variant): (d, method) for d in decoders for method, variant in VARIANTS.items()}

    def texts(dataset: str, decoder: str, method: str) -> Texts:
        known = printed.get((dataset, VARIANTS[method], decoder))
        by_line = {line: pairs.get((dataset, decoder, method, rivals[method])) for line, pairs in tests.items()}
        ahead = {line: pair if pair and pair.papers_points > 0 else None for line, pair in by_line.items()}
        marks = {line: _marks(pair, SHRINKAGE_LEVELS) for line, pair in ahead.items()}
        return _published_text(known, "stars") | _accuracies_of(cells.get((dataset, method, decoder), {}), marks)

    blocks: list[Block] = [
        ((shown,), {column: texts(dataset, *place) for column, place in columns.items()})
        for dataset, shown in _printed_order(summary[summary["method"].isin(VARIANTS)], published["dataset"]).items()
    ]
    return printed_layout(["data set"], list(columns), blocks)


def methods_layout(summary: pd.DataFrame, comparisons: pd.DataFrame, peak_comparisons: pd.DataFrame) -> pd.DataFrame:
    """Table 3.5 as printed: accuracy, CPU seconds and iterations of TreeCRF, MALLET and `BASELINE`, a column for each
    data set.

    Measured lines stand under the published one; below them our linear CRF, and accuracies of methods that the table
    does not have. An accuracy has a `STAR` for each of `BASELINE_LEVELS` that McNemar's p against `BASELINE` is below,
    a `DAGGER` where the sequence-level test finds the difference too, and `WORSE` where it is the lower one.
    """
    better = summary[summary["decoder"] == BETTER]
    published = read_published("table_3_5_methods")
    printed, cells = by_key(published, "dataset", "method"), _lines(summary)
    tests = {PEAK: compared(peak_comparisons, *PLACE), CHOICE: compared(comparisons, *PLACE)}
    others = [name for name in ordered_training_methods(better["method"]) if name in UNPRINTED or is_custom(name)]
    sets = _printed_order(better[better["method"].isin([*PRINTED, *TO_THE_END, *others])], published["dataset"])

    def shown_lines(dataset: str, method: str) -> dict[str, Row]:
        lines = cells.get((dataset, method, BETTER), {})
        return {line: row for line, row in lines.items() if line != END or method in TO_THE_END}

    def accuracies(dataset: str, method: str) -> Texts:
        known = printed.get((dataset, PRINTED.get(method)))
        key = dataset, BETTER, method, BASELINE
        marks = {line: _marks(pairs.get(key), BASELINE_LEVELS) for line, pairs in tests.items()}
        cells = _published_text(known, "stars_vs_baseline")
        if known and cells[PUBLISHED].endswith(STAR):
            baseline = printed[dataset, PRINTED[BASELINE]]["accuracy_percent"]
            cells[PUBLISHED] += WORSE if known["accuracy_percent"] < baseline else ""
        lines = shown_lines(dataset, method)
        end = {END: number(lines[END]["value"])} if END in lines else {}
        return cells | _accuracies_of(lines, marks, with_iteration=False) | end

    def seconds(dataset: str, method: str) -> Texts:
        known = printed.get((dataset, PRINTED.get(method)))
        cells: Texts = {PUBLISHED: number(known["cpu_seconds"], 1)} if known else {}
        return cells | {line: seconds_text(row["cpu_seconds"]) for line, row in shown_lines(dataset, method).items()}

    def iterations(dataset: str, method: str) -> Texts:
        known = printed.get((dataset, PRINTED.get(method)))
        cells: Texts = {PUBLISHED: known["iterations"].replace("-", "–")} if known else {}
        return cells | {line: _range(row) for line, row in shown_lines(dataset, method).items()}

    shown = dict.fromkeys([*PRINTED, *TO_THE_END])
    groups: list[tuple[str, Callable[[str, str], Texts], Iterable[str]]] = [
        (ACCURACY, accuracies, shown),
        ("CPU seconds", seconds, shown),
        ("iterations", iterations, shown),
        (f"{ACCURACY}, other methods", accuracies, others),
    ]
    blocks: list[Block] = [
        ((quantity, training_method_name(method)), {str(column): texts(name, method) for name, column in sets.items()})
        for quantity, texts, methods in groups
        for method in methods
    ]
    return printed_layout(["quantity", "method"], list(map(str, sets.values())), blocks)


def step_seconds_layout(costs: pd.DataFrame) -> pd.DataFrame:
    """Table 3.6 as printed: length, features, and CPU seconds of an iteration of forward-backward and of an
    induction.
    """
    published, cells = read_published("table_3_6_cpu_per_iteration"), by_key(costs, "dataset", "method")
    printed = by_key(published, "dataset")
    counts = {("", "average length"): "average_length", ("", "features"): "n_features"}
    columns = {
        (group, shown): (f"{group.replace('-', '_')}_seconds", method)
        for group in ("forward-backward", "induction")
        for method, shown in STEP_PRINTED.items()
    }
    rows = costs[costs["method"].isin(STEP_PRINTED)]
    blocks: list[Block] = []
    for dataset, shown in _printed_order(rows, published["dataset"]).items():
        known, of_set = printed.get((dataset,), {}), rows[rows["dataset"] == dataset].iloc[0]
        texts: dict[Column, Texts] = {
            column: {PUBLISHED: count_text(known.get(name, np.nan)), MEASURED: count_text(of_set[name])}
            for column, name in counts.items()
        }
        for column, (name, method) in columns.items():
            row = cells.get((dataset, method), {})
            published_text = number(known.get(f"{name}_{method}", np.nan), 3)
            texts[column] = {PUBLISHED: published_text, MEASURED: three_digits(row.get(name, np.nan))}
        blocks.append(((shown,), texts))
    return printed_layout(["data set"], [*counts, *columns], blocks)


def steps_layout(costs: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of every chain in which features are induced or weighted: an iteration, an induction, a whole
    training.
    """
    rows = sorted_by_method(costs[costs["method"].isin(STEP_METHODS) | costs["method"].map(is_custom)])
    columns = row_names(rows)
    columns["CPU seconds", "forward-backward, an iteration"] = cell_texts(
        rows["forward_backward_seconds"], three_digits
    )
    columns["CPU seconds", "an induction"] = cell_texts(rows["induction_seconds"], three_digits)
    several = rows.groupby("method")["n_iterations"].transform("max") > 1
    columns["whole training", "iterations"] = cell_texts(rows["n_iterations"].where(several), count_text)
    columns["whole training", "CPU s"] = cell_texts(rows["total_seconds"], seconds_text)
    return grouped(columns)


# --- all methods ------------------------------------------------------------------------------------


def accuracy_layout(summary: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method at the choice, with the decoder that cross-validation prefers, by data set.

    Mean and standard deviation over the perturbed runs, in percent; a method without such runs shows its unperturbed
    accuracy. Marked are the best and those equivalent to it (`treecrf_studies.training.summary.rank`).
    """
    top = ranks[ranks["standing"].isin(AT_THE_TOP)]
    return _accuracies(summary, choices.CHOICE, set(zip(top["dataset"], top["method"], strict=True)))


def peaks_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """The same at the peak of the test curve of the first, unperturbed training; without marks, as peaks are not
    compared.
    """
    return _accuracies(summary, choices.PEAK, set())


def highest_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """The same over all settings, iterations and decoders."""
    return _accuracies(summary, choices.HIGHEST, set())


def choices_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """What cross-validation chose for every method, by decoder, and the decoder preferred.

    The setting (of several splits all, parted by " / "), the iteration (smallest to largest of the splits), the
    cross-validated accuracy in percent. A method that takes the choice of another says whose settings it has.
    """
    rows, cells = sorted_by_method(preferred_at(summary, choices.CHOICE)), _lines(summary)
    columns = row_names(rows)
    for decoder in [name for name in dict.fromkeys(summary["decoder"]) if name != BETTER]:
        chosen = [
            _chosen_texts(cells.get((row.dataset, row.method, decoder), {}).get(CHOICE)) for row in rows.itertuples()
        ]
        for place, name in enumerate(("setting", "iteration", "cv accuracy (%)")):
            columns[DECODER_NAMES[decoder], name] = [texts[place] for texts in chosen]
    columns["", "preferred"] = [DECODER_NAMES[decoder] for decoder in rows["chosen_decoder"]]
    return grouped(columns)


def estimates_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracy that cross-validation promised at the choice beside that on the test set, with the preferred decoder.

    A row per data set and method that chose for itself, in percent: the estimate, the test accuracy (mean of the
    perturbed runs where there are some), and how much the estimate is above it.
    """
    rows = preferred_at(summary, choices.CHOICE)
    rows = sorted_by_method(rows[rows["chosen_by"] == rows["method"]])
    return pd.DataFrame(
        {
            "data set": dataset_names(rows),
            "method": method_names(rows["method"]),
            "estimate (%)": cell_texts(rows["held_out_accuracy"], number),
            "test (%)": cell_texts(rows["value"], number),
            "too high by": cell_texts(rows["held_out_accuracy"] - rows["value"], signed),
        }
    )


def notes_layout(notes: pd.DataFrame) -> pd.DataFrame:
    """Methods that were not run, and why: a row per method and reason, with its data sets parted by commas."""
    groups = notes.groupby(["method", "note"], sort=False)["dataset"].agg(", ".join).reset_index()
    return pd.DataFrame(
        {
            "data set": groups["dataset"].astype(str),
            "method": method_names(groups["method"]),
            "why": groups["note"].astype(str),
        }
    )


# --- rows -------------------------------------------------------------------------------------------


def _lines(summary: pd.DataFrame) -> dict[tuple[Any, ...], dict[str, Row]]:
    """The rows of each data set, method and decoder by the line that shows them."""
    lines: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in with_iterations(summary).to_dict("records"):
        if row["point"] in LINE_OF:
            lines.setdefault((row["dataset"], row["method"], row["decoder"]), {})[LINE_OF[row["point"]]] = row
    return lines


def _printed_order(rows: pd.DataFrame, printed: pd.Series) -> dict[str, str]:
    """Data sets of rows and their names for readers: those of a printed table in its order, then the others."""
    names = dict(zip(rows["dataset"], dataset_names(rows), strict=True))
    first = {name: names[name] for name in dict.fromkeys(printed) if name in names}
    return first | names


def _accuracies(summary: pd.DataFrame, point: str, marked: set[tuple[str, str]]) -> pd.DataFrame:
    """Accuracies at a point by method and data set; the `marked` ones have a mark."""

    def text(row: Row) -> str:
        return marked_if(with_deviation(row["value"], row["sd"], row["n"]), (row["dataset"], row["method"]) in marked)

    rows, methods = preferred_at(summary, point), ordered_training_methods(summary["method"])
    return pd.DataFrame({"method": [*method_names(methods)], **columns_by_dataset(rows, methods, text)})


# --- cells ------------------------------------------------------------------------------------------


def _marks(pair: Comparison | None, levels: Sequence[float]) -> str:
    """What stands after the accuracy of the first of a pair: a dagger where the sequence-level test agrees."""
    stars = STAR * sum(pair.papers_p < level for level in levels) if pair else ""
    if not pair or not stars:
        return ""
    agrees = pair.decision == ("better" if pair.papers_points > 0 else "worse")
    return stars + (DAGGER if agrees else "") + (WORSE if pair.papers_points < 0 else "")


def _published_text(row: Row | None, stars: str) -> Texts:
    return {} if row is None else {PUBLISHED: number(row["accuracy_percent"]) + STAR * int(row[stars])}


def _accuracies_of(lines: Mapping[str, Row], marks: Mapping[str, str], with_iteration: bool = True) -> Texts:
    """Peak, choice, and the mean and standard deviation at the choice."""
    texts: Texts = {}
    if peak := lines.get(PEAK):
        iteration = f" ({peak['iteration']})" if with_iteration and peak["has_iterations"] else ""
        texts[PEAK] = number(peak["value"]) + marks[PEAK] + iteration
    if row := lines.get(CHOICE):
        texts[CHOICE] = number(row["unperturbed"]) + marks[CHOICE]
        texts[SPREAD] = with_deviation(row["value"], row["sd"], row["n"]) if row["n"] > 1 else DASH
    return texts


def _range(row: Row) -> str:
    """An iteration; of several splits the smallest and the largest; a dash for a method without iterations."""
    if not row["has_iterations"]:
        return DASH
    low, high = count_text(row["iteration_low"]), count_text(row["iteration_high"])
    return low if low == high else f"{low}–{high}"


def _chosen_texts(row: Row | None) -> tuple[str, str, str]:
    """Setting, iteration and cross-validated accuracy."""
    if row is None:
        return DASH, DASH, DASH
    if row["chosen_by"] != row["method"]:
        return f"settings of {training_method_name(row['chosen_by'])}", DASH, DASH
    return _setting(row["candidate"]), _range(row), number(row["held_out_accuracy"])


def _setting(candidate: str | float) -> str:
    """The candidate in words; a dash where there was nothing to choose, which a CSV file has as NaN."""
    if not isinstance(candidate, str):
        return DASH
    for name, text in SETTING_NAMES.items():
        candidate = candidate.replace(f"{name}=", f"{text} ")
    return candidate


def ranks_layout(ranks: pd.DataFrame) -> pd.DataFrame:
    """Methods of each data set from the best on: the gap to it with its interval, the standing, and the ranks that
    tests leave.
    """
    return pd.DataFrame(
        {
            "data set": dataset_names(ranks),
            "method": method_names(ranks["method"]),
            "accuracy, all positions (%)": cell_texts(ranks["value"], number),
            "minus the best (points)": cell_texts(ranks["gap_points"], signed),
            "95 %, Bonferroni": interval_texts(ranks["gap_low"], ranks["gap_high"]),
            "standing": ranks["standing"].astype(str).tolist(),
            "rank": cell_texts(ranks["rank"], count_text),
            "rank interval": [f"{low}–{high}" for low, high in zip(ranks["rank_low"], ranks["rank_high"], strict=True)],
            "unit of the test": ranks["test"].astype(str).tolist(),
        }
    )


def matrix_layout(comparisons: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Every method of a data set against every other, each with its preferred decoder.

    Points that the method of the row is ahead of that of the column, Holm's p of the sequence-level test, and the
    decision.
    """
    rows = comparisons[(comparisons["dataset"] == dataset) & (comparisons["decoder"] == BETTER)]
    methods = ordered_training_methods([*rows["method"], *rows["other"]])
    pairs = compared(rows)
    columns: dict[str, list[str]] = {"method": [*method_names(methods)]}
    for other, name in zip(methods, method_names(methods), strict=True):
        row = [pairs.get((method, other)) for method in methods]
        columns[name] = [
            f"{signed(pair.points)} ({p_text(pair.p_holm)}) {pair.decision}" if pair else DASH for pair in row
        ]
    return pd.DataFrame(columns)


def noise_layout(noise: pd.DataFrame) -> pd.DataFrame:
    """Standard deviations that sequences, methods, trainings and the rest give to accuracies, in points."""
    sd = 100 * noise["variance"].astype(float) ** 0.5
    return pd.DataFrame(
        {
            "data set": dataset_names(noise),
            "term": noise["component"].astype(str).tolist(),
            "of one sequence (points)": cell_texts(sd, number),
            "of a method's accuracy (points)": cell_texts(noise["accuracy_points"], number),
        }
    )


def pairs_layout(comparisons: pd.DataFrame, decoder: str) -> pd.DataFrame:
    """The tests of every pair of methods with a decoder; "better": the one that cross-validation prefers.

    A row per data set and pair. By McNemar's test, of the unperturbed trainings: accuracy of the method
    minus that of the other in points, the positions on which only either is right, p-values. By the sequence-level test
    (`treecrf_studies.training.summary.compare`, all trainings): points, interval and p-value, both also of the
    family of pairs of the data set, what is taken as independent, the decision.
    """
    rows = comparisons[comparisons["decoder"] == decoder]
    mcnemar, valid = "by McNemar's test", "by the sequence-level test"
    return grouped(
        {
            ("", "data set"): dataset_names(rows),
            ("", "method"): method_names(rows["method"]),
            ("", "compared with"): method_names(rows["other"]),
            (mcnemar, "points"): cell_texts(rows["papers_value"], signed),
            (mcnemar, "method alone right"): cell_texts(rows["only_method"], count_text),
            (mcnemar, "other alone right"): cell_texts(rows["only_other"], count_text),
            (mcnemar, "p"): cell_texts(rows["papers_p"], p_value_text),
            (mcnemar, "p, Holm"): cell_texts(rows["papers_p_holm"], p_value_text),
            (valid, "points"): cell_texts(rows["value"], signed),
            (valid, "95 %, uncorrected"): interval_texts(rows["low"], rows["high"]),
            (valid, "p, uncorrected"): cell_texts(rows["p_value"], p_value_text),
            (valid, "95 %, Bonferroni"): interval_texts(rows["family_low"], rows["family_high"]),
            (valid, "p, Holm"): cell_texts(rows["p_holm"], p_value_text),
            (valid, "over"): [_independent(row) for row in rows.to_dict("records")],
            (valid, "decision"): rows["decision"].astype(str).tolist(),
        }
    )


def _independent(row: Row) -> str:
    """What the test takes as independent, and how many of it; "these trainings" where it is not about the methods."""
    of_blocks = row["test"] == BLOCKS
    units = f"{count_text(row['n_blocks'])} blocks" if of_blocks else f"{count_text(row['n_clusters'])} sequences"
    return units if row["about"] == METHODS else f"{units}, {row['about']}"


PAPERS = "papers' test set"
POPULATIONS = {"same": "larger sample", "second": "second population"}


def larger_accuracies_layout(larger_accuracies: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method on the papers' test set and on each larger sample, with the first decoder."""
    rows = sorted_by_method(of_first_decoder(larger_accuracies))
    of_papers = by_key(preferred_at(summary, choices.CHOICE), "dataset", "method")
    known = [of_papers.get(key, {}).get("unperturbed") for key in zip(rows["dataset"], rows["method"], strict=True)]
    return grouped(
        {
            ("", "data set"): rows["dataset"].astype(str).tolist(),
            ("", "method"): method_names(rows["method"]),
            (PAPERS, "accuracy (%)"): [DASH if value is None else number(value) for value in known],
            ("other sample", "name"): rows["sample"].astype(str).tolist(),
            ("other sample", "is a"): [POPULATIONS[name] for name in rows["population"]],
            ("other sample", "accuracy (%), mean ± sd"): deviation_texts(rows, "value", "sd", "n"),
            ("other sample", "trainings"): cell_texts(rows["n"], count_text),
            ("other sample", "sequences that train"): cell_texts(rows["n_train"].round(), count_text),
            ("other sample", "sequences that test"): cell_texts(rows["n_test"].round(), count_text),
        }
    )


def larger_layout(larger_comparisons: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Tests of every pair of methods on the papers' test set and on each larger sample, there with the first decoder.

    p-values have Holm's correction.
    """
    larger = of_first_decoder(larger_comparisons)
    pairs = compared(comparisons[comparisons["decoder"] == BETTER], "dataset")
    papers = [pairs.get(key) for key in zip(larger["dataset"], larger["method"], larger["other"], strict=True)]
    return grouped(
        {
            ("", "data set"): larger["dataset"].astype(str).tolist(),
            ("", "method"): method_names(larger["method"]),
            ("", "compared with"): method_names(larger["other"]),
            (PAPERS, "points"): [signed(pair.points) if pair else DASH for pair in papers],
            (PAPERS, "p, Holm"): [p_value_text(pair.p_holm) if pair else DASH for pair in papers],
            (PAPERS, "decision"): [pair.decision if pair else DASH for pair in papers],
            ("other sample", "name"): larger["sample"].astype(str).tolist(),
            ("other sample", "is a"): [POPULATIONS[name] for name in larger["population"]],
            ("other sample", "points"): cell_texts(larger["value"], signed),
            ("other sample", "95 %, Bonferroni"): interval_texts(larger["family_low"], larger["family_high"]),
            ("other sample", "p, Holm"): cell_texts(larger["p_holm"], p_value_text),
            ("other sample", "over"): [
                f"{count_text(n)} {test}" for n, test in zip(larger["n"], larger["test"], strict=True)
            ],
            ("other sample", "decision"): larger["decision"].astype(str).tolist(),
        }
    )


TREES, NETWORK, BOTH = "treecrf_newton", "neural_crf", "trees_and_net"


def trees_and_networks(larger_accuracies: pd.DataFrame) -> list[str]:
    """A sentence on each data set whose draws have several numbers of training sequences: when trees win, when
    networks.

    `larger_accuracies` is from `treecrf_studies.training.larger_summary`. Numbers are rounded as the table shows them.
    """
    draws = of_first_decoder(larger_accuracies).query("test == 'draws'")
    draws = draws.assign(n_train=draws["n_train"].round().astype(int), cpu=draws["cpu_seconds"] / draws["n"])
    compared = []
    for (dataset, population), rows in draws.groupby(["dataset", "population"], observed=True, sort=False):
        accuracy, seconds = (
            rows.pivot_table(index="n_train", columns="method", values=name) for name in ("value", "cpu")
        )
        if not {TREES, NETWORK} <= set(accuracy):
            continue
        known = accuracy.dropna(subset=[TREES, NETWORK])
        if len(known) < 2:
            continue
        ahead = _by_size(known[TREES] - known[NETWORK])
        sentence = f"{dataset}{'' if population == 'same' else ' (second population)'}: trees minus network, {ahead}."
        if BOTH in known:
            sentence += (
                f" Mean of both minus the better one, {_by_size(known[BOTH] - known[[TREES, NETWORK]].max(axis=1))}."
            )
        last = seconds.loc[known.index[-1]]
        compared.append(
            f"{sentence} One training with {count_text(known.index[-1])} sequences takes {number(last[TREES])} CPU "
            f"seconds for trees and {number(last[NETWORK])} for the network."
        )
    return compared


def _by_size(points: pd.Series) -> str:
    """Points of accuracy by the number of training sequences."""
    parts = [
        f"{signed(value)} points with {count_text(n)}"
        for n, value in zip(points.index.tolist(), points.tolist(), strict=True)
    ]
    return f"{', '.join(parts[:-1])} and {parts[-1]} training sequences"
