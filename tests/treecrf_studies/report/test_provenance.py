"""Costs of jobs by study and data set, and versions of packages."""

import pandas as pd
from runs import own_settings

from treecrf.io.files import write_json
from treecrf_studies.registry import registry
from treecrf_studies.report.provenance import costs_of, job_costs, study_costs

BENCHMARK = "s\tmax_rss\tcpu_time\n{}\t{}\t0.5\n"
"""Snakemake samples CPU seconds: of a short job there is none, and of a long one the last half minute can be missing.
"""


def test_jobs_are_counted_by_study_and_data_set(tmp_path):
    jobs = {
        "training/draw": ("training", "–"),
        "training/tabulate": ("training", "–"),
        "missing/draw": ("missing", "–"),
        "missing/evaluate/or_window_imputation_0.1": ("missing", "or_window"),
        "future/prepare/or_0": ("future", "or"),
        "future/summarise/or_window": ("future", "or_window"),
        "cost/measure_scaling/all": ("cost", "–"),
        "check_claims": ("all studies", "–"),
        "prepare_data/draw": ("all studies", "draw"),
    }
    for place, job in enumerate(jobs):
        path = tmp_path / "benchmarks" / f"{job}.tsv"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(BENCHMARK.format(1.5, 100 + place if place else "NA"))
        write_json({"cpu_seconds": 2.5}, path.with_name(f"{path.stem}.json"))
    frame = job_costs(tmp_path, ["or", "or_window", "draw"])
    steps = [job.split("/")[job.split("/")[0] in ("training", "missing", "future", "cost")] for job in jobs]
    expected = sorted((study, step, data) for step, (study, data) in zip(steps, jobs.values(), strict=True))
    assert frame[["study", "step", "data set"]].to_records(index=False).tolist() == expected
    memory = frame.set_index(["study", "step"])["most memory, MiB"]
    assert (memory["training", "draw"], memory["training", "tabulate"]) == ("–", "101")
    assert frame["CPU s"].astype(float).sum() == 2.5 * len(jobs)
    counted = study_costs(frame).set_index("study")["jobs"]
    assert (
        " ".join(f"{study}: {n}" for study, n in counted.items())
        == "all studies: 2 cost: 1 future: 2 missing: 2 training: 2 total: 9"
    )


def test_jobs_that_prepare_data_are_those_of_studies_that_share_them():
    names = ["hmm", "or"]
    settings = own_settings(*names, training={"datasets": ["hmm"]}, future={"datasets": names})
    of_data = [("all studies", "prepare_data", name) for name in names]
    rows = [("training", "train", "hmm"), ("future", "prepare", "or"), *of_data]
    jobs = pd.DataFrame([*rows, ("all studies", "check_claims", "–")], columns=["study", "step", "data set"])
    found = {study.name: costs_of(study, jobs, settings).index.tolist() for study in registry()}
    assert found == {name: [] for name in found} | {"training": [0, 2], "future": [1]}
