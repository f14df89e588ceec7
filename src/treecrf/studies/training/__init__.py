"""The study of training (PhD chapter 3): TreeCRF beside its rivals."""

from treecrf.studies.study import Figure, Job, Study, Summary, Table

STUDY = Study(
    "training",
    title="Training (chapter 3)",
    settings="TrainingSettings",
    jobs=(
        Job(
            "compare_method",
            "{dataset}/{methods}.{frame}.parquet",
            ("folds", "choice", "curves", "predictions", "phases", "notes"),
            verb="train",
            message="Trains and tests {wildcards.methods} on {wildcards.dataset}",
            mem_mb=2000,
            minutes=60,
        ),
    ),
    summary=Summary(("summary", "choice", "curves", "costs", "comparisons", "notes"), settings=("exact_under",)),
    tables=(
        Table("accuracy", ("Accuracy", "Accuracy of all methods", "choice")),
        Table("peaks", ("Accuracy", "Accuracy of all methods", "peak")),
        Table("table_3_4", ("Published and measured", "Table 3.4: shrinkage", "table")),
        Table("table_3_5", ("Published and measured", "Table 3.5: TreeCRF, MALLET, baseline", "table")),
        Table("table_3_6", ("Cost", "Table 3.6: CPU seconds per iteration", "table")),
        Table("choices", ("Settings", "Chosen settings", "table")),
        Table("notes", ("Settings", "Methods that were not run", "table")),
        Table("tests", ("All tests", "All tests between methods", "{value}"), over="decoder"),
    ),
    figures=(
        Figure("accuracies", ("Overview", "Accuracy of all methods", "figure"), needs=("summary",), function="accuracies"),
        Figure(
            "figure_3_1", ("Learning curves", "Figures 3.1 and 3.2", "accuracy"), needs=("curves",), function="accuracy_by_iteration"
        ),
        Figure(
            "figure_3_2", ("Learning curves", "Figures 3.1 and 3.2", "CPU seconds"), needs=("curves",), function="seconds_by_iteration"
        ),
    ),
    tabulated=("summary", "comparisons", "costs", "notes"),
    phases="{methods}.phases.parquet",
    phases_note="of the training after the choice of settings",
    claimed=("summary", "choice", "curves", "costs", "comparisons", "notes"),
)  # fmt: skip
