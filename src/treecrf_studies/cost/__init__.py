"""The study of cost (PhD chapter 3, ICML 2004): by sequence length and window, and what short cuts save."""

from treecrf_studies.framework.study import Figure, Job, Study, Summary, Table, View

STUDY = Study(
    "cost",
    title="Time of training",
    settings="CostSettings",
    jobs=(
        Job(
            "measure_scaling",
            "{frame}.csv",
            ("scaling",),
            verb="measure_scaling",
            message="Measures how cost grows with sequences and windows",
            datasets="",
            minutes=120,
            n_stages=1,
        ),
        Job(
            "measure_windows",
            "{dataset}/{frame}.csv",
            ("windows",),
            verb="measure_windows",
            message="Measures how cost grows with the window on {wildcards.dataset}",
            datasets="window_datasets",
        ),
        Job(
            "measure_sampling",
            "{dataset}/{frame}.csv",
            ("sampling",),
            verb="measure_sampling",
            message="Measures what sampling and trimming cost and gain on {wildcards.dataset}",
            datasets="sampling_datasets",
        ),
    ),
    summary=Summary(
        ("scaling_medians", "windows_medians", "sampling_medians"),
        of=("scaling", "windows", "sampling"),
        message="Takes medians of the measurements of all data sets",
    ),
    tables=(
        Table(
            "windows",
            ("Cost", "Cost and accuracy by window"),
            needs=("windows_medians",),
        ),
        Table(
            "sampling",
            ("Sampling", "Sampling, trimming, pseudo-likelihood"),
            needs=("sampling_medians",),
        ),
    ),
    figures=(
        Figure(
            "figure_3_3a",
            ("Cost", "Forward-backward by length"),
            reference="Figure 3.3a",
            needs=("scaling_medians",),
            function="forward_backward_by_length",
        ),
        Figure(
            "figure_3_3b",
            ("Cost", "Induction by features"),
            reference="Figure 3.3b",
            needs=("scaling_medians",),
            function="induction_by_features",
        ),
        Figure(
            "figure_3_3c",
            ("Cost", "Evaluation of F by length"),
            reference="Figure 3.3c",
            needs=("scaling_medians",),
            function="evaluation_by_length",
        ),
        Figure(
            "sampling",
            ("Sampling", "Sampling, trimming, pseudo-likelihood"),
            needs=("sampling_medians",),
            function="sampling_trade_off",
        ),
    ),
    compiles="training",
    within="training",
    claimed=("scaling", "windows", "sampling"),
    views={
        "scores": (View("summary.window_scores", ("windows",)), View("summary.sampling_scores", ("sampling",))),
    },
    names="methods.option_name",
    tested="Nothing is tested: these are measurements of time, with one accuracy each.",
)
