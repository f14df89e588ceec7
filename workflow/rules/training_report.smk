for figure in drawn_figures():
    function, kind, caption, place = TRAINING_FIGURES[figure]

    rule:
        name:
            f"draw_{figure}"
        input:
            to_draw(kind),
        output:
            report(
                f"{RESULTS}/training/{figure}.svg",
                caption=f"../report/{caption}.rst",
                **in_report(TRAINING, place),
            ),
            pdf=f"{RESULTS}/training/{figure}.pdf",
            png=f"{RESULTS}/training/{figure}.png",
        log:
            f"{LOGS}/draw_{figure}.log",
        benchmark:
            f"{BENCHMARKS}/draw_{figure}.tsv"
        group:
            "training_report"
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(700),
            runtime=growing(5),
        params:
            function=function,
            code=code_of("draw_training"),
        message:
            f"Draws {place[1]}: {place[2]}"
        script:
            "../scripts/draw_training.py"


for measurement in MEASUREMENT_PLACES:

    rule:
        name:
            f"tabulate_{measurement}"
        input:
            measured(
                getattr(SETTINGS.scaling, f"{measurement.rstrip('s')}_datasets"),
                measurement,
            ),
        output:
            report(
                f"{RESULTS}/training/tables/{measurement}.html",
                caption=f"../report/training_{measurement}.rst",
                **in_report(TRAINING, MEASUREMENT_PLACES[measurement]),
            ),
            frame=f"{RESULTS}/training/{measurement}.csv",
        log:
            f"{LOGS}/tabulate_{measurement}.log",
        benchmark:
            f"{BENCHMARKS}/tabulate_{measurement}.tsv"
        group:
            "training_report"
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(700),
            runtime=growing(5),
        params:
            function=f"{measurement}_layout",
            stand_ins=stand_ins(),
            code=code_of("tabulate_measurement"),
        message:
            f"Writes the table of {measurement}"
        script:
            "../scripts/tabulate_measurement.py"


rule tabulate_training:
    input:
        **{
            name: training_summaries(name)
            for name in ("summary", "comparisons", "costs", "notes")
        },
    output:
        **{
            name: report(
                f"{RESULTS}/training/tables/{name}.html",
                caption=f"../report/{caption}.rst",
                **in_report(TRAINING, place),
            )
            for name, (caption, place) in TRAINING_TABLES.items()
        },
    log:
        f"{LOGS}/tabulate_training.log",
    benchmark:
        f"{BENCHMARKS}/tabulate_training.tsv"
    group:
        "training_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("tabulate_training"),
    message:
        "Writes the tables of all data sets"
    script:
        "../scripts/tabulate_training.py"
