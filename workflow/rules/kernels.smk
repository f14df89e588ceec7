rule warm_kernels:
    output:
        KERNELS,
    log:
        f"{LOGS}/warm_kernels.log",
    benchmark:
        f"{BENCHMARKS}/warm_kernels.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1200),
        runtime=growing(10),
    params:
        # Every job that computes comes after this one and runs again with it, so only the compiled routines count.
        code=code_of("warm_kernels", importing=("numba", "treecrf.compiled.kernel")),
    message:
        "Compiles the numerical routines"
    script:
        "../scripts/warm_kernels.py"
