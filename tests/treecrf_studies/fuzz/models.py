"""Changed models of the studies' labellers: `test_models.py` runs this test in a process of its own, which may
crash.
"""

from changed_models import check_changed_models
from own_labellers import OWN_LABELLERS


def test_changed_models_give_a_sentence_or_labels(tmp_path):
    check_changed_models(OWN_LABELLERS, tmp_path)
