"""The study of missing input values (PhD chapter 4)."""

from treecrf_studies.framework.study import Figure, Job, Study, Summary, Table, View

OF_TREES = ("trees", "tree_training_sets", "newton_leaves", "newton_rates")
OF_MECHANISMS = ("mechanism_rate", "mechanism_training_sets", "run_length")
KINDS = ("", "tree_", "mechanism_")
"""Before the names of evaluations and comparisons: as in the papers, other trees, values missing not at random."""

STUDY = Study(
    "missing",
    title="Missing values",
    settings="MissingSettings",
    jobs=(
        Job(
            "evaluate_rates",
            "{dataset}/{methods}.{frame}.parquet",
            ("counts", "choices", "costs"),
            verb="evaluate",
            message="Evaluates missing cells of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=1000,
            minutes=60,
            without=(*OF_TREES, "mechanisms", *OF_MECHANISMS),
        ),
        Job(
            "evaluate_trees",
            "{dataset}/{methods}.{frame}.parquet",
            ("tree_counts", "tree_choices", "tree_costs"),
            verb="evaluate_trees",
            message="Evaluates other trees with missing cells of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=1000,
            minutes=120,
            datasets="tree_datasets",
            without=("mechanisms", *OF_MECHANISMS),
        ),
        Job(
            "evaluate_mechanisms",
            "{dataset}/{methods}.{frame}.parquet",
            ("mechanism_counts", "mechanism_choices", "mechanism_costs"),
            verb="evaluate_mechanisms",
            message="Evaluates values of {wildcards.dataset} missing not at random: {wildcards.methods}",
            mem_mb=1000,
            minutes=60,
            datasets="mechanism_datasets",
            without=(*OF_TREES, "rates", "n_training_sets"),
        ),
    ),
    summary=Summary(
        (
            "evaluations",
            "comparisons",
            "papers_comparisons",
            "deviance",
            "variances",
            "choices",
            "costs",
            "frequencies",
            "tree_evaluations",
            "tree_comparisons",
            "tree_differences",
            "mechanism_evaluations",
            "mechanism_comparisons",
        ),
        settings=("papers_sets", "equivalence_margin", "degrees_of_freedom", "n_surrogates"),
    ),
    tables=(
        Table(
            "accuracy",
            ("Accuracy", "Accuracy by share of missing cells", "table"),
            needs=("evaluations", "comparisons"),
            function="accuracy_layout",
        ),
        Table("costs", ("Cost", "CPU time by method and rate", "table"), needs=("costs",), function="costs_layout"),
        Table(
            "deviance",
            ("Analysis of deviance", "Analysis of deviance", "table"),
            needs=("deviance",),
            function="deviance_layout",
        ),
        Table(
            "variances",
            ("Variance components", "Variance components", "table"),
            needs=("variances",),
            function="variances_layout",
        ),
        Table(
            "coefficients",
            ("Log odds", "Log odds", "table"),
            reference="Table 4.1",
            over="method",
            needs=("papers_comparisons",),
            function="coefficients_layout",
            tells_papers=True,
        ),
        Table(
            "significance",
            ("All tests", "All tests", "table"),
            over="method",
            needs=("papers_comparisons", "comparisons"),
            function="significance_layout",
        ),
        Table(
            "effects",
            ("Points of accuracy", "Points of accuracy", "table"),
            over="method",
            caption="effects_table",
            needs=("comparisons",),
            function="effects_layout",
        ),
        Table(
            "trees",
            ("Trees", "Kinds of trees by treatment", "table"),
            needs=("tree_evaluations", "tree_comparisons"),
            function="trees_layout",
        ),
        Table(
            "tree_differences",
            ("Trees against each other", "Points that other trees gain", "table"),
            needs=("tree_evaluations", "tree_differences"),
            function="tree_differences_layout",
        ),
        Table(
            "mechanisms",
            ("Mechanisms", "Accuracy by mechanism", "table"),
            needs=("mechanism_evaluations", "mechanism_comparisons"),
            function="mechanisms_layout",
        ),
    ),
    figures=(
        Figure(
            "figure_4_1",
            ("Accuracy", "Accuracy by share of missing cells", "figure"),
            needs=("evaluations",),
            function="accuracy_by_rate",
        ),
        Figure(
            "figure_4_2",
            ("Line features", "How often line features are true", "figure"),
            reference="Figure 4.2",
            needs=("frequencies",),
            function="feature_frequencies",
        ),
        Figure(
            "effects",
            ("Points of accuracy, figures", "Points of accuracy", "figure"),
            over="baseline",
            needs=("comparisons",),
            function="effects_by_rate",
        ),
        Figure(
            "trees",
            ("Trees", "Kinds of trees by treatment", "figure"),
            caption="trees_figure",
            needs=("tree_evaluations",),
            function="accuracy_by_trees",
        ),
        Figure(
            "mechanisms",
            ("Mechanisms", "Accuracy by mechanism", "figure"),
            caption="mechanisms_figure",
            needs=("mechanism_evaluations",),
            function="accuracy_by_mechanism",
        ),
    ),
    within="missing",
    phases="costs.csv",
    phases_note=(
        "of all trainings, choices and predictions with trees of single categories and gradient leaves and cells "
        "missing completely at random"
    ),
    claimed=("evaluations", "comparisons", "papers_comparisons", "costs", "frequencies"),
    views={
        "pairs": tuple(View("methods.one_way", (f"{kind}comparisons",)) for kind in KINDS),
        "runs": tuple(f"{kind}evaluations" for kind in KINDS),
        "seconds": ("costs",),
        "published": (View("tables.beside_coefficients", ("comparisons",)),),
        "counts": tuple(f"{kind}counts" for kind in KINDS),
    },
    names="treecrf_studies.rendering.style.method_name",
    conditions="tables.condition_texts",
    repeated="training set",
    tested=(
        "Differences between methods are tested by a crossed model of training sets and groups of related test "
        "sequences."
    ),
)
