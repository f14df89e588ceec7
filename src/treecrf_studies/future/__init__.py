"""The study of future features (PhD chapter 5)."""

from treecrf_studies.framework.study import (
    COMPARED,
    DRAW,
    OVER_DRAWS,
    Explored,
    Figure,
    Job,
    Rows,
    Study,
    Summary,
    Table,
)

BAG = {"method": "@methods.variant_names", "decoder": "''"}
OF_BEST = {name: name for name in ("dataset", "method", "bag", "g0")}
PRINTED = {
    **BAG, "quantity": "'accuracy (%)'", "published": "percent", "measured": "test_mean", "at_choice": "test_mean", "low": "test_min",
    "high": "test_max",
}  # fmt: skip


STUDY = Study(
    "future",
    title="Future features",
    settings="FutureSettings",
    jobs=(
        Job(
            "compare_future", "{dataset}/{methods}.{frame}.parquet", ("runs", "predictions", "weights", "trees"),
            verb="train", message="Trains and tests on all draws of {wildcards.dataset}: {wildcards.methods}",
            mem_mb=1300, minutes=30,
        ),
        Job(
            "one_directional_example", "{frame}.csv", ("example",),
            verb="compute_example", message="Computes the example of section 5.1", datasets="", has_settings=False, minutes=5,
        ),
    ),
    summary=Summary(("runs", "summary", "best", "comparisons", "tests", "variances", "weights", "trees"), settings=("exact_under", "equivalence_margin")),
    tables=(
        Table("table_5_3", ("Start values", "Table 5.3: FF-MEMM by G0", "table"), needs=("summary",), function="patterns_layout", only_papers=True),
        Table("table_5_4", ("Accuracy by order", "Table 5.4", "table"), needs=("best",), function="generated_layout", only_papers=True),
        Table("table_5_5", ("Accuracy by order", "Table 5.5", "table"), needs=("best",), function="nettalk_layout", only_papers=True),
        Table("decoders", ("Accuracy by order", "Decoders", "table"), needs=("best",), function="decoders_layout", only_papers=True),
        Table("orders", ("Accuracy by order", "Accuracy by order", "table"), reference="Beyond tables 5.4 and 5.5", needs=("best",), function="orders_layout", tells_papers=True),
        Table("gains", ("Tests", "With and without discovered features", "table"), needs=("best", "comparisons"), function="gains_layout"),
        Table("tests", ("Tests", "Tests between neighbours", "table"), needs=("tests",), function="neighbours_layout"),
        Table("variances", ("Variance components", "Variance components", "table"), needs=("variances",), function="variances_layout"),
        Table("choices", ("Settings", "Chosen settings", "table"), needs=("summary",), function="costs_layout"),
        Table("example", ("Section 5.1", "One direction is not enough", "table"), needs=("example",), function="example_layout", only_papers=True),
    ),
    figures=(
        Figure("orders", ("Accuracy by order", "Accuracy by order", "figure"), reference="Tables 5.4 and 5.5", needs=("best",), function="orders", tells_papers=True),
        Figure("weights", ("Future features", "What features look at", "weights"), over="dataset", needs=("weights",), function="what_features_see"),
        Figure("trees", ("Future features", "What features look at", "trees"), over="dataset", needs=("trees",), function="feature_trees"),
    ),
    draws=True,
    phases="runs.csv",
    phases_note="of the chosen trainings of all draws",
    claimed=("summary", "best", "comparisons", "runs", "example"),
    explored=Explored(
        name="methods.method_text",
        test=OVER_DRAWS,
        scores=(
            Rows(
                "best",
                {
                    **BAG, "metric": "'accuracy'", "value": "test_mean", "low": "test_min", "high": "test_max", "n_runs": "n_seeds",
                    "chosen": "iteration {n_iterations:.0f} (median)",
                },
            ),
        ),
        pairs=(Rows("comparisons", COMPARED),),
        runs=(
            Rows(
                "runs", {**BAG, "run": DRAW, "accuracy": "test_accuracy", "chosen": "iteration {n_iterations:.0f}"},
                join="best", joined=OF_BEST,
            ),
        ),
        published=(
            Rows(
                "best", {**PRINTED, "source": "PhD table {table}", "counted": "table != '5.4' or method != 'ff_memm_0'"},
                join="published.future_accuracies",
            ),
            Rows(
                "summary", {**PRINTED, "source": "'PhD table 5.3'", "variant": "G0 = {g0:g}"},
                where="method == 'ff_memm_0' and bag == 'bag 6'", join="published.start_values",
                joined={"dataset": "dataset", "g0": "g0", "test_percent": "percent"},
            ),
        ),
        predictions=(Rows("predictions", {**BAG, "run": DRAW, "group": "sequence"}, join="best", joined=OF_BEST),),
    ),
)  # fmt: skip
