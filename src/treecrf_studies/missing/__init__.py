"""The study of missing input values (PhD chapter 4)."""

from treecrf_studies.framework.study import Figure, Job, Study, Summary, Table, View

OF_TREES = ("trees", "tree_training_sets", "newton_leaves", "newton_rates")
OF_MECHANISMS = ("mechanism_rate", "mechanism_training_sets", "run_length")
FRAME_PREFIXES = ("", "tree_", "mechanism_")
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
            ("Accuracy", "Accuracy by share of missing cells"),
            needs=("evaluations", "comparisons"),
        ),
        Table("costs", ("Cost", "CPU time by method and rate"), needs=("costs",)),
        Table(
            "deviance",
            ("Analysis of deviance", "Analysis of deviance"),
            needs=("deviance",),
        ),
        Table(
            "variances",
            ("Variance components", "Variance components"),
            needs=("variances",),
        ),
        Table(
            "coefficients",
            ("Log odds", "Log odds"),
            reference="Table 4.1",
            over="method",
            needs=("papers_comparisons",),
            tells_papers=True,
        ),
        Table(
            "significance",
            ("All tests", "All tests"),
            over="method",
            needs=("papers_comparisons", "comparisons"),
        ),
        Table(
            "effects",
            ("Points of accuracy", "Points of accuracy"),
            over="method",
            caption="effects_table",
            needs=("comparisons",),
        ),
        Table(
            "trees",
            ("Trees", "Kinds of trees by treatment"),
            needs=("tree_evaluations", "tree_comparisons"),
        ),
        Table(
            "tree_differences",
            ("Trees against each other", "Points that other trees gain"),
            needs=("tree_evaluations", "tree_differences"),
        ),
        Table(
            "mechanisms",
            ("Mechanisms", "Accuracy by mechanism"),
            needs=("mechanism_evaluations", "mechanism_comparisons"),
        ),
    ),
    figures=(
        Figure(
            "figure_4_1",
            ("Accuracy", "Accuracy by share of missing cells"),
            needs=("evaluations",),
            function="accuracy_by_rate",
        ),
        Figure(
            "figure_4_2",
            ("Line features", "How often line features are true"),
            reference="Figure 4.2",
            needs=("frequencies",),
            function="feature_frequencies",
        ),
        Figure(
            "effects",
            ("Points of accuracy, figures", "Points of accuracy"),
            over="baseline",
            needs=("comparisons",),
            function="effects_by_rate",
        ),
        Figure(
            "trees",
            ("Trees", "Kinds of trees by treatment"),
            caption="trees_figure",
            needs=("tree_evaluations",),
            function="accuracy_by_trees",
        ),
        Figure(
            "mechanisms",
            ("Mechanisms", "Accuracy by mechanism"),
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
        "pairs": tuple(View("methods.one_way", (f"{prefix}comparisons",)) for prefix in FRAME_PREFIXES),
        "runs": tuple(f"{prefix}evaluations" for prefix in FRAME_PREFIXES),
        "seconds": (View("tables.training_costs", ("costs",)),),
        "published": (View("tables.beside_coefficients", ("comparisons",)),),
        "counts": tuple(f"{prefix}counts" for prefix in FRAME_PREFIXES),
    },
    names="treecrf_studies.rendering.style.method_name",
    conditions="tables.condition_texts",
    repeated="training set",
    tested=(
        "Differences between methods are tested by a crossed model of training sets and groups of related test "
        "sequences."
    ),
)
