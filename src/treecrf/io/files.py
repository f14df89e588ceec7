"""Files: written so that a killed job leaves nothing half-written behind; read, also compressed ones."""

from __future__ import annotations

import bz2
import csv
import glob
import gzip
import hashlib
import io
import json
import lzma
import os
import struct
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, reduce
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from treecrf.io.messages import counted, quoted, repeated
from treecrf.io.process import available_memory, check_memory

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

AnyPath = str | os.PathLike[str]

DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
    AssertionError,
    EOFError,
    struct.error,
)
"""What pyarrow and pandas raise where a file, or what pandas noted in it, is damaged."""


def read_parquet(path: AnyPath, what: str, without: Collection[str] = ()) -> pd.DataFrame:
    """The frame at `path`, but for some columns; a ValueError names `what` ("table") and the file if it is not readable
    as Parquet.
    """
    return parse_parquet(Path(path).read_bytes(), f"{what} {os.fspath(path)}", without)


def parse_parquet(data: bytes, name: str, without: Collection[str] = ()) -> pd.DataFrame:
    """The frame that the bytes of a Parquet file hold, but for columns `without`, which are not decoded.

    A ValueError begins with `name` if they are damaged.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with readable(name, "Parquet"):
        about = parquet.read_metadata(pa.BufferReader(data))
        in_groups = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
        names = about.schema.to_arrow_schema().names
        columns = [each for each in names if each not in without] if without else None
        n_columns = about.num_columns if columns is None else len(columns)
    check_memory(in_groups + 8 * about.num_rows * n_columns, name, "give a smaller one")
    with readable(name, "Parquet"):
        return frame_of(parquet.read_table(pa.BufferReader(data), columns=columns))


@contextmanager
def readable(name: str, kind: str) -> Iterator[None]:
    """Say of what pyarrow and pandas raise in this block that `name` is no file of this kind, such as Parquet."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException, *DAMAGE) as error:
        problem = quoted(f"{type(error).__name__}: {error}")
        raise ValueError(f"{name} is not a readable {kind} file ({problem}); write it again.") from error


def frame_of(table: pa.Table) -> pd.DataFrame:
    """The frame that a table of Arrow holds, which may be damaged (`DAMAGE`)."""
    table.validate(full=True)  # reading does not look whether text is text
    frame: pd.DataFrame
    try:
        frame = table.to_pandas()
    except TypeError:  # pandas does not know every name of a type that it writes
        frame = table.to_pandas(ignore_metadata=True)
    return frame


STANDARD_INPUT = "-"
"""What stands for standard input where a file is named."""

_BLOCK, _COPIES = 2**24, 3
"""Bytes that are read at a time, and how often memory holds what a table has: its bytes, its text and its cells."""


def _blocks_of(stream: Any) -> Iterator[bytes]:
    return iter(lambda: stream.read(_BLOCK), b"")


def _unpack_xz(data: bytes) -> Iterator[bytes]:
    """Streams one after another; `lzma.open` has no limit for their dictionaries, which may claim 4 GiB each."""
    while data:
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=available_memory())
        while not unpacker.eof:
            if part := unpacker.decompress(data, _BLOCK):
                yield part
            elif not unpacker.eof:
                raise EOFError("it ends early")
            data = b""
        data = unpacker.unused_data.lstrip(b"\0")


_PACKED: dict[bytes, Callable[[bytes], Iterator[bytes]]] = {
    b"\x1f\x8b": lambda data: _blocks_of(gzip.GzipFile(fileobj=io.BytesIO(data))),
    b"BZh": lambda data: _blocks_of(bz2.BZ2File(io.BytesIO(data))),
    b"\xfd7zXZ\x00": _unpack_xz,
}
"""How files begin that are compressed, and what unpacks them."""

_DAMAGED_PACKING = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)

PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
"""Suffixes of compressed files; the suffix before it says what is in the file."""


class Content(NamedTuple):
    """What a file holds: how errors name it, its suffix in small letters (`plain_suffix`) and its bytes."""

    name: str
    suffix: str
    data: bytes


def check_file(path: AnyPath, what: str, advice: str) -> None:
    """Raise where there is no regular file that may be read; errors call it `what`, such as "table"."""
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"{what} {file} does not exist; {advice}.")
    if not file.is_file():
        kind = "a folder" if file.is_dir() else "not a regular file"
        raise ValueError(f"{what} {file} is {kind}; name a file.")
    if not os.access(file, os.R_OK):
        raise PermissionError(f"{what} {file} may not be read; change its permissions.")


def plain_suffix(path: AnyPath) -> str:
    """The suffix of a file in small letters, that of its compression left out."""
    file = Path(path)
    return Path(file.stem if file.suffix.lower() in PACKED_SUFFIXES else file.name).suffix.lower()


