"""What a plan says of jobs, and where its numbers are from."""

import json
import math

import pytest

from treecrf.records.calibration import REFERENCE_SECONDS
from treecrf.report.planning.expected import HERE, PUBLISHED, Expected, expected
from treecrf.report.planning.jobs import ABSENT, FOLLOWS, Job, why_files, why_parameters
from treecrf.report.planning.plan import plan_text, reasons
from treecrf.report.planning.schedule import schedule
from treecrf.report.provenance import used_settings
from treecrf.studies.settings import load_settings
from treecrf.studies.training import STUDY as TRAINING

NAN = float("nan")


def job(name, needs=(), why=ABSENT, priority=0, threads=1, dataset="", mem_mb=500):
    study, step, *_ = f"{name}/".split("/")
    return Job(name, f"{step}_{study}", dataset, tuple(needs), not why, why, priority, threads, mem_mb)


# --- when ------------------------------------------------------------------------------------------------


def test_jobs_run_side_by_side_and_after_what_they_need():
    jobs = [job("a"), job("b"), job("c", ["a", "b"]), job("d", ["done"])]
    seconds, memory = {"a": 3.0, "b": 5.0, "c": 2.0, "d": 1.0}, {"a": 10.0, "b": 20.0, "c": 5.0, "d": 40.0}
    assert schedule(jobs, seconds, memory, 1) == (11.0, 40.0)
    assert schedule(jobs, seconds, memory, 2) == (7.0, 60.0)  # b beside a, then d, then c
    assert schedule(jobs, seconds, memory, 9) == (7.0, 70.0)
    assert schedule([], {}, {}, 2) == (0.0, 0.0)


def test_priority_and_threads_count():
    jobs = [job("short"), job("long", priority=1), job("wide", threads=2)]
    assert schedule(jobs, {"short": 1.0, "long": 4.0, "wide": 2.0}, {}, 2).seconds == 6.0
    first = [job("one"), job("first", priority=1), job("after", ["first"])]
    assert schedule(first, {"one": 3.0, "first": 1.0, "after": 2.0}, {}, 1).seconds == 6.0
    assert schedule(first, {"one": 3.0, "first": 1.0, "after": 2.0}, {}, 2).seconds == 3.0


# --- why -------------------------------------------------------------------------------------------------


def test_code_and_settings_are_told_apart():
    old, new = "'0123456789abcdef'", "'fedcba9876543210'"
    assert why_parameters("kernels", [old], [new]) == "code of kernels changed"
    before = {"seed": 0, "settings": {"treecrf": {"n_iterations": 40, "max_leaves": 30, "gone": 1}}}
    now = {"seed": 1, "settings": {"treecrf": {"n_iterations": 50, "max_leaves": 30}}}
    said = why_parameters("training", [repr(before), old], [repr(now), new])
    assert said == "settings of training changed: seed 0 is now 1, n_iterations 40 is now 50, gone is gone"
    many = [repr({"settings": {"m": dict.fromkeys("abcde", value)}}) for value in (1, 2)]
    assert why_parameters("training", [many[0]], [many[1]]).endswith("c 1 is now 2 and 2 more")
    assert why_parameters("training", [], ["'more'"]) == "parameters of training changed"


def test_long_values_are_left_out():
    before, now = (repr({"settings": {"m": {"grid": list(range(start, 40))}}}) for start in (0, 1))
    assert why_parameters("cost", [before], [now]) == "settings of cost changed: grid"


def test_files_are_named():
    assert why_files(["b", "a"]) == "changed since it was read: a, b"


def test_reasons_are_counted_and_what_follows_comes_last():
    jobs = [
        job("missing/x/1", why=FOLLOWS),
        job("training/x/1"),
        job("training/x/2"),
        job("missing/x/2", why=FOLLOWS),
        job("page", why=FOLLOWS),
    ]
    assert reasons(jobs) == [
        "not computed yet: 2 jobs of training",
        "what it reads is computed again: 2 jobs of missing and 1 job of all studies",
    ]


