"""A run of the workflow in a folder of its own, and what can happen to it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml
from comparing import differences, result_digests
from interrupting import session_members

ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
NO_WAY_OUT = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")


class Workflow:
    """The workflow as users run it, ``workflow/progress.py``, two jobs at a time, without a network.

    Parameters
    ----------
    folder : Path
        Is made; results go to ``folder/results``.
    settings : dict
        The configuration, of a profile of its own.
    environment : dict
        Added to this process's.
    messages : Path, optional
        Where its messages go; ``folder/messages.txt`` unless given.
    """

    def __init__(self, folder: Path, settings: dict, environment: dict[str, str], messages: Path | None = None) -> None:
        self.folder, self.results = folder, folder / "results"
        self._messages = messages or folder / "messages.txt"
        (folder / "config").mkdir(parents=True)
        shutil.copy(ROOT / "config/config.yaml", folder / "config")
        (folder / "run.yaml").write_text(yaml.safe_dump({"profile": "own"} | settings))
        self._environment = environment
        self._process: subprocess.Popen | None = None

    def start(self, **environment: str) -> None:
        """Start a run, or go on with one, in a session of its own."""
        everything = {name: value for name, value in os.environ.items() if name != "TREECRF_MIRROR"}
        everything |= ONE_THREAD | NO_WAY_OUT | self._environment | environment
        command = [sys.executable, str(ROOT / "workflow/progress.py"), "--cores", "2"]
        command += ["--snakefile", str(ROOT / "Snakefile"), "--configfile", "run.yaml"]
        with open(self._messages, "w", encoding="utf-8") as stream:
            self._process = subprocess.Popen(
                command, cwd=self.folder, env=everything, stdout=stream, stderr=stream, start_new_session=True
            )

    def is_done(self, seconds: float) -> bool:
        """Wait so long for the run to end by itself."""
        assert self._process is not None
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> int:
        """SIGKILL to every process of the session, until none is left; how many there were."""
        if self._process is None:
            return 0
        killed: set[int] = set()
        while members := session_members(self._process.pid):
            for member in members:
                try:
                    os.kill(member, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                killed.add(member)
            self._process.poll()
            time.sleep(0.02)
        self._process.wait()
        return len(killed)

    def finish(self, seconds: float = 1200.0, **environment: str) -> tuple[int, str]:
        """Run to the end; exit code and messages."""
        self.start(**environment)
        if not self.is_done(seconds):
            self.kill()
            raise TimeoutError(f"the run in {self.folder} did not end within {seconds:g} s")
        assert self._process is not None
        return self._process.returncode, self.messages()

    def messages(self) -> str:
        """Messages of the last run."""
        return self._messages.read_text(encoding="utf-8", errors="replace")

    def log(self, name: str) -> str:
        """The log of a job, empty where it has none."""
        path = self.results / "logs" / name
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def wrong_files(self, expected: dict[str, str], finished: bool) -> list[str]:
        """Results that are not as they should be.

        Parameters
        ----------
        expected : dict of str to str
            Digests of an undisturbed run.
        finished : bool
            Whether all must be there; before, those that are there must be right.
        """
        try:
            found = result_digests(self.results)
        except Exception as error:  # a file that cannot be read
            return [str(error)]
        if not finished:
            found = {name: digest for name, digest in found.items() if name in expected}
            return differences(found, {name: expected[name] for name in found})
        page = self.folder / "reports/index.html"
        whole = page.is_file() and page.read_text(encoding="utf-8").rstrip().endswith("</html>")
        return differences(found, expected) + ([] if whole else [str(page)])


def cut(path: Path) -> None:
    """Leave the first half of a file."""
    with open(path, "rb+") as stream:
        stream.truncate(path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Change one bit in the middle of a file; the size stays."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
