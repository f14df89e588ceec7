"""What is known of a data set: every module of one has its `DESCRIPTIONS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from treecrf.datasets.grouping import Rule
from treecrf.sequences import SequenceSet


@dataclass(frozen=True)
class Description:
    """What is known of a data set.

    Attributes
    ----------
    name, summary : str
    window : (int, int)
        Observations before and after a position that its labellers see, unless stated otherwise.
    files : tuple of str
        Raw files, below the folder of raw files; empty for generated sets.
    protocol : "split" or "leave_one_out"
        How accuracy is measured in the papers.
    stand_in : str or None
        For what it stands in, and why.
    source : str
        Citation and terms.
    loader : callable
        Options to (train, test); takes the folder of raw files first where the set is not generated.
    whole : callable or None
        The same for all documents as one set.
    kind : "files", "generated" or "table"
        Whether it is made from raw files, by a program, or from a table of the user's.
    is_drawn : bool
        Whether draws of it differ: the option ``seed`` decides which sequences are in the sets.
    n_folds : int
        In how many ways one seed divides its sequences, by the option ``fold``; 1 where there is no such option.
    groups : "none", "copies" or mapping
        Which sequences count as related (`treecrf.datasets.grouping.find_groups`), unless stated otherwise.
    """

    name: str
    summary: str
    window: tuple[int, int]
    loader: Callable[..., tuple[SequenceSet, SequenceSet]]
    files: tuple[str, ...] = ()
    protocol: str = "split"
    stand_in: str | None = None
    source: str = "generated"
    whole: Callable[..., SequenceSet] | None = None
    kind: str = "files"
    is_drawn: bool = False
    n_folds: int = 1
    groups: Rule = "copies"

    def draw(self, number: int) -> dict[str, int]:
        """Options of `loader` for a draw, counted from 0: all folds of seed 0, then those of seed 1; none if nothing is drawn."""
        if self.n_folds > 1:
            return {"fold": number % self.n_folds, "seed": number // self.n_folds}
        return {"seed": number} if self.is_drawn else {}
