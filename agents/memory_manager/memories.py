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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from agents.memory_manager.claims import CORRECTING, Claim, Claims, Named
from agents.memory_manager.presence import Attendance
from agents.memory_manager.sayings import Saying, sayings
from agents.memory_manager.weighing import (
    SIGNIFICANT,
    importance_of,
    importance_of_fact,
    part_in_it,
    valence_of,
)
from agents.narrator.quotes import verbatim
from agents.narrator.speech import any_of, sentences
from stores.records.canon import EvidenceKind, Fact, FactKind, FactStatus, Standing, normal
from stores.records.ids import Id, derived
from stores.records.ledger import ProposedChange
from stores.records.memory import How, Memory
from stores.records.play import Degree, Resolution, Scene, Speaker, Turn

MOST: Final = 240
"""Characters of a turn that a memory keeps."""
TURN: Final = "0"
"""The place in a turn of the memory of the turn itself, and of its first fact."""

WHISPERED: Final = 0.5
"""Importance, at least, of what one alone is told."""

_OUTWARD: Final = frozenset(
    {"alive", "located_in", "contains", "owned_by", "owns", "met", "promised", "owes", "said", "married_to"}
)
"""Predicates of what shows: who is there when it comes about sees it."""
_DEEDS: Final = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER})
_BODY: Final = re.compile(
    r"\b(?:body|corpse|remains|bones|grave|dead|lifeless|lies still|slain|murdered|head of)\b", re.IGNORECASE
)
_SMALL: Final = frozenset(
    normal(
        "a an the is are was were be been of to in on at and or it its that this his her their has have had "
        "with for by from as he she they you i"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that rests on a turn: the canonical one, or as it would become. `nth` is its place among what
    the turn's proposals say, `denied` that it was decided not to be so, or to be mere colour."""

    fact: Fact
    proposal: ProposedChange
    nth: int
    denied: bool = False
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Death:
    """Somebody died at world time `tick`; `fact_id` says so."""

    tick: int
    fact_id: Id


@dataclass(frozen=True, slots=True)
class Lived:
    """`stated` are the facts by the turn they rest on, `known` all that may be spoken of, `named` whom names
    mean, `names` how they are called; `deaths` who died when; `held` what those present remember already, for
    what is to be corrected or was concluded."""

    scene: Scene
    attendance: Attendance
    turns: Sequence[Turn]
    claims: Claims
    named: Named
    names: Mapping[Id, str]
    results: Mapping[Id, Resolution] = field(default_factory=dict)
    stated: Mapping[Id, Sequence[Stated]] = field(default_factory=dict)
    known: Sequence[Fact] = ()
    deaths: Mapping[Id, Death] = field(default_factory=dict)
    held: Sequence[Memory] = ()

    def memories(self, now: datetime) -> list[Memory]:
        """Return what the turns leave to everyone who was there."""
        return _Remembering(self, now).all()


class Known(NamedTuple):
    """What a fact claims; `until` (ticks) another one takes its place."""

    fact: Fact
    claim: Claim
    until: int | None = None

    @property
    def counts(self) -> bool:
        hearsay = (Standing.LIE, Standing.RUMOUR)
        return self.fact.status is not FactStatus.RETCONNED and self.fact.standing not in hearsay

    def holds(self, tick: int) -> bool:
        fact = self.fact
        began = fact.valid_from is None or fact.valid_from <= tick
        ends = [end for end in (fact.valid_to, self.until) if end is not None]
        return self.counts and began and all(tick < end for end in ends)


class _Remembering:
    """One pass over the turns; what was remembered on the way counts for what comes after."""

    def __init__(self, lived: Lived, now: datetime) -> None:
        self._lived = lived
        self._now = now
        self._made: dict[Id, Memory] = {}
        self._read: dict[tuple[str, Id | None], list[Claim]] = {}
        self._held: dict[tuple[Id, str], dict[Id, tuple[Memory, Claim]]] = {}
        """What somebody holds, by whose it is and the slot that it is about."""
        self._linked: set[tuple[Id, Id]] = set()
        self._gone: set[Id] = set()
        self._facts: dict[str, list[Known]] = {}
        for fact in lived.known:
            for claim in lived.claims.of_fact(fact, lived.named):
                self._facts.setdefault(_place(claim), []).append(Known(fact, claim))
        self._facts = {place: _in_time(known) for place, known in self._facts.items()}
        for memory in lived.held:
            self._note(memory)

    def all(self) -> list[Memory]:
        for turn in self._lived.turns:
            heard = self._lived.attendance.heard(turn)
            said = sayings(turn, self._lived.attendance.people, self._lived.attendance.pc_id)
            for who, words in heard.items():
                for memory in self._of_turn(turn, who, words, said):
                    self._made[memory.id] = memory
                    self._note(memory)
        return list(self._made.values())

    # --- one turn, for one who was there -------------------------------------------------------------

    def _of_turn(self, turn: Turn, who: Id, words: str, said: Sequence[Saying]) -> Iterator[Memory]:
        linked: set[Id] = set()
        left = False
        told = [s for s in said if s.by != who and _in(s.words, words)]
        for stated in self._lived.stated.get(turn.id, ()):
            if stated.denied or not self._reaches(stated, turn, who, words, said):
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
        teller = self._teller(fact, stated, told)
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
        claims = [(s, self._claimed(s.words, s.by)) for s in told]
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
            fact = self._meant(found, turn.tick)
            if fact is None and not comparable:
                continue
            if fact is not None and fact.id in linked:
                continue
            sentence = _sentence(saying.words)
            about = _about(self._lived, sentence, fact)
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
            if not re.search(any_of(names), words, re.IGNORECASE) or self._knows(who, death.fact_id):
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
                turn, self._whispered(turn, who) or words, lived.names.get(attendance.pc_id or "", "")
            )
        speaker = attendance.speaker(turn)
        named = self._is_named(who, words) and speaker != who
        importance = importance_of(text)
        if result is not None:
            importance = max(importance, SIGNIFICANT)
        if named or (speaker == who and importance > SIGNIFICANT):
            importance = part_in_it(importance)
        if speaker != who and self._is_whispered(turn, who):
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
            about=_about(lived, words, None),
            importance=importance,
            felt=words,
        )

    # --- what shows, and who said it -----------------------------------------------------------------

    def _reaches(self, stated: Stated, turn: Turn, who: Id, words: str, said: Sequence[Saying]) -> bool:
        """Say whether a fact comes to this one by the turn: what is said by hearing it, all else by sight."""
        claims = {c for c in self._lived.claims.of_fact(stated.fact, self._lived.named) if c.holds}
        spoken = [s for s in said if claims.intersection(self._claimed(s.words, s.by))]
        if spoken and stated.fact.entity("subject") != who:
            return any(s.by == who or _in(s.words, words) for s in spoken)
        return self._shows(stated, turn, who, words)

    def _shows(self, stated: Stated, turn: Turn, who: Id, words: str) -> bool:
        """Say whether this one could see the fact in what the turn gave to them."""
        fact = stated.fact
        if fact.entity("subject") == who or (
            self._lived.claims.is_mutual(fact) and who in (i.entity_id for i in fact.involves)
        ):
            return True
        quotes = [
            e.quote
            for e in stated.proposal.evidence
            if e.kind is EvidenceKind.TURN and e.turn_id == turn.id and normal(e.quote) != normal(turn.text)
        ]
        if any(verbatim(quote, words) for quote in quotes):
            return True
        if quotes:
            return False  # it rests on words that this one did not hear
        if _in(fact.statement.rstrip("."), words):
            return True
        named = [self._is_there_or_named(i.entity_id, turn, words) for i in fact.involves]
        if (fact.predicate in _OUTWARD or fact.kind in _DEEDS or _is_tag(fact)) and named and all(named):
            return True
        return all(named) and self._worded(fact, words)

    def _worded(self, fact: Fact, words: str) -> bool:
        """Say whether half of what the fact says, beside names, is said in the words."""
        names = {w for i in fact.involves for w in normal(self._lived.names.get(i.entity_id, "")).split()}
        wanted = [w for w in normal(fact.statement).split() if w not in names and w not in _SMALL]
        said = normal(words).split()
        met = sum(any(w[:5] == s[:5] or fuzz.ratio(w, s) >= 85 for s in said) for w in wanted)
        return bool(wanted) and met * 2 >= len(wanted)

    def _is_there_or_named(self, entity_id: Id, turn: Turn, words: str) -> bool:
        attendance = self._lived.attendance
        if entity_id in attendance.people and entity_id in attendance.present(turn):
            return True
        names = attendance.people.get(entity_id) or (self._lived.names.get(entity_id, ""),)
        parts = {p for n in names for p in (n, *n.split()) if p and normal(p) not in _SMALL and len(p) > 2}
        return re.search(any_of(parts), words, re.IGNORECASE) is not None

    def _is_whispered(self, turn: Turn, who: Id) -> bool:
        return who in turn.hearers or any(who in w.hearers for w in self._lived.attendance.whispers(turn))

    def _whispered(self, turn: Turn, who: Id) -> str:
        """Return what this one alone is told, if that is all of the turn: without how it is told."""
        if who not in turn.hearers:
            return ""
        return " ".join(turn.text[w.start : w.end] for w in self._lived.attendance.whispers(turn))

    def _is_named(self, who: Id, words: str) -> bool:
        attendance = self._lived.attendance
        if who == attendance.pc_id and re.search(r"\byou\b", words, re.IGNORECASE):
            return True
        return re.search(any_of(attendance.people.get(who, ())), words, re.IGNORECASE) is not None

    def _teller(self, fact: Fact, stated: Stated, told: Sequence[Saying]) -> Id | None:
        """Return who says the fact in this turn, if it is said and not shown."""
        claims = {c for c in self._lived.claims.of_fact(fact, self._lived.named) if c.holds}
        for saying in told:
            if claims.intersection(self._claimed(saying.words, saying.by)):
                return saying.by
            quoted = (e.quote for e in stated.proposal.evidence if e.kind is EvidenceKind.TURN)
            if any(q and _in(q, saying.words) for q in quoted):
                return saying.by
        return None

    # --- what is known already -----------------------------------------------------------------------

    def _meant(self, claims: Sequence[Claim], tick: int) -> Fact | None:
        """Return the fact that is spoken of, as it is or otherwise: one that holds at that time first."""
        near = [(claim, known) for claim in claims for known in self._facts.get(_place(claim), ())]
        right = [known for claim, known in near if claim == known.claim]
        otherwise = [known for claim, known in near if claim.meets(known.claim)]
        for found in ([k for k in right if k.holds(tick)], [k for k in otherwise if k.holds(tick)], right):
            if found:
                return found[-1].fact
        return None

    def _claimed(self, words: str, by: Id | None) -> list[Claim]:
        if (words, by) not in self._read:
            self._read[words, by] = self._lived.claims.of(words, self._lived.named, by)
        return self._read[words, by]

    def _knows(self, who: Id, fact_id: Id) -> bool:
        return (who, fact_id) in self._linked

    def _note(self, memory: Memory) -> None:
        if memory.linked_fact_id:
            self._linked.add((memory.entity_id, memory.linked_fact_id))
        if memory.corrects:
            self._gone.add(memory.corrects)
        if memory.how is How.SAW:
            return  # nothing takes the place of what was seen
        for claim in self._claimed(memory.text, memory.told_by):
            self._held.setdefault((memory.entity_id, claim.slot), {})[memory.id] = (memory, claim)

    def _corrected(self, memory: Memory, correcting: bool) -> Id | None:
        """Return the memory of the same character that this one takes the place of."""
        if memory.how is How.SAW and memory.linked_fact_id is None:
            return None  # that something was said or done in a turn says no more
        claims = self._claimed(memory.text, memory.told_by)
        rivals = [
            old
            for claim in claims
            for old, other in self._held.get((memory.entity_id, claim.slot), {}).values()
            if claim.meets(other) and old.id != memory.id and old.tick <= memory.tick
        ]
        for old in sorted(rivals, key=lambda m: m.tick, reverse=True):
            if old.id not in self._gone and (
                memory.how is not How.TOLD
                or correcting
                or (self._is_right(claims, memory.tick) and not self._was_right(old, memory.tick))
            ):
                return old.id
        return None

    def _was_right(self, memory: Memory, tick: int) -> bool:
        return self._is_right(self._claimed(memory.text, memory.told_by), tick)

    def _is_right(self, claims: Sequence[Claim], tick: int) -> bool:
        return any(
            claim == known.claim and known.holds(tick)
            for claim in claims
            for known in self._facts.get(_place(claim), ())
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
        corrects = self._corrected(memory, correcting)
        return memory.model_copy(update={"corrects": corrects}) if corrects else memory


def _place(claim: Claim) -> str:
    """Return what a claim can be found by: its slot; of one that says no more than its words, those."""
    return claim.slot + (f"|{claim.value}" if claim.slot == "said" else "")


def memory_id(turn_id: Id, entity_id: Id, place: str) -> Id:
    """Return the identifier of the memory that one place in a turn leaves to somebody."""
    return derived("memory", turn_id, entity_id, place)


def _source(how: How, teller: str) -> str:
    if how is How.TOLD:
        return f"told by {teller}" if teller else "told"
    return how.value


def _in_time(known: Sequence[Known]) -> list[Known]:
    """Return what fills one slot in the order it came about, each until the next that says otherwise: what is
    only proposed ends nothing yet, and is told all the same."""
    ordered = sorted(known, key=lambda k: -1 if k.fact.valid_from is None else k.fact.valid_from)
    found: list[Known] = []
    for n, one in enumerate(ordered):
        later = (k for k in ordered[n + 1 :] if k.counts and k.claim.meets(one.claim))
        newer = next((k.fact.valid_from for k in later if k.fact.valid_from is not None), None)
        found.append(one._replace(until=newer))
    return found


def _is_tag(fact: Fact) -> bool:
    return fact.predicate in ("is", "is_not", "hp")


def _about(lived: Lived, words: str, fact: Fact | None) -> tuple[Id, ...]:
    involved = [i.entity_id for i in fact.involves] if fact else []
    folded = f" {normal(words)} "
    named = [i for i, name in lived.names.items() if name and f" {normal(name)} " in folded]
    parts = [
        i
        for i, names in lived.attendance.people.items()
        if any(f" {normal(name)} " in folded for name in names if name)
    ]
    return tuple(dict.fromkeys((*involved, *named, *parts)))


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
    parts = sentences(line)
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


def _in(part: str, whole: str) -> bool:
    return f" {normal(part)} " in f" {normal(whole)} "
