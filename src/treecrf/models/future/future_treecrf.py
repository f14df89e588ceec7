"""`FutureFeatureTreeCRF`: a TreeCRF that also sees the future features which a MEMM has discovered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.models.base import Monitor
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.fitted import prefixed, without_prefix
from treecrf.models.future.future_memm import FutureFeatureMEMM
from treecrf.models.inputs import refuse_missing
from treecrf.models.loading import rebuild
from treecrf.models.params_checks import NOT_NEGATIVE, SIZE, whole
from treecrf.sequences import SequenceSet
from treecrf.trees.tree import MAX_LEAVES


class FutureFeatureTreeCRF(FutureFeatureMEMM):
    """TreeCRF whose potentials see future features too (not in the dissertation; an open problem of its section 6.2).

    A `FutureFeatureMEMM` with the same settings discovers the features; then a `TreeCRF` of the same order is trained on
    the whole training set, whose windows have the features' thermometer codes as further attributes.

    Parameters
    ----------
    crf_iterations, crf_max_leaves, crf_l2_regularization
        ``n_iterations``, ``max_leaves`` and ``l2_regularization`` of the `TreeCRF`.
    **discovery
        The settings of `FutureFeatureMEMM`.

    Attributes
    ----------
    crf_ : TreeCRF
        Trained on what `add_features` gives. The other attributes are those of `FutureFeatureMEMM`.
    """

    crf_: TreeCRF
    _parameter_constraints: ClassVar = {
        **FutureFeatureMEMM._parameter_constraints,
        "crf_iterations": SIZE,
        "crf_max_leaves": whole(2, MAX_LEAVES),
        "crf_l2_regularization": NOT_NEGATIVE,
    }

    def __init__(
        self, crf_iterations: int = 100, crf_max_leaves: int = 10, crf_l2_regularization: float = 20.0, **discovery: Any
    ) -> None:
        super().__init__(**discovery)
        self.crf_iterations = crf_iterations
        self.crf_max_leaves = crf_max_leaves
        self.crf_l2_regularization = crf_l2_regularization

    def _fit(
        self,
        train: SequenceSet,
        sample_weight: ArrayLike | None,
        monitor: Monitor | None,
        validation: SequenceSet | None = None,
    ) -> None:
        super()._fit(train, sample_weight, None, validation)
        self.crf_ = self._make_crf().fit(self.add_features(train), monitor=monitor)

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        aligned = self.align_inputs(data, self.unseen)
        refuse_missing(data)
        return self.crf_._staged_potentials(self.add_features(aligned), every)

    def _make_crf(self) -> TreeCRF:
        return TreeCRF(
            n_iterations=self.crf_iterations, max_leaves=self.crf_max_leaves,
            l2_regularization=self.crf_l2_regularization, order=self.order,
        )  # fmt: skip

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        header, of_crf = self.crf_.contents()
        return values | {"crf": header}, arrays | prefixed("crf", of_crf)

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        crf = rebuild(values["crf"], without_prefix("crf", arrays), "the CRF of a FutureFeatureTreeCRF")
        assert isinstance(crf, TreeCRF)
        self.crf_ = crf
