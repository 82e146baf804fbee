"""Finds the places of a text where names stand: capitalised words that belong together.

A capital at the start of a sentence proves nothing: such a word counts only if it is no common word, if the text
writes it with a capital elsewhere too, or if it speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from agents.ingest.names.name_evidence import DETERMINERS, NameEvidence
from agents.ingest.names.text_tokens import TextToken, is_abbreviation

MAX_NAME_WORDS: Final = 8
_MAX_PARTICLES: Final = 2
_SPACE: Final = re.compile(r"\s{1,3}(?![\s])")
_INITIAL_GAP: Final = re.compile(r"\.\s{0,3}")
_CONSTANT_CAPITALS: Final = 3
"""Capitals from which `the Hatter` is a name, if the text never writes it otherwise."""
_COMPANY_WORDS: Final = frozenset({"co", "company", "sons", "son", "brothers", "daughters"})
_OF: Final = frozenset({"of", "for", "on", "upon", "under", "in"})
_MIN_SHARE: Final = 0.5
_NO_BEARERS: Final = frozenset(
    {"god", "almighty", "heaven", "heavens", "chief", "majesty", "sir", "madam", "bless", "lord"}
)
"""Words that no title makes a name of: `Lord God`."""
_LEADING_TITLES: Final = frozenset(
    {"mr", "mrs", "ms", "miss", "sir", "mister", "messrs", "mme", "mlle", "madame", "dr"}
)
"""Titles that stand in no name but at its beginning."""
_ENDEARMENTS: Final = frozenset({"dear", "dearest", "god", "ok", "okay", "beloved"})


class CapitalisedName(NamedTuple):
    """A name in a text: its words are `tokens[first:last]`."""

    first: int
    last: int
    start: int
    end: int
    has_article: bool
    """Whether `the` stands before it."""


def find_capitalised_names(
    text: str, tokens: Sequence[TextToken], evidence: NameEvidence
) -> list[CapitalisedName]:
    """Return the names of a text, in order; none overlap."""
    finder = _NameFinder(text, tokens, evidence)
    return list(finder.find())


class _NameFinder:
    def __init__(self, text: str, tokens: Sequence[TextToken], evidence: NameEvidence) -> None:
        self._text = text
        self._tokens = tokens
        self._evidence = evidence
        self._words = evidence.words

    def find(self) -> Iterator[CapitalisedName]:
        index, count = 0, len(self._tokens)
        while index < count:
            if not self._may_start(index):
                index += 1
                continue
            end = self._run_end(index)
            yield from self._trim(index, end)
            index = end

    # --- runs -----------------------------------------------------------------------------------

    def _may_start(self, index: int) -> bool:
        token = self._tokens[index]
        return token.is_capitalised and not token.in_heading and token.key not in self._words.break_words

    def _run_end(self, index: int) -> int:
        """Return where the run of words that begins at `index` ends."""
        end = index + 1
        while end < len(self._tokens) and end - index < MAX_NAME_WORDS:
            after = self._next_word(index, end)
            if after is None:
                break
            end = after
        return end

    def _next_word(self, first: int, end: int) -> int | None:
        """Return the end of the run with the next word in it, or None if it does not belong to it."""
        tokens, words = self._tokens, self._words
        last, token = tokens[end - 1], tokens[end]
        if not self._is_joined(last, token):
            return None
        if last.is_possessive and not (token.is_capitalised and self._is_thing_word(token.key)):
            return None
        if token.is_capitalised:
            if token.is_shouted and not self._continues_shouting(first, end):
                return None
            is_part = token.key not in words.break_words or (
                token.key in words.name_suffixes and token.key != "i"
            )
            return (
                end + 1 if is_part and not token.in_heading and not self._starts_title(first, end) else None
            )
        if not last.is_capitalised or last.is_possessive:
            return None
        joined = end
        while (
            joined < len(tokens) and joined - end < _MAX_PARTICLES and self._is_particle(first, end, joined)
        ):
            joined += 1
        if joined == end or joined >= len(tokens):
            return None
        final = tokens[joined]
        if not self._is_joined(tokens[joined - 1], final) or not final.is_capitalised or final.is_shouted:
            return None
        if final.key in words.break_words or (token.key == "and" and final.key not in _COMPANY_WORDS):
            return None
        return joined + 1

    def _continues_shouting(self, first: int, end: int) -> bool:
        """Return whether a word in capitals may follow: after others, after a title, or a number as in `Henry VIII`."""
        tokens, words = self._tokens, self._words
        return tokens[end].key in words.name_suffixes or all(
            each.is_shouted or each.key in words.titles or len(each.key) == 1 for each in tokens[first:end]
        )

    def _starts_title(self, first: int, end: int) -> bool:
        """Return whether a title begins a second name: `Darcy Mr. Bingley`; `Mrs. General Hume` is one."""
        is_title = self._tokens[end].key in _LEADING_TITLES
        return is_title and any(each.key not in self._words.titles for each in self._tokens[first:end])

    def _is_joined(self, last: TextToken, token: TextToken) -> bool:
        gap = token.gap
        if gap == " ":
            return True
        if token.opens_sentence or last.end + 8 < token.start:
            return False
        return _SPACE.fullmatch(gap) is not None or (
            is_abbreviation(last.word) and _INITIAL_GAP.fullmatch(gap) is not None
        )

    def _is_particle(self, first: int, end: int, index: int) -> bool:
        token, words = self._tokens[index], self._words
        if token.is_capitalised or not self._is_joined(self._tokens[index - 1], token):
            return False
        key = token.key
        if key in words.particles:
            return True
        if index > end:
            return (
                key in ("the", "la", "le", "los", "las")
                and self._tokens[index - 1].key in _OF | words.particles
            )
        if key == "of":
            return self._takes_of(first, end)
        if key == "the":
            return self._takes_epithet(first, end, index)
        return (
            key == "and" and index + 1 < len(self._tokens) and self._tokens[index + 1].key in _COMPANY_WORDS
        )

    def _takes_of(self, first: int, end: int) -> bool:
        """Return whether `of` continues the name: `Duke of York`, `Tower of Glass`, and not `Mr. Hall of London`."""
        head = self._tokens[end - 1].key
        is_thing = self._is_thing_word(head) or head in self._words.titles
        if is_thing:
            return True
        if end - first == 1 and head not in self._words.never_alone:
            opens = self._tokens[first].opens_sentence
            return self._evidence.is_common(head) and not opens and self._evidence.is_listed(head)
        return False

    def _takes_epithet(self, first: int, end: int, index: int) -> bool:
        """Return whether `the` and the next word are an epithet: `Gideon the Black`."""
        if end - first != 1 or index + 1 >= len(self._tokens):
            return False
        if self._tokens[first].opens_sentence and not self._evidence.is_proper(self._tokens[first].key):
            return False
        epithet = self._tokens[index + 1]
        return (
            epithet.is_capitalised
            and self._evidence.is_listed(epithet.key)
            and not self._evidence.is_common(self._tokens[first].key)
        )

    def _is_thing_word(self, key: str) -> bool:
        words = self._words
        return (
            key in words.place_words
            or key in words.faction_words
            or key in words.object_words
            or key in words.concept_words
        )

    # --- trimming -------------------------------------------------------------------------------

    def _trim(self, first: int, last: int) -> Iterator[CapitalisedName]:
        tokens = self._tokens
        while first < last and self._is_left_off(first, last):
            first += 1
            while first < last and not tokens[first].is_capitalised:
                first += 1
        while last > first and not tokens[last - 1].is_capitalised:
            last -= 1
        if first >= last or not self._is_name(first, last):
            return
        end = tokens[last - 1].end
        if self._text[end : end + 1] == "." and tokens[last - 1].key in ("jr", "sr", "esq", "co"):
            end += 1
        yield CapitalisedName(first, last, tokens[first].start, end, has_article_before(tokens, first))

    def _is_left_off(self, first: int, last: int) -> bool:
        """Return whether the first word of the run is no part of the name."""
        token, words, evidence = self._tokens[first], self._words, self._evidence
        key = token.key
        if key in words.break_words:
            return True
        if last - first == 1:
            return False
        following = self._tokens[first + 1]
        is_followed = following.is_capitalised
        if key in words.titles:
            # `Doctor of Law`, `Count Orlok`; and `Lord Mary!` is no title, but rare.
            return (
                token.opens_sentence and not is_followed and evidence.lower[key] > evidence.capitalised[key]
            )
        if key in _ENDEARMENTS:
            return True
        if not token.opens_sentence:
            return False
        if not evidence.is_common(key) and key not in words.never_alone:
            return False
        if not is_followed:
            return evidence.pairs[key, self._tokens[first + 2].key if first + 2 < last else ""] == 0 and not (
                self._is_thing_word(key)
            )
        if key in words.peoples:
            return evidence.is_common(following.key) is False
        return evidence.pairs[key, following.key] == 0

    def _is_name(self, first: int, last: int) -> bool:
        tokens, words = self._tokens, self._words
        parts = [tokens[index] for index in range(first, last) if tokens[index].is_capitalised]
        if all(part.key in words.titles or self._is_never_alone(part.key) for part in parts):
            if (
                len(parts) > 1
                and parts[0].key in words.titles
                and parts[-1].key not in words.titles | _NO_BEARERS
            ):
                return parts[-1].key not in words.peoples
            return self._is_constant_title(first, last)
        if all(len(part.key) == 1 for part in parts):
            return False
        if all(part.is_shouted for part in parts):
            return self._is_shouted_name(parts)
        if len(parts) > 1:
            return self._is_long_name(parts)
        return self._is_single_name(first)

    def _is_never_alone(self, key: str) -> bool:
        """Return whether a word is no name alone, and nobody of this text bears it: `Miss Honor`."""
        return key in self._words.never_alone and not (
            self._evidence.titled[key] and key not in self._words.titles | _NO_BEARERS
        )

    def _is_shouted_name(self, parts: Sequence[TextToken]) -> bool:
        """Return whether words in capitals are a name that the text writes elsewhere: `MR. HOLMES`, `ALICE!`."""
        return any(
            (self._evidence.is_proper(part.key) or part.key in self._words.first_names)
            and part.key not in self._words.never_alone
            for part in parts
        ) or (parts[0].key in self._words.titles and len(parts) > 1 and is_abbreviation(parts[0].word))

    def _is_long_name(self, parts: Sequence[TextToken]) -> bool:
        words, evidence = self._words, self._evidence
        if parts[0].key in words.titles:
            return True
        if any(not evidence.is_common(part.key) and part.key not in words.never_alone for part in parts):
            return True
        # All of them common words, each with a capital of its own: the White Rabbit.
        return sum(not part.opens_sentence for part in parts) > 1 or self._is_known_pair(parts)

    def _is_known_pair(self, parts: Sequence[TextToken]) -> bool:
        return any(self._evidence.pairs[one.key, other.key] for one, other in pairwise(parts))

    def _is_constant_title(self, first: int, last: int) -> bool:
        """Return whether the text calls somebody by a title alone, always with a capital: `the Colonel`."""
        if last - first != 1:
            return False
        token, evidence = self._tokens[first], self._evidence
        key = token.key
        if key not in self._words.titles or key in self._words.never_alone:
            is_first_name = key in self._words.first_names and evidence.capitalised[key] >= _CONSTANT_CAPITALS
            return is_first_name and evidence.is_proper(key) and not self._follows_determiner(first)
        is_constant = evidence.capitalised[key] >= _CONSTANT_CAPITALS and (
            evidence.capitalised[key] > 3 * evidence.lower[key]
        )
        # `The Major`, of a text that names a Major Fitch and writes no major small.
        is_bearers = has_article_before(self._tokens, first) and key in evidence.title_heads
        is_bearers = is_bearers and evidence.lower[key] == 0 and not token.opens_sentence
        return (is_constant or is_bearers) and not token.is_shouted

    def _is_single_name(self, first: int) -> bool:
        token, words, evidence = self._tokens[first], self._words, self._evidence
        key = token.key
        if len(key) < 2 or self._is_never_alone(key):
            return False
        if evidence.is_proper(key):
            return not self._is_honoured_noun(first)
        is_common = evidence.is_common(key)
        if token.opens_sentence:
            is_doubtful = key.endswith(("ing", "ly", "n't")) or self._is_exclaimed(first)
            return not is_common and (not is_doubtful or self._is_followed_by_deed(first))
        if not is_common or (
            key not in words.common_words and not evidence.lower[key] and not key.endswith("s")
        ):
            return True
        if self._follows_determiner(first):
            return False
        if key in words.first_names and evidence.lower[key] <= evidence.capitalised[key]:
            return True
        return evidence.lower[key] == 0 and self._speaks(first)

    def _is_honoured_noun(self, first: int) -> bool:
        """Return whether a common noun only has a capital out of respect, after an article: `the Law`."""
        key, evidence = self._tokens[first].key, self._evidence
        if not evidence.is_listed(key) or key in evidence.words.first_names:
            return False
        share = evidence.after_article[key] / max(1, evidence.capitalised[key])
        is_constant = evidence.capitalised[key] >= _CONSTANT_CAPITALS and evidence.lower[key] == 0
        return share > _MIN_SHARE and not is_constant

    def _follows_determiner(self, first: int) -> bool:
        return first > 0 and self._tokens[first - 1].key in DETERMINERS

    def _is_followed_by_deed(self, first: int) -> bool:
        token = self._tokens[first]
        if token.is_possessive:
            return True
        following = self._tokens[first + 1] if first + 1 < len(self._tokens) else None
        if following is None:
            return False
        is_described = following.gap.strip() == "," and following.key in DETERMINERS | {
            "who",
            "whom",
            "whose",
        }
        return is_described or (following.gap == " " and following.key in self._words.person_verbs)

    def _is_exclaimed(self, first: int) -> bool:
        """Return whether an unknown word is cried out, like an interjection, and stands so only once."""
        key = self._tokens[first].key
        if (
            self._evidence.capitalised[key]
            or self._evidence.opening[key] > 1
            or key in self._words.first_names
        ):
            return False
        following = self._tokens[first + 1] if first + 1 < len(self._tokens) else None
        mark = following.gap.lstrip()[:1] if following is not None else "!"
        is_spoken = any(char in "\"“‘'`«" for char in self._tokens[first].gap)
        return mark == "!" or (is_spoken and mark in (";", "?", "-", "—", ".", "…"))

    def _speaks(self, first: int) -> bool:
        """Return whether a verb of speech stands beside the word: `said Frank`, `Frank said`."""
        before = self._tokens[first - 1] if first else None
        after = self._tokens[first + 1] if first + 1 < len(self._tokens) else None
        return any(each is not None and each.key in self._words.speech_verbs for each in (before, after))


def has_article_before(tokens: Sequence[TextToken], index: int) -> bool:
    """Return whether `the` stands before a word, with nothing between them."""
    return index > 0 and tokens[index - 1].key == "the" and tokens[index].gap.isspace()
