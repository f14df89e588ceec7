"""The folder of each run on one's own data, and the page that lists and compares runs."""

import datetime

import pandas as pd
import pytest
import yaml
from planted_runs import WRITTEN, plant_manifest, plant_run

from treecrf.io.files import read_configuration, write_frame
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.runs import place_run, write_runs

DATASET = {"path": "examples/words.csv", "sequence": "word", "label": "hyphen", "window": [2, 3]}


def kept(runs, name, accuracies, days=0, **settings):
    """A finished run whose methods a and b have these accuracies."""
    folder = plant_run(runs / name / "results")
    rows = [
        {
            "dataset": "toy",
            "method": method,
            "decoder": decoder,
            "point": "choice",
            "value": accuracy,
            "cpu_seconds": 1.5,
        }
        for method, accuracy in accuracies.items()
        for decoder in ("viterbi", "better")
    ]
    write_frame(pd.DataFrame(rows), folder / "training/toy/summary.csv")
    plant_manifest(folder, now=WRITTEN + datetime.timedelta(days=days), **settings)


def table_of(runs, name="accuracy-on-test-positions"):
    return pd.read_csv(runs / f"markdown/index_files/{name}.csv", dtype=str)


def test_each_combination_of_settings_has_a_folder_of_its_own(tmp_path):
    first = place_run(tmp_path, "words", DATASET, ["treecrf", "linear_crf"])
    assert first == tmp_path / "words-1"
    assert place_run(tmp_path, "words", DATASET, ["linear_crf"]) == tmp_path / "words-2"
    assert place_run(tmp_path, "words", DATASET | {"window": [0, 0]}, ["linear_crf"]) == tmp_path / "words-3"
    assert place_run(tmp_path, "words", DATASET, ["treecrf", "linear_crf"]) == first


def test_the_configuration_of_a_run_is_one_of_the_workflow(tmp_path):
    folder = place_run(tmp_path, "words", DATASET, ["treecrf", "linear_crf"])
    settings = load_settings(read_configuration([folder / "config.yaml"]))
    assert settings.training.methods == ["treecrf", "linear_crf"]
    assert settings.results == str(folder / "results")
    assert settings.datasets["words"].window == (2, 3)
    written = yaml.safe_load((folder / "config.yaml").read_text())
    assert [name for name in written if isinstance(written[name], dict) and written[name].get("datasets")] == [
        "training"
    ]


def test_the_page_lists_settings_that_differ_and_accuracies_the_newest_first(tmp_path):
    kept(tmp_path, "toy-1", {"a": 80.0, "b": 81.25})
    kept(tmp_path, "toy-2", {"b": 82.5}, days=1, training={"datasets": ["toy"], "methods": ["b"]})
    page = write_runs(tmp_path)
    found = table_of(tmp_path)
    assert found["run"].tolist() == ["toy-2", "toy-1"]
    assert found["best method"].tolist() == ["b", "b"]
    assert found["b (%)"].tolist() == ["82.50", "81.25"]
    assert found["a (%)"].tolist() == ["–", "80.00"]
    assert found["CPU seconds to the chosen iteration"].tolist() == ["1.5", "3"]
    assert found.columns[1] == "best method"  # where a narrow screen shows it
    settings = table_of(tmp_path, "settings-that-differ")
    assert settings["run"].tolist() == ["toy-2", "toy-1"]
    assert settings["settings"].tolist() == ["training.methods: [b]", "training.methods: [a, b]"]
    shown = page.read_text()
    assert 'href="run/toy-1.html"' in shown
    assert 'href="run/toy-2.html"' in shown


def test_a_run_is_compared_with_the_one_before_it_on_the_same_data(tmp_path):
    kept(tmp_path, "toy-1", {"a": 80.0})
    kept(tmp_path, "toy-2", {"a": 81.0}, days=1)
    write_runs(tmp_path)
    page = (tmp_path / "run/toy-2.html").read_text()
    assert 'href="../toy-2/compared_with_toy-1/index.html"' in page
    numbers = pd.read_csv(tmp_path / "toy-2/compared_with_toy-1/numbers.csv")
    assert numbers["difference"].tolist() == [1.0, 1.0]
    assert not (tmp_path / "toy-1/compared_with_toy-2").exists()
    assert 'href="../toy-1/reports/index.html"' in (tmp_path / "run/toy-1.html").read_text()


def test_a_folder_without_a_finished_run_is_refused(tmp_path):
    place_run(tmp_path, "words", DATASET, ["treecrf"])
    with pytest.raises(FileNotFoundError, match="has no finished run"):
        write_runs(tmp_path)
