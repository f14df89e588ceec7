"""What every script does around its one call: log, and one sentence where something is wrong."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager


def full(error: Exception) -> bool:
    """Whether the disk has no space left."""
    return isinstance(error, OSError) and error.errno == errno.ENOSPC


@contextmanager
def job(log: str) -> Iterator[None]:
    """Send all messages to the file `log`; end the job with one sentence for wrong input or a full disk."""
    with open(log, "w", encoding="utf-8", buffering=1) as stream:
        sys.stdout = sys.stderr = stream
        try:
            yield
        except (ValueError, OSError) as error:
            print(f"{error.filename}: the disk is full; free space and run again." if full(error) else error)
            print("\nWhere it happened:", file=stream)
            traceback.print_exc(file=stream)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=stream)
            sys.exit(1)
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
