"""Tables of the study of kernels (Altun, Smola and Hofmann 2004): text in cells."""

from __future__ import annotations

from typing import Any

import pandas as pd

from treecrf_studies.framework.comparisons import compare_steps, pairs_layout
from treecrf_studies.framework.tables import by_key, columns_by_dataset
from treecrf_studies.kernels.methods import (
    DECODER,
    FORM_NAMES,
    PIVOT_NAMES,
    SOLVER_TEXTS,
    STEPS,
    method_text,
    ordered_methods,
)
from treecrf_studies.rendering.cells import (
    DASH,
    cell_texts,
    count_text,
    dataset_names,
    grouped,
    number,
    seconds_text,
    with_deviation,
)


def accuracy_layout(scores: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method, a row each, on every data set, a column each."""
    rows = scores[scores["decoder"] == DECODER]
    methods = ordered_methods(rows["method"])
    columns = columns_by_dataset(rows, methods, lambda row: with_deviation(row["value"], row["sd"], row["n"]))
    return pd.DataFrame({"method": [method_text(method) for method in methods]} | columns)


def steps_layout(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Tests of the pairs of `STEPS`."""
    names = dict(zip(comparisons["dataset"], dataset_names(comparisons), strict=True))
    pairs = compare_steps(comparisons, STEPS)
    columns = {
        "data set": [names[pair.dataset] for pair in pairs],
        "method": [method_text(pair.method) for pair in pairs],
        "compared with": [method_text(pair.other) for pair in pairs],
    }
    return pairs_layout(pairs, columns)


def choices_layout(scores: pd.DataFrame) -> pd.DataFrame:
    """What cross-validation chose, the form of the model, both decoders, and CPU seconds."""
    by_decoder = by_key(scores, "decoder", "dataset", "method")
    shown = scores[scores["decoder"] == DECODER]
    rows = shown.sort_values("dataset", kind="stable", key=lambda names: names.map(list(dict.fromkeys(names)).index))
    viterbi = [by_decoder["viterbi", *key]["value"] for key in zip(rows["dataset"], rows["method"], strict=True)]
    return pd.DataFrame(
        {
            "data set": dataset_names(rows),
            "method": [method_text(method) for method in rows["method"]],
            "chosen": [text if isinstance(text, str) and text else DASH for text in rows["settings"]],
            "form": [FORM_NAMES.get(form, DASH) for form in rows["form"]],
            "cross-validation (%)": cell_texts(rows["held_out_accuracy"], number),
            "test (%)": cell_texts(rows["value"], number),
            "test, Viterbi (%)": list(map(number, viterbi)),
            "CPU s": cell_texts(rows["cpu_seconds"], seconds_text),
        }
    )


def solvers_layout(solvers: pd.DataFrame) -> pd.DataFrame:
    """Where each solver ends."""
    groups = solvers.groupby(["dataset", "degree", "solver"], sort=False)
    ends = solvers.assign(first_excess=groups["excess"].transform("first")).loc[groups.tail(1).index]
    return pd.DataFrame(
        {
            "data set": ends["dataset"].to_list(),
            "degree": ends["degree"].astype(str).to_list(),
            "solver": ends["solver"].map(SOLVER_TEXTS).to_list(),
            "iterations": [count_text(value) if value >= 0 else DASH for value in ends["iteration"]],
            "CPU s": cell_texts(ends["cpu_seconds"], seconds_text),
            "above the minimum": cell_texts(ends["excess"], _part),
            "at most (lemma 9)": cell_texts(ends["gap"], _part),
            "converged": [_end(row) for row in ends.to_dict("records")],
            "test (%)": cell_texts(ends["accuracy"], number),
        }
    )


def _end(row: dict[Any, Any]) -> str:
    """Whether a solver has converged; one that ends above the start has diverged."""
    if row["converged"]:
        return "yes"
    return "diverged" if row["excess"] > row["first_excess"] else "no"


def _part(value: float) -> str:
    """A part of the objective, however small."""
    return DASH if pd.isna(value) else f"{max(value, 0.0):.1e}"


def ranks_layout(ranks: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, objective and CPU seconds by rank and rule of choosing pivots."""
    keys = ranks[ranks["pivots"] != "exact"][["dataset", "rank"]].drop_duplicates()
    exact = ranks[ranks["pivots"] == "exact"].set_index("dataset")
    indexed = ranks.set_index(["dataset", "rank", "pivots"])
    rules = [name for name in PIVOT_NAMES if name in set(ranks["pivots"]) - {"exact"}]
    columns: dict[tuple[str, str], list[str]] = {
        ("", "data set"): keys["dataset"].to_list(),
        ("", "rank"): [count_text(rank) for rank in keys["rank"]],
        ("", "exact (%)"): [number(exact["accuracy"][dataset]) for dataset in keys["dataset"]],
    }
    shown = {
        "accuracy": ("accuracy (%)", number),
        "excess": ("above the exact minimum", _part),
        "cpu_seconds": ("CPU s", seconds_text),
    }
    for name, (heading, text) in shown.items():
        for rule in rules:
            columns[heading, PIVOT_NAMES[rule]] = [
                text(indexed[name][dataset, rank, rule]) for dataset, rank in keys.itertuples(index=False)
            ]
    return grouped(columns)


def sizes_layout(sizes: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds and memory by positions, for each form of the model."""
    keys = sizes[["dataset", "n_positions", "n_windows"]].drop_duplicates()
    indexed = sizes.set_index(["dataset", "n_positions", "form"])
    columns: dict[tuple[str, str], list[str]] = {
        ("", "data set"): keys["dataset"].to_list(),
        ("", "positions"): [count_text(n) for n in keys["n_positions"]],
        ("", "different windows"): [count_text(n) for n in keys["n_windows"]],
    }
    for name, heading, text in (("cpu_seconds", "CPU s", seconds_text), ("memory_mb", "memory (MB)", count_text)):
        for form in dict.fromkeys(sizes["form"]):
            columns[heading, FORM_NAMES[form]] = [
                text(indexed[name][dataset, n, form]) for dataset, n, _ in keys.itertuples(index=False)
            ]
    return grouped(columns)
