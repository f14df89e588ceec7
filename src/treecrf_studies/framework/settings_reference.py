"""Table of all configuration keys, from the descriptions of the settings.

``python -m treecrf_studies.framework.settings_reference`` writes it into ``config/README.md`` of the working folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from treecrf.io.files import write_text
from treecrf_studies.framework.settings import BuiltinDataset, Settings, TableDataset
from treecrf_studies.options import LabellerSettings

BEGIN, END = "<!-- keys: begin -->", "<!-- keys: end -->"
"""Lines of config/README.md around the reference."""

BOUNDS = ((Ge, "ge", "at least"), (Gt, "gt", "above"), (Le, "le", "at most"), (Lt, "lt", "below"))
"""Constraints of numbers, and how the reference words them."""


def reference() -> str:
    """The keys of a configuration as Markdown: a table of the outermost keys, then one for each of their parts."""
    studies: dict[str, type[BaseModel]] = {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
    tables: dict[str, type[BaseModel]] = {
        "The file": Settings,
        "A data set of the package, in `datasets`": BuiltinDataset,
    }
    tables |= {"A table, in `datasets`": TableDataset, "A class, in `labellers`": LabellerSettings}
    tables |= {f"`{name}`": model for name, model in studies.items()}
    return "\n\n".join(f"### {title}\n\n{_table(model)}" for title, model in tables.items())


def update(text: str) -> str:
    """The text of ``config/README.md`` with the present reference between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}"


def _table(model: type[BaseModel]) -> str:
    rows = [
        _row(field.alias or name, field)
        for name, field in model.model_fields.items()
        if name != "labellers" or model is Settings  # each study gets the configuration's
    ]
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])


def _row(name: str, field: FieldInfo) -> str:
    choices = ", ".join(f"`{value}`" for value in _literals(field.annotation))
    meaning = " ".join([field.description or choices, *_range(field.metadata)])
    return f"| `{name}` | {_default(field)} | {meaning.replace('|', chr(92) + '|')} |"


def _range(metadata: Iterable[Any]) -> Iterator[str]:
    """The bounds of a number as a sentence, where it has any."""
    bounds = [
        f"{words} {getattr(each, key)}" for each in metadata for kind, key, words in BOUNDS if isinstance(each, kind)
    ]
    if bounds:
        yield f"{' and '.join(bounds).capitalize()}."


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, BaseModel):
        return "see below"
    return f"`{json.dumps(to_jsonable_python(value))}`"


def _literals(annotation: Any) -> list[Any]:
    inner = get_args(annotation)
    if get_origin(annotation) in (Union, UnionType):
        return [value for part in inner for value in _literals(part)]
    return list(inner)


if __name__ == "__main__":
    page = Path("config/README.md")
    write_text(update(page.read_text(encoding="utf-8")), page)
