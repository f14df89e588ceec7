"""The training study (PhD chapter 3): accuracy and cost of TreeCRF and its rivals.

Every function takes data and settings and gives a tidy frame. One job is one method on one data set; the functions of
`treecrf_studies.training.summary` summarise jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.files import stacked
from treecrf.missing import Imputer
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.selection import derive_seed, inner_trials, outer_splits
from treecrf_studies.framework.jobs import Frames, JobCache, JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.metrics import CONFIDENCE, confidence, marginals_after
from treecrf_studies.framework.selection import choose_by_scores
from treecrf_studies.methods.catalogue import IN_JAVA, LABELLERS, TRAINING, WITH_NETWORKS
from treecrf_studies.methods.java.machine import java_problem
from treecrf_studies.options import Candidate, candidate_name
from treecrf_studies.training.choices import CHOICE, LAST, PEAK, UNPERTURBED
from treecrf_studies.training.settings import TrainingSettings

CURVE_NAMES = [
    "dataset",
    "method",
    "split",
    "candidate",
    "rank",
    "run",
    "iteration",
    "decoder",
    "n_correct",
    "n_positions",
    "train_log_likelihood",
    "cpu_seconds",
]
FOLD_NAMES = [
    "dataset",
    "method",
    "split",
    "fold",
    "candidate",
    "rank",
    "iteration",
    "decoder",
    "n_correct",
    "n_positions",
]
CHOICE_NAMES = [
    "dataset",
    "method",
    "split",
    "decoder",
    "candidate",
    "rank",
    "iteration",
    "cv_accuracy",
    "cv_fold_sd",
    "chosen_by",
]
PREDICTION_NAMES = [
    "dataset",
    "method",
    "candidate",
    "run",
    "stage",
    "decoder",
    "split",
    "sequence",
    "group",
    "position",
    "label",
    "predicted",
    *CONFIDENCE,
]
PHASE_NAMES = [
    "dataset",
    "method",
    "split",
    "candidate",
    "run",
    "phase",
    "cpu_seconds",
    "n_iterations",
    "n_inductions",
]
TIMING_NAMES = ["dataset", "method", "split", "candidate", "run", "iteration", "cpu_seconds"]
NOTE_NAMES = ["dataset", "method", "note"]

FIRST_REPEAT = -2
"""Of `run`: the first training that is done again for its CPU seconds alone; those after it count downwards."""

SLOW = ("java", "ensembles")
"""Families of labellers that have a number of perturbed runs of their own, as these take long."""


class TrainingOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    folds : DataFrame
        dataset, method, split, fold, candidate, rank (of the candidate in its grid), iteration, decoder, n_correct,
        n_positions: internal cross-validation. Empty for a method that another one chooses for.
    choice : DataFrame
        dataset, method, split, decoder, candidate, rank, iteration, cv_accuracy, cv_fold_sd, chosen_by (the method
        whose cross-validation it is).
    curves : DataFrame
        dataset, method, split, candidate, rank, run (`UNPERTURBED` or a seed), iteration, decoder, n_correct,
        n_positions, train_log_likelihood, cpu_seconds (of training, up to this iteration): on the test sequences. After
        a method has converged its last iteration is repeated.
    predictions : DataFrame
        dataset, method, candidate, run, stage, decoder, split, sequence, group (of related sequences), position, label,
        predicted, and `CONFIDENCE`, of the chosen candidate: at the stage `CHOICE`, after the chosen iteration of every
        run; without probabilities at the stage `PEAK`, where one test set tests, after the best iteration on it,
        unperturbed; and at the stage `LAST`, of ``timed_methods``, after the last iteration of every run.
    phases : DataFrame
        dataset, method, split, candidate, run, phase, cpu_seconds (of a whole training), n_iterations, n_inductions.
    timings : DataFrame
        dataset, method, split, candidate, run (`FIRST_REPEAT` and below), iteration, cpu_seconds: unperturbed trainings
        with the chosen settings that are done again, untested, until ``timed_methods`` have ``n_timed_runs`` trainings.
    notes : DataFrame
        dataset, method, note: why a method was not run.
    """

    folds: pd.DataFrame
    choice: pd.DataFrame
    curves: pd.DataFrame
    predictions: pd.DataFrame
    phases: pd.DataFrame
    timings: pd.DataFrame
    notes: pd.DataFrame


