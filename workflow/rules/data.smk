rule download:
    output:
        update(f"{RAW}/{{path}}"),  # a file that was put there stays where its time is older than the code's
    log:
        f"{LOGS}/download/{{path}}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(10),
    params:
        folder=lambda wildcards: RAW,
        mirror=MIRROR,
    message:
        "Gets the raw file {wildcards.path}"
    script:
        "../scripts/download.py"


rule prepare_data:
    input:
        raw_files,
    output:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        description=f"{RESULTS}/data/{{dataset}}/description.json",
    log:
        f"{LOGS}/prepare_data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_data/{{dataset}}.tsv"
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
        options=lambda wildcards: load_options(wildcards.dataset),
        window=lambda wildcards: window_of(wildcards.dataset),
        raw=lambda wildcards: RAW,
        mirror=MIRROR,
        code=code_of("prepare_data"),
    message:
        "Prepares the data set {wildcards.dataset}"
    script:
        "../scripts/prepare_data.py"
