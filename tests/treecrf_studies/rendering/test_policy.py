"""Pages with texts that people named, in Chromium: shown as text, and no script runs but the page's own."""

import re

import numpy as np
import pandas as pd
from browsing import RUN, TEXTS, opened
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from treecrf.pages.viewer import Viewed, render_viewer
from treecrf_studies.rendering.layouts import to_html, to_markdown
from treecrf_studies.rendering.templates import render_page


def test_what_people_named_is_shown_as_text(chromium, tmp_path):
    frame = pd.DataFrame({text: [text, number] for number, text in enumerate(TEXTS)})
    (tmp_path / "page.html").write_text(to_html(frame, " ".join(TEXTS)), encoding="utf-8")
    with opened(chromium, tmp_path / "page.html") as browser:
        browser.tab.goto((tmp_path / "page.html").as_uri())
        cells = browser.tab.locator("tbody tr").first.locator("th, td").all_text_contents()
        assert browser.tab.title() == "treecrf: a table"
        assert [" ".join(cell.split()) for cell in cells] == [" ".join(text.split()) for text in TEXTS]
        assert browser.problems == []
        assert browser.tab.locator("thead button").count() == len(TEXTS)  # the page's own script has run


def test_a_script_that_is_not_the_pages_own_does_not_run(chromium, tmp_path):
    wrong = Markup(f'<p>there</p><script>{RUN}</script><img src=x onerror="{RUN}">')  # as if it had been trusted
    (tmp_path / "page.html").write_text(render_page("table_page.html", title="safe", table=wrong), encoding="utf-8")
    with opened(chromium, tmp_path / "page.html") as browser:
        browser.tab.goto((tmp_path / "page.html").as_uri())
        assert browser.tab.locator("p").first.text_content() == "there"
        assert browser.tab.title() == "safe"
        assert sum("Content Security Policy" in problem for problem in browser.problems) >= 2


def test_tables_in_markdown_show_text():
    texts = (*TEXTS, "[a](javascript:b)", "![a](b)", "`a`", "*a* _b_", "&amp;", "a\\", "a\nb")
    html = MarkdownIt("commonmark").enable("table").render(to_markdown(pd.DataFrame({text: [text] for text in texts})))
    head, cells = (re.findall(f"<{tag}(?: [^>]*)?>(.*?)</{tag}>", html, re.DOTALL) for tag in ("th", "td"))
    shown = [
        str(escape(re.sub("[\n\u2028\u2029]", " ", text))).replace("&#34;", "&quot;").replace("&#39;", "'")
        for text in texts
    ]
    assert head == cells == shown


def test_the_page_of_explain_shows_text(chromium, tmp_path):
    n = len(TEXTS)
    names = [f"{number} {text}" for number, text in enumerate(TEXTS)]
    confusion = pd.DataFrame(np.eye(n, dtype=int), index=names, columns=names)
    importance = pd.DataFrame({"attribute": names, "lost": 1.0, "low": 0.5, "high": 2.0})
    rows, codes = pd.DataFrame({TEXTS[0]: names, TEXTS[1]: names}), np.arange(n)
    viewed = Viewed([TEXTS[0]], np.array([0, n]), rows, names, np.eye(n), codes, codes[::-1])
    html = render_viewer(" ".join(TEXTS), viewed, note=TEXTS[1], confusion=confusion, importance=importance)
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    with opened(chromium, tmp_path / "page.html") as browser:
        browser.tab.goto((tmp_path / "page.html").as_uri())
        words = browser.tab.locator(".word").all_text_contents()
        assert words == names
        inputs = browser.tab.locator("#inspector dl").last
        assert inputs.locator("dt").all_text_contents() == list(TEXTS[:2])
        assert inputs.locator("dd").all_text_contents() == names[:1] * 2
        heads = browser.tab.locator("table.confusion tbody th").all_text_contents()
        assert heads == names
        assert browser.tab.title().startswith(TEXTS[0])
        assert browser.problems == []
