"""Pipelines of a transform of the inputs and a labeller: `ImputingLabeller` and `DerivingLabeller`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import ArrayLike

from treecrf.estimators.checks import PARTS, TEXTS, Check, check_parts, named, one_of, several
from treecrf.estimators.protocol import Transform, follow, new_one
from treecrf.inputs import BLOCKS, DerivedInputs
from treecrf.io.arrays import Arrays, Codes, Floats
from treecrf.io.columns import Vocabulary
from treecrf.missing import transform_of
from treecrf.missing.transforms import describe_transform, restore_transform
from treecrf.models.base import LABELLER, Labeller, Monitor
from treecrf.models.decoding import DECODERS, Decoder
from treecrf.models.inputs import check_set, check_training_set, position_weights
from treecrf.models.persistence import rebuild_part
from treecrf.models.registry import TRANSFORMS
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.chain.trellis import Trellis


IMPUTATIONS = tuple(TRANSFORMS)
"""Treatments of missing values that precede a labeller."""


class TransformingLabeller(Labeller):
    """Pipeline of a transform of the inputs, fitted to the training set, and a labeller, of which a copy is trained.

    Subclasses implement `new_transform`, `_described_transform` and `_restored_transform`.

    Attributes
    ----------
    labeller_ : Labeller
        Trained.
    transform_ : Transform
        Fitted.
    """

    labeller: Labeller
    labeller_: Labeller
    transform_: Any

    takes_numbers = True  # it leaves cutting them into bins to the labeller

    def new_transform(self) -> Transform:
        """The transform, not fitted."""
        raise NotImplementedError

    def _described_transform(self) -> Any:
        """The fitted transform as JSON values."""
        raise NotImplementedError

    def _restored_transform(self, described: Any) -> Transform:
        """The transform that `_described_transform` gave as JSON values."""
        raise NotImplementedError

    # --- training -----------------------------------------------------------------------------------

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> None:
        check_training_set(train, self.labeller.takes_unknown_labels)
        transform = self.new_transform()
        weights = position_weights(train, sample_weight, self.labeller.class_weight)
        transform._learn(train, weights)
        labeller = new_one(self.labeller)
        self.labeller_ = labeller.fit(transform.transform(train), monitor=monitor, sample_weight=sample_weight)
        self.transform_ = transform
        self.inputs_, self.label_names_ = self._learn_inputs(train), train.label_names

    # --- prediction ---------------------------------------------------------------------------------

    def prepare(self, data: SequenceSet) -> SequenceSet:
        """What the labeller sees of a set."""
        self._check_fitted()
        check_set(data)
        follow(self.labeller_, self.labeller)
        return self.transform_.transform(data)

    @property
    def _vocabularies(self) -> Mapping[str, Vocabulary]:
        """None: transforms look at the categories that there are."""
        return {}

    def _marginals(self, data: SequenceSet) -> Floats:
        return self.labeller_._marginals(self.prepare(data))

    def _labels(self, data: SequenceSet, decoder: Decoder) -> Codes:
        return self.labeller_._labels(self.prepare(data), decoder)

    def _log_likelihood(self, data: SequenceSet) -> Floats:
        return self.labeller_._log_likelihood(self.prepare(data))

    @property
    def has_probabilities(self) -> bool:  # type: ignore[override]
        """Whether the labeller within gives probabilities."""
        return self.labeller.has_probabilities

    @property
    def has_stages(self) -> bool:  # type: ignore[override]
        """Whether the labeller within has stages."""
        return self.labeller.has_stages

    def keeping_stages(self) -> Self:
        """See `Labeller`; a copy of the labeller within keeps its stages."""
        return self.set_params(labeller=new_one(self.labeller).keeping_stages())

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, Codes]]:
        """See `Predictor`."""
        return self.labeller_.staged_predict(self.prepare(data), decoders, every)

    @property
    def order(self) -> int:
        """Number of previous labels that the labeller's potentials see."""
        return getattr(self.labeller, "order", 0)

    def trellis(self, data: SequenceSet) -> Trellis:
        return self.labeller_.trellis(self.prepare(data))

    @property
    def reach(self) -> tuple[int, int]:
        return self.labeller_.stream_reach

    # --- files --------------------------------------------------------------------------------------

    _fitted_values: ClassVar = {}
    _described: ClassVar = {"labeller": PARTS, "transform": PARTS}

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        header, arrays = self.labeller_.contents()
        return {"labeller": header, "transform": self._described_transform()}, arrays

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        self.transform_ = self._restored_transform(values["transform"])
        place = f"the labeller in the {type(self).__name__}"
        self.labeller_ = rebuild_part(values["labeller"], arrays, place, self.label_names_)
        arrays.clear()  # all are the labeller's


