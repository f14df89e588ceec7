"""Prominent words of read English, the Helsinki Prosody Corpus (Talman et al. 2019): a stand-in for pitch accents of
Switchboard.

Gregory and Altun (2004) label pitch accents of spontaneous speech by hand, and their corpus is licensed. Here a word is
prominent or not as a wavelet method finds it in the recording: prominence 1 or 2 of the corpus is "prominent", as its
authors advise where accents are binary, and 0 is "plain".

``<file> <tab> name`` begins a sentence, and the name begins with the speaker's number. Any other line is ``word <tab>
prominence <tab> boundary <tab> two numbers``. A row whose prominence is ``NA``, a punctuation mark as a rule, is no
position and no observation.

A word has eight attributes, found from the text alone (`WordCounts.describe`): a choice, as the features of Gregory and
Altun need more than the text. Frequencies are those of the words of another file, whose labels are not used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import floor, log2, log10
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import check_count
from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.selection import generator, sequence_folds
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import DataError, parse_files, text_lines

FILES = ("prosody/dev.txt", "prosody/test.txt")
"""The sentences, and those whose words are counted."""

LABELS = ("plain", "prominent")
PROMINENCES = {"0": 0, "1": 1, "2": 1, "NA": None}
"""Codes of the labels; None for a row that is no position."""

N_FOLDS = 5


class ProsodyRow(NamedTuple):
    """A word or punctuation mark, and the code of its label."""

    text: str
    label: int | None


class Sentence(NamedTuple):
    """A sentence as one speaker read it."""

    speaker: str
    rows: list[ProsodyRow]

    @property
    def texts(self) -> list[str]:
        """Words and punctuation marks."""
        return [row.text for row in self.rows]


def parse(data: bytes, file: str) -> list[Sentence]:
    """All sentences; a DataError names a line that is neither a name nor a word, and a sentence without a position."""
    sentences: list[Sentence] = []
    for number, line in enumerate(text_lines(data), start=1):
        fields = line.split("\t")
        if fields[0] == "<file>" and len(fields) == 2:
            _check_positions(sentences, file, number - 1)
            sentences.append(Sentence(fields[1].partition("_")[0], []))
            continue
        if not sentences or len(fields) != 5 or not fields[0] or fields[1] not in PROMINENCES:
            raise DataError(file, number, f"expected a word and its prominence, found {quoted(line)}")
        sentences[-1].rows.append(ProsodyRow(fields[0], PROMINENCES[fields[1]]))
    if not sentences:
        raise DataError(file, None, "holds no sentences")
    _check_positions(sentences, file, None)
    return sentences


def _check_positions(sentences: list[Sentence], file: str, line: int | None) -> None:
    """Refuse a last sentence without a position."""
    if sentences and all(row.label is None for row in sentences[-1].rows):
        raise DataError(file, line, "a sentence ends without a word that has a prominence")


# --- attributes -------------------------------------------------------------------------------------

WORD_GROUPS = {
    "determiner": "a an the this that these those my your his its our their every each some any no all both another",
    "pronoun": "i you he she it we they me him us them her myself himself herself itself themselves one thou thee",
    "preposition": "of in on at by for with from into upon over under through about between among without within "
    "against before behind during toward towards after till until like",
    "conjunction": "and or but nor if as than because though although while so yet unless since",
    "auxiliary": "be is am are was were been being have has had having do does did don't doesn't didn't isn't wasn't "
    "weren't aren't haven't hasn't hadn't ain't",
    "modal": "can could will would shall should may might must can't couldn't won't wouldn't shan't shouldn't mustn't",
    "question": "who whom whose which what when where why how",
    "particle": "to not there up out off down away then now",
}
_GROUP_OF = {word: code for code, words in enumerate(WORD_GROUPS.values()) for word in words.split()}
"""Groups of function words; a word of none is content."""

_MARKS = {",": 1, ";": 2, ".": 3, "!": 3, "?": 3}

_VOWELS = re.compile("[aeiouy]+")

N_COMMON = 100
"""Words that are categories by themselves."""

_LETTERS, _VOWEL_GROUPS, _COUNTS, _PROBABILITIES = 9, 4, 8, 6


@dataclass(frozen=True)
class WordCounts:
    """Frequencies of words: of pairs of a word and the word before it, "" before the first of a sentence."""

    pairs: Counter[tuple[str, str]]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> WordCounts:
        """Count the words of some sentences."""
        pairs: Counter[tuple[str, str]] = Counter()
        for texts in sentences:
            words = [_plain(text) for text in texts if not _is_mark(text)]
            pairs.update(pairwise(["", *words]))
        return cls(pairs)

    @cached_property
    def words(self) -> Counter[str]:
        """Frequency of each word."""
        return _summed(self.pairs, 1)

    @cached_property
    def before(self) -> Counter[str]:
        """Frequency of each word as the one before another."""
        return _summed(self.pairs, 0)

    @cached_property
    def common(self) -> dict[str, int]:
        """Codes of the commonest words; of equally common ones the first in the alphabet come first."""
        ordered = sorted(self.words, key=lambda word: (-self.words[word], word))
        return {word: code for code, word in enumerate(ordered[:N_COMMON])}

    @cached_property
    def _mass(self) -> int:
        """All words, and one more of each and of an unseen one."""
        return self.words.total() + len(self.words) + 1

    def probability(self, word: str, previous: str) -> float:
        """Probability of a word after another one, "" before the first.

        It is smoothed as if the pair had been seen as often as the word is likely.
        """
        alone = (self.words[word] + 1) / self._mass
        return (self.pairs[previous, word] + alone) / (self.before[previous] + 1)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of a word that `describe` gives."""
        return (
            Attribute("word", (*self.common, "other words")),
            Attribute("group", (*WORD_GROUPS, "content")),
            Attribute("letters", _up_to(_LETTERS, 1), ordered=True),
            Attribute("vowel_groups", _up_to(_VOWEL_GROUPS, 1), ordered=True),
            Attribute("log2_count", _up_to(_COUNTS, 0), ordered=True),
            Attribute("log10_probability", tuple(map(str, range(-_PROBABILITIES, 0))), ordered=True),
            Attribute("punctuation", ("none", ",", ";", ".!?", "other")),
            Attribute("capital", ("no", "yes")),
        )

    def describe(self, texts: Sequence[str]) -> list[list[int]]:
        """Codes of the attributes of each word of a sentence, in the order of `attributes`.

        The word where it is among the 100 commonest; its group of function words; its number of letters, 9 for more; of
        groups of vowels, 4 for more; the logarithm of its count plus one, rounded down, 7 for more; that of its
        probability after the word before, -6 for less; the punctuation mark behind it; whether it begins with a
        capital.
        """
        previous = ""
        rows = []
        for text, following in zip(texts, [*texts[1:], ""], strict=True):
            word = _plain(text)
            rows.append(
                [
                    self.common.get(word, len(self.common)),
                    _group(word),
                    _within(sum(map(str.isalpha, word)), 1, _LETTERS) - 1,
                    _within(len(_VOWELS.findall(word)), 1, _VOWEL_GROUPS) - 1,
                    min(floor(log2(self.words[word] + 1)), _COUNTS - 1),
                    _within(floor(log10(self.probability(word, previous))) + _PROBABILITIES, 0, _PROBABILITIES - 1),
                    _MARKS.get(following, 4) if following and _is_mark(following) else 0,
                    int(text.strip("'")[:1].isupper()),
                ]
            )
            previous = previous if _is_mark(text) else word
        return rows


