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
        code=KERNEL_CODE,
    message:
        "Compiles the numerical routines"
    script:
        "../scripts/warm_kernels.py"
