"""The table of settings that differ from the protocol."""

from runs import NOTHING

from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.provenance import differing_layout


def settings_of(**values):
    return load_settings({"profile": "own", "datasets": {"hmm": {}, "xor": {}}, **NOTHING, **values})


def test_values_are_written_as_the_configuration_writes_them():
    training = {
        "datasets": ["hmm", "xor"],
        "variances": [1, 2.5],
        "overrides": {"xor": {"n_folds": 2, "n_perturbed_runs": 3}},
    }
    reasons = dict.fromkeys(("training.xor.n_folds", "training.xor.n_perturbed_runs"), "few <sequences>")
    layout = differing_layout(settings_of(training=training, reasons=reasons).differences)
    assert layout.to_numpy().tolist() == [
        ["training", "all", "variances: [1.0, 5.0, 10.0, 20.0] → [1.0, 2.5]", "not given"],
        ["training", "xor", "n_folds: 5 → 2; n_perturbed_runs: 10 → 3", "few <sequences>"],
    ]


def test_methods_left_out_and_added_are_named():
    methods = ["sliding_window", "memm_1", "crf_1", "crf_2", "crf_3", "ff_crf_1"]

    def change(methods):
        settings = settings_of(future={"datasets": ["xor"], "methods": methods})
        return differing_layout(settings.differences)["protocol → this run"].tolist()

    assert change(methods) == ["methods: 7 → 6, without crf_4, ff_memm_0, also ff_crf_1"]
    assert change(methods[:2]) == ["methods: 7 → 2, only sliding_window, memm_1"]
