"""What the report shows and where: captions and places of figures and tables; no rules."""

TRAINING = "Training (chapter 3)"
MISSING = "Missing values (chapter 4)"
FUTURE = "Future features (chapter 5)"


def in_report(category, place, data="all", method="all"):
    """Where Snakemake's report shows a file: arguments of report().

    All files have the same labels. Of two files of a subcategory that differ in the version alone, the report shows
    one, with a toggle between them.

    Parameters
    ----------
    category : str
    place : (str, str, str)
        Subcategory, item, version.
    data, method : str
        May hold wildcards.
    """
    subcategory, item, version = place
    labels = {"item": item, "data set": data, "method": method, "version": version}
    return {"category": category, "subcategory": subcategory, "labels": labels}


TRAINING_FIGURES = {
    "accuracies": (
        "training.accuracies",
        "summary",
        "training_overview",
        ("Overview", "Accuracy of all methods", "figure"),
    ),
    "figure_3_1": (
        "training.accuracy_by_iteration",
        "curves",
        "figure_3_1",
        ("Learning curves", "Figures 3.1 and 3.2", "accuracy"),
    ),
    "figure_3_2": (
        "training.seconds_by_iteration",
        "curves",
        "figure_3_2",
        ("Learning curves", "Figures 3.1 and 3.2", "CPU seconds"),
    ),
    "figure_3_3a": (
        "scaling.forward_backward_by_length",
        "scaling",
        "figure_3_3a",
        ("Cost", "Figure 3.3a: forward-backward by length", "figure"),
    ),
    "figure_3_3b": (
        "scaling.induction_by_features",
        "scaling",
        "figure_3_3b",
        ("Cost", "Figure 3.3b: induction by features", "figure"),
    ),
    "figure_3_3c": (
        "scaling.evaluation_by_length",
        "scaling",
        "figure_3_3c",
        ("Cost", "Figure 3.3c: evaluation of F by length", "figure"),
    ),
    "sampling": (
        "scaling.sampling_trade_off",
        "sampling",
        "training_sampling",
        ("Sampling", "Sampling, trimming, pseudo-likelihood", "figure"),
    ),
}
"""By file: function of treecrf.figures, what it draws, caption, place in the report."""

TRAINING_TABLES = {
    "accuracy": (
        "training_accuracy",
        ("Accuracy", "Accuracy of all methods", "choice"),
    ),
    "peaks": ("training_peaks", ("Accuracy", "Accuracy of all methods", "peak")),
    "table_3_4": (
        "table_3_4",
        ("Published and measured", "Table 3.4: shrinkage", "table"),
    ),
    "table_3_5": (
        "table_3_5",
        ("Published and measured", "Table 3.5: TreeCRF, MALLET, baseline", "table"),
    ),
    "table_3_6": (
        "table_3_6",
        ("Cost", "Table 3.6: CPU seconds per iteration", "table"),
    ),
    "choices": ("training_choices", ("Settings", "Chosen settings", "table")),
    "notes": ("training_notes", ("Settings", "Methods that were not run", "table")),
    **{
        f"tests_{decoder}": (
            "training_tests",
            ("All tests", "All tests between methods", decoder.replace("_", "-")),
        )
        for decoder in (*SETTINGS.training.decoders, "better")
    },
}
"""By file: caption, place in the report."""


MEASUREMENT_PLACES = {
    "windows": ("Cost", "Cost and accuracy by window", "table"),
    "sampling": ("Sampling", "Sampling, trimming, pseudo-likelihood", "table"),
}
"""Measurements that have a table: place in the report."""

FUTURE_TABLES = {
    "table_5_3": ("table_5_3", ("Start values", "Table 5.3: FF-MEMM by G0", "table")),
    "orders": (
        "future_orders",
        ("Accuracy by order", "Tables 5.4 and 5.5", "table"),
    ),
    "tests": ("future_tests", ("Tests", "Tests between neighbours", "table")),
    "choices": ("future_choices", ("Settings", "Chosen settings", "table")),
    "example": (
        "future_example",
        ("Section 5.1", "One direction is not enough", "table"),
    ),
}
"""By file: caption, place in the report."""