# --- how long --------------------------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path):
    results = tmp_path / "results/benchmarks"
    record = {
        "rule": "train_training", "wildcards": {}, "began": "2026-01-01T00:00:00+00:00", "ended": "2026-01-01T00:00:04+00:00",
        "cpu_seconds": 3.0, "threads": 1, "environment": "e", "machine": "m", "kernel_seconds": 2 * REFERENCE_SECONDS, "inputs": [],
        "outputs": {"a": 3, "b": 4},
    }  # fmt: skip
    for name, seconds in (("training/train/hmm_treecrf", 8), ("training/draw", 6)):
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / f"{name}.tsv").write_text(f"s\tmax_rss\tcpu_time\n{seconds}\t{100}\tNA\n")
    for name in ("training/train/hmm_treecrf", "write_page"):
        (results / f"{name}.json").write_text(json.dumps(record))
    return load_settings(
        {
            "profile": "own",
            "results": str(tmp_path / "results"),
            "datasets": {"hmm": {}},
            "training": {"datasets": ["hmm"]},
        }
    )


def test_seconds_of_another_machine_are_scaled(settings, tmp_path):
    names = ["training/train/hmm_treecrf", "training/draw", "training/train/new", "write_page"]
    found = expected([job(name) for name in names], settings, tmp_path, factor=0.5)
    unknown = pytest.approx(NAN, nan_ok=True)
    assert found == {
        "training/train/hmm_treecrf": Expected(0.75, 2.0, 100.0, 7.0, HERE, True),
        "training/draw": Expected(6.0, 6.0, 100.0, unknown, HERE, False),
        "write_page": Expected(0.75, 1.0, unknown, 7.0, HERE, True),
    }


@pytest.mark.parametrize("is_same", [True, False])
def test_the_published_run_tells_of_jobs_with_its_settings_alone(settings, tmp_path, is_same):
    published = json.loads(json.dumps(used_settings(settings, [TRAINING])))
    published["training"]["n_iterations"] += not is_same
    published["training"]["datasets"] = ["hmm", "xor"]
    row = {
        "study": "training",
        "step": "train",
        "data set": "hmm",
        "jobs": "4",
        "wall s": "48.0",
        "CPU s": "40.0",
        "most memory, MiB": "300",
    }
    (tmp_path / "training").mkdir()
    (tmp_path / "training/provenance.json").write_text(
        json.dumps({"settings": published, "cpu_time": [row], "factor": 2.0})
    )
    found = expected([job("training/train/new", dataset="hmm")], settings, tmp_path, factor=1.0)
    wanted = Expected(5.0, 6.0, 300.0, pytest.approx(NAN, nan_ok=True), PUBLISHED, True)
    assert found == ({"training/train/new": wanted} if is_same else {})


# --- in words --------------------------------------------------------------------------------------------


def test_a_plan_in_words():
    jobs = [
        job("training/train/a", why="settings of training changed: seed"),
        job("training/train/b"),
        job("training/draw", ["training/train/a"]),
        job("page", why=""),
    ]
    known = {
        "training/train/a": Expected(60.0, 90.0, 200.0, 2.0**20, HERE, True),
        "training/train/b": Expected(120.0, 120.0, NAN, NAN, PUBLISHED, False),
    }
    text = plan_text(jobs, known, 2, 5 * 2.0**30)
    assert text.splitlines()[0] == "3 of 4 jobs are to run, 1 are done."
    lines = [line.split() for line in text.splitlines()]
    assert ["training", "3", "0", "1", "3.0"] in lines
    assert ["draw", "1", "0", "1", "?"] in lines
    assert ["total", "3", "1", "1", "3.0"] in lines
    for sentence in (
        "Time: at least 2.0 minutes on 2 cores, at least 3.0 CPU minutes.",
        "Memory: at least 200 MiB at one time; the largest job may ask for 500 MB.",
        "Disk: 1.0 MiB by 1 job, unknown of the others; 5 GiB are free.",
        "Nothing is known of 1 job, which ran neither here nor in the published run with these settings.",
        "Of 1 job the published run tells what such jobs take on average.",
        "Seconds of 1 job are those of a machine whose speed was not measured, taken as they are.",
        "1 job had other settings when they were measured.",
    ):
        assert sentence in text


def test_a_plan_of_nothing():
    assert plan_text([job("page", why="")], {}, 1, math.inf) == "Nothing is to do: all 1 jobs are done.\n"
