"""Published values, tables and pages, and the ledger of claims.

`verdicts` is loaded when it is first used: every job of the workflow imports a part of this package, and the ledger
would load all figures and labellers with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treecrf.reporting.claims import verdicts

__all__ = ["verdicts"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from treecrf.reporting import claims

    globals()[name] = claims.verdicts
    return claims.verdicts
