"""Pipes that close, signals at any moment, places that are no files, and unusual surroundings of a process."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from interrupting import at_moments, interrupted

COMMAND = [sys.executable, "-m", "treecrf"]


@pytest.fixture
def many(words, tmp_path):
    """A table whose labels are more than a pipe holds."""
    frames = [words.assign(sequence=words["sequence"] + 100 * copy) for copy in range(20)]
    path = tmp_path / "many.csv"
    path.write_text("".join(frame.to_csv(index=False, header=not i) for i, frame in enumerate(frames)))
    return path


def test_a_reader_that_closes_the_pipe(model, many):
    process = subprocess.Popen([*COMMAND, "predict", model, many], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().endswith(b",predicted\n")
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output(model, table):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "predict", model, table], stdout=full, stderr=subprocess.PIPE, text=True)
    sentence = "treecrf: standard output: no space left on device; choose another place, or make room.\n"
    assert (done.returncode, done.stderr) == (1, sentence)


CLOSED = "treecrf: standard output: bad file descriptor; redirect it to a file.\n"


@pytest.mark.parametrize("command", ["--version", "describe"])
def test_standard_streams_that_are_closed(run, table, command):
    arguments = [command, *([table] if command == "describe" else [])]
    shell = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, *arguments]
    done = subprocess.run(shell, capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines(True)[-1]) == (1, CLOSED)
    shell[2] = '"$@" 2>&-'  # what would be said there does not reach the output
    only_output = subprocess.run(shell, capture_output=True, text=True)
    assert (only_output.returncode, only_output.stdout) == run(*arguments)[:2]


def test_pipes_with_names_are_no_files(run, model, table, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for arguments, what in (
        (("predict", model, "pipe.csv"), "table pipe.csv is not a regular file; name a file."),
        (("predict", "pipe.csv", table), "model pipe.csv is not a regular file; name a file."),
        (("predict", model, table, "-o", "pipe.csv"), "pipe.csv is not a regular file; choose another place."),
        (("predict", model, "/dev/zero"), "table /dev/zero is not a regular file; name a file."),
    ):
        assert run(*arguments) == (1, "", f"treecrf: {what}\n")


WITHOUT_ROOT = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"] if os.geteuid() == 0 else []
"""Permissions of files hold for the administrator, too."""

needs_setpriv = pytest.mark.skipif(bool(WITHOUT_ROOT) and not shutil.which("setpriv"), reason="needs setpriv")


@needs_setpriv
@pytest.mark.slow
def test_files_and_folders_without_permissions(model, table, tmp_path):
    for path, mode in ((tmp_path / "readable", 0o555), (tmp_path / "closed", 0)):
        path.mkdir()
        path.chmod(mode)
    secrets = [tmp_path / name for name in ("secret.csv", "secret.npz")]
    for path in secrets:
        path.write_bytes(table.read_bytes())
        path.chmod(0)
    kept = tmp_path / "kept.csv"
    kept.write_text("kept")
    kept.chmod(0o444)
    change = "change the permissions, or choose another place."
    for arguments, sentence in (
        (("describe", "secret.csv"), "table secret.csv may not be read; change its permissions."),
        (("predict", "secret.npz", table), "model secret.npz may not be read; change its permissions."),
        (("describe", "closed/a.csv"), f"closed/a.csv: permission denied; {change}"),
        (("describe", "closed"), f"closed: permission denied; {change}"),
        (("predict", model, table, "-o", "readable/x.csv"), "readable/x.csv cannot be written; choose another place."),
        (("predict", model, table, "-o", "kept.csv"), "kept.csv cannot be written; choose another place."),
        (("predict", model, table, "-o", "closed/x.csv"), f"closed/x.csv: permission denied; {change}"),
    ):
        command = [*WITHOUT_ROOT, *COMMAND, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"treecrf: {sentence}\n")


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 1000])
def test_a_file_that_may_not_grow(model, table, tmp_path, most):
    """As on a full disk, with every kind of output."""
    before = {path.name for path in tmp_path.iterdir()}
    for arguments in (
        ("fit", table, "-o", "f.npz", "--method", "treecrf_newton", "--iterations", "3"),
        ("predict", model, table, "-o", "f.csv"),
        ("predict", model, table, "-o", "f.parquet"),
        ("explain", model, table, "--plot", "f.html"),
    ):
        command = [sys.executable, "-c", SMALL_FILES.format(most=most), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        name = next(part for part in arguments if str(part).startswith("f."))
        sentence = f"treecrf: {name}: file too large; choose another place, or make room."
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, sentence)
        assert {path.name for path in tmp_path.iterdir()} == before


SMALL_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
from treecrf.cli import main
main()
"""


