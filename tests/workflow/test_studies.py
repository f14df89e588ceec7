"""What each study declares is there after the run, and its numbers agree with each other where no approved ones are
kept.
"""

from pathlib import Path

import pandas as pd
import pytest

from treecrf.io.files import read_configuration
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.registry import registry

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize("study", registry(), ids=lambda study: study.name)
def test_a_run_leaves_all_files_of_a_study(finished, study):
    given = read_configuration([str(finished / "config/config.yaml"), str(finished / "settings.yaml")])
    files = StudyFiles(study, load_settings(given | {"results": str(finished / "results")}))
    assert [path for path in files.everything() if not Path(path).is_file()] == []
    assert any(len(pd.read_csv(path)) for path in files.tables(".csv"))
    assert all(Path(path).stat().st_size > 1000 for path in files.figures(".svg", ".pdf", ".png"))


def test_kernels_of_one_form_choose_the_same(finished):
    runs = pd.read_csv(finished / "results/kernels/or/runs.csv")
    chosen = runs.pivot_table(index="draw", columns="method", values="settings", aggfunc="first")
    assert chosen["primal"].tolist() == chosen["dual"].tolist() == chosen["degree_1"].tolist()
    assert chosen["conjunctions"].tolist() == chosen["degree_2"].tolist()


def test_the_bound_of_boosting_holds(finished):
    boosted = pd.read_csv(finished / "results/ensembles/boosted.csv")
    assert (boosted["slack"] > 0).all()
    assert (boosted["difference"] < 1e-12).all()
