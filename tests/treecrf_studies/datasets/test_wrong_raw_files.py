"""The sentence for each thing that can be wrong in a raw file, which names the file and the line."""

import pytest

from treecrf_studies.datasets import conll2000, faq, nettalk, ocr, prosody, protein, sectlabel
from treecrf_studies.datasets.loading import DataError

CASES = [
    (conll2000.parse, b"a DT B-NP\nb NN\n", "file, line 2: expected word, part of speech and chunk tag, found 'b NN'"),
    (conll2000.parse, b"a DT  B-NP\n", "file, line 1: expected word, part of speech and chunk tag, found 'a DT  B-NP'"),
    (conll2000.parse, b"a DT B-\n", "file, line 1: 'B-' is no chunk tag"),
    (conll2000.parse, b"a DT E-NP\n", "file, line 1: 'E-NP' is no chunk tag"),
    (conll2000.parse, b"\n\n", "file: holds no sentences"),
    (
        ocr.parse,
        b"1 qid:1 3:1\n2 qid:1 3:2\n",
        "file, line 2: expected a label, a word and pixels, found '2 qid:1 3:2'",
    ),
    (ocr.parse, b"1 3:1\n", "file, line 1: expected a label"),
    (ocr.parse, b"27 qid:1 3:1\n", "file, line 1: the label 27 is none of 1 to 26"),
    (ocr.parse, b"1 qid:1 4:1 3:1\n", "file, line 1: its pixels are not rising numbers from 1 to 128"),
    (ocr.parse, b"1 qid:1 3:1 3:1\n", "file, line 1: its pixels are not rising numbers"),
    (ocr.parse, b"1 qid:1 3:1 129:1\n", "file, line 1: its pixels are not rising numbers"),
    (ocr.parse, b"1 qid:2 3:1\n", "file, line 1: word 2 stands where word 1 should begin"),
    (ocr.parse, b"1 qid:1\n1 qid:2\n1 qid:1\n", "file, line 3: word 1 stands where word 3 should begin"),
    (ocr.parse, b"", "file: holds no letters"),
    (prosody.parse, b"a\t0\t0\t0.1\t0.1\n", "file, line 1: expected a word and its prominence, found 'a"),
    (prosody.parse, b"<file>\t1_2.txt\na\t0\t0\t0.1\n", "file, line 2: expected a word and its prominence"),
    (prosody.parse, b"<file>\t1_2.txt\na\t3\t0\t0.1\t0.1\n", "file, line 2: expected a word and its prominence"),
    (prosody.parse, b"<file>\t1_2.txt\n\t0\t0\t0.1\t0.1\n", "file, line 2: expected a word and its prominence"),
    (
        prosody.parse,
        b"<file>\t1_2.txt\n.\tNA\tNA\tNA\tNA\n<file>\t1_3.txt\n",
        "file, line 2: a sentence ends without a word",
    ),
    (prosody.parse, b"<file>\t1_2.txt\n", "file: a sentence ends without a word that has a prominence"),
    (prosody.parse, b"", "file: holds no sentences"),
    (protein.parse, b"<>\nA _\nB _\n", "file, line 3: expected a residue and its state, found 'B _'"),
    (protein.parse, b"A _\n", "file, line 1: a residue stands before '<>'"),
    (protein.parse, b"<>\nA _\nend\nC _\n", "file, line 4: a residue stands before '<>'"),
    (protein.parse, b"# nothing\n<>\n", "file: holds no residues"),
    (faq.pod_lines, b"=head1 NAME\n\ntext\n", "file: holds no question"),
    (faq.pod_lines, b"=head1 NAME\n\ntext\n\n=head1 AUTHOR\n\nNobody\n", "file: holds no question (=head2)"),
    (faq.pod_lines, b"=head1 NAME\n\n=head2 Why?\n\ntext\n", "file: has no section AUTHOR at its end"),
    (sectlabel.parse, b"<SectLabel_titel> a +L+ </SectLabel_titel>", "file, line 1: the label 'titel' is not known"),
    (sectlabel.parse, b"<SectLabel_title> a </SectLabel_title>", "file, line 1: a title does not end in '+L+'"),
    (
        sectlabel.parse,
        b"<SectLabel_title> a +L+ </SectLabel_title> <SectLabel_no",
        "file, line 1: text stands outside the labels",
    ),
    (sectlabel.parse, b"\n", "file: holds 0 papers"),
    (
        nettalk.parse,
        b"gabo\tg@bo\t>1<0\t0\nzof\tzaf\t>1\t0\n",
        "file, line 2: 'zof' does not have one phoneme and one stress per letter",
    ),
    (
        nettalk.parse,
        b"gabo\tg@bo\t>1<0\t0\nzof\tzaf\t>1",
        "file, line 2: expected word, phonemes, stress and class, found 'zof",
    ),
    (nettalk.parse, b"gabo\tg@bo\t>1<0\t0\nzof\tzaf\t>1+\t0", "file, line 2: '>1+' holds symbols that are no stress"),
    (nettalk.parse, b"gabo\tg@bo\t>1<0\t0\nZof\tzaf\t>1<\t0", "file, line 2: expected word"),
    (nettalk.parse, b"", "file: holds no entries"),
]


@pytest.mark.parametrize(("parse", "content", "message"), CASES)
def test_errors(parse, content, message):
    with pytest.raises(DataError, match="get it again") as caught:
        parse(content, "file")
    assert str(caught.value).startswith(message)
