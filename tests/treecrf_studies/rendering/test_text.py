"""Text from data in Markdown: whatever people named, readers see it as it is."""

import re
from html import unescape

import pytest
from browsing import TEXTS
from hypothesis import given
from hypothesis import strategies as st
from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers.mdit import create_md_parser

from treecrf_studies.rendering.parts import Markdown, code, escaped, link, md, slug
from treecrf_studies.rendering.site import CONFIGURATION

NAMED = (
    *TEXTS,
    "[a](javascript:b)",
    "![a](b)",
    "`a`",
    "*a* _b_",
    "&amp;",
    "a\\",
    "# a",
    "1. a",
    "- a",
    "a_b",
    "http://a.b",
)
NAMED += ("$x$", "{ref}`a`", "a ~~b~~", "www.a.org", "+ a", "= a", ":::", "> a", "me@host.org", "(a)=", "^a^", "a|b")


def html_of(text):
    """What MyST makes of a page, with the settings of a site."""
    disabled = CONFIGURATION["myst_disable_syntax"]
    parser = create_md_parser(MdParserConfig(disable_syntax=disabled), DocutilsRenderer)
    tokens = parser.parse(text)
    return "".join(_words(token) for token in tokens), [token.type for token in tokens]


def _words(token):
    kinds = {"text", "code_inline", "text_special"}
    children = token.children or []
    wrong = [each.type for each in children if each.type not in {*kinds, "softbreak"}]
    assert wrong == []
    return "".join(each.content for each in children)


@pytest.mark.parametrize("text", NAMED)
def test_what_people_named_is_text(text):
    words, kinds = html_of(md("{text}", text=text))
    assert kinds == ["paragraph_open", "inline", "paragraph_close"]
    shown = " ".join(re.sub("[\u2028\u2029\n]+", " ", text).split())
    assert " ".join(unescape(words).split()) == " ".join(unescape(shown).split()) or words.split() == shown.split()


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip))
def test_no_text_is_markup(text):
    words, kinds = html_of(f"a {escaped(text)}")
    assert kinds == ["paragraph_open", "inline", "paragraph_close"]
    assert words.split() == f"a {text}".split()


def test_markdown_joins_as_it_is_and_text_is_escaped():
    assert md("*{a}* {b}", a="<b>", b=Markdown("**b**")) == r"*\<b\>* **b**"
    assert link("a]b", "claims.md#x") == r"[a\]b](site:claims.md#x)"
    assert code("a`b") == "``a`b``"


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Accuracy, published vs reproduced (tables 3.4 and 3.5)", "accuracy-published-vs-reproduced-tables-34-and-35"),
        (r"faq\_ai\_general", "faq_ai_general"),
        ("Table 3.5", "table-35"),
    ],
)
def test_anchors_are_those_of_code_hosts(title, anchor):
    assert slug(title) == anchor
