"""The study of kernels (Altun, Smola and Hofmann 2004): conditional random fields in the space of a polynomial
kernel.
"""

from treecrf_studies.framework.study import OVER_DRAWS_OR_GROUPS, Figure, Job, Study, Summary, Table

STUDY = Study(
    "kernels",
    title="Kernels",
    settings="KernelsSettings",
    jobs=(
        Job(
            "label_test_sets",
            "{dataset}/{methods}.{frame}.parquet",
            ("runs", "predictions", "choice"),
            verb="train",
            message="Trains and tests on all draws of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=4000,
            minutes=90,
        ),
        Job(
            "compare_solvers",
            "{dataset}/{frame}.csv",
            ("solvers",),
            verb="compare_solvers",
            message="Follows the solvers to the minimum on {wildcards.dataset}",
            datasets="solver_datasets",
            mem_mb=4000,
        ),
        Job(
            "compare_ranks",
            "{dataset}/{frame}.csv",
            ("ranks",),
            verb="compare_ranks",
            message="Measures what low ranks lose on {wildcards.dataset}",
            datasets="rank_datasets",
            mem_mb=4000,
        ),
        Job(
            "measure_sizes",
            "{dataset}/{frame}.csv",
            ("sizes",),
            verb="measure_sizes",
            message="Measures time and memory by positions on {wildcards.dataset}",
            datasets="size_datasets",
            mem_mb=4000,
        ),
    ),
    summary=Summary(("runs", "scores", "comparisons"), settings=("exact_under", "equivalence_margin")),
    tables=(
        Table("accuracy", ("Accuracy", "Accuracy of every method"), needs=("scores",)),
        Table("steps", ("Tests", "Tests between methods"), needs=("comparisons",)),
        Table("choices", ("Settings", "Chosen settings and cost"), needs=("scores",)),
        Table("solvers", ("Solvers", "Where the solvers end"), needs=("solvers",)),
        Table("ranks", ("Low ranks", "Accuracy and objective by rank"), needs=("ranks",)),
        Table("sizes", ("Size", "Time and memory by positions"), needs=("sizes",)),
    ),
    figures=(
        Figure(
            "figure_1",
            ("Accuracy", "Accuracy by degree"),
            reference="Figure 1",
            needs=("scores",),
            function="accuracy_by_degree",
        ),
        Figure("solvers", ("Solvers", "Objective by time"), needs=("solvers",), function="excess_by_seconds"),
        Figure(
            "ranks",
            ("Low ranks", "Accuracy and objective by rank"),
            needs=("ranks",),
            function="loss_by_rank",
        ),
        Figure("sizes", ("Size", "Time and memory by positions"), needs=("sizes",), function="cost_by_size"),
    ),
    draws=True,
    phases="runs.csv",
    phases_note="of the trainings on the whole training sets",
    claimed=("comparisons", "solvers"),
    views={
        "scores": ("scores",),
        "pairs": ("comparisons",),
        "runs": ("runs",),
        "predictions": ("predictions",),
    },
    names="methods.method_text",
    tested=OVER_DRAWS_OR_GROUPS,
)
