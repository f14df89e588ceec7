"""The network in JAX: the scores that it gives labels, their likelihood, and updates of its weights.

The likelihood is that of training alone: predictions are those of `treecrf.models.chains`. Chains are rows of equal
length, of which the first positions count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.nn import logsumexp
from numpy.typing import NDArray

from treecrf.compiled.cache import cache_root
from treecrf.io.arrays import Arrays, Codes, Floats
from treecrf.models.neural.architecture import CONVOLUTIONS, FILTERS, Architecture, Batch, Batches, scatter
from treecrf.sequences import MISSING

Array = jax.Array
Weights = Mapping[str, Any]


def score_labels(
    shape: Architecture,
    weights: Weights,
    codes: Array,
    numbers: Array,
    inside: Array,
    missing_codes: Array,
    rates: Array | None = None,
    key: Array | None = None,
) -> Array:
    """The score of every label, shape (n_rows, length, n_labels).

    Parameters
    ----------
    shape : Architecture
    weights : dict of arrays
    codes, numbers, inside
        See `treecrf.models.neural.architecture.Batch`.
    missing_codes : int, shape (n_attributes,)
        The code of a missing cell, by attribute.
    rates : float, shape (2,), optional
        Shares of the features that layers do not see, and of the cells that count as missing; None: nothing is dropped.
    key : JAX key, optional
        Of what is drawn.
    """
    keys = iter(() if rates is None or key is None else jax.random.split(key, CONVOLUTIONS * shape.n_layers + 5))
    is_missing = jnp.isnan(numbers)
    if rates is not None:
        codes = jnp.where(jax.random.bernoulli(next(keys), rates[1], codes.shape), missing_codes, codes)
        is_missing |= jax.random.bernoulli(next(keys), rates[1], numbers.shape)

    def drop(features: Array) -> Array:
        """Set features to 0 at random; in an LSTM the same ones along a row (Gal and Ghahramani 2016)."""
        if rates is None:
            return features
        n_draws = features.shape[1] if shape.kind == "convolution" else 1
        kept = jax.random.bernoulli(next(keys), 1 - rates[0], (features.shape[0], n_draws, features.shape[2]))
        return features * kept / (1 - rates[0])

    known, flags = jnp.where(is_missing, 0, numbers), is_missing.astype(numbers.dtype)
    parts = [] if shape.picture is not None else [known, flags]
    if shape.n_attributes:
        parts.append(weights["embeddings"][codes].reshape(*codes.shape[:2], -1))
    if shape.picture is not None:
        images = jnp.stack([known, flags], axis=-1).reshape(-1, *shape.picture, 2)
        if rates is not None:
            images = _shifted(images, next(keys))
        parts.append(_see_pictures(weights, images).reshape(*known.shape[:2], -1))
    features = jnp.concatenate(parts, axis=2)
    length = inside.shape[1]
    features = jnp.concatenate([features[:, place : place + length] for place in range(shape.n_places)], axis=2)
    if shape.kind == "convolution":
        features = _convolve(shape, weights, drop(features), inside, drop)
    else:
        for layer in range(shape.n_layers):
            features = _recur(f"layer_{layer}", shape.width, weights, drop(features), inside)
    return drop(features) @ weights["out"] + weights["out_bias"]


def _shifted(images: Array, key: Array) -> Array:
    """Each picture, moved at random by at most one place along each axis; its edges are repeated."""
    padded = jnp.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
    begins = jax.random.randint(key, (len(images), 2), 0, 3)

    def cut(image: Array, begin: Array) -> Array:
        return jax.lax.dynamic_slice(image, (begin[0], begin[1], 0), images.shape[1:])

    return jax.vmap(cut)(padded, begins)


def _see_pictures(weights: Weights, images: Array) -> Array:
    """What convolutions find in each picture, shape (n_pictures, n_features)."""
    for number in range(len(FILTERS)):
        axes = jax.lax.conv_dimension_numbers(images.shape, (3, 3, 1, 1), ("NHWC", "HWIO", "NHWC"))
        filtered = jax.lax.conv_general_dilated(
            images, weights[f"picture_{number}"], (1, 1), "SAME", dimension_numbers=axes
        )
        images = jax.nn.relu(filtered + weights[f"picture_{number}_bias"])
        images = jax.lax.reduce_window(images, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
    flat = images.reshape(len(images), -1)
    return jax.nn.relu(flat @ weights["picture_out"] + weights["picture_out_bias"])


def _recur(name: str, width: int, weights: Weights, features: Array, inside: Array) -> Array:
    """A layer of long short-term memory in both directions, shape (n_rows, length, 2 width).

    The state stays at 0 outside of the sequence, so that the direction from the end begins at its last observation.
    """
    given = (features @ weights[name] + weights[f"{name}_bias"]).reshape(*inside.shape, 2, 4 * width)
    given = jnp.stack([given[:, :, 0], given[:, ::-1, 1]], axis=2)
    counts = jnp.stack([inside, inside[:, ::-1]], axis=2)
    states = weights[f"{name}_state"]

    def step(state: tuple[Array, Array], here: tuple[Array, Array]) -> tuple[tuple[Array, Array], Array]:
        hidden, cell = state
        gates, count = here
        gates = gates + jnp.einsum("dbh,dhk->dbk", hidden, states)
        enter, keep, leave, new = jnp.split(gates, 4, axis=2)
        cell = jnp.where(count, jax.nn.sigmoid(keep) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new), 0.0)
        hidden = jnp.where(count, jax.nn.sigmoid(leave) * jnp.tanh(cell), 0.0)
        return (hidden, cell), hidden

    nothing = jnp.zeros((2, len(inside), width), features.dtype)
    along = (given.transpose(1, 2, 0, 3), counts.transpose(1, 2, 0)[..., None])
    _, hidden_states = jax.lax.scan(step, (nothing, nothing), along)
    forward, backward = hidden_states[:, 0], hidden_states[::-1, 1]
    return jnp.concatenate([forward, backward], axis=2).transpose(1, 0, 2)


def _convolve(
    shape: Architecture, weights: Weights, features: Array, inside: Array, drop: Callable[[Array], Array]
) -> Array:
    """Residual layers; in a block each sees places twice as far apart as the last; shape (n_rows, length, width)."""
    there = inside[:, :, None]
    features = jnp.where(there, features @ weights["first"] + weights["first_bias"], 0.0)
    for layer in range(CONVOLUTIONS * shape.n_layers):
        name, reach, length = f"layer_{layer}", 2 ** (layer % CONVOLUTIONS), inside.shape[1]
        centred = features - features.mean(axis=2, keepdims=True)
        normal = centred * jax.lax.rsqrt((centred**2).mean(axis=2, keepdims=True) + 1e-5)
        normal = jnp.where(there, jax.nn.relu(normal * weights[f"{name}_scale"] + weights[f"{name}_shift"]), 0.0)
        padded = jnp.pad(drop(normal), ((0, 0), (reach, reach), (0, 0)))
        seen = jnp.concatenate([padded[:, place : place + length] for place in (0, reach, 2 * reach)], axis=2)
        features = features + jnp.where(there, seen @ weights[name] + weights[f"{name}_bias"], 0.0)
    return jax.nn.relu(features)


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
        Of positions (`treecrf.models.inputs`); equal within a row that has unknown labels, unless there are no
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
    """`score_labels` without dropout, compiled for each shape of a batch."""
    return jax.jit(partial(score_labels, shape), compiler_options=OPTIONS)


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
        scores = score_labels(shape, weights, codes, numbers, inside, missing_codes, *drawn)
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
    labels: Codes,
    counts: Floats,
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
