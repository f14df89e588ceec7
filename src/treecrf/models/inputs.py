"""What a labeller sees of a set: its checks, the training set's categories, rare ones merged, and numbers or bins."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.tables import ABSENT
from treecrf.inputs.anchors import AnchoredInputs, AnchorSetting
from treecrf.inputs.binning import Binner
from treecrf.io.arrays import Bools, Codes, Floats, Ints, in_units, of_observations
from treecrf.io.columns import Vocabulary
from treecrf.io.messages import counted, listed, quoted, repeated, unsaid, warn
from treecrf.sequences import MISSING, Attribute, SequenceSet, attributes_from


def check_set(data: Any) -> None:
    """Refuse what is no set, where nothing else is read."""
    if not isinstance(data, SequenceSet):
        raise ValueError(
            f"this needs a SequenceSet, not a {type(data).__name__}; other forms of sequences are for fit, predict, "
            "predict_proba, predict_n_best, span_probability, log_likelihood, score and staged_score."
        )


def refuse_missing(data: SequenceSet) -> None:
    """Refuse a set with missing cells."""
    if data.has_missing:
        names = [f"attribute {attribute.name!r}" for attribute in data.attributes]
        names += [f"number {name!r}" for name in data.number_names]
        row, column = np.argwhere(np.hstack([data.values == MISSING, np.isnan(data.numbers)]))[0]
        is_category = column < len(data.attributes)
        kept = "; Indicator(mark='category') keeps them, empty texts too, as a category" if is_category else ""
        raise ValueError(
            f"{names[column]} is missing at observation {row}; fill or mark the missing values "
            f"(treecrf.missing{kept}), or take TreeCRF, which by default handles them (missing='auto')."
        )


def check_training_set(train: SequenceSet, unknown: bool = False) -> Codes:
    """The labels of a training set, unless it is refused; `unknown` says whether some may be `MISSING`."""
    check_set(train)
    if not len(train):
        raise ValueError("the training set has no sequences; give at least one.")
    if train.labels is None:
        raise ValueError("the training set has no labels; give labelled sequences, or their labels as y.")
    if len(train.label_names) < 2:
        raise ValueError(
            f"the training set has {_only(train.label_names)}; labelling needs at least two different ones."
        )
    is_known = train.labels != MISSING
    if not is_known.all():
        if not unknown:
            raise ValueError(
                f"position {int((~is_known).argmax())} has no label, and this method learns from whole sequences of "
                "labels; give it one, drop its sequence, or choose a method that sums over unknown labels, such as "
                "TreeCRF or LinearCRF."
            )
        if not is_known.any():
            raise ValueError("no label of the training set is known; give at least one.")
    return train.labels


NEW = -2
"""Code of a label that the training set did not have."""


def label_codes(data: SequenceSet, label_names: tuple[str, ...]) -> Codes:
    """Labels of a labelled set as codes of `label_names`, shape (n_positions,); `NEW` for one that is none of these."""
    assert data.labels is not None
    if data.label_names == label_names:
        return data.labels
    code_of = {name: code for code, name in enumerate(label_names)}
    table = np.array([code_of.get(name, NEW) for name in data.label_names] + [MISSING], dtype=np.int16)
    return table[data.labels]


def align_labels(data: SequenceSet, label_names: tuple[str, ...], unknown: bool = False) -> Codes:
    """`label_codes`, but other labels are refused; `unknown` says whether a position may have none (`MISSING`)."""
    if data.labels is None:
        raise ValueError("the set has no labels; give labelled sequences, or their labels as y.")
    is_known = data.labels != MISSING
    if not (unknown or is_known.all()):
        raise ValueError(f"position {int((~is_known).argmax())} has no label; give it one or drop its sequence.")
    labels = label_codes(data, label_names)
    if (labels == NEW).any():
        position = int((labels == NEW).argmax())
        raise ValueError(
            f"position {position}: label {data.label_names[data.labels[position]]!r} was not in the training set, "
            f"which had {', '.join(label_names)}; drop its sequence or train with it."
        )
    return labels


def _only(names: tuple[str, ...]) -> str:
    return f"the label {names[0]!r} alone" if names else "no labels"


MOST_TOLD = 3
"""Columns whose new categories a warning names."""

RARE = "(rare)"
"""Name of the category that stands for the rare ones, and for those that training never saw."""


SPECIAL = (RARE, ABSENT)
"""Names of categories that are no cells."""

warned: ContextVar[list[str] | None] = ContextVar("warned", default=None)
"""The warning of categories that training never saw, which a stream has had; it is warned once."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of a training set, as a labeller sees them in every set.

    Attributes
    ----------
    attributes : tuple of Attribute
        Those of the training set, those that stand for its numbers, then the anchored ones; where rare categories were
        merged, `RARE` is the last category.
    number_names : tuple of str
        Of the training set.
    binner : Binner or None
        None: numbers stay as they are.
    anchored : AnchoredInputs or None
        What is derived from the ends of the sequences; None for nothing.
    """

    attributes: tuple[Attribute, ...]
    number_names: tuple[str, ...] = ()
    binner: Binner | None = None
    anchored: AnchoredInputs | None = None

    @classmethod
    def learn(
        cls,
        train: SequenceSet,
        n_bins: int | None,
        min_count: int,
        anchors: AnchorSetting = None,
        weights: Floats | None = None,
    ) -> Self:
        """Find out what to merge and where to cut; labels are not looked at.

        Parameters
        ----------
        train : SequenceSet
        n_bins : int, optional
            Most bins of a number; None leaves the numbers as they are.
        min_count : int
            Categories that the training set has less often are rare. An ordered attribute keeps all it has.
        anchors : tuple, optional
            The values of `treecrf.inputs.anchors.Anchors`; None derives nothing.
        weights : float64, shape (n_positions,), optional
            What positions count, here in units of the least weight or of the mean one.
        """
        attributes = train.attributes
        if min_count > 1:
            counts = of_observations(weights, train.offsets, train.observation_offsets)
            if counts is not None:
                _, counts = in_units(counts, 1)
            attributes = tuple(
                _merge_rare(attribute, train.values[:, j], counts, min_count)
                for j, attribute in enumerate(train.attributes)
            )
        binner = None if n_bins is None else Binner(n_bins).fit(train, weights)
        if binner is not None:
            attributes += binner.attributes
        plain = cls(attributes, train.number_names, binner)
        if anchors is None:
            return plain
        anchored = AnchoredInputs.learn(plain.apply(train, "error"), anchors, weights)
        return cls((*attributes, *anchored.attributes), train.number_names, binner, anchored)

    def __getstate__(self) -> dict[str, Any]:
        """The parts alone, without what follows from them."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def sources(self) -> tuple[Attribute, ...]:
        """The attributes without those that are anchored."""
        return tuple(attribute for attribute in self.attributes if not attribute.anchored)

    @cached_property
    def categories(self) -> tuple[Attribute, ...]:
        """The attributes of the training set alone."""
        return self.sources if self.binner is None else self.sources[: -len(self.number_names) or None]

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, ...]:
        """The categories of each attribute of the training set; made once, as they may be many."""
        return tuple(Vocabulary(attribute.categories, SPECIAL) for attribute in self.categories)

    def apply(self, data: SequenceSet, unseen: str) -> SequenceSet:
        """The set with the training set's categories, and its numbers in their bins; itself if it has them already.

        A category that the training set did not have becomes `RARE` where there is such a one; otherwise it becomes
        missing, with a warning, or is refused (`unseen` is "missing" or "error").

        Raises
        ------
        ValueError
            For other inputs than those of the training set, and for what `unseen` refuses.
        """
        numbers_seen = self.number_names if self.binner is None else ()
        if (data.attributes, data.number_names) == (self.attributes, numbers_seen):
            return data
        self._check_names(data)
        if data.attributes != self.categories:
            data = self._recode(data, unseen)
        if self.binner is not None:
            data = self.binner.transform(data)
        if self.anchored is None:
            return data
        return data.derived(values=np.hstack([data.values, self.anchored.derive(data)]), attributes=self.attributes)

    def _check_names(self, data: SequenceSet) -> None:
        names_given, names_trained = ([a.name for a in attributes] for attributes in (data.attributes, self.categories))
        for name in names_given:
            if name in self.number_names:
                raise ValueError(f"{name!r} has categories here and numbers in the training set; {_ADVICE}.")
        for name in data.number_names:
            if name in names_trained:
                raise ValueError(f"{name!r} has numbers here and categories in the training set; {_ADVICE}.")
        if names_given != names_trained:
            raise ValueError(
                f"the data have the attributes {names_given}, the training set had {names_trained}; give the same ones."
            )
        if data.number_names != self.number_names:
            raise ValueError(
                f"the data have the numbers {list(data.number_names)}, the training set had {list(self.number_names)}; "
                "give the same ones."
            )

    def _recode(self, data: SequenceSet, unseen: str) -> SequenceSet:
        values = np.empty_like(data.values)
        problems: list[str] = []
        for j, (attribute, vocabulary) in enumerate(zip(data.attributes, self.vocabularies, strict=True)):
            codes = vocabulary.places(attribute.categories)
            codes[codes == MISSING] = vocabulary.place_of.get(RARE, MISSING)
            table = np.append(codes, MISSING).astype(values.dtype)
            values[:, j] = table[data.values[:, j]]
            lost = np.flatnonzero((values[:, j] == MISSING) & (data.values[:, j] != MISSING))
            if len(lost):
                problems.append(_lost_cells(attribute, data.values[:, j], lost))
                if unseen == "error":
                    raise ValueError(f"{problems[0]}; drop them or set unseen='missing'.")
        before = warned.get()
        problems = unsaid(problems)
        if problems and not before:
            more = f", and {counted(len(problems) - MOST_TOLD, 'further column')}" if len(problems) > MOST_TOLD else ""
            warn(f"{listed(problems[:MOST_TOLD], str)}{more}; they are treated as missing.")
            if before is not None:
                before.append(problems[0])
        return data.derived(values=values, attributes=self.categories)

    def described(self) -> dict[str, Any]:
        """The inputs as JSON values, for the header of a file."""
        edges = None if self.binner is None else self.binner.described()
        described = {"attributes": self.sources, "number_names": self.number_names, "edges": edges}
        return described if self.anchored is None else described | {"anchored": self.anchored.described()}

    @classmethod
    def from_described(cls, described: dict[str, Any]) -> Self:
        """What `described` gave; a ValueError if the parts contradict each other."""
        sources, names = attributes_from(described["attributes"]), tuple(described["number_names"])
        binner = None if described["edges"] is None else Binner.from_edges(described["edges"])
        inputs = cls(sources, names, binner)
        if "anchored" in described:
            seen = names if binner is None else ()
            anchored = AnchoredInputs.from_described(described["anchored"], sources, seen)
            inputs = cls((*sources, *anchored.attributes), names, binner, anchored)
        if binner is not None:
            of_numbers = inputs.sources[len(inputs.categories) :]
            if tuple(binner.edges_) != names or binner.attributes != of_numbers:
                raise ValueError("the edges of the bins are not those of the numbers")
        every = [attribute.name for attribute in inputs.attributes]
        every += names if binner is None else ()
        if (twice := repeated(every)) is not None or not all(isinstance(name, str) for name in names):
            raise ValueError(f"the inputs have the name {quoted(twice)} twice, or names that are no text")
        for attribute in inputs.attributes:
            if (category := repeated(attribute.categories)) is not None:
                raise ValueError(f"the attribute {quoted(attribute.name)} has the category {quoted(category)} twice")
        return inputs


