"""The system's Chromium, which finds no host, through Playwright."""

import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def started():
    """Chromium; the test is skipped where there is none, or no Playwright."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium is installed: pages are not opened")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pages are not opened")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"]
        )
        yield chromium
        chromium.close()
