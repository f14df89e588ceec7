"""Pages with texts that people named, in Chromium: shown as text, and no script runs but the page's own."""

import pandas as pd
from browsing import opened
from markupsafe import Markup

from treecrf.rendering.layouts import to_html
from treecrf.rendering.templates import render_page

RUN = "document.title = 'run'"
TEXTS = (
    f"<script>{RUN}</script>", f"</script><script>{RUN}</script>", f'"><img src=x onerror="{RUN}">', f"' onmouseover='{RUN}",
    f"<svg onload=\"{RUN}\">", "{{ 7 * 7 }}", "a\u2028b\u2029c", "| a | b |", "ü" * 300, f"javascript:{RUN}", "&lt;b&gt;", "]]>-->",
)  # fmt: skip


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
