"""Tables of the training study (PhD chapter 3): text in cells, as HTML and as LaTeX.

A cell that has no value, or whose method was not run, shows a dash. A column stand_in, where a frame has one, marks the
data sets that stand in for those of the papers.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from treecrf.rendering.cells import (
    BEST,
    DAGGER,
    DASH,
    STAR,
    cell_texts,
    count_text,
    dataset_names,
    grouped,
    number,
    seconds_text,
    signed,
    three_digits,
    with_deviation,
)
from treecrf.rendering.style import DECODER_NAMES, is_custom, ordered_training_methods, training_method_name
from treecrf.studies.rows import (
    Row,
    Rows,
    by_key,
    method_names,
    published_of,
    row_names,
    sorted_by_method,
)
from treecrf.studies.training.comparison_tables import (
    Pair,
    find_pair,
    matrix_layout,
    noise_layout,
    pairs_layout,
    ranks_layout,
)
from treecrf.studies.training.names import BETTER, PAIR
from treecrf.studies.training.published import STANDS_FOR, read_published, training_costs

__all__ = [
    "accuracy_layout",
    "choices_layout",
    "matrix_layout",
    "methods_layout",
    "noise_layout",
    "notes_layout",
    "pairs_layout",
    "peaks_layout",
    "ranks_layout",
    "shrinkage_layout",
    "steps_layout",
]

SHRINKAGE_LEVELS = (0.025, 0.005, 0.001)
"""A star for each of these that p is below, in table 3.4."""

BASELINE_LEVELS = (0.005, 0.001)
"""The same in table 3.5."""

BASELINE = "linear_crf"
"""The method that table 3.5 compares the others with."""

STEP_METHODS = ("treecrf", "mallet", "induced_crf", "linear_crf")
"""The methods of table 3.6; custom labellers join them."""

VARIANTS = {"treecrf": "shrinkage", "treecrf_original": "original"}
"""The methods of table 3.4 and what it calls them."""

SETTING_NAMES = {"l2_regularization": "lambda", "max_leaves": "leaves", "variance": "variance"}
"""Settings that cross-validation chooses, as readers see them."""

ACCURACY = "accuracy (%)"

# --- published and measured -------------------------------------------------------------------------


def shrinkage_layout(summary: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Table 3.4: TreeCRF with shrinkage beside the original algorithm, by decoder.

    Rows per data set that has one of the methods: published; measured at the
    cross-validated choice; mean and standard deviation over the perturbed runs; peak of the test curve with its
    iteration. The better of the two has a `STAR` for each of `SHRINKAGE_LEVELS` that McNemar's p is below, and then a
    `DAGGER` where a valid test decides so too (`treecrf.studies.training.comparing.compare`).
    """
    told, published = _with_iterations(summary), read_published("table_3_4_shrinkage")
    ours = told[told["method"].isin(VARIANTS)]
    marked = dict(zip(ours["dataset"], dataset_names(ours), strict=True))
    cells, printed = by_key(ours, "dataset", "method", "decoder"), by_key(published, "dataset", "variant", "decoder")
    pairs = by_key(comparisons, *PAIR)
    is_published = {name: name in set(published["dataset"]) for name in marked}
    columns = {
        ("", "data set"): [text for name, text in marked.items() for _ in range(3 + is_published[name])],
        ("", "values"): [text for name in marked for text in _value_names(is_published[name])],
    }
    for decoder in _decoders(summary):
        for (method, variant), other in zip(VARIANTS.items(), reversed(VARIANTS), strict=True):
            texts = columns[DECODER_NAMES[decoder], variant] = []
            for name in marked:
                if is_published[name]:
                    texts.append(_published_text(printed.get((name, variant, decoder)), "stars"))
                pair = find_pair(pairs, name, decoder, method, other)
                marks = _marks(pair, SHRINKAGE_LEVELS) if pair.points > 0 else ""
                texts += _measured_texts(cells.get((name, method, decoder)), marks)
    return grouped(columns)


