"""Generated data sets of the M.S. thesis: the hidden Markov models of section 5.4 and the cycle of section 3.3.

"transition" and "both" have 40 labels and as many symbols. Label i emits symbol i with probability p_o, and otherwise
one of k_o other symbols, all alike; it is followed by itself with probability p_l, and otherwise by one of k_l other
labels. Which others is drawn once for a seed. The first label is drawn evenly, and there are 100 and 100 sequences of
50 positions: the thesis says neither.

"cycle" has three labels that follow one another, 1, 2, 3, 1, and one symbol that tells nothing, but for the first
position, whose symbol is its label: no chain can know where it began.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import check_count
from treecrf.io.messages import quoted, refuse_unknown
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import generator
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import check_sizes, from_symbols

PUBLISHED: dict[str, dict[str, Any]] = {
    "transition": {"p_o": 0.2, "k_o": 8, "p_l": 0.6, "k_l": 2},
    "both": {"p_o": 0.6, "k_o": 2, "p_l": 0.6, "k_l": 2},
}
"""Settings of MS sections 5.4.1 and 5.4.2."""

N_LABELS = 40
N_CYCLE = 3

TINY = float(np.finfo(np.float64).tiny)
"""Stands for a probability of zero in potentials, which must be finite; its logarithm is -708."""


class HiddenMarkovModel(NamedTuple):
    """The probabilities of a generator.

    Attributes
    ----------
    start : float64, shape (n_labels,)
        Of the first label.
    transitions : float64, shape (n_labels, n_labels)
        ``transitions[i, j]`` is that of label j after label i.
    emissions : float64, shape (n_labels, n_symbols)
        ``emissions[i, s]`` is that of symbol s at label i.
    """

    start: NDArray[np.float64]
    transitions: NDArray[np.float64]
    emissions: NDArray[np.float64]

    def potentials(self, data: SequenceSet) -> NDArray[np.float64]:
        """Logarithms of the probabilities: `treecrf.chain.forward_backward` of order 1 on them labels as well as can
        be.

        A step that the generator cannot take has the logarithm of `TINY`, -708: a possible step and symbol of the
        published sets have -3.9 at least, so that no marginal shows it.

        Parameters
        ----------
        data : SequenceSet
            With one attribute, the symbols, and no missing cells.

        Returns
        -------
        float64, shape (n_labels, n_positions, n_labels + 1)
            States as in `treecrf.chain.StateSpace`: the previous label, or START. 66 MB for 5,000 positions of 40
            labels.

        Raises
        ------
        ValueError
            If the symbols are not those of the model.
        """
        sizes = [len(attribute.categories) for attribute in data.attributes]
        if sizes != [self.emissions.shape[1]] or data.has_missing:
            raise ValueError(
                f"potentials: the data have inputs of {sizes} categories and {data.n_missing} missing cells, and the "
                f"model has {self.emissions.shape[1]} symbols; give data that it generates."
            )
        steps = np.log(np.maximum(np.vstack([self.transitions, self.start]), TINY)).T
        emissions = np.log(np.maximum(self.emissions, TINY))[:, data.values[:, 0]]
        return np.asarray(steps[:, None, :] + emissions[:, :, None])


class NoisyMap(NamedTuple):
    """How a number 0 .. n - 1 leads to another: to itself with probability `stays`, else to one of ``others[i]``
    alike.
    """

    stays: float
    others: NDArray[np.int64]

    def draw(self, numbers: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the number that follows each of `numbers` (any shape)."""
        drawn = self.others[numbers, rng.integers(0, self.others.shape[1], numbers.shape)]
        return np.where(rng.random(numbers.shape) < self.stays, numbers, drawn)

    def probabilities(self) -> NDArray[np.float64]:
        """Probabilities of each number (column) after each (row); float64, shape (n, n)."""
        chances = self.stays * np.eye(len(self.others))
        np.put_along_axis(chances, self.others, (1 - self.stays) / self.others.shape[1], axis=1)
        return chances


def _draw_steps(*, seed: int, name: str, p_o: float, k_o: int, p_l: float, k_l: int) -> tuple[NoisyMap, NoisyMap]:
    """Emissions and transitions of a seed and a name: label i emits symbol i with probability `p_o` and stays with
    `p_l`, else one of the `k_o` symbols and `k_l` labels (1 to 39 each) of its sets O_i and L_i (MS section 5.4).
    """
    for option, share in (("p_o", p_o), ("p_l", p_l)):
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ValueError(f"{option}={quoted(share)}: give a probability, a number from 0 to 1.")
    for option, size in (("k_o", k_o), ("k_l", k_l)):
        check_count(option, size, most=N_LABELS - 1)
    rng = generator(name, "sets", seed=seed)
    return NoisyMap(p_o, _draw_others(k_o, rng)), NoisyMap(p_l, _draw_others(k_l, rng))


