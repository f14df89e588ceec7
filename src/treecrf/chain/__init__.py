"""Inference on chains of any order: forward-backward, pairwise marginals, likelihood, Viterbi.

Forward-backward is written once for each form in which potentials are kept, as reading them takes most of the time:

- `_kernels`: a table of all labels and states, by products, or by logs where products could underflow; or a score of
  each label and one matrix of pairs, as a table would be ``n_labels`` times as large;
- `lattice`: the labels that each position may have, with matrix products for where it may have all;
- `trellis`: sums of these with forbidden paths, by logs, as paths that are left may be unlikely by any factor;
- `treecrf.models.boosted._gradient_kernels`: exponentials that training keeps, to packed gradients without marginals;
- `treecrf.models.linear`: scores of windows, to sums of gradients by window; by the chain rule where positions have
  weights.
"""

from treecrf.chain.inference import (
    Marginals,
    StateSpace,
    ViterbiPaths,
    forward_backward,
    log_likelihood,
    pairwise_marginals,
    state_sequence,
    viterbi,
)

__all__ = [
    "Marginals",
    "StateSpace",
    "ViterbiPaths",
    "forward_backward",
    "log_likelihood",
    "pairwise_marginals",
    "state_sequence",
    "viterbi",
]
