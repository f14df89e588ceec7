"""The study of missing input values (PhD chapter 4)."""

from treecrf.studies.study import Figure, Job, Study, Summary, Table

OF_TREES = ("trees", "tree_training_sets", "newton_leaves", "newton_rates")
OF_MECHANISMS = ("mechanism_rate", "mechanism_training_sets", "run_length")

STUDY = Study(
    "missing",
    title="Missing values (chapter 4)",
    settings="MissingSettings",
    jobs=(
        Job(
            "evaluate_rates", "{dataset}/{methods}.{frame}.parquet", ("counts", "choices", "costs"),
            verb="evaluate",
            message="Evaluates {wildcards.methods} with missing cells of {wildcards.dataset}",
            mem_mb=1000, minutes=60, without=(*OF_TREES, "mechanisms", *OF_MECHANISMS),
        ),
        Job(
            "evaluate_trees", "{dataset}/{methods}.{frame}.parquet", ("tree_counts", "tree_choices", "tree_costs"),
            verb="evaluate_trees",
            message="Evaluates {wildcards.methods} with other trees and missing cells of {wildcards.dataset}",
            mem_mb=1000, minutes=120, datasets="tree_datasets", without=("mechanisms", *OF_MECHANISMS),
        ),
        Job(
            "evaluate_mechanisms", "{dataset}/{methods}.{frame}.parquet",
            ("mechanism_counts", "mechanism_choices", "mechanism_costs"),
            verb="evaluate_mechanisms",
            message="Evaluates {wildcards.methods} with cells of {wildcards.dataset} that are missing for reasons",
            mem_mb=1000, minutes=60, datasets="mechanism_datasets", without=(*OF_TREES, "rates", "n_training_sets"),
        ),
    ),
    summary=Summary(
        (
            "evaluations", "comparisons", "deviance", "variances", "choices", "costs", "frequencies",
            "tree_evaluations", "tree_comparisons", "tree_differences", "mechanism_evaluations", "mechanism_comparisons",
        ),
        settings=("papers_sets", "equivalence_margin", "degrees_of_freedom"),
    ),
    tables=(
        Table("accuracy", ("Accuracy", "Accuracy by share of missing cells", "table"), needs=("evaluations", "comparisons"), function="accuracy_layout"),
        Table("costs", ("Cost", "CPU time by method and rate", "table"), needs=("costs",), function="costs_layout"),
        Table("deviance", ("Analysis of deviance", "Analysis of deviance", "table"), needs=("deviance",), function="deviance_layout"),
        Table("variances", ("Variance components", "Where the noise comes from", "table"), needs=("variances",), function="variances_layout"),
        Table("coefficients", ("Table 4.1: log odds", "Table 4.1: log odds", "table"), over="method", needs=("comparisons",), function="coefficients_layout"),
        Table("significance", ("All tests", "All tests", "table"), over="method", needs=("comparisons",), function="significance_layout"),
        Table("effects", ("Points of accuracy", "Points of accuracy", "table"), over="method", caption="effects_table", needs=("comparisons",), function="effects_layout"),
        Table("trees", ("Trees", "Kinds of trees by treatment", "table"), needs=("tree_evaluations", "tree_comparisons"), function="trees_layout"),
        Table("tree_differences", ("Trees against each other", "Points that other trees gain", "table"), needs=("tree_evaluations", "tree_differences"), function="tree_differences_layout"),
        Table("mechanisms", ("Mechanisms", "Accuracy by mechanism", "table"), needs=("mechanism_evaluations", "mechanism_comparisons"), function="mechanisms_layout"),
    ),
    figures=(
        Figure("figure_4_1", ("Accuracy", "Accuracy by share of missing cells", "figure"), needs=("evaluations",), function="accuracy_by_rate"),
        Figure("figure_4_2", ("Line features", "Figure 4.2: how often line features are true", "figure"), needs=("frequencies",), function="feature_frequencies"),
        Figure("effects", ("Points of accuracy, figures", "Points of accuracy", "figure"), over="baseline", needs=("comparisons",), function="effects_by_rate"),
        Figure("trees", ("Trees", "Kinds of trees by treatment", "figure"), caption="trees_figure", needs=("tree_evaluations",), function="accuracy_by_trees"),
        Figure("mechanisms", ("Mechanisms", "Accuracy by mechanism", "figure"), caption="mechanisms_figure", needs=("mechanism_evaluations",), function="accuracy_by_mechanism"),
    ),
    within="missing",
    guide="missing_values.md",
    phases="costs.csv",
    phases_note="of all trainings, choices and predictions with trees of single categories and gradient leaves and cells missing completely at random",
    claimed=("evaluations", "comparisons", "costs", "frequencies"),
    claimed_of={"costs": ("instance_weighting", "surrogate_splitting", "imputation", "indicator")},
)  # fmt: skip
