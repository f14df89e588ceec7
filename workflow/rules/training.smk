rule compare_method:
    input:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        choice=choice_for_method,
        kernels=KERNELS,
    output:
        **{
            kind: f"{RESULTS}/training/{{dataset}}/{{method}}.{kind}.parquet"
            for kind in OUTCOMES
        },
    log:
        f"{LOGS}/compare_method/{{dataset}}_{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/compare_method/{{dataset}}_{{method}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
    params:
        settings=lambda wildcards: training_settings(
            wildcards.dataset, wildcards.method
        ),
        window=lambda wildcards: window_of(wildcards.dataset),
        protocol=lambda wildcards: described(wildcards.dataset).protocol,
        seed=SETTINGS.seed,
        code=code_of("compare_method"),
        own_code=lambda wildcards: labeller_code(wildcards.method),
    message:
        "Trains and tests {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/compare_method.py"


rule summarise_training:
    input:
        unpack(training_outcomes),
        description=f"{RESULTS}/data/{{dataset}}/description.json",
    output:
        **{
            name: f"{RESULTS}/training/{{dataset}}/{name}.csv"
            for name in TRAINING_SUMMARIES
        },
    log:
        f"{LOGS}/summarise_training/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/summarise_training/{{dataset}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        source=lambda wildcards: source_of(wildcards.dataset),
        exact_under=SETTINGS.training.exact_under,
        code=code_of("summarise_training"),
    message:
        "Compares the methods on {wildcards.dataset}"
    script:
        "../scripts/summarise_training.py"


rule measure_scaling:
    input:
        kernels=KERNELS,
    output:
        f"{RESULTS}/training/scaling.csv",
    log:
        f"{LOGS}/measure_scaling.log",
    benchmark:
        f"{BENCHMARKS}/measure_scaling.tsv"
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings=SETTINGS.scaling.model_dump(mode="json"),
        code=code_of("measure_scaling"),
    message:
        "Measures how cost grows with sequences and windows"
    script:
        "../scripts/measure_scaling.py"


rule measure_windows:
    input:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        kernels=KERNELS,
    output:
        f"{RESULTS}/training/{{dataset}}/windows.csv",
    log:
        f"{LOGS}/measure_windows/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_windows/{{dataset}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings=SETTINGS.scaling.model_dump(mode="json"),
        code=code_of("measure_windows"),
    message:
        "Measures how cost grows with the window on {wildcards.dataset}"
    script:
        "../scripts/measure_windows.py"


rule measure_sampling:
    input:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        kernels=KERNELS,
    output:
        f"{RESULTS}/training/{{dataset}}/sampling.csv",
    log:
        f"{LOGS}/measure_sampling/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_sampling/{{dataset}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings=SETTINGS.scaling.model_dump(mode="json"),
        window=lambda wildcards: window_of(wildcards.dataset),
        code=code_of("measure_sampling"),
    message:
        "Measures what sampling and trimming cost and gain on {wildcards.dataset}"
    script:
        "../scripts/measure_sampling.py"
