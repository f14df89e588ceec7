"""Damaged raw files: every parser gives a right result or one clear sentence, and ends."""

import re

import pytest
from fuzzing import HARMLESS, assert_clear, check_set, damaged, fuzz, head, outcome
from hypothesis import strategies as st
from smile_files import encode

import treecrf.automl.description  # noqa: F401  loads compiled kernels, which is no part of an input's time
from treecrf_studies import datasets
from treecrf_studies.datasets import conll2000, faq, hyphenation, nettalk, ocr, prosody, protein, sectlabel
from treecrf_studies.datasets.faq import LABELS, from_documents
from treecrf_studies.datasets.loading import LETTERS, from_words


def head_and_tail(data, n_lines, n_last):
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:n_lines], *lines[-n_last:]])


def first_papers(data):
    """Three papers, each with its first labels."""
    papers = [re.findall(rb"<SectLabel_(\w+)>.*?</SectLabel_\1>", paper) for paper in data.splitlines()[:3]]
    assert all(papers)
    return b"\n".join(paper[: paper.index(b"</SectLabel_bodyText>") + 21] for paper in data.splitlines()[:3]) + b"\n"


def read_nettalk(data):
    entries = nettalk.distinct_words(nettalk.parse(data, "file"))
    labels = [[nettalk.STRESSES.index(symbol) for symbol in entry.stress] for entry in entries]
    return from_words([entry.word for entry in entries], labels, nettalk.STRESSES)


def read_moby(data):
    words = [word for word in hyphenation.parse_moby(data, "file") if sum(map(len, word)) > 1]
    assert all(set("".join(word)) <= set(LETTERS) for word in words)
    return hyphenation.from_syllables(words) if words else None


def read_lines(parse, labels=LABELS):
    return lambda data: from_documents([parse(data, "file")], labels)


def read_papers(data):
    return from_documents(sectlabel.parse(data, "file"), tuple(sectlabel.MERGE))


def read_sentences(data):
    sentences = conll2000.parse(data, "file")
    [found] = conll2000.from_sentences([sentences])
    assert set(conll2000.np_tags(found.label_names)) <= {"B", "I", "O"}
    return found


def read_prominences(data):
    sentences = prosody.parse(data, "file")
    return prosody.from_sentences(sentences, prosody.WordCounts.of(sentence.texts for sentence in sentences))


PARSERS = {
    "protein": (lambda data: protein.parse(data, "file"), "protein.data", protein.FILES[1], lambda d: head(d, 400)),
    "hyphen_encoded": (lambda data: hyphenation.decode(data, "file"), "hyphen.sparse", None, None),
    "nettalk": (read_nettalk, "nettalk.data", nettalk.FILES[0], lambda d: head(d, 300)),
    "moby": (read_moby, "mhyph.txt", hyphenation.MOBY_FILES[0], lambda d: head(d, 400)),
    "pod": (read_lines(faq.pod_lines), "perlfaq.pod", faq.PERL_FILES[1], lambda d: head_and_tail(d, 120, 30)),
    "digest": (read_lines(faq.digest_lines), "xfaq.txt", faq.X_FILES[0], lambda d: head_and_tail(d, 250, 20)),
    "sectlabel": (read_papers, "sectlabel.txt", sectlabel.FILES[0], first_papers),
    "chunks": (read_sentences, "chunks.txt", conll2000.FILES[0], lambda d: head(d, 80)),
    "letters": (
        lambda data: ocr.parse(data, "file").as_set("categories"),
        "letters.txt",
        ocr.FILES[0],
        lambda d: head(d, 60),
    ),
    "prominence": (read_prominences, "prominence.txt", prosody.FILES[0], lambda d: head(d, 80)),
}
"""How a file is read, the invented one, and a part of the real one."""


def real_part(name, mirror):
    if name == "hyphen_encoded":
        whole = hyphenation.decode((mirror / hyphenation.FILES[1]).read_bytes(), "file")
        return encode(whole.select(range(20)), hyphenation.WINDOW)
    _, _, file, part = PARSERS[name]
    return part((mirror / file).read_bytes())


@pytest.mark.parametrize("is_real", [False, True])
@pytest.mark.parametrize("name", PARSERS)
def test_raw_files(name, is_real, data, request):
    read, file, *_ = PARSERS[name]
    content = real_part(name, request.getfixturevalue("mirror")) if is_real else (data / file).read_bytes()

    def use(given):
        if (found := read(given)) is not None:
            check_set(found)

    use(content)
    fuzz(damaged(content), use)


@pytest.mark.parametrize("change", HARMLESS)
@pytest.mark.parametrize("name", PARSERS)
def test_harmless_changes_of_real_raw_files(name, change, mirror):
    seed = real_part(name, mirror)
    assert PARSERS[name][0](HARMLESS[change](seed)) == PARSERS[name][0](seed)


GENERATED = ("hmm", "xor", "or", "extra", "distant", "transition", "both", "cycle")
OPTION_NAMES = "n_train n_test n_validation length seed labels features p_o k_o p_l k_l fold by n_sentences none_such"
NUMBERS = (-1, 0, 1, 2, 2.5, float("nan"), float("inf"), 10**9, 10**30)
ODD = (*NUMBERS, None, "3", "", True, [], [1], {}, {"title": 1}, b"3", "x" * 5000)
OPTIONS = st.dictionaries(
    st.sampled_from([*OPTION_NAMES.split(), "x" * 500]), st.sampled_from(ODD), min_size=1, max_size=2
)


@pytest.mark.parametrize("name", [*GENERATED, "hyphen_tex", "hyphen", "nettalk", "sectlabel", "faq_perl", "prosody"])
def test_options(name, mirror):
    small = {"n_train": 2, "n_test": 2, "length": 3} if name in GENERATED else {}

    def use(options):
        return [check_set(part) for part in datasets.load(name, raw=mirror, **small | options)]

    fuzz(OPTIONS, use, 1 if name in GENERATED else 0.1)  # the others read whole files each time


# --- what fuzzing found -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("E<99999999999>", "E<99999999999>"),
        ("E<08>", "E<08>"),
        ("E<0x110000>", "E<0x110000>"),
        ("E<0xD800>", "E<0xD800>"),
        ("E<\u0661>", "E<\u0661>"),
        ("E<#" + 5000 * "9" + ">", "E<#" + 5000 * "9" + ">"),
        ("E<65>E<0x42>E<0103>", "ABC"),
    ],
)
def test_numbers_of_no_character_stay(code, text):
    assert faq.plain_pod(code) == text


def test_long_pod_lines_end_soon():
    for line in ("x" * 300_000, "B<" * 100_000, "B<x>" * 80_000, "B<" * 50_000 + ">" * 50_000, "C<<<" * 80_000):
        outcome(lambda line=line: faq.plain_pod(line))


def test_labels_that_never_end_are_refused_soon():
    message = assert_clear(lambda: sectlabel.parse(b"<SectLabel_title>" * 15_000 + b"\n", "file"))
    assert message.startswith("file, line 1: a title does not end before another label begins")
