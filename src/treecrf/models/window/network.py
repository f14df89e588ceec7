"""The network of `treecrf.models.window.classifiers`: its inputs, weights and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Float64, struct
from treecrf.models.window.numbers import window_numbers
from treecrf.sequences import SequenceSet, slot_sizes, window_codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from sklearn.neural_network import MLPClassifier


def see_windows(data: SequenceSet, window: tuple[int, int]) -> csr_array:
    """What the network sees of each window: `one_hot`, then `window_numbers`, 0 for NaN; shape (n_positions, n_inputs)."""
    cells = one_hot(window_codes(data, window), slot_sizes(data.attributes, window))
    if not data.number_names:
        return cells
    from scipy.sparse import csr_array, hstack

    return hstack([cells, csr_array(np.nan_to_num(window_numbers(data, window)))], format="csr")


@struct
class Weights(NamedTuple):
    """The weights of a network with one hidden layer after each epoch, or without the leading axis after one (`after`)."""

    hidden: Annotated[
        Float64, "n_epochs, n_inputs, n_hidden", "Of what the network sees (`see_windows`) in each hidden unit."
    ]
    hidden_bias: Annotated[Float64, "n_epochs, n_hidden"]
    output: Annotated[Float64, "n_epochs, n_hidden, n_labels", "Of two labels the first one's weights are 0."]
    output_bias: Annotated[Float64, "n_epochs, n_labels"]

    def after(self, epoch: int) -> Weights:
        """Those of one epoch, without the leading axis."""
        return Weights(*(part[epoch - 1] for part in self))


def one_hot(codes: NDArray[np.unsignedinteger], slot_sizes: NDArray[np.int64]) -> csr_array:
    """Indicators of the cells of each window, shape (n_positions, n_cells), in the order of `Columns`.

    `codes` (n_positions, n_slots) are those of `treecrf.sequences.window_codes`; one of `slot_sizes` or more is no
    cell.
    """
    from scipy.sparse import csr_array  # takes long to import

    first_cell = np.concatenate([[0], np.cumsum(slot_sizes)])
    known = codes < slot_sizes
    cells = (codes + first_cell[:-1])[known]
    first = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    return csr_array((np.ones(len(cells)), cells, first), shape=(len(codes), first_cell[-1]))


def copy_weights(network: MLPClassifier) -> Weights:
    """The weights that training has reached."""
    (hidden, output), (hidden_bias, output_bias) = network.coefs_, network.intercepts_
    # Of two labels scikit-learn scores the second one alone.
    n_unscored = int(network.n_outputs_ == 1)
    return Weights(
        hidden.copy(),
        hidden_bias.copy(),
        np.pad(output, ((0, 0), (n_unscored, 0))),
        np.pad(output_bias, (n_unscored, 0)),
    )


def score_cells(cells: csr_array, weights: Weights) -> NDArray[np.float64]:
    """The output layer's sums, shape (n_positions, n_labels), for inputs of shape (n_positions, n_inputs)."""
    from scipy.special import expit

    return expit(cells @ weights.hidden + weights.hidden_bias) @ weights.output + weights.output_bias
