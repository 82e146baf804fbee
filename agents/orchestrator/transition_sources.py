"""Proposes what could come next, from what an exchange changed. Pure: no model is asked, and nothing is read.

Each source looks at one thing: where the hero is, who is named, how the dice fell, the scene's goal, threads and clocks
that came to their end, a death, the tension, and what the player's words ask for. A source speaks once, in the exchange
in which its thing happens (or in the first one after a command did it): an offer that was passed over does not come
again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agents.context_assembly.context_package import ScenePerson
from agents.context_assembly.scene_context import SceneContext, find_pc_arrivals
from stores.records.canon import AdvanceClock, AssertFact, EndFact
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Degree
from stores.records.story_journal import JournalEntry, PlaceEntry, ThreadAction, ThreadEntry
from stores.records.workflow import ProposedChange, TransitionProposal
from stores.records.world import ACTORS, Entity, EntityKind

SETTLED_DEPTH: Final = 3
"""Turns after which going somewhere is a change of place, and no longer the setting of the scene."""

HIGHEST_TENSION: Final = 9
REACHED_SHARE: Final = 0.5
"""Share of the goal's words that have to come up for it to count as reached."""

MOVED_TO: Final = "the story has moved to "
"""What is said of a hero who has gone to another place, before its name."""

_LEAVING_WORDS = re.compile(
    r"\b(?:go(?:es)?|walk|run|ride|sail|head|leave|return|travel|climb|enter)s?\b", re.IGNORECASE
)
_ENDING_WORDS = re.compile(
    r"\b(?:leave|go home|sleep|rest for the night|wait (?:for|until)|move on|depart)\b", re.IGNORECASE
)
_STAYING_WORDS = re.compile(
    r"\b(?:not yet|keep (?:playing|going)|(?:I|we) (?:stay|remain|linger)\b(?! away| out of))\b",
    re.IGNORECASE,
)
_SCENE_OVER_WORDS = re.compile(
    r"\b(?:(?:end|close|finish) (?:the |this )scene|(?:the|this) scene (?:ends|is over)|on to the next scene)\b",
    re.IGNORECASE,
)
_REACHING_WORDS = re.compile(
    r"\b(?:finds?|found|ha(?:ve|s)|holds?|held|gets?|got|takes?|took|seize[sd]?|steals?|stole|wins?|won|reach(?:es|ed)?|"
    r"recover(?:s|ed)?|rescue[sd]?|free[sd]?|save[sd]?|learn(?:s|t|ed)?|discover(?:s|ed)?|uncover(?:s|ed)?|catch(?:es)?|"
    r"caught|kill(?:s|ed)?|defeat(?:s|ed)?|open(?:s|ed)?|is (?:mine|yours|ours|safe))\b",
    re.IGNORECASE,
)
_UNREACHED_WORDS = re.compile(
    r"\?|\b(?:not|no|never|nowhere|nobody|nothing|without|cannot|try|tries|trying|tried|want|wish|hope|need|must|should|"
    r"could|would|will|may|might|if|unless|until|where|how|(?:have|ha[sd]) to|"
    r"to (?:find|get|take|reach|have|learn|win|catch|kill|open|free|save))\b|n['’]t\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?;]+[.!?;]?")
_SPEECH = re.compile(r"[\"“„«][^\"”“»]*[\"”“»]")


@dataclass(frozen=True)
class PlayedExchange:
    """An exchange that was just played: what was said and rolled, and the scene as it stands after it."""

    scene: SceneContext
    parent_id: Id | None
    """The turn that play stood on before it."""
    turn_ids: frozenset[Id]
    """Its turns."""
    words: str = ""
    """What the player typed as the hero's deeds; empty if it was the GM's prose."""
    narrated_text: str = ""
    """What the GM or the model narrated."""
    degree: Degree | None = None
    """How its check fell."""
    open_clocks: tuple[ProgressClock, ...] = ()
    finished_clocks: tuple[ProgressClock, ...] = ()
    """Clocks and tracks that are full."""
    named: tuple[ScenePerson, ...] = ()
    """People, places and things of canon that its words name and that are not in the scene."""
    is_narrated_by_model: bool = False

    @cached_property
    def new_proposals(self) -> tuple[ProposedChange, ...]:
        """What it proposed, and what commands proposed between the exchange before and this one."""
        return tuple(
            p
            for p in self.scene.staged_proposals
            if p.turn_id in self.turn_ids or (p.command_id is not None and p.turn_id == self.parent_id)
        )

    @cached_property
    def new_entries(self) -> tuple[JournalEntry, ...]:
        """What it entered into the story's journal, and what commands entered since the exchange before."""
        return tuple(
            e
            for e in self.scene.story_entries
            if e.turn_id in self.turn_ids or (e.command_id is not None and e.turn_id == self.parent_id)
        )

    def is_of_interest_to_clocks(self) -> bool:
        """Whether the story's clocks have to be known to weigh what comes next."""
        return self.degree is Degree.FAIL or any(
            isinstance(p.change, AdvanceClock) for p in self.new_proposals
        )