def _lost_cells(attribute: Attribute, codes: NDArray[np.int32], lost: NDArray[np.intp]) -> str:
    """What is wrong with the cells `lost` of a column, whose categories the training set did not have."""
    category = attribute.categories[codes[lost[0]]]
    if category != ABSENT:
        return (
            f"attribute {attribute.name!r}, observation {lost[0]}: category {category!r} was not in the training set "
            f"({len(lost)} such cells)"
        )
    if len(lost) == len(codes):
        return (
            f"column {attribute.name!r} is missing: no observation has it, and all of the training set had "
            f"({counted(len(lost), 'cell')})"
        )
    return (
        f"attribute {attribute.name!r}: observation {lost[0]} does not have it, and all of the training set had "
        f"({len(lost)} such cells)"
    )


_ADVICE = "read both as the same (SequenceSet.from_frame(kinds=))"


def _merge_rare(attribute: Attribute, codes: NDArray[np.int32], weights: Floats | None, min_count: int) -> Attribute:
    known = codes != MISSING
    counts = np.bincount(codes[known], None if weights is None else weights[known], len(attribute.categories))
    if attribute.ordered or not (counts < min_count).any():
        return attribute
    pairs = zip(attribute.categories, counts, strict=True)
    return attribute._replace(categories=(*(c for c, n in pairs if n >= min_count and c != RARE), RARE))


