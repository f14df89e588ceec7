"""Models that Java trained are loaded and predict where there is no Java."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from builders import letter_set

import treecrf
from treecrf_studies.methods.java import machine
from treecrf_studies.methods.java.mallet import MalletCRF
from treecrf_studies.methods.java.smile import SmileCRF

CODE = """
import sys
import numpy as np, treecrf
from builders import letter_set
model = treecrf.load("model.npz")
np.testing.assert_array_equal(model.predict_proba(letter_set(8, 40)), np.load("expected.npz")["predict_proba"])
assert "jpype" not in sys.modules
"""


@pytest.mark.parametrize(
    "model", [MalletCRF(n_iterations=10, iterations_between_inductions=3, random_state=3), SmileCRF(5, max_leaves=4)]
)
def test_loading_and_predicting_need_no_java(java, tmp_path, model):
    data = letter_set(8, 40)
    model.fit(data)
    model.save(tmp_path / "model.npz")
    np.savez(tmp_path / "expected.npz", predict_proba=model.predict_proba(data))
    path = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", CODE], check=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path})
    loaded = treecrf.load(tmp_path / "model.npz")
    assert loaded.get_params() == model.get_params()
    assert set(loaded.seconds_) == set(model.seconds_)
    assert getattr(loaded, "n_inductions_", None) == getattr(model, "n_inductions_", None)


@pytest.mark.parametrize(
    "change",
    [lambda jar: jar.write_bytes(b"PK"), lambda jar: jar.unlink(), lambda jar: jar.with_name("more.jar").touch()],
)
def test_jars_with_other_checksums_are_refused(java, tmp_path, change):
    jars = machine.find_jars()
    for jar in jars:
        shutil.copy(jar, tmp_path)
    change(tmp_path / jars[0].name)
    with pytest.raises(ValueError, match=r"is not the jar whose SHA-256 treecrf knows; delete the folder .*\.$"):
        machine._check_jars(tmp_path, sorted(tmp_path.glob("*.jar")))
