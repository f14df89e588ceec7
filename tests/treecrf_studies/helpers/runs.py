"""Files, pages and runs of the workflow that several test files need."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote

import numpy as np
import pandas as pd
from builders import ROOT
from planted_summary import outcome

from treecrf.io.files import write_frame
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.rendering.parts import flattened
from treecrf_studies.report.ledger import write_ledger
from treecrf_studies.report.page import write_page
from treecrf_studies.training import STUDY as TRAINING_STUDY
from treecrf_studies.training.larger_summary import frames_of_larger

# --- files ----------------------------------------------------------------------------------------

CONTENT = bytes(range(256)) * 40


def tar(**options):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=options.get("mode", "w")) as bundle:
        member = tarfile.TarInfo("inner/file.data")
        member.size = len(CONTENT)
        bundle.addfile(member, io.BytesIO(CONTENT))
    return stream.getvalue()


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as bundle:
        bundle.writestr("inner/file.data", CONTENT)
    return stream.getvalue()


def compressed(content):
    """What compress(1) could write with 9-bit codes alone: every byte literally, the table cleared in time."""
    clear, every = 256, 240  # the table starts at 257 and would outgrow 9 bits at 512
    codes = []
    for i, byte in enumerate(content):
        if i and i % every == 0:
            codes.append(clear)
            codes += [0] * (-len(codes) % 8)  # codes come in groups of eight, and a clearing ends its group
        codes.append(byte)
    number = sum(code << (9 * i) for i, code in enumerate(codes))
    return b"\x1f\x9d\x90" + number.to_bytes((9 * len(codes) + 7) // 8, "little")


# --- pages ----------------------------------------------------------------------------------------

SCRIPT = "<script>alert('&')</script>"
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Elements(HTMLParser):
    """All elements in order, each with its attributes; fails on tags that do not close."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag

    def all(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]


def check(page):
    """What every page of results must fulfil; returns its elements."""
    elements = Elements(page)
    sources = [attributes[name] for _, attributes in elements.found for name in ("src", "srcset") if name in attributes]
    sources += [link["href"] for link in elements.all("link")]
    assert [source for source in sources if re.match("(https?:)?//", source)] == []
    assert elements.all("iframe", "object") == []
    assert "connect-src 'none'" in elements.all("meta")[0]["content"]
    assert all(len(image["alt"]) > 20 for image in elements.all("img"))
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert all(cell.get("scope") in ("col", "row") for cell in elements.all("th"))
    assert len(elements.all("summary")) >= len(elements.all("table"))
    identifiers = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    targets = [link["href"] for link in elements.all("a")]
    assert {target[1:] for target in targets if len(target) > 1 and target.startswith("#")} <= set(identifiers)
    assert len(elements.all("article")) == 1
    return elements


def shown(layout):
    """The rows of a layout."""
    return layout.to_numpy(dtype=object).tolist()


def linked_files(elements, folder):
    """The files that links of a page in `folder` lead to."""
    return [
        folder / unquote(link["href"]).partition("#")[0]
        for link in elements.all("a")
        if not link["href"].startswith(("#", "http"))
    ]


