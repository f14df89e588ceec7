"""Kernels without the compiler."""

import os
import subprocess
import sys

import numpy as np
import pytest

from treecrf import chain

_UNCOMPILED = """
import sys
import numpy as np
from treecrf import chain
from treecrf.chain import _kernels
source, target = sys.argv[1:]
with np.load(source) as arrays:
    potentials, offsets, labels = (arrays[name] for name in ("potentials", "offsets", "labels"))
assert not hasattr(_kernels._forward, "signatures"), "compiled"
for order in range(3):
    f = np.ascontiguousarray(potentials[:, :, : chain.StateSpace(3, order).n_states])
    np.savez(
        f"{target}{order}.npz", *chain.forward_backward(f, offsets, order), *chain.viterbi(f, offsets, order),
        chain.pairwise_marginals(f, offsets, order), chain.log_likelihood(f, labels, offsets, order),
        chain.state_sequence(labels, offsets, 3, order),
    )
"""


@pytest.mark.slow
def test_uncompiled_kernels_agree_with_compiled_ones(tmp_path):
    rng = np.random.default_rng(18)
    offsets = np.array([0, 4, 5, 7, 12])
    potentials = rng.normal(size=(3, 12, 13))
    potentials[:, 5:7] *= 400.0  # one sequence in logs
    labels = rng.integers(0, 3, 12)
    np.savez(tmp_path / "in.npz", potentials=potentials, offsets=offsets, labels=labels)
    command = [sys.executable, "-W", "error", "-c", _UNCOMPILED, str(tmp_path / "in.npz"), str(tmp_path / "out")]
    subprocess.run(command, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    for order in range(3):
        f = potentials[:, :, : chain.StateSpace(3, order).n_states]
        compiled = [
            *chain.forward_backward(f, offsets, order),
            *chain.viterbi(f, offsets, order),
            chain.pairwise_marginals(f, offsets, order),
            chain.log_likelihood(f, labels, offsets, order),
            chain.state_sequence(labels, offsets, 3, order),
        ]
        with np.load(tmp_path / f"out{order}.npz") as arrays:
            for i, answer in enumerate(compiled):
                np.testing.assert_allclose(arrays[f"arr_{i}"], answer, rtol=1e-12, atol=1e-14)
