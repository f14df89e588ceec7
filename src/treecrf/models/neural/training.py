"""Training of the network: the likelihood of its scores, updates of its weights, passes over the sequences.

The likelihood is that of training alone: predictions are those of `treecrf.models.chains`. Chains are rows of equal
length, of which the first positions count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.nn import logsumexp
from numpy.typing import NDArray

from treecrf.compiled.cache import cache_root
from treecrf.models.neural import network
from treecrf.models.neural.architecture import Architecture
from treecrf.models.neural.batches import Batch, Batches, scatter
from treecrf.sequences import MISSING

Arrays = dict[str, NDArray[Any]]
Array = jax.Array

FORBIDDEN = -1e9
"""The score of a label that another one is known to stand for."""

OPTIONS: Any = {"xla_cpu_multi_thread_eigen": False, "xla_cpu_experimental_ynn_fusion_type": ""}
"""Of compilation: products of one thread, and no sums whose order is that of threads."""


def prepare() -> None:
    """Keep compiled functions beside the kernels, unless JAX has been told where."""
    root = cache_root()
    if root is not None and not jax.config.values["jax_compilation_cache_dir"]:
        jax.config.update("jax_compilation_cache_dir", os.fspath(root / f"networks-{jax.__version__}"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


class Update(NamedTuple):
    """What decides the updates of weights: settings of `NeuralCRF`."""

    learning_rate: float
    weight_decay: float
    averaging: float


class State(NamedTuple):
    """Where training is: weights, their average, and what AdamW keeps."""

    weights: Any
    average: Any
    moments: Any
    n_updates: Any


def log_likelihood(scores: Array, transitions: Array | None, labels: Array, weights: Array, are_partial: bool) -> Array:
    """The weighted log likelihood of every row, shape (n_rows,).

    Parameters
    ----------
    scores : float, shape (n_rows, length, n_labels)
    transitions : float, shape (n_labels, n_labels + 1), optional
        By label and label before, START last; None where positions are labelled by themselves.
    labels : int, shape (n_rows, length)
        -1 where not known, -2 beyond the last position of the row.
    weights : float, shape (n_rows, length)
        Of positions (`treecrf.models.weights`); equal within a row that has unknown labels, unless there are no
        transitions.
    are_partial : bool
        Whether labels may be unknown.
    """
    one_hot = jax.nn.one_hot(labels, scores.shape[2], dtype=scores.dtype)  # of no label: zeros
    if transitions is None:
        known = (one_hot * (scores - logsumexp(scores, axis=2, keepdims=True))).sum(axis=2)
        return (weights * known).sum(axis=1)
    inside = labels != -2
    before = jnp.pad(one_hot, ((0, 0), (1, 0), (0, 1)))[:, :-1].at[:, 0, -1].set(1.0)
    # By the chain rule: what a label leads to, given the label before, beside what all labels lead to.
    ahead, _ = _messages(scores, transitions, inside)
    all_labels = scores + before @ transitions.T + ahead
    conditional = (one_hot * all_labels).sum(axis=2) - logsumexp(all_labels, axis=2)
    log_likelihoods = jnp.where(inside, weights * conditional, 0.0).sum(axis=1)
    if not are_partial:
        return log_likelihoods
    allowed = jnp.where((labels == -1)[:, :, None] | (one_hot > 0), scores, FORBIDDEN)
    difference = _messages(allowed, transitions, inside)[1] - _messages(scores, transitions, inside)[1]
    is_partial = (labels == -1).any(axis=1)
    return jnp.where(is_partial, weights[:, 0] * difference, log_likelihoods)


def _messages(scores: Array, transitions: Array, inside: Array) -> tuple[Array, Array]:
    """Logarithms of the backward messages, shape (n_rows, length, n_labels), and of the partition functions, (n_rows,).

    Sums over labels are products of matrices, of exponentials whose largest is 1.
    """
    n_labels = scores.shape[2]
    highest = transitions.max()
    factors = jnp.exp(transitions - highest)

    def combine(coming: Array, factors: Array) -> Array:
        top = jax.lax.stop_gradient(coming.max(axis=1, keepdims=True))
        tiny = jnp.finfo(coming.dtype).tiny
        return jnp.log(jnp.exp(coming - top) @ factors + tiny) + top + highest

    def step(ahead: Array, here: tuple[Array, Array]) -> tuple[Array, Array]:
        score, is_inside = here
        coming = combine(score + ahead, factors[:, :n_labels])
        return jnp.where(is_inside[:, None], coming, 0.0), ahead

    # What comes after a position counts from the next one on.
    start = jnp.zeros_like(scores[:, 0])
    along: Any = (jnp.moveaxis(scores, 1, 0)[1:], inside.T[1:])
    last, ahead = jax.lax.scan(step, start, along, reverse=True)
    messages = jnp.moveaxis(jnp.concatenate([last[None], ahead]), 0, 1)
    partition = combine(scores[:, 0] + messages[:, 0], factors[:, n_labels:])[:, 0]
    return messages, jnp.where(inside[:, 0], partition, 0.0)


@cache
def compiled_scores(shape: Architecture) -> Callable[..., Any]:
    """`network.scores` without dropout, compiled for each shape of a batch."""
    return jax.jit(partial(network.scores, shape), compiler_options=OPTIONS)


@cache
def _optimizer(update: Update) -> Any:
    return optax.chain(
        optax.clip_by_global_norm(5.0),
        optax.adamw(update.learning_rate, weight_decay=update.weight_decay, mask=_has_axes),
    )


def _has_axes(weights: Any) -> Any:
    """Which weights decay: all but biases and transitions."""
    return {name: weight.ndim > 1 and name != "transitions" for name, weight in weights.items()}


@cache
def compiled_gradient(shape: Architecture, are_partial: bool) -> Callable[..., Any]:
    """The gradient of a batch's loss, and the log likelihood of its sequences; compiled for each length of rows."""

    def loss(weights: Any, batch: Any, labels: Any, counts: Any, total: Any, missing_codes: Any, *drawn: Any) -> Any:
        codes, numbers, inside = batch
        scores = network.scores(shape, weights, codes, numbers, inside, missing_codes, *drawn)
        value = log_likelihood(scores, weights.get("transitions"), labels, counts, are_partial).sum()
        return -value / total, value

    def gradient(
        state: State, batch: Any, labels: Any, counts: Any, total: Any, missing_codes: Any, rates: Any, seed: Any
    ) -> Any:
        key = jax.random.fold_in(jax.random.key(seed, impl="rbg"), state.n_updates)
        return jax.grad(loss, has_aux=True)(state.weights, batch, labels, counts, total, missing_codes, rates, key)

    return jax.jit(gradient, compiler_options=OPTIONS)


