for files in STUDIES.values():
    study = files.study

    for job in study.jobs:
        over = [name for name in ("dataset", "methods") if job.runs_over(name)]
        place = "_".join(f"{{{name}}}" for name in over) or "all"

        rule:
            name:
                f"{job.verb}_{study.name}"
            input:
                unpack(partial(sets_of, files, job)),
                unpack(partial(chosen_for, files, job)),
                unpack(partial(needs, files, job)),
                unpack(partial(portions_for, files, job)),
            output:
                **{
                    frame: f"{files.folder}/{path}"
                    for frame, path in job.files().items()
                },
            log:
                f"{LOGS}/{study.name}/{job.verb}/{place}.log",
            benchmark:
                f"{BENCHMARKS}/{study.name}/{job.verb}/{place}.tsv"
            priority: job.minutes  # what takes longest begins first
            conda:
                "../../environment.yml"
            threads: 1
            resources:
                mem_mb=growing(job.mem_mb),
                runtime=partial(minutes_of, job),
            params:
                values=partial(job_params, files, job),
                study=study.name,
                function=f"{job.module}.{job.function}",
                code=code_of_job("job", study.module_name(job.module)),
            message:
                job.message
            script:
                "../scripts/job.py"

        if job.n_stages:

            rule:
                name:
                    f"portion_{job.verb}_{study.name}"
                input:
                    unpack(partial(sets_of, files, job)),
                    unpack(partial(chosen_for, files, job)),
                    unpack(partial(needs, files, job)),
                    unpack(partial(portions_for, files, job)),
                output:
                    temp(f"{files.folder}/{job.portion}"),
                log:
                    f"{LOGS}/{study.name}/portion_{job.verb}/{place}_{{stage}}_{{portion}}.log",
                benchmark:
                    f"{BENCHMARKS}/{study.name}/portion_{job.verb}/{place}_{{stage}}_{{portion}}.tsv"
                wildcard_constraints:
                    stage=r"\d+",
                    portion=r"\d+",
                priority: job.minutes
                conda:
                    "../../environment.yml"
                threads: 1
                resources:
                    mem_mb=growing(job.mem_mb),
                    runtime=partial(minutes_of, job),
                params:
                    values=partial(job_params, files, job),
                    portion=partial(portion_of, files, job),
                    study=study.name,
                    function=f"{job.module}.{job.function}",
                    code=code_of_job("portion", study.module_name(job.module)),
                message:
                    f"{job.message}: portion {{wildcards.portion}} of stage {{wildcards.stage}}"
                script:
                    "../scripts/portion.py"

    rule:
        name:
            f"summarise_{study.name}"
        input:
            unpack(partial(summarised, files)),
        output:
            **summary_files(files),
        log:
            f"{LOGS}/{study.name}/summarise/{'{dataset}' if study.summary.of_dataset else 'all'}.log",
        benchmark:
            f"{BENCHMARKS}/{study.name}/summarise/{'{dataset}' if study.summary.of_dataset else 'all'}.tsv"
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(2500),
            runtime=growing(5),
        params:
            values=partial(summary_params, files),
            study=study.name,
            code=code_of("summarise", study.module_name("summary")),
        message:
            study.summary.message
        script:
            "../scripts/summarise.py"

    rule:
        name:
            f"tabulate_{study.name}"
        input:
            **files.frames(study.tabulated),
        output:
            **reported(files, study.tables, f"{files.folder}/tables", "csv"),
        log:
            f"{LOGS}/{study.name}/tabulate.log",
        benchmark:
            f"{BENCHMARKS}/{study.name}/tabulate.tsv"
        group:
            f"{study.name}_report"
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(700),
            runtime=growing(5),
        params:
            study=study.name,
            tables=files.calls(),
            code=code_of("tabulate", study.module_name("tables")),
        message:
            f"Writes the tables: {study.title}"
        script:
            "../scripts/tabulate.py"

    rule:
        name:
            f"draw_{study.name}"
        input:
            **files.frames(
                sorted({frame for figure in study.figures for frame in figure.needs})
            ),
        output:
            files.figures(".pdf", ".png"),
            **reported(files, study.figures, files.folder, "svg"),
        log:
            f"{LOGS}/{study.name}/draw.log",
        benchmark:
            f"{BENCHMARKS}/{study.name}/draw.tsv"
        group:
            f"{study.name}_report"
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(700),
            runtime=growing(10),
        params:
            study=study.name,
            figures=files.calls(study.figures),
            over={figure.function: figure.over for figure in study.figures},
            code=code_of("draw", study.module_name("figures")),
        message:
            f"Draws the figures: {study.title}"
        script:
            "../scripts/draw.py"

    rule:
        name:
            f"page_{study.name}"
        input:
            files.everything(),
        output:
            page_of(study),
        log:
            f"{LOGS}/{study.name}/page.log",
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(1000),
            runtime=growing(5),
        params:
            settings=GIVEN,
            logs=LOGS,
            study=study.name,
            code=code_of("write_page", study.module_name("page")),
        message:
            "Writes the page {output}"
        script:
            "../scripts/write_page.py"

    rule:
        name:
            study.name
        input:
            files.everything(),
            [page_of(study)] if files.results() else [],
        localrule: True
