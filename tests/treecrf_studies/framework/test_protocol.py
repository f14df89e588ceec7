"""Settings that differ from the protocol."""

import pytest
from builders import ROOT
from runs import NOTHING

from treecrf.io.files import read_configuration
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.methods.catalogue import WITH_NETWORKS

OF_PAPERS = {
    "protein",
    "nettalk",
    "hyphen",
    "faq_ai_general",
    "faq_ai_neural",
    "faq_aix",
    "xor",
    "or",
    "extra",
    "nettalk_binary",
    "nettalk_full",
    "conll2000_np",
    "transition",
    "both",
    "cycle",
    "prosody",
}

NOT_OF_PAPERS = {"treecrf_anchored", "mallet_labels", *WITH_NETWORKS}
"""Methods of training that `config.yaml` leaves to `make extended`."""


def settings_of(**values):
    return load_settings({"profile": "own", "datasets": {"hmm": {}, "xor": {}}, **NOTHING, **values})


def differences_of(*names):
    settings = load_settings(read_configuration([ROOT / "config" / f"{name}.yaml" for name in names]))
    assert all(each.why for each in settings.differences)
    return settings.differences


def left_out(found, dataset, study="training"):
    """Methods of a study that a data set lacks."""
    given = next(
        each
        for each in found
        if (each.study, each.setting) == (study, "methods") and dataset in (each.datasets or (dataset,))
    )
    return set(given.protocol) - set(given.used)


def test_config_yaml_cuts_nothing_of_what_the_papers_ran():
    found = differences_of("config")
    names = {(each.study, each.setting) for each in found if set(each.datasets) <= OF_PAPERS}
    assert names == {
        ("training", "methods"),
        ("missing", "n_training_sets"),
        ("missing", "n_test_sets"),
        ("coding", "methods"),
    }
    sets = {each.setting: each.used for each in found if each.study == "missing"}
    assert sets == {"n_training_sets": 5, "n_test_sets": 5}  # as in the dissertation
    assert left_out(found, "hyphen") == NOT_OF_PAPERS
    assert left_out(found, "faq_aix") == {"smile", *NOT_OF_PAPERS}
    assert left_out(found, "conll2000_np", "coding") == {"crfsuite", "neural_crf"}  # which the thesis does not have


def test_extended_yaml_cuts_nothing_and_adds_to_the_papers():
    found = differences_of("config", "extended")
    names = {(each.study, each.setting) for each in found if set(each.datasets) <= OF_PAPERS}
    assert names == {
        ("training", "methods"),
        ("training", "larger_samples"),
        ("missing", "methods"),
        ("missing", "trees"),
        ("coding", "wide_windows"),
        ("coding", "methods"),
    }
    assert left_out(found, "conll2000_np", "coding") == {"crfsuite"}
    assert left_out(found, "nettalk_full", "coding") == set()
    assert not any("hyphen" in each.datasets for each in found if (each.study, each.setting) == ("training", "methods"))
    assert left_out(found, "faq_aix") == {"smile", "treecrf_anchored", *WITH_NETWORKS}


def test_each_value_is_named_once_with_the_data_sets_that_have_it():
    overrides = {"xor": {"n_folds": 2}}
    training = {"datasets": ["hmm", "xor"], "n_iterations": 40, "overrides": overrides, "exact_under": 9}
    reasons = {"training": "short", "training.n_iterations": "converged", "training.xor.n_folds": "few"}
    found = settings_of(training=training, reasons=reasons).differences
    assert [tuple(each) for each in found] == [
        ("training", (), "exact_under", 25, 9, "short"),
        ("training", (), "n_iterations", 250, 40, "converged"),
        ("training", ("xor",), "n_folds", 5, 2, "few"),
    ]


def test_what_the_papers_run_on_one_data_set_is_no_difference():
    assert settings_of(future={"datasets": ["xor"]}).differences == []
    (given,) = settings_of(future={"datasets": ["xor"], "g0": [-7]}).differences
    assert (given.setting, given.protocol, given.used) == ("g0", [0, -1, -5, -7], [-7])


def test_the_order_of_methods_is_no_difference():
    methods = ["crf_4", "crf_3", "crf_2", "crf_1", "memm_1", "sliding_window", "ff_memm_0"]
    assert settings_of(future={"datasets": ["xor"], "methods": methods}).differences == []


def test_the_protocol_with_an_unexplained_difference_is_refused():
    values = {"profile": "protocol", "training": {"datasets": ["hmm"], "n_folds": 2}}
    sentence = (
        r"^configuration: training\.hmm\.n_folds is 2 where the protocol has 5; name another profile \(profile: "
        r"own\), or give the reason under reasons\.$"
    )
    with pytest.raises(ValueError, match=sentence):
        settings_of(**values)
    assert settings_of(**values, reasons={"training.hmm": "few sequences"}).profile == "protocol"
