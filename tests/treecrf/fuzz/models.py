"""Changed models of the library's labellers; `test_apart.py` runs this in a process of its own, which may crash."""

from changed_models import check_changed_models
from labellers import LABELLERS, TREES

from treecrf import Ensemble, TreeCRF

EXPERTS = {"experts": ("linear_crf", "sliding_window"), "n_iterations": 2, "n_folds": 2}
COMBINATIONS = ("boosted_stacking", "marginal_average", "espboost", "stepwise")
MORE = {
    "TreeCRF of weighted rows": lambda: TreeCRF(**TREES, missing="instance_weighting", window=(1, 1)),
    "TreeCRF of surrogates": lambda: TreeCRF(**TREES, missing="surrogate_splitting", all_missing="both", window=(1, 1)),
    "TreeCRF of default directions": lambda: TreeCRF(**TREES, missing="default_direction", splits="subsets"),
    **{
        f"Ensemble by {combine}": lambda combine=combine: Ensemble(combine=combine, **EXPERTS)
        for combine in COMBINATIONS
    },
}
"""Labellers whose files have other parts than those of `LABELLERS`."""


def test_changed_models_give_a_sentence_or_labels(tmp_path):
    check_changed_models(LABELLERS | MORE, tmp_path)
