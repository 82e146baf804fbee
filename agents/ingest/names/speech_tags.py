"""Reads who is said to speak beside a quote: a name, a pronoun, or words such as `the landlord`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.ingest.names.name_words import NameWords, Sex
from agents.ingest.names.named_text import NamedText
from agents.ingest.names.text_tokens import TextToken

NARRATOR: Final = "I"
_MAX_TAG: Final = 12
"""Words after a quote within which its speaker stands."""
_MAX_BEFORE: Final = 40
_VERB_REACH: Final = 5
"""Words between a subject and its verb of speech."""
_PRONOUN_SEX: Final = {"he": Sex.MALE, "she": Sex.FEMALE}
_OWNER_SEX: Final = {"his": Sex.MALE, "her": Sex.FEMALE}
_COPULAS: Final = frozenset({"was", "is", "were", "came"})
ARTICLES: Final = frozenset(
    {"the", "a", "an", "his", "her", "their", "my", "our", "its", "this", "that", "one", "another"}
)
_PREPOSITIONS: Final = frozenset(
    ["to", "of", "at", "with", "from", "by", "for", "in", "on", "upon", "into", "towards", "toward", "against",
     "about", "after", "before", "behind", "beside", "like", "than", "near", "over", "under", "between",
     "without"]
)  # fmt: skip
_CLAUSE_WORDS: Final = frozenset(
    {"when", "as", "while", "if", "because", "that", "which", "who", "where", "until"}
)
GROUP_NOUNS: Final = frozenset(
    ["men", "women", "boys", "girls", "children", "child", "others", "crowd", "stranger", "speaker",
     "prisoner", "guest", "guard", "driver", "innkeeper", "merchant", "clerk", "porter", "messenger",
     "creature", "figure", "innkeeper", "barkeeper", "blacksmith", "farmer", "shepherd", "thief", "scholar",
     "peasant", "beggar", "traveller"]
)  # fmt: skip
"""Other nouns of who can speak."""
_NOT_NOUNS: Final = frozenset(
    ["said", "and", "but", "or", "was", "were", "is", "are", "had", "has", "of", "to", "in", "with", "who",
     "he", "she", "i", "they", "it", "not", "very", "as", "at", "for", "on", "from", "by", "that", "which"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpeakerReference:
    """Words that stand for somebody."""

    owner: int | None
    """Whose name it is, in `NamedText.named`."""
    sex: Sex | None
    phrase: str
    """`the landlord`, `his wife`; empty for a name or a pronoun."""
    is_pronoun: bool
    token: int
    """Where it begins, in `NamedText.tokens`."""
    end_token: int

    @property
    def noun(self) -> str:
        """The last word of a phrase, in lower case."""
        return self.phrase.casefold().rpartition(" ")[2]


class TagReader:
    """Reads references in the narration of a text."""

    def __init__(self, named_text: NamedText, words: NameWords) -> None:
        self._named = named_text
        self._words = words
        self._tokens = named_text.tokens
        self._token_starts = [token.start for token in named_text.tokens]
        self._span_at = {span.first: number for number, span in enumerate(named_text.spans)}
        self._span_starts = [span.start for span in named_text.spans]

    def token_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the tokens between two places of the text."""
        return bisect_left(self._token_starts, start), bisect_left(self._token_starts, end)

    def span_range(self, start: int, end: int) -> range:
        """Return the names between two places of the text."""
        return range(bisect_left(self._span_starts, start), bisect_left(self._span_starts, end))

    # --- tags -----------------------------------------------------------------------------------

    def read_tag_after(self, start: int, end: int) -> SpeakerReference | None:
        """Read `said X`, `X said`, `he added` in the narration that follows a quote."""
        first, last = self.token_range(start, min(end, start + 200))
        last = min(last, first + _MAX_TAG)
        if first >= last:
            return None
        verbs = self._words.speech_verbs
        index = first
        while index < min(last, first + 3) and self._is_filler(self._tokens[index]):
            index += 1
        if index < last and self._tokens[index].key in verbs and not self._tokens[index].is_capitalised:
            reference = self._read_speaker(index + 1, last)
            if reference is not None:
                return reference
        if index == first and index + 1 < last and self._tokens[index].key in _COPULAS:
            return self._read_owner_of_answer(index + 1, last)
        reference = self._read_speaker(index, last)
        if reference is None:
            return None
        return reference if self._has_verb(reference.end_token, last) else None

    def _read_owner_of_answer(self, index: int, last: int) -> SpeakerReference | None:
        """Read `was his only answer`, `was Mr. Woodhouse's observation`."""
        number = self._span_at.get(index)
        token = self._tokens[index]
        if number is not None:
            reference = self._named_reference(number, index)
        elif token.key in _OWNER_SEX:
            reference = SpeakerReference(None, _OWNER_SEX[token.key], "", True, index, index + 1)
        else:
            return None
        after = self._tokens[reference.end_token : min(last, reference.end_token + 3)]
        return reference if any(each.key in self._words.speaking_nouns for each in after) else None

    def _is_filler(self, token: TextToken) -> bool:
        return not token.is_capitalised and (
            token.key in ("and", "then", "so", "thus", "but") or token.key.endswith("ly")
        )

    def _has_verb(self, first: int, last: int) -> bool:
        for index in range(first, min(last, first + _VERB_REACH)):
            token = self._tokens[index]
            if token.opens_sentence and index > first:
                return False
            if token.key in self._words.speech_verbs:
                return True
            if token.key in _CLAUSE_WORDS:
                return False
        return False

    def read_tag_before(self, start: int, end: int) -> tuple[SpeakerReference | None, bool]:
        """Read the last sentence before a quote: its subject, and whether it leads into the quote (`Tom said, “`)."""
        first, last = self.token_range(start, end)
        if first >= last:
            return None, False
        lead = self._named.text[self._tokens[last - 1].end : end].strip()
        leads = lead[:1] in (",", ":") or (
            lead == "" and self._tokens[last - 1].key in self._words.speech_verbs
        )
        if not leads:
            leads = (
                lead.startswith(("--", "—", ";")) and self._tokens[last - 1].key in self._words.speech_verbs
            )
        begin = max(first, last - _MAX_BEFORE)
        for index in range(last - 1, begin - 1, -1):
            if self._tokens[index].opens_sentence:
                begin = index
                break
        references = [each for each in self._subjects(begin, last) if self.is_somebody(each)]
        if not references:
            return None, leads
        if leads:
            for reference in reversed(references):
                if self._has_verb(reference.end_token, last):
                    return reference, True
        return references[0], leads

    def is_somebody(self, reference: SpeakerReference) -> bool:
        """Return whether the words mean somebody, as far as they are words of a list: `the lamp` speaks not."""
        words, noun = self._words, reference.noun
        return (
            not reference.phrase
            or reference.phrase == NARRATOR
            or noun in words.male_nouns
            or noun in words.female_nouns
            or noun in words.kin_nouns
            or noun in words.titles
            or noun in GROUP_NOUNS
        )

    def subjects_between(self, start: int, end: int) -> Iterator[SpeakerReference]:
        """Return the subjects of the sentences of a stretch of narration."""
        first, last = self.token_range(start, end)
        return self._subjects(first, last)

    def _subjects(self, first: int, last: int) -> Iterator[SpeakerReference]:
        index = first
        while index < last:
            before = self._tokens[index - 1].key if index > first else ""
            reference = self._read_reference(index, last)
            if reference is None:
                index += 1
                continue
            if before not in _PREPOSITIONS and not self._is_owner(reference):
                yield reference
            index = reference.end_token

    def _is_owner(self, reference: SpeakerReference) -> bool:
        """Return whether the name only says whose something is: `Tom's hand`."""
        return self._tokens[reference.end_token - 1].is_possessive

    # --- references -----------------------------------------------------------------------------

    def _read_reference(self, index: int, last: int) -> SpeakerReference | None:
        """Return who is named by the words that begin at a token."""
        if index >= last:
            return None
        token = self._tokens[index]
        number = self._span_at.get(index)
        if number is not None:
            return self._named_reference(number, index)
        key = token.key
        if key in _PRONOUN_SEX:
            return SpeakerReference(None, _PRONOUN_SEX[key], "", True, index, index + 1)
        if token.word == "I":
            return SpeakerReference(None, None, NARRATOR, False, index, index + 1)
        if key in ARTICLES or key in self._words.soft_titles:
            return self._noun_reference(index, last)
        return None

    def _read_speaker(self, index: int, last: int) -> SpeakerReference | None:
        """Return who is named by the words that begin at a token: somebody, or `Tom's mother`."""
        reference = self._read_reference(index, last)
        if reference is None or not self._is_owner(reference):
            return reference
        for position in range(reference.end_token, min(last, reference.end_token + 3)):
            token = self._tokens[position]
            sex = self._words.sex_of_noun(token.key)
            if sex is not None or token.key in self._words.kin_nouns or token.key in GROUP_NOUNS:
                phrase = self._named.text[self._tokens[index].start : token.end]
                return SpeakerReference(None, sex, " ".join(phrase.split()), False, index, position + 1)
        return None

    def _named_reference(self, number: int, index: int) -> SpeakerReference:
        owner = self._named.owners[number]
        one = self._named.named[owner]
        return SpeakerReference(owner, one.sex, "", False, index, self._named.spans[number].last)

    def _noun_reference(self, index: int, last: int) -> SpeakerReference | None:
        words = self._words
        for position in range(index + 1, min(last, index + 5)):
            token = self._tokens[position]
            number = self._span_at.get(position)
            if number is not None:
                return None if token.is_possessive else self._named_reference(number, position)
            if token.opens_sentence or token.key in _NOT_NOUNS:
                return None
            key = token.key
            sex = words.sex_of_noun(key)
            following = self._tokens[position + 1] if position + 1 < last else None
            is_last = (
                following is None
                or following.key in _NOT_NOUNS
                or not following.gap.isspace()
                or (following.key in words.person_verbs)
            )
            if sex is not None or key in words.kin_nouns or key in words.titles or is_last:
                if token.is_possessive:
                    return None
                phrase = self._named.text[self._tokens[index].start : token.end]
                return SpeakerReference(None, sex, " ".join(phrase.split()), False, index, position + 1)
        return None
