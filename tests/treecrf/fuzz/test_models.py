"""Model files whose arrays and headers were changed, their digest right: one sentence or labels, and no crash."""

from builders import TESTS
from changed_models import assert_sentences_or_labels


def test_changed_models_give_a_sentence_or_labels(tmp_path):
    assert_sentences_or_labels(TESTS / "helpers/fuzz_models.py", tmp_path)
