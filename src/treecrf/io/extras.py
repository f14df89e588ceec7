"""Packages that only some uses need, and that an installation may lack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Import packages of an extra in this block; a ModuleNotFoundError names the missing package and what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or str(error)).partition(".")[0]
        raise ModuleNotFoundError(
            f"{package} is not installed; run pip install 'treecrf[{extra}]'.", name=error.name
        ) from None
