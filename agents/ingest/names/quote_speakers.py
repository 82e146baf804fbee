"""Says who speaks each quote: by what is said beside it, else by the turns of the conversation.

In order: `said X` beside the quote; the same paragraph's other quotes; who acts in the paragraph; who was addressed;
whose turn it is. A name that the quote itself calls out is whom it is spoken to.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.ingest.names.name_words import NameWords, Sex
from agents.ingest.names.named_text import NamedText
from agents.ingest.names.quote_spans import SpokenParagraph, SpokenSpan
from agents.ingest.names.speech_tags import NARRATOR, SpeakerReference, TagReader

Speaker = int | str
"""The index of whose name it is in `NamedText.named`, or words: `the landlord`, `I`."""

_MAX_GAP: Final = 3
"""Paragraphs without speech that end a conversation."""
_RECENT_TURNS: Final = 8
_RECENT_NAMES: Final = 40
_FADING: Final = 0.85
"""What a name is worth beside the one named after it."""
_MIN_VOCATIVES: Final = 2
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
_MIN_NARRATED: Final = 3
_NARRATED_SHARE: Final = 0.03
"""Share of the turns that the narrator has, from which the story is told by one of its people."""
_VOCATIVE_BEFORE: Final = frozenset(",.!?;:—-“\"‘'`(…")
_VOCATIVE_AFTER: Final = frozenset(",.!?;:—-”\"’')…")
_ANSWER_ENDINGS: Final = frozenset(
    {"", "sir", "ma'am", "ma’am", "madam", "my lord", "my lady", "miss", "your honour"}
)
"""What may follow a name that is the answer to a question, and calls nobody."""
_OWNERS: Final = frozenset({"his", "her", "my", "their"})
_ELDERS: Final = frozenset({"mrs", "mr", "lady", "sir", "aunt", "uncle"})
_WIVES: Final = frozenset({"mrs", "lady", "madame", "mme"})
_MEN: Final = frozenset({"mr", "sir", "lord", "captain", "colonel", "dr"})
_KIN_TITLES: Final = {
    **dict.fromkeys(("wife", "lady", "mother", "mamma"), _WIVES),
    "aunt": _WIVES | {"aunt", "aunty"},
    **dict.fromkeys(("husband", "father", "papa"), _MEN),
    "uncle": _MEN | {"uncle"},
    "ladyship": frozenset({"lady"}),
    "lordship": frozenset({"lord", "earl", "duke"}),
}
"""Titles of whom a word of kinship means."""
_MASTERS: Final = ("mr", "sir", "lord", "captain", "colonel", "dr")
_MISTRESSES: Final = ("mrs", "lady", "madame")
_SURNAME_KIN: Final[dict[str, tuple[tuple[str, ...], Sex | None]]] = {
    "wife": (_MISTRESSES, Sex.MALE),
    "lady": (_MISTRESSES, Sex.MALE),
    "husband": (_MASTERS, Sex.FEMALE),
    **dict.fromkeys(("father", "papa"), (_MASTERS, None)),
    **dict.fromkeys(("mother", "mamma"), (_MISTRESSES, None)),
}
"""Titles of kin with the same surname, and the sex of whose kin they are (None: as `his` or `her` says)."""
_ENDEARMENTS: Final = ("my dear", "dear", "my", "old", "poor", "dearest", "my dearest", "oh", "o", "and you")


@dataclass(slots=True)
class _Turn:
    """The speech of one paragraph."""

    paragraph: int
    speaker: Speaker | None = None
    is_certain: bool = False
    addressed: frozenset[int] = frozenset()
    starts_conversation: bool = False


@dataclass(slots=True)
class _Conversation:
    turns: list[_Turn] = field(default_factory=list)

    def speakers(self) -> list[Speaker]:
        """Return who spoke lately, the last first, each once."""
        recent = [turn.speaker for turn in reversed(self.turns[-_RECENT_TURNS:]) if turn.speaker is not None]
        return list(dict.fromkeys(recent))


def find_speakers(
    named_text: NamedText, paragraphs: Sequence[SpokenParagraph], words: NameWords
) -> list[tuple[SpokenSpan, Speaker | None]]:
    """Return each quote with its speaker, in order."""
    finder = _SpeakerFinder(named_text, paragraphs, words, None)
    speakers = finder.find()
    narrator = finder.find_narrator()
    # Whoever tells the story is no `he` or `she` in it.
    return speakers if narrator is None else _SpeakerFinder(named_text, paragraphs, words, narrator).find()


class _SpeakerFinder:
    def __init__(
        self,
        named_text: NamedText,
        paragraphs: Sequence[SpokenParagraph],
        words: NameWords,
        narrator: int | None,
    ) -> None:
        self._named = named_text
        self._paragraphs = paragraphs
        self._words = words
        self._narrator = narrator
        self._tags = TagReader(named_text, words)
        self._conversation = _Conversation()
        self._turns: list[_Turn] = []
        self._told_spans = [
            number
            for number, span in enumerate(named_text.spans)
            if named_text.named[named_text.owners[number]].can_speak
        ]
        """Names of those who can speak, in the narration only."""
        self._drop_spoken_spans()
        self._told_starts = [named_text.spans[number].start for number in self._told_spans]
        self._told_owners = {named_text.owners[number] for number in self._told_spans}
        """Who is named in the narration too, and not only spoken of."""
        self._titles = self._index_titles()
        self._owner_of_key = {key: n for n, one in enumerate(named_text.named) for key in one.name_keys}

    def _drop_spoken_spans(self) -> None:
        quotes = [quote for paragraph in self._paragraphs for quote in paragraph.quotes]
        starts = [quote.outer_start for quote in quotes]
        kept: list[int] = []
        for number in self._told_spans:
            start = self._named.spans[number].start
            index = bisect_right(starts, start) - 1
            if index < 0 or start >= quotes[index].outer_end:
                kept.append(number)
        self._told_spans = kept

    def _index_titles(self) -> dict[str, int]:
        """Return whom a title alone means, where only one has it: `the colonel`."""
        owners: dict[str, set[int]] = {}
        for index, one in enumerate(self._named.named):
            if one.can_speak:
                for title in {key.split()[0] for key in one.name_keys} & self._words.titles:
                    owners.setdefault(title, set()).add(index)
        return {title: next(iter(indexes)) for title, indexes in owners.items() if len(indexes) == 1}

    def find(self) -> list[tuple[SpokenSpan, Speaker | None]]:
        speakers: list[tuple[int, SpokenSpan, Speaker | None]] = []
        last_spoken = -_MAX_GAP - 1
        carried: Speaker | None = None
        for index, paragraph in enumerate(self._paragraphs):
            if not paragraph.quotes:
                continue
            turn = _Turn(index, starts_conversation=index - last_spoken > _MAX_GAP)
            if turn.starts_conversation:
                self._conversation = _Conversation()
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

    def _attribute(self, index: int, paragraph: SpokenParagraph, turn: _Turn) -> list[Speaker | None]:
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

    def _tag_of(self, paragraph: SpokenParagraph, n: int, turn: _Turn) -> Speaker | None:
        quotes = paragraph.quotes
        quote = quotes[n]
        after_end = quotes[n + 1].outer_start if n + 1 < len(quotes) else paragraph.end
        reference = self._tags.read_tag_after(quote.outer_end, after_end)
        if reference is None:
            before_start = quotes[n - 1].outer_end if n else paragraph.start
            before, leads = self._tags.read_tag_before(before_start, quote.outer_start)
            reference = before if leads else None
        return self._resolve(reference, turn, paragraph.start) if reference else None

    def _actor_of(self, paragraph: SpokenParagraph, turn: _Turn) -> Speaker | None:
        """Return who acts in the narration of the paragraph: `Tom shrugged. “Perhaps.”`"""
        quotes = paragraph.quotes
        before, _ = self._tags.read_tag_before(paragraph.start, quotes[0].outer_start)
        candidates = [before] if before else []
        for n, quote in enumerate(quotes):
            end = quotes[n + 1].outer_start if n + 1 < len(quotes) else paragraph.end
            candidates += list(self._tags.subjects_between(quote.outer_end, end))[:1]
        for reference in candidates:
            if not self._tags.is_somebody(reference):
                continue
            speaker = self._resolve(reference, turn, paragraph.start)
            if speaker is not None and speaker not in turn.addressed:
                return speaker
        return None

    def _introduced_by(self, index: int, turn: _Turn) -> Speaker | None:
        """Return whom the paragraph before announces: `At last Tom spoke:`"""
        if not index or self._paragraphs[index - 1].quotes:
            return None
        previous = self._paragraphs[index - 1]
        reference, leads = self._tags.read_tag_before(previous.start, self._paragraphs[index].start)
        return self._resolve(reference, turn, previous.start) if reference and leads else None

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
                if is_whole and text[quote.end - 1 : quote.end] != "!":
                    continue  # an answer
                if before[-1:] in _VOCATIVE_BEFORE and (not after or after in _VOCATIVE_AFTER):
                    found.add(self._named.owners[number])
        return frozenset(found)

    # --- whom words mean ------------------------------------------------------------------------

    def _resolve(self, reference: SpeakerReference | None, turn: _Turn, position: int) -> Speaker | None:
        if reference is None:
            return None
        if reference.owner is not None:
            return reference.owner if self._named.named[reference.owner].can_speak else None
        if reference.is_pronoun:
            return self._meant_by(reference.sex, turn, self._named.tokens[reference.token].start, position)
        return self._meant_by_phrase(reference, turn)

    def _meant_by(self, sex: Sex | None, turn: _Turn, position: int, paragraph_start: int) -> Speaker | None:
        """Return whom `he` or `she` means: somebody named before it, who spoke lately, or was named lately."""
        last = bisect_right(self._told_starts, position) - 1
        for index in range(last, max(-1, last - 4), -1):
            if self._told_starts[index] < paragraph_start:
                break
            owner = self._named.owners[self._told_spans[index]]
            if self._is_of(owner, sex) and owner not in turn.addressed:
                return owner
        previous = self._previous_speaker()
        recent = self._conversation.speakers()
        called = [owner for owner in self._previous_addressed() if self._is_of(owner, sex)]
        if len(called) == 1 and called[0] != previous:
            return called[0]
        waiting = [s for s in recent if s != previous and s not in turn.addressed and self._is_of(s, sex)]
        named = self._names_by_weight(last, sex, turn)
        since_last_turn = [owner for owner, is_fresh in named if is_fresh and owner != previous]
        again = [previous] if previous is not None and self._is_of(previous, sex) else []
        earlier = [owner for owner, _ in named if owner != previous]
        # Whoever spoke last rarely speaks again at once, but often after a paragraph of narration.
        is_reply = (
            bool(self._conversation.turns) and self._conversation.turns[-1].paragraph == turn.paragraph - 1
        )
        last_choices = [*earlier, *again] if is_reply else [*again, *earlier]
        return next(iter((*waiting[:1], *since_last_turn, *last_choices)), None)

    def _names_before(self, last: int, sex: Sex | None, turn: _Turn) -> Iterator[int]:
        return (owner for owner, *_ in self._told_before(last, sex, turn))

    def _told_before(self, last: int, sex: Sex | None, turn: _Turn) -> Iterator[tuple[int, bool, bool]]:
        """Return who was named in the narration before, the last first; whether since the last turn; whether as subject."""
        turns = self._conversation.turns
        fresh_from = self._paragraphs[turns[-1].paragraph].start if turns else 0
        for index in range(last, max(-1, last - _RECENT_NAMES), -1):
            owner = self._named.owners[self._told_spans[index]]
            if self._is_of(owner, sex) and owner not in turn.addressed:
                yield owner, self._told_starts[index] >= fresh_from, self._is_subject(self._told_spans[index])

    def _is_subject(self, number: int) -> bool:
        """Return whether the name begins its sentence, or a verb of people follows it."""
        span, tokens = self._named.spans[number], self._named.tokens
        if tokens[span.last - 1].is_possessive:
            return False
        following = tokens[span.last] if span.last < len(tokens) else None
        return tokens[span.first].opens_sentence or (
            following is not None and following.gap.isspace() and following.key in self._words.person_verbs
        )

    def _names_by_weight(self, last: int, sex: Sex | None, turn: _Turn) -> list[tuple[int, bool]]:
        """Return who was named before, those first who act oftenest and latest, and whether since the last turn."""
        weights: Counter[int] = Counter()
        fresh: set[int] = set()
        for distance, (owner, is_fresh, is_subject) in enumerate(self._told_before(last, sex, turn)):
            weights[owner] += (2 if is_subject else 1) * _FADING**distance  # type: ignore[assignment]
            if is_fresh and is_subject:
                fresh.add(owner)
        return [(owner, owner in fresh) for owner, _ in weights.most_common()]

    def _meant_by_phrase(self, reference: SpeakerReference, turn: _Turn) -> Speaker:
        phrase = reference.phrase
        if phrase == NARRATOR:
            return NARRATOR if self._narrator is None else self._narrator
        *before, noun = phrase.casefold().split()
        if noun in self._titles:
            return self._titles[noun]
        if before and before[0] in _OWNERS and noun in self._words.kin_nouns:
            relative = self._kin_by_surname(noun, before[0], turn, reference.token)
            if relative is None:
                relative = self._relative(noun, reference, turn)
            if relative is not None:
                return relative
        return phrase.casefold()

    def _kin_by_surname(self, noun: str, owner_word: str, turn: _Turn, token: int) -> Speaker | None:
        """Return whom `his wife` and `her father` mean: the Mrs. or Mr. of the other's surname."""
        titles, sex = _SURNAME_KIN.get(noun, ((), None))
        if not titles:
            return None
        sex = sex or {"his": Sex.MALE, "her": Sex.FEMALE}.get(owner_word)
        last = bisect_right(self._told_starts, self._named.tokens[token].start) - 1
        people = (*turn.addressed, *self._conversation.speakers(), *self._names_before(last, sex, turn))
        for person in people:
            if not isinstance(person, int) or (sex is not None and self._named.named[person].sex is not sex):
                continue
            surnames = {key.split()[-1] for key in self._named.named[person].name_keys if " " in key}
            for title in titles:
                for surname in sorted(surnames):
                    relative = self._owner_of_key.get(f"{title} {surname}")
                    if relative is not None and relative != person:
                        return relative
        return None

    def _relative(self, noun: str, reference: SpeakerReference, turn: _Turn) -> Speaker | None:
        """Return whom `her mother` means: a Mrs. who speaks here or was named lately."""
        wanted = _KIN_TITLES.get(noun)
        previous = self._previous_speaker()
        last = bisect_right(self._told_starts, self._named.tokens[reference.token].start) - 1
        named = list(self._names_before(last, reference.sex, turn))
        speakers = [s for s in self._conversation.speakers() if isinstance(s, int)]
        for owner in (*speakers, *named):
            if owner == previous or not self._is_of(owner, reference.sex):
                continue
            titles = {key.split()[0] for key in self._named.named[owner].name_keys} & self._words.titles
            if wanted is None and self._named.named[owner].sex is not None and not titles & _ELDERS:
                return owner
            if wanted is not None and titles & wanted:
                return owner
        return None

    def _is_of(self, speaker: Speaker, sex: Sex | None) -> bool:
        """Return whether somebody may be of a sex."""
        if speaker in (NARRATOR, self._narrator):
            return sex is None
        if isinstance(speaker, str):
            noun = speaker.split()[-1]
            own = (
                Sex.MALE
                if noun in self._words.male_nouns
                else Sex.FEMALE
                if noun in self._words.female_nouns
                else None
            )
        else:
            own = self._named.named[speaker].sex
        return sex is None or own is None or own is sex

    def _previous_addressed(self) -> frozenset[int]:
        return self._conversation.turns[-1].addressed if self._conversation.turns else frozenset()

    def _previous_speaker(self) -> Speaker | None:
        return self._conversation.turns[-1].speaker if self._conversation.turns else None

    # --- turns ----------------------------------------------------------------------------------

    def _next_in_turn(self, index: int, turn: _Turn) -> Speaker | None:
        """Return whose turn it is: who was addressed, who spoke before the last, or who else was named."""
        turns = self._conversation.turns
        previous = self._previous_speaker()
        start = self._paragraphs[index].start
        last = bisect_right(self._told_starts, start) - 1
        if not turns:
            return next(self._names_before(last, None, turn), None)
        between = self._names_between(turns[-1], index)
        if previous is not None and previous not in turn.addressed and not turn.addressed.isdisjoint(between):
            return previous  # who spoke sees the other act, and speaks to them
        actors = between - turn.addressed
        if len(actors) == 1:
            return next(iter(actors))
        addressed = (turns[-1].addressed - {previous}) & self._told_owners
        if len(addressed) == 1:
            return next(iter(addressed))
        others = [s for s in self._conversation.speakers() if s != previous and s not in turn.addressed]
        if others:
            return others[0]
        return next((owner for owner in self._names_before(last, None, turn) if owner != previous), None)

    def _names_between(self, last_turn: _Turn, index: int) -> set[int]:
        """Return who is named in the paragraphs between the last turn and this one."""
        if last_turn.paragraph + 1 >= index:
            return set()
        start, end = self._paragraphs[last_turn.paragraph + 1].start, self._paragraphs[index].start
        first, last = bisect_right(self._told_starts, start - 1), bisect_right(self._told_starts, end)
        return {self._named.owners[number] for number in self._told_spans[first:last]}

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

    def _name_of_teller(self) -> int | None:
        """Return who the narrator says to be: `Call me Ishmael`, `my name is Pip`."""
        tokens = self._named.tokens
        for number in self._told_spans:
            first = self._named.spans[number].first
            before = tuple(token.key for token in tokens[max(0, first - 3) : first])
            if before[-2:] in _NAMES_HIMSELF or before[-3:] in _NAMES_HIMSELF:
                return self._named.owners[number]
        return None

    def find_narrator(self) -> int | None:
        """Return whose name others call the narrator by."""
        if (own_name := self._name_of_teller()) is not None:
            return own_name
        told_turns = sum(turn.speaker == NARRATOR for turn in self._turns)
        if told_turns < max(_MIN_NARRATED, _NARRATED_SHARE * len(self._turns)):
            return None
        calls: Counter[int] = Counter()
        for one, other in zip(self._turns, self._turns[1:], strict=False):
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
