"""Settings of the study of output coding (M.S. thesis, chapter 5)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from treecrf_studies.coding.methods import (
    ALL_LABELS,
    BEAM,
    CASCADE,
    KNOWN_MODEL,
    LEARNERS,
    TREES_AND_NETS,
    form_of,
    is_coded,
)
from treecrf_studies.methods.catalogue import CODING, unused_settings
from treecrf_studies.options import (
    Count,
    Leaves,
    MethodsSettings,
    Name,
    PairedSettings,
    Positive,
    Regularization,
    Share,
    Window,
    each_once,
)

_CASCADES = [f"cascade_{history}" for history in (1, 2, 5, 10, 20, 50, "all")]
_CODES = [f"{learner}_{use}" for learner in LEARNERS for use in ("iid", "secoc", *_CASCADES, "beam")]
_OTHERS = [name for name in ALL_LABELS if name not in (KNOWN_MODEL, TREES_AND_NETS)]
_GENERATED: dict[str, Any] = {"methods": [*_CODES, *_OTHERS, KNOWN_MODEL], "n_seeds": 5, "label_dictionary": None}


class CodingSettings(PairedSettings, MethodsSettings):
    """The study of the M.S. thesis: many labels by the bits of a code, by beam search, and all at once."""

    counted = ("tree_iterations",)
    of_papers: ClassVar = {
        "conll2000_np": {
            "methods": [name for name in [*_CODES, *_OTHERS] if not name.startswith("gtb")],
            "n_timed_runs": 5,
        },
        "transition": _GENERATED | {"windows": [[0, 0]]},  # figure 5.6a
        "both": _GENERATED | {"windows": [[1, 1]]},  # figure 5.6b
        "cycle": {
            "methods": ["gtb_secoc", "vp_secoc", "perceptron", "separable", "full"],
            "windows": [[0, 0]],
            "code_lengths": [3],
            "n_seeds": 5,
            "first_counted": 20,
            "label_dictionary": None,
        },
    }

    methods: list[Name] = Field(
        [*_CODES, *_OTHERS],
        min_length=1,
        description="Methods to compare: gtb or vp (trees, perceptron) with _iid, _secoc, _cascade_1, _cascade_5, .., "
        "_cascade_all or _beam; methods that learn all labels at once; or one of labellers.",
    )
    windows: list[Window] = Field([(0, 0), (1, 1)], min_length=1, description="Observations before and after.")
    wide_windows: list[Window] = Field([], description="Further windows, of methods that learn all labels at once.")
    code_lengths: list[Count] = Field(
        [10, 25, 50, 100, 150, 200], min_length=1, description="Bits of a code word; the longest is trained."
    )
    gtb_code_lengths: list[Count] | None = Field(
        None, min_length=1, description="The same for gradient tree boosting, which takes long (default: as others)."
    )
    beams: list[Count] = Field([1, 3, 5, 10, 20], min_length=1, description="Labels of a position that beams keep.")
    n_seeds: Count = Field(1, description="Draws of the data.")
    n_timed_runs: Count = Field(1, description="Equal trainings of codes and beams whose CPU seconds are measured.")
    held_out: float = Field(1 / 3, gt=0, lt=1, description="Share of the training sequences that chooses.")
    n_choosing: Count = Field(1, description="Draws that choose the history of cascades and the beam.")
    choosing_length: float = Field(
        1.0, gt=0, le=1, description="Share of the bits of the longest code with which they choose the history."
    )
    first_counted: int = Field(0, ge=0, description="Place in a sequence from which on labels count.")
    cross_fit: bool = Field(False, description="Whether a cascade is trained on predictions of sequences left out.")
    gtb_iterations: Count = Field(80, description="Iterations of gradient tree boosting (GTB).")
    gtb_leaves: Leaves = Field(40, description="Most leaves of its trees.")
    gtb_regularization: Regularization = Field(5.0, description="Its lambda (PhD equation 3.1).")
    beam_iterations: Count = Field(80, description="Iterations of GTB with all labels in a beam.")
    n_epochs: Count = Field(20, description="Passes of the voted perceptron (VP).")
    early_update: bool = Field(False, description="Whether VP with a beam stops where the true label left it.")
    label_dictionary: Literal["centre"] | None = Field(
        "centre", description="Which labels TreeCRF gives a position: those seen with its symbol, or all (null)."
    )
    tree_iterations: Count = Field(40, description="Most iterations of TreeCRF with all labels.")
    test_every: Count = Field(2, description="Every n-th of them is a candidate.")
    tree_regularization: Regularization = Field(3.0, description="Its lambda.")
    tree_splits: list[Literal["one_vs_rest", "subsets"]] = Field(
        ["one_vs_rest", "subsets"],
        min_length=1,
        description="Grid of what its tests ask: a category, or a set of them.",
    )
    separable_leaves: list[Leaves] = Field([8], min_length=1, description="Grid of leaves, separable TreeCRF.")
    separable_rates: list[Positive] = Field([0.1, 0.2], min_length=1, description="Grid of its learning rate.")
    full_leaves: list[Leaves] = Field([16], min_length=1, description="Grid of leaves, full TreeCRF.")
    full_rates: list[Positive] = Field([0.1, 0.2], min_length=1, description="Grid of its learning rate.")
    crfsuite_penalties: list[Regularization] = Field(
        [1.0, 0.1, 0.02], min_length=1, description="Grid of CRFsuite's c2."
    )
    neural_dropouts: list[Share] = Field([0.3], min_length=1, description="Grid of the dropout of the neural CRF.")
    neural_epochs: Count = Field(60, description="Its most epochs; held-out sequences choose their number.")
    averaged_window: Window = Field(
        (3, 3),
        description="Window of the trees that are averaged with nets (trees_and_nets); nets have that of the run.",
    )

    @model_validator(mode="after")
    def _methods_are_known(self) -> CodingSettings:
        for name in self.methods:
            form = form_of(name)
            if name not in self.labellers and name not in ALL_LABELS and (form is None or form.history == "best"):
                raise ValueError(
                    f"names the method {name!r}, which is neither {', '.join(ALL_LABELS)} nor gtb_ or vp_ with iid, "
                    "secoc, beam, cascade_all or cascade_ and a number, and not under labellers; correct it"
                )
        return self

    @model_validator(mode="after")
    def _histories_are_shorter_than_codes(self) -> CodingSettings:
        for name in self.methods:
            form = form_of(name)
            longest = max(self.lengths_of(name))
            if form is not None and isinstance(form.history, int) and form.history >= longest:
                raise ValueError(
                    f"names {name!r}, but a code of {longest} bits has fewer before the last one; leave it out"
                )
        return self

    @model_validator(mode="after")
    def _windows_differ_in_size(self) -> CodingSettings:
        each_once([f"a window of {sum(window) + 1} observations" for window in (*self.windows, *self.wide_windows)])
        return self

    def lengths_of(self, method: str) -> list[int]:
        """Bits of the code words of a method."""
        form = form_of(method)
        is_gtb = form is not None and form.learner == "gtb"
        return (self.gtb_code_lengths if is_gtb else None) or self.code_lengths

    def unused_by(self, method: str) -> set[str]:
        """See `MethodsSettings`."""
        form = form_of(method)
        learner, use = (form.learner, form.use) if form else ("", "")
        users = {
            "gtb_": learner == "gtb",
            "code_lengths": is_coded(method),
            "cross_fit": use == CASCADE,
            "choosing_length": use == CASCADE,
            "beams": use == BEAM,
            "beam_iterations": method == "gtb_beam",
            "early_update": method == "vp_beam",
            "wide_windows": form is None,
            "n_timed_runs": form is not None,
        }
        unused = {
            name
            for name in type(self).model_fields
            for prefix, uses in users.items()
            if name.startswith(prefix) and not uses
        }
        unused |= unused_settings(method, CODING) - ({"n_epochs"} if learner == "vp" else set())
        return super().unused_by(method) | unused | {"held_out"}
