"""Says whom a pronoun or words such as `his wife` mean beside a quote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agents.ingest.names.conversation import Conversation, Speaker, SpokenTurn
from agents.ingest.names.name_words import NameWords, Sex
from agents.ingest.names.named_text import NamedText
from agents.ingest.names.narrated_names import NarratedName, NarratedNames
from agents.ingest.names.quote_spans import SpokenParagraph
from agents.ingest.names.speech_tags import ARTICLES, NARRATOR, SpeakerReference

_FADING: Final = 0.85
"""What a name is worth beside the one named after it."""
_NAMES_NEAR: Final = 4
"""Names of a paragraph among which a pronoun of the same paragraph finds whom it means."""
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


_WRITTEN_OUT: Final = {
    "dr": "doctor",
    "prof": "professor",
    "capt": "captain",
    "sgt": "sergeant",
    "lt": "lieutenant",
    "col": "colonel",
    "gen": "general",
    "rev": "reverend",
}
"""Titles as they are written without a name: `the doctor`."""


class SpeakerResolver:
    """Knows the people of a text; `narrator` is who tells it, if that is known."""

    def __init__(
        self,
        named_text: NamedText,
        narrated: NarratedNames,
        paragraphs: Sequence[SpokenParagraph],
        words: NameWords,
        narrator: int | None,
    ) -> None:
        self._named = named_text
        self._narrated = narrated
        self._paragraphs = paragraphs
        self._words = words
        self._narrator = narrator
        self._callings = {**self._index_roles(), **self._index_titles()}
        """Whom a title or what somebody is means alone: `the colonel`, `the postman`."""
        self._owner_of_key = {key: n for n, one in enumerate(named_text.named) for key in one.name_keys}

    def _index_titles(self) -> dict[str, int]:
        """Return whom a title alone means, where only one has it: `the colonel`."""
        owners: dict[str, set[int]] = {}
        for index, one in enumerate(self._named.named):
            if one.can_speak:
                for title in {key.split()[0] for key in one.name_keys} & self._words.titles:
                    owners.setdefault(_WRITTEN_OUT.get(title, title), set()).add(index)
        return _only_owners(owners)

    def _index_roles(self) -> dict[str, int]:
        """Return whom the text says to be what, where only one is: `Mr. Dobbin the postman`, `Poole, the butler`."""
        tokens, owners = self._named.tokens, dict[str, set[int]]()
        for span, owner in zip(self._named.spans, self._named.owners, strict=True):
            if span.last + 1 >= len(tokens) or not self._named.named[owner].can_speak:
                continue
            article, noun = tokens[span.last : span.last + 2]
            if article.key in ARTICLES and article.gap.strip() in ("", ",") and not noun.is_capitalised:
                owners.setdefault(noun.key, set()).add(owner)
        return _only_owners(owners)

    def resolve(
        self, reference: SpeakerReference, turn: SpokenTurn, conversation: Conversation, paragraph_start: int
    ) -> Speaker | None:
        """Return who is meant by a reference in the paragraph of a turn, or one before it."""
        if reference.owner is not None:
            return reference.owner if self._named.named[reference.owner].can_speak else None
        if reference.is_pronoun:
            return self._meant_by_pronoun(reference, turn, conversation, paragraph_start)
        return self._meant_by_phrase(reference, turn, conversation)

    def names_before(self, position: int, sex: Sex | None, turn: SpokenTurn) -> Iterator[int]:
        """Return who of a sex was named before a place, the last first, whom the turn does not call by name."""
        return (name.owner for name in self._narrated_before(position, sex, turn))

    def _narrated_before(self, position: int, sex: Sex | None, turn: SpokenTurn) -> Iterator[NarratedName]:
        for name in self._narrated.before(position):
            if self._is_of(name.owner, sex) and name.owner not in turn.addressed:
                yield name

    def _meant_by_pronoun(
        self, reference: SpeakerReference, turn: SpokenTurn, conversation: Conversation, paragraph_start: int
    ) -> Speaker | None:
        """Return whom `he` means: somebody named before it, who spoke lately, or was named lately."""
        sex, position = reference.sex, self._named.tokens[reference.token].start
        for count, name in enumerate(self._narrated.before(position)):
            if count == _NAMES_NEAR or name.start < paragraph_start:
                break
            if self._is_of(name.owner, sex) and name.owner not in turn.addressed:
                return name.owner
        here = {
            owner
            for owner in self._narrated.between(turn.paragraph, turn.paragraph + 1) - turn.addressed
            if sex is not None and self._named.named[owner].sex is sex
        }
        if len(here) == 1:
            return here.pop()
        previous = conversation.previous_speaker
        called = [owner for owner in conversation.previous_addressed if self._is_of(owner, sex)]
        if len(called) == 1 and called[0] != previous:
            return called[0]
        waiting = [
            speaker
            for speaker in conversation.speakers()
            if speaker != previous and speaker not in turn.addressed and self._is_of(speaker, sex)
        ]
        waiting.sort(key=lambda speaker: self._sex_of(speaker) is None)
        named = self._names_by_weight(position, sex, turn, conversation)
        since_last_turn = [owner for owner, is_fresh in named if is_fresh and owner != previous]
        again = [previous] if previous is not None and self._is_of(previous, sex) else []
        earlier = [owner for owner, _ in named if owner != previous]
        # Whoever spoke last rarely speaks again at once, but often after a paragraph of narration.
        is_reply = conversation.last_paragraph == turn.paragraph - 1
        last_choices = [*earlier, *again] if is_reply else [*again, *earlier]
        return next(iter((*waiting[:1], *since_last_turn, *last_choices)), None)

    def _names_by_weight(
        self, position: int, sex: Sex | None, turn: SpokenTurn, conversation: Conversation
    ) -> list[tuple[int, bool]]:
        """Return who was named before, those first who act oftenest and latest, and whether since the last turn."""
        last_paragraph = conversation.last_paragraph
        fresh_from = self._paragraphs[last_paragraph].start if last_paragraph is not None else 0
        weights: defaultdict[int, float] = defaultdict(float)
        fresh: set[int] = set()
        for distance, name in enumerate(self._narrated_before(position, sex, turn)):
            weights[name.owner] += (2 if name.is_subject else 1) * _FADING**distance
            if name.is_subject and name.start >= fresh_from:
                fresh.add(name.owner)
        ordered = sorted(weights, key=lambda owner: -weights[owner])
        return [(owner, owner in fresh) for owner in ordered]

    def _meant_by_phrase(
        self, reference: SpeakerReference, turn: SpokenTurn, conversation: Conversation
    ) -> Speaker:
        phrase = reference.phrase
        if phrase == NARRATOR:
            return NARRATOR if self._narrator is None else self._narrator
        *before, noun = phrase.casefold().split()
        if noun in self._callings:
            return self._callings[noun]
        if before and before[0] in _OWNERS and noun in self._words.kin_nouns:
            relative = self._kin_by_surname(noun, before[0], reference, turn, conversation)
            if relative is None:
                relative = self._relative(noun, reference, turn, conversation)
            if relative is not None:
                return relative
        first, _, rest = phrase.partition(" ")
        return f"{first.casefold()} {rest}" if first.casefold() in ARTICLES else phrase

    def _kin_by_surname(
        self,
        noun: str,
        owner_word: str,
        reference: SpeakerReference,
        turn: SpokenTurn,
        conversation: Conversation,
    ) -> Speaker | None:
        """Return whom `his wife` and `her father` mean: the Mrs. or Mr. of the other's surname."""
        titles, sex = _SURNAME_KIN.get(noun, ((), None))
        if not titles:
            return None
        sex = sex or {"his": Sex.MALE, "her": Sex.FEMALE}.get(owner_word)
        position = self._named.tokens[reference.token].start
        people = (*turn.addressed, *conversation.speakers(), *self.names_before(position, sex, turn))
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

    def _relative(
        self, noun: str, reference: SpeakerReference, turn: SpokenTurn, conversation: Conversation
    ) -> Speaker | None:
        """Return whom `her mother` means: a Mrs. who speaks here or was named lately."""
        wanted = _KIN_TITLES.get(noun)
        previous = conversation.previous_speaker
        position = self._named.tokens[reference.token].start
        named = list(self.names_before(position, reference.sex, turn))
        speakers = [speaker for speaker in conversation.speakers() if isinstance(speaker, int)]
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
        own = self._sex_of(speaker)
        return sex is None or own is None or own is sex

    def _sex_of(self, speaker: Speaker) -> Sex | None:
        if isinstance(speaker, str):
            return self._words.sex_of_noun(speaker.casefold().split()[-1])
        return self._named.named[speaker].sex


def _only_owners(owners: Mapping[str, set[int]]) -> dict[str, int]:
    return {word: next(iter(indexes)) for word, indexes in owners.items() if len(indexes) == 1}
