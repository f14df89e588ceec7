"""The table of settings that differ from the protocol."""

import re

from runs import NOTHING, check, page_of

from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.run_page import differing_layout, differing_parts


def settings_of(**values):
    return load_settings({"profile": "own", "datasets": {"hmm": {}, "xor": {}}, **NOTHING, **values})


def test_values_are_written_as_the_configuration_writes_them():
    training = {"datasets": ["hmm", "xor"], "variances": [1, 2.5], "overrides": {"xor": {"n_folds": 2}}}
    reasons = {"training.xor.n_folds": "few <sequences>"}
    layout = differing_layout(settings_of(training=training, reasons=reasons).differences)
    assert layout.to_numpy().tolist() == [
        ["training", "all", "variances", "[1.0, 5.0, 10.0, 20.0]", "[1.0, 2.5]", "not given"],
        ["training", "xor", "n_folds", "5", "2", "few <sequences>"],
    ]


def test_methods_left_out_and_added_are_named():
    methods = ["sliding_window", "memm_1", "crf_1", "crf_2", "crf_3", "ff_crf_1"]
    layout = differing_layout(settings_of(future={"datasets": ["xor"], "methods": methods}).differences)
    assert layout["protocol"].tolist() == ["7 methods"]
    assert layout["this run"].tolist() == ["6 methods: without crf_4, ff_memm_0; also ff_crf_1"]


def test_only_studies_of_the_page_are_named():
    settings = settings_of(future={"datasets": ["xor"], "n_seeds": 2}, training={"datasets": ["hmm"], "n_folds": 2})
    _, table = differing_parts(settings, ["future"])
    assert table.layout["setting"].tolist() == ["n_seeds"]
    assert len(differing_parts(settings, ["coding"])) == 2  # the profile, and that nothing differs


def test_the_page_shows_profile_and_table(results):
    given = {"profile": "short", "n_folds": 3, "reasons": {"training": "shorter"}}
    page = page_of(results, "hmm", page="run.html", **given)
    check(page)
    assert '<p class="banner">Shortened protocol: decides no claim.</p>' in page
    section = page[page.index('<section id="differing">') :]
    assert "Profile of this run: short." in section
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", section[: section.index("</section>")])
    assert cells == ["hmm", "n_folds", "5", "3", "shorter"]
