rule cross_validate:
    input:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        kernels=KERNELS,
    output:
        f"{RESULTS}/training/{{dataset}}/folds/l2_{{l2}}.parquet",
    log:
        f"{LOGS}/cross_validate/{{dataset}}_l2_{{l2}}.log",
    benchmark:
        f"{BENCHMARKS}/cross_validate/{{dataset}}_l2_{{l2}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        settings=training_settings("n_perturbed_runs", "start_noise"),
        window=lambda wildcards: window_of(wildcards.dataset),
        seed=SETTINGS.seed,
        code=TRAINING_CODE,
    message:
        "Cross-validates lambda {wildcards.l2} on {wildcards.dataset}"
    script:
        "../scripts/cross_validate.py"


rule test_curves:
    input:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        kernels=KERNELS,
    output:
        curves=f"{RESULTS}/training/{{dataset}}/curves/l2_{{l2}}.parquet",
        phases=f"{RESULTS}/training/{{dataset}}/phases/l2_{{l2}}.parquet",
    log:
        f"{LOGS}/test_curves/{{dataset}}_l2_{{l2}}.log",
    benchmark:
        f"{BENCHMARKS}/test_curves/{{dataset}}_l2_{{l2}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        settings=training_settings("n_folds"),
        window=lambda wildcards: window_of(wildcards.dataset),
        code=TRAINING_CODE,
    message:
        "Tests lambda {wildcards.l2} on {wildcards.dataset}"
    script:
        "../scripts/test_curves.py"


rule summarise_training:
    input:
        folds=by_lambda("folds"),
        curves=by_lambda("curves"),
        phases=by_lambda("phases"),
        description=f"{RESULTS}/data/{{dataset}}/description.json",
    output:
        choice=f"{RESULTS}/training/{{dataset}}/choice.csv",
        summary=f"{RESULTS}/training/{{dataset}}/summary.csv",
        candidates=f"{RESULTS}/training/{{dataset}}/cross_validation.csv",
        cpu=f"{RESULTS}/training/{{dataset}}/cpu_seconds.csv",
    log:
        f"{LOGS}/summarise_training/{{dataset}}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=10,
    params:
        source=lambda wildcards: source_of(wildcards.dataset),
        code=code_of("studies/training.py", "reporting/published"),
    message:
        "Chooses lambda and iteration for {wildcards.dataset}"
    script:
        "../scripts/summarise_training.py"


rule plot_training:
    input:
        curves=by_lambda("curves"),
        choice=f"{RESULTS}/training/{{dataset}}/choice.csv",
        summary=f"{RESULTS}/training/{{dataset}}/summary.csv",
    output:
        report(
            f"{RESULTS}/training/{{dataset}}/figure_3_1.svg",
            caption="../report/figure_3_1.rst",
            category="Training (chapter 3)",
            labels={
                "data set": "{dataset}",
                "item": "Figure 3.1: accuracy by iteration",
            },
        ),
        pdf=f"{RESULTS}/training/{{dataset}}/figure_3_1.pdf",
        png=f"{RESULTS}/training/{{dataset}}/figure_3_1.png",
    log:
        f"{LOGS}/plot_training/{{dataset}}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=10,
    params:
        code=code_of("figures/training.py", "figures/style.py"),
    message:
        "Draws figure 3.1 for {wildcards.dataset}"
    script:
        "../scripts/plot_training.py"


rule tabulate_training:
    input:
        training_summaries(),
    output:
        report(
            f"{RESULTS}/training/table.html",
            caption="../report/training_table.rst",
            category="Training (chapter 3)",
            labels={"data set": "all", "item": "Tables 3.4 and 3.5: TreeCRF"},
        ),
        csv=f"{RESULTS}/training/table.csv",
        tex=f"{RESULTS}/training/table.tex",
    log:
        f"{LOGS}/tabulate_training.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("reporting/tables.py"),
    message:
        "Writes the table of all data sets"
    script:
        "../scripts/tabulate_training.py"
