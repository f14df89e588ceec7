"""Two runs compared: settings that differ, numbers that differ, verdicts that flip."""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pandas as pd

from treecrf.io.files import write_frame
from treecrf.io.messages import counted, quoted
from treecrf.io.process import GIB
from treecrf_studies.framework.claims.judge import NOT_RUN
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import DASH
from treecrf_studies.rendering.parts import Page, Part, Section, Table, paragraph
from treecrf_studies.rendering.site import write_site
from treecrf_studies.report.archive import MANIFEST, MOST_FILES, listed_files, read_manifest, short_commit
from treecrf_studies.report.claim_pages import AS_JUDGED
from treecrf_studies.report.ledger import BY_RULE, CLAIMS
from treecrf_studies.report.papers import verdict_text
from treecrf_studies.report.provenance import dotted

RESULTS = "results"
"""Folder of results in that of a run on one's own data."""

PARTS = ("settings", "code", "commit", "versions", "machine", "raw_files")
"""Keys of a manifest that are compared."""

OF_STUDIES = ("settings", "code")
"""Those whose values begin with the name of a study, or of `CLAIMS_CODE`."""

CLAIMS_CODE = "claims"
"""The code of all claims, beside that of studies."""

SETTINGS_COLUMNS = ["part", "name", "first", "second"]
NUMBERS_COLUMNS = ["study", "dataset", "frame", "row", "column", "first", "second", "difference"]
VERDICTS_COLUMNS = ["id", "rule", "first", "second", "statement"]

ROW = "(row)"
"""In place of a column, where only one run has the row; a file that only one run has is one such row without a name."""

PRESENT = "present"

MEASURED, MEASURED_UNITS = re.compile("seconds|memory", re.IGNORECASE), ("s", "times")
"""In names of columns, and units of rows, that are not compared, because measured times and memory always differ."""

MOST_ROWS = 200
"""Differing numbers that the page shows; the CSV file has all."""


@dataclass(frozen=True)
class Run:
    """The results of a finished run: its name, its folder of results, and its manifest."""

    name: str
    folder: Path
    manifest: Mapping[str, Any]

    def values(self, part: str) -> dict[str, Any]:
        """The values of a part of its manifest by their names."""
        content = self.manifest.get(part)
        if part == "raw_files":
            return {f"{file['data set']}: {file['file']}": file["SHA-256"] for file in content or []}
        return {name: "" if value is None else value for name, value in dotted(content).items()}

    def studies(self) -> set[str]:
        """Names of the studies that it has files of."""
        return {file["study"] for file in self.manifest["files"]}

    def frames(self) -> dict[str, tuple[Mapping[str, Any], pd.DataFrame]]:
        """Its CSV files of results by path, with what the manifest says of each; cells are texts as in the file."""
        listed = listed_files(self.folder, self.manifest, ("frame",), ".csv")
        return {file["path"]: (file, _read(path)) for file, path in listed}

    def verdicts(self) -> pd.DataFrame:
        """The verdict on each claim by each rule, with the words of the claim; indexed by id and rule."""
        columns = {CLAIMS: ["id", "statement", "verdict"], BY_RULE: ["id", "rule", "verdict"]}
        paths = {file["path"]: path for file, path in listed_files(self.folder, self.manifest, ("claims",), ".csv")}
        read = {name: _read(paths[name], *columns[name]) for name in columns if name in paths}
        judged = read.get(CLAIMS, pd.DataFrame(columns=columns[CLAIMS])).assign(rule=AS_JUDGED)
        other = read.get(BY_RULE, pd.DataFrame(columns=columns[BY_RULE]))
        other = other.merge(judged[["id", "statement"]], on="id")
        return pd.concat([judged, other])[["id", "rule", "verdict", "statement"]].set_index(["id", "rule"])


MOST_UNPACKED = 4 * GIB
"""Bytes of an archive that are unpacked, at most."""


