"""Frame of every script around its one call: log, checksums, and one sentence where something is wrong."""

from __future__ import annotations

import errno
import glob
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treecrf.io.checksums import forget, note, refuse_damaged, sha256
from treecrf.io.files import read_frame

if TYPE_CHECKING:
    from treecrf.studies.stored_pieces import StoredPieces
    from treecrf.studies.study import Study


def sentence(error: Exception) -> str:
    """What to say of an error that is not a mistake of the program."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"{error.filename or 'The results'}: the disk is full; free space and run again."
    return str(error)


def tidy(outputs: Iterable[str]) -> None:
    """Remove what a killed attempt has left beside the outputs: temporary files, and notes of what will be written."""
    for output in map(Path, outputs):
        for left in output.parent.glob(f"{glob.escape(output.stem)}.*.tmp"):
            left.unlink(missing_ok=True)
    forget(outputs)


@contextmanager
def job(snakemake: Any, noted: bool = True) -> Iterator[None]:
    """Send all messages to the log, and see that inputs and outputs are whole.

    A job with a damaged input, wrong input or a full disk ends with one sentence.

    Parameters
    ----------
    snakemake : object
        What Snakemake gives a script.
    noted : bool
        Whether the outputs' checksums are written down; no for what others may replace.
    """
    with open(snakemake.log[0], "w", encoding="utf-8", buffering=1) as stream:
        sys.stdout = sys.stderr = stream
        try:
            refuse_damaged(snakemake.input)
            tidy(snakemake.output)
            yield
            if noted:
                note(snakemake.output)
        except (ValueError, OSError) as error:
            print(sentence(error))
            print("\nWhere it happened:", file=stream)
            traceback.print_exc(file=stream)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=stream)
            sys.exit(1)
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


def pieces_of(snakemake: Any) -> StoredPieces:
    """The finished parts of a job, beside its first output: those of a killed attempt at the same job."""
    from treecrf.studies.stored_pieces import StoredPieces  # with the labellers, which most scripts do not need

    same = {"params": dict(snakemake.params.items()), "inputs": {path: sha256(path) for path in snakemake.input}}
    return StoredPieces(f"{snakemake.output[0]}.pieces", {"wildcards": dict(snakemake.wildcards.items()), **same})


def find_study(name: str) -> Study:
    """The study of a name, without loading the others."""
    return import_module(f"treecrf.studies.{name}").STUDY


def arguments_of(
    snakemake: Any, study: Study, function: Callable[..., Any], method: str, pieces: StoredPieces
) -> dict[str, Any]:
    """What the parameters of a study's function name: data, one of the job's methods, and its settings."""
    from treecrf.datasets.synthetic import Splits
    from treecrf.sequences import SequenceSet

    values, given = snakemake.params["values"], snakemake.input

    def settings() -> Any:
        model = getattr(study.module("settings"), study.settings)
        return model(**({"datasets": []} if "datasets" in model.model_fields else {}), **values["settings"][method])

    def load(side: str) -> SequenceSet:
        return SequenceSet.load(given[side])

    known: dict[str, Callable[[], Any]] = {
        "dataset": lambda: snakemake.wildcards.dataset,
        "method": lambda: method,
        "settings": settings,
        "seed": lambda: values["seed"],
        "window": lambda: tuple(values["window"]),
        "protocol": lambda: values["protocol"],
        **{side: partial(load, side) for side in ("train", "test")},
        "splits": lambda: {
            seed: Splits(*(SequenceSet.load(path) for path in paths))
            for seed, paths in enumerate(zip(*(given[side] for side in Splits._fields), strict=True))
        },
        "choice": lambda: read_frame(given["choice"]) if given.get("choice") else None,
        "pieces": lambda: pieces.of(method),
    }
    return {name: known[name]() for name in signature(function).parameters}
