"""The Java virtual machine of the rivals that are written in Java: finding their jars, starting it once."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from treecrf.io.files import sha256
from treecrf.io.messages import needs_extra

_FOLDER = Path(__file__).parent
_POM = _FOLDER / "pom.xml"

_OPTIONS = (
    "-XX:+UseSerialGC",
    "-Xrs",  # signals are for Python: a job that is stopped ends without a crash report
    # Streams that would be parallel run in the calling thread: every labeller is timed on one thread.
    "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0",
    f"-Djava.util.logging.config.file={_FOLDER / 'logging.properties'}",
)


def java_problem() -> str | None:
    """Say in one sentence what the rivals in Java lack here and what to do; None if they can run."""
    try:
        find_machine()
        find_jars()
    except (ValueError, ModuleNotFoundError) as error:
        return str(error)
    return None


@functools.cache
def start_java() -> ModuleType:
    """Start the Java virtual machine with the jars of MALLET and SMILE, unless it runs already; returns ``jpype``.

    It has one thread for the program and a serial garbage collector; what Java code prints or logs is dropped. A
    ValueError has the sentence of `java_problem`.
    """
    with needs_extra("java"):
        import jpype  # takes long to import, and only the rivals need it

    machine = find_machine()
    for jar in find_jars():
        jpype.addClassPath(jar)
    if not jpype.isJVMStarted():
        jpype.startJVM(machine, *_OPTIONS, interrupt=False, convertStrings=False)
    nowhere = jpype.JClass("java.io.PrintStream")(jpype.JClass("java.io.OutputStream").nullOutputStream())
    system = jpype.JClass("java.lang.System")
    system.setOut(nowhere)
    system.setErr(nowhere)
    return jpype


def find_jars() -> list[Path]:
    """The jars that pom.xml beside this module pins, resolved by Maven where they are not there yet.

    They are kept in a folder of their own for each state of pom.xml, below the folder that the environment variable
    TREECRF_JARS names, or below the user's cache. A ValueError says where Maven is missing or fails, or where that
    folder cannot be written to.
    """
    with needs_extra("java"):
        import pooch

    root = Path(os.environ.get("TREECRF_JARS") or Path(pooch.os_cache("treecrf")) / "jars")
    folder = root / hashlib.sha256(_POM.read_bytes()).hexdigest()[:12]
    if not folder.is_dir():
        maven = shutil.which("mvn")
        if maven is None:
            raise ValueError(f"{folder} has no jars and there is no mvn to resolve them; install Maven.")
        with _new_folder_in(root) as temporary:
            _resolve(maven, Path(temporary))
            with suppress(OSError):  # another process was faster
                (Path(temporary) / "jars").rename(folder)
    jars = sorted(folder.glob("*.jar"))
    _check_jars(folder, jars)
    return jars


def _check_jars(folder: Path, jars: Sequence[Path]) -> None:
    """Refuse jars that are not those of ``jars.sha256``: they run as code."""
    lines = (line.split() for line in _POM.with_name("jars.sha256").read_text(encoding="utf-8").splitlines())
    known = {name: digest for digest, name in lines}
    digests = {jar.name: sha256(jar) for jar in jars}
    for name in sorted(known.keys() | digests.keys()):
        if known.get(name) != digests.get(name):
            raise ValueError(f"{folder / name} is not the jar whose SHA-256 treecrf knows; delete the folder {folder}.")


def _new_folder_in(root: Path) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder in the folder of all jars."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=root)
    except OSError as error:
        raise ValueError(
            f"the jars cannot be kept in {root} ({error.strerror}); set TREECRF_JARS to a folder that you may write to."
        ) from None


def find_machine() -> str:
    """Path of the shared library of the Java virtual machine."""
    with needs_extra("java"):
        import jpype

    try:
        return jpype.getDefaultJVMPath()
    except jpype.JVMNotFoundException:
        raise ValueError("no Java virtual machine is found; install Java 11 or later, or set JAVA_HOME.") from None


def _resolve(maven: str, folder: Path) -> None:
    """Have Maven copy the jars to a folder ``jars`` in this one."""
    shutil.copy(_POM, folder)  # Maven may write beside it
    command = [maven, "-B", "-q", "-f", str(folder / _POM.name), "dependency:copy-dependencies"]
    result = subprocess.run([*command, f"-DoutputDirectory={folder / 'jars'}"], capture_output=True, text=True)
    if result.returncode or not (folder / "jars").is_dir():
        lines = [line.strip() for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        reason = lines[0].rstrip(".") if lines else f"it ended with {result.returncode}"
        raise ValueError(
            f"Maven could not resolve the jars of {_POM.name} ({reason}); connect to a repository, or set TREECRF_JARS "
            "to a folder that was filled elsewhere."
        )
