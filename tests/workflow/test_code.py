"""An edit of the package runs anew the jobs whose code it is, and what stands on them; dry runs on the demo."""

import re
import shutil

import pytest
import yaml
from builders import ROOT, run

pytestmark = pytest.mark.workflow

DEMO = yaml.safe_load((ROOT / "config/demo.yaml").read_text())
DEMO["labellers"] = {"own": {"class": "examples.window_naive_bayes:WindowNaiveBayes"}}
DEMO["training"]["methods"].append("own")
DEMO["future"]["methods"].append("own")
DEMO["missing"]["methods"] = ["instance_weighting", "imputation", "own"]
TRAINS = {"compare_method", "compare_future", "evaluate_missing", "measure_scaling"}
COUNT = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)


def snakemake(folder, *options):
    """What Snakemake says when it looks at the whole demo in `folder`."""
    studies = {name: DEMO[name] for name in ("labellers", "missing", "scaling", "future")}
    return run(folder, DEMO["training"], *options, **studies, package=folder / "src").stdout


def rerun(folder):
    """The rules that would run, with the number of their jobs."""
    return {rule: int(n) for rule, n in COUNT.findall(snakemake(folder, "--dry-run", "--quiet", "rules"))}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with the demo's files, empty but taken for finished, and a copy of the package."""
    folder = tmp_path_factory.mktemp("code")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing is computed, so nothing needs to be compiled
        shutil.copytree(ROOT / "config", folder / "config")
        shutil.copytree(ROOT / "examples", folder / "examples")
        shutil.copytree(ROOT / "src/treecrf", folder / "src/treecrf", ignore=shutil.ignore_patterns("__pycache__"))
        for line in snakemake(folder, "--summary").splitlines():
            file = folder / line.split("\t")[0]
            if line.startswith(("results/", "reports/")):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
        snakemake(folder, "--touch", "--forceall")
        yield folder


@pytest.fixture
def edited(finished):
    """Replaces text in a file of the package; undone after the test."""
    before = {}

    def edit(name, old, new):
        path = finished / "src/treecrf" / name
        before[path] = path.read_text()
        assert old in before[path]
        path.write_text(before[path].replace(old, new, 1))
        return rerun(finished)

    yield edit
    for path, text in before.items():
        path.write_text(text)


def test_without_an_edit_nothing_runs(finished):
    assert rerun(finished) == {}


def test_a_comment_runs_nothing(edited):
    assert edited("trees/growing.py", "from __future__", "# A comment.\nfrom __future__") == {}


def test_a_figure_is_drawn_anew_and_nothing_is_trained(edited):
    rules = edited(
        "figures/missing.py", "from __future__ import annotations\n", "from __future__ import annotations\nX = 1\n"
    )
    assert set(rules) - {"total", "all"} == {
        "plot_accuracy_by_rate",
        "plot_effects",
        "plot_feature_frequencies",
        "write_page",
    }


def test_a_figure_of_training_does_not_train(edited):
    rules = edited("figures/training.py", "import matplotlib", "X = 1\nimport matplotlib")
    assert {"draw_figure_3_1", "write_page"} <= set(rules)
    assert not [
        name for name in rules if not name.startswith(("draw_", "tabulate_", "check_claims", "write_", "all", "total"))
    ]


def test_a_class_of_the_users_own_runs_its_own_jobs(finished):
    path = finished / "examples/window_naive_bayes.py"
    before = path.read_text()
    path.write_text(before.replace("smoothing=1.0", "smoothing=2.0"))
    rules = rerun(finished)
    path.write_text(before)
    studies = {"compare_method": "training", "compare_future": "future"}
    assert {rule: rules[rule] for rule in studies} == {r: len(DEMO[s]["datasets"]) for r, s in studies.items()}
    assert rules["evaluate_missing"] == len(DEMO["missing"]["datasets"]) * len(DEMO["missing"]["rates"])


def test_the_trainer_trains_all(edited):
    rules = edited(
        "trees/growing.py", "from __future__ import annotations\n", "from __future__ import annotations\nX = 1\n"
    )
    assert set(rules) >= TRAINS | {"warm_kernels", "summarise_training", "write_page"}
    assert not set(rules) & {"prepare_data", "prepare_future_data"}
    assert rules["compare_method"] == len(DEMO["training"]["datasets"]) * len(DEMO["training"]["methods"])


def test_one_study_does_not_train_the_others(edited):
    rules = edited(
        "studies/missing.py", "from __future__ import annotations\n", "from __future__ import annotations\nX = 1\n"
    )
    assert set(rules) & TRAINS == {"evaluate_missing"}
    assert "warm_kernels" not in rules


def test_published_numbers_are_tabulated_anew(edited):
    rules = edited("studies/published/table_3_4_shrinkage.csv", "\n", "\n\n")
    assert {"summarise_training", "tabulate_training", "write_page"} <= set(rules)
    assert not set(rules) & (TRAINS | {"warm_kernels", "prepare_data"})


def test_a_setting_runs_its_own_study_only(edited):
    assert set(edited("_missing_settings.py", "import annotations", "import annotations\nX = 1")) & TRAINS == {
        "evaluate_missing"
    }


def test_what_all_settings_share_trains_nothing(edited):
    rules = edited("settings.py", "from __future__ import annotations\n", "from __future__ import annotations\nX = 1\n")
    assert set(rules) - {"total", "all"} == {"write_page"}
