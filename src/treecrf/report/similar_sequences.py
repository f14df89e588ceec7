"""Table of related sequences, from the descriptions of data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treecrf.rendering.cells import count_text, grouped
from treecrf.rendering.parts import Part, Table, paragraph

NOTE = """
What is chosen or tested on a sequence is too good where a relative of it has trained. Related sequences are therefore kept
together in folds and hold-outs, and count as one in tests. Which are related is a setting of the data set (<code>groups</code>); the other
columns say what there would be under other rules. Words have more in common than whole texts: short ones share a run by chance.
"""


def relatives_table(descriptions: Mapping[str, Mapping[str, Any]]) -> list[Part]:
    """How many groups of related sequences there are, as kept together and by other rules; nothing without data sets."""
    if not descriptions:
        return []
    named = list(descriptions.values())
    columns = {
        ("", "data set"): list(descriptions),
        ("kept together", "training sequences"): _counts(each["train"]["sequences"] for each in named),
        ("kept together", "in groups"): _counts(each["train"]["groups"] for each in named),
    }
    for place, found in enumerate(named[0]["relatives"]):
        group = relation_text(found["rule"])
        columns[group, "groups"] = _counts(each["relatives"][place]["groups"] for each in named)
        columns[group, "tests with a relative"] = _counts(each["relatives"][place]["related_tests"] for each in named)
    return [paragraph(NOTE), Table("Related sequences", grouped(columns))]


def relation_text(rule: str | Mapping[str, Any]) -> str:
    """A rule of `treecrf.datasets.grouping.find_groups` in words."""
    return rule if isinstance(rule, str) else f"> {rule['share']:.0%} of runs of {rule['length']} in common"


def _counts(values: Any) -> list[str]:
    return [count_text(value) for value in values]
