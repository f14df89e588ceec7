"""Data sets: raw files or generators in, `SequenceSet` out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treecrf.datasets import faq, hyphenation, nettalk, protein, sectlabel, synthetic, table
from treecrf.datasets._seeds import generator
from treecrf.datasets.synthetic import Splits
from treecrf.sequences import SequenceSet

__all__ = ["Description", "Splits", "describe", "documents", "load", "load_splits", "names"]


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
        Whether the option ``seed`` decides which sequences are in the sets.
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


_OF_THE_CALL = re.compile(r"^\S+\(\) (got an unexpected keyword|got multiple values|missing \d+ required)")
"""Errors of a loader that was given wrong options."""


def _documents(whole: Callable[..., SequenceSet]) -> Callable[..., tuple[SequenceSet, SequenceSet]]:
    return lambda raw, **options: faq.last_document_tests(whole(raw, **options))


def _supplied(name: str) -> Callable[..., SequenceSet]:
    return lambda raw, **options: faq.supplied_documents(raw, name, **options)


def _future(kind: str) -> Callable[..., tuple[SequenceSet, SequenceSet]]:
    return lambda **options: synthetic.load_future(kind, **options)


_NETTALK = "Sejnowski and Rosenberg 1987; non-commercial research"
_STAND_IN = "stands in for the labelled FAQ files of McCallum, Freitag and Pereira (2000), which are not available; "

_ALL = (
    Description(
        "protein", "secondary structure of proteins", (5, 5), protein.load, protein.FILES,
        source="Qian and Sejnowski 1988, UCI; non-commercial research",
    ),
    Description(
        "nettalk", "stress of English letters", (6, 6), nettalk.load, nettalk.FILES, source=_NETTALK, is_drawn=True
    ),
    Description(
        "nettalk_binary", "stressed letters", (0, 0), nettalk.load_binary, nettalk.FILES, source=_NETTALK, is_drawn=True
    ),
    Description(
        "hyphen", "hyphenation of English words, the papers' own set", hyphenation.WINDOW, hyphenation.load,
        hyphenation.FILES, source="Dietterich, Hao and Ashenfelter 2008, as encoded in SMILE's tests",
    ),
    Description(
        "hyphen_moby", "hyphenation of English words of the Moby list", hyphenation.WINDOW, hyphenation.load_moby,
        hyphenation.MOBY_FILES, source="Grady Ward, Moby Hyphenator II; public domain",
    ),
    Description(
        "hyphen_tex", "hyphenation of English words by pattern", hyphenation.WINDOW,
        hyphenation.load_tex, stand_in="labels are those of TeX's patterns, not of people: for demonstration",
        source="patterns of pyphen", kind="generated",
    ),
    Description(
        "faq_perl", "segments of the Perl FAQ", (0, 0), _documents(faq.perl_documents), faq.PERL_FILES,
        "leave_one_out", _STAND_IN + "labels come from POD markup, which is removed",
        "perlfaq 5.20210520; the terms of Perl", faq.perl_documents,
    ),
    Description(
        "faq_x", "segments of the X FAQ", (0, 0), _documents(faq.x_documents), faq.X_FILES,
        "leave_one_out", _STAND_IN + "labels come from the digest's structure", "comp.windows.x, April 1993",
        faq.x_documents,
    ),
    *(
        Description(
            name, f"segments of the {group} FAQ, files that a user supplies", (0, 0), _documents(_supplied(name)), (),
            "leave_one_out", None, "McCallum, Freitag and Pereira 2000", _supplied(name),
        )
        for name, group in faq.SUPPLIED.items()
    ),
    Description(
        "sectlabel", "parts of scientific papers, hand-labelled lines", (0, 0), sectlabel.load, sectlabel.FILES,
        source="ParsCit's SectLabel; research, not to be passed on",
    ),
    Description(
        "hmm", "hidden Markov model", (1, 1), synthetic.load_hmm,
        source="generated; Hao 2009, section 3.5.3", kind="generated",
    ),
    *(
        Description(
            kind, f"{kind.upper()} of a label of the position and one of the future", (0, 0), _future(kind),
            source="generated; Hao 2009, section 5.4.1", kind="generated",
        )
        for kind in ("xor", "or", "extra")
    ),
    Description(
        "distant", "labels that a sign nine positions later decides", (0, 0), _future("distant"),
        source="generated; not in the papers", kind="generated",
    ),
    Description("table", "a table of your own", (0, 0), table.load, source="yours", kind="table", is_drawn=True),
)  # fmt: skip
_REGISTRY = {description.name: description for description in _ALL}


def names() -> tuple[str, ...]:
    """The names that `load` knows."""
    return tuple(_REGISTRY)


def describe(name: str) -> Description:
    """What is known of a data set; a ValueError lists the known names."""
    if name not in _REGISTRY:
        raise ValueError(f"data set {name!r} is not known; choose one of {', '.join(_REGISTRY)}.")
    return _REGISTRY[name]


def load(name: str, *, raw: str | os.PathLike[str] | None = None, **options: Any) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set of a data set.

    Parameters
    ----------
    name : str
        One of `names`.
    raw : path, optional
        Folder of raw files; ``TREECRF_MIRROR``, else ``data/raw``, unless given.
    **options
        Those of the data set's loader, such as ``seed``, ``n_train``, ``labels``.

    Raises
    ------
    ValueError, FileNotFoundError
        For a name or option that is not known, a file that is not there or damaged.
    """
    description = describe(name)
    return _call(description, description.loader, raw, options)


def load_splits(
    name: str, *, seed: int, held_out: float = 1 / 3, raw: str | os.PathLike[str] | None = None, **options: Any
) -> Splits:
    """Training, validation and test set of a data set.

    Parameters
    ----------
    name, raw, **options
        As for `load`.
    seed : int
        Decides the draw of a generated set or of words; and which training sequences validate.
    held_out : float
        Share of the training sequences that validates, where the set has no validation set of its own.
    """
    description = describe(name)
    if name in synthetic.FUTURE_KINDS:
        return synthetic.future_splits(name, seed=seed, **options)
    if description.is_drawn:
        options |= {"seed": seed}
    train, test = load(name, raw=raw, **options)
    n_held_out = round(held_out * len(train))
    if not 0 < n_held_out < len(train):
        raise ValueError(f"held_out={held_out} of {len(train)} training sequences leaves an empty set; change it.")
    order = generator(name, "validation", seed=seed).permutation(len(train))
    return Splits(train.select(np.sort(order[n_held_out:])), train.select(np.sort(order[:n_held_out])), test)


def documents(name: str, *, raw: str | os.PathLike[str] | None = None, **options: Any) -> SequenceSet:
    """All documents of a data set whose protocol is to leave one out, one sequence per document.

    Parameters
    ----------
    name, raw, **options
        As for `load`.
    """
    description = describe(name)
    if description.whole is None:
        raise ValueError(f"data set {name!r} has a training and a test set and no list of documents; use load.")
    return _call(description, description.whole, raw, options)


def _call(
    description: Description, loader: Callable[..., Any], raw: str | os.PathLike[str] | None, options: dict[str, Any]
) -> Any:
    folder = Path(raw if raw is not None else os.environ.get("TREECRF_MIRROR") or "data/raw")
    arguments: Sequence[Any] = (folder,) if description.kind == "files" else ()
    try:
        return loader(*arguments, **options)
    except TypeError as error:
        if not _OF_THE_CALL.search(str(error)):
            raise
        raise ValueError(
            f"data set {description.name!r}: {str(error).split(' ', 1)[1]}; {'give it' if 'missing' in str(error) else 'leave that option out'}."
        ) from error
