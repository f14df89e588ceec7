"""A training that is stopped and goes on from its checkpoint gives the same bits as one that is not."""

import numpy as np
import pytest
from builders import HOLE_METHODS as METHODS
from builders import assert_same_bits, larger_set

from treecrf import MEMM, SlidingWindow, TreeCRF
from treecrf.missing import inject
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.models.boosted.training import DenseTraining

PLAIN = {"n_iterations": 5, "max_leaves": 12, "l2_regularization": 1.0, "window": (1, 1)}
HALVED = {
    "splits": "subsets",
    "leaf_values": "newton",
    "l2_regularization": 0.01,
    "largest_step": 40.0,
    "window": (0, 0),
    "n_iterations": 7,
}
CASES = {
    "order 0": (TreeCRF, {"order": 0}),
    "order 1, windows of one observation": (TreeCRF, {"window": (0, 0)}),
    "order 2": (TreeCRF, {"order": 2}),
    "pseudo-likelihood first, perturbed": (TreeCRF, {"pseudo_likelihood_iterations": 2, "random_state": 3}),
    "samples of rows and features": (TreeCRF, {"row_fraction": 0.6, "feature_fraction": 0.5, "sampling_seed": 7}),
    "influence trimming": (TreeCRF, {"influence_trimming": 0.2}),
    "subsets and Newton leaves": (TreeCRF, {"splits": "subsets", "leaf_values": "newton", "learning_rate": 0.3}),
    "Newton leaves that are halved": (TreeCRF, HALVED),
    "Newton leaves that are halved, with holes": (TreeCRF, HALVED | {"missing": "instance_weighting"}),
    "missing as a code": (TreeCRF, {"splits": "subsets", "missing": "incorporated"}),
    "separable transitions": (TreeCRF, {"transitions": "separable", "leaf_values": "newton", "learning_rate": 0.2}),
    "label dictionary": (TreeCRF, {"label_dictionary": "a0", "leaf_values": "newton", "learning_rate": 0.2}),
    "beam": (TreeCRF, {"beam": 2}),
    "MEMM": (MEMM, {"order": 2}),
    "sliding window": (SlidingWindow, {"row_fraction": 0.5}),
    **{missing: (TreeCRF, {"missing": missing}) for missing in METHODS},
    "surrogates, all missing": (TreeCRF, {"missing": "surrogate_splitting", "all_missing": "both"}),
}


class StoppedError(Exception):
    """What stands for a kill."""


def data_for(settings):
    data = larger_set(n_sequences=20, longest=12)
    return inject(data, 0.3, np.random.default_rng(1)) if settings.get("missing", "error") != "error" else data


def stop_at(last, calls):
    """A monitor that notes its calls and stops the training at one of them."""

    def monitor(iteration, seconds, log_likelihood):
        calls.append((iteration, seconds, log_likelihood))
        if iteration == last:
            raise StoppedError

    return monitor


def stop(model, data, path, at, seconds=0.0):
    with pytest.raises(StoppedError):
        model.fit(data, monitor=stop_at(at, []), checkpoint=Checkpoint(path, seconds))


def assert_same_training(model, expected):
    assert_same_bits(model, expected)
    assert model.start_.tobytes() == expected.start_.tobytes()


@pytest.mark.parametrize("case", CASES)
def test_stopped_at_any_iteration_and_gone_on(case, tmp_path):
    kind, changes = CASES[case]
    settings = PLAIN | changes
    data = data_for(settings)
    expected = kind(**settings).fit(data)
    for at in range(1, settings["n_iterations"] + 1):
        path = tmp_path / f"{at}.npz"
        stop(kind(**settings), data, path, at)
        calls = []
        model = kind(**settings, n_threads=1 + at % 2).fit(data, monitor=stop_at(None, calls), checkpoint=path)
        assert_same_training(model, expected)
        assert [iteration for iteration, *_ in calls] == list(range(1, settings["n_iterations"] + 1))
        assert [value for *_, value in calls] == expected.log_likelihood_history_[1:].tolist()
        spent = [sum(seconds.values()) for _, seconds, _ in calls]
        assert spent == sorted(spent)
        assert calls[-1][1] == model.seconds_


