"""How much inputs matter to a labeller."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shares_of(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gains as shares of their sum; zeros where nothing was gained."""
    total = gains.sum()
    return gains / total if total > 0 else np.zeros(len(gains))
