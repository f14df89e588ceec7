"""Values of this study's frames as readers see them."""

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
