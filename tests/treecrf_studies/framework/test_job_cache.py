"""Jobs that are stopped and go on: finished parts are read, not computed, and the results are the same."""

import pandas as pd
import pytest

from treecrf_studies import datasets
from treecrf_studies.cost.jobs import measure_scaling
from treecrf_studies.cost.settings import CostSettings
from treecrf_studies.datasets.synthetic import future_splits
from treecrf_studies.framework.jobs import JobCache, JobContext, Portion, PortionDone, StoredJobCache
from treecrf_studies.future.jobs import compare_future
from treecrf_studies.future.settings import FutureSettings
from treecrf_studies.missing.jobs import evaluate_method
from treecrf_studies.missing.settings import MissingSettings
from treecrf_studies.training.jobs import compare_method
from treecrf_studies.training.settings import TrainingSettings

JOB = {"settings": {"n_iterations": 3, "window": (1, 1)}, "code": "a1"}
FRAMES = (
    pd.DataFrame({"name": ["a", "b"], "number": [0.1, float("nan")], "code": pd.array([1, 2], dtype="int16")}),
    pd.DataFrame({"name": []}),
)


class KilledError(Exception):
    """What stands for a kill."""


def not_again(_checkpoint):
    raise AssertionError("computed again")


def same(frames, others):
    for frame, other in zip(frames, others, strict=True):
        pd.testing.assert_frame_equal(frame, other, check_exact=True)


def test_a_finished_part_is_read(tmp_path):
    first = StoredJobCache(tmp_path / "cache", JOB).finished("one", lambda _checkpoint: FRAMES)
    again = StoredJobCache(tmp_path / "cache", JOB).finished("one", not_again)
    same(first, again)
    same(again[:1], FRAMES[:1])


@pytest.mark.parametrize("change", [{"code": "b2"}, {"settings": {"n_iterations": 4, "window": (1, 1)}}])
def test_the_parts_of_another_job_are_removed(change, tmp_path):
    StoredJobCache(tmp_path / "cache", JOB).finished("one", lambda _checkpoint: FRAMES)
    cache = StoredJobCache(tmp_path / "cache", JOB | change)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["job.json"]
    with pytest.raises(AssertionError, match="computed again"):
        cache.finished("one", not_again)


def test_a_damaged_part_is_computed_anew(tmp_path):
    cache = StoredJobCache(tmp_path / "cache", JOB)
    cache.finished("one", lambda _checkpoint: FRAMES)
    path = tmp_path / "cache/one.zip"
    whole = path.read_bytes()
    for place in range(0, len(whole), 101):
        path.write_bytes(whole[:place])
        same(cache.finished("one", lambda _checkpoint: FRAMES), cache.finished("one", not_again))
        assert path.stat().st_size == len(whole)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        same(cache.finished("one", lambda _checkpoint: FRAMES)[:1], FRAMES[:1])
    (tmp_path / "cache/job.json").write_text("{")
    StoredJobCache(tmp_path / "cache", JOB)
    assert not path.exists()


def test_a_checkpoint_goes_with_its_part(tmp_path):
    cache = StoredJobCache(tmp_path / "cache", JOB)

    def train(checkpoint):
        checkpoint.path.write_text("state")
        return FRAMES

    cache.finished("one", train)
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["job.json", "one.zip"]
    cache.clear()
    assert not (tmp_path / "cache").exists()


class KilledAfter(StoredJobCache):
    """Stops the job after `n_parts` parts that were computed."""

    def __init__(self, folder, n_parts):
        super().__init__(folder, JOB)
        self.left = n_parts

    def finished(self, name, compute):
        def count(checkpoint):
            if not self.left:
                raise KilledError
            self.left -= 1
            return compute(checkpoint)

        return super().finished(name, count)


class Counting(JobCache):
    def __init__(self):
        self.names = []

    def finished(self, name, compute):
        self.names.append(name)
        return super().finished(name, compute)


SMALL = {
    "n_iterations": 4,
    "max_leaves": 4,
    "n_folds": 2,
    "n_perturbed_runs": 2,
    "l2_regularizations": [1, 20],
    "memm_regularizations": [1],
    "variances": [5],
}


def compare_training(method):
    train, test = datasets.load("hmm")
    sides = train.select(range(20)), test.select(range(10))
    return lambda cache: compare_method(
        JobContext(TrainingSettings(**SMALL), "hmm", method, (1, 1), sides, cache=cache)
    )


