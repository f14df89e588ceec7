"""Pages as Markdown: links, anchors, tables and figures beside them."""

import pandas as pd
import pytest
from matplotlib.figure import Figure as Drawn

from treecrf_studies.rendering.parts import (
    Downloads,
    Drawing,
    Figure,
    Markdown,
    Note,
    Page,
    Section,
    Table,
    caption,
    flattened,
    is_number,
    link,
    listed_pages,
    parts_text,
    read_layout,
    write_pages,
)

LAYOUT = pd.DataFrame({"data set": ["a_b"], "accuracy (%)": ["81.25"]})


def page_with(*parts, path="index.md", title="A title", section="A section"):
    return Page(path, title, [Section("here", section, parts)])


def written(folder, *pages, **options):
    write_pages(pages, folder, **options)
    return {page.path: (folder / page.path).read_text() for page in pages}


def test_links_lead_to_the_headings_of_other_pages_and_leave_text_where_there_is_none(tmp_path):
    links = [link("there", "claims/P1.md#here"), link("gone", "nowhere.md#here"), link("top", "claims/P1.md#what")]
    table = Table("Table 3.5: accuracies", LAYOUT, "training/table_3_5", "table-3-5")
    first = page_with(Note(Markdown(" ".join(links))), table)
    back = page_with(Note(link("table", "index.md#table-3-5")), path="claims/P1.md", section="Numbers (1.5)")
    texts = written(tmp_path, first, back)
    assert "[there](claims/P1.md#numbers-15) gone [top](claims/P1.md)\n" in texts["index.md"]
    assert "[table](../index.md#table-35)" in texts["claims/P1.md"]
    assert "#### Table 3.5\n\n" in texts["index.md"].replace("### Table", "#### Table")
    assert listed_pages(tmp_path) == [("index.md", "A title")]


def test_a_heading_that_repeats_another_one_has_the_number_that_code_hosts_give_it(tmp_path):
    twice = Page(
        "index.md",
        "Same",
        [Section(name, "Same", [Note(link("two", "index.md#two"))]) for name in ("one", "two")],
    )
    assert "[two](#same-2)" in written(tmp_path, twice)["index.md"]


def test_a_table_is_a_link_alone_to_its_csv(tmp_path):
    grouped = pd.DataFrame([["a", "1"]], columns=pd.MultiIndex.from_tuples([("", "data set"), ("seconds", "all")]))
    same = Table("Twice", LAYOUT)
    texts = written(tmp_path, page_with(Table("In [a] table", grouped, "cost/windows"), same, same))
    assert "\n\n[In \\[a\\] table](cost/windows.csv)\n\n" in texts["index.md"]
    assert (tmp_path / "cost/windows.csv").read_text() == "data set,seconds all\na,1\n"
    assert "[Twice](index_files/twice.csv)\n\n[Twice](index_files/twice-2.csv)" in texts["index.md"]
    assert read_layout(tmp_path / "index_files/twice-2.csv").equals(flattened(LAYOUT))


def test_figures_and_downloads_are_copied_and_drawings_drawn(tmp_path):
    results = tmp_path / "results/training"
    (results / "tables").mkdir(parents=True)
    (results / "figure_1.svg").write_text("<svg/>")
    (results / "tables/tests.csv").write_text("a\n1\n")
    figure = Figure(results / "figure_1.svg", "what is seen", caption("``a`` and *b*"), "training/figure_1", "figure-1")
    drawing = Drawing(Drawn(), "lines", Markdown("A caption."), LAYOUT, "lines")
    downloads = Downloads("All:", {"tests": results / "tables/tests.csv", "gone": results / "tables/no.csv"})
    site = tmp_path / "site"
    (text,) = written(site, page_with(figure, drawing, downloads)).values()
    assert "![what is seen](training/figure_1.svg)\n\n`a` and \\*b\\*\n\n" in text
    assert (
        "![lines](index_files/lines.svg)\n\nA caption.\n\n[The numbers of this figure](index_files/lines.csv)" in text
    )
    assert "All: [tests](training/tests.csv).\n" in text
    for file in ("training/figure_1.svg", "index_files/lines.svg", "index_files/lines.csv", "training/tests.csv"):
        assert (site / file).is_file()


