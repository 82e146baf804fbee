"""The people that the narration of a text names, without what is spoken: who is there, and who tells the story."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.names.name_words import NameWords
from agents.ingest.names.named_text import NamedText
from agents.ingest.names.quote_spans import SpokenParagraph

_RECENT_NAMES: Final = 40
_NAMES_HIMSELF: Final = frozenset(
    [
        ("call", "me"),
        ("called", "me"),
        ("called", "myself"),
        ("my", "name", "is"),
        ("my", "name", "was"),
        ("calls", "me"),
    ]
)
"""What stands before the narrator's own name."""


@dataclass(frozen=True, slots=True)
class NarratedName:
    owner: int
    """Whose name it is, in `NamedText.named`."""
    start: int
    is_subject: bool
    """Whether the name begins its sentence, or a verb of people follows it."""


class NarratedNames:
    """Names of those who can speak, in the order of the text."""

    def __init__(
        self, named_text: NamedText, paragraphs: Sequence[SpokenParagraph], words: NameWords
    ) -> None:
        self._named = named_text
        self._words = words
        self._paragraphs = paragraphs
        quotes = [quote for paragraph in paragraphs for quote in paragraph.quotes]
        quote_starts = [quote.outer_start for quote in quotes]
        self._numbers: list[int] = []
        for number, span in enumerate(named_text.spans):
            index = bisect_right(quote_starts, span.start) - 1
            is_spoken = index >= 0 and span.start < quotes[index].outer_end
            if not is_spoken and named_text.named[named_text.owners[number]].can_speak:
                self._numbers.append(number)
        self._starts = [named_text.spans[number].start for number in self._numbers]
        self.owners = {named_text.owners[number] for number in self._numbers}
        """Who is named in the narration at all, and not only spoken of."""

    def before(self, position: int) -> Iterator[NarratedName]:
        """Return the names before a place of the text, the last first, as far as they are remembered."""
        last = bisect_right(self._starts, position) - 1
        for index in range(last, max(-1, last - _RECENT_NAMES), -1):
            number = self._numbers[index]
            yield NarratedName(self._named.owners[number], self._starts[index], self._is_subject(number))

    def between(self, first_paragraph: int, end_paragraph: int) -> set[int]:
        """Return who is named from one paragraph to before another."""
        if first_paragraph >= end_paragraph:
            return set()
        start, end = self._paragraphs[first_paragraph].start, self._paragraphs[end_paragraph - 1].end
        first, last = bisect_right(self._starts, start - 1), bisect_right(self._starts, end)
        return {self._named.owners[number] for number in self._numbers[first:last]}

    def teller(self) -> int | None:
        """Return who the narrator says to be: `Call me Ishmael`, `my name is Pip`."""
        tokens = self._named.tokens
        for number in self._numbers:
            first = self._named.spans[number].first
            before = tuple(token.key for token in tokens[max(0, first - 3) : first])
            if before[-2:] in _NAMES_HIMSELF and (before[-1] not in ("is", "was") or before[0] == "my"):
                return self._named.owners[number]
        return None

    def _is_subject(self, number: int) -> bool:
        span, tokens = self._named.spans[number], self._named.tokens
        if tokens[span.last - 1].is_possessive:
            return False
        following = tokens[span.last] if span.last < len(tokens) else None
        return tokens[span.first].opens_sentence or (
            following is not None and following.gap.isspace() and following.key in self._words.person_verbs
        )
