"""Pages in the system's Chromium, which finds no host, through Playwright."""

import time
from contextlib import contextmanager

SECONDS = 60

RUN = "document.title = 'run'"
TEXTS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f'"><img src=x onerror="{RUN}">',
    f"' onmouseover='{RUN}",
    f'<svg onload="{RUN}">',
    "{{ 7 * 7 }}",
    "a\u2028b\u2029c",
    "| a | b |",
    "ü" * 300,
    f"javascript:{RUN}",
    "&lt;b&gt;",
    "]]>-->",
)
"""What people may have named."""


class Browser:
    """A tab that shows one file, and what went wrong in it.

    `problems` are requests for anything but the file, errors of scripts, errors and warnings of the console; `view`
    fails on them.
    """

    def __init__(self, tab, file):
        self.tab, self._address = tab, file.resolve().as_uri()
        self.problems = []
        tab.on("request", self._requested)
        tab.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        tab.on(
            "console",
            lambda message: message.type in ("error", "warning") and self.problems.append(f"console: {message.text}"),
        )

    def _requested(self, request):
        if not request.url.startswith((self._address, "data:", "blob:")):
            self.problems.append(f"request: {request.url}")

    def view(self, fragment):
        """Open the page at a fragment; returns the view once its charts are drawn."""
        self.tab.goto("about:blank")
        self.tab.goto(f"{self._address}#{fragment}")
        return self.shown()

    def shown(self):
        """The view that the address names, once its charts are drawn."""
        # Playwright's wait_for_function evaluates text in the page, which the page's Content-Security-Policy forbids.
        end = time.monotonic() + SECONDS
        while not self.tab.evaluate(DRAWN):
            assert time.monotonic() < end, f"{self.tab.url} is not drawn after {SECONDS} s: {self.problems}"
            self.tab.wait_for_timeout(20)
        assert self.problems == []
        return self.tab.locator("[data-view]")


DRAWN = """document.body.dataset.shown === location.hash
    && [...document.querySelectorAll("[data-view] .drawing")].every((place) => place.querySelector("svg"))"""


@contextmanager
def opened(chromium, file, **options):
    """A `Browser` with a file."""
    context = chromium.new_context(**({"viewport": {"width": 1200, "height": 900}} | options))
    context.set_default_timeout(1_000 * SECONDS)
    yield Browser(context.new_page(), file)
    context.close()
