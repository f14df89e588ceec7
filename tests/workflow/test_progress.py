"""The progress view: finished steps, failed ones, and the lock of a killed run."""

import importlib.util
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import ROOT
from interrupting import session_members
from rich.console import Console
from snakemake_interface_logger_plugins.common import LogEvent

WORKFLOW = ROOT / "workflow"


SNAKEFILE = """
rule all:
    input: "good", "bad", "nothing"
rule good:
    output: "good"
    message: "Makes [good]"
    shell: "touch good"
rule bad:
    output: "bad"
    log: "bad.log"
    message: "Makes bad"
    shell: "echo 'the disk is full; make room.' > {log}; false"
rule nothing:
    output: "nothing"
    priority: -1
    shell: "true"
"""


def load(path):
    specification = importlib.util.spec_from_file_location(path.parent.name, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def progress(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake/locks").mkdir(parents=True)
    return load(WORKFLOW / "progress.py")


@pytest.fixture
def plugin():
    return load(WORKFLOW / "snakemake_logger_plugin_treecrf/__init__.py")


@pytest.fixture
def handler(plugin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = plugin.LogHandler(common_settings=SimpleNamespace(), settings=None)
    yield made
    made.close()


def tell(handler, event, level=logging.INFO, message="", **fields):
    record = logging.LogRecord("snakemake", level, "workflow.py", 1, message, (), None)
    vars(record).update(event=event, **fields)
    handler.emit(record)


def run_in(folder, *options, **variables):
    (folder / "Snakefile").write_text(SNAKEFILE)
    command = [sys.executable, str(WORKFLOW / "progress.py"), *options]
    environment = {name: value for name, value in os.environ.items() if name != "SNAKEMAKE_PROFILE"}
    return subprocess.run(command, cwd=folder, env=environment | variables, capture_output=True, text=True, check=False)


def test_a_target_may_stand_first(tmp_path):
    result = run_in(tmp_path, "good", "--cores", "1")
    assert result.returncode == 0, result.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name in ("good", "bad", "nothing")] == ["good"]


def test_a_home_that_cannot_be_written(tmp_path):
    result = run_in(tmp_path, "good", "--cores", "1", HOME="/proc/nohome", XDG_CACHE_HOME="")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / ".snakemake/caches/snakemake").is_dir()


def test_wrong_usage_promises_nothing(tmp_path):
    result = run_in(tmp_path, "--nonsense")
    assert result.returncode == 2
    assert "--nonsense" in result.stderr
    assert "Continue with" not in result.stderr


@pytest.mark.parametrize("option", ["-n", "--dry-run", "--dryrun"])
def test_a_dry_run_names_the_steps_and_says_nothing_of_results(tmp_path, option):
    result = run_in(tmp_path, "good", "--cores", "1", option)
    assert result.returncode == 0, result.stderr
    messages = result.stdout + result.stderr
    assert re.search(r"^good +1$", messages, re.MULTILINE)
    assert "Done in" not in messages
    assert "Next:" not in messages
    assert not (tmp_path / "good").exists()


def test_a_run_shows_finished_and_failed_steps(tmp_path):
    options = "--cores 1 --keep-going --latency-wait 0 good bad nothing"  # targets may stand last, too
    result = run_in(tmp_path, *options.split())
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    missing = next(line for line in lines if line.startswith("MissingOutputException in rule nothing"))
    place = lines.index(missing)
    assert lines[place + 2].startswith("nothing (missing locally")
    assert sorted(lines[:place] + lines[place + 3 :]) == [
        "  (details: bad.log)",
        "  Makes [good]",
        f"Continue with: python workflow/progress.py {options}",
        "Not everything is finished.",
        "the disk is full; make room.",
    ]


def test_a_step_without_a_message_or_a_log_is_named(handler, capsys):
    tell(handler, LogEvent.JOB_INFO, jobid=1, rule_msg=None, rule_name="all")
    tell(handler, LogEvent.JOB_INFO, jobid=2, rule_msg=None, rule_name="warm_kernels")
    tell(handler, LogEvent.JOB_FINISHED, job_id=1)
    tell(handler, LogEvent.JOB_ERROR, logging.ERROR, jobid=2, rule_name="warm_kernels", log=[])
    assert capsys.readouterr().err.splitlines() == ["  all", "The step warm_kernels failed."]
    assert handler.progress.steps == {}


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("the reason\nmore\n", "the reason"),
        ("Traceback (most recent call last):\n  File\nKeyError: 'a'\n", "KeyError: 'a'"),
        (None, "A step failed before it wrote its log step.log."),
    ],
)
def test_a_failed_step_gives_its_reason(handler, capsys, content, line):
    if content is not None:
        Path("step.log").write_text(content)
    tell(handler, LogEvent.JOB_ERROR, logging.ERROR, jobid=2, rule_name="a", log=["step.log"])
    tell(
        handler,
        LogEvent.ERROR,
        logging.ERROR,
        "WorkflowError:\nAt least one job did not complete successfully.",
        exception="WorkflowError",
    )
    assert capsys.readouterr().err.splitlines() == [line, "  (details: step.log)"]


