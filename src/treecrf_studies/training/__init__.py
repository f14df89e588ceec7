"""The study of training (PhD chapter 3): TreeCRF beside its rivals."""

from treecrf_studies.framework.study import Explored, Figure, Job, Rows, Study, Summary, Table

MEANS = {"points": "value", "points_standard_error": "standard_error"}
TRAINED = {"point": "'choice'", "run": "training {run}"}
OF_POSITIONS = {**TRAINED, "point": "{stage}", "n_positions": "0 * position + 1", "n_correct": "label == predicted"}


AT_CHOICE = {
    "metric": "'accuracy'",
    "point": "'choice'",
    "value": "chosen_mean.fillna(chosen_accuracy)",
    "low": "chosen_min.fillna(chosen_accuracy)",
    "high": "chosen_max.fillna(chosen_accuracy)",
    "n_runs": "n_perturbed_runs.where(chosen_mean.notna(), 1)",
    "chosen": "{candidate}, iteration {iteration}",
}
"""Mean accuracy of the perturbed trainings, or of the only one."""

AT_PEAK = {
    "metric": "'accuracy'",
    "point": "'peak'",
    "value": "peak_accuracy",
    "low": "peak_low",
    "high": "peak_high",
    "n_runs": "1",
    "cpu_seconds": "peak_cpu_seconds",
    "chosen": "{candidate}, iteration {peak_iteration:.0f}",
}
"""The highest point of the test curve; low and high are of all trainings there."""