def read_content(path: AnyPath) -> Content:
    """All that the file of a table, or standard input (`STANDARD_INPUT`), holds; standard input can be read again.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence that names the file: it is not there, no regular file, or damaged where it is compressed.
    """
    name = f"table {os.fspath(path)}"
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise ValueError("standard input is closed; name a file.")
        data = _all_of(sys.stdin.buffer)
    else:
        check_file(path, "table", "correct the path")
        with open(path, "rb") as stream:
            data = _within_memory(_blocks_of(stream), name)
    unpack = next((unpack for start, unpack in _PACKED.items() if data.startswith(start)), None)
    if unpack is not None:
        data = _within_memory(unpack(data), name, _DAMAGED_PACKING)
    return Content(name, plain_suffix(path), data)


@lru_cache(maxsize=1)
def _all_of(stream: BinaryIO) -> bytes:
    return _within_memory(_blocks_of(stream), f"table {STANDARD_INPUT}")


def _within_memory(blocks: Iterator[bytes], name: str, damage: tuple[type[Exception], ...] = ()) -> bytes:
    """All blocks, as long as what is made of it fits into memory; what is packed wrongly raises `damage`."""
    whole = io.BytesIO()
    while True:
        try:
            block = next(blocks, b"")
        except damage as error:
            raise ValueError(
                f"{name} is compressed and cannot be unpacked ({quoted(str(error))}); copy or pack it again."
            ) from error
        if not block:
            return whole.getvalue()
        n_bytes = whole.tell() + len(block)
        check_memory((_COPIES - 1) * n_bytes, f"{name}, of its first {n_bytes:,} bytes alone,", "give a smaller one")
        whole.write(block)


_ID_BYTES = 6


def leftovers(path: AnyPath) -> list[Path]:
    """The temporary files of `atomic` for `path` alone, which a killed process has left or another one is writing."""
    target = Path(path)
    return list(target.parent.glob(f"{glob.escape(target.name)}.{'[0-9a-f]' * 2 * _ID_BYTES}.tmp"))


@contextmanager
def atomic(path: AnyPath) -> Iterator[Path]:
    """Give a temporary path, ``NAME.ID.tmp``, which becomes `path` when the block ends well and is removed if not.

    The ID is new each time, so that several processes or threads may write one path: the last one stays. A link stays
    one, and what it leads to is replaced; a file that was there before keeps its permissions.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.{os.urandom(_ID_BYTES).hex()}.tmp")
    try:
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        if target.is_file():
            temporary.chmod(target.stat().st_mode & 0o777)
        os.replace(temporary, target)
    except OSError as error:
        if error.errno is not None and error.filename in (None, os.fspath(temporary)):
            error.filename = os.fspath(path)
        raise
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(text: str, path: AnyPath) -> None:
    """Write `text` to `path`."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(value: Any, path: AnyPath) -> None:
    """Write `value` to `path` as JSON."""
    write_text(json.dumps(value, indent=2) + "\n", path)


def read_json(path: AnyPath) -> Any:
    """The JSON value at `path`; a ValueError names the file if it is damaged."""
    text = _text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise _damaged(path, f"not JSON: {error}") from None


def write_frame(frame: pd.DataFrame, path: AnyPath) -> None:
    """Write `frame` to `path`, as Parquet or CSV by its suffix."""
    suffix = Path(path).suffix
    if suffix not in (".parquet", ".csv"):
        raise ValueError(f"{os.fspath(path)}: a frame is written as .parquet or .csv, not {suffix!r}; rename the file.")
    with atomic(path) as temporary:
        if suffix == ".csv":
            frame.to_csv(temporary, index=False)
        else:
            frame.to_parquet(temporary, index=False)


def read_frame(path: AnyPath, without: Collection[str] = ()) -> pd.DataFrame:
    """What `write_frame` wrote to `path`, Parquet or CSV by its suffix; columns `without` of a Parquet file take no
    memory.

    Raises
    ------
    ValueError
        One sentence that names the file if it is damaged, and the line if a CSV file has a line cut off.
    """
    if Path(path).suffix != ".csv":
        return read_parquet(path, "file", without)
    import pandas as pd  # takes long, and most of this module does without

    text = _text(path)
    _check_rows(text, path)
    try:
        return pd.read_csv(io.StringIO(text))
    except (ValueError, OverflowError) as error:
        raise _damaged(path, f"not CSV: {error}") from None


def frame_file(path: Path) -> Path | None:
    """The file of a frame with the suffix of `path` or, without one, .csv or .parquet; None if there is none."""
    return next(filter(Path.is_file, map(path.with_suffix, dict.fromkeys((path.suffix, ".csv", ".parquet")))), None)


