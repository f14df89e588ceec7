"""The file of rivals: what the jobs of a run found, so that another run need not train the same methods.

A Parquet file with the rows of all frames of these jobs under one another (columns `job` and `frame` say whose a row is, other
columns are empty where a frame has none), and of the frames that say what all methods share: folds and holes. The metadata
say what the jobs were given and where the file comes from.
"""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from treecrf.io.files import atomic
from treecrf.io.messages import listed, quoted
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FILE = "treecrf-rivals.parquet"
FORMAT = "treecrf.rivals/1"
_KEY = b"treecrf"
_KEYS = ("job", "frame")


class RivalJob(NamedTuple):
    """What names a job: a study, its function, a data set and a method; without a method, what all methods share."""

    study: str
    function: str
    dataset: str
    method: str = ""

    @property
    def name(self) -> str:
        """As the column job has it."""
        return "/".join(filter(None, self))


@dataclass
class Found:
    """What a job was given and what it found.

    Attributes
    ----------
    job : RivalJob
    given : mapping
        JSON values: settings, seed, window, and whatever else decides the outcome.
    data : mapping of str to str
        `set_digest` of each set that it saw, by side.
    frames : mapping of str to DataFrame
    """

    job: RivalJob
    given: Mapping[str, Any]
    data: Mapping[str, str]
    frames: Mapping[str, pd.DataFrame]


def set_digest(data: SequenceSet) -> str:
    """SHA-256 of everything in a set, in hexadecimal digits."""
    digest = hashlib.sha256()
    names = [[[a.name, list(a.categories), a.ordered] for a in data.attributes], data.label_names, data.number_names]
    digest.update(json.dumps(names).encode())
    arrays = (data.values, data.numbers, data.labels, data.offsets, data.observation_offsets, data.groups)
    for array in arrays:
        if array is not None:
            digest.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def given_to(values: Mapping[str, Any], method: str) -> dict[str, Any]:
    """What a job was given, for one of its methods, from what the workflow gives it for all."""
    rest = {name: value for name, value in values.items() if name not in ("settings", "own_code", "imported")}
    return {**values["settings"][method], **rest}


def write_rivals(path: str | os.PathLike[str], found: Iterable[Found], origin: Mapping[str, Any]) -> None:
    """Write the file.

    Parameters
    ----------
    path : path-like
    found : iterable of Found
    origin : mapping
        JSON values: where the results come from, such as date, commit and machine.
    """
    import pyarrow as pa
    from pyarrow import parquet

    jobs, tables = [], []
    for each in found:
        schemas = {}
        for name, frame in each.frames.items():
            table = pa.Table.from_pandas(frame, preserve_index=False)
            schemas[name] = b64encode(table.schema.serialize().to_pybytes()).decode()
            tables.append(_plain(table, each.job.name, name))
        jobs.append({"job": each.job, "given": each.given, "data": each.data, "schemas": schemas})
    whole = pa.concat_tables(tables, promote_options="permissive")
    header = json.dumps({"format": FORMAT, "origin": origin, "jobs": jobs})
    with atomic(path) as temporary:
        parquet.write_table(whole.replace_schema_metadata({_KEY: header}), temporary, compression="zstd")


def _plain(table: pa.Table, job: str, frame: str) -> pa.Table:
    """A frame with the columns that tell frames apart, its texts as texts."""
    import pyarrow as pa

    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        is_text = pa.types.is_dictionary(field.type) or pa.types.is_large_string(field.type)
        columns[field.name] = column.cast(pa.string()) if is_text else column
    keys = {name: pa.array([text] * len(table), pa.string()) for name, text in zip(_KEYS, (job, frame), strict=True)}
    return pa.table(keys | columns)


class Rivals:
    """A file of rivals.

    Parameters
    ----------
    path : path-like

    Attributes
    ----------
    origin : dict
        Where it comes from.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence, if it is not such a file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.path = os.fspath(path)
        if not os.path.isfile(self.path):
            raise FileNotFoundError(
                f"rivals: there is no file {self.path}; correct the path, or make it with make rivals."
            )
        try:
            header = json.loads((parquet.read_schema(self.path).metadata or {}).get(_KEY, b"{}"))
        except (pa.ArrowException, OSError, ValueError):
            header = {}
        if header.get("format") != FORMAT:
            raise ValueError(f"rivals: {self.path} is no file of rivals; make one with make rivals.")
        self.origin: dict[str, Any] = header["origin"]
        self._jobs = {RivalJob(*each["job"]): each for each in header["jobs"]}

    @property
    def jobs(self) -> list[RivalJob]:
        """What it has."""
        return list(self._jobs)

    def __contains__(self, job: RivalJob) -> bool:
        return job in self._jobs

    def refuse_other_settings(self, job: RivalJob, given: Mapping[str, Any]) -> None:
        """Raise a ValueError, one sentence, if the job was given anything else than `given`."""
        there, here = self._jobs[job]["given"], json.loads(json.dumps(given))
        if there == here:
            return
        name, old, new = _first_difference(there, here)
        raise ValueError(
            f"rivals: {job.method} of {job.study} on {job.dataset} was run with {name}: {old}, and here it is {new}; take the "
            f"value of {self.path}, or leave out rivals."
        )

    def refuse_other_data(self, job: RivalJob, data: Mapping[str, str]) -> None:
        """Raise a ValueError, one sentence, if the job saw other sets; `data` has their digests by side."""
        for side, digest in self._jobs[job]["data"].items():
            if data.get(side) != digest:
                raise ValueError(
                    f"rivals: the {side} set of {job.dataset} is not the one that {self.path} was made with; make it anew, or "
                    "leave out rivals."
                )

    def refuse_other_parts(self, job: RivalJob, frames: Mapping[str, pd.DataFrame]) -> None:
        """Raise a ValueError, one sentence, if what methods share on these data is not what this version makes of them."""
        if job not in self._jobs:
            return
        for name, frame in self.frames(job).items():
            if not frame.equals(frames[name]):
                raise ValueError(
                    f"rivals: the {name} of {job.dataset} are not those that {self.path} was made with, although the data are "
                    "the same; make it anew with these versions of the packages."
                )

    def frames(self, job: RivalJob) -> dict[str, pd.DataFrame]:
        """The frames of a job as it found them, by name.

        Raises
        ------
        KeyError
            If the file does not have the job.
        """
        import pyarrow as pa
        from pyarrow import parquet

        rows = parquet.read_table(self.path, filters=[("job", "==", job.name)])
        found = {}
        for name, text in self._jobs[job]["schemas"].items():
            schema = pa.ipc.read_schema(pa.py_buffer(b64decode(text)))
            part = rows.filter(pa.compute.equal(rows["frame"], name))
            columns = [_restored(part[field.name], field.type) for field in schema]
            found[name] = pa.table(columns, schema=schema).to_pandas()
        return found

    def __repr__(self) -> str:
        return f"Rivals({self.path}: {listed(dict.fromkeys(job.method for job in self._jobs if job.method), str)})"


def _restored(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | pa.Array:
    import pyarrow as pa

    if pa.types.is_null(kind):
        return pa.nulls(len(column))
    return column.combine_chunks().dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind)


def _first_difference(there: Any, here: Any, name: str = "") -> tuple[str, str, str]:
    """Name and both values of the first JSON value that differs."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*there, *(key for key in here if key not in there)]:
            if there.get(key) != here.get(key):
                return _first_difference(there.get(key), here.get(key), key)
    return name, quoted(there), quoted(here)
