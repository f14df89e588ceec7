"""The weights of the network: their names, their shapes, and where training starts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Shapes = dict[str, tuple[int, ...]]

FILTERS = 32, 64
"""Of the two convolutions over a picture, each of 3 by 3 places."""

CONVOLUTIONS = 3
"""Of a layer over the sequence, which see places 1, 2 and 4 apart."""


class Architecture(NamedTuple):
    """What decides the shapes of the weights.

    Attributes
    ----------
    kind : "lstm" or "convolution"
    n_codes : int
        Rows of the table of embeddings, of all attributes together.
    n_attributes, n_numbers, n_labels, n_places, embedding, width, n_layers : int
        `n_places`: those of the window that the first layer sees.
    order : 0 or 1
        Whether labels have transitions.
    picture : (int, int) or None
    """

    kind: str
    n_codes: int
    n_attributes: int
    n_numbers: int
    n_labels: int
    n_places: int
    embedding: int
    width: int
    n_layers: int
    order: int
    picture: tuple[int, int] | None

    def shapes(self) -> Shapes:
        """Of the weights, by name; a bias has one axis."""
        n_inputs = self.n_attributes * self.embedding
        shapes: Shapes = {"embeddings": (self.n_codes, self.embedding)} if self.n_attributes else {}
        if self.picture is None:
            n_inputs += 2 * self.n_numbers
        else:
            n_before = 2
            for number, n_filters in enumerate(FILTERS):
                shapes |= {f"picture_{number}": (3, 3, n_before, n_filters), f"picture_{number}_bias": (n_filters,)}
                n_before = n_filters
            rows, columns = (-(-side // 2 ** len(FILTERS)) for side in self.picture)
            shapes |= {
                "picture_out": (rows * columns * n_before, 2 * self.width),
                "picture_out_bias": (2 * self.width,),
            }
            n_inputs += 2 * self.width
        n_inputs *= self.n_places
        w = self.width
        if self.kind == "convolution":
            shapes |= {"first": (n_inputs, w), "first_bias": (w,)}
            for layer in range(CONVOLUTIONS * self.n_layers):
                shapes |= {f"layer_{layer}_scale": (w,), f"layer_{layer}_shift": (w,)}
                shapes |= {f"layer_{layer}": (3 * w, w), f"layer_{layer}_bias": (w,)}
            n_inputs = w
        else:
            for layer in range(self.n_layers):
                shapes |= {f"layer_{layer}": (n_inputs, 8 * w), f"layer_{layer}_bias": (8 * w,)}
                shapes |= {f"layer_{layer}_state": (2, w, 4 * w)}
                n_inputs = 2 * w
        shapes |= {"out": (n_inputs, self.n_labels), "out_bias": (self.n_labels,)}
        return shapes | ({"transitions": (self.n_labels, self.n_labels + 1)} if self.order else {})

    def start(self, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Weights drawn at random (Glorot and Bengio 2010), the same on every machine."""
        weights = {}
        for name, shape in self.shapes().items():
            drawn = rng.standard_normal(shape)
            if name == "transitions" or len(shape) == 1:
                value = np.zeros(shape)
            elif name == "embeddings":
                value = drawn * 0.5
            else:
                fan_in, fan_out = int(np.prod(shape[:-1])), shape[-1]
                if name.endswith("_state"):
                    fan_in, fan_out = shape[1], shape[1]
                elif name.startswith("layer") and self.kind == "lstm":
                    fan_out = self.width
                value = drawn * np.sqrt(2 / (fan_in + fan_out))
            if name.endswith("_scale"):
                value += 1
            if self.kind == "lstm" and name.endswith("_bias") and name.startswith("layer"):
                value.reshape(2, 4, -1)[:, 1] = 1  # forget gates begin open
            weights[name] = value.astype(np.float32)
        return weights

    @property
    def n_weights(self) -> int:
        """How many numbers there are in all weights."""
        return sum(int(np.prod(shape)) for shape in self.shapes().values())
