"""Decides which facts of a turn somebody present learns, and who said them.

The rules are described in `memory_extraction.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.memory_manager.belief_tracker import BeliefTracker
from agents.memory_manager.scene_stretch import SceneStretch, StatedFact
from agents.memory_manager.spoken_sentences import SpokenSentence
from agents.prose.actions import enters_scene
from agents.prose.names import any_name_pattern
from agents.prose.quotes import find_quote
from stores.records.canon import EvidenceKind, Fact, FactKind, normalize_statement
from stores.records.ids import Id
from stores.records.play import Turn

MAX_NAME_WORDS: Final = 6
"""Words of a name that is searched for in prose."""

_VISIBLE_PREDICATES: Final = frozenset(
    {"alive", "located_in", "contains", "owned_by", "owns", "met", "promised", "owes", "said", "married_to"}
)
"""Predicates that anyone present can see come about."""
_SPEECH_PREDICATES: Final = frozenset({"promised", "owes", "said"})
"""Predicates that need nobody but people to come about: what is promised may be far away."""
_DEED_KINDS: Final = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER})
_SMALL_WORDS: Final = frozenset(
    normalize_statement(
        "a an the is are was were be been of to in on at and or it its that this his her their has have had "
        "with for by from as he she they you i"
    ).split()
)


class FactVisibility:
    """Decides what those present at a turn learn from it."""

    def __init__(self, stretch: SceneStretch, beliefs: BeliefTracker) -> None:
        self._stretch = stretch
        self._beliefs = beliefs
        ids_by_name = {normalize_statement(name): i for i, name in stretch.names_by_id.items()}
        ids_by_cast_name = {
            normalize_statement(name): i
            for i, names in stretch.attendance.names_by_id.items()
            for name in names
        }
        self._ids_by_name = {name: i for name, i in (ids_by_name | ids_by_cast_name).items() if name}

    def find_subjects(self, text: str, fact: Fact | None = None) -> tuple[Id, ...]:
        """Return the entities that a text is about: those that the fact involves and the text names."""
        involved_ids = [i.entity_id for i in fact.involves] if fact else []
        text_words = normalize_statement(text).split()
        spans = (
            " ".join(text_words[start : start + word_count])
            for start in range(len(text_words))
            for word_count in range(1, min(MAX_NAME_WORDS, len(text_words) - start) + 1)
        )
        return tuple(
            dict.fromkeys(
                (*involved_ids, *(self._ids_by_name[span] for span in spans if span in self._ids_by_name))
            )
        )

    def is_learned_by(
        self,
        stated_fact: StatedFact,
        turn: Turn,
        hearer_id: Id,
        heard_text: str,
        spoken_sentences: Sequence[SpokenSentence],
    ) -> bool:
        """Say whether a turn teaches this character the fact: spoken facts by hearing them, others by seeing them."""
        affirmed_claims = {
            c
            for c in self._stretch.claim_reader.read_fact_claims(stated_fact.fact, self._stretch.ids_by_name)
            if c.is_affirmed
        }
        stating_sentences = [
            s
            for s in spoken_sentences
            if affirmed_claims.intersection(self._beliefs.read_claims(s.text, s.speaker_id))
        ]
        if stating_sentences and stated_fact.fact.entity("subject") != hearer_id:
            return any(s.speaker_id == hearer_id or is_text_in(s.text, heard_text) for s in stating_sentences)
        return self._is_visible_to(stated_fact, turn, hearer_id, heard_text)

    def _is_visible_to(self, stated_fact: StatedFact, turn: Turn, hearer_id: Id, heard_text: str) -> bool:
        """Say whether this character could see the fact in the part of the turn that reached them."""
        fact = stated_fact.fact
        quotes = [
            e.quote
            for e in stated_fact.proposal.evidence
            if e.kind is EvidenceKind.TURN
            and e.turn_id == turn.id
            and normalize_statement(e.quote) != normalize_statement(turn.text)
        ]
        is_out_of_hearing = any(
            find_quote(quote, turn.text) and not find_quote(quote, heard_text) for quote in quotes
        )
        if not is_out_of_hearing and (
            fact.entity("subject") == hearer_id
            or (
                self._stretch.claim_reader.is_mutual(fact)
                and hearer_id in (i.entity_id for i in fact.involves)
            )
        ):
            return True
        if any(find_quote(quote, heard_text) for quote in quotes):
            return True
        if quotes:
            return False  # the fact rests on words that this character did not hear
        if is_text_in(fact.statement.rstrip("."), heard_text):
            return True
        people_ids = self._stretch.attendance.names_by_id
        presence_flags = [
            self._is_there_or_named(i.entity_id, turn, heard_text)
            for i in fact.involves
            if i.entity_id in people_ids or fact.predicate not in _SPEECH_PREDICATES
        ]
        if (
            (fact.predicate in _VISIBLE_PREDICATES or fact.kind in _DEED_KINDS or _is_tag(fact))
            and presence_flags
            and all(presence_flags)
        ):
            return True
        return all(presence_flags) and self._is_worded_in(fact, heard_text)

    def _is_worded_in(self, fact: Fact, heard_text: str) -> bool:
        """Say whether the text has at least half of the fact's words, names aside."""
        from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

        names = {
            w
            for i in fact.involves
            for w in normalize_statement(self._stretch.names_by_id.get(i.entity_id, "")).split()
        }
        wanted_words = [
            w for w in normalize_statement(fact.statement).split() if w not in names and w not in _SMALL_WORDS
        ]
        heard_words = normalize_statement(heard_text).split()
        matched_count = sum(
            any(w[:5] == s[:5] or fuzz.ratio(w, s) >= 85 for s in heard_words) for w in wanted_words
        )
        return bool(wanted_words) and matched_count * 2 >= len(wanted_words)

    def _is_there_or_named(self, entity_id: Id, turn: Turn, heard_text: str) -> bool:
        attendance = self._stretch.attendance
        if entity_id in attendance.names_by_id and entity_id in attendance.list_present(turn):
            return True
        names = attendance.names_by_id.get(entity_id) or (self._stretch.names_by_id.get(entity_id, ""),)
        name_parts = {
            p
            for n in names
            for p in (n, *n.split())
            if p and normalize_statement(p) not in _SMALL_WORDS and len(p) > 2
        }
        return re.search(any_name_pattern(name_parts), heard_text, re.IGNORECASE) is not None

    def covers_turn(self, stated_fact: StatedFact, turn: Turn, heard_text: str) -> bool:
        """Say whether a memory of the fact says what the turn was about, so that the turn needs none of its own.

        A fact that was declared when the turn happened to be the latest may be about something else.
        """
        if stated_fact.is_health_change:
            return False
        fact, attendance = stated_fact.fact, self._stretch.attendance
        if is_text_in(fact.statement.rstrip("."), heard_text) or self._is_worded_in(fact, heard_text):
            return True
        return any(
            (i.entity_id == attendance.find_speaker_id(turn) or self.is_named(i.entity_id, heard_text))
            for i in fact.involves
            if i.role == "subject"
        )

    def names_arrival(self, heard_text: str) -> bool:
        """Say whether a text tells that one of the scene's people comes in."""
        names_by_id = self._stretch.attendance.names_by_id
        return any(names and enters_scene(heard_text, names) for names in names_by_id.values())

    def is_whispered(self, turn: Turn, hearer_id: Id) -> bool:
        return hearer_id in turn.hearers or any(
            hearer_id in w.hearer_ids for w in self._stretch.attendance.read_whispers(turn)
        )

    def read_whispered_text(self, turn: Turn, hearer_id: Id) -> str:
        """Return the words of a turn that is a whisper to this character, without the narration around them."""
        if hearer_id not in turn.hearers:
            return ""
        return " ".join(turn.text[w.start : w.end] for w in self._stretch.attendance.read_whispers(turn))

    def is_named(self, entity_id: Id, heard_text: str) -> bool:
        attendance = self._stretch.attendance
        if entity_id == attendance.pc_id and re.search(r"\byou\b", heard_text, re.IGNORECASE):
            return True
        return (
            re.search(any_name_pattern(attendance.names_by_id.get(entity_id, ())), heard_text, re.IGNORECASE)
            is not None
        )

    def find_teller(
        self, fact: Fact, stated_fact: StatedFact, told_sentences: Sequence[SpokenSentence]
    ) -> Id | None:
        """Return who says the fact in this turn, if it is said and not shown."""
        affirmed_claims = {
            c
            for c in self._stretch.claim_reader.read_fact_claims(fact, self._stretch.ids_by_name)
            if c.is_affirmed
        }
        for spoken_sentence in told_sentences:
            if affirmed_claims.intersection(
                self._beliefs.read_claims(spoken_sentence.text, spoken_sentence.speaker_id)
            ):
                return spoken_sentence.speaker_id
            evidence_quotes = (e.quote for e in stated_fact.proposal.evidence if e.kind is EvidenceKind.TURN)
            if any(q and is_text_in(q, spoken_sentence.text) for q in evidence_quotes):
                return spoken_sentence.speaker_id
        return None


def is_text_in(part: str, whole: str) -> bool:
    """Say whether a text contains another, ignoring case and punctuation."""
    return f" {normalize_statement(part)} " in f" {normalize_statement(whole)} "


def _is_tag(fact: Fact) -> bool:
    return fact.predicate in ("is", "is_not", "hp")
