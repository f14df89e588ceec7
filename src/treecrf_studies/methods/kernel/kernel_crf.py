"""`KernelCRF`: a conditional random field whose scores of windows are functions in the space of a kernel."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import FINITE, WEIGHTS, Float64
from treecrf.estimators.checks import (
    ANY_NUMBER,
    FLAG,
    NOT_NEGATIVE,
    POSITIVE,
    SECONDS,
    SEED,
    SIZE,
    TOLERANCE,
    VARIANCE,
    Check,
    one_of,
    optional,
    whole,
)
from treecrf.inputs.anchors import AnchorSetting
from treecrf.io.arrays import Codes, Floats
from treecrf.models.base import Monitor, prefixed, take_prefixed
from treecrf.models.chains import ChainLabeller, LatticeChains
from treecrf.models.linear.linear_crf import window_chains
from treecrf.models.window.features import n_window_numbers
from treecrf.sequences import SequenceSet, slot_sizes
from treecrf_studies.methods.kernel.forms import (
    FORMS,
    RANK,
    Form,
    KernelScores,
    MonomialScores,
    Scores,
    choose_form,
    low_rank_form,
    matrix_form,
    monomial_form,
)
from treecrf_studies.methods.kernel.objective import Chains, Objective, Point
from treecrf_studies.methods.kernel.solvers import SOLVERS, follow, steps
from treecrf_studies.methods.kernel.windows import Inputs, Kernel, Standards, Windows, mean_square

MOST_DEGREE = 1000
"""Of the polynomial kernel, which is computed by as many products."""

LOG = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class KernelCRF(ChainLabeller):
    """Linear-chain CRF in the space of a kernel (Altun, Smola and Hofmann 2004).

    The potential of a label is a function of the window, ``f_label(window)``, plus a weight of the pair of previous
    label and label; the first label has none. Training minimizes ``-log P(Y | X)`` plus the squared norm of the
    functions and that of the weights over `transition_variance`, divided by ``2 variance``. A window is what it shows
    of categories, one indicator for each cell, those outside of the sequence included, and its numbers, standardized on
    the training set.

    The same model has three forms: with the polynomial kernel it is a linear CRF on products of up to `degree`
    indicators ("monomials"); with any kernel its functions are combinations of kernel functions of the training windows
    ("matrix"), or of those of `rank` pivots alone ("low_rank", an approximation). Unless a `form` or `rank` is given it
    is chosen by size (`treecrf_studies.methods.kernel.forms.choose_form`), and the log says which.

    Parameters
    ----------
    degree : int
        Of the polynomial kernel ``((x z + coef0) / (scale + coef0))^degree``.
    coef0 : float
        Its constant c: at degree d a label's bias has the prior variance c^d beside that of a product of d inputs, but
        for a factor (`treecrf_studies.methods.kernel.forms.monomial_weights`).
    scale : float or None
        Of the kernel, also of ``exp(-|x - z|^2 / scale)``. None: the mean over training positions of ``|x|^2``.
    variance : float
        Of the prior.
    transition_variance : float
        Of the weights of label pairs, beside that of the functions.
    window : (int, int)
        Observations before and after the position that the functions see.
    kernel : "polynomial" or "rbf"
    solver : "lbfgs", "newton", "subspace" or "block_jacobi"
        L-BFGS; Newton steps by conjugate gradients; Newton steps in the functions or in the pair weights, whichever
        promise more (corollary 10); or Newton steps in both at once that take no notice of covariances beyond a
        position or pair, as the paper has it (equation 30).
    step_halving : bool
        Whether the last three solvers halve a step until it lowers the objective enough. The paper's has no such
        search, and may diverge, of which a warning tells.
    rank : int or None
        Most pivots of a factor of the kernel matrix.
    pivots : "random", "greedy" or "uniform"
        How pivots are chosen (`treecrf_studies.methods.kernel.windows.incomplete_cholesky`); "greedy" is the paper's.
    max_iterations : int
        Most iterations of the solver; a warning tells where they do not suffice.
    tolerance : float
        Training stops where ten iterations change the objective by less than this part of it, or where it is
        within 100 times this part of the minimum (lemma 9).
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, let its indicators
        all be 0, or refuse it.
    random_state : int
        Seed of the pivots.
    form : "monomials", "matrix", "low_rank" or None
    min_count, anchors : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    form_ : str
        The form.
    scale_ : float
        The kernel's scale.
    alphas_ : float64, shape (n_windows, n_labels)
        ``variance`` times observed minus expected numbers of times that each training window, distinct ones in the
        order of their first places, has a label: at the minimum, the coefficients of the windows' kernel functions.
        They are unique where others with the same function exist.
    transition_weights_ : float64, shape (n_labels, n_labels)
        By previous label and label.
    scores_ : Scores
        What scores new windows.
    standards_ : Standards
        What the numbers are standardized with.
    objective_ : float
        What is minimized, at the end.
    objective_history_ : float64, shape (n_iterations + 1,)
        After 0, 1, .. iterations.
    gap_, duality_gap_ : float
        Most that the objective is above its minimum: by lemma 9, and by the dual's value. They agree.
    converged_ : bool
        Whether training ended by `tolerance`.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "kernel", "gradient", "update".
    """

    degree: int = 2
    coef0: float = 1.0
    scale: float | None = None
    variance: float = 10.0
    transition_variance: float = 1.0
    window: tuple[int, int] = (0, 0)
    kernel: str = "polynomial"
    solver: str = "lbfgs"
    step_halving: bool = True
    rank: int | None = None
    pivots: str = "random"
    max_iterations: int = 1000
    tolerance: float = 1e-6
    unseen: str = "missing"
    random_state: int = 0
    min_count: int = 1
    form: str | None = None
    anchors: AnchorSetting = None

    order = 1  # not a setting
    has_stages = False  # the model is that of the last iteration alone
    takes_numbers = True
    _fitted_arrays: ClassVar = {
        "alphas": Annotated[Float64, "n_windows, n_labels", FINITE],
        "transition_weights": Annotated[Float64, "n_labels, n_labels", WEIGHTS],
        "objective_history": Annotated[Float64, "n_values", FINITE],
        "standards": Standards,
    }
    _fitted_values: ClassVar = {
        "form": one_of(*FORMS),
        "scale": POSITIVE,
        "objective": ANY_NUMBER,
        "gap": ANY_NUMBER,
        "duality_gap": ANY_NUMBER,
        "converged": FLAG,
        "seconds": SECONDS,
    }
    _parameter_constraints: ClassVar = {
        "degree": whole(1, MOST_DEGREE),
        "coef0": NOT_NEGATIVE,
        "scale": optional(POSITIVE),
        "variance": VARIANCE,
        "transition_variance": POSITIVE,
        "kernel": one_of("polynomial", "rbf"),
        "solver": one_of(*SOLVERS),
        "step_halving": FLAG,
        "rank": optional(SIZE),
        "pivots": one_of("random", "greedy", "uniform"),
        "max_iterations": SIZE,
        "tolerance": TOLERANCE,
        "random_state": SEED,
        "form": Check(one_of(None, *FORMS).holds, f"choose None or one of {', '.join(map(repr, FORMS))}"),
    }

    # --- training -----------------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        from threadpoolctl import threadpool_limits

        if self.rank is not None and self.rank > train.n_positions:
            raise ValueError(
                f"rank={self.rank:,}: the training set has {train.n_positions:,} positions; give at most as many."
            )
        if self.rank is not None and self.form not in (None, "low_rank"):
            raise ValueError(f"rank={self.rank:,}: form={self.form!r} has none; leave one of them out.")
        with threadpool_limits(1):  # the time of others would not be counted
            began = time.thread_time()
            standards = Standards.of(train)
            windows = Windows.of(standards.apply(train), self.window)
            ready = time.thread_time()
            space, scores_of = self._prepare(windows)
            seconds = {"windows": ready - began, "kernel": time.thread_time() - ready, "gradient": 0.0, "update": 0.0}
            chains = Chains(
                windows.window_of, labels.copy(), train.offsets.copy(), windows.n_windows, len(train.label_names)
            )
            objective = Objective(space, chains, self.variance, self.transition_variance)
            point = self._minimize(objective, seconds, monitor)
            n_pairs = len(train.label_names) ** 2
            self.scores_: Scores = scores_of(point.vector[:, :-n_pairs])
            self.duality_gap_ = point.value - objective.dual_value(point)
        self.alphas_ = self.variance * point.evaluation.errors
        self.transition_weights_ = point.transitions
        self.gap_, self.objective_ = objective.gap(point), point.value
        self.standards_, self.seconds_ = standards, seconds

    def _prepare(self, windows: Windows) -> Form:
        """Choose the form of the model."""
        inputs = windows.inputs()
        kernel = self._make_kernel(windows, inputs)
        form = self.form or ("low_rank" if self.rank else choose_form(kernel, windows))
        LOG.info("%s positions, %s different windows: form %r.", len(windows.window_of), windows.n_windows, form)
        self.form_ = form
        if form == "monomials":
            return monomial_form(kernel, windows)
        if form == "matrix":
            return matrix_form(kernel, windows, inputs)
        return low_rank_form(kernel, windows, inputs, self.rank or RANK, self.pivots, self.random_state)

    def _make_kernel(self, windows: Windows, inputs: Inputs) -> Kernel:
        """The kernel, with its scale."""
        self.scale_ = float(self.scale or mean_square(inputs, windows.window_of) or 1.0)
        return Kernel(self.kernel, self.degree, float(self.coef0), self.scale_)

    def _minimize(self, objective: Objective, seconds: dict[str, float], monitor: Monitor | None) -> Point:
        """Follow the solver to the minimum."""
        began = time.thread_time()
        values: list[float] = []

        def note(point: Point) -> None:
            values.append(point.value)
            seconds["gradient"] = objective.seconds
            seconds["update"] = time.thread_time() - began - objective.seconds
            if monitor is not None and len(values) > 1:
                monitor(len(values) - 1, dict(seconds), point.evaluation.log_likelihood)

        solver = steps(self.solver, objective, self.step_halving)
        point, problem = follow(solver, objective, self.max_iterations, self.tolerance, note)
        if problem is not None:
            warnings.warn(f"solver={self.solver!r} {problem}.", stacklevel=4)
        self.objective_history_, self.converged_ = np.array(values), problem is None
        return point

    # --- prediction ---------------------------------------------------------------------------------

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[LatticeChains]:
        aligned = self._aligned(data)
        windows = Windows.of(self.standards_.apply(aligned), self.window)
        scores = self.scores_.of(windows)[windows.window_of]
        n_labels = len(self.label_names_)
        transitions = np.ascontiguousarray(np.pad(self.transition_weights_.T, ((0, 0), (0, 1))))
        yield window_chains(scores, transitions, aligned.offsets, np.ones(n_labels, dtype=np.bool_))

    # --- files --------------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        return values, arrays | prefixed("scores", self.scores_.arrays())

    def _sizes(self) -> dict[str, Any]:
        slots, n_numbers = slot_sizes(self.attributes_, self.window), len(self.inputs_.number_names)
        return super()._sizes() | {
            "slot_sizes": slots,
            "n_slots": len(slots),
            "n_numbers": n_numbers,
            "n_window_numbers": n_window_numbers(n_numbers, self.window),
            "degree": self.degree,
        }

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        kernel = Kernel(self.kernel, int(self.degree), float(self.coef0), float(self.scale_))
        kind: Any = MonomialScores if self.form_ == "monomials" else KernelScores
        self.scores_ = kind.from_arrays(take_prefixed("scores", arrays), self._sizes(), kernel)
