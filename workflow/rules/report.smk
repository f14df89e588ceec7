rule check_claims:
    input:
        claim_results(),
    output:
        csv=f"{RESULTS}/claims.csv",
        html=report(
            f"{RESULTS}/claims.html",
            caption="../report/claims.rst",
            **in_report(
                "Ledger of claims", ("Ledger", "What the papers claim", "table")
            ),
        ),
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
        code=code_of("check_claims"),
    message:
        "Checks the claims of the papers"
    script:
        "../scripts/check_claims.py"


rule write_page:
    input:
        rules.check_claims.output,
        training_results(),
        [training_summaries(name) for name in TRAINING_SUMMARIES],
        list(measurements().values()),
        missing_results(),
        future_results(),
        descriptions(),
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
        settings=SETTINGS.model_dump(mode="json"),
        logs=LOGS,
        code=code_of("write_page"),
    message:
        "Writes the page {output}"
    script:
        "../scripts/write_page.py"