def test_there_are_halved_steps_to_go_on_from():
    for settings in (settings for case, (_, settings) in CASES.items() if "halved" in case):
        assert (TreeCRF(**PLAIN | settings).fit(data_for(settings)).steps_ < 1).any()


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    data, path = larger_set(), tmp_path / "state.npz"
    stop(TreeCRF(**PLAIN), data, path, 4)
    grown = []
    grow = DenseTraining.grow
    monkeypatch.setattr(DenseTraining, "grow", lambda self, iteration: grown.append(iteration) or grow(self, iteration))
    TreeCRF(**PLAIN).fit(data, checkpoint=path)
    assert grown == [4]


def test_seconds_go_on_from_those_of_the_stopped_run(tmp_path):
    data, checkpoint = larger_set(), Checkpoint(tmp_path / "state.npz", 0.0)
    stopped, resumed = [], []
    with pytest.raises(StoppedError):
        TreeCRF(**PLAIN).fit(data, monitor=stop_at(5, stopped), checkpoint=checkpoint)
    model = TreeCRF(**PLAIN).fit(data, monitor=stop_at(None, resumed), checkpoint=checkpoint)
    assert resumed[:4] == stopped[:4]  # word for word what the stopped run said
    assert all(model.seconds_[phase] >= seconds for phase, seconds in stopped[3][1].items())


def test_a_warm_start_has_checkpoints_too(tmp_path):
    data, path = larger_set(), tmp_path / "state.npz"
    expected = TreeCRF(**PLAIN | {"n_iterations": 7}).fit(data)
    model = TreeCRF(**PLAIN, warm_start=True).fit(data).set_params(n_iterations=7)
    stop(model, data, path, 6)
    calls = []
    assert_same_training(model.fit(data, monitor=stop_at(None, calls), checkpoint=path), expected)
    assert [iteration for iteration, *_ in calls] == [5, 6, 7]


@pytest.mark.parametrize("change", ["settings", "data", "labels", "labeller", "start"])
def test_the_checkpoint_of_another_training_is_replaced(change, tmp_path):
    data, path = larger_set(), tmp_path / "state.npz"
    stop(TreeCRF(**PLAIN, random_state=1), data, path, 4)
    kind, settings = TreeCRF, PLAIN | {"random_state": 1}
    if change == "settings":
        settings["l2_regularization"] = 2.0
    elif change == "data":
        values = data.values.copy()
        values[0, 0] = (values[0, 0] + 1) % 5
        data = data.with_values(values, data.attributes)
    elif change == "labels":
        data = data.select(np.arange(len(data))[::-1])
    elif change == "labeller":
        kind = MEMM
    else:
        settings["random_state"] = 2
    expected = kind(**settings).fit(data)
    assert_same_training(kind(**settings).fit(data, checkpoint=Checkpoint(path, 0.0)), expected)
    before = path.stat().st_mtime_ns
    assert_same_training(kind(**settings).fit(data, checkpoint=Checkpoint(path, 1e9)), expected)
    assert path.stat().st_mtime_ns == before


def test_a_damaged_checkpoint_is_replaced(tmp_path):
    data, path = larger_set(), tmp_path / "state.npz"
    expected = TreeCRF(**PLAIN).fit(data)
    stop(TreeCRF(**PLAIN), data, path, 4)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"", b"not a checkpoint", whole[:-1], *(whole[:size] for size in rng.integers(1, len(whole), 5))]
    for place in rng.integers(0, len(whole), 30):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << rng.integers(8)
        damaged.append(bytes(flipped))
    for content in damaged:
        path.write_bytes(content)
        assert_same_training(TreeCRF(**PLAIN).fit(data, checkpoint=Checkpoint(path, 0.0)), expected)
    assert len(path.read_bytes()) > 1000
    assert [left.name for left in tmp_path.iterdir()] == ["state.npz"]


def test_a_checkpoint_is_written_every_so_often(tmp_path):
    data, path = larger_set(), tmp_path / "folder/state.npz"
    TreeCRF(**PLAIN).fit(data, checkpoint=Checkpoint(path, 1000.0))
    assert not path.exists()
    TreeCRF(**PLAIN).fit(data, checkpoint=Checkpoint(path, 0.0))
    assert path.is_file()


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_an_interval_that_is_none_is_refused(seconds, tmp_path):
    with pytest.raises(ValueError, match="give a number of at least 0"):
        Checkpoint(tmp_path / "state.npz", seconds)