def _draw_others(size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `size` others for each of the 40 numbers."""
    everything = np.arange(N_LABELS)
    return np.array([rng.choice(np.delete(everything, i), size, replace=False) for i in everything])


def _markov(
    emission: NoisyMap, transition: NoisyMap, n_sequences: int, length: int, rng: np.random.Generator
) -> SequenceSet:
    """Sequences of a hidden Markov model whose labels and symbols are the same numbers."""
    labels = np.empty((n_sequences, length), dtype=np.int64)
    labels[:, 0] = rng.integers(0, N_LABELS, n_sequences)
    for t in range(1, length):
        labels[:, t] = transition.draw(labels[:, t - 1], rng)
    numbers = range(1, N_LABELS + 1)
    symbols = tuple(f"o{i}" for i in numbers)
    return from_symbols(labels, emission.draw(labels, rng), tuple(f"l{i}" for i in numbers), symbols)


def _cycle(n_sequences: int, length: int, rng: np.random.Generator) -> SequenceSet:
    """Sequences of "cycle"."""
    labels = (rng.integers(0, N_CYCLE, (n_sequences, 1)) + np.arange(length)) % N_CYCLE
    symbols = np.full(labels.shape, N_CYCLE)
    symbols[:, 0] = labels[:, 0]
    names = tuple(str(i) for i in range(1, N_CYCLE + 1))
    return from_symbols(labels, symbols, names, (*names, "-"))


def _load_markov(
    name: str, *, n_train: int = 100, n_test: int = 100, length: int = 50, seed: int = 0, **chances: Any
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test sequences of "transition" or "both".

    `seed` decides the sets O_i and L_i and the sequences; `chances` are the arguments of `_draw_steps` that are not the
    published ones.
    """
    check_sizes(length, n_train=n_train, n_test=n_test)
    emission, transition = _draw_steps(seed=seed, name=name, **PUBLISHED[name] | chances)
    train = _markov(emission, transition, n_train, length, generator(name, "train", seed=seed))
    return train, _markov(emission, transition, n_test, length, generator(name, "test", seed=seed))


def _load_cycle(
    *, n_train: int = 20, n_test: int = 20, length: int = 60, seed: int = 0
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test sequences of "cycle"."""
    check_sizes(length, n_train=n_train, n_test=n_test)
    train = _cycle(n_train, length, generator("cycle", "train", seed=seed))
    return train, _cycle(n_test, length, generator("cycle", "test", seed=seed))


def known_model(name: str, *, seed: int = 0, **options: Any) -> HiddenMarkovModel:
    """The model that generates "transition", "both" or "cycle".

    In that of "cycle" every label emits its own symbol half of the time, as emissions do not depend on the position;
    given observations of the generator, where the first position alone does, the marginals of the labels are the right
    ones.

    Parameters
    ----------
    name : str
    seed : int
    **options
        Those of the data set; its sizes make no difference.

    Raises
    ------
    ValueError
        For another name, and as the data set.
    """
    if name not in (*PUBLISHED, "cycle"):
        raise ValueError(f"known_model: {quoted(name)} has none; choose one of {', '.join(PUBLISHED)}, cycle.")
    sizes = ("n_train", "n_test", "length")
    refuse_unknown(options, ("seed", *sizes, *PUBLISHED.get(name, ())), f"the data set {name!r}", error=ValueError)
    if name == "cycle":
        follows = np.roll(np.eye(N_CYCLE), 1, axis=1)
        emissions = np.hstack([0.5 * np.eye(N_CYCLE), np.full((N_CYCLE, 1), 0.5)])
        return HiddenMarkovModel(np.full(N_CYCLE, 1 / N_CYCLE), follows, emissions)
    chances = {option: value for option, value in options.items() if option not in sizes}
    emission, transition = _draw_steps(seed=seed, name=name, **PUBLISHED[name] | chances)
    return HiddenMarkovModel(np.full(N_LABELS, 1 / N_LABELS), transition.probabilities(), emission.probabilities())


DESCRIPTIONS = (
    *(
        Description(
            name,
            f"hidden Markov model with 40 labels, {what}",
            window,
            partial(_load_markov, name),
            source=f"generated; Hao 2009 (M.S.), section {section}",
            kind="generated",
            is_drawn=True,
            groups="none",
        )
        for name, what, window, section in (
            ("transition", "weak observations", (0, 0), "5.4.1"),
            ("both", "strong observations", (1, 1), "5.4.2"),
        )
    ),
    Description(
        "cycle",
        "three labels that follow one another",
        (0, 0),
        _load_cycle,
        source="generated; Hao 2009 (M.S.), section 3.3",
        kind="generated",
        is_drawn=True,
        groups="none",
    ),
)
