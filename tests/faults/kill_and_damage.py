"""Kill the workflow at random moments, fill its disk, damage its files, compare results: ``make test-faults``.

A small configuration runs once undisturbed. Then it runs again and again, is killed with SIGKILL
(the main process and every job) at random moments and goes on, as a person would go on: by the same command. After
each kill the results that are there are compared with those of the undisturbed run, and so are all results at the end.
Then the same with damaged files and with a full disk. Prints a line for each event; ends with 1 if any result differs.

Files are made below the folder of temporary files. The raw files come from the folder that TREECRF_MIRROR names; where
it is not set, the data set that needs them is left out. The disk is filled only where this process may mount one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "treecrf_studies/helpers"))

from comparing import result_digests  # noqa: E402
from disturbing import Workflow, cut, flip  # noqa: E402

RAW = "protein/protein-secondary-structure.train"
"""The raw file that is damaged; the one beside it is there, too."""


class Trial:
    """All that is done, with the findings so far.

    Parameters
    ----------
    base : Path
        Folder of all runs and of the compiled kernels.
    seed : int
        Of the moments of kills.
    """

    def __init__(self, base: Path, seed: int) -> None:
        self._base, self._random = base, random.Random(seed)
        self._mirror = os.environ.get("TREECRF_MIRROR", "")
        self._settings = yaml.safe_load((HERE / "small.yaml").read_text(encoding="utf-8"))
        self._began = time.monotonic()
        self._n_runs = 0
        self.failures: list[str] = []
        if not self._mirror:
            self.say("TREECRF_MIRROR is not set: no raw files, so none is damaged")
            del self._settings["datasets"]["protein"]
            self._settings["training"]["datasets"].remove("protein")

    def say(self, text: str) -> None:
        """Print a line with the time since the beginning."""
        print(f"{time.monotonic() - self._began:7.1f} s  {text}", flush=True)

    def check(self, is_right: bool, text: str) -> None:
        """Say what was looked at, and remember if it is wrong."""
        self.say(f"{'right' if is_right else 'WRONG'}: {text}")
        if not is_right:
            self.failures.append(text)

    def undisturbed(self) -> None:
        """What everything is compared with."""
        run = self._new_run()
        code, messages = run.finish()
        if code:
            sys.exit(f"the undisturbed run failed:\n{messages}")
        self._expected = result_digests(run.results)
        again = self._new_run()  # with the kernels that are compiled by now
        begin = time.monotonic()
        again.finish()
        self._length = time.monotonic() - begin
        self.say(f"an undisturbed run takes {self._length:.0f} s and has {len(self._expected)} files to compare")
        self._compare(again, "a second undisturbed run")

    def kills(self, n_kills: int) -> None:
        """Kill runs at random moments and let them go on, until there were `n_kills` kills."""
        n_done, run = 0, self._new_run()
        while n_done < n_kills:
            moment = self._random.uniform(0.5, self._length / 2)
            run.start()
            if run.is_done(moment):
                self._compare(run, f"a run after {n_done} kills in all")
                run = self._new_run()
                continue
            n_processes = run.kill()
            n_done += 1
            wrong = run.wrong_files(self._expected, finished=False)
            there = len(list(run.results.rglob("*"))) if run.results.is_dir() else 0
            self.say(f"kill {n_done} after {moment:.1f} s: {n_processes} processes, {there} files and folders there")
            if wrong:
                self.check(False, f"after kill {n_done}, half written: {', '.join(wrong)}")
        run.finish()
        self._compare(run, f"a run after {n_done} kills in all")

    def damage(self) -> None:
        """Damage a raw file, compiled kernels, intermediate results and finished parts of jobs."""
        run = self._new_run()
        kernels = self._damaged_kernels()
        if self._mirror:
            raw = run.folder / "data/raw" / RAW
            shutil.copytree(Path(self._mirror, RAW).parent, raw.parent)
            flip(raw)
        run.start(TREECRF_MIRROR="")
        cache: list[Path] = []
        while not run.is_done(0.2) and not (
            (run.results / "training/hmm/treecrf.curves.parquet").is_file()
            and (run.log("prepare_data/protein.log") or not self._mirror)
            and (cache := list(run.results.rglob("*.cache/*.zip")))
        ):
            pass
        n_processes = run.kill()
        self.say(f"killed with {n_processes} processes")
        if self._mirror:
            reported = run.log("prepare_data/protein.log")
            self.check(
                RAW in reported and "checksum" in reported,
                f"a raw file with a flipped bit is refused: {reported.splitlines()[:1]}",
            )
        damaged = []
        for pattern, spoil in (
            ("data/hmm/test.npz", cut),
            ("training/hmm/*.curves.parquet", flip),
            ("cost/scaling.csv", flip),
            ("future/example.csv", cut),
            ("data/hmm/description.json", flip),
        ):
            for path in list(run.results.glob(pattern))[:1]:
                spoil(path)
                damaged.append(path)
                self.say(f"{spoil.__name__}: {path.relative_to(run.folder)}")
        for path in (path for path in cache if path.is_file()):
            cut(path)
            self.say(f"cut: {path.relative_to(run.folder)}")
        self.check(bool(cache), "a job had finished parts when it was killed")
        code, messages = run.finish()
        names = [path.relative_to(run.folder).as_posix() for path in damaged]
        self.check(
            code != 0 and all(name in messages for name in names) and "delete it" in messages,
            f"damaged results are refused: {[line for line in messages.splitlines() if 'damaged' in line]}",
        )
        for path in damaged:
            path.unlink()
        run.finish()  # with the mirror: the raw file is had anew
        self._compare(run, "a run with damaged files")
        for path, content in kernels.items():
            self.check(path.read_bytes() != content, f"a damaged kernel is compiled anew: {path.name}")

    def full_disk(self) -> None:
        """Run on a disk that is too small, then make it larger."""
        disk = self._base / "disk"
        disk.mkdir()
        needed = sum(path.stat().st_size for path in (self._base / "run_1").rglob("*") if path.is_file())
        mount = ["mount", "-t", "tmpfs", "-o", f"size={needed // 3}", "tmpfs", disk]
        try:
            subprocess.run(mount, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.say("left out: this process may not mount a small disk to fill")
            return
        try:
            run = Workflow(disk / "run", self._settings, self._environment(), self._base / "full_disk.txt")
            code, messages = run.finish()
            reported = [line for line in messages.splitlines() if "disk is full" in line or "No space left" in line]
            self.check(code != 0 and bool(reported), f"a disk of {needed // 3 >> 10} KiB is full: {reported[:1]}")
            if wrong := run.wrong_files(self._expected, finished=False):
                self.check(False, f"on the full disk, half written: {', '.join(wrong)}")
            subprocess.run(["mount", "-o", f"remount,size={needed * 4}", disk], check=True)
            run.finish()
            self._compare(run, "a run whose disk was full")
        finally:
            subprocess.run(["umount", disk], check=False)

    def _new_run(self) -> Workflow:
        self._n_runs += 1
        return Workflow(self._base / f"run_{self._n_runs}", self._settings, self._environment())

    def _environment(self) -> dict[str, str]:
        return {"NUMBA_CACHE_DIR": str(self._base / "kernels"), "TREECRF_MIRROR": self._mirror}

    def _compare(self, run: Workflow, what: str) -> None:
        wrong = run.wrong_files(self._expected, finished=True)
        text = f"{what} ends in the same {len(self._expected)} files"
        self.check(not wrong, f"{text}; not so: {', '.join(wrong)}; {run.messages()[-2000:]}" if wrong else text)

    def _damaged_kernels(self) -> dict[Path, bytes]:
        """Damage some compiled kernels; what they hold now."""
        kernels = self._base / "kernels"
        chosen = {}
        for pattern, spoil in (("*.nbi", cut), ("*.nbc", cut), ("*.nbi", flip), ("*.nbc", flip)):
            path = self._random.choice(sorted(path for path in kernels.rglob(pattern) if path not in chosen))
            spoil(path)
            chosen[path] = path.read_bytes()
            self.say(f"{spoil.__name__}: {path.relative_to(self._base)}")
        return chosen


def main() -> int:
    """Do everything; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=25, help="how many kills (25)")
    parser.add_argument("--seed", type=int, default=0, help="seed of their moments (0)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="treecrf-faults-") as name:
        trial = Trial(Path(name), given.seed)
        trial.undisturbed()
        trial.kills(given.kills)
        trial.damage()
        trial.full_disk()
    trial.say(f"{len(trial.failures)} things went wrong" if trial.failures else "everything was right")
    return 1 if trial.failures else 0


if __name__ == "__main__":
    sys.exit(main())
