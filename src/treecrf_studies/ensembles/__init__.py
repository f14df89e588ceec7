"""The study of ensembles (Cortes, Kuznetsov and Mohri 2014): votes of labellers, and stacking."""

from treecrf_studies.framework.study import OVER_DRAWS, Figure, Job, Study, Summary, Table, View

STUDY = Study(
    "ensembles",
    title="Ensembles",
    settings="EnsemblesSettings",
    jobs=(
        Job(
            "combine_experts",
            "{dataset}/{frame}.parquet",
            ("runs", "predictions", "experts", "boosting"),
            verb="combine",
            message="Trains and combines the experts of all draws of {wildcards.dataset}",
            mem_mb=3000,
            minutes=30,
        ),
        Job(
            "vote_on_generated_sets",
            "{frame}.csv",
            ("losses", "bounds", "boosted"),
            verb="vote",
            message="Votes on the generated sets of table 1",
            datasets="",
            module="generated",
            mem_mb=2000,
        ),
    ),
    summary=Summary(
        ("runs", "scores", "comparisons", "experts", "boosting"),
        settings=("exact_under", "equivalence_margin"),
        message="Compares the ensembles on {wildcards.dataset}",
    ),
    tables=(
        Table(
            "table_1",
            ("Generated sets", "Table 1: losses"),
            needs=("losses",),
            only_papers=True,
        ),
        Table(
            "sticking",
            ("Generated sets", "SLE, split by whether it sticks"),
            needs=("losses",),
        ),
        Table(
            "bound",
            ("Bound", "The bound and its equality"),
            reference="Theorem 3",
            needs=("boosted",),
        ),
        Table("accuracy", ("Real data", "Errors of the ensembles"), needs=("scores",), function="errors_layout"),
        Table(
            "steps",
            ("Real data", "Tests between ensembles"),
            needs=("comparisons",),
        ),
        Table("boosting", ("Real data", "Selected experts"), needs=("boosting",)),
        Table("experts", ("Real data", "The experts"), needs=("experts",)),
    ),
    figures=(
        Figure(
            "bound_by_round",
            ("Bound", "Margin loss and bound"),
            reference="Theorem 3",
            needs=("bounds",),
            function="margin_loss_by_round",
        ),
        Figure(
            "errors",
            ("Real data", "Errors of the ensembles"),
            needs=("scores",),
            function="errors_by_ensemble",
        ),
    ),
    claimed=("losses", "boosted"),
    views={
        "scores": ("scores",),
        "pairs": ("comparisons",),
        "runs": ("runs",),
        "published": (View("tables.beside_losses", ("losses",)),),
        "predictions": ("predictions",),
    },
    names="methods.row_text",
    tested=OVER_DRAWS,
)
