"""A digest of all claims and of their code, which shows whether the ledger's rules are those frozen before the results.

``python -m treecrf.studies.framework.claims.frozen`` freezes them as they are.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path

from treecrf.io.files import write_json
from treecrf.studies import registry

SHARED = ("judge.py", "kinds.py", "rows.py")
OF_STUDIES = ("claims.py", "claims.yaml")

FILE = "frozen.json"
"""Beside this module: the digest of the rules when they were frozen."""

LENGTH = 12
"""Digits of a digest."""

CHANGED = (
    "The rules of the ledger (claims.yaml, claims.py and the modules behind them) differ from the frozen ones; check them and run "
    "python -m treecrf.studies.framework.claims.frozen."
)


@cache
def rules_digest() -> str:
    """The digest (SHA-256, `LENGTH` digits) of every claims.yaml and of the code that judges them."""
    here = files("treecrf.studies.framework.claims")
    packages = [study.module_name("claims").rpartition(".")[0] for study in registry()]
    sources = [here.joinpath(name) for name in SHARED]
    sources += [files(package).joinpath(name) for package in packages for name in OF_STUDIES]
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:LENGTH]


def is_frozen() -> bool:
    """Whether the rules are the frozen ones."""
    return bool(json.loads(_file().read_text(encoding="utf-8"))["digest"] == rules_digest())


def rules_text() -> str:
    """The rules in a word: their digest, and whether they are the frozen ones."""
    return f"{rules_digest()} ({'frozen' if is_frozen() else 'changed after freezing'})"


def freeze() -> None:
    """Write the digest of the rules as they are."""
    write_json({"digest": rules_digest()}, _file())


def _file() -> Path:
    return Path(__file__).with_name(FILE)


if __name__ == "__main__":
    freeze()
    print(f"frozen: {rules_digest()}")
