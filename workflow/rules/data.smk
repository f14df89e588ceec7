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
        code=code_of("prepare_data"),
    message:
        "Prepares the data set {wildcards.dataset}"
    script:
        "../scripts/prepare_data.py"


for files in STUDIES.values():
    if files.study.draws:

        rule:
            name:
                f"prepare_{files.study.name}"
            input:
                raw_files,
            output:
                **{
                    side: f"{files.folder}/{{dataset}}/seed_{{seed}}.{side}.npz"
                    for side in ("train", "validation", "test")
                },
            log:
                f"{LOGS}/{files.study.name}/prepare/{{dataset}}_{{seed}}.log",
            benchmark:
                f"{BENCHMARKS}/{files.study.name}/prepare/{{dataset}}_{{seed}}.tsv"
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
                options=lambda wildcards: load_options(wildcards.dataset, False),
                held_out=files.settings.held_out,
                raw=lambda wildcards: RAW,
                code=code_of("prepare_draw"),
            message:
                "Prepares draw {wildcards.seed} of {wildcards.dataset}"
            script:
                "../scripts/prepare_draw.py"


for files in STUDIES.values():
    if not files.study.compiles:

        rule:
            name:
                f"compile_{files.study.name}"
            output:
                kernels_of(files.study),
            log:
                f"{LOGS}/{files.study.name}/compile.log",
            benchmark:
                f"{BENCHMARKS}/{files.study.name}/compile.tsv"
            priority: 1000  # all jobs of a study wait for it
            conda:
                "../../environment.yml"
            threads: 1
            resources:
                mem_mb=growing(1200),
                runtime=growing(10),
            params:
                study=files.study.name,
                # Every job that computes comes after this one and runs again with it, so only the compiled routines count.
                code=code_of_job(
                    "warm_kernels",
                    files.study.module_name("jobs"),
                    *code_of_methods(files.study.name).modules,
                    importing=("numba", "treecrf.compiled.kernel"),
                ),
            message:
                f"Compiles the numerical routines (once; up to two minutes): {files.study.title}"
            script:
                "../scripts/warm_kernels.py"