def write_training_results(folder):
    """Fill a folder with the results of the data set hmm, and of half of xor."""
    description = {
        "source": "hmm",
        "title": "a test",
        "stand_in": "labels are made up",
        "terms": "none",
        "window": [1, 1],
        "labels": ["x", "y"],
        "n_attributes": 1,
        "train": {"sequences": 3, "groups": 2, "positions": 2},
        "test": {"sequences": 1, "groups": 1, "positions": 2},
        "relatives": [
            {"rule": "copies", "groups": 3, "related_tests": 0},
            {"rule": {"length": 4, "share": 0.1}, "groups": 2, "related_tests": 1},
        ],
    }
    curve = {
        "iteration": 1,
        "accuracy": 60.0,
        "low": 59.0,
        "high": 61.0,
        "cpu_seconds": 1.0,
        "chosen": True,
        "preferred": True,
    }
    cost = {
        "average_length": 5.0,
        "n_features": 3,
        "forward_backward_seconds": 0.1,
        "induction_seconds": np.nan,
        "total_seconds": 1.0,
        "n_iterations": 9.0,
    }
    comparison = {
        "other": "my_method",
        "papers_value": 1.0,
        "only_method": 9,
        "only_other": 4,
        "papers_p": 0.5,
        "papers_p_holm": 0.5,
        "value": 1.0,
        "n_clusters": 3,
        "n_blocks": 20,
        "about": "methods",
        "p_value": 0.4,
        "low": -1.0,
        "high": 3.0,
        "family_low": -1.0,
        "family_high": 3.0,
        "test": "blocks",
        "p_holm": 0.4,
        "decision": "undecided",
    }
    place = {
        "value": 77.25,
        "rank": 1,
        "standing": "best",
        "gap_points": np.nan,
        "gap_low": np.nan,
        "gap_high": np.nan,
        "rank_low": 1,
        "rank_high": 2,
        "test": "blocks",
    }
    component = {"component": "sequence", "variance": 0.01, "moment_estimate": 0.01, "accuracy_points": 1.5}
    ids = {"dataset": "hmm", "method": "linear_crf", "stand_in": True}
    decoders = ("forward_backward", "viterbi", "better")
    frames = {
        "summary": pd.concat(
            outcome("hmm", method, decoder, 77.25, 78.5).assign(stand_in=True)
            for method in ("linear_crf", "my_method")
            for decoder in decoders
        ),
        "curves": [ids | {"decoder": "viterbi"} | curve],
        "costs": [ids | cost],
        "comparisons": [{**ids, **comparison, "decoder": decoder} for decoder in decoders],
        "ranks": [{**ids, **place, "method": method} for method in ("linear_crf", "my_method")],
        "noise": [{"dataset": "hmm", "stand_in": True} | component],
        "notes": [ids | {"method": "smile", "note": "no <Java>."}],
        "choice": [ids],  # not shown
        "peak_comparisons": [{**ids, **comparison, "decoder": "better"}],
        "last_comparisons": [{**ids, **comparison, "decoder": "better"}],
        "timings": [ids],
    }
    for name in ("hmm", "xor"):
        for part in ("data", "training"):
            (folder / part / name).mkdir(parents=True)
        (folder / "data" / name / "description.json").write_text(json.dumps(description))
    for name, rows in (frames | frames_of_larger({})).items():
        pd.DataFrame(rows).to_csv(folder / "training/hmm" / f"{name}.csv", index=False)
    frames["summary"].to_csv(folder / "training/xor/summary.csv", index=False)
    (folder / "training/figure_3_1.svg").write_text("<svg/>")
    write_training_tables(folder)
    write_ledger(folder, True)


def write_training_tables(folder):
    """Lay out the frames of `write_training_results` as they are now."""
    names = ("summary", "comparisons", "ranks", "noise", "costs", "notes", "larger_accuracies", "larger_comparisons")
    frames = {name: pd.read_csv(folder / "training/hmm" / f"{name}.csv") for name in names}
    calls = StudyFiles(TRAINING_STUDY, own_settings()).calls()
    for name, layout in TRAINING_STUDY.tabulate(calls, frames).items():
        write_frame(flattened(layout), folder / "training/tables" / f"{name}.csv")


def own_settings(*names, **values):
    """Settings of a run of these data sets, hmm unless given, that trains on each unless `values` say otherwise."""
    datasets = {name: {} for name in names or ("hmm",)}
    return load_settings({"profile": "own", "datasets": datasets, "training": {"datasets": [*datasets]}} | values)


def page_of(results, *names, page="index", cost=None, note="", profile="own", reasons=None, **training):
    """A page of a run of these data sets, as Markdown; its site is in the folder of reports."""
    places = {"results": str(results), "reports": str(results / "reports")}
    settings = own_settings(
        *names,
        profile=profile,
        reasons=reasons or {},
        training={"datasets": list(names), **training},
        cost=cost or {},
        note=note,
        **places,
    )
    write_page(settings, results / "logs")
    return (results / f"reports/markdown/{page}.md").read_text()


# --- runs of the workflow ---------------------------------------------------------------------------