@contextmanager
def open_run(path: str | os.PathLike[str]) -> Iterator[Run]:
    """A finished run in a folder of results, in a folder that has these as `RESULTS`, or in an archive.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no manifest, or the archive is damaged.
    """
    given = Path(path)
    if given.is_file():
        with tempfile.TemporaryDirectory(prefix="treecrf-") as folder:
            yield _unpacked(given, Path(folder))
        return
    results = next((each for each in (given, given / RESULTS) if (each / MANIFEST).is_file()), None)
    if results is None:
        raise FileNotFoundError(
            f"{given} has no {MANIFEST}; name the folder of results of a finished run, such as results, the folder of "
            "a run, such as runs/words-1, or an archive."
        )
    yield Run(str(given), results, read_manifest(results / MANIFEST))


def _unpacked(archive: Path, folder: Path) -> Run:
    try:
        with ZipFile(archive) as members:
            sizes = {member.filename: member.file_size for member in members.infolist()}  # no member gives more
            size = sum(sizes.values())
            if size > MOST_UNPACKED or len(sizes) > MOST_FILES:
                raise ValueError(
                    f"{archive} says that it holds {size:,} bytes in {counted(len(sizes), 'file')}, and a run has at "
                    f"most {MOST_UNPACKED:,} in {MOST_FILES:,}; take another archive."
                )
            manifest_member = min(
                (name for name in sizes if f"/{name}".endswith(f"/{MANIFEST}")), key=_depth, default=None
            )
            if manifest_member is None:
                raise ValueError(f"{archive} has no {MANIFEST}; name an archive that `make archive` wrote.")
            if (damaged := members.testzip()) is not None:
                raise BadZipFile(f"its part {damaged} has another checksum")
            below = manifest_member.removesuffix(MANIFEST)
            _write_member(members, manifest_member, folder / MANIFEST)
            manifest = read_manifest(folder / MANIFEST)
            for file in manifest["files"]:
                if below + file["path"] in sizes:
                    _write_member(members, below + file["path"], folder / file["path"])
    except _DAMAGE as error:
        raise ValueError(
            f"{archive} is damaged or not an archive of a run ({quoted(str(error))}); take another copy."
        ) from None
    return Run(str(archive), folder, manifest)


_DAMAGE = (
    BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    IsADirectoryError,
    NotADirectoryError,
    FileExistsError,
)
"""What zipfile raises where an archive is not what it wrote, and the system where a name is a file and a folder."""


def _depth(name: str) -> int:
    return name.count("/")


