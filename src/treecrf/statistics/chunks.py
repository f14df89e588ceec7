"""The F1 score of what is found in sequences: chunks that tags such as B, I and O mark, and runs of one label."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io import arrays
from treecrf.io.arrays import Bools, Ints
from treecrf.io.messages import quoted

TAG = re.compile("O|[BIESLUM](-.+)?")
"""Of a position: "O", or a letter with the type of the chunk, such as "B-NP"; or without, where there is one type."""

SCHEMES = {"IO": "I", "BIO": "BI", "IOE": "IE", "IOBES": "BIES", "BILOU": "BILU", "BMES": "BMES"}
"""Letters by scheme.

B, I (or M) and E (or L) are the first, the other and the last position of a chunk, S (or U) its only one.
"""

MIXED = "mixed"
"""Stands for letters that no scheme has together."""

_MEANING = {"L": "E", "U": "S", "M": "I"}


class ChunkScore(NamedTuple):
    """Precision and recall of chunks.

    Attributes
    ----------
    precision, recall, f1 : float
        Percent; 0 where there is nothing to count.
    n_true, n_predicted, n_correct : int
        Chunks: true, predicted, and both (the same first and last position, and the same type).
    """

    precision: float
    recall: float
    f1: float
    n_true: int
    n_predicted: int
    n_correct: int


def chunk_scheme(names: ArrayLike) -> str | None:
    """The scheme by which labels with these names mark chunks.

    Returns
    -------
    str or None
        Of `SCHEMES`, or `MIXED`; None unless all labels are tags. Letters without types are tags only where they are of
        BIO, or all four of BMES: else they may stand for something else.
    """
    tags = [text for text in map(str, np.asarray(names)) if text != "O"]
    letters = {text[0] for text in tags if TAG.fullmatch(text)}
    if not letters or not all(TAG.fullmatch(text) for text in tags):
        return None
    if any(len(text) == 1 for text in tags) and not (letters <= set("BI") or letters == set("BMES")):
        return None
    return next((name for name, known in SCHEMES.items() if letters <= set(known)), MIXED)


def strict_scheme(names: ArrayLike) -> str | None:
    """The scheme of labels with these names whose chunks count strictly, as seqeval's default mode does not know its
    letters.
    """
    letters = {text[0] for text in map(str, np.asarray(names)) if text and text != "O"}
    known = (scheme for scheme in ("BILOU", "BMES") if letters <= set(SCHEMES[scheme]))
    return next(known, None) if letters & set(_MEANING) else None


def chunk_f1(true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike, scheme: str | None = None) -> ChunkScore:
    """Precision, recall and F1 of chunks, as conlleval (Tjong Kim Sang and Buchholz 2000) counts them.

    A chunk begins at a B or S, and at any other letter after an O, E or S, after another type or first in its sequence.
    It reaches to the last position of its type before another chunk, an O or the sequence's end. seqeval counts so in
    its default mode, which does not know L, U and M (`strict_scheme`).

    Parameters
    ----------
    true, predicted : str, shape (n_positions,)
        Tags of one or several of `SCHEMES`.
    offsets : int64, shape (n_sequences + 1,)
        Sequence i has the positions ``offsets[i]`` to ``offsets[i + 1] - 1``.
    scheme : str, optional
        One of `SCHEMES`: only chunks that are written as it says count, as in seqeval's strict mode. In BIO they begin
        at a B, in IOE they end at an E, and in the others they are one S, or a B, any I and an E of one type.

    Raises
    ------
    ValueError
        For arrays of different lengths, another scheme, and for a tag that is none of the scheme, or of any.
    """
    return _score(*_found_chunks(true, predicted, offsets, scheme)[1:])


def chunk_f1_by_type(
    true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike, scheme: str | None = None
) -> dict[str, ChunkScore]:
    """`chunk_f1` of the chunks of each type, in the order of the types' names; the parameters are as there.

    Parameters
    ----------
    true, predicted, offsets, scheme : see `chunk_f1`
    """
    types, in_truth, in_prediction = _found_chunks(true, predicted, offsets, scheme)
    return {
        name: _score(in_truth[in_truth[:, 2] == code], in_prediction[in_prediction[:, 2] == code])
        for code, name in enumerate(types)
    }


def segment_f1(true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike) -> ChunkScore:
    """Precision, recall and F1 of segments: the longest runs of one label within a sequence.

    A segment is right if the first and the last position and the label are.

    Parameters
    ----------
    true, predicted : labels of any kind, shape (n_positions,)
    offsets : see `chunk_f1`
    """
    bounds = arrays.offsets(offsets)
    codes = np.unique(np.concatenate(_labels("segment_f1", true, predicted, bounds)), return_inverse=True)[1]
    return _score(find_runs(codes[: bounds[-1]], bounds), find_runs(codes[bounds[-1] :], bounds))


def _found_chunks(
    true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike, scheme: str | None
) -> tuple[list[str], Ints, Ints]:
    """The types, and the chunks in the truth and in what was predicted."""
    bounds = arrays.offsets(offsets)
    texts = [tags.astype(str) for tags in _labels("chunk_f1", true, predicted, bounds)]
    names, codes = np.unique(np.concatenate(texts), return_inverse=True)
    if scheme is not None and scheme not in SCHEMES:
        raise ValueError(f"the scheme {quoted(scheme)} is not known; choose one of {', '.join(SCHEMES)}.")
    for text in names.tolist():
        if scheme is not None and not (TAG.fullmatch(text) and text[0] in "O" + SCHEMES[scheme]):
            letters = ", ".join(SCHEMES[scheme])
            raise ValueError(
                f"the label {quoted(text)} is none of the scheme {scheme}, which has O, {letters}, alone or with a "
                "type."
            )
        if not TAG.fullmatch(text):
            raise ValueError(
                f"chunk_f1: there is a tag {quoted(text)}; give O, and letters of a scheme such as B and I, or B-TYPE "
                "and I-TYPE."
            )
    types = sorted({text[2:] for text in names.tolist() if text != "O"})
    first, second = (find_chunks(half, names, bounds, scheme) for half in np.split(codes, 2))
    return types, first, second


def find_chunks(codes: NDArray[np.integer], names: ArrayLike, offsets: Ints, scheme: str | None = None) -> Ints:
    """First and last position and type of every chunk, as `chunk_f1` counts them.

    Parameters
    ----------
    codes : int, shape (n_positions,)
        Labels by their places among the names.
    names : sequence of str
        Tags of one or several of `SCHEMES`.
    offsets, scheme : see `chunk_f1`

    Returns
    -------
    int64, shape (n_chunks, 3)
        The type is its place among the sorted types of the names.
    """
    texts = np.asarray(names).astype(str).tolist()
    types = sorted({text[2:] for text in texts if text != "O"})
    tags = np.array([_MEANING.get(text[0], text[0]) for text in texts], dtype="U1")[codes]
    kinds = np.array([types.index(text[2:]) if text != "O" else -1 for text in texts], dtype=np.int64)[codes]
    return _chunks(tags, kinds, offsets, scheme)


def _labels(function: str, true: ArrayLike, predicted: ArrayLike, offsets: Ints) -> tuple[NDArray[Any], NDArray[Any]]:
    """Texts or whole numbers, one for each position."""
    checked = []
    for name, given in (("true", true), ("predicted", predicted)):
        labels = arrays.as_array(given, name)
        if labels.shape != (offsets[-1],):
            raise ValueError(
                f"{function}: {name} has shape {labels.shape} and offsets end at {offsets[-1]}; give a label a "
                "position."
            )
        if labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels):
            labels = labels.astype(str)
        if labels.dtype.kind not in "USiub":
            raise ValueError(f"{function}: {name} is {labels.dtype}; give texts or whole numbers.")
        checked.append(labels)
    first, second = checked
    if (first.dtype.kind in "US") != (second.dtype.kind in "US"):
        raise ValueError(f"{function}: true is {first.dtype} and predicted is {second.dtype}; give labels of one kind.")
    return first, second


def _chunks(tags: NDArray[np.str_], types: Ints, offsets: Ints, scheme: str | None) -> Ints:
    """First and last position and type of every chunk; int64, shape (n_chunks, 3). The type of an O is -1."""
    bound = _bounds(offsets)
    inside = tags != "O"
    before = np.roll(tags, 1)  # what the last position brings to the first is bound anyway
    goes_on = ~bound[:-1] & (np.roll(types, 1) == types) & (before != "E") & (before != "S")
    begins = (tags == "B") | (tags == "S") | (inside & ~goes_on)
    ends = inside & (bound[1:] | np.roll(begins | ~inside, -1))
    first, last = np.flatnonzero(begins), np.flatnonzero(ends)
    chunks = np.column_stack([first, last, types[first]])
    if scheme in (None, "IO"):
        return chunks
    if scheme == "BIO":
        return chunks[tags[first] == "B"]
    if scheme == "IOE":
        return chunks[tags[last] == "E"]
    is_single = (first == last) & (tags[first] == "S")
    return chunks[is_single | ((first < last) & (tags[first] == "B") & (tags[last] == "E"))]


def find_runs(labels: NDArray[np.integer], offsets: Ints) -> Ints:
    """First and last position and label of every run of one label.

    Parameters
    ----------
    labels : int, shape (n_positions,)
    offsets : see `chunk_f1`

    Returns
    -------
    int64, shape (n_runs, 3)
    """
    bound = _bounds(offsets)
    begins = bound[:-1] | (np.roll(labels, 1) != labels)
    first = np.flatnonzero(begins)
    last = np.append(first, len(labels))[1:] - 1
    return np.column_stack([first, last, labels[first]])


def _bounds(offsets: Ints) -> Bools:
    """Whether a sequence begins at a position, or ends before it; shape (n_positions + 1,)."""
    bound = np.zeros(int(offsets[-1]) + 1, dtype=np.bool_)
    bound[offsets] = True
    return bound


def _score(true: Ints, predicted: Ints) -> ChunkScore:
    # A position begins at most one chunk, so that a row is found at most once in the other array.
    n_true, n_predicted = len(true), len(predicted)
    n_correct = n_true + n_predicted - len(np.unique(np.concatenate([true, predicted]), axis=0))
    precision, recall = _percent(n_correct, n_predicted), _percent(n_correct, n_true)
    return ChunkScore(precision, recall, _percent(2 * n_correct, n_true + n_predicted), n_true, n_predicted, n_correct)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
