rule evaluate_missing:
    input:
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        kernels=KERNELS,
    output:
        **{
            kind: f"{RESULTS}/missing/{{dataset}}/{{method}}/rate_{{rate}}.{kind}.parquet"
            for kind in ("counts", "choices", "costs")
        },
    log:
        f"{LOGS}/evaluate_missing/{{dataset}}_{{method}}_rate_{{rate}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluate_missing/{{dataset}}_{{method}}_rate_{{rate}}.tsv"
    group:
        "missing_{dataset}_{method}"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(15),
    params:
        settings=lambda wildcards: SETTINGS.missing.of(wildcards.dataset).used_by(
            wildcards.method
        ),
        window=lambda wildcards: window_of(wildcards.dataset),
        seed=SETTINGS.seed,
        code=code_of("evaluate_missing"),
        own_code=lambda wildcards: labeller_code(wildcards.method),
    message:
        "Evaluates {wildcards.method} with {wildcards.rate} of the cells of {wildcards.dataset} missing"
    script:
        "../scripts/evaluate_missing.py"


rule summarise_missing:
    input:
        counts=missing_jobs("counts"),
        choices=missing_jobs("choices"),
        costs=missing_jobs("costs"),
        train=f"{RESULTS}/data/{{dataset}}/train.npz",
        test=f"{RESULTS}/data/{{dataset}}/test.npz",
        description=f"{RESULTS}/data/{{dataset}}/description.json",
    output:
        evaluations=f"{RESULTS}/missing/{{dataset}}/evaluations.csv",
        comparisons=f"{RESULTS}/missing/{{dataset}}/comparisons.csv",
        deviance=f"{RESULTS}/missing/{{dataset}}/deviance.csv",
        choices=f"{RESULTS}/missing/{{dataset}}/choices.csv",
        costs=f"{RESULTS}/missing/{{dataset}}/costs.csv",
        frequencies=f"{RESULTS}/missing/{{dataset}}/frequencies.csv",
    log:
        f"{LOGS}/summarise_missing/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/summarise_missing/{{dataset}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code_of("summarise_missing"),
    message:
        "Compares the methods on {wildcards.dataset}"
    script:
        "../scripts/summarise_missing.py"


rule plot_accuracy_by_rate:
    input:
        missing_summaries("evaluations"),
    output:
        report(
            f"{RESULTS}/missing/figure_4_1.svg",
            caption="../report/figure_4_1.rst",
            **in_report(
                MISSING, ("Accuracy", "Accuracy by share of missing cells", "figure")
            ),
        ),
        pdf=f"{RESULTS}/missing/figure_4_1.pdf",
        png=f"{RESULTS}/missing/figure_4_1.png",
    log:
        f"{LOGS}/plot_accuracy_by_rate.log",
    benchmark:
        f"{BENCHMARKS}/plot_accuracy_by_rate.tsv"
    group:
        "missing_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        function="accuracy_by_rate",
        arguments=[],
        code=code_of("plot_missing"),
    message:
        "Draws figure 4.1"
    script:
        "../scripts/plot_missing.py"


rule plot_feature_frequencies:
    input:
        missing_summaries("frequencies"),
    output:
        report(
            f"{RESULTS}/missing/figure_4_2.svg",
            caption="../report/figure_4_2.rst",
            **in_report(
                MISSING,
                (
                    "Line features",
                    "Figure 4.2: how often line features are true",
                    "figure",
                ),
            ),
        ),
        pdf=f"{RESULTS}/missing/figure_4_2.pdf",
        png=f"{RESULTS}/missing/figure_4_2.png",
    log:
        f"{LOGS}/plot_feature_frequencies.log",
    benchmark:
        f"{BENCHMARKS}/plot_feature_frequencies.tsv"
    group:
        "missing_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        function="feature_frequencies",
        arguments=[],
        code=code_of("plot_missing"),
    message:
        "Draws figure 4.2"
    script:
        "../scripts/plot_missing.py"