def leave_one_out(cache):
    train, test = datasets.load("hmm")
    sides = train.select(range(3)), test.select(range(2))
    settings = TrainingSettings(**SMALL | {"l2_regularizations": [1]})
    return compare_method(JobContext(settings, "hmm", "treecrf", (1, 1), sides, protocol="leave_one_out", cache=cache))


def evaluate(cache):
    train, test = datasets.load("hmm")
    settings = MissingSettings(
        n_iterations=3, max_leaves=4, n_training_sets=3, n_test_sets=2, l2_regularizations=[1, 20]
    )
    sides = train.select(range(20)), test.select(range(10))
    return evaluate_method(JobContext(settings, "hmm", "instance_weighting", (1, 1), sides, cache=cache), 0.3)


def compare_future_method(method):
    settings = FutureSettings(
        n_iterations=4,
        chain_iterations=4,
        test_every=2,
        max_leaves=[3],
        bags=[2, None],
        g0=[-1.0],
        alpha_uppers=[5.0],
        beta_uppers=[10.0],
        eta_uppers=[5.0],
    )
    splits = {seed: future_splits("or", n_train=8, n_validation=6, n_test=2, length=6, seed=seed) for seed in range(2)}
    return lambda cache: compare_future(JobContext(settings, "or", method, splits=splits, cache=cache))


JOBS = {
    "training": compare_training("treecrf"),
    "training, linear": compare_training("linear_crf"),
    "training, leaving one out": leave_one_out,
    "missing": evaluate,
    "future": compare_future_method("memm_1"),
    "future features": compare_future_method("ff_memm_0"),
}


def without_times(frame):
    return frame[[name for name in frame if "seconds" not in name]]


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS)
def test_a_job_killed_after_any_part_finds_the_same(job, tmp_path):
    counting = Counting()
    expected = JOBS[job](counting)
    assert len(set(counting.names)) == len(counting.names) > 1
    found = None
    for _ in counting.names:  # each attempt gets one part further
        try:
            found = JOBS[job](KilledAfter(tmp_path / "cache", 1))
        except KilledError:
            continue
    assert found is not None
    for name, frame in expected._asdict().items():
        pd.testing.assert_frame_equal(without_times(getattr(found, name)), without_times(frame), check_exact=True)
    resumed = JOBS[job](KilledAfter(tmp_path / "cache", 0))
    for name, frame in found._asdict().items():
        pd.testing.assert_frame_equal(getattr(resumed, name), frame, check_exact=True)


def in_portions(run, folder, n_stages, n_portions):
    """What a job finds whose parts other jobs have done beforehand, and whether anything was left to it."""
    files = []
    for stage in range(n_stages):
        before = list(files)
        for portion in range(n_portions):
            cache = StoredJobCache(folder / f"{stage}_{portion}.cache", JOB, Portion(stage, portion, n_portions))
            for file in before:
                cache.add(file)
            with pytest.raises(PortionDone):
                run(cache)
            files.append(folder / f"{stage}_{portion}.zip")
            cache.pack(files[-1])
    whole = KilledAfter(folder / "job.cache", 0)
    for file in files:
        whole.add(file)
    return run(whole)


@pytest.mark.parametrize("n_portions", [2, 5, 50])
def test_portions_leave_nothing_to_the_job_and_change_nothing(n_portions, tmp_path):
    run = compare_training("linear_crf")
    found, expected = in_portions(run, tmp_path, 2, n_portions), run(None)
    for name, frame, other in zip(found._fields, found, expected, strict=True):
        timed = [column for column in frame.columns if "seconds" in column]
        pd.testing.assert_frame_equal(frame.drop(columns=timed), other.drop(columns=timed), check_exact=True, obj=name)


def test_repeats_of_a_measurement_are_portions(tmp_path):
    settings = CostSettings(
        methods=["linear_crf"], n_repeats=3, lengths=[4], window_sizes=[1], n_sequences=5, n_iterations=2
    )
    found = in_portions(lambda cache: measure_scaling(JobContext(settings, cache=cache)), tmp_path, 1, 2)
    assert sorted(set(found["repeat"])) == [0, 1, 2]
    assert (found.groupby("repeat").size() == len(found) / 3).all()
