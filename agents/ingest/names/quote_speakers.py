"""Says who speaks each quote: by what is said beside it, else by the turns of the conversation.

In order: `said X` beside the quote; the same paragraph's other quotes; who acts in the paragraph; who was addressed;
whose turn it is. A name that the quote itself calls out is whom it is spoken to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from agents.ingest.names.conversation import Conversation, Speaker, SpokenTurn
from agents.ingest.names.name_words import NameWords
from agents.ingest.names.named_text import NamedText
from agents.ingest.names.narrated_names import NarratedNames
from agents.ingest.names.quote_spans import SpokenParagraph, SpokenSpan
from agents.ingest.names.speaker_resolution import SpeakerResolver
from agents.ingest.names.speech_tags import NARRATOR, SpeakerReference, TagReader

_MAX_GAP: Final = 3
"""Paragraphs without speech that end a conversation."""
_MIN_VOCATIVES: Final = 2
_MIN_NARRATED: Final = 3
_NARRATED_SHARE: Final = 0.03
"""Share of the turns that the narrator has, from which the story is told by one of its people."""
_VOCATIVE_BEFORE: Final = frozenset(",.!?;:—-“\"‘'`(…")
_VOCATIVE_AFTER: Final = frozenset(",.!?;:—-”\"’')…")
_ANSWER_ENDINGS: Final = frozenset(
    {"", "sir", "ma'am", "ma’am", "madam", "my lord", "my lady", "miss", "your honour"}
)
"""What may follow a name that is the answer to a question, and calls nobody."""
_INTRODUCES_HIMSELF: Final = re.compile(r",\s+(?:of|at your service|from)\b")
_ENDEARMENTS: Final = ("my dear", "dear", "my", "old", "poor", "dearest", "my dearest", "oh", "o", "and you")


def find_speakers(
    named_text: NamedText, paragraphs: Sequence[SpokenParagraph], words: NameWords
) -> list[tuple[SpokenSpan, Speaker | None]]:
    """Return each quote with its speaker, in order."""
    narrated = NarratedNames(named_text, paragraphs, words)
    finder = _SpeakerFinder(named_text, paragraphs, narrated, words, None)
    speakers = finder.find()
    narrator = finder.find_narrator()
    # Whoever tells the story is no `he` or `she` in it.
    if narrator is None:
        return speakers
    return _SpeakerFinder(named_text, paragraphs, narrated, words, narrator).find()


class _SpeakerFinder:
    def __init__(
        self,
        named_text: NamedText,
        paragraphs: Sequence[SpokenParagraph],
        narrated: NarratedNames,
        words: NameWords,
        narrator: int | None,
    ) -> None:
        self._named = named_text
        self._paragraphs = paragraphs
        self._narrated = narrated
        self._resolver = SpeakerResolver(named_text, narrated, paragraphs, words, narrator)
        self._tags = TagReader(named_text, words)
        self._conversation = Conversation()
        self._turns: list[SpokenTurn] = []

    def find(self) -> list[tuple[SpokenSpan, Speaker | None]]:
        speakers: list[tuple[int, SpokenSpan, Speaker | None]] = []
        last_spoken = -_MAX_GAP - 1
        carried: Speaker | None = None
        for index, paragraph in enumerate(self._paragraphs):
            if not paragraph.quotes:
                continue
            turn = SpokenTurn(index, starts_conversation=index - last_spoken > _MAX_GAP)
            if turn.starts_conversation:
                self._conversation = Conversation()
            turn.addressed = self._addressed(paragraph)
            if carried is not None and self._paragraphs[index - 1].quotes[-1].continues:
                turn.speaker, turn.is_certain = carried, True
                if self._conversation.turns and self._conversation.turns[-1].speaker == carried:
                    self._conversation.turns.pop()  # one turn of several paragraphs
            own = self._attribute(index, paragraph, turn)
            self._turns.append(turn)
            self._conversation.turns.append(turn)
            speakers += [(len(self._turns) - 1, quote, own[n]) for n, quote in enumerate(paragraph.quotes)]
            last_spoken = index
            carried = own[-1] if paragraph.quotes[-1].continues else None
        self._fill_from_later_turns()
        return [
            (quote, speaker if speaker is not None else self._turns[n].speaker)
            for n, quote, speaker in speakers
        ]

    # --- one paragraph --------------------------------------------------------------------------

    def _attribute(self, index: int, paragraph: SpokenParagraph, turn: SpokenTurn) -> list[Speaker | None]:
        """Find the speaker of a paragraph, and of each of its quotes (None: the paragraph's)."""
        tagged = [self._tag_of(paragraph, n, turn) for n in range(len(paragraph.quotes))]
        named = [speaker for speaker in tagged if speaker is not None]
        if turn.speaker is None and named:
            turn.speaker, turn.is_certain = named[0], True
        if turn.speaker is None:
            turn.speaker = self._actor_of(paragraph, turn)
            turn.is_certain = turn.speaker is not None
        if turn.speaker is None and not turn.is_certain:
            turn.speaker = self._introduced_by(index, turn)
            turn.is_certain = turn.speaker is not None
        if turn.speaker is None:
            turn.speaker = self._next_in_turn(index, turn)
        if len(set(named)) < 2:
            return [turn.speaker if turn.is_certain else None] * len(tagged)
        # Two who speak in one paragraph: a quote without a tag goes on with the one before.
        filled: list[Speaker | None] = []
        for speaker in tagged:
            filled.append(speaker if speaker is not None else filled[-1] if filled else named[0])
        turn.speaker = filled[-1]
        return filled

    def _tag_of(self, paragraph: SpokenParagraph, n: int, turn: SpokenTurn) -> Speaker | None:
        quotes = paragraph.quotes
        quote = quotes[n]
        after_end = quotes[n + 1].outer_start if n + 1 < len(quotes) else paragraph.end
        reference = self._tags.read_tag_after(quote.outer_end, after_end)
        if reference is None:
            before_start = quotes[n - 1].outer_end if n else paragraph.start
            before, leads = self._tags.read_tag_before(before_start, quote.outer_start)
            reference = before if leads else None
        return self._resolve(reference, turn, paragraph) if reference else None

    def _actor_of(self, paragraph: SpokenParagraph, turn: SpokenTurn) -> Speaker | None:
        """Return who acts in the narration of the paragraph: he shrugs and speaks."""
        quotes = paragraph.quotes
        before, _ = self._tags.read_tag_before(paragraph.start, quotes[0].outer_start)
        candidates = [before] if before else []
        for n, quote in enumerate(quotes):
            end = quotes[n + 1].outer_start if n + 1 < len(quotes) else paragraph.end
            candidates += list(self._tags.subjects_between(quote.outer_end, end))[:1]
        for reference in candidates:
            if not self._tags.is_somebody(reference):
                continue
            speaker = self._resolve(reference, turn, paragraph)
            if speaker is not None and speaker not in turn.addressed:
                return speaker
        return None

    def _introduced_by(self, index: int, turn: SpokenTurn) -> Speaker | None:
        """Return whom the paragraph before announces, ending with a colon."""
        if not index or self._paragraphs[index - 1].quotes:
            return None
        previous = self._paragraphs[index - 1]
        reference, leads = self._tags.read_tag_before(previous.start, self._paragraphs[index].start)
        return self._resolve(reference, turn, previous) if reference and leads else None

    def _addressed(self, paragraph: SpokenParagraph) -> frozenset[int]:
        """Return whom the quotes call by name."""
        text, found = self._named.text, set()
        for quote in paragraph.quotes:
            for number in self._tags.span_range(quote.start, quote.end):
                span = self._named.spans[number]
                before = text[max(quote.outer_start, span.start - 14) : span.start].rstrip().casefold()
                for words in _ENDEARMENTS:
                    if before.endswith(words):
                        before = before.removesuffix(words).rstrip()
                        break
                after = text[span.end : quote.outer_end].lstrip()[:1]
                rest = text[span.end : quote.end].strip(" ,.;?-—").casefold()
                is_whole = span.start == quote.start and rest in _ANSWER_ENDINGS
                if (
                    self._named.tokens[span.last - 1].is_possessive
                    or text[span.end + 1 : span.end + 2].isalpha()
                ):
                    continue  # `Tom's dying`, `Tom'll come`
                if _INTRODUCES_HIMSELF.match(text, span.end):
                    continue  # `Hannah Cray, of Shadwell`
                if is_whole and text[quote.end - 1 : quote.end] != "!":
                    continue  # an answer
                if before[-1:] in _VOCATIVE_BEFORE and (not after or after in _VOCATIVE_AFTER):
                    found.add(self._named.owners[number])
        return frozenset(found)

    def _resolve(
        self, reference: SpeakerReference, turn: SpokenTurn, paragraph: SpokenParagraph
    ) -> Speaker | None:
        return self._resolver.resolve(reference, turn, self._conversation, paragraph.start)

    # --- turns ----------------------------------------------------------------------------------

    def _next_in_turn(self, index: int, turn: SpokenTurn) -> Speaker | None:
        """Return whose turn it is: who was addressed, who spoke before the last, or who else was named."""
        turns = self._conversation.turns
        previous = self._conversation.previous_speaker
        start = self._paragraphs[index].start
        if not turns:
            return next(self._resolver.names_before(start, None, turn), None)
        between = self._narrated.between(turns[-1].paragraph + 1, index)
        if previous is not None and previous not in turn.addressed and not turn.addressed.isdisjoint(between):
            return previous  # who spoke sees the other act, and speaks to them
        actors = between - turn.addressed
        if len(actors) == 1:
            return next(iter(actors))
        addressed = (turns[-1].addressed - {previous}) & self._narrated.owners
        if len(addressed) == 1:
            return next(iter(addressed))
        others = [s for s in self._conversation.speakers() if s != previous and s not in turn.addressed]
        if others:
            return others[0]
        return next(
            (owner for owner in self._resolver.names_before(start, None, turn) if owner != previous), None
        )

    def _fill_from_later_turns(self) -> None:
        """Give turns without a sure speaker the one of the turn after next, where a conversation begins so."""
        for index in range(len(self._turns) - 3, -1, -1):
            turn, reply, later = self._turns[index : index + 3]
            if turn.is_certain or reply.starts_conversation or later.starts_conversation:
                continue
            is_pair = (
                later.is_certain and reply.speaker != later.speaker and later.speaker not in turn.addressed
            )
            is_first = turn.starts_conversation or turn.speaker is None
            if is_pair and is_first:
                turn.speaker = later.speaker

    def find_narrator(self) -> int | None:
        """Return whose name others call the narrator by."""
        if (own_name := self._narrated.teller()) is not None:
            return own_name
        told_turns = sum(turn.speaker == NARRATOR for turn in self._turns)
        if told_turns < max(_MIN_NARRATED, _NARRATED_SHARE * len(self._turns)):
            return None
        calls: Counter[int] = Counter()
        for one, other in pairwise(self._turns):
            if other.starts_conversation:
                continue
            if one.speaker == NARRATOR and other.speaker != NARRATOR:
                calls.update(other.addressed)
            if other.speaker == NARRATOR and one.speaker != NARRATOR:
                calls.update(one.addressed)
        if not calls:
            return None
        owner, count = calls.most_common(1)[0]
        return owner if count >= _MIN_VOCATIVES and 2 * count > calls.total() else None