def shares_of(gains: Floats) -> Floats:
    """Gains as shares of their sum; zeros where nothing was gained."""
    total = gains.sum()
    return gains / total if total > 0 else np.zeros(len(gains))


# --- weights ---------------------------------------------------------------------------------------

ClassWeight = str | Mapping[str, float] | None
"""The setting `class_weight`: "balanced" (labels weigh the same in all), weights by name of the label, or None."""


LARGEST_WEIGHT = 1e100
"""Sums and squares of such weights stay within the range of float64, and penalties in units of their inverses."""


def position_weights(train: SequenceSet, sample_weight: ArrayLike | None, class_weight: ClassWeight) -> Floats | None:
    """The weight of every position, shape (n_positions,); None where all weigh 1.

    Parameters
    ----------
    train : SequenceSet
        With labels.
    sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
        By sequence or by position; at least 0.
    class_weight : "balanced", mapping of str to float, or None
        What the weight of a position with a label is multiplied by: "balanced" is ``n / (n_labels * n_y)`` for a label
        that ``n_y`` of the n known labels are, `n_labels` being how many labels occur.

    Raises
    ------
    ValueError
        For weights of another shape, or that are negative, not finite, too large, or all 0; for names that are no
        labels.
    """
    if sample_weight is None and class_weight is None:
        return None
    weights = np.ones(train.n_positions)
    if sample_weight is not None:
        weights *= _by_position(sample_weight, train)
    if class_weight is not None:
        assert train.labels is not None
        weights *= np.append(_by_label(class_weight, train), 1.0)[train.labels]
    if not weights.any():
        raise ValueError("all weights are 0; give some sequence a weight above 0.")
    if not weights.max() <= LARGEST_WEIGHT:
        raise ValueError(
            f"weights go up to {weights.max():g}; divide all by one number, so that none is above {LARGEST_WEIGHT:g}."
        )
    if weights.max() < 1 / LARGEST_WEIGHT:
        raise ValueError(
            f"weights go up to {weights.max():g} alone; multiply all by one number, so that the largest is at least "
            f"{1 / LARGEST_WEIGHT:g}."
        )
    return None if (weights == 1.0).all() else weights


