"""How many files a reader follows, by the functions that run: an iteration of boosting, and a cell of a table in `fit`.

Kernels run as Python, so that they count too; what runs while a module is imported does not.
"""

import os
import subprocess
import sys

import pytest
from builders import ROOT

pytestmark = pytest.mark.slow

TRACE = """
import sys
from inspect import CO_OPTIMIZED
from pathlib import Path

import treecrf

PACKAGE = str(Path(treecrf.__file__).parent) + "/"
FILES = set()

def is_importing(frame):
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib") or frame.f_code.co_name == "<module>" and file.startswith(PACKAGE):
            return True
        frame = frame.f_back
    return False

def trace(frame, event, arg):
    file = frame.f_code.co_filename
    is_function = frame.f_code.co_flags & CO_OPTIMIZED
    if file.startswith(PACKAGE) and is_function and file not in FILES and not is_importing(frame):
        FILES.add(file)

def follow(function, *args, **kwargs):
    sys.settrace(trace)
    try:
        return function(*args, **kwargs)
    finally:
        sys.settrace(None)
"""

BOOSTING = """
import numpy as np
import pandas as pd
from treecrf import SequenceSet, TreeCRF
from treecrf.models.boosted import treecrf as module

rng = np.random.default_rng(0)
frame = pd.DataFrame({"word": np.repeat(range(4), 5), "a": rng.choice([*"abc"], 20), "label": rng.choice([*"xyz"], 20)})
boost = module.boost
module.boost = lambda *args: follow(boost, *args)
TreeCRF(n_iterations=1, window=(1, 1)).fit(SequenceSet.from_frame(frame, sequence="word", label="label"))
"""

FIT = """
rows = [f"w{word},{letter},{'yes' if letter in 'ab' else 'no'}" for word in range(12) for letter in "abcdea"]
Path("w.csv").write_text("\\n".join(["word,letter,hyphen", *rows]) + "\\n")
options = "fit w.csv -o m.npz --sequence word --label hyphen --method treecrf --iterations 5 --derive none"
sys.argv = ["treecrf", *options.split()]
from treecrf.cli import main
try:
    follow(main)
except SystemExit as end:
    assert not end.code
assert Path("m.npz").exists()
"""


@pytest.mark.parametrize(
    ("script", "without_compilation", "most"), [(BOOSTING, "1", 10), (FIT, "0", 54)], ids=["an iteration", "a cell"]
)
def test_few_files_are_followed(script, without_compilation, most, tmp_path):
    environment = os.environ | {"NUMBA_DISABLE_JIT": without_compilation, "PYTHONPATH": str(ROOT / "src")}
    program = TRACE + script + "\nprint(*sorted(FILES), sep='\\n')"
    for _ in range(2):  # the second time kernels are compiled already
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
    files = [line for line in done.stdout.splitlines() if line.endswith(".py")]
    assert 0 < len(files) <= most, "\n".join(files)
