"""Inputs, outputs and parameters of the rules of a study; no rules."""


def kernels_of(study):
    """The mark that the compiled routines of a study's jobs are there."""
    return f"{STUDIES[study.compiles or study.name].folder}/kernels.json"


def sets_of(files, job, wildcards):
    """Input function: the data of a job, of a study that draws its own all draws."""
    if not job.runs_over("dataset"):
        return {}
    sets = files.sets(wildcards.dataset)
    return sets if files.study.draws else {side: path for side, (path,) in sets.items()}


def chosen_for(files, job, wildcards):
    """Input function: the choice of the method that chooses for this one."""
    if "choice" not in job.frames:
        return {}
    choosers = files.settings.of(wildcards.dataset).choosers
    other = choosers.get(wildcards.methods)
    if not other:
        return {}
    return {"choice": files.choice(wildcards.dataset, other)}


def portions_for(files, job, wildcards):
    """Input function: what other jobs have done beforehand; of a portion, of the stages before its own."""
    stages = int(wildcards.get("stage", job.n_stages))
    own = {
        name: wildcards[name] for name in ("dataset", "methods") if job.runs_over(name)
    }
    portions = files.portions(job, own, stages)
    return {"portions": portions} if portions else {}


def portion_of(files, job, wildcards):
    """Stage, number and count of a portion of a long job."""
    numbers = int(wildcards.stage), int(wildcards.portion)
    return [*numbers, files.n_portions(job, wildcards)]


def methods_of(wildcards):
    """The methods that a job calls its function with; of one that runs over none, an empty name."""
    return wildcards.get("methods", "").split(JOIN)


def needs(files, job, wildcards):
    """Input function: the compiled routines."""
    return {"kernels": kernels_of(files.study)}


def job_params(files, job, wildcards):
    """What a job looks at beside its input, so that changing another setting reruns nothing."""
    settings, methods = files.settings, methods_of(wildcards)
    values = {} if files.study.draws else {"seed": SETTINGS.seed}
    if files.study.draws and job.runs_over("dataset"):
        options = load_options(wildcards.dataset, False)
        kept = {
            name: value
            for name, value in options.items()
            if name not in ("raw", "groups")
        }
        values |= {"source": source_of(wildcards.dataset), "options": kept}
    if job.runs_over("methods"):
        used_by = (
            partial(settings.used_on_sample, wildcards.dataset)
            if job.on_samples
            else settings.of(wildcards.dataset).used_by
        )
        values["settings"] = {
            method: {
                name: value
                for name, value in used_by(method).items()
                if name not in job.without
            }
            for method in methods
        }
        values["own_code"] = [method_code(files.study, method) for method in methods]
    else:
        values["settings"] = {
            "": settings.model_dump(mode="json") if job.has_settings else None
        }
        values["own_code"] = method_code(files.study)
    if "dataset" in wildcards.keys():
        values["window"] = window_of(wildcards.dataset)
        values["protocol"] = described(wildcards.dataset).protocol
    return values


def summary_params(files, wildcards):
    """What a summary looks at beside its input."""
    values = {
        name: getattr(files.settings, name) for name in files.study.summary.settings
    }
    if not files.study.summary.of_dataset:
        sets = {
            name: described(name).stand_in is not None for name in files.all_datasets()
        }
        return values | {"stand_ins": sets}
    name = wildcards.dataset
    return values | {
        "seed": SETTINGS.seed,
        "source": source_of(name),
        "stand_in": described(name).stand_in,
    }


def summarised(files, wildcards):
    """Input function: the outcomes of all jobs, and of a study of prepared data these."""
    if not files.study.summary.of_dataset:
        wanted = files.study.summary.of
        return {
            name: paths
            for name, paths in files.measured().items()
            if paths and name in wanted
        }
    if files.study.draws:
        return files.outcomes(wildcards.dataset)
    data = ("train.npz", "test.npz", "description.json")
    return files.summed_up(wildcards.dataset) | {
        path.split(".")[0]: f"{RESULTS}/data/{wildcards.dataset}/{path}"
        for path in data
    }


def summary_files(files):
    """The files of a summary by frame; of a study that draws its own data, also what these are."""
    summary = files.study.summary
    if not summary.of_dataset:
        return {name: paths[0] for name, paths in files.frames(summary.frames).items()}
    folder = f"{files.folder}/{{dataset}}"
    known = {"description": f"{folder}/description.json"} if files.study.draws else {}
    return {name: f"{folder}/{name}.csv" for name in summary.frames} | known


def reported(files, entries, folder, suffix):
    """Pages of tables or pictures, with their places in Snakemake's report."""
    outputs = {}
    for name, (entry, value) in files.shown(entries).items():
        section, _, version = entry.place
        labels = {
            "item": entry.item(SETTINGS.may_concern_papers),
            "data set": value if entry.over == "dataset" else "all",
            "method": (
                f"against {value}" if entry.over in ("method", "baseline") else "all"
            ),
            "version": version.format(value=value.replace("_", "-")),
        }
        outputs["_".join(filter(None, (entry.name, value)))] = report(
            f"{folder}/{name}.{suffix}",
            caption=caption_of(files.study, entry.caption or entry.name),
            category=files.study.title,
            subcategory=section,
            labels=labels,
        )
    return outputs


def page_of(study):
    """The page of a study that is run alone."""
    return f"{REPORTS}/{study.name}/index.html"


def claims_table(path):
    """The table of claims; in Snakemake's report only where the run may be about papers."""
    if not SETTINGS.may_concern_papers:
        return path
    labels = {"item": "What the papers claim", "data set": "all", "method": "all"}
    return report(
        path,
        caption="../report/claims.rst",
        category="Claims",
        subcategory="List",
        labels=labels | {"version": "table"},
    )


def descriptions():
    """What the data sets of all studies are."""
    return sorted({path for files in STUDIES.values() for path in files.descriptions()})


def claimed():
    """What claims are checked against: summaries and measurements of all studies."""
    return [path for files in STUDIES.values() for path in files.claimed()]


def files_of_studies():
    """What stays of all studies."""
    return sorted({path for files in STUDIES.values() for path in files.everything()})


def other_run(wildcards):
    """Input function: the run that this one is compared with; of a folder its manifest, if it has one."""
    if SETTINGS.compare is None:
        raise WorkflowError(
            "configuration: the target compare needs another run; name its folder of results or its archive: "
            "--config compare=FOLDER."
        )
    manifest = Path(SETTINGS.compare, "manifest.json")
    return str(manifest) if manifest.is_file() else SETTINGS.compare