def _by_position(sample_weight: ArrayLike, train: SequenceSet) -> Floats:
    values = np.asarray(sample_weight)
    if values.shape not in ((len(train),), (train.n_positions,)) or values.dtype.kind not in "fiub":
        raise ValueError(
            f"sample_weight has shape {values.shape} and type {values.dtype}; give numbers, one for each of "
            f"{counted(len(train), 'sequence')} or of {counted(train.n_positions, 'position')}."
        )
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(f"sample_weight[{place}] is {values[place]}; a weight must be finite and at least 0.")
    weights = values.astype(np.float64)
    return weights if len(weights) == train.n_positions else np.repeat(weights, train.lengths)


def _by_label(class_weight: str | Mapping[str, float], train: SequenceSet) -> Floats:
    """Weights of the labels, shape (n_labels,)."""
    if isinstance(class_weight, Mapping):
        class_weight = {str(label): weight for label, weight in class_weight.items()}  # labels may be numbers
        for name in class_weight:
            if name not in train.label_names:
                raise ValueError(
                    f"class_weight names {quoted(name)}, which is no label; the labels are "
                    f"{', '.join(train.label_names)}."
                )
        return np.array([class_weight.get(name, 1.0) for name in train.label_names], dtype=np.float64)
    labels = np.asarray(train.labels)
    counts = np.bincount(labels[labels != MISSING], minlength=len(train.label_names))
    return np.asarray(counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1)))


def without_silent(train: SequenceSet, weights: Floats | None) -> tuple[SequenceSet, Floats | None]:
    """The set without sequences that training ignores: with no known label, or with weights that are all 0.

    The set itself and its weights, if every sequence has non-zero weight.
    """
    counts = np.ones(train.n_positions, dtype=np.bool_) if train.labels is None else train.labels != MISSING
    if weights is not None:
        counts &= weights > 0
    speaking = np.logical_or.reduceat(counts, train.offsets[:-1])
    if speaking.all():
        return train, weights
    kept = train.select(np.flatnonzero(speaking))
    return kept, None if weights is None else weights[np.repeat(speaking, train.lengths)]


def vary_within(weights: Floats, offsets: Ints) -> Bools:
    """Whether the weights of a sequence differ, shape (n_sequences,)."""
    return np.maximum.reduceat(weights, offsets[:-1]) != np.minimum.reduceat(weights, offsets[:-1])


def refuse_mixed(labels: Codes, weights: Floats, offsets: Ints) -> None:
    """Refuse a sequence with unknown labels and different weights: the chain rule needs the labels before."""
    both = vary_within(weights, offsets) & np.logical_or.reduceat(labels == MISSING, offsets[:-1])
    if both.any():
        raise ValueError(
            f"sequence {int(both.argmax())} has unknown labels and weights that differ between its positions; give it "
            "one weight, and leave class_weight out."
        )


def refuse_weights(labeller: object, weights: ArrayLike | None) -> None:
    """Refuse weights that a labeller does not support."""
    if weights is not None:
        raise ValueError(
            f"{type(labeller).__name__} takes no weights; leave sample_weight out, or choose another method such as "
            "TreeCRF."
        )