def _write_member(members: ZipFile, name: str, path: Path) -> None:
    """Write a member of an archive to a path, as a regular file whatever it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with members.open(name) as source, open(path, "xb") as out:
        shutil.copyfileobj(source, out)


def _read(path: Path, *columns: str) -> pd.DataFrame:
    """The texts of a CSV file, which must have some columns."""
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except ValueError as error:
        raise ValueError(f"{path.name} of the run is not CSV ({quoted(str(error))}); take another run.") from None
    for name in columns:
        if name not in frame:
            raise ValueError(f"{path.name} of the run has no column {name!r}; take another run.")
    return frame


# --- settings ---------------------------------------------------------------------------------------


def compare_settings(one: Run, other: Run) -> pd.DataFrame:
    """Settings, code, versions, machine and raw files that differ; of two lists, the items that the other one lacks.

    Settings and code of a study that neither has run are left out, and the code of claims where neither has judged one.

    Returns
    -------
    DataFrame of str
        `SETTINGS_COLUMNS`. A value that a manifest does not have is empty.
    """
    before, after = ({part: run.values(part) for part in PARTS} for run in (one, other))
    absent = {study.name for study in registry()} - one.studies() - other.studies()
    if not any((run.verdicts()["verdict"] != NOT_RUN).any() for run in (one, other)):
        absent.add(CLAIMS_CODE)
    rows = [
        (part, name, *_texts(before[part].get(name, ""), after[part].get(name, "")))
        for part in PARTS
        for name in dict.fromkeys([*before[part], *after[part]])
        if not (part in OF_STUDIES and name.partition(".")[0] in absent)
        and before[part].get(name, "") != after[part].get(name, "")
    ]
    return pd.DataFrame(rows, columns=SETTINGS_COLUMNS)


def _texts(before: Any, after: Any) -> tuple[str, str]:
    if isinstance(before, list) and isinstance(after, list):
        only = [[item for item in items if item not in others] for items, others in ((before, after), (after, before))]
        before, after = only if any(only) else (before, after)  # the same items in another order
    first, second = (value if isinstance(value, str) else json.dumps(value) for value in (before, after))
    return first, second


# --- numbers ----------------------------------------------------------------------------------------


def compare_numbers(one: Run, other: Run) -> tuple[pd.DataFrame, int]:
    """Values of the result files that differ, measured times and memory left out, and how many were compared.

    A row is named by the leading columns of its file that tell all rows apart.

    Returns
    -------
    DataFrame
        `NUMBERS_COLUMNS`: texts as in the files, and the second value minus the first where both are numbers.
    int
    """
    frames = [run.frames() for run in (one, other)]
    parts, n_compared = [pd.DataFrame(columns=NUMBERS_COLUMNS)], 0
    for path in dict.fromkeys([*frames[0], *frames[1]]):
        files = [of_run.get(path) for of_run in frames]
        if files[0] and files[1]:
            cells, n_cells = differing_cells(files[0][1], files[1][1])
            n_compared += n_cells
        else:
            cells = pd.DataFrame(
                [("", ROW, *(PRESENT if each else "" for each in files))], columns=NUMBERS_COLUMNS[3:7]
            )
        file = next(each for each in files if each)[0]
        parts.append(cells.assign(study=file["study"], dataset=file["dataset"], frame=Path(path).stem))
    return pd.concat(parts, ignore_index=True)[NUMBERS_COLUMNS], n_compared


def differing_cells(one: pd.DataFrame, other: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Cells of two frames of texts that differ, with their rows and columns, and how many both frames have.

    A row that only one frame has is one difference, in the column `ROW`.
    """
    pair = [frame[~frame["unit"].isin(MEASURED_UNITS)] if "unit" in frame else frame for frame in (one, other)]
    one, other = (frame[[name for name in frame if not MEASURED.search(str(name))]].drop_duplicates() for frame in pair)
    keys = row_keys(one, other)
    named_by = [key for key in keys if len({*one[key], *other[key]}) > 1]
    both = [_cells(frame, keys, named_by) for frame in (one, other)]
    cells = pd.concat(both, axis=1, keys=["first", "second"]).fillna("").reset_index()
    is_row = cells["column"] == ROW
    alone = cells.loc[is_row & (cells["first"] != cells["second"]), "row"]
    is_alone = cells["row"].isin(alone)
    numbers = cells[["first", "second"]].apply(pd.to_numeric, errors="coerce").astype(float)
    cells["difference"] = numbers["second"] - numbers["first"]
    differs = (cells["first"] != cells["second"]) & (cells["difference"] != 0) & (~is_alone | is_row)
    return cells[differs], int((~is_alone & ~is_row).sum())


def row_keys(*frames: pd.DataFrame) -> list[str]:
    """The leading columns that tell the rows of each frame apart, as few as possible."""
    shared = [str(name) for name in frames[0] if all(name in frame for frame in frames)]
    n_keys = next(
        (n for n in range(1, len(shared)) if not any(frame.duplicated(shared[:n]).any() for frame in frames)),
        len(shared),
    )
    return shared[:n_keys]


def _cells(frame: pd.DataFrame, keys: Sequence[str], named_by: Sequence[str]) -> pd.Series:
    """The cells of a frame, but for those of `keys`, by row and column; rows have the values of `named_by` as names."""
    names = [
        ", ".join(f"{key} {value}" for key, value in zip(named_by, row, strict=True) if value)
        for row in frame[named_by].to_numpy()
    ]
    named = frame.drop(columns=keys).assign(**{"row": names, ROW: PRESENT})
    text = "text of the cell"  # no column of a frame is called so
    return named.melt("row", var_name="column", value_name=text).set_index(["row", "column"])[text]


