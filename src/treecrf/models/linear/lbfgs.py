"""L-BFGS over an objective with gradient: SciPy's, with the checks that the linear models share.

SciPy takes long to import, and training alone needs it: `fit` imports this module.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import scipy.optimize
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


def minimize_objective(
    objective: Objective,
    start: NDArray[np.float64],
    max_iterations: int,
    tolerance: float,
    note: Callable[[NDArray[np.float64], float], None],
) -> NDArray[np.float64]:
    """The weights that L-BFGS reaches; a ValueError where the objective leaves the range of numbers.

    It stops when an iteration gains less than the part `tolerance` of the objective, and calls `note` with weights and
    value after every iteration. It warns where the search stopped early without convergence; a line search that fails
    where the gradient is within rounding errors of 0 has converged.
    """

    def callback(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        note(intermediate_result.x.copy(), float(intermediate_result.fun))

    options = {"maxiter": max_iterations, "maxfun": 20 * max_iterations, "ftol": tolerance, "gtol": 0.0}
    with threadpool_limits(1):  # vectors this short cost twice the CPU time with more
        result = scipy.optimize.minimize(
            objective, start, jac=True, method="L-BFGS-B", callback=callback, options=options
        )
    if not np.isfinite(result.fun):
        raise ValueError(
            f"the objective is {result.fun} after {result.nit} iterations; lower the variance or start_noise."
        )
    resolved = np.sqrt(np.finfo(float).eps) * max(1.0, abs(result.fun))
    if not result.success and result.nit < max_iterations and np.abs(result.jac).max() > resolved:
        warnings.warn(f"L-BFGS stopped after {result.nit} iterations: {result.message}", stacklevel=4)
    return result.x