def _summed(pairs: Counter[tuple[str, str]], place: int) -> Counter[str]:
    """Counts of the words at a place, 0 or 1, of pairs."""
    counts: Counter[str] = Counter()
    for pair, number in pairs.items():
        counts[pair[place]] += number
    return counts


def _plain(text: str) -> str:
    """A word in small letters, without quotation marks."""
    return text.strip("'").lower()


def _is_mark(text: str) -> bool:
    return not any(map(str.isalnum, text))


def _group(word: str) -> int:
    """Group of a word, of which the part before an apostrophe, as in "I'll", decides unless the whole word has one."""
    return _GROUP_OF.get(word, _GROUP_OF.get(word.partition("'")[0], len(WORD_GROUPS)))


def _within(number: int, least: int, most: int) -> int:
    return min(max(number, least), most)


def _up_to(n_bins: int, first: int) -> tuple[str, ...]:
    """Names of numbers from `first` on, the last of which stands for more too."""
    *names, last = map(str, range(first, first + n_bins))
    return (*names, f"{last}+")


# --- sets -------------------------------------------------------------------------------------------


def from_sentences(sentences: Sequence[Sentence], counts: WordCounts) -> SequenceSet:
    """One sequence for each sentence, one position for each word that has a prominence."""
    described = [
        [(codes, row.label) for codes, row in zip(counts.describe(sentence.texts), sentence.rows, strict=True)]
        for sentence in sentences
    ]
    kept = [[(codes, label) for codes, label in rows if label is not None] for rows in described]
    return SequenceSet(
        np.array([codes for rows in kept for codes, _ in rows], dtype=np.int32),
        np.cumsum([0, *map(len, kept)]),
        counts.attributes,
        np.array([label for rows in kept for _, label in rows], dtype=np.int16),
        LABELS,
    )


