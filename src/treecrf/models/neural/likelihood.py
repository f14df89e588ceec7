"""The log likelihood of chains of order 1 or 0 in JAX, weighted, and of labels some of which are not known.

That of training alone: predictions are those of `treecrf.models.chains`. Chains are rows of equal length, of which the first
positions count.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.nn import logsumexp

Array = jax.Array

FORBIDDEN = -1e9
"""The score of a label that another one is known to stand for."""


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
        Of positions (`treecrf.models.weights`); equal within a row that has unknown labels, unless there are no transitions.
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