@cache
def compiled_step(update: Update) -> Callable[..., Any]:
    """One update of the weights by a gradient."""
    optimizer = _optimizer(update)

    def step(state: State, gradient: Any) -> State:
        changes, moments = optimizer.update(gradient, state.moments, state.weights)
        weights = optax.apply_updates(state.weights, changes)
        n_updates = state.n_updates + 1
        kept = jnp.minimum(update.averaging, n_updates / (n_updates + 10.0))
        average = jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, state.average, weights)
        return State(weights, average, moments, n_updates)

    return jax.jit(step, compiler_options=OPTIONS, donate_argnums=0)


def predict_scores(shape: Architecture, weights: Any, data: Batches, missing_codes: Any, n_positions: int) -> Any:
    """The score of every label at every position, float64, shape (n_positions, n_labels)."""
    prepare()
    score, out = compiled_scores(shape), np.empty((n_positions, shape.n_labels))
    for batch in data.in_order():
        scatter(batch, np.asarray(score(weights, *_inputs(batch), missing_codes)), out)
    return out


def epochs(
    shape: Architecture,
    update: Update,
    data: Batches,
    labels: NDArray[np.int16],
    counts: NDArray[np.float64],
    missing_codes: NDArray[np.int32],
    rates: tuple[float, float],
    seed: int,
) -> Iterator[tuple[Arrays, float]]:
    """The average of the weights after 1, 2, .. passes over the sequences, and the log likelihood that updates saw.

    `counts` are what positions weigh, `rates` those of dropout: features, and cells.
    """
    prepare()
    rng = np.random.default_rng(seed)
    differentiate, step = compiled_gradient(shape, bool((labels == MISSING).any())), compiled_step(update)
    weights = {name: jnp.asarray(value) for name, value in shape.start(rng).items()}
    state = State(weights, jax.tree.map(jnp.copy, weights), _optimizer(update).init(weights), jnp.zeros((), jnp.int32))
    # Of places without a position the last values.
    known = np.append(labels, -2).astype(np.int32)
    weighing = np.append(counts, 0.0).astype(np.float32)
    total = np.float32(counts.sum() / sum(1 for _ in data.shuffled(np.random.default_rng(0))))
    drawn = np.array(rates, dtype=np.float32), np.uint32(seed % 2**32)
    while True:
        log_likelihoods = []
        for batch in data.shuffled(rng):
            there = known[batch.positions], weighing[batch.positions]
            gradient, value = differentiate(state, _inputs(batch), *there, total, missing_codes, *drawn)
            state = step(state, gradient)
            log_likelihoods.append(value)
        yield (
            {name: np.asarray(value) for name, value in state.average.items()},
            float(np.sum(log_likelihoods, dtype=np.float64)),
        )


def _inputs(batch: Batch) -> tuple[NDArray[Any], ...]:
    return batch.codes, batch.numbers, batch.inside
