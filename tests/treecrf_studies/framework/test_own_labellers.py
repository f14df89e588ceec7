"""A custom labeller in the studies."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from builders import ROOT
from labellers import Silent, small_set

from treecrf.models.custom import CustomLabeller
from treecrf_studies import datasets
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.future.jobs import compare_future
from treecrf_studies.missing.jobs import evaluate_method
from treecrf_studies.training.jobs import compare_method


@pytest.fixture
def here(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.syspath_prepend(str(ROOT))


PAGE = (ROOT / "docs/own_method.md").read_text(encoding="utf-8")


EXAMPLE = "examples.window_naive_bayes:WindowNaiveBayes"


class Reporting(Silent):
    def fit(self, train, monitor=None):
        super().fit(train)
        for iteration in range(1, 4):
            monitor(iteration, {"listening": 0.5 * iteration}, -10.0 / iteration)


@pytest.mark.parametrize("name", ["Silent", "Reporting"])
def test_a_class_without_stages_has_iteration_1_whatever_is_tested(here, name):
    settings = load_settings(
        {
            "profile": "own",
            "datasets": {"tiny": {"source": "hmm"}},
            "labellers": {"mine": {"class": f"test_own_labellers:{name}"}},
            "training": {"datasets": ["tiny"], "methods": ["mine"], "n_iterations": 6, "n_folds": 2},
        }
    ).training
    assert settings.test_every == 2
    outcome = compare_method(JobContext(settings, "tiny", "mine", (1, 1), (small_set(), small_set(1))))
    for frame in (outcome.folds, outcome.choice, outcome.curves):
        assert set(frame["iteration"]) == {1}
    assert set(outcome.phases["n_iterations"]) == {1}
    if name == "Reporting":
        assert set(outcome.curves["cpu_seconds"]) == {1.5}  # of the whole training


def test_the_page_shows_the_example_that_is_there():
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1)
    example = (ROOT / "examples/window_naive_bayes.py").read_text(encoding="utf-8")
    assert code == example[example.index("import numpy") :]
    assert len(example.splitlines()) <= 30


def page_settings():
    values = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL).group(1))
    studies = {name: values.pop(name) for name in ("training", "missing", "future")}
    return load_settings({"profile": "own", **values, **studies})


def test_the_example_of_the_page_is_in_the_training_study(here):
    train, test = datasets.load("hmm", n_train=60, n_test=30)
    settings = page_settings().training.model_copy(update={"n_folds": 2, "n_perturbed_runs": 2})
    outcome = compare_method(JobContext(settings, "hmm", "naive_bayes", (1, 1), (train, test)))
    assert set(outcome.folds["candidate"]) == {"smoothing=0.1", "smoothing=1"}
    model = CustomLabeller(EXAMPLE, {"smoothing": float(outcome.choice["candidate"][0].split("=")[1])}, (1, 1)).fit(
        train
    )
    last = outcome.curves[outcome.curves["run"] == -1].groupby("candidate").last()
    assert last.loc[outcome.choice["candidate"][0], "n_correct"] == (model.predict(test) == test.labels).sum()
    assert model.score(test) > 1.2 * np.bincount(test.labels).max() / len(test.labels)  # it has learnt


def test_the_example_of_the_page_is_in_the_study_of_missing_values(here):
    train, test = datasets.load("hmm", n_train=60, n_test=30)
    settings = page_settings().missing.model_copy(update={"n_training_sets": 1, "n_test_sets": 1})
    job = JobContext(settings, "hmm", "naive_bayes", (1, 1), (train, test))
    outcome, others = evaluate_method(job, 0.3), evaluate_method(job, 0.0)
    assert outcome.choices["candidate"].isin(["smoothing=0.1", "smoothing=1"]).all()
    assert outcome.counts["n_correct"].sum() < others.counts["n_correct"].sum()


def test_the_example_of_the_page_is_in_the_study_of_future_features(here):
    splits = {seed: datasets.load_splits("or", seed=seed) for seed in (0, 1)}
    outcome = compare_future(JobContext(page_settings().future, "or", "naive_bayes", splits=splits))
    assert outcome.runs["draw"].tolist() == [0, 1]
    assert outcome.runs["accuracy"].between(50, 100).all()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"labellers": {"treecrf": {"class": "a:B"}}}, "labellers names 'treecrf'"),
        ({"training": {"labellers": {"own": {"class": "a:B"}}}}, "training has labellers of its own; move them"),
        ({"labellers": {"mine": {"class": "a.B"}}}, "labellers.mine.class"),
        ({"training": {"methods": ["mine"]}}, "names the method 'mine'"),
        ({"missing": {"methods": ["mine"]}}, "names the method 'mine'"),
        ({"future": {"methods": ["mine"]}}, "names the method 'mine'"),
        ({"labellers": {"mine": {"class": "a:B", "grid": {"size": []}}}}, "labellers.mine.grid.size"),
    ],
)
def test_wrong_names_in_the_configuration(values, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        load_settings({"profile": "own", "datasets": {"hmm": {}}, **values})


def test_a_job_looks_at_its_own_labeller_alone():
    settings = page_settings()
    for study in (settings.training, settings.missing, settings.future):
        assert list(study.used_by("naive_bayes")["labellers"]) == ["naive_bayes"]
        assert "labellers" not in study.used_by(study.methods[0])


@pytest.mark.parametrize("name", ["training", "missing", "future", "coding", "kernels"])
def test_no_job_looks_at_what_its_summary_alone_reads(name):
    study = getattr(page_settings(), name)
    assert {"separation_margin", "equivalence_margin", "overrides"}.isdisjoint(study.used_by(study.methods[0]))