def test_other_errors_are_shown(handler, capsys):
    tell(handler, LogEvent.ERROR, logging.ERROR, "the disk is full", exception="OSError")
    assert capsys.readouterr().err == "the disk is full\n"


def test_a_second_run_in_a_folder_is_told_of_the_first(handler, plugin, capsys):
    tell(handler, LogEvent.ERROR, logging.ERROR, "LockException:\nmany\nlines", exception="LockException")
    assert capsys.readouterr().err == f"{plugin.LOCKED}\n"


def test_errors_after_a_failed_step_are_shown(handler, capsys):
    tell(handler, LogEvent.JOB_ERROR, logging.ERROR, jobid=2, rule_name="a", log=[])
    tell(handler, LogEvent.ERROR, logging.ERROR, "RuleException:\nfalse failed", exception="RuleException")
    tell(handler, LogEvent.ERROR, logging.ERROR, "the disk is full", exception="OSError")
    tell(handler, None, logging.ERROR, "Exiting because a job execution failed. Look above for error messages")
    assert capsys.readouterr().err.splitlines() == ["The step a failed.", "the disk is full"]


# --- steps that are killed, and folders of any name -------------------------------------------------

GROWING = """
rule made:
    output: "made"
    log: "made.log"
    message: "Makes made"
    resources: mem_mb=lambda wildcards, attempt: 1000 * attempt
    script: "make it.py"
"""

KILLED_ONCE = """
import os, signal
from pathlib import Path
with open(snakemake.log[0], "a") as log:
    log.write(f"{snakemake.resources.mem_mb} MB\\n")
Path(snakemake.output[0]).write_text("half")
if not Path("free").exists():  # other processes hold the memory
    Path("free").touch()
    os.kill(os.getpid(), signal.SIGKILL)
Path(snakemake.output[0]).write_text("made whole")
"""


@pytest.fixture
def killing(tmp_path):
    """Runs a step that is killed once, in a folder whose name holds blanks and umlauts, by a Python within it."""
    folder = tmp_path / "x é ü"
    folder.mkdir()
    (folder / "Snakefile").write_text(GROWING)
    (folder / "make it.py").write_text(KILLED_ONCE)
    (folder / ".venv").symlink_to(sys.prefix)

    def run(*options):
        command = [folder / ".venv/bin/python", WORKFLOW / "progress.py", "--cores", "1", *options]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return result.returncode, result.stderr.splitlines()

    return folder, run


def test_a_killed_step_is_told_and_the_same_command_continues(killing):
    folder, run = killing
    code, lines = run()
    assert (code, lines) == (
        1,
        [
            "The step made was killed, most likely for its memory; run fewer at a time (--cores), or use a machine "
            "with more.",
            "  (details: made.log)",
            "Not everything is finished.",
            "Continue with: python workflow/progress.py --cores 1",
        ],
    )
    assert not (folder / "made").exists()
    code, lines = run()
    assert (code, lines[0]) == (0, "  Makes made")
    assert (folder / "made").read_text() == "made whole"


@pytest.mark.slow
def test_a_killed_step_is_tried_again_with_more_memory(killing):
    folder, run = killing
    code, lines = run("--retries", "2")
    assert code == 0, lines
    assert (folder / "made").read_text() == "made whole"
    assert (folder / "made.log").read_text() in ("1000 MB\n2000 MB\n", "2000 MB\n")