def load(
    raw: Path, *, fold: int = 0, seed: int = 0, by: Literal["sentence", "speaker"] = "sentence", n_sentences: int = 500
) -> tuple[SequenceSet, SequenceSet]:
    """Some sentences without one of five folds for training, that fold for testing.

    `fold`: from 0 to 4; `seed` draws the sentences and cuts them; `by` says whether the folds share speakers or not;
    `n_sentences`: how many are drawn.
    """
    check_count("fold", fold, least=0, most=N_FOLDS - 1)
    rng = generator("prosody", "folds", seed=seed)
    sentences, counted = parse_files(raw, FILES, parse)
    check_count("n_sentences", n_sentences, least=N_FOLDS, most=len(sentences))
    # Without a name, unlike other generators here: so seed 0 draws the 8,758 words that the protocol counts.
    drawn = [sentences[i] for i in np.sort(np.random.default_rng(seed).permutation(len(sentences))[:n_sentences])]
    related = _related(drawn, by)
    test = sequence_folds(related, N_FOLDS, rng)[fold]
    whole = from_sentences(drawn, WordCounts.of(sentence.texts for sentence in counted)).with_groups(related)
    return whole.select(np.setdiff1d(np.arange(len(whole)), test)), whole.select(test)


def _related(sentences: Sequence[Sentence], by: str) -> NDArray[np.int64]:
    """Numbers of the sentences, or of their speakers."""
    if by == "sentence":
        return np.arange(len(sentences))
    if by != "speaker":
        raise ValueError(f"by={quoted(by)}: give 'sentence' or 'speaker'.")
    speakers, numbers = np.unique([sentence.speaker for sentence in sentences], return_inverse=True)
    if len(speakers) < N_FOLDS:
        raise ValueError(
            f"by='speaker': the {len(sentences)} sentences have {len(speakers)} speakers, too few for {N_FOLDS} folds; "
            "draw more sentences."
        )
    return numbers


DESCRIPTIONS = (
    Description(
        "prosody",
        "prominent words of read English sentences",
        (2, 2),
        load,
        FILES,
        stand_in="stands in for the pitch accents of Switchboard (Gregory and Altun 2004), which is licensed: labels "
        "come from a wavelet method, not from people",
        source="Helsinki Prosody Corpus, Talman et al. 2019; CC BY 4.0",
        is_drawn=True,
        n_folds=N_FOLDS,
    ),
)
