include: "workflow/Snakefile"


workflow.default_target = "all"  # an included file cannot set it
