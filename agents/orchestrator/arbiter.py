"""Weighs what could come next, and notices when play goes nowhere. Pure.

Score = 0.3 urgency + 0.4 dependency + 0.3 the player's intent, each out of 100. The highest score above a
threshold is offered with its reason; nothing is done unasked, so an explicit word of the player's always wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.context_assembly.context_package import ContextPackage
from stores.records.canon import AdvanceClock, AssertFact, CreateEntity
from stores.records.ids import Id
from stores.records.play import Degree, Turn
from stores.records.world import EntityKind

OFFER_THRESHOLD = 50
"""Lowest score that is offered."""

STUCK_EXCHANGES = 5
"""Exchanges of the same kind without anything new that count as a deadlock (K)."""

STUCK_LIKENESS = 0.6
"""Share of words that two narrations have in common when they count as alike."""

WAYS_OUT = (
    "/event brings a random event",
    "? asks the oracle",
    "/end goes to the gate and on to the next scene",
)

_LEAVING_WORDS = re.compile(
    r"\b(?:go(?:es)?|walk|run|ride|sail|head|leave|return|travel|climb|enter)s?\b", re.IGNORECASE
)
_ENDING_WORDS = re.compile(
    r"\b(?:leave|go home|sleep|rest for the night|wait (?:for|until)|move on|depart)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class NextStepOffer:
    """A step that could come next: the command for it, and the reason."""

    command: str
    reason: str
    urgency: int
    dependency: int
    intent: int

    @property
    def score(self) -> int:
        """Weighted sum, out of 100."""
        return round(0.3 * self.urgency + 0.4 * self.dependency + 0.3 * self.intent)

    @property
    def player_line(self) -> str:
        return f"Next? {self.command}: {self.reason}."


def choose_offer(offers: Sequence[NextStepOffer]) -> NextStepOffer | None:
    """Return the offer with the highest score above the threshold (the first of equals), or None."""
    best_offer = max(offers, key=lambda offer: offer.score, default=None)
    return best_offer if best_offer is not None and best_offer.score >= OFFER_THRESHOLD else None


def list_offers(
    package: ContextPackage, words: str, narrated_text: str, degree: Degree | None
) -> Iterator[NextStepOffer]:
    """Propose what could come next after an exchange.

    The player's `words`, what was `told` of them, and how a roll fell.
    """
    yield from _offer_place(package, words, narrated_text)
    yield from _offer_arrival(package, narrated_text)
    yield from _offer_clock(package, degree)
    yield from _offer_scene_end(package, words, narrated_text)


def _offer_place(package: ContextPackage, words: str, narrated_text: str) -> Iterator[NextStepOffer]:
    """Offer to move the hero to a place of the record that was named, gone to and narrated.

    Plain words may have moved the scene there already; that the hero is there is not on record by that.
    """
    recorded_place_id, scene_place = package.scene.recorded_place_id(), package.scene.place
    named_entities = [person.entity for person in package.canonical.named_elsewhere]
    for entity in (*named_entities, *([scene_place] if scene_place else ())):
        if entity.kind is not EntityKind.PLACE or entity.id == recorded_place_id:
            continue
        if _LEAVING_WORDS.search(words) and _is_named(entity.name, words):
            arrival_score = 100 if _is_named(entity.name, narrated_text) else 50
            yield NextStepOffer(f"/go {entity.name}", f"you went to {entity.name}", 60, arrival_score, 100)


def _offer_arrival(package: ContextPackage, narrated_text: str) -> Iterator[NextStepOffer]:
    """Offer to bring in somebody of canon who is narrated as present and is not in the cast."""
    present_ids = {p.entity.id for p in package.canonical.cast if p.is_here}
    for named_entity in package.canonical.named_elsewhere:
        entity = named_entity.entity
        is_absent = (
            entity.kind in (EntityKind.CHARACTER, EntityKind.CREATURE) and entity.id not in present_ids
        )
        if is_absent and not named_entity.is_dead and _is_named(entity.name, narrated_text):
            yield NextStepOffer(
                f"/cast + {entity.name}", f"{entity.name} was named, and is not here", 50, 70, 60
            )


def _offer_clock(package: ContextPackage, degree: Degree | None) -> Iterator[NextStepOffer]:
    """Offer to advance the fullest clock after a failure."""
    if degree is not Degree.FAIL or not package.agenda.open_clocks:
        return
    clock = max(package.agenda.open_clocks, key=lambda c: c.filled / c.size)
    steps_left = clock.size - clock.filled
    urgency = 100 if steps_left <= 1 else 70
    yield NextStepOffer(
        f"/clock {clock.name} +1", "it failed, and failure changes something", urgency, 60, 40
    )


def _offer_scene_end(package: ContextPackage, words: str, narrated_text: str) -> Iterator[NextStepOffer]:
    """Offer to end the scene when its goal is narrated and the player moves on."""
    goal_words = _vocabulary(package.scene.scene.goal)
    if not goal_words:
        return
    reached_share = len(goal_words & _vocabulary(narrated_text)) / len(goal_words)
    if reached_share >= 0.5 and _ENDING_WORDS.search(words):
        yield NextStepOffer(
            "/end", "the scene's goal came up, and you move on", 50, round(100 * reached_share), 80
        )


# --- the deadlock detector ------------------------------------------------------------------------------


def find_stuck_pattern(line_turns: Sequence[Turn], package: ContextPackage) -> str:
    """Describe what repeats when the last narrations are alike and nothing new was staged meanwhile.

    New is a fact, an entity, a place or a clock. Returns an empty text while play moves.
    """
    gm_turns = [turn for turn in line_turns if turn.speaker.value in ("gm", "npc")][-STUCK_EXCHANGES:]
    if len(gm_turns) < STUCK_EXCHANGES or _has_news_since(gm_turns[0].id, line_turns, package):
        return ""
    are_alike = all(
        _vocabulary_overlap(gm_turns[-1].text, turn.text) >= STUCK_LIKENESS for turn in gm_turns[:-1]
    )
    return f"the last {STUCK_EXCHANGES} narrations say much the same, with nothing new" if are_alike else ""


def _has_news_since(turn_id: Id, line_turns: Sequence[Turn], package: ContextPackage) -> bool:
    turn_ids = [turn.id for turn in line_turns]
    later_ids = set(turn_ids[turn_ids.index(turn_id) :]) if turn_id in turn_ids else set(turn_ids)
    return any(
        p.turn_id in later_ids and isinstance(p.change, CreateEntity | AssertFact | AdvanceClock)
        for p in package.scene.staged_proposals
    )


def _vocabulary_overlap(one: str, other: str) -> float:
    """Return the share of the smaller vocabulary that the two have in common."""
    a, b = _vocabulary(one), _vocabulary(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _vocabulary(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w']+", text.casefold()) if len(word) > 3}


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name.casefold().removeprefix('the '))}\b", text.casefold()) is not None
