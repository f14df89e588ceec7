rule prepare_future_data:
    input:
        raw_files,
    output:
        **{
            side: f"{RESULTS}/future/{{dataset}}/seed_{{seed}}.{side}.npz"
            for side in FUTURE_SIDES
        },
    log:
        f"{LOGS}/prepare_future_data/{{dataset}}_{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_future_data/{{dataset}}_{{seed}}.tsv"
    group:
        "data_{dataset}"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(5),
    params:
        source=lambda wildcards: source_of(wildcards.dataset),
        options=lambda wildcards: future_options(wildcards.dataset),
        held_out=SETTINGS.future.held_out,
        raw=lambda wildcards: RAW,
        mirror=MIRROR,
        code=code_of("prepare_future_data"),
    message:
        "Prepares draw {wildcards.seed} of {wildcards.dataset}"
    script:
        "../scripts/prepare_future_data.py"


rule compare_future:
    input:
        **{
            side: lambda wildcards, side=side: future_draws(wildcards.dataset, side)
            for side in FUTURE_SIDES
        },
        kernels=KERNELS,
    output:
        **{
            kind: f"{RESULTS}/future/{{dataset}}/{{method}}.{kind}.parquet"
            for kind in FUTURE_OUTCOMES
        },
    log:
        f"{LOGS}/compare_future/{{dataset}}_{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/compare_future/{{dataset}}_{{method}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1300),
        runtime=growing(30),
    params:
        settings=lambda wildcards: SETTINGS.future.of(wildcards.dataset).used_by(
            wildcards.method
        ),
        window=lambda wildcards: window_of(wildcards.dataset),
        code=code_of("compare_future"),
        own_code=lambda wildcards: labeller_code(wildcards.method),
    message:
        "Trains and tests {wildcards.method} on all draws of {wildcards.dataset}"
    script:
        "../scripts/compare_future.py"


rule summarise_future:
    input:
        unpack(future_outcomes),
    output:
        **{
            name: f"{RESULTS}/future/{{dataset}}/{name}.csv"
            for name in FUTURE_SUMMARIES
        },
        description=f"{RESULTS}/future/{{dataset}}/description.json",
    log:
        f"{LOGS}/summarise_future/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/summarise_future/{{dataset}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        exact_under=SETTINGS.future.exact_under,
        description=lambda wildcards: future_description(wildcards.dataset),
        code=code_of("summarise_future"),
    message:
        "Compares the methods on {wildcards.dataset}"
    script:
        "../scripts/summarise_future.py"


rule compute_example:
    output:
        FUTURE_EXAMPLE,
    log:
        f"{LOGS}/compute_example.log",
    benchmark:
        f"{BENCHMARKS}/compute_example.tsv"
    group:
        "future_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("compute_example"),
    message:
        "Computes the example of section 5.1"
    script:
        "../scripts/compute_example.py"


rule tabulate_future:
    input:
        **{
            name: future_summaries(name)
            for name in FUTURE_SUMMARIES
            if name not in ("weights", "trees")
        },
    output:
        **{
            name: report(
                f"{RESULTS}/future/tables/{name}.html",
                caption=f"../report/{caption}.rst",
                **in_report(FUTURE, place),
            )
            for name, (caption, place) in FUTURE_TABLES.items()
        },
    log:
        f"{LOGS}/tabulate_future.log",
    benchmark:
        f"{BENCHMARKS}/tabulate_future.tsv"
    group:
        "future_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("tabulate_future"),
    message:
        "Writes the tables of future features"
    script:
        "../scripts/tabulate_future.py"


rule draw_future_orders:
    input:
        future_summaries("best"),
    output:
        report(
            f"{RESULTS}/future/orders.svg",
            caption="../report/future_orders.rst",
            **in_report(FUTURE, ("Accuracy by order", "Tables 5.4 and 5.5", "figure")),
        ),
        pdf=f"{RESULTS}/future/orders.pdf",
        png=f"{RESULTS}/future/orders.png",
    log:
        f"{LOGS}/draw_future_orders.log",
    benchmark:
        f"{BENCHMARKS}/draw_future_orders.tsv"
    group:
        "future_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("draw_future_orders"),
    message:
        "Draws the accuracy of labellers by order"
    script:
        "../scripts/draw_future_orders.py"


rule draw_future_features:
    input:
        weights=f"{RESULTS}/future/{{dataset}}/weights.csv",
        trees=f"{RESULTS}/future/{{dataset}}/trees.csv",
    output:
        weights=report(
            f"{RESULTS}/future/{{dataset}}/weights.svg",
            caption="../report/future_weights.rst",
            **in_report(
                FUTURE,
                ("Future features", "What features look at", "weights"),
                data="{dataset}",
            ),
        ),
        trees=report(
            f"{RESULTS}/future/{{dataset}}/trees.svg",
            caption="../report/future_trees.rst",
            **in_report(
                FUTURE,
                ("Future features", "What features look at", "trees"),
                data="{dataset}",
            ),
        ),
    log:
        f"{LOGS}/draw_future_features/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/draw_future_features/{{dataset}}.tsv"
    group:
        "future_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("draw_future_features"),
    message:
        "Draws what the features found on {wildcards.dataset} look at"
    script:
        "../scripts/draw_future_features.py"
