"""The explorer of the published snapshot, whose evidence has results of most studies but no predictions."""

import pandas as pd
import pytest
from browsing import opened, started
from builders import ROOT

from treecrf.explorer.gathering import gather
from treecrf.explorer.page import render_explorer
from treecrf.io.configuration import read_configuration
from treecrf.studies.settings import load_settings

SNAPSHOT = ROOT / "docs/results"


@pytest.fixture(scope="session")
def settings():
    given = read_configuration([str(ROOT / "config/config.yaml")])
    return load_settings(given | {"results": str(SNAPSHOT / "evidence")})


@pytest.fixture(scope="session")
def ledger():
    return [pd.read_csv(SNAPSHOT / name, keep_default_na=False) for name in ("claims.csv", "claims_by_rule.csv")]


@pytest.fixture(scope="session")
def gathered(settings):
    return gather(settings)


@pytest.fixture(scope="session")
def html(settings, gathered, ledger):
    headlines = {"training": "TreeCRF <wins> & loses."}
    return render_explorer(settings, gathered, *ledger, headlines)


@pytest.fixture(scope="session")
def file(html, tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def chromium():
    """A browser without a network."""
    with started() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def browser(chromium, file):
    """A tab with the page."""
    with opened(chromium, file) as browser:
        yield browser