STUDY = Study(
    "training",
    title="Training",
    settings="TrainingSettings",
    jobs=(
        Job(
            "compare_method",
            "{dataset}/{methods}.{frame}.parquet",
            ("folds", "choice", "curves", "predictions", "phases", "timings", "notes"),
            verb="train",
            message="Trains and tests on {wildcards.dataset}: {wildcards.methods}",
            mem_mb=2000,
            minutes=60,
            n_stages=2,
        ),
        Job(
            "score_larger",
            "{dataset}/{methods}.{frame}.parquet",
            ("larger_counts", "larger_trainings"),
            verb="score_larger",
            message="Tests on the larger sample {wildcards.dataset}: {wildcards.methods}",
            mem_mb=2000,
            datasets="larger_datasets",
            module="larger",
            on_samples=True,
            n_stages=1,
        ),
    ),
    summary=Summary(
        (
            "summary",
            "choice",
            "curves",
            "costs",
            "timings",
            "comparisons",
            "peak_comparisons",
            "last_comparisons",
            "ranks",
            "noise",
            "notes",
            "larger_accuracies",
            "larger_comparisons",
        ),
        settings=("exact_under", "blocks_under", "block_length", "equivalence_margin", "separation_margin"),
    ),
    tables=(
        Table(
            "accuracy",
            ("Accuracy", "Accuracy of all methods", "choice"),
            needs=("summary", "ranks"),
            function="accuracy_layout",
        ),
        Table("peaks", ("Accuracy", "Accuracy of all methods", "peak"), needs=("summary",), function="peaks_layout"),
        Table(
            "highest", ("Accuracy", "Accuracy of all methods", "highest"), needs=("summary",), function="highest_layout"
        ),
        Table("ranks", ("Ranks", "Ranks", "table"), needs=("ranks",), function="ranks_layout"),
        Table(
            "matrix",
            ("Ranks", "Comparison matrix", "matrix"),
            over="dataset",
            needs=("comparisons",),
            function="matrix_layout",
        ),
        Table(
            "larger_accuracies",
            ("Larger samples", "Accuracy", "table"),
            needs=("larger_accuracies", "summary"),
            function="larger_accuracies_layout",
        ),
        Table(
            "larger",
            ("Larger samples", "Tests between methods", "table"),
            needs=("larger_comparisons", "comparisons"),
            function="larger_layout",
        ),
        Table("noise", ("Ranks", "Variance components", "table"), needs=("noise",), function="noise_layout"),
        Table(
            "table_3_4",
            ("Published and measured", "Table 3.4: shrinkage", "table"),
            needs=("summary", "comparisons", "peak_comparisons"),
            function="shrinkage_layout",
            only_papers=True,
        ),
        Table(
            "table_3_5",
            ("Published and measured", "Table 3.5: TreeCRF, MALLET, baseline", "table"),
            needs=("summary", "comparisons", "peak_comparisons"),
            function="methods_layout",
            only_papers=True,
        ),
        Table(
            "table_3_6",
            ("Cost", "Table 3.6: CPU seconds per iteration", "table"),
            needs=("costs",),
            function="step_seconds_layout",
            only_papers=True,
        ),
        Table("steps", ("Cost", "CPU seconds of all chains", "table"), needs=("costs",), function="steps_layout"),
        Table("choices", ("Settings", "Chosen settings", "table"), needs=("summary",), function="choices_layout"),
        Table(
            "estimates",
            ("Settings", "Cross-validated and tested accuracy", "table"),
            needs=("summary",),
            function="estimates_layout",
        ),
        Table("notes", ("Settings", "Methods that were not run", "table"), needs=("notes",), function="notes_layout"),
        Table(
            "tests",
            ("All tests", "All tests between methods", "{value}"),
            over="decoder",
            needs=("comparisons",),
            function="pairs_layout",
        ),
    ),
    figures=(
        Figure(
            "accuracies",
            ("Overview", "Accuracy of all methods", "figure"),
            needs=("summary",),
            function="accuracies",
            tells_papers=True,
        ),
        Figure(
            "figure_3_1",
            ("Learning curves", "Accuracy and CPU seconds by iteration", "accuracy"),
            reference="Figures 3.1 and 3.2",
            needs=("curves",),
            function="accuracy_by_iteration",
            tells_papers=True,
        ),
        Figure(
            "figure_3_2",
            ("Learning curves", "Accuracy and CPU seconds by iteration", "CPU seconds"),
            reference="Figures 3.1 and 3.2",
            needs=("curves",),
            function="seconds_by_iteration",
        ),
        Figure(
            "accuracy_by_seconds",
            ("Learning curves", "Accuracy by CPU seconds", "figure"),
            reference="ICML figures 2 to 4",
            needs=("curves",),
            function="accuracy_by_seconds",
            tells_papers=True,
        ),
        Figure(
            "accuracy_by_size",
            ("Larger samples", "Accuracy by training sequences", "figure"),
            needs=("larger_accuracies",),
            function="accuracy_by_size",
        ),
    ),
    phases="{methods}.phases.parquet",
    phases_note="of the training after the choice of settings",
    claimed=(
        "summary",
        "curves",
        "comparisons",
        "peak_comparisons",
        "last_comparisons",
        "costs",
        "timings",
        "larger_comparisons",
    ),
    explored=Explored(
        name="treecrf_studies.rendering.style.training_method_name",
        test=(
            "Differences between methods are tested by a t test over trainings and groups of related test sequences "
            "(blocks of positions where there are few sequences)."
        ),
        scores=(Rows("summary", AT_CHOICE), Rows("summary", AT_PEAK, where="peak_accuracy.notna()")),
        pairs=(
            Rows("comparisons", {**MEANS, "point": "'choice'"}),
            Rows("peak_comparisons", {**MEANS, "point": "'peak'"}),
        ),
        curves=(Rows("curves", {"decoder": "'better'", "is_chosen": "chosen"}, where="preferred"),),
        published=(
            Rows(
                "summary",
                {
                    "point": "'peak'",
                    "quantity": "'accuracy (%)'",
                    "source": "PhD table {table}",
                    "published": "percent",
                    "measured": "peak_accuracy",
                    "at_choice": "chosen_accuracy",
                    "low": "peak_low",
                    "high": "peak_high",
                },
                through="published.with_printed",
            ),
        ),
        predictions=(
            Rows("predictions", {**TRAINED}, through="summary.counted_at_choice"),
            Rows(
                "predictions",
                {**TRAINED, "decoder": "'better'"},
                through="summary.counted_at_choice",
                where="decoder_of == 'better'",
                join="summary",
                joined={"dataset": "dataset", "method": "method", "chosen_decoder": "decoder", "decoder": "decoder_of"},
            ),
        ),
        counts=(
            Rows("larger_counts", {"dataset": "sample", "point": "'choice'", "run": "training {training}"}),
            Rows("predictions", OF_POSITIONS, where="stage == 'peak'"),
            Rows("predictions", OF_POSITIONS, through="summary.counted_at_end"),
        ),
    ),
)
