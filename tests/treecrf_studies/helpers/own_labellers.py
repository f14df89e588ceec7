"""A small labeller of every kind that the studies have."""

from labellers import TREES

from treecrf import TreeCRF
from treecrf_studies.methods import CodedCRF, FutureFeatureMEMM, FutureFeatureTreeCRF, KernelCRF

OWN_LABELLERS = {
    "KernelCRF with anchors": lambda: KernelCRF(tolerance=0.1, anchors=(0, 2)),
    "CodedCRF": lambda: CodedCRF(base=TreeCRF(**TREES), code_length=3, history=2),
    "KernelCRF": lambda: KernelCRF(tolerance=0.1),
    "KernelCRF of low rank": lambda: KernelCRF(tolerance=0.1, kernel="rbf", rank=10),
    "KernelCRF of monomials": lambda: KernelCRF(tolerance=0.1, degree=1, form="monomials"),
    "FutureFeatureMEMM": lambda: FutureFeatureMEMM(n_iterations=2, max_leaves=4),
    "FutureFeatureTreeCRF": lambda: FutureFeatureTreeCRF(n_iterations=2, crf_iterations=2, crf_max_leaves=4),
}
