"""The study of output coding (M.S. thesis): many labels by the bits of a code, by beam search, and all at once."""

from treecrf_studies.framework.study import OVER_DRAWS_OR_GROUPS, Figure, Job, Study, Summary, Table, View

STUDY = Study(
    "coding",
    title="Many labels",
    settings="CodingSettings",
    jobs=(
        Job(
            "label_test_sets",
            "{dataset}/{methods}.{frame}.parquet",
            ("runs", "predictions", "timings"),
            verb="train",
            message="Trains and tests on all draws of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=3000,
            minutes=60,
        ),
    ),
    summary=Summary(
        ("runs", "timings", "scores", "best", "comparisons", "gains", "lengths"),
        settings=("exact_under", "equivalence_margin"),
    ),
    tables=(
        Table(
            "all_labels",
            ("All labels at once", "Accuracy and cost"),
            needs=("scores", "best"),
        ),
        Table("steps", ("Tests", "Tests between methods"), needs=("comparisons", "best")),
        Table(
            "codes",
            ("Codes", "Accuracy with the longest code"),
            needs=("scores", "best"),
        ),
        Table("choices", ("Codes", "History and beam"), needs=("best",)),
        Table("beams", ("Beams", "Accuracy and cost by beam"), needs=("scores",)),
        Table("chunks", ("Noun phrases", "F1"), needs=("scores",)),
    ),
    figures=(
        Figure(
            "lengths",
            ("Codes", "Accuracy by code length"),
            reference="Figures 5.1, 5.2, 5.4, 5.6",
            over="dataset",
            needs=("scores",),
            function="accuracy_by_length",
            tells_papers=True,
        ),
        Figure(
            "seconds",
            ("All labels at once", "Accuracy by CPU seconds"),
            reference="Figures 5.3, 5.5",
            over="dataset",
            needs=("scores", "best"),
            function="accuracy_by_seconds",
            tells_papers=True,
        ),
    ),
    draws=True,
    phases="runs.csv",
    phases_note="of all trainings on the whole training sets",
    claimed=("runs", "timings", "scores", "best", "comparisons", "gains", "lengths"),
    views={
        "scores": ("scores",),
        "pairs": ("comparisons",),
        "runs": (View("summary.compared_rows", ("runs", "scores")),),
        "predictions": (View("summary.compared_rows", ("predictions", "scores")),),
    },
    names="methods.method_text",
    conditions="methods.window_texts",
    tested=OVER_DRAWS_OR_GROUPS,
    references=("known_model",),
)
