"""The study of future features (PhD chapter 5)."""

from treecrf_studies.framework.study import OVER_DRAWS, Figure, Job, Study, Summary, Table, View

STUDY = Study(
    "future",
    title="Future features",
    settings="FutureSettings",
    jobs=(
        Job(
            "compare_future",
            "{dataset}/{methods}.{frame}.parquet",
            ("runs", "predictions", "weights", "trees"),
            verb="train",
            message="Trains and tests on all draws of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=1300,
            minutes=30,
        ),
        Job(
            "one_directional_example",
            "{frame}.csv",
            ("example",),
            verb="compute_example",
            message="Computes the example of section 5.1",
            datasets="",
            has_settings=False,
            minutes=5,
        ),
    ),
    summary=Summary(
        ("runs", "summary", "best", "comparisons", "tests", "variances", "weights", "trees"),
        settings=("exact_under", "equivalence_margin"),
    ),
    tables=(
        Table(
            "table_5_3",
            ("Start values", "Table 5.3: FF-MEMM by G0"),
            needs=("summary",),
            function="patterns_layout",
            only_papers=True,
        ),
        Table(
            "table_5_4",
            ("Accuracy by order", "Table 5.4"),
            needs=("best",),
            function="generated_layout",
            only_papers=True,
        ),
        Table(
            "table_5_5",
            ("Accuracy by order", "Table 5.5"),
            needs=("best",),
            function="nettalk_layout",
            only_papers=True,
        ),
        Table(
            "decoders",
            ("Accuracy by order", "Decoders"),
            needs=("best",),
            only_papers=True,
        ),
        Table(
            "orders",
            ("Accuracy by order", "Accuracy by order"),
            reference="Beyond tables 5.4 and 5.5",
            needs=("best",),
            tells_papers=True,
        ),
        Table(
            "gains",
            ("Tests", "With and without discovered features"),
            needs=("best", "comparisons"),
        ),
        Table("tests", ("Tests", "Tests between neighbours"), needs=("tests",), function="neighbours_layout"),
        Table(
            "variances",
            ("Variance components", "Variance components"),
            needs=("variances",),
        ),
        Table("choices", ("Settings", "Chosen settings"), needs=("summary",), function="costs_layout"),
        Table(
            "example",
            ("Section 5.1", "One direction is not enough"),
            needs=("example",),
            only_papers=True,
        ),
    ),
    figures=(
        Figure(
            "orders",
            ("Accuracy by order", "Accuracy by order"),
            reference="Tables 5.4 and 5.5",
            needs=("best",),
            tells_papers=True,
        ),
        Figure(
            "weights",
            ("Future features", "What features look at", "weights"),
            over="dataset",
            needs=("weights",),
            function="what_features_see",
        ),
        Figure(
            "trees",
            ("Future features", "What features look at", "trees"),
            over="dataset",
            needs=("trees",),
            function="feature_trees",
        ),
    ),
    draws=True,
    phases="runs.csv",
    phases_note="of the chosen trainings of all draws",
    claimed=("summary", "best", "comparisons", "runs", "example"),
    views={
        "scores": (View("methods.scored", ("best",)),),
        "pairs": ("comparisons",),
        "runs": (View("methods.ran", ("runs", "best")),),
        "published": (View("published.beside_accuracies", ("best", "summary")),),
        "predictions": (View("methods.predicted", ("predictions", "best")),),
    },
    names="methods.method_text",
    tested=OVER_DRAWS,
)
