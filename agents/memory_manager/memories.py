"""What one stretch of a scene holds for those who lived it, and the memories that it leaves them. Pure.

Every turn leaves each one who was there at most: a memory of each fact that the turn shows them, of each
thing that somebody tells them in words that can be compared with what is known, of what they conclude, and of
the turn itself if it matters (SIGNIFICANT) and leaves no fact. The rules:

*Saw.* A fact that rests on the turn is seen if the turn's words bear it out, as far as this one heard them:
its evidence quotes them; or it is of the kind that shows (a deed, an encounter, a possession, a death, where
somebody is) and those it involves are named or there; or half of its other words are said. A fact that the GM
declares beside the turn, and that nothing of this holds for, is known to its own subject alone.

*Was told.* A sentence somebody says is compared, claim by claim (`claims.py`), with what is canon or
proposed at that world time. Said as it is: told of that fact. Said otherwise: told wrongly of it, and kept
as this one's belief, in the words that were said; whether it is mistaken is worked out when it is read, for
canon may change. Whoever says it is not told.

*Concluded.* Somebody who was not there when somebody died, and finds the body, concludes the death.

*Corrections.* What somebody sees or concludes takes the place of what they were told otherwise; what they
are told does so only if the teller corrects it in so many words or has it right. Nobody is talked out of
what they saw. A correction says what is so, and not once more what is not: repeating an error in its
correction makes it familiar, and what is familiar is believed (Swire, Ecker & Lewandowsky, J. Exp. Psychol.
LMC 43(12), 2017; Lewandowsky et al., Psychol. Sci. Public Interest 13(3), 2012; that a correction as such
seldom backfires: Swire-Thompson, DeGutis & Lazer, JARMAC 9(3), 2020).

Identifiers are derived from turn, character and place in the turn: done again it is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from agents.memory_manager.beliefs import Beliefs
from agents.memory_manager.claims import CORRECTING
from agents.memory_manager.lived import Lived, Stated
from agents.memory_manager.sayings import Saying, sayings
from agents.memory_manager.showing import Showing, is_in
from agents.memory_manager.weighing import (
    SIGNIFICANT,
    importance_of,
    importance_of_fact,
    part_in_it,
    valence_of,
)
from agents.prose.names import any_name_pattern
from agents.prose.words import split_sentences
from stores.records.canon import FactKind
from stores.records.ids import Id, derived
from stores.records.memory import How, Memory
from stores.records.play import Degree, Resolution, Speaker, Turn

MOST: Final = 240
"""Characters of a turn that a memory keeps."""
TURN: Final = "0"
"""The place in a turn of the memory of the turn itself, and of its first fact."""

WHISPERED: Final = 0.5
"""Importance, at least, of what one alone is told."""

_BODY: Final = re.compile(
    r"\b(?:body|corpse|remains|bones|grave|dead|lifeless|lies still|slain|murdered|head of)\b", re.IGNORECASE
)


def memories_of(lived: Lived, now: datetime) -> list[Memory]:
    """Return what the turns leave to everyone who was there."""
    return _Remembering(lived, now).all()


class _Remembering:
    """One pass over the turns; what was remembered on the way counts for what comes after."""

    def __init__(self, lived: Lived, now: datetime) -> None:
        self._lived = lived
        self._now = now
        self._beliefs = Beliefs(lived)
        self._showing = Showing(lived, self._beliefs)
        self._made: dict[Id, Memory] = {}

    def all(self) -> list[Memory]:
        for turn in self._lived.turns:
            heard = self._lived.attendance.heard(turn)
            said = sayings(turn, self._lived.attendance.people, self._lived.attendance.pc_id)
            for who, words in heard.items():
                for memory in self._of_turn(turn, who, words, said):
                    self._made[memory.id] = memory
                    self._beliefs.note(memory)
        return list(self._made.values())

    # --- one turn, for one who was there -------------------------------------------------------------

    def _of_turn(self, turn: Turn, who: Id, words: str, said: Sequence[Saying]) -> Iterator[Memory]:
        linked: set[Id] = set()
        left = False
        told = [s for s in said if s.by != who and is_in(s.words, words)]
        for stated in self._lived.stated.get(turn.id, ()):
            if stated.denied or not self._showing.reaches(stated, turn, who, words, said):
                continue
            linked.add(stated.fact.id)
            left = True
            yield self._of_fact(stated, turn, who, words, told)
        for memory in self._told(turn, who, told, linked):
            if memory.linked_fact_id:
                linked.add(memory.linked_fact_id)
            left = True
            yield memory
        yield from self._concluded(turn, who, words, linked)
        if not left:
            yield from self._itself(turn, who, words, said)

    def _of_fact(self, stated: Stated, turn: Turn, who: Id, words: str, told: Sequence[Saying]) -> Memory:
        fact = stated.fact
        about = tuple(dict.fromkeys(i.entity_id for i in fact.involves))
        importance = importance_of_fact(fact, stated.critical)
        teller = self._showing.teller(fact, stated, told)
        if fact.kind is FactKind.ASSERTION and fact.entity("subject") not in (None, who):
            teller = fact.entity("subject")
        return self._memory(
            turn,
            who,
            TURN if stated.nth == 0 else f"fact {stated.nth}",
            fact.statement,
            how=How.TOLD if teller else How.SAW,
            told_by=teller,
            fact_id=fact.id,
            about=about,
            importance=part_in_it(importance) if who in about else importance,
            felt=words,
        )

    def _told(self, turn: Turn, who: Id, told: Sequence[Saying], linked: set[Id]) -> Iterator[Memory]:
        """What others say that can be compared: of a fact that is known, or a claim nobody has decided on."""
        claims = [(s, self._beliefs.claimed(s.words, s.by)) for s in told]
        correcting = any(CORRECTING.search(s.words) for s in told)
        positive = {c.slot for _, found in claims for c in found if c.holds}
        for nth, (saying, found) in enumerate(claims):
            comparable = [c for c in found if c.slot != "said"]
            if (
                comparable
                and not any(c.holds for c in comparable)
                and any(c.slot in positive for c in comparable)
            ):
                continue  # the error is not said once more: what is so stands beside it
            fact = self._beliefs.meant(found, turn.tick)
            if fact is None and not comparable:
                continue
            if fact is not None and fact.id in linked:
                continue
            sentence = _sentence(saying.words)
            about = self._showing.about(sentence, fact)
            yield self._memory(
                turn,
                who,
                f"said {nth}",
                sentence,
                how=How.TOLD,
                told_by=saying.by,
                fact_id=fact.id if fact else None,
                about=about,
                importance=max(
                    SIGNIFICANT, importance_of(sentence), importance_of_fact(fact, False) if fact else 0
                ),
                felt=sentence,
                correcting=correcting,
            )

    def _concluded(self, turn: Turn, who: Id, words: str, linked: set[Id]) -> Iterator[Memory]:
        if turn.speaker is not Speaker.GM or not _BODY.search(words):
            return
        for dead, death in self._lived.deaths.items():
            if dead == who or death.tick >= turn.tick or death.fact_id in linked:
                continue
            names = self._lived.attendance.people.get(dead) or (self._lived.names.get(dead, ""),)
            if not re.search(any_name_pattern(names), words, re.IGNORECASE) or self._beliefs.knows(
                who, death.fact_id
            ):
                continue
            yield self._memory(
                turn,
                who,
                f"concluded {dead}",
                f"{self._lived.names.get(dead, names[0])} is dead.",
                how=How.INFERRED,
                fact_id=death.fact_id,
                about=(dead,),
                importance=0.9,
                felt=words,
            )

    def _itself(self, turn: Turn, who: Id, words: str, said: Sequence[Saying]) -> Iterator[Memory]:
        """The turn itself, if it matters to this one."""
        lived, attendance = self._lived, self._lived.attendance
        result = lived.results.get(turn.id)
        if turn.speaker is Speaker.ORACLE:
            if result is None or result.degree is Degree.NONE or result.kind not in ("check", "move"):
                return
            text = _result(result, lived.names.get(attendance.pc_id or "", ""))
        else:
            text = as_heard(
                turn, self._showing.whispered(turn, who) or words, lived.names.get(attendance.pc_id or "", "")
            )
        speaker = attendance.speaker(turn)
        named = self._showing.is_named(who, words) and speaker != who
        importance = importance_of(text)
        if result is not None:
            importance = max(importance, SIGNIFICANT)
        if named or (speaker == who and importance > SIGNIFICANT):
            importance = part_in_it(importance)
        if speaker != who and self._showing.is_whispered(turn, who):
            importance = max(importance, WHISPERED)
        if importance < SIGNIFICANT:
            return
        told = speaker is not None and speaker != who and any(s.by == speaker for s in said)
        yield self._memory(
            turn,
            who,
            TURN,
            text,
            how=How.TOLD if told else How.SAW,
            told_by=speaker if told else None,
            about=self._showing.about(words),
            importance=importance,
            felt=words,
        )

    def _memory(
        self,
        turn: Turn,
        who: Id,
        place: str,
        text: str,
        *,
        how: How,
        told_by: Id | None = None,
        fact_id: Id | None = None,
        about: Iterable[Id] = (),
        importance: float,
        felt: str,
        correcting: bool = False,
    ) -> Memory:
        memory = Memory(
            id=memory_id(turn.id, who, place),
            entity_id=who,
            universe_id=self._lived.scene.universe_id,
            scene_id=self._lived.scene.id,
            turn_id=turn.id,
            text=text,
            linked_fact_id=fact_id,
            valence=valence_of(felt),
            importance=importance,
            source=_source(how, self._lived.names.get(told_by or "", "")),
            how=how,
            told_by=told_by,
            about=tuple(i for i in dict.fromkeys(about)),
            tick=turn.tick,
            created_at=self._now,
        )
        corrects = self._beliefs.corrected(memory, correcting)
        return memory.model_copy(update={"corrects": corrects}) if corrects else memory


def memory_id(turn_id: Id, entity_id: Id, place: str) -> Id:
    """Return the identifier of the memory that one place in a turn leaves to somebody."""
    return derived("memory", turn_id, entity_id, place)


def _source(how: How, teller: str) -> str:
    if how is How.TOLD:
        return f"told by {teller}" if teller else "told"
    return how.value


def as_heard(turn: Turn, words: str, hero: str) -> str:
    """Return a turn as it is remembered: who says it, and its weightiest sentences, trimmed."""
    whose = hero if turn.speaker is Speaker.PLAYER else turn.name if turn.speaker is Speaker.NPC else ""
    text = trimmed(words)
    return f"{whose}: {text}" if whose else text


def trimmed(words: str, most: int = MOST) -> str:
    """Return words in one line of at most `most` characters: the sentences that matter most, in order."""
    line = " ".join(words.split())
    if len(line) <= most:
        return line
    parts = split_sentences(line)
    kept: set[int] = set()
    left = most
    for n in sorted(range(len(parts)), key=lambda n: (-importance_of(parts[n]), n)):
        if len(parts[n]) + 1 <= left:
            kept.add(n)
            left -= len(parts[n]) + 1
    if not kept:
        return line[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"
    return " ".join(part for n, part in enumerate(parts) if n in kept)


def _result(result: Resolution, hero: str) -> str:
    what = " ".join((result.label or result.intent or result.kind).split())[:160]
    ends = {Degree.SUCCESS: "it succeeded", Degree.PARTIAL: "it half succeeded", Degree.FAIL: "it failed"}
    return f"{hero + ': ' if hero else ''}{what.rstrip('.')}; {ends[result.degree]}."


def _sentence(words: str) -> str:
    text = " ".join(words.split()).strip(" \"“”',;:")
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "…", "?")) else text + "."
