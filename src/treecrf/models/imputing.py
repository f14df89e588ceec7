"""ImputingLabeller: a pipeline of an imputer and a labeller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.missing import Imputer, Indicator, transform_of
from treecrf.missing.transforms import describe_transform, restore_transform
from treecrf.models.base import DECODERS, Decoder, Labeller, Monitor, rebuild_part
from treecrf.models.inputs import check_set, check_training_set
from treecrf.models.params_checks import Check, one_of
from treecrf.models.registry import IN_TREES, TREATMENTS
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.chain.trellis import Trellis


IMPUTATIONS = tuple(name for name in TREATMENTS if name not in IN_TREES)
"""Treatments of missing values that precede a labeller."""


@dataclass(eq=False, repr=False)
class ImputingLabeller(Labeller):
    """Pipeline of an imputer or indicator and a labeller (PhD section 4.1).

    Parameters
    ----------
    labeller : Labeller
        Of which a copy is trained.
    missing : "imputation", "indicator" or "imputation_indicator"
        The transform that is fitted to the training set and fills or marks the missing values of every set (`treecrf.missing.transform_of`).

    Attributes
    ----------
    labeller_ : Labeller
        Trained.
    transform_ : Imputer or Indicator
        Fitted.
    """

    labeller: Labeller
    missing: str = "imputation"

    takes_numbers = True  # it leaves cutting them into bins to the labeller

    _parameter_constraints: ClassVar = {
        "labeller": Check(lambda value: isinstance(value, Labeller), "give a labeller"), "missing": one_of(*IMPUTATIONS),
    }  # fmt: skip

    # --- training -----------------------------------------------------------------------------------

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> None:
        check_training_set(train, self.labeller.takes_unknown_labels)
        transform = transform_of(self.missing)
        assert transform is not None
        labeller = type(self.labeller)(**self.labeller.get_params())
        labeller.keeps_stages = self.keeps_stages
        filled = transform.fit_transform(train)
        self.labeller_ = labeller.fit(filled, monitor=monitor, sample_weight=sample_weight)
        self.transform_: Imputer | Indicator = transform
        self.inputs_, self.label_names_ = self._learn_inputs(train), train.label_names

    # --- prediction ---------------------------------------------------------------------------------

    def fill(self, data: SequenceSet) -> SequenceSet:
        """What the labeller sees of a set."""
        self._check_fitted()
        check_set(data)
        return self.transform_.transform(data)

    def _marginals(self, data: SequenceSet) -> NDArray[np.float64]:
        return self.labeller_._marginals(self.fill(data))

    def _labels(self, data: SequenceSet, decoder: Decoder) -> NDArray[np.int16]:
        return self.labeller_._labels(self.fill(data), decoder)

    def _log_likelihood(self, data: SequenceSet) -> NDArray[np.float64]:
        return self.labeller_._log_likelihood(self.fill(data))

    @property
    def has_probabilities(self) -> bool:  # type: ignore[override]
        """Whether the labeller has."""
        return self.labeller.has_probabilities

    @property
    def has_stages(self) -> bool:  # type: ignore[override]
        """Whether the labeller has."""
        return self.labeller.has_stages

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, NDArray[np.int16]]]:
        """The labeller's."""
        return self.labeller_.staged_predict(self.fill(data), decoders, every)

    @property
    def order(self) -> int:
        """Number of previous labels that the labeller's potentials see."""
        return getattr(self.labeller, "order", 0)

    def trellis(self, data: SequenceSet) -> Trellis:
        return self.labeller_.trellis(self.fill(data))

    @property
    def reach(self) -> tuple[int, int]:
        return self.labeller_.stream_reach

    # --- files --------------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = self.labeller_.contents()
        return {"labeller": header, "transform": describe_transform(self.transform_)}, arrays

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        transform, place = restore_transform(values["transform"]), "the labeller behind an ImputingLabeller"
        if transform is None:
            raise ValueError("there is no transform")
        self.transform_ = transform
        self.labeller_ = rebuild_part(values["labeller"], arrays, place, self.label_names_)
        arrays.clear()  # all are the labeller's
