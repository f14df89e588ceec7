"""Needs of clusters: resources of every rule, the profile for Slurm, kernels that many processes compile at once."""

import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from builders import ROOT

from treecrf import Attribute, SequenceSet, TreeCRF, sequences
from treecrf.compiled.cache import kernel_digest

PACKAGE = Path(sequences.__file__).parent

SHOW_RULES = """
import json, sys
from pathlib import Path
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings

root = Path(sys.argv[1])
with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    workflow = api.workflow(
        resource_settings=ResourceSettings(cores=4),
        config_settings=ConfigSettings(configfiles=[root / "config/config.yaml"]),
        snakefile=root / "Snakefile",
        workdir=Path("."),
    )._get_workflow()
    workflow.include(str(root / "Snakefile"), overwrite_default_target=True)
    found = {}
    for rule in workflow.rules:
        attempts = [rule.expand_resources({}, [], attempt) for attempt in (1, 2, 3)]
        given = [name for name in ("mem_mb", "runtime") if name in rule.resources]
        found[rule.name] = {
            "given": given,
            "has_work": bool(rule.script),
            "threads": [resources["_cores"] for resources in attempts],
            **{name: [resources.get(name) for resources in attempts] for name in given},
        }
    print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """By rule: what it asks for at the first three attempts."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "config").symlink_to(ROOT / "config")
    command = [sys.executable, "-c", SHOW_RULES, str(ROOT)]
    process = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    assert process.returncode == 0, process.stderr
    return {name: rule for name, rule in json.loads(process.stdout.splitlines()[-1]).items() if rule["has_work"]}


def test_every_rule_says_what_it_needs(rules):
    assert len(rules) > 20
    for name, rule in rules.items():
        assert rule["given"] == ["mem_mb", "runtime"], name
        assert rule["threads"][0] >= 1, name
        assert 100 <= rule["mem_mb"][0] <= 16000, name  # MB
        assert 1 <= rule["runtime"][0] <= 24 * 60, name  # minutes


def test_memory_and_time_grow_with_the_attempt(rules):
    for name, rule in rules.items():
        for resource in ("mem_mb", "runtime"):
            first, second, third = rule[resource]
            assert (second, third) == (2 * first, 3 * first), name


# --- kernels ----------------------------------------------------------------------------------------


def forms(index):
    """How many compiled forms an index of numba's cache names."""
    with open(index, "rb") as file:
        pickle.load(file)  # numba's version
        _, names = pickle.load(file)
    return len(names)


def chains(n_labels):
    """Random sequences with `n_labels` labels."""
    rng = np.random.default_rng(n_labels)
    values, labels = rng.integers(0, 3, (60, 1), np.int16), (np.arange(60) % n_labels).astype(np.int16)
    names = tuple("abc"[:n_labels])
    return SequenceSet(values, np.arange(0, 61, 6), (Attribute("symbol", tuple("xyz")),), labels, names)


def test_no_two_forms_of_a_kernel_share_a_folder():
    for n_labels in (2, 3):
        for order in (1, 2):
            TreeCRF(n_iterations=1, max_leaves=3, window=(1, 1), order=order).fit(chains(n_labels))
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or PACKAGE / "__pycache__")
    name = f"kernels-{kernel_digest()}"
    indices = list(root.glob(f"{name}*/**/*.nbi"))
    folders = {index.relative_to(root).parts[0] for index in indices}
    assert {name, *(f"{name}-{n_labels}-{order}" for n_labels in (2, 3) for order in (1, 2))} <= folders
    assert {index: forms(index) for index in indices} == dict.fromkeys(indices, 1)


COMPILE = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("kernel_cache_alone", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

from routines import times

rank, n_constants, start = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
time.sleep(max(start - time.time(), 0.0))
n_hits = 0
for i in range(n_constants):
    constant = (rank + i) % n_constants + 1
    with module.kernel_cache(constant):
        kernel = times(constant)
    assert kernel(10) == 10 * constant, (constant, kernel(10))
    n_hits += sum(kernel.stats.cache_hits.values())
print(n_hits)
"""

ROUTINES = """
from numba import int64, njit

def times(constant):
    @njit(int64(int64), cache=True)
    def kernel(number):
        return constant * number

    return kernel
"""


@pytest.mark.slow
def test_many_processes_compile_at_once_on_an_empty_cache(tmp_path):
    n_processes, n_constants = 6, 6
    (tmp_path / "routines.py").write_text(ROUTINES)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}

    def begin(rank, start):
        command = [sys.executable, "-c", COMPILE, str(PACKAGE / "compiled/cache.py"), str(rank), str(n_constants)]
        return subprocess.Popen(
            [*command, str(start)],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    start = time.time() + 3.0
    processes = [begin(rank, start) for rank in range(n_processes)]
    for process in processes:
        messages, _ = process.communicate()
        assert process.returncode == 0, messages
    later = begin(0, 0.0)
    assert later.communicate()[0].split() == [str(n_constants)]  # each was found, and right
    assert {forms(index) for index in tmp_path.rglob("*.nbi")} == {1}
    assert not list(tmp_path.rglob("*.tmp.*"))
