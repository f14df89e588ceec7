"""HTML tables: headings, and sorting in a browser."""

import re
import shutil
import subprocess

import pandas as pd
import pytest

from treecrf_studies.rendering.layouts import to_html

SORTED = {
    ("x", 1): ["−2.5*", "<0.001", "0.001", "3–7", "12", "1,000", "–"],
    ("x", 2): ["1,000", "12", "3–7", "0.001", "<0.001", "−2.5*", "–"],
    ("x", 3): ["12", "–", "0.001", "−2.5*", "1,000", "<0.001", "3–7"],
    ("method", 1): ["CRF-2", "CRF-10", "MEMM", "MEMM", "MEMM", "MEMM", "MEMM"],
}
"""What a column shows after a number of clicks on its heading."""


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not there")
@pytest.mark.parametrize(("column", "clicks"), SORTED)
def test_tables_are_sorted_by_number_and_stably(tmp_path, column, clicks):
    frame = pd.DataFrame({"method": ["CRF-10", "CRF-2", *["MEMM"] * 5], "x": SORTED["x", 3]})
    place = list(frame).index(column)
    script = f"""
    const head = document.querySelectorAll("thead th")[{place}];
    for (let i = 0; i < {clicks}; i++) head.querySelector("button").click();
    const texts = [...document.querySelectorAll("tbody tr")].map((row) => row.cells[{place}].textContent);
    document.body.dataset.shown = [head.getAttribute("aria-sort"), ...texts].join(";");
    """
    page = tmp_path / "table.html"
    html = to_html(frame, "a table").replace("</body>", f"<script>{script}</script></body>")
    page.write_text(
        re.sub("script-src 'sha256-[^']+'", "script-src 'unsafe-inline'", html)
    )  # for the script of this test
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--dump-dom",
        f"--user-data-dir={tmp_path / 'u'}",
    ]
    dump = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout
    shown = re.search('data-shown="([^"]*)"', dump)[1].replace("&lt;", "<").split(";")
    assert shown == [["ascending", "descending", "none"][clicks - 1], *SORTED[column, clicks]]
