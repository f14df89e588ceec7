"""Shared parts of loaders: raw files and their text, checks of options, and draws."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import check_count
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.datasets.download import raw_files

Parsed = TypeVar("Parsed")

LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


class DataError(ValueError):
    """A raw file that is not what it should be; the message names file, line and what to do."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        place = file if line is None else f"{file}, line {line}"
        super().__init__(f"{place}: {problem}; the file is damaged or another version: get it again.")


def read_bytes(folder: Path, name: str) -> bytes:
    """The bytes of a raw file; FileNotFoundError says how to get it.

    DataError where its checksum is not that of the registry: a file cut off at the end of a line would parse.
    """
    path = folder / name
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"raw file {name} is not in {folder}; set TREECRF_MIRROR to a folder that has it, put it there, or run "
            f"snakemake {path}."
        ) from None
    registered = raw_files().get(name)
    if registered is not None and hashlib.sha256(data).hexdigest() != registered.sha256:
        raise DataError(
            str(path),
            None,
            f"has {len(data):,} bytes and another SHA-256 than {registered.sha256} ({registered.bytes:,} bytes)",
        )
    return data


def parse_files(folder: Path, names: Iterable[str], parse: Callable[[bytes, str], Parsed]) -> list[Parsed]:
    """What a parser makes of each raw file, once all are there."""
    contents = {name: read_bytes(folder, name) for name in names}
    return [parse(data, name) for name, data in contents.items()]


def text_lines(data: bytes, encoding: str = "utf-8") -> list[str]:
    """Lines without their ends, LF or CRLF; the last line may lack its end.

    Unlike `str.splitlines` this leaves form feeds and the like where they are. Undecodable bytes become U+FFFD.
    """
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.decode(encoding, "replace") for line in lines]


def numbered(names: Iterable[str]) -> dict[str, int]:
    """Codes of names, from 0 in order of first appearance."""
    return {name: code for code, name in enumerate(dict.fromkeys(names))}


def from_words(words: Sequence[str], labels: Sequence[Sequence[int]], label_names: Sequence[str]) -> SequenceSet:
    """Sequences of letters a-z with their labels; a word may have one letter more than it has labels."""
    code = {letter: i for i, letter in enumerate(LETTERS)}
    return SequenceSet(
        np.array([[code[letter]] for word in words for letter in word], dtype=np.int32).reshape(-1, 1),
        np.cumsum([0, *map(len, labels)]),
        (Attribute("letter", LETTERS),),
        np.array([label for one in labels for label in one], dtype=np.int16),
        tuple(label_names),
        np.cumsum([0, *map(len, words)]),
    )


def from_symbols(
    labels: NDArray[Any], symbols: NDArray[Any], label_names: Sequence[str], categories: Sequence[str]
) -> SequenceSet:
    """Sequences of equal lengths from codes of labels and of symbols, both of shape (n_sequences, length)."""
    n_sequences, length = labels.shape
    return SequenceSet(
        symbols.reshape(-1, 1).astype(np.int32),
        length * np.arange(n_sequences + 1),
        (Attribute("symbol", tuple(categories)),),
        labels.ravel().astype(np.int16),
        tuple(label_names),
    )


Item = TypeVar("Item")

NTest = int | Literal["all"]
"""Number of test items; "all": all that do not train."""


MOST_POSITIONS = 10_000_000
"""Of a generated set: more would not fit into the memory of most machines."""


def check_sizes(length: int, **sizes: int) -> None:
    """Refuse numbers of generated sequences of a length that are no counts, or more than memory holds."""
    check_count("length", length, most=MOST_POSITIONS)
    for name, size in sizes.items():
        check_count(name, size, most=MOST_POSITIONS // length)


def draw(items: Sequence[Item], n_train: int, n_test: NTest, rng: np.random.Generator) -> tuple[list[Item], list[Item]]:
    """Items for training and testing, drawn without repeats, in the order of the draw."""
    check_count("n_train", n_train)
    size = max(len(items) - n_train, 1) if n_test == "all" else n_test
    check_count("n_test", size)
    if n_train + size > len(items):
        raise ValueError(f"{n_train} + {size} words are asked for and there are {len(items)}; ask for fewer.")
    chosen = [items[i] for i in rng.permutation(len(items))[: n_train + size]]
    return chosen[:n_train], chosen[n_train:]