# --- verdicts ---------------------------------------------------------------------------------------


def compare_verdicts(one: Run, other: Run) -> tuple[pd.DataFrame, int]:
    """Verdicts on claims that flip, as judged and by other rules, and the number of claims that both runs have and at
    least one has run.

    Returns
    -------
    DataFrame of str
        `VERDICTS_COLUMNS`.
    int
    """
    first = one.verdicts()["verdict"].rename("first")
    both = other.verdicts().rename(columns={"verdict": "second"}).join(first, how="inner").reset_index()
    both = both[(both["first"] != NOT_RUN) | (both["second"] != NOT_RUN)]
    return both.loc[both["first"] != both["second"], VERDICTS_COLUMNS], both["id"].nunique()


# --- page -------------------------------------------------------------------------------------------


def write_comparison(
    first: str | os.PathLike[str], second: str | os.PathLike[str], folder: str | os.PathLike[str]
) -> str:
    """Write the comparison of two runs into a folder: ``settings.csv``, ``numbers.csv``, ``verdicts.csv``,
    and a page that shows them, as Markdown and as HTML (`treecrf_studies.rendering.site.PAGE`). The page has no
    verdicts where no claim was run.

    `first` and `second` are as for `open_run`. The text that is returned says how much differs.

    Raises
    ------
    FileNotFoundError, ValueError
        If one of them is not a finished run, or a file is not the one that its manifest lists.
    """
    place = Path(folder)
    with open_run(first) as one, open_run(second) as other:
        settings, (numbers, n_numbers), (verdicts, n_claims) = (
            compare_settings(one, other),
            compare_numbers(one, other),
            compare_verdicts(one, other),
        )
    n_alone, n_flipped = int((numbers["column"] == ROW).sum()), int((verdicts["rule"] == AS_JUDGED).sum())
    said = (
        f"Settings, versions and raw files that differ: {len(settings):,}. Numbers that differ: "
        f"{len(numbers) - n_alone:,} of {n_numbers:,}{f'; rows of one run only: {n_alone:,}' * bool(n_alone)}."
        + f" Verdicts that flip: {n_flipped:,} of {n_claims:,}."
        * bool(n_claims)
    )
    for name, frame in (("settings", settings), ("numbers", numbers), ("verdicts", verdicts)):
        write_frame(frame, place / f"{name}.csv")  # the page links to what is there
    worded = verdicts.assign(**{name: verdicts[name].map(verdict_text) for name in ("first", "second")})
    sections = [
        Section(name, title, _shown(frame, caption))
        for name, title, caption, frame in (
            ("settings", "Settings that differ", "Settings, code, versions, machine and raw files", settings),
            ("numbers", "Numbers that differ", "Values in the result files", numbers),
            ("verdicts", "Verdicts that flip", "Verdicts as judged and by other rules", worded),
        )
        if n_claims or name != "verdicts"
    ]
    runs = Table("Runs", pd.DataFrame([_about("first", one), _about("second", other)]))
    title = "Comparison of two runs"
    page = Page("index.md", title, sections, [paragraph("{said}", said=said), runs])
    write_site([page], place, "treecrf: comparison")
    return said


def _about(place: str, run: Run) -> dict[str, str]:
    return {
        "run": place,
        "name": run.name,
        "written (UTC)": str(run.manifest["written"])[:16].replace("T", " "),
        "commit": short_commit(run.manifest) or DASH,
        "machine": str(run.manifest.get("machine", DASH)),
    }


def _shown(frame: pd.DataFrame, caption: str) -> list[Part]:
    """The first rows of a frame."""
    if frame.empty:
        return [paragraph("None.")]
    texts = frame.head(MOST_ROWS).map(lambda value: f"{value:+.6g}" if isinstance(value, float) else value)
    table = Table(caption, texts.replace({"": DASH, "+nan": DASH}))
    if len(frame) <= MOST_ROWS:
        return [table]
    return [paragraph("The first {shown} of {n}; the CSV file has all.", shown=MOST_ROWS, n=f"{len(frame):,}"), table]
