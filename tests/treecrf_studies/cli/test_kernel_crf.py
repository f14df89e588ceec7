"""A labeller of the studies in ``treecrf fit``."""

import numpy as np

from treecrf import SequenceSet
from treecrf.automl.labeller import TableLabeller
from treecrf.missing import inject
from treecrf.readers.reading import read_table


def test_a_method_without_stages_has_no_iteration_to_choose(run_treecrf, table):
    code, _, err = run_treecrf("fit", "train.csv", "-o", "m.npz", "--method", "kernel_crf", "--held-out", "0.25")
    assert code == 2
    assert "the method kernel_crf gives its last iteration alone" in " ".join(err.replace("│", " ").split())


def test_a_table_with_holes_comes_back(run_treecrf, words, tmp_path):
    data = SequenceSet.from_frame(words, sequence="sequence", label="label")
    inject(data, 0.2, np.random.default_rng(1)).to_frame().to_csv(tmp_path / "holes.csv", index=False)
    options = ("--method", "kernel_crf", "--variance", 3, "--iterations", 500, "--window", "1,0")
    code, _, err = run_treecrf("fit", "holes.csv", "-o", "m.npz", *options)
    assert (code, "missing cells" in err) == (0, True)
    code, out, err = run_treecrf("predict", "m.npz", "holes.csv")
    assert (code, err, len(out.splitlines())) == (0, "", 601)
    loaded = TableLabeller.load("m.npz")
    assert loaded.labeller.score(loaded.read(read_table("holes.csv"), labelled=True)) > 0.6
    assert loaded.missing is not None