TransitionSource = Callable[[PlayedExchange], Iterator[TransitionProposal]]


def propose_from_words(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose what the player's words ask for outright: that the scene ends, or that it goes on."""
    words = _SPEECH.sub(" ", played.words)
    if _SCENE_OVER_WORDS.search(words):
        yield _explicit("end", "/end", "your words end the scene")
    elif _STAYING_WORDS.search(words):
        yield _explicit("user_turn", "", "your words go on with the scene")


def propose_place_on_record(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose to put the hero on record in a place that was named, gone to and narrated by a model.

    Plain words may have moved the scene there already; that the hero is there is not on record by that.
    """
    if not played.is_narrated_by_model or not _LEAVING_WORDS.search(played.words):
        return
    recorded_place_id, scene_place = played.scene.recorded_place_id(), played.scene.place
    for entity in (*(p.entity for p in played.named), *([scene_place] if scene_place else ())):
        if (
            entity.kind is EntityKind.PLACE
            and entity.id != recorded_place_id
            and _is_named(entity, played.words)
        ):
            yield TransitionProposal(
                proposer="places",
                event="user_turn",
                command=f"/go {entity.name}",
                reason=f"you went to {entity.name}",
                urgency=60,
                dependency=100 if _is_named(entity, played.narrated_text) else 50,
                intent=100,
            )


def propose_newcomer(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose to bring in somebody of canon whom a model narrates as present and who is not in the cast."""
    for person in played.named:
        entity = person.entity
        if entity.kind in ACTORS and not person.is_dead and _is_named(entity, played.narrated_text):
            yield TransitionProposal(
                proposer="cast",
                event="user_turn",
                command=f"/cast + {entity.name}",
                reason=f"{entity.name} was named, and is not here",
                urgency=50,
                dependency=70,
                intent=60,
            )


def propose_clock_step(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose to advance the fullest clock after a failure."""
    if played.degree is not Degree.FAIL or not played.open_clocks:
        return
    if any(isinstance(p.change, AdvanceClock) and p.turn_id in played.turn_ids for p in played.new_proposals):
        return  # the failure has moved a clock already
    clock = max(played.open_clocks, key=lambda c: c.filled / c.size)
    yield TransitionProposal(
        proposer="Resolver",
        event="user_turn",
        command=f"/clock {clock.name} +1",
        reason="it failed, and failure changes something",
        urgency=100 if clock.size - clock.filled <= 1 else 70,
        dependency=60,
        intent=40,
    )


def propose_random_event(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose a random event when a check fails at the highest tension."""
    if played.degree is Degree.FAIL and played.scene.story.tension >= HIGHEST_TENSION:
        yield TransitionProposal(
            proposer="tension",
            event="user_turn",
            command="/event",
            reason=f"it failed, and the tension is at {played.scene.story.tension}",
            urgency=90,
            dependency=45,
            intent=30,
        )


def propose_end_at_goal(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose the scene's end when its goal comes up and a check succeeds, it is settled, or the hero moves on."""
    goal = vocabulary(played.scene.scene.goal) - _SEEKING_WORDS
    if not goal:
        return
    text = f"{played.words} {played.narrated_text}"
    reached_share = len(goal & vocabulary(text)) / len(goal)
    quotes = (e.quote for p in _settlements(played) for e in p.evidence)
    settled = vocabulary(" ".join((*_closed_threads(played), *quotes)))
    is_settled = bool(settled) and len(goal & settled) / len(goal) >= REACHED_SHARE
    if not is_settled and reached_share < REACHED_SHARE:
        return
    is_moving_on = bool(_ENDING_WORDS.search(played.words))
    is_told = not played.is_narrated_by_model and _is_told_as_reached(goal, played)
    if is_settled or is_told or played.degree is Degree.SUCCESS or (is_moving_on and played.narrated_text):
        yield TransitionProposal(
            proposer="scene goal",
            event="goal_met",
            command="/end",
            reason="the scene's goal came up, and you move on"
            if is_moving_on
            else "the scene's goal looks reached",
            urgency=50,
            dependency=100 if is_settled else round(100 * reached_share),
            intent=80 if is_moving_on else 50,
        )


def _is_told_as_reached(goal: set[str], played: PlayedExchange) -> bool:
    """Say whether the player's words, or the GM's on them, tell in one sentence that the goal is reached.

    Without a model and without dice it is so because they say so; what fails by the dice is only attempted.
    """
    if played.degree is Degree.FAIL:
        return False
    told_text = _SPEECH.sub(" ", played.narrated_text or played.words)
    return any(
        len(goal & vocabulary(sentence)) / len(goal) >= REACHED_SHARE
        for sentence in _SENTENCE.findall(told_text)
        if _REACHING_WORDS.search(sentence) and not _UNREACHED_WORDS.search(sentence)
    )


def propose_end_elsewhere(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose the scene's end when the hero has gone to another place; that it is on record, too, is nothing new."""
    scene = played.scene
    arrivals = [place_id for _, place_id in find_pc_arrivals(played.new_proposals, scene.story.pc_id)]
    arrivals += [
        e.place_id for e in played.new_entries if isinstance(e, PlaceEntry) and e.scene_id == scene.scene.id
    ]
    if not arrivals or scene.place is None or scene.head is None or scene.head.depth < SETTLED_DEPTH:
        return
    earlier_place_ids = [
        e.place_id
        for e in scene.story_entries
        if isinstance(e, PlaceEntry) and e.scene_id == scene.scene.id and e not in played.new_entries
    ]
    if earlier_place_ids and earlier_place_ids[-1] == scene.place.id:
        return
    opening_place_id = scene.scene.opening_place_id or scene.scene.place_id
    if opening_place_id is not None and scene.place.id in arrivals and scene.place.id != opening_place_id:
        yield TransitionProposal(
            proposer="places",
            event="end",
            command="/end",
            reason=f"{MOVED_TO}{scene.place.name}",
            urgency=30,
            dependency=60,
            intent=60,
        )


def propose_end_of_beat(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose the scene's end when a thread or promise is settled, or a clock or track has filled up."""
    matters = [f"“{name}” has come to its end" for name in _closed_threads(played)]
    matters += ["a promise, a debt or a question is settled" for _ in _settlements(played)]
    moved = {p.change.clock for p in played.new_proposals if isinstance(p.change, AdvanceClock)}
    matters += [f"“{clock.name}” is full" for clock in played.finished_clocks if clock.name in moved]
    if matters:
        yield TransitionProposal(
            proposer="story",
            event="end",
            command="/end",
            reason=matters[0],
            urgency=40,
            dependency=75,
            intent=40,
        )


def propose_end_at_death(played: PlayedExchange) -> Iterator[TransitionProposal]:
    """Propose the scene's end when the hero has died."""
    hero = played.scene.player_character()
    if hero is None or not any(_is_death_of(p, hero.id) for p in played.new_proposals):
        return
    if played.scene.is_dead(hero):
        yield TransitionProposal(
            proposer="fate",
            event="end",
            command="/end",
            reason=f"{hero.name} is dead",
            urgency=100,
            dependency=100,
            intent=30,
        )


SOURCES: Final[tuple[TransitionSource, ...]] = (
    propose_from_words,
    propose_place_on_record,
    propose_newcomer,
    propose_clock_step,
    propose_random_event,
    propose_end_at_goal,
    propose_end_elsewhere,
    propose_end_of_beat,
    propose_end_at_death,
)
"""Every deterministic source. Personas propose in what they answer."""


def propose_transitions(played: PlayedExchange) -> tuple[TransitionProposal, ...]:
    """Return what every source proposes."""
    return tuple(proposal for source in SOURCES for proposal in source(played))


def vocabulary(text: str) -> set[str]:
    """Return the words of a text that say something, in lower case."""
    return {word for word in re.findall(r"[\w']+", text.casefold()) if len(word) > 3}


_SEEKING_WORDS: Final = vocabulary(
    "find found learn discover reach seek search look bring fetch back take make "
    "from into with that this they them what where whether when which about before after whoever somebody something"
)
"""Words of a goal that say how it is pursued, or nothing, and not what is wanted."""


def _closed_threads(played: PlayedExchange) -> Iterator[str]:
    """Yield the names of threads that were closed."""
    entries = [e for e in played.scene.story_entries if isinstance(e, ThreadEntry)]
    names = {e.thread_id: e.name for e in entries if e.name and e.act is not ThreadAction.CLOSE}
    for entry in played.new_entries:
        if isinstance(entry, ThreadEntry) and entry.act is ThreadAction.CLOSE and entry.thread_id in names:
            yield names[entry.thread_id].rstrip(".")


def _settlements(played: PlayedExchange) -> Iterator[ProposedChange]:
    """Yield the proposals by which a promise is kept, a debt paid or a question answered."""
    return (p for p in played.new_proposals if isinstance(p.change, EndFact) and p.change.closed)


def _is_death_of(proposal: ProposedChange, entity_id: Id) -> bool:
    change = proposal.change
    return (
        isinstance(change, AssertFact)
        and change.predicate == "alive"
        and change.value is False
        and any(i.entity_id == entity_id and i.role == "subject" for i in change.involves)
    )


def _explicit(event: str, command: str, reason: str) -> TransitionProposal:
    return TransitionProposal.model_validate(
        {
            "proposer": "player",
            "event": event,
            "command": command,
            "reason": reason,
            "urgency": 100,
            "dependency": 100,
            "intent": 100,
            "is_explicit": True,
        }
    )


def _is_named(entity: Entity, text: str) -> bool:
    name = re.escape(entity.name.casefold().removeprefix("the "))
    return re.search(rf"\b{name}\b", text.casefold()) is not None
