"""The study of output coding (M.S. thesis): many labels by the bits of a code, by beam search, and all at once."""

from typing import Any

from treecrf_studies.framework.study import (
    COMPARED,
    DRAW,
    DRAWN,
    OVER_DRAWS_OR_GROUPS,
    Explored,
    Figure,
    Job,
    Rows,
    Study,
    Summary,
    Table,
)

WINDOW = {"variant": "window {window}"}
COMPARED_SIZES: Any = {"join": "summary.compared_sizes", "join_frames": ("lines", "best")}
"""The longest code, the chosen beam."""


STUDY = Study(
    "coding",
    title="Many labels",
    settings="CodingSettings",
    jobs=(
        Job(
            "label_test_sets", "{dataset}/{methods}.{frame}.parquet", ("runs", "predictions", "timings"),
            verb="train", message="Trains and tests on all draws of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=3000, minutes=60,
        ),
    ),
    summary=Summary(("runs", "timings", "lines", "best", "comparisons", "gains", "lengths"), settings=("exact_under", "equivalence_margin")),
    tables=(
        Table("all_labels", ("All labels at once", "Accuracy and cost", "table"), needs=("lines", "best"), function="all_labels_layout"),
        Table("steps", ("Tests", "Tests between methods", "table"), needs=("comparisons", "best"), function="steps_layout"),
        Table("codes", ("Codes", "Accuracy with the longest code", "table"), needs=("lines", "best"), function="codes_layout"),
        Table("choices", ("Codes", "History and beam", "table"), needs=("best",), function="choices_layout"),
        Table("beams", ("Beams", "Accuracy and cost by beam", "table"), needs=("lines",), function="beams_layout"),
        Table("chunks", ("Noun phrases", "F1", "table"), needs=("lines",), function="chunks_layout"),
    ),
    figures=(
        Figure("lengths", ("Codes", "Accuracy by code length", "figure"), reference="Figures 5.1, 5.2, 5.4, 5.6", over="dataset", needs=("lines",), function="accuracy_by_length", tells_papers=True),
        Figure("seconds", ("All labels at once", "Accuracy by CPU seconds", "figure"), reference="Figures 5.3, 5.5", over="dataset", needs=("lines", "best"), function="accuracy_by_seconds", tells_papers=True),
    ),
    draws=True,
    phases="runs.csv",
    phases_note="of all trainings on the whole training sets",
    claimed=("runs", "timings", "lines", "best", "comparisons", "gains", "lengths"),
    explored=Explored(
        name="methods.method_text",
        test=OVER_DRAWS_OR_GROUPS,
        scores=(
            Rows("lines", {**DRAWN, **WINDOW}, **COMPARED_SIZES),
            Rows(
                "lines", {**WINDOW, "metric": "'F1 of noun phrases'", "value": "f1", "n_runs": "n_seeds"}, where="f1 == f1",
                **COMPARED_SIZES,
            ),
        ),
        pairs=(Rows("comparisons", {**COMPARED, **WINDOW}),),
        runs=(Rows("runs", {**WINDOW, "run": DRAW}, **COMPARED_SIZES),),
        predictions=(Rows("predictions", {**WINDOW, "run": DRAW}, **COMPARED_SIZES),),
        references=("known_model",),
    ),
)  # fmt: skip