@dataclass(eq=False, repr=False)
class ImputingLabeller(TransformingLabeller):
    """Pipeline of an imputer or indicator and a labeller (PhD section 4.1).

    Parameters
    ----------
    labeller : Labeller
        Of which a copy is trained.
    missing : "imputation", "indicator" or "imputation_indicator"
        The transform that is fitted to the training set and fills or marks the missing values of every set
        (`treecrf.missing.transform_of`).

    Attributes
    ----------
    labeller_ : Labeller
        Trained.
    transform_ : Imputer or Indicator
        Fitted.
    """

    labeller: Labeller
    missing: str = "imputation"

    _parameter_constraints: ClassVar = {
        "labeller": LABELLER,
        "missing": one_of(*IMPUTATIONS),
    }

    def new_transform(self) -> Transform:
        transform = transform_of(self.missing)
        assert transform is not None
        return transform

    def _described_transform(self) -> Any:
        return describe_transform(self.transform_)

    def _restored_transform(self, described: Any) -> Transform:
        transform = restore_transform(described)
        if transform is None:
            raise ValueError("there is no transform")
        return transform


_DERIVATIONS = several(
    "derivations", Check(lambda value: isinstance(value, tuple | list) and len(value) == 3, "give three parts")
)
_DERIVED = {"kinds": named(one_of("category", "number")), "derivations": _DERIVATIONS}


@dataclass(eq=False, repr=False)
class DerivingLabeller(TransformingLabeller):
    """Pipeline of derived inputs (`treecrf.inputs.DerivedInputs`) and a labeller.

    Parameters
    ----------
    labeller : Labeller
        Of which a copy is trained; it has to treat missing values if the sequences have any.
    blocks, columns, affixes, spans, centred
        Settings of `DerivedInputs`.

    Attributes
    ----------
    labeller_ : Labeller
        Trained.
    transform_ : DerivedInputs
        Fitted.
    """

    labeller: Labeller
    blocks: Sequence[str] = BLOCKS
    columns: Sequence[str] | None = None
    affixes: int = 4
    spans: Sequence[int] = (3, 9, 25)
    centred: bool = True

    _parameter_constraints: ClassVar = {"labeller": LABELLER, **DerivedInputs._parameter_constraints}

    def new_transform(self) -> DerivedInputs:
        return DerivedInputs(self.blocks, self.columns, self.affixes, self.spans, self.centred)

    def _described_transform(self) -> Any:
        described = {"kinds": self.transform_.kinds_, "derivations": self.transform_.derivations_}
        return described | ({"dropped": self.transform_.dropped_} if self.transform_.dropped_ else {})

    def _restored_transform(self, described: Any) -> Transform:
        check_parts("the transform", described, _DERIVED, {"dropped": TEXTS})
        return self.new_transform().restore(described["kinds"], described["derivations"], described.get("dropped", ()))

    @property
    def reach(self) -> tuple[int, int]:
        of_labeller, of_inputs = self.labeller_.stream_reach, self.transform_.reach
        return of_labeller[0] + of_inputs[0], of_labeller[1] + of_inputs[1]
