"""Pipes that close, signals at any moment, places that are no files, and unusual surroundings of a process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from interrupting import interrupted

COMMAND = [sys.executable, "-m", "treecrf"]


@pytest.fixture
def many(words, tmp_path):
    """A table whose labels are more than a pipe holds."""
    frames = [words.assign(sequence=words["sequence"] + 100 * copy) for copy in range(20)]
    path = tmp_path / "many.csv"
    path.write_text("".join(frame.to_csv(index=False, header=not i) for i, frame in enumerate(frames)))
    return path


@pytest.mark.parametrize("n_lines", [0, 1])
def test_a_reader_that_closes_the_pipe(model, many, n_lines):
    process = subprocess.Popen([*COMMAND, "predict", model, many], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [process.stdout.readline() for _ in range(n_lines)]
    process.stdout.close()
    assert all(line.endswith(b",predicted\n") for line in lines)
    assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output(model, table):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "predict", model, table], stdout=full, stderr=subprocess.PIPE, text=True)
    sentence = "treecrf: standard output: no space left on device; choose another place, or make room.\n"
    assert (done.returncode, done.stderr) == (1, sentence)


def test_pipes_with_names_are_no_files(run, model, table, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for arguments, what in (
        (("predict", model, "pipe.csv"), "table pipe.csv is not a regular file; name a file."),
        (("predict", "pipe.csv", table), "model pipe.csv is not a regular file; name a file."),
        (("predict", model, table, "-o", "pipe.csv"), "pipe.csv is not a regular file; choose another place."),
        (("predict", model, "/dev/zero"), "table /dev/zero is not a regular file; name a file."),
    ):
        assert run(*arguments) == (1, "", f"treecrf: {what}\n")


ENDLESS = ("--method", "treecrf_newton", "--iterations", "1000000")
"""Options of a training that is going on at every moment."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", [0.0, 0.2, 0.6, 2.0, 4.0])
def test_signals_end_with_one_sentence_and_no_partial_file(table, tmp_path, number, moment):
    """Whatever it is doing then: loading, reading, training in other processes."""
    before = {path.name for path in tmp_path.iterdir()}
    code, err = interrupted("main", ["fit", table, "-o", tmp_path / "other.npz", *ENDLESS], number, moment + 0.05)
    assert err.splitlines()[-1:] == ["treecrf: interrupted; no partial output was written."]
    assert "Traceback" not in err
    assert code == 128 + number
    assert {path.name for path in tmp_path.iterdir()} == before


def test_unusual_surroundings(words, tmp_path):
    """No home, no folder for temporary files, ASCII alone, umlauts and blanks in paths, no modules or kernels that can be kept."""
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
