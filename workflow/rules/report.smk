rule write_page:
    input:
        training_results(),
        [training_summaries(name) for name in TRAINING_SUMMARIES],
        list(measurements().values()),
        missing_results(),
        future_results(),
        [
            f"{RESULTS}/data/{name}/description.json"
            for name in [*SETTINGS.training.datasets, *SETTINGS.missing.datasets]
        ],
    output:
        PAGE,
    log:
        f"{LOGS}/write_page.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=SETTINGS.model_dump(mode="json"),
        logs=LOGS,
        code=code_of("reporting", "settings.py"),
    message:
        "Writes the page {output}"
    script:
        "../scripts/write_page.py"