# --- terminals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_bar_keeps_its_width_and_steps_are_cut_at_the_margin(plugin, width):
    console = Console(width=width, force_terminal=True, file=StringIO(), color_system=None)
    view = plugin.StepProgress(console)
    view.update(view.add_task("", total=10), completed=10)
    view.steps = {number: f"Step {number} " + 20 * "long " for number in range(plugin.MOST_STEPS + 2)}
    console.print(view.get_renderable())
    bar, *steps = console.file.getvalue().splitlines()
    assert bar.count("━") == 30
    assert "10/10" in bar
    assert [len(step) for step in steps[:-1]] == [width] * plugin.MOST_STEPS
    assert all(step.endswith("…") for step in steps[:-1])
    assert steps[-1] == "  and 2 more"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_messages_break_between_words_on_terminals_only(handler, is_terminal):
    text = "A sentence that is too long for a narrow terminal."
    handler.console = Console(width=20, force_terminal=is_terminal, file=StringIO(), color_system=None)
    tell(handler, LogEvent.ERROR, logging.ERROR, text)
    lines = handler.console.file.getvalue().splitlines()
    assert len(lines) == (3 if is_terminal else 1)
    assert " ".join(line.strip() for line in lines) == text


# --- ends -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_shows_the_usage(option):
    result = subprocess.run(
        [sys.executable, str(WORKFLOW / "progress.py"), option], capture_output=True, text=True, check=True
    )
    assert "--configfile FILE" in result.stdout


def test_version_names_both_programs():
    result = subprocess.run(
        [sys.executable, str(WORKFLOW / "progress.py"), "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"treecrf {version('treecrf')}, Snakemake {version('snakemake')}\n"


@pytest.fixture
def settings(progress):
    """Settings of a run in the working folder, whose results are in ``results`` and reports in ``reports``."""
    Path("config").mkdir()

    def write(profile):
        Path("config/config.yaml").write_text((ROOT / "config/config.yaml").read_text())
        Path("own.yaml").write_text(f"profile: {profile}\n")

    for name in ("reports/index.html", "reports/explorer.html", "reports/unfinished/index.html", "results/claims.csv"):
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).touch()
    return write


def test_a_finished_run_names_reports_results_and_the_next_command(progress, settings):
    settings("own")
    options = ["--cores", "2", "--configfile", "own.yaml"]
    here = Path().resolve()
    assert list(progress.summary(options, progress.parse(options), 0, 0)) == [
        f"Report:   {here}/reports/index.html",
        f"Explorer: {here}/reports/explorer.html",
        f"Results:  {here}/results",
        "Next: python workflow/progress.py archive --cores 2 --configfile own.yaml (writes one zip)",
    ]
    Path("reports/training").mkdir()
    Path("reports/training/index.html").touch()
    alone = list(progress.summary(["training", *options], progress.parse(options), 0, 0))
    assert alone[0] == f"Report:   {here}/reports/training/index.html"
    settings("demo")
    assert [*progress.summary(options, progress.parse(options), 0, 0)][-1].startswith("Next: make quick")


def test_the_target_archive_names_the_archive(progress, settings):
    settings("own")
    Path("archives").mkdir()
    Path("archives/treecrf-2026-01-02.zip").touch()
    found = list(progress.summary(["archive", "--configfile", "own.yaml"], ["own.yaml"], 0, 0))
    assert found == [f"Archive:  {Path().resolve()}/archives/treecrf-2026-01-02.zip"]


def test_a_failed_run_names_what_is_finished_and_how_to_continue(progress, settings):
    settings("own")
    assert list(progress.summary(["--cores", "2"], [], 1, 0)) == [
        f"Report of what is finished: {Path().resolve()}/reports/unfinished/index.html",
        "Continue with: python workflow/progress.py --cores 2",
    ]
    later = Path("reports/unfinished/index.html").stat().st_mtime + 1
    assert len(list(progress.summary(["--cores", "2"], [], 1, later))) == 1  # that page is of an earlier run


# --- signals ----------------------------------------------------------------------------------------

LONG = """
rule all:
    input: "made/1", "made/2"
rule long:
    output: "made/{number}"
    log: "{number}.log"
    message: "Takes long"
    script: "long.py"
"""

SCRIPT = """
import sys, time
sys.path.insert(0, SCRIPTS)
from _job import job
from treecrf.io.files import atomic
with job(snakemake):
    with atomic(snakemake.output[0]) as temporary:
        temporary.write_text("half")
        time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", [0.1, 0.5, 1.0, 2.0, "started", "at work"])
def test_signals_end_a_run_with_one_sentence(tmp_path, number, moment):
    """Whatever is going on: loading, planning, a job that is loading, and one that writes. Ctrl-C goes to all processes
    of a terminal.
    """
    (tmp_path / "Snakefile").write_text(LONG)
    (tmp_path / "long.py").write_text(f"SCRIPTS = {str(WORKFLOW / 'scripts')!r}\n" + SCRIPT)
    command = [sys.executable, str(WORKFLOW / "progress.py"), "--cores", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    sign = {"started": ".snakemake/scripts/*", "at work": "made/*.tmp"}.get(moment)
    deadline = time.monotonic() + 120
    while sign and not list(tmp_path.glob(sign)) and time.monotonic() < deadline:
        time.sleep(0.05)
    if sign is None:
        time.sleep(moment)
    (os.kill if number == signal.SIGTERM else os.killpg)(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert err.splitlines()[-1:] == ["Interrupted; the same command continues."]
    assert len(err.splitlines()) <= 2, err  # Snakemake's profile
    assert process.returncode == 128 + number
    assert session_members(process.pid) == []
    assert not (tmp_path / "made").is_dir() or os.listdir(tmp_path / "made") == []
    assert list(tmp_path.glob(".snakemake/locks/*")) == []


def test_a_job_that_snakemake_lost_is_awaited(progress):
    """A signal while a thread starts leaves the thread unknown to the pool that would wait for it."""
    done = []
    thread = threading.Thread(target=lambda: (time.sleep(0.5), done.append(True)))
    thread.start()
    progress.await_threads()
    assert done == [True]


TWICE = f"""
import os, signal, sys, time
sys.path.insert(0, {str(WORKFLOW / "scripts")!r})
from _job import end
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, end)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
finally:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.1)
    print("removed")
