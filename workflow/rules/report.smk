rule check_claims:
    input:
        descriptions(),
        claimed(),
    output:
        csv=claims_table(f"{RESULTS}/claims.csv"),
        by_rule=f"{RESULTS}/claims_by_rule.csv",
        compared=f"{RESULTS}/claims_compared.csv",
    log:
        f"{LOGS}/check_claims.log",
    benchmark:
        f"{BENCHMARKS}/check_claims.tsv"
    group:
        "page"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        results=lambda wildcards: RESULTS,
        decides=SETTINGS.decides_claims,
        code=code_of(
            "check_claims",
            *(files.study.module_name("claims") for files in STUDIES.values()),
        ),
    message:
        "Checks the claims of the papers"
    script:
        "../scripts/check_claims.py"


rule write_page:
    input:
        rules.check_claims.output,
        claimed(),
        descriptions(),
        [files.tables(".csv") + files.results() for files in STUDIES.values()],
    output:
        PAGE,
    log:
        f"{LOGS}/write_page.log",
    group:
        "page"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        settings=GIVEN,
        logs=LOGS,
        code=code_of(
            "write_page",
            *(files.study.module_name("page") for files in STUDIES.values()),
        ),
    message:
        "Writes the page {output}"
    script:
        "../scripts/write_page.py"


rule write_explorer:
    input:
        rules.write_page.input,
        rules.write_page.output,
    output:
        EXPLORER,
    log:
        f"{LOGS}/write_explorer.log",
    group:
        "page"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        settings=GIVEN,
        code=code_of(
            "write_explorer",
            *(
                name
                for files in STUDIES.values()
                for name in explored_modules(files.study)
            ),
        ),
    message:
        "Writes the page to explore {output}"
    script:
        "../scripts/write_explorer.py"


rule write_manifest:
    input:
        PAGE,
        rules.check_claims.output,
        lambda wildcards: files_of_studies(),
    output:
        MANIFEST,
    log:
        f"{LOGS}/write_manifest.log",
    group:
        "page"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        settings=GIVEN,
        code_of_studies={
            **{name: code_of_study(files.study) for name, files in STUDIES.items()},
            "claims": rules.check_claims.params.code,
        },
        code=code_of("write_manifest"),
    message:
        "Writes the manifest of the run"
    script:
        "../scripts/write_manifest.py"


rule archive:
    input:
        MANIFEST,
        EXPLORER,
    log:
        f"{LOGS}/archive.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        settings=GIVEN,
    message:
        f"Writes the archive of the run into {SETTINGS.archives}"
    script:
        "../scripts/archive.py"


rule compare:
    input:
        MANIFEST,
        other_run,
    output:
        f"{REPORTS}/comparison/index.html",
    log:
        f"{LOGS}/compare.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        results=lambda wildcards: RESULTS,
        code=code_of("compare"),
    message:
        f"Compares this run with {SETTINGS.compare}"
    script:
        "../scripts/compare.py"