def test_names_that_are_too_long_and_links_to_themselves(run, model, table, tmp_path):
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert run("predict", model, "loop.csv") == (1, "", "treecrf: table loop.csv does not exist; correct the path.\n")
    assert run("predict", model, table, "-o", "loop.csv")[0] == 0
    name = f"{250 * 'n'}.csv"
    sentence = f"treecrf: {name}: file name too long; choose another place.\n"
    assert run("predict", model, table, "-o", name) == (1, "", sentence)


def test_standard_input_that_is_closed(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert run("describe", "-") == (1, "", "treecrf: standard input is closed; name a file.\n")


ENDLESS = ("--method", "treecrf_newton", "--iterations", "1000000")
"""Options of a training that is going on at every moment."""


@pytest.mark.parametrize(("number", "moment"), at_moments(0.0, 0.2, 0.6, 2.0, 4.0))
def test_signals_end_with_one_sentence_and_no_partial_file(table, tmp_path, number, moment):
    """Whatever it is doing then: loading, reading, training in other processes."""
    before = {path.name for path in tmp_path.iterdir()}
    code, err = interrupted(
        "treecrf.cli", ["fit", table, "-o", tmp_path / "other.npz", *ENDLESS], number, moment + 0.05
    )
    assert err.splitlines()[-1:] == ["treecrf: interrupted; no partial output was written."]
    assert "Traceback" not in err
    assert code == 128 + number
    assert {path.name for path in tmp_path.iterdir()} == before


SWALLOWING = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.modules["swallowing"] = sys.modules["__main__"]
from treecrf import cli
cli.SECONDS_TO_STOP = 0.2
def run():
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
    except BaseException:
        pass
    while True:
        time.sleep(0.1)
cli.run_command("treecrf", "swallowing")
"""
"""A program with a library that catches what the handler of a signal raises."""


FAILING = """
import os, sys, typer
sys.modules["failing"] = sys.modules["__main__"]
from treecrf import cli
from treecrf.cli.shared import run_program
app = typer.Typer()
@app.command(context_settings={"allow_extra_args": True})
def load():
    try:
        os.kill(os.getpid(), int(sys.argv.pop()))
    except BaseException as error:
        raise ImportError("initialization failed") from error
def run():
    run_program(app, "treecrf")
cli.run_command("treecrf", "failing")
"""
"""A program with a library that fails to load where a signal arrives."""


CALLED_BACK = """
import ctypes, os, sys
sys.modules["called_back"] = sys.modules["__main__"]
from treecrf import cli
def run():
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), int(sys.argv[1])))()
    raise RuntimeError("a kernel could not be compiled")
cli.run_command("treecrf", "called_back")
"""
"""A program whose signal arrives where compiled code calls Python, which can raise nothing there."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", [SWALLOWING, FAILING, CALLED_BACK], ids=["swallowing", "failing", "called back"])
def test_a_signal_that_a_library_catches(program, number):
    command = [sys.executable, "-c", program, str(int(number))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    sentence = "treecrf: interrupted; no partial output was written.\n"
    assert (done.returncode, done.stderr) == (128 + number, sentence)


def test_unusual_surroundings(words, tmp_path):
    """No home, no folder for temporary files, ASCII alone, umlauts and blanks in paths, no modules or kernels that can
    be kept.
    """
    folder = tmp_path / "a b ü"
    folder.mkdir()
    words.assign(letter="ä" + words["letter"]).to_csv(folder / "tráin.csv", index=False)
    left_out = ("HOME", "LANG", "LC_ALL", "TMPDIR", "NUMBA_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment |= {"LC_ALL": "C", "TMPDIR": str(tmp_path / "none"), "PYTHONDONTWRITEBYTECODE": "1"}
    fit = ["fit", "tráin.csv", "-o", "módel.npz", "--method", "linear_crf"]
    predict = ["predict", "módel.npz", "tráin.csv", "-o", "óut.csv"]
    for arguments in (fit, predict):
        command = [*COMMAND, *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, umask=0o077, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
    assert (folder / "óut.csv").read_text(encoding="utf-8").startswith("sequence,label,letter,noise,predicted\n")
    assert (folder / "módel.npz").stat().st_mode & 0o077 == 0