"""
"""A job that gets the second signal while it removes its temporary files."""


def test_a_second_signal_does_not_keep_a_job_from_removing_its_files():
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, "removed\n")


@pytest.mark.slow
@pytest.mark.workflow
def test_jobs_of_snakemake_alone_say_nothing_on_ctrl_c(tmp_path):
    (tmp_path / "Snakefile").write_text(LONG)
    (tmp_path / "long.py").write_text(f"SCRIPTS = {str(WORKFLOW / 'scripts')!r}\n" + SCRIPT)
    command = [sys.executable, "-m", "snakemake", "--cores", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("made/*.tmp"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    err = None
    while err is None:  # Snakemake sometimes needs another Ctrl-C
        os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            _, err = process.communicate(timeout=20)
    assert "Takes long" in err
    assert "Traceback" not in err
    assert list(tmp_path.glob("made/*")) == []


# --- locks ------------------------------------------------------------------------------------------


def lock():
    path = Path(".snakemake/locks/0.input.lock")
    path.write_text("something")
    return path


def test_a_killed_runs_lock_is_removed(progress, capsys):
    progress.take_mark().close()  # as if killed: it never said that it ended
    stale = lock()
    progress.take_mark().close()
    assert not stale.exists()
    assert "killed" in capsys.readouterr().err


def test_the_lock_of_a_run_at_work_stays(progress):
    held = progress.take_mark()
    live = lock()
    progress.take_mark().close()
    assert live.exists()
    held.close()


def test_a_lock_that_is_not_ours_stays(progress):
    progress.drop_mark(progress.take_mark())
    foreign = lock()
    progress.take_mark().close()
    assert foreign.exists()


def test_a_folder_where_a_run_cannot_write_is_one_sentence(tmp_path):
    (tmp_path / ".snakemake").touch()
    result = run_in(tmp_path, "good", "--cores", "1")
    assert result.returncode == 1
    assert result.stderr == ".snakemake: File exists; run in a folder where you may write.\n"
