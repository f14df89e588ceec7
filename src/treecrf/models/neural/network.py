"""The scores that the network gives labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from treecrf.models.neural.architecture import CONVOLUTIONS, FILTERS, Architecture

Array = jax.Array
Weights = Mapping[str, Any]


def scores(
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
        See `treecrf.models.neural.batches.Batch`.
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
        """Of an LSTM a draw is for a row: features that it lacks are lacking everywhere (Gal and Ghahramani 2016)."""
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
