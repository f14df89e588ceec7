"""The study of missing input values (PhD chapter 4)."""

from treecrf.studies.study import Figure, Job, Study, Summary, Table

STUDY = Study(
    "missing",
    title="Missing values (chapter 4)",
    settings="MissingSettings",
    jobs=(
        Job(
            "evaluate_rates", "{dataset}/{methods}.{frame}.parquet", ("counts", "choices", "costs"),
            verb="evaluate",
            message="Evaluates {wildcards.methods} with missing cells of {wildcards.dataset}",
            mem_mb=1000, minutes=60,
        ),
    ),
    summary=Summary(
        ("evaluations", "comparisons", "deviance", "variances", "choices", "costs", "frequencies"),
        settings=("equivalence_margin", "degrees_of_freedom"),
    ),
    tables=(
        Table("accuracy", ("Accuracy", "Accuracy by share of missing cells", "table"), needs=("evaluations",), function="accuracy_layout"),
        Table("costs", ("Cost", "CPU time by method and rate", "table"), needs=("costs",), function="costs_layout"),
        Table("deviance", ("Analysis of deviance", "Analysis of deviance", "table"), needs=("deviance",), function="deviance_layout"),
        Table("variances", ("Variance components", "Where the noise comes from", "table"), needs=("variances",), function="variances_layout"),
        Table("coefficients", ("Table 4.1: log odds", "Table 4.1: log odds", "table"), over="method", needs=("comparisons",), function="coefficients_layout"),
        Table("significance", ("All tests", "All tests", "table"), over="method", needs=("comparisons",), function="significance_layout"),
        Table("effects", ("Points of accuracy", "Points of accuracy", "table"), over="method", caption="effects_table", needs=("comparisons",), function="effects_layout"),
    ),
    figures=(
        Figure("figure_4_1", ("Accuracy", "Accuracy by share of missing cells", "figure"), needs=("evaluations",), function="accuracy_by_rate"),
        Figure("figure_4_2", ("Line features", "Figure 4.2: how often line features are true", "figure"), needs=("frequencies",), function="feature_frequencies"),
        Figure("effects", ("Points of accuracy, figures", "Points of accuracy", "figure"), over="baseline", needs=("comparisons",), function="effects_by_rate"),
    ),
    guide="missing_values.md",
    phases="costs.csv",
    phases_note="of all trainings, choices and predictions",
    claimed=("evaluations", "comparisons", "costs", "frequencies"),
    claimed_of={"costs": ("instance_weighting", "surrogate_splitting", "imputation", "indicator")},
)  # fmt: skip