def test_a_download_that_the_folder_has_is_linked_and_not_copied(tmp_path):
    site, linked = tmp_path / "site", tmp_path / "results/training/xor/curves.csv"
    kept = site / "evidence/training/xor/curves.csv"
    for path in (kept, linked):
        path.parent.mkdir(parents=True)
    kept.write_text("a\n1\n")
    linked.symlink_to(kept)
    (text,) = written(site, page_with(Downloads("All:", {"xor": linked}))).values()
    assert "All: [xor](evidence/training/xor/curves.csv).\n" in text
    assert [path for path in site.rglob("*.csv") if path != kept] == []


def test_the_documentation_is_linked_where_it_is(tmp_path):
    note = Note(Markdown("Marks: docs/statistics.md, (`docs/faq.md`) and [it](docs/faq.md)."))
    assert "Marks: docs/statistics.md, (`docs/faq.md`)" in written(tmp_path, page_with(note))["index.md"]
    text = written(tmp_path, page_with(note, path="claims/P1.md"), documentation="..")["claims/P1.md"]
    assert "[Statistics](../../statistics.md), ([Faq](../../faq.md)) and [it](docs/faq.md)." in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[
            (text, True)
            for text in ("1", "−2.5*", "<0.001", "81.2 ± 0.4 ▲", "+1.00 (−1.00 to +3.00)", "12 / 3 of 15", "1,000")
        ],
        *[(text, False) for text in ("", "protein", "TreeCRF", "? open", "2 methods: without crf_1", "a 1")],
    ],
)
def test_numbers_are_told_from_words(text, expected):
    assert is_number(text) is expected


WORDS = """
## Data

**Sequence, draw.** Two words, of which one is plain.

## Tests of pairs

**Holm's correction.** A correction.

**MEMM.** A model.
"""


@pytest.mark.parametrize("documentation", ["", ".."])
def test_words_of_the_glossary_are_links_where_they_stand_first(tmp_path, documentation):
    text = "A sequence, `draw`, [a draw](b.csv), a memm and a draw. Holm's\ncorrection of **MEMM** or MEMMs, MEMM."
    pages = [page_with(Note(Markdown(text)), section="MEMM"), page_with(Note(Markdown("MEMM")), path="claims/P1.md")]
    if documentation:
        (tmp_path / "glossary.md").write_text(WORDS)
    else:
        pages.append(Page("glossary.md", "Glossary", lead=[Note(Markdown(WORDS))]))
    way = "../glossary.md" if documentation else "glossary.md"
    texts = written(tmp_path / "site", *pages, documentation=documentation)
    assert (
        f"A sequence, `draw`, [a draw](b.csv), a memm and a [draw]({way}#data). "
        f"[Holm's\ncorrection]({way}#tests-of-pairs) of **MEMM** or MEMMs, [MEMM]({way}#tests-of-pairs)."
        in texts["index.md"]
    )
    assert f"[MEMM](../{way}#tests-of-pairs)" in texts["claims/P1.md"]
    assert "](glossary.md#" not in texts.get("glossary.md", "")


def test_claims_below_a_table_stand_apart(tmp_path):
    table = Table("T", pd.DataFrame({"a": ["1"]}), links=(Markdown("E1 –"), Markdown("E2 –")))
    assert "Claims: E1 – · E2 –\n" in parts_text([table], tmp_path)


def test_a_page_has_its_own_banner_or_that_of_the_site(tmp_path):
    write_pages([Page("index.md", "A", banner=Markdown("> own")), Page("b.md", "B")], tmp_path, Markdown("> of all"))
    assert "# A\n\n> own\n\n" in (tmp_path / "index.md").read_text()
    assert "# B\n\n> of all\n\n" in (tmp_path / "b.md").read_text()
