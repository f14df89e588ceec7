"""What a type checker says of a user's program."""

import os
import re
import subprocess
import sys

import pytest
from builders import ROOT

PROGRAM = """\
from treecrf import SequenceSet, TreeCRF

model: TreeCRF = TreeCRF(n_iterations=3)
TreeCRF(n_iteration=3)
TreeCRF(window="wide")
model.predict(SequenceSet.load("x.npz")).splitlines()
"""


@pytest.mark.slow
def test_a_misspelt_setting_and_a_wrong_type_are_errors(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "program.py"]
    found = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"MYPYPATH": str(ROOT / "src")}
    )
    errors = re.findall(r"^program\.py:(\d+): error: .*\[(.+)\]$", found.stdout, re.M)
    assert errors == [("4", "call-arg"), ("5", "arg-type"), ("6", "attr-defined")], found.stdout + found.stderr
    assert 'did you mean "n_iterations"?' in found.stdout
