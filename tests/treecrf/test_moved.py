"""Names that went to the studies say where they are."""

import subprocess
import sys
from importlib import import_module

import pytest
from builders import TESTS

import treecrf
from treecrf import moved


@pytest.mark.parametrize(
    ("statement", "former", "place"),
    [
        ("import treecrf.datasets", "datasets", "datasets"),
        ("from treecrf import datasets", "datasets", "datasets"),
        ("from treecrf.datasets.synthetic import hmm", "datasets", "datasets"),
        ("from treecrf.studies import registry", "studies", ""),
        ("import treecrf.studies.training.jobs", "studies", ""),
        ("from treecrf.report.ledger import verdicts", "report", "report"),
        ("from treecrf.models.kernel.kernel_crf import KernelCRF", "models.kernel", "methods.kernel"),
        ("from treecrf import KernelCRF, TreeCRF", "KernelCRF", "methods.KernelCRF"),
        ("from treecrf.cli import missing", "cli.missing", "cli.missing"),
    ],
)
def test_a_former_name_is_refused_with_its_place(statement, former, place):
    with pytest.raises(ImportError) as caught:
        exec(statement)
    assert str(caught.value) == f"treecrf.{former} is now {f'treecrf_studies.{place}'.rstrip('.')}; import that."


def test_a_module_that_became_part_of_another_is_refused_with_that_one():
    for former, now in moved._JOINED.items():
        import_module(f"treecrf.{now}")
        with pytest.raises(ImportError, match=rf"^treecrf\.{former} is now treecrf\.{now}; import that\.$"):
            import_module(f"treecrf.{former}")


def test_other_names_are_python_s_matter():
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'treecrf\.nothing'$"):
        exec("import treecrf.nothing")
    assert not hasattr(treecrf, "datasets")
    assert moved.place("other.datasets") is None


WITHOUT = "import sys; sys.modules['treecrf_studies'] = None; import treecrf; "


def test_a_saved_labeller_of_the_studies_is_named_without_them():
    path = TESTS / "data/models_0_2/kernelcrf.npz"
    code = WITHOUT + "treecrf.load(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        f"ValueError: {path} holds a 'KernelCRF', a labeller of the family kernel, which is in the package "
        f"treecrf_studies; install that."
    )


def test_the_library_offers_its_own_labellers_without_the_studies():
    code = (
        WITHOUT
        + "from treecrf.models.registry import LABELLERS, labellers; print(list(labellers()) == list(LABELLERS))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
