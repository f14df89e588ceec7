"""Inputs derived from those of a set: bins of numbers, what is at the ends of sequences, parts of words, rolling
statistics.
"""

from treecrf.inputs.derived import BLOCKS as BLOCKS
from treecrf.inputs.derived import NEIGHBOURS as NEIGHBOURS
from treecrf.inputs.derived import Derivation as Derivation
from treecrf.inputs.derived import DerivedInputs as DerivedInputs
