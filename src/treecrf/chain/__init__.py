"""Inference on chains of any order: forward-backward, pairwise marginals, likelihood, Viterbi."""

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