def _check_rows(text: str, path: AnyPath) -> None:
    """Raise where a row does not have one cell for each column: pandas fills up short ones without a word."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, [])
        if repeated(names) is not None:
            raise _damaged(path, f"the column {quoted(repeated(names))} appears twice")
        for row in reader:
            if row and len(row) != len(names):
                raise _damaged(path, f"line {reader.line_num} has {counted(len(row), 'cell')} and not {len(names)}")
    except csv.Error as error:
        raise _damaged(path, f"line {reader.line_num} is not CSV: {error}") from None
    if not text.endswith("\n"):
        raise _damaged(path, "its last line has no end")


def _text(path: AnyPath) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise _damaged(path, f"not UTF-8 at byte {error.start:,}") from None


def _damaged(path: AnyPath, problem: str) -> ValueError:
    return ValueError(f"file {os.fspath(path)} is damaged ({' '.join(problem.split())}); delete it and run again.")


def read_frames(paths: Iterable[str]) -> pd.DataFrame:
    """The frames (Parquet or CSV) at `paths`, one under another; errors as of `read_frame`."""
    return stacked([read_frame(path) for path in paths])


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The frames one under another; those without rows may have other columns."""
    import pandas as pd

    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def resource(package: str, name: str) -> str:
    """The text of a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


_WRONG_VALUES = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
"""What YAML's reader raises, besides its own errors, for values such as the date 2020-99-99 or too deep nesting."""

_MOST_BYTES = 1_000_000


def read_configuration(paths: Iterable[AnyPath]) -> dict[Any, Any]:
    """The configuration of several YAML files, each laid over the ones before it key by key, as Snakemake does.

    A ValueError names the file, and the line where YAML tells it.
    """
    return reduce(_merged_configuration, (_read_yaml(Path(path)) for path in paths), {})


def _merged_configuration(below: Mapping[Any, Any], above: Mapping[Any, Any]) -> dict[Any, Any]:
    """Both mappings: where both have a mapping under a key, both of these, else the value of `above`."""
    both = {
        key: _merged_configuration(below[key], value)
        for key, value in above.items()
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
    }
    return {**below, **above, **both}


def _read_yaml(path: Path) -> Mapping[Any, Any]:
    import yaml  # most of this module does without

    data = path.read_bytes()
    if len(data) > _MOST_BYTES:
        raise ValueError(f"configuration {path}: has {len(data):,} bytes, and {_MOST_BYTES:,} are enough; shorten it.")
    try:
        value = yaml.safe_load(data)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        problem = quoted(str(getattr(error, "problem", None) or error))
        raise ValueError(f"configuration {path}{line}: not readable as YAML ({problem}); fix it.") from None
    except _WRONG_VALUES as error:
        raise ValueError(f"configuration {path}: a value is not readable ({quoted(str(error))}); fix it.") from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"configuration {path}: holds {quoted(value)}, not keys with values; fix it.")
    return value


# --- checksums -------------------------------------------------------------------------------------

FOLDER = ".checksums"

MOST_NAMED = 5
"""Damaged files that are named; of more, the number is given."""


def sha256(path: AnyPath) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def note(paths: Iterable[AnyPath]) -> None:
    """Write down the checksums of files as they are now."""
    for path in paths:
        write_text(f"{sha256(path)}  {Path(path).name}\n", _note_of(Path(path)))


def forget(paths: Iterable[AnyPath]) -> None:
    """Remove the notes of files that are about to be rewritten, and what a killed job has left of such notes."""
    for path in paths:
        written = _note_of(Path(path))
        for file in (written, *leftovers(written)):
            file.unlink(missing_ok=True)


def noted(folder: AnyPath) -> list[Path]:
    """The files under `folder` whose checksums are written down."""
    notes = sorted(Path(folder).rglob(f"{FOLDER}/*.sha256"))
    return [path.parents[1] / path.name.removesuffix(".sha256") for path in notes]


def is_noted(path: AnyPath) -> bool:
    """Whether the checksum of a file is written down."""
    return _note_of(Path(path)).is_file()


def refuse_damaged(paths: Iterable[AnyPath]) -> None:
    """Refuse, by a ValueError that names them, files that are not as they were when their checksums were written down.

    Files without a note, and files that are gone, pass.
    """
    damaged = [str(path) for path in paths if _is_damaged(Path(path))]
    if not damaged:
        return
    more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
    raise ValueError(
        f"{', '.join(damaged[:MOST_NAMED])}{more}: damaged or changed since the job that wrote it (another checksum); "
        "delete it and run again."
    )


def _note_of(path: Path) -> Path:
    return path.parent / FOLDER / f"{path.name}.sha256"


def _is_damaged(path: Path) -> bool:
    written = _note_of(path)
    return (
        path.is_file() and is_noted(path) and written.read_text(encoding="utf-8").split() != [sha256(path), path.name]
    )