def methods_layout(summary: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Table 3.5: accuracy, CPU seconds and iterations of the dissertation's methods and of custom labellers.

    All with the decoder that cross-validation prefers. The choice has a `STAR` for each of `BASELINE_LEVELS` that
    McNemar's p against `BASELINE` is below (better or worse), and a `DAGGER` as in `shrinkage_layout`. `BEST`: the
    better of TreeCRF and MALLET, or of TreeCRF and CRF with induction where MALLET was not run, if a valid test decides.
    """
    shown = summary["method"].isin(STANDS_FOR) | summary["method"].map(is_custom)
    better = _with_iterations(summary)[(summary["decoder"] == BETTER) & shown]
    rows = sorted_by_method(better)
    known = published_of(rows["dataset"], rows["method"].map(STANDS_FOR), read_published("table_3_5_methods"))
    columns = row_names(rows)
    columns[ACCURACY, "published"] = [
        _published_text(row, "stars_vs_baseline") + _best(row is not None and row["best_of_treecrf_and_mallet"])
        for row in known
    ]
    columns[ACCURACY, "choice"] = _against_baseline(rows, comparisons)
    columns[ACCURACY, "mean ± sd"] = _means(rows, "chosen")
    columns[ACCURACY, "peak (iteration)"] = [_peak(row) for row in rows.to_dict("records")]
    columns["CPU seconds", "published"] = [number(row["cpu_seconds"], 1) if row else DASH for row in known]
    columns["CPU seconds", "measured"] = cell_texts(rows["cpu_seconds"], seconds_text)
    columns["iterations", "published"] = [row["iterations"].replace("-", "–") if row else DASH for row in known]
    columns["iterations", "measured"] = [_iteration(row) for row in rows.to_dict("records")]
    return grouped(_without_unpublished(columns))


def steps_layout(costs: pd.DataFrame) -> pd.DataFrame:
    """Table 3.6: CPU seconds of an iteration of forward-backward, an induction of features and a whole training."""
    rows = sorted_by_method(costs[costs["method"].isin(STEP_METHODS) | costs["method"].map(is_custom)])
    known = published_of(rows["dataset"], rows["method"], training_costs())
    columns = row_names(rows)
    columns["", "average length"] = cell_texts(rows["average_length"], count_text)
    columns["", "features"] = cell_texts(rows["n_features"], count_text)
    for group, name in (("forward-backward", "forward_backward_seconds"), ("induction", "induction_seconds")):
        columns[group, "published"] = [number(row[name], 3) if row else DASH for row in known]
        columns[group, "measured"] = cell_texts(rows[name], three_digits)
    several = rows.groupby("method")["n_iterations"].transform("max") > 1
    columns["whole training", "iterations"] = cell_texts(rows["n_iterations"].where(several), count_text)
    columns["whole training", "CPU s"] = cell_texts(rows["total_seconds"], seconds_text)
    return grouped(_without_unpublished(columns))


# --- all methods ------------------------------------------------------------------------------------


def accuracy_layout(summary: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method at the choice, with the decoder that cross-validation prefers, by data set.

    Mean and standard deviation over the perturbed runs, in percent; a method without such runs shows its unperturbed
    accuracy. `BEST` marks all that are tied for best (`treecrf.studies.training.ranking.rank`).
    """
    tied = ranks[ranks["tied_for_best"].astype(bool)]
    return _accuracies(summary, "chosen", set(zip(tied["dataset"], tied["method"], strict=True)))


def peaks_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """The same at the peak of the test curve, without marks: peaks are not compared."""
    return _accuracies(summary, "peak", set())


def choices_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """What cross-validation chose for every method, by decoder, and the decoder preferred.

    The setting (of several splits all, parted by " / "), the iteration (smallest to largest of the splits), the
    cross-validated accuracy in percent. A method that takes the choice of another says whose settings it has.
    """
    rows = sorted_by_method(summary[summary["decoder"] == BETTER])
    cells = by_key(_with_iterations(summary), "dataset", "method", "decoder")
    columns = {("", "data set"): dataset_names(rows), ("", "method"): method_names(rows["method"])}
    for decoder in _decoders(summary):
        chosen = [_chosen_texts(cells.get((row.dataset, row.method, decoder))) for row in rows.itertuples()]
        for place, name in enumerate(("setting", "iteration", "cv accuracy (%)")):
            columns[DECODER_NAMES[decoder], name] = [texts[place] for texts in chosen]
    columns["", "preferred"] = [DECODER_NAMES[decoder] for decoder in rows["chosen_decoder"]]
    return grouped(columns)


def estimates_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracy that cross-validation promised at the choice beside that on the test set, with the preferred decoder.

    A row per data set and method that chose for itself, in percent: the estimate, the test accuracy (mean of the perturbed runs where there are
    some), and how much the estimate is above it.
    """
    chosen = (summary["decoder"] == BETTER) & (summary["chosen_by"] == summary["method"])
    rows = sorted_by_method(summary[chosen])
    tested = rows["chosen_mean"].fillna(rows["chosen_accuracy"])
    return pd.DataFrame(
        {
            "data set": dataset_names(rows),
            "method": method_names(rows["method"]),
            "estimate (%)": cell_texts(rows["cv_accuracy"], number),
            "test (%)": cell_texts(tested, number),
            "too high by": cell_texts(rows["cv_accuracy"] - tested, signed),
        }
    )


def notes_layout(notes: pd.DataFrame) -> pd.DataFrame:
    """Methods that were not run, and why: a row per method and reason, with its data sets parted by commas."""
    groups = notes.groupby(["method", "note"], sort=False)["dataset"].agg(", ".join).reset_index()
    return pd.DataFrame(
        {
            "data set": groups["dataset"].astype(str),
            "method": method_names(groups["method"]),
            "not run": groups["note"].astype(str),
        }
    )


# --- rows -------------------------------------------------------------------------------------------


def _with_iterations(summary: pd.DataFrame) -> pd.DataFrame:
    """The summary with a column has_iterations: a method whose only iteration is everywhere the first has none to speak of."""
    last = summary[["iteration_high", "peak_iteration"]].max(axis=1).groupby(summary["method"]).max()
    return summary.assign(has_iterations=summary["method"].map(last > 1))


def _decoders(summary: pd.DataFrame) -> list[str]:
    return [decoder for decoder in dict.fromkeys(summary["decoder"]) if decoder != BETTER]


def _value_names(is_published: bool) -> list[str]:
    return ["published"] * is_published + ["choice", "mean ± sd", "peak (iteration)"]


def _without_unpublished(columns: dict[tuple[str, str], list[str]]) -> dict[tuple[str, str], list[str]]:
    """The columns but those of published values where there are none."""
    return {head: texts for head, texts in columns.items() if head[1] != "published" or set(texts) - {DASH}}


def _accuracies(summary: pd.DataFrame, kind: str, marked: set[tuple[str, str]]) -> pd.DataFrame:
    """Accuracies of a `kind`, "chosen" or "peak", by method and data set; `BEST` stands at the `marked` ones."""
    better = summary[summary["decoder"] == BETTER]
    centre = better[f"{kind}_mean"].fillna(better[f"{kind}_accuracy"])
    texts = [
        with_deviation(middle, sd) + _best((name, method) in marked)
        for middle, sd, name, method in zip(
            centre, better[f"{kind}_sd"], better["dataset"], better["method"], strict=True
        )
    ]
    sets = better.drop_duplicates("dataset")
    cells = better.assign(text=texts).set_index(["dataset", "method"])["text"]
    methods = ordered_training_methods(better["method"])
    columns = {"method": method_names(methods)}
    for name, shown in zip(sets["dataset"], dataset_names(sets), strict=True):
        columns[shown] = [cells.get((name, method), DASH) for method in methods]
    return pd.DataFrame(columns)


def _against_baseline(rows: pd.DataFrame, comparisons: pd.DataFrame) -> list[str]:
    """Accuracies at the choice, with stars against `BASELINE`; the better of TreeCRF and its rival is marked."""
    pairs = by_key(comparisons, *PAIR)
    better = {name: _better(pairs, str(name), set(of_set["method"])) for name, of_set in rows.groupby("dataset")}
    texts = []
    for dataset, method, accuracy in zip(rows["dataset"], rows["method"], rows["chosen_accuracy"], strict=True):
        marks = _marks(find_pair(pairs, dataset, BETTER, method, BASELINE), BASELINE_LEVELS)
        texts.append(number(accuracy) + marks + _best(better[dataset] == method))
    return texts


def _better(pairs: Rows, dataset: str, methods: set[str]) -> str | None:
    """The better of TreeCRF and MALLET, or of TreeCRF and CRF with induction, if a valid test decides."""
    rival = "mallet" if "mallet" in methods else "induced_crf"
    decision = find_pair(pairs, dataset, BETTER, "treecrf", rival).decision
    return {"better": "treecrf", "worse": rival}.get(decision)


# --- cells ------------------------------------------------------------------------------------------


def _marks(pair: Pair, levels: Sequence[float]) -> str:
    stars = STAR * sum(pair.p_value < level for level in levels)
    return stars + (DAGGER if stars and pair.agrees else "")


def _best(marked: bool) -> str:
    return f" {BEST}" if marked else ""


def _published_text(row: Row | None, stars: str) -> str:
    return DASH if row is None else number(row["accuracy_percent"]) + STAR * int(row[stars])


def _measured_texts(row: Row | None, marks: str) -> list[str]:
    """Choice, mean and standard deviation, peak."""
    if row is None:
        return [DASH] * 3
    return [number(row["chosen_accuracy"]) + marks, with_deviation(row["chosen_mean"], row["chosen_sd"]), _peak(row)]


def _peak(row: Row) -> str:
    iteration = f" ({row['peak_iteration']:.0f})" if row["has_iterations"] else ""
    return number(row["peak_accuracy"]) + iteration


def _means(rows: pd.DataFrame, kind: str) -> list[str]:
    return [with_deviation(*pair) for pair in zip(rows[f"{kind}_mean"], rows[f"{kind}_sd"], strict=True)]


def _iteration(row: Row) -> str:
    """The chosen iteration; of several splits the smallest and the largest; a dash for a method without iterations."""
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
    return _setting(row["candidate"]), _iteration(row), number(row["cv_accuracy"])


def _setting(candidate: str | float) -> str:
    """The candidate in words; a dash where there was nothing to choose, which a CSV file has as NaN."""
    if not isinstance(candidate, str):
        return DASH
    for name, text in SETTING_NAMES.items():
        candidate = candidate.replace(f"{name}=", f"{text} ")
    return candidate
