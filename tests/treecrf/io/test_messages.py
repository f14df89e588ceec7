"""Texts of errors and warnings: counts, and where a warning says that it comes from."""

import ast
import re
from pathlib import Path

import pytest

import treecrf
from treecrf.io.messages import counted, warn, warned_once


def test_one_thing_is_singular():
    assert [counted(number, "row") for number in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [counted(number, "leaf", "leaves") for number in (1, 2)] == ["1 leaf", "2 leaves"]


NOUNS = (
    *("sequence", "position", "observation", "row", "column", "cell", "label", "group"),
    *("iteration", "file", "attribute", "tree", "split", "expert"),
)


@pytest.mark.parametrize("path", sorted(Path(treecrf.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_things_are_counted_by_the_helper(path):
    """A number in a text does not stand before a plural, unless it is part of a whole that the helper counts."""
    plural = re.compile(rf" ({'|'.join(NOUNS)})s\b")
    for text in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(text, ast.JoinedStr):
            continue
        for number, after in zip(text.values, text.values[1:], strict=False):
            if isinstance(number, ast.FormattedValue) and isinstance(after, ast.Constant):
                written = ast.unparse(number.value)
                is_number = re.match(r"len\(|.*\.n_\w+$|n_\w+$", written)
                assert not (is_number and plural.match(after.value)), f"line {text.lineno}: counted({written}, ..)"


def test_a_warning_is_of_the_line_that_called(recwarn):
    with warned_once():
        warn("one")
        warn("one")
        with warned_once():
            warn("one")
            warn("two")
    warn("one")
    assert [str(each.message) for each in recwarn] == ["one", "two", "one"]
    assert {each.filename for each in recwarn} == {__file__}
