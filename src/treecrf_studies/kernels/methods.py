"""The methods of the study: kernels by degree, the same model by other means, and rivals."""

from __future__ import annotations

from collections.abc import Iterable

from treecrf_studies.methods.catalogue import KERNELS, names_of

DECODER = "forward_backward"
"""With which methods are compared."""

DEGREES = {f"degree_{degree}": degree for degree in (1, 2, 3)}
"""Exact kernel CRFs with the polynomial kernel."""

DUAL = "dual"
"""The kernel of degree 1 by its matrix, with the variance that was chosen for `degree_1`."""

PRIMAL = {"primal": 1, "conjunctions": 2}
"""The objective of the kernel of this degree, minimized by CRFsuite over weights of explicit features."""

REDUCED = ("low_rank", "nystroem")
"""The kernel of degree 2 by pivots alone: those of RPCholesky, and uniform ones by scikit-learn."""

TREES = ("separable", "full", "treecrf")
"""TreeCRF: Newton leaves with a matrix of transitions, with trees that see the previous label, and as in the papers."""

METHODS = names_of(KERNELS)
"""What readers see of each, in the order of tables."""

BEST_KERNEL, BEST_TREES = "best_kernel", "best_trees"
BEST = {BEST_KERNEL: (*DEGREES, "rbf", *REDUCED), BEST_TREES: TREES}
"""Stand in each draw for the one of these methods that cross-validation prefers there."""

STEPS = [
    ("dual", "primal"),
    ("degree_2", "degree_1"),
    ("degree_3", "degree_1"),
    ("degree_3", "degree_2"),
    ("rbf", "degree_2"),
    ("degree_2", "conjunctions"),
    ("low_rank", "degree_2"),
    ("low_rank", "degree_1"),
    ("nystroem", "low_rank"),
    ("primal", "crfsuite"),
    ("primal", "linear_crf"),
    *[(kernel, trees) for kernel in ("degree_2", "low_rank") for trees in ("separable", "full", "treecrf")],
    ("degree_2", "neural_crf"),
    ("separable", "neural_crf"),
]
"""The pairs that tables show: the paper's, what low ranks lose, then rivals."""


def method_text(method: str) -> str:
    """What readers see of a method; the name of a custom labeller is theirs."""
    if method in BEST:
        return {BEST_KERNEL: "the best kernel CRF", BEST_TREES: "the best TreeCRF"}[method]
    return METHODS.get(method, method)


def ordered_methods(methods: Iterable[str]) -> list[str]:
    """Each once: those of `METHODS` in its order, then the others in the order given."""
    given = list(dict.fromkeys(methods))
    return [name for name in METHODS if name in given] + [name for name in given if name not in METHODS]


SOLVER_TEXTS = {
    "lbfgs": "L-BFGS",
    "lbfgs_matrix": "L-BFGS, kernel matrix",
    "newton": "Newton",
    "subspace": "subspace descent",
    "block_jacobi": "block Jacobi, as printed",
    "block_jacobi_halved": "block Jacobi, step halving",
    "crfsuite": "CRFsuite, primal",
}
"""Solvers, in the order of tables."""

PIVOT_NAMES = {"random": "random", "greedy": "greedy", "uniform": "uniform"}
"""Rules of choosing pivots."""

FORM_NAMES = {"monomials": "monomials", "matrix": "kernel matrix", "low_rank": "low rank"}
"""Forms of the model."""
