"""Values that columns of this study's frames have."""

NO_BAG, WHOLE_FUTURE = "no bag", "bag to the end"
"""Of `bag`: methods without bags, and bags that reach to the end; else ``bag 6`` and the like."""

INSTANCE = 0
"""Of `distance`: the score of the instance itself."""

WEIGHT_NAMES = ["feature", "label", "eta", "attribute", "category", "distance", "value", "n"]
TREE_NAMES = ["feature", "tree", "node", "parent", "side", "test", "value"]
"""Columns of the frames of weights and trees."""

MEMM_DECODERS = ("forward_backward", "viterbi", "greedy")
"""How MEMM and FF-MEMM may be decoded (CRFs: not the last); greedy: from left to right, each label given those predicted before."""