TRAINING = {
    "methods": ["treecrf", "treecrf_original", "linear_crf"],
    "l2_regularizations": [20],
    "memm_regularizations": [20],
    "original_max_leaves": [3],
    "variances": [5],
    "n_iterations": 3,
    "test_every": 1,
    "max_leaves": 4,
    "n_folds": 2,
    "n_perturbed_runs": 2,
}
COST = {
    "methods": ["treecrf", "linear_crf"],
    "n_repeats": 2,
    "lengths": [4],
    "window_sizes": [1, 3],
    "n_sequences": 5,
    "length": 6,
    "n_iterations": 2,
    "window_datasets": ["hmm"],
    "real_window_sizes": [1, 3],
    "sampling_datasets": ["xor"],
    "sampling_iterations": 2,
    "row_fractions": [0.5],
    "feature_fractions": [0.5],
    "influence_trimmings": [0.1],
    "pseudo_likelihood_iterations": [1],
}
MISSING = {
    "methods": ["instance_weighting", "imputation"],
    "rates": [0, 0.2],
    "baselines": {"xor": "imputation"},
    "n_training_sets": 2,
    "n_test_sets": 2,
    "l2_regularizations": [5, 20],
    "n_iterations": 3,
    "test_every": 1,
    "max_leaves": 4,
    "trees": ["papers", "newton"],
    "mechanism_datasets": ["xor"],
    "mechanisms": ["mnar", "test_only"],
    "mechanism_training_sets": 2,
}
FUTURE = {
    "methods": ["sliding_window", "crf_2", "ff_memm_0"],
    "n_seeds": 2,
    "n_iterations": 8,
    "chain_iterations": 8,
    "test_every": 2,
    "bags": [6],
    "overrides": {"or": {"g0": [-1, -5]}},
    "alpha_uppers": [40],
    "beta_uppers": [1e5],
    "eta_uppers": [10],
}
_CODING = {
    "methods": [
        "gtb_iid",
        "gtb_secoc",
        "gtb_cascade_1",
        "gtb_cascade_all",
        "vp_secoc",
        "vp_cascade_1",
        "vp_beam",
        "perceptron",
        "separable",
        "known_model",
    ],
    "windows": [[0, 0], [1, 1]],
    "wide_windows": [],
    "code_lengths": [12, 20],
    "beams": [1, 40],
    "n_seeds": 2,
    "label_dictionary": None,
}
CODING = {
    "overrides": {"transition": _CODING},
    "gtb_iterations": 3,
    "gtb_leaves": 4,
    "n_epochs": 3,
    "tree_iterations": 4,
}
KERNELS = {
    "methods": [
        "dual",
        "primal",
        "degree_1",
        "degree_2",
        "degree_3",
        "conjunctions",
        "low_rank",
        "nystroem",
        "crfsuite",
        "linear_crf",
        "rbf",
        "separable",
        "full",
        "treecrf",
    ],
    "n_seeds": 2,
    "variances": [1, 10],
    "rank": 8,
    "tree_iterations": 4,
    "test_every": 2,
    "treecrf_leaves": 4,
    "solver_steps": 5,
    "solver_degrees": [1],
    "ranks": [4, 8],
    "sizes": [60, 120],
}
ENSEMBLES = {
    "pool_seeds": [5, 6],
    "n_sequences": 600,
    "n_train": 60,
    "n_samples": 2,
    "n_rounds": 8,
    "n_seeds": 2,
    "experts": ["separable", "treecrf", "linear_crf", "perceptron"],
    "newton_iterations": 4,
    "tree_iterations": 3,
    "tree_leaves": 4,
    "linear_iterations": 8,
    "n_epochs": 2,
}
NOT_MEASURED = {"methods": [], "window_datasets": [], "sampling_datasets": []}
NOTHING = {
    "training": {"datasets": []},
    "cost": NOT_MEASURED,
    "missing": {"datasets": []},
    "future": {"datasets": []},
    "coding": {"datasets": []},
    "kernels": {"datasets": []},
    "ensembles": {"datasets": []},
}
"""A configuration without any study."""


RUN_SETTINGS = {"profile": "own", "methods_per_job": 1}
"""What every run of the tests has beside its own settings: jobs, files and messages of one method each."""


def run(folder, settings, *options, check=True, package=None):
    """Run Snakemake in `folder`, with `settings` beside those of ``config/config.yaml``; returns the finished process.

    Its messages are in `stdout`. `package` is a folder with another copy of the package.
    """
    if not (folder / "config").exists():
        shutil.copytree(ROOT / "config", folder / "config")
    (folder / "settings.yaml").write_text(json.dumps(RUN_SETTINGS | settings))
    environment = {key: value for key, value in os.environ.items() if key != "TREECRF_MIRROR"}
    if package is not None:
        environment["PYTHONPATH"] = str(package)
    environment |= dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")  # no way out
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--max-jobs-per-timespan", "100/1s"]  # Snakemake ends so long after its last step has begun
    process = subprocess.run(
        [*command, "--configfile", "settings.yaml", *options],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert not check or process.returncode == 0, process.stdout
    return process


def pair_comparisons() -> pd.DataFrame:
    """TreeCRF-Newton before and after the linear CRF, in either order of the pair."""
    return pd.DataFrame(
        [
            {
                "dataset": "one",
                "method": "treecrf_newton",
                "other": "linear_crf",
                "value": 2.0,
                "family_low": 1.0,
                "family_high": 3.0,
                "decision": "better",
            },
            {
                "dataset": "two",
                "method": "linear_crf",
                "other": "treecrf_newton",
                "value": 0.5,
                "family_low": 0.25,
                "family_high": 0.75,
                "decision": "better",
            },
        ]
    ).assign(decoder="better", papers_p_holm=[0.01, 0.2], p_holm=[0.3, 0.4])
