"""What comes next: proposals weighed against each other, and the pattern that goes nowhere. Pure.

Score = 0.3 urgency + 0.4 dependency + 0.3 the player's intent, each of 100. The winner above a threshold is
offered with its reason; an explicit word of the player's always wins, because nothing here is ever done
unasked. Source: V7_ORCHESTRATOR, "Transition Arbiter" and "Deadlock Detector"; design/loops.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.context_assembly.package import ContextPackage
from stores.records.canon import AdvanceClock, AssertFact, CreateEntity
from stores.records.ids import Id
from stores.records.play import Degree, Turn
from stores.records.world import EntityKind

THRESHOLD = 50
"""Below this nothing is offered: play simply goes on."""

STUCK = 5
"""Exchanges of the same kind without anything new that make a deadlock (K)."""

ALIKE = 0.6
"""Share of words that two tellings have in common when they tell the same."""

WAYS_OUT = (
    "/event brings a random event",
    "? asks the oracle",
    "/end goes to the gate and on to the next scene",
)

_LEAVES = re.compile(
    r"\b(?:go(?:es)?|walk|run|ride|sail|head|leave|return|travel|climb|enter)s?\b", re.IGNORECASE
)
_ENDS = re.compile(
    r"\b(?:leave|go home|sleep|rest for the night|wait (?:for|until)|move on|depart)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that could come next: the command that does it, and why."""

    command: str
    why: str
    urgency: int
    dependency: int
    intent: int

    @property
    def score(self) -> int:
        """Of 100."""
        return round(0.3 * self.urgency + 0.4 * self.dependency + 0.3 * self.intent)

    @property
    def line(self) -> str:
        return f"Next? {self.command}: {self.why}."


def best(offers: Sequence[Offer]) -> Offer | None:
    """Return the offer that wins, if it is worth making; the first of equals."""
    chosen = max(offers, key=lambda offer: offer.score, default=None)
    return chosen if chosen is not None and chosen.score >= THRESHOLD else None


def offers(package: ContextPackage, words: str, told: str, degree: Degree | None) -> Iterator[Offer]:
    """Propose what could come next after an exchange: the player's `words`, what was `told` of them, and how
    a roll fell."""
    yield from _place(package, words, told)
    yield from _person(package, told)
    yield from _clock(package, degree)
    yield from _scene_end(package, words, told)


def _place(package: ContextPackage, words: str, told: str) -> Iterator[Offer]:
    """A place that was named, gone to and told of, and that the record does not have the hero at."""
    here = package.scene.place
    for entity in (person.entity for person in package.canonical.named):
        if entity.kind is not EntityKind.PLACE or (here and entity.id == here.id):
            continue
        if _LEAVES.search(words) and _named(entity.name, words):
            arrived = 100 if _named(entity.name, told) else 50
            yield Offer(f"/go {entity.name}", f"you went to {entity.name}", 60, arrived, 100)


def _person(package: ContextPackage, told: str) -> Iterator[Offer]:
    """Somebody of canon who is told of here, and is not here by the record."""
    present = {p.entity.id for p in package.canonical.cast if p.here}
    for named in package.canonical.named:
        entity = named.entity
        absent = entity.kind in (EntityKind.CHARACTER, EntityKind.CREATURE) and entity.id not in present
        if absent and not named.dead and _named(entity.name, told):
            yield Offer(f"/cast + {entity.name}", f"{entity.name} was told of, and is not here", 50, 70, 60)


def _clock(package: ContextPackage, degree: Degree | None) -> Iterator[Offer]:
    """A failure should change something: the fullest clock moves."""
    if degree is not Degree.FAIL or not package.agenda.running:
        return
    clock = max(package.agenda.running, key=lambda c: c.filled / c.size)
    left = clock.size - clock.filled
    near = 100 if left <= 1 else 70
    yield Offer(f"/clock {clock.name} +1", "it failed, and failure changes something", near, 60, 40)


def _scene_end(package: ContextPackage, words: str, told: str) -> Iterator[Offer]:
    """The goal is told of and the player moves on."""
    goal = _words(package.scene.scene.goal)
    if not goal:
        return
    reached = len(goal & _words(told)) / len(goal)
    if reached >= 0.5 and _ENDS.search(words):
        yield Offer("/end", "the scene's goal was told of, and you move on", 50, round(100 * reached), 80)


# --- the deadlock detector ------------------------------------------------------------------------------


def stuck(line: Sequence[Turn], package: ContextPackage) -> str:
    """Return what repeats, in words, when the last `STUCK` tellings say the same and nothing new was staged
    meanwhile: no fact, nobody and nothing brought in, no place, no clock. Empty while play moves."""
    told = [turn for turn in line if turn.speaker.value in ("gm", "npc")][-STUCK:]
    if len(told) < STUCK or _new_since(told[0].id, line, package):
        return ""
    alike = all(_share(told[-1].text, turn.text) >= ALIKE for turn in told[:-1])
    return f"the last {STUCK} tellings say much the same, and nothing new came of them" if alike else ""


def _new_since(turn_id: Id, line: Sequence[Turn], package: ContextPackage) -> bool:
    ids = [turn.id for turn in line]
    later = set(ids[ids.index(turn_id) :]) if turn_id in ids else set(ids)
    return any(
        p.turn_id in later and isinstance(p.change, CreateEntity | AssertFact | AdvanceClock)
        for p in package.scene.staged
    )


def _share(one: str, other: str) -> float:
    """Return the share of the smaller vocabulary that both have."""
    a, b = _words(one), _words(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w']+", text.casefold()) if len(word) > 3}


def _named(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name.casefold().removeprefix('the '))}\b", text.casefold()) is not None