class _Fit(NamedTuple):
    """A trained labeller; CPU seconds and log likelihood after each of its iterations; those to test; what imputes
    missing values.
    """

    model: Any
    seconds: list[float]
    log_likelihoods: list[float]
    phases: dict[str, float]
    iterations: NDArray[np.int64]
    fill: Imputer | None

    def filled(self, test: SequenceSet) -> SequenceSet:
        """A set as the labeller is to see it."""
        return test if self.fill is None else self.fill.transform(test)


class TrainingJob:
    """One method, of `treecrf_studies.methods.catalogue.TRAINING` or ``settings.labellers``, on one data set.

    The name of the data set and the seed decide the folds, so all methods are judged on the same ones; settings are
    those of this data set (`TrainingSettings.of`). The protocol says whether `test` tests ("split"), or each sequence
    of both sets in turn ("leave_one_out", `treecrf.statistics.selection.outer_splits`).
    """

    def __init__(
        self,
        dataset: str,
        train: SequenceSet,
        test: SequenceSet,
        protocol: str,
        window: tuple[int, int],
        method: str,
        settings: TrainingSettings,
        seed: int,
    ) -> None:
        self._dataset, self._name = dataset, method
        self._method = find_method(method, TRAINING, settings.labellers)
        self._splits = outer_splits(len(train), len(test), protocol)
        left_out = len(self._splits) > 1
        self._documents = SequenceSet.concatenate([train, test]) if left_out else train
        self._tests = [self._documents.select(split.test) for split in self._splits] if left_out else [test]
        own_window = settings.network_windows.get(dataset) if method == "neural_network" else None
        self._window = own_window or window
        self._settings = shortened(settings) if method in IN_JAVA else settings
        self._trials = inner_trials(
            self._splits, self._documents.groups, settings.n_folds, derive_seed(seed, dataset, "folds")
        )
        self._candidates = self._method.candidates(settings)

    def run(self, choice: pd.DataFrame | None = None, cache: JobCache | None = None) -> TrainingOutcome:
        """Choose settings, train with them, test; then again from perturbed starts. Each training with its test is a
        piece of `cache`.

        A `choice` is from the method that chooses for this one, whose other candidates are then not tested; without it
        cross-validation chooses.
        """
        cache = cache or JobCache()
        folds, own = pd.DataFrame(columns=FOLD_NAMES), choice is None
        if choice is None:
            folds = self._cross_validate(cache)
            choice = choose(folds)
        else:
            last = self._settings.n_iterations - self._settings.n_iterations % self._settings.test_every
            choice = choice.assign(method=self._name, iteration=choice["iteration"].clip(upper=last))
        names = [candidate_name(candidate) for candidate in self._candidates]
        chosen = {(names.index(name), int(i)) for name, i in zip(choice["candidate"], choice["split"], strict=True)}
        everything = set(product(range(len(names)), range(len(self._splits))))
        trainings = [(*pair, UNPERTURBED) for pair in sorted(everything if own else chosen)]
        trainings += [(*pair, run) for pair in sorted(chosen) for run in range(self._n_perturbed_runs)]
        parts = {
            f"test_{rank}_{split}_{'unperturbed' if run == UNPERTURBED else run}": partial(
                self._test, rank, split, run, choice
            )
            for rank, split, run in trainings
        }
        parts |= {
            f"repeat_{rank}_{split}_{place}": partial(self._repeat, rank, split, FIRST_REPEAT - place)
            for rank, split in sorted(chosen)
            for place in range(self._n_repeats)
        }
        outcomes = cache.all_finished(parts)
        tested, repeats = outcomes[: len(trainings)], outcomes[len(trainings) :]
        return TrainingOutcome(
            folds,
            choice[CHOICE_NAMES],
            pd.concat([curve for curve, *_ in tested], ignore_index=True)[CURVE_NAMES],
            pd.concat([frame for _, _, *frames in tested for frame in frames], ignore_index=True)[PREDICTION_NAMES],
            pd.concat([phases for _, phases, *_ in tested], ignore_index=True)[PHASE_NAMES],
            stacked([pd.DataFrame(columns=TIMING_NAMES), *(frame for (frame,) in repeats)])[TIMING_NAMES],
            pd.DataFrame(columns=NOTE_NAMES),
        )

    @property
    def _n_perturbed_runs(self) -> int:
        row = LABELLERS.get(self._name)
        is_fixed = row is not None and row.start == "fixed"
        if is_fixed or self._name in self._settings.steady_methods:  # all runs would be the same, or nearly
            return 0
        is_slow = row is not None and row.family in SLOW
        return self._settings.n_perturbed_slow_runs if is_slow else self._settings.n_perturbed_runs

    @property
    def _n_repeats(self) -> int:
        """How often a training is done again for its CPU seconds."""
        is_timed = self._name in self._settings.timed_methods
        return max(0, self._settings.n_timed_runs - 1 - self._n_perturbed_runs) if is_timed else 0

    def _cross_validate(self, cache: JobCache) -> pd.DataFrame:
        """Accuracy of every candidate on the sequences held out."""
        trials = product(range(len(self._candidates)), range(len(self._trials)))
        tried = cache.all_finished({f"trial_{rank}_{trial}": partial(self._try, rank, trial) for rank, trial in trials})
        return pd.concat([frame for frames in tried for frame in frames], ignore_index=True)[FOLD_NAMES]

    def _try(self, rank: int, trial: int, checkpoint: Checkpoint | None) -> Frames:
        """Train a candidate without the sequences that are held out, and test it on them; a frame for each fold."""
        candidate, frames = self._candidates[rank], []
        fit = self._fit(self._trials[trial].train, candidate, UNPERTURBED, checkpoint, watched=False)
        for split, fold, sequences in self._trials[trial].held_out:
            held_out = self._documents.select(sequences)
            correct, _, _ = self._follow(fit, held_out, {})
            frame = self._long(
                fit.iterations, correct, held_out.n_positions, candidate=candidate_name(candidate), rank=rank
            )
            frames.append(frame.assign(split=split, fold=fold))
        return tuple(frames)

    def _repeat(self, rank: int, split: int, run: int, checkpoint: Checkpoint | None) -> Frames:
        """CPU seconds of an unperturbed training by iteration; `run` is what it is called."""
        candidate = self._candidates[rank]
        fit = self._fit(self._splits[split].train, candidate, UNPERTURBED, checkpoint)
        n_done = len(fit.seconds) if len(fit.seconds) > 1 else int(fit.iterations[-1])
        seconds = values_after(np.minimum(fit.iterations, n_done), fit.seconds, n_done)
        frame = pd.DataFrame({"iteration": fit.iterations, "cpu_seconds": seconds, "run": run, "split": split})
        return (self._named(frame.assign(candidate=candidate_name(candidate))),)

    def _test(self, rank: int, split: int, run: int, choice: pd.DataFrame, checkpoint: Checkpoint | None) -> Frames:
        """Train a candidate on all training sequences of a split and test every iteration.

        Gives curve, phases, and predictions of each decoder whose chosen iteration this training has.
        """
        candidate, test = self._candidates[rank], self._tests[split]
        name = candidate_name(candidate)
        fit = self._fit(self._splits[split].train, candidate, run, checkpoint)
        chosen = choice[(choice["split"] == split) & (choice["candidate"] == name)]
        kept = dict(zip(chosen["decoder"], chosen["iteration"], strict=True))
        stages = [PEAK] if kept and run == UNPERTURBED and len(self._splits) == 1 else []
        stages += [LAST] if kept and self._name in self._settings.timed_methods else []
        correct, n_done, labels = self._follow(fit, test, kept, stages)
        constant: dict[str, Any] = {"split": split, "candidate": name, "rank": rank, "run": run}
        reached = np.minimum(fit.iterations, n_done)  # after convergence nothing changes
        curve = self._long(fit.iterations, correct, test.n_positions, **constant).assign(
            train_log_likelihood=np.repeat(values_after(reached, fit.log_likelihoods, n_done), correct.shape[1]),
            cpu_seconds=np.repeat(values_after(reached, fit.seconds, n_done), correct.shape[1]),
        )
        phases = pd.DataFrame({"phase": list(fit.phases), "cpu_seconds": list(fit.phases.values())})
        phases = phases.assign(n_iterations=n_done, n_inductions=getattr(fit.model, "n_inductions_", 0), **constant)
        truth, marginals = fit.model.align_labels(test), self._marginals(fit, test, kept)
        tested = pd.DataFrame(
            {
                "sequence": np.repeat(self._splits[split].test, test.lengths),
                "group": np.repeat(test.groups, test.lengths),
                "position": np.arange(test.n_positions),
                "label": truth,
            }
        )
        predictions = [
            tested.assign(
                predicted=predicted,
                stage=stage,
                decoder=decoder,
                **confidence(marginals[decoder] if stage == CHOICE else None, truth, predicted),
                **constant,
            )
            for (stage, decoder), predicted in labels.items()
        ]
        return tuple(self._named(frame) for frame in (curve, phases, *predictions))

    @staticmethod
    def _marginals(fit: _Fit, test: SequenceSet, kept: Mapping[str, int]) -> dict[str, NDArray[np.float64] | None]:
        """Marginals by decoder after the iterations in `kept`, which decoders may share."""
        by_iteration = {
            iteration: marginals_after(fit.model, fit.filled(test), iteration) for iteration in set(kept.values())
        }
        return {decoder: by_iteration[iteration] for decoder, iteration in kept.items()}

    def _fit(
        self,
        sequences: NDArray[np.int64],
        candidate: Candidate,
        run: int,
        checkpoint: Checkpoint | None,
        watched: bool = True,
    ) -> _Fit:
        """Train; missing values are imputed with the commonest value, the same for every method.

        Unless it is watched, what it costs and its log likelihoods are not known, and some methods are faster.
        """
        train = self._documents.select(sequences)
        fill = Imputer().fit(train) if train.has_missing or any(test.has_missing for test in self._tests) else None
        seed = None if run == UNPERTURBED else run
        model: Any = self._method.build(self._settings, candidate, self._window, seed).keeping_stages()
        seconds: list[float] = []
        log_likelihoods: list[float] = []
        phases: dict[str, float] = {}

        def monitor(_iteration: int, by_phase: Mapping[str, float], log_likelihood: float) -> None:
            seconds.append(sum(by_phase.values()))
            log_likelihoods.append(log_likelihood)
            phases.update(by_phase)

        resumable: dict[str, Any] = {"checkpoint": checkpoint} if isinstance(model, TreeCRF) else {}
        model.fit(train if fill is None else fill.transform(train), monitor=monitor if watched else None, **resumable)
        if not model.has_stages:  # what it reports on the way is of no iteration
            seconds, log_likelihoods = seconds[-1:], log_likelihoods[-1:]
        every = self._settings.test_every
        tested = np.arange(every, self._settings.n_iterations + 1, every) if model.has_stages else np.array([1])
        return _Fit(model, seconds, log_likelihoods, phases, tested, fill)

    def _follow(
        self, fit: _Fit, test: SequenceSet, kept: Mapping[str, int], stages: Sequence[str] = ()
    ) -> tuple[NDArray[np.int64], int, dict[tuple[str, str], NDArray[np.int16]]]:
        """Number of correct positions by iteration and decoder, of iterations, and labels by stage and decoder.

        The stage `CHOICE` is that after the iterations in `kept`, by decoder; where `stages` ask for them, `PEAK` is
        that with most correct positions and `LAST` that after the last iteration.
        """
        filled = fit.filled(test)
        truth, decoders, every = fit.model.align_labels(test), tuple(self._settings.decoders), int(fit.iterations[0])
        correct = np.zeros((len(fit.iterations), len(decoders)), dtype=np.int64)
        labels: dict[tuple[str, str], NDArray[np.int16]] = {}

        def take(row: int, predicted: Mapping[Any, NDArray[np.int16]], iteration: int) -> None:
            """Count what is correct from this row of `correct` on, and keep the labels that are wanted."""
            counts = np.array([(predicted[decoder] == truth).sum() for decoder in decoders])
            risen = counts > correct[:row].max(axis=0, initial=-1)
            correct[row:] = counts
            here = [(CHOICE, decoder) for decoder, last in kept.items() if iteration <= last]
            here += [(PEAK, decoder) for decoder, has_risen in zip(decoders, risen, strict=True) if has_risen]
            here += [(LAST, decoder) for decoder in decoders]
            labels.update({place: predicted[place[1]] for place in here if place[0] in (CHOICE, *stages)})

        n_tested = 0
        for n_tested, stage in enumerate(fit.model.staged_predict(filled, decoders, every), start=1):
            take(n_tested - 1, stage, n_tested * every)
        if n_tested < len(correct):  # training had converged
            final = {decoder: fit.model.predict(filled, decoder) for decoder in decoders}
            take(n_tested, final, n_tested * every + 1)
        n_done = len(fit.seconds) if len(fit.seconds) > 1 else max(1, n_tested * every)
        return correct, n_done, labels

    def _long(
        self, iterations: NDArray[np.int64], correct: NDArray[np.int64], n_positions: int, **constant: Any
    ) -> pd.DataFrame:
        """A row for each iteration and decoder."""
        frame = pd.DataFrame(
            {
                "iteration": np.repeat(iterations, correct.shape[1]),
                "decoder": np.tile(self._settings.decoders, len(correct)),
                "n_correct": correct.reshape(-1),
                "n_positions": n_positions,
            }
        )
        return self._named(frame.assign(**constant))

    def _named(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(dataset=self._dataset, method=self._name)


def shortened(settings: TrainingSettings) -> TrainingSettings:
    """The settings with the iterations of methods that run in Java."""
    n_iterations = min(settings.n_iterations, settings.java_iterations or settings.n_iterations)
    return settings.model_copy(update={"n_iterations": n_iterations})


def values_after(iterations: NDArray[np.int64], values: list[float], n_done: int) -> NDArray[np.float64]:
    """What training reported after some iterations, shape (n_stages,), of `n_done`.

    `values` are by iteration; or one value after the last, which a labeller is taken to have approached evenly.
    """
    if len(values) == 1:
        return values[0] * iterations / n_done
    return np.array(values)[iterations - 1]


def compare_method(job: JobContext[TrainingSettings]) -> TrainingOutcome:
    """One method on one data set: choose settings, train, test, and say so where the method cannot be run."""
    training = TrainingJob(
        job.dataset, job.train, job.test, job.protocol, job.window, job.method, job.settings, job.seed
    )
    choice = job.choice
    if choice is not None:  # of all methods that share a job
        choice = choice[choice["method"] == job.settings.choosers[job.method]]
    if job.method not in IN_JAVA:
        return training.run(choice, job.cache)
    problem = java_problem()
    if problem is None:
        try:
            return training.run(choice, job.cache)
        except ValueError as error:  # other people's programs take some data only
            problem = str(error)
    return not_run(job.dataset, job.method, problem)


def choose(folds: pd.DataFrame) -> pd.DataFrame:
    """The choice of one method by its cross-validation (`TrainingOutcome.folds`)."""
    method = folds["method"].iloc[0]
    chosen = choose_by_scores(folds).assign(dataset=folds["dataset"].iloc[0], method=method, chosen_by=method)
    return chosen[CHOICE_NAMES]


def not_run(dataset: str, method: str, reason: str) -> TrainingOutcome:
    """The outcome of a method that cannot be run, with a sentence that says why."""
    names = (FOLD_NAMES, CHOICE_NAMES, CURVE_NAMES, PREDICTION_NAMES, PHASE_NAMES, TIMING_NAMES)
    folds, choice, curves, predictions, phases, timings = (pd.DataFrame(columns=each) for each in names)
    notes = pd.DataFrame([{"dataset": dataset, "method": method, "note": reason}])
    return TrainingOutcome(folds, choice, curves, predictions, phases, timings, notes)


def warm_kernels() -> None:
    """Run every compiled routine of the study once on a tiny set, so that later processes find it compiled."""
    rng = np.random.default_rng(0)
    names = ("a", "b", "c")
    values, labels = rng.integers(0, 3, (90, 1), np.int16), rng.integers(0, 3, 90, np.int16)
    data = SequenceSet(values, np.arange(0, 91, 6), (Attribute("symbol", names),), labels, names)
    for method in TRAINING:
        if method not in (*IN_JAVA, *WITH_NETWORKS):  # these have no kernels of their own
            tiny = TrainingSettings(
                n_iterations=9,
                n_perturbed_runs=2,
                n_timed_runs=1,
                n_folds=2,
                l2_regularizations=[1.0],
                memm_regularizations=[1.0],
                original_max_leaves=[3],
                variances=[1.0],
                network_epochs=2,
                network_penalties=[0.1],
                lightgbm_leaves=[3],
                stacking_iterations=[3],
                anchors=[(0, 1)],
            )
            TrainingJob("warm", data, data, "split", (1, 1), method, tiny, 0).run()
