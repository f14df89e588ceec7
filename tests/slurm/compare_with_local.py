"""Run the demo here and on a Slurm of one node, and compare every result byte for byte: ``make test-slurm``.

``python tests/slurm/compare_with_local.py CONFIGFILE`` takes another configuration than the demo's. Slurm is started
for this and stopped afterwards, whatever happens. Results go to a temporary folder. Ends with 0 where both runs agree,
with 1 and one sentence where they do not or where Slurm cannot run.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from one_node import CannotRunError, one_node

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/treecrf_studies/helpers"))

from comparing import differences, result_digests  # noqa: E402

SLURM = [
    "--profile",
    str(ROOT / "workflow/profiles/slurm"),
    "--slurm-init-seconds-before-status-checks",
    "3",
    "--seconds-between-status-checks",
    "3",
    "--latency-wait",
    "5",
]


def main(configuration: Path) -> int:
    """Run, compare, print the differences."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is stopped
    try:
        with tempfile.TemporaryDirectory(prefix="treecrf-demo-") as name, one_node():
            local, slurm = Path(name, "local"), Path(name, "slurm")
            seconds = {"one machine": run(local, configuration, ["--cores", str(len(os.sched_getaffinity(0)))])}
            seconds["Slurm"] = run(slurm, configuration, SLURM)
            different, n_files, n_jobs = compare(local, slurm), len(digests(slurm)), submitted(slurm)
    except (CannotRunError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; Slurm is stopped too.", file=sys.stderr)
        return 130
    for place, value in seconds.items():
        print(f"{place}: {value:.0f} s")
    print(f"Slurm jobs: {n_jobs}; files compared: {n_files}")
    if different:
        print(f"Slurm's results differ from those of one machine in {', '.join(different)}.", file=sys.stderr)
        return 1
    print("Every result is the same, times aside.")
    return 0


def run(folder: Path, configuration: Path, options: list[str]) -> float:
    """Run the workflow in `folder`; returns the seconds that it took."""
    (folder / "config").mkdir(parents=True)
    shutil.copy(ROOT / "config/config.yaml", folder / "config")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--configfile", str(configuration), *options]
    command += ["--config", "results=results", "reports=reports"]
    began = time.monotonic()
    with open(log_of(folder), "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait()
        except BaseException:
            end(process)
            raise
    if code:
        messages = log_of(folder).read_text(encoding="utf-8").splitlines()[-60:]
        raise CannotRunError("\n".join([*messages, f"The run on {folder.name} failed; its messages are above."]))
    return time.monotonic() - began


def end(process: subprocess.Popen[bytes]) -> None:
    """End a run and the steps that it has started on this machine."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


def log_of(folder: Path) -> Path:
    """Snakemake's messages."""
    return folder / "messages.log"


def digests(folder: Path) -> dict[str, str]:
    """Digests of a run's results."""
    return result_digests(folder / "results")


def compare(one: Path, other: Path) -> list[str]:
    """Files in which two runs differ; a run without files is refused."""
    first, second = digests(one), digests(other)
    if not first or not second:
        raise CannotRunError("A run left no results to compare.")
    return differences(first, second)


def submitted(folder: Path) -> int:
    """How many jobs Slurm was given."""
    return len(set(re.findall(r"SLURM jobid '?(\d+)", log_of(folder).read_text(encoding="utf-8"))))


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2] or [ROOT / "config/demo.yaml"]).resolve()))