rule plot_effects:
    input:
        missing_summaries("comparisons"),
    output:
        report(
            f"{RESULTS}/missing/effects_{{method}}.svg",
            caption="../report/effects.rst",
            **in_report(
                MISSING,
                ("Points of accuracy, figures", "Points of accuracy", "figure"),
                method="against {method}",
            ),
        ),
        pdf=f"{RESULTS}/missing/effects_{{method}}.pdf",
        png=f"{RESULTS}/missing/effects_{{method}}.png",
    log:
        f"{LOGS}/plot_effects/{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/plot_effects/{{method}}.tsv"
    group:
        "missing_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        function="effects_by_rate",
        arguments=lambda wildcards: [wildcards.method],
        code=code_of("plot_missing"),
    message:
        "Draws the differences from {wildcards.method}"
    script:
        "../scripts/plot_missing.py"


rule tabulate_missing:
    input:
        **{
            name: missing_summaries(name)
            for name in ("evaluations", "costs", "deviance")
        },
    output:
        report(
            f"{RESULTS}/missing/tables/accuracy.html",
            caption="../report/missing_accuracy.rst",
            **in_report(
                MISSING, ("Accuracy", "Accuracy by share of missing cells", "table")
            ),
        ),
        report(
            f"{RESULTS}/missing/tables/costs.html",
            caption="../report/missing_costs.rst",
            **in_report(MISSING, ("Cost", "CPU time by method and rate", "table")),
        ),
        report(
            f"{RESULTS}/missing/tables/deviance.html",
            caption="../report/missing_deviance.rst",
            **in_report(
                MISSING, ("Analysis of deviance", "Analysis of deviance", "table")
            ),
        ),
        multiext(f"{RESULTS}/missing/tables/accuracy", ".csv", ".tex"),
        multiext(f"{RESULTS}/missing/tables/costs", ".csv", ".tex"),
        multiext(f"{RESULTS}/missing/tables/deviance", ".csv", ".tex"),
    log:
        f"{LOGS}/tabulate_missing.log",
    benchmark:
        f"{BENCHMARKS}/tabulate_missing.tsv"
    group:
        "missing_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("tabulate_missing"),
    message:
        "Writes the tables of accuracy, cost and deviance"
    script:
        "../scripts/tabulate_missing.py"


rule tabulate_comparisons:
    input:
        missing_summaries("comparisons"),
    output:
        report(
            f"{RESULTS}/missing/tables/coefficients_{{method}}.html",
            caption="../report/missing_comparison.rst",
            **in_report(
                MISSING,
                ("Table 4.1: log odds", "Table 4.1: log odds", "table"),
                method="against {method}",
            ),
        ),
        report(
            f"{RESULTS}/missing/tables/significance_{{method}}.html",
            caption="../report/missing_comparison.rst",
            **in_report(
                MISSING, ("All tests", "All tests", "table"), method="against {method}"
            ),
        ),
        report(
            f"{RESULTS}/missing/tables/effects_{{method}}.html",
            caption="../report/missing_comparison.rst",
            **in_report(
                MISSING,
                ("Points of accuracy", "Points of accuracy", "table"),
                method="against {method}",
            ),
        ),
        multiext(f"{RESULTS}/missing/tables/coefficients_{{method}}", ".csv", ".tex"),
        multiext(f"{RESULTS}/missing/tables/significance_{{method}}", ".csv", ".tex"),
        multiext(f"{RESULTS}/missing/tables/effects_{{method}}", ".csv", ".tex"),
    log:
        f"{LOGS}/tabulate_comparisons/{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/tabulate_comparisons/{{method}}.tsv"
    group:
        "missing_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("tabulate_comparisons"),
    message:
        "Writes the comparisons with {wildcards.method}"
    script:
        "../scripts/tabulate_comparisons.py"


rule write_guide:
    input:
        **{
            name: missing_summaries(name)
            for name in ("evaluations", "comparisons", "costs", "deviance")
        },
    output:
        report(
            GUIDE,
            caption="../report/guide.rst",
            **in_report(MISSING, ("Guide", "Which method to use when", "text")),
        ),
    log:
        f"{LOGS}/write_guide.log",
    benchmark:
        f"{BENCHMARKS}/write_guide.tsv"
    group:
        "missing_report"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(700),
        runtime=growing(5),
    params:
        code=code_of("write_guide"),
    message:
        "Writes which method to use when: {output}"
    script:
        "../scripts/write_guide.py"
