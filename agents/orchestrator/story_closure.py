"""The end of a story as one write: its closing event, what becomes of open promises and clocks, and who is where.

The player gets a draft in lines (`open: ...`, `runs: ...`, `stays: Mara in Yard`), changes the words before the colons
or takes lines out, and writes the recap under them. What stands there when it is saved is their decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agents.canon_keeper.commitments import closed_statement, ended_statement
from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT, SUBJECT
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.proposals.evidence import MAX_QUOTE_LENGTH, manual_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.statements import STATED_PREDICATE
from agents.resolver.clock_changes import clock_change
from agents.sanitize import clean
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, FactsAboutQuery
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    EndFact,
    Evidence,
    Fact,
    FactKind,
    Involvement,
    Payload,
)
from stores.records.clocks import ProgressClock
from stores.records.ids import Clock, Id, derive_id
from stores.records.play import Scene, Story
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind

T = TypeVar("T")

MAX_STAYS: Final = 12
"""People of whom the draft says where they are."""

_LINE: Final = re.compile(r"(?P<word>[^\W\d_]+(?: [^\W\d_]+)?):\s*(?P<text>.+)")
_WORDS_OF: Final[Mapping[str, str]] = {
    "open": "open|still open|undecided",
    "kept": "kept|keep|fulfilled|honoured|honored|done|met|paid|repaid|settled|solved|answered",
    "broken": "broken|broke|break|failed|dropped|forgotten|unpaid|forgiven",
    "runs": "runs|run|goes on",
    "stops": "stops|stop|stopped|ends|ended|over",
    "stays": "stays",
}
"""Words before the colon, by the word of the draft that means the same. Others begin a line of the recap."""
_MEANINGS: Final = {word: meaning for meaning, words in _WORDS_OF.items() for word in words.split("|")}
_STAY: Final = re.compile(r"(?P<who>.+?) (?:in|at|on) (?P<place>.+)", re.IGNORECASE)
_NOT_FINISHED: Final = "The story was not finished."


@dataclass(frozen=True, slots=True)
class StoryMatters:
    """What a story leaves to be decided as it ends."""

    commitments: tuple[Fact, ...] = ()
    """Its open promises, debts and questions."""
    clocks: tuple[ProgressClock, ...] = ()
    """Clocks and tracks that it set going and that are open."""
    stays: tuple[tuple[Entity, Entity], ...] = ()
    """Who is in its last scene and where that is, unless it is on record."""


@dataclass(frozen=True, slots=True)
class StoryClosure:
    """What the player decided as the story ends."""

    recap: str = ""
    settled: tuple[tuple[Fact, bool], ...] = ()
    """Commitments that end, each with whether it was met."""
    stopped_clocks: tuple[ProgressClock, ...] = ()
    stays: tuple[tuple[str, str], ...] = ()
    """Names of people, and of the places where they are."""


def draft_closure(matters: StoryMatters) -> str:
    """Return the lines that the player edits; nothing changes by them but where people are."""
    lines = [f"open: {_plain(fact.statement)}" for fact in matters.commitments]
    lines += [f"runs: {_one_line(clock.name)}" for clock in matters.clocks]
    lines += [f"stays: {_one_line(who.name)} in {_one_line(place.name)}" for who, place in matters.stays]
    return "\n".join((*lines, "", "")) if lines else ""


def read_closure(text: str, matters: StoryMatters) -> StoryClosure:
    """Return what the edited draft says. Raises InputError for a line that names nothing of the story."""
    recap_lines, settled, stopped_clocks, stays = [], [], [], []
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        word = match["word"].casefold() if match else ""
        if match is None or not (word in _WORDS_OF or _names_matter(match["text"], matters)):
            recap_lines.append(line)
            continue
        meaning = _MEANINGS.get(word)
        name = match["text"].strip()
        match meaning:
            case None:
                raise InputError(
                    f"{match['word']!r} says neither that it is kept nor that it is broken.",
                    kept=_NOT_FINISHED,
                    todo="Write open:, kept: or broken: before a promise, runs: or stops: before a clock.",
                )
            case "kept" | "broken" as word:
                settled.append((_find_matter(name, matters.commitments, _words_of), word == "kept"))
            case "stops":
                stopped_clocks.append(_find_matter(name, matters.clocks, _name_of))
            case "stays":
                stay = _STAY.fullmatch(name.rstrip("."))
                if stay is None:
                    raise InputError(
                        f"{name[:60]!r} names no place.", kept=_NOT_FINISHED, todo="Write NAME in PLACE."
                    )
                stays.append((stay["who"].strip(), stay["place"].strip()))
            case _:
                pass  # it stays open, or goes on
    recap = clean("\n".join(recap_lines))
    return StoryClosure(recap, tuple(settled), tuple(stopped_clocks), tuple(stays))


class StoryClosureBuilder:
    """Reads what a story leaves to be decided, and builds what its end writes."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        contexts: SceneContextLoader,
        agenda_reader: StoryAgendaReader,
        clock: Clock,
    ) -> None:
        self._log = log
        self._canon = canon
        self._contexts = contexts
        self._agenda_reader = agenda_reader
        self._clock = clock

    async def read_matters(self, story: Story) -> StoryMatters:
        """Return what the story leaves to be decided."""
        commitments = await self.read_open_commitments(story)
        context = await self._read_last_context(story)
        if context is None:
            return StoryMatters(commitments)
        agenda = await self._agenda_reader.read_agenda(context)
        clocks = await self._select_own_clocks(story, (*agenda.open_clocks, *agenda.open_tracks))
        people = tuple(e for e in context.present_actors() if not context.is_dead(e))[:MAX_STAYS]
        stays = []
        if context.place is not None:
            stays = [
                (who, context.place)
                for who in people
                if not await self._is_on_record(who.id, context.place.id)
            ]
        return StoryMatters(commitments, clocks, tuple(stays))

    async def read_open_commitments(self, story: Story) -> tuple[Fact, ...]:
        """Return the promises, debts and questions that this story made and left open."""
        facts = await self._canon.facts(story.universe_id, FactQuery(kind=FactKind.COMMITMENT))
        return tuple(await self._select_own(story, [f for f in facts if not f.closed and f.valid_to is None]))

    async def build_proposals(self, story: Story, closure: StoryClosure) -> list[ProposedChange]:
        """Return what the story's end writes; built again after a crash it is the same. Raises InputError."""
        context = await self._read_last_context(story)
        if context is None:
            return []
        tick = context.tick
        changes: list[tuple[str, Payload, str]] = [
            ("event", self._build_closing_event(context, closure), closure.recap)
        ]
        for fact, is_met in closure.settled:
            quote = closed_statement(fact) if is_met else ended_statement(fact)
            changes.append((fact.id, EndFact(fact_id=fact.id, at=tick, closed=is_met), quote))
        changes += [
            (clock.name, _stop_clock(clock), f"Stopped at the story's end: {clock.name}")
            for clock in closure.stopped_clocks
        ]
        for who_name, place_name in closure.stays:
            change = await self._build_stay(context, who_name, place_name)
            changes.append((f"{who_name} {place_name}", change, change.statement))
        site = ProposalSite(context.universe.id, story.id, context.scene.id, tick=tick)
        return [
            build_proposal(
                proposal_id := derive_id("proposal", story.id, "closure", key, quote),
                change,
                [_build_evidence(proposal_id, quote, context.scene, is_recap=key == "event")],
                Authority.GM,
                site,
                self._clock(),
            )
            for key, change, quote in changes
        ]

    def _build_closing_event(self, context: SceneContext, closure: StoryClosure) -> AssertFact:
        title = context.story.title.rstrip(".")
        recap = _one_line(closure.recap)[:MAX_QUOTE_LENGTH]
        hero = context.player_character()
        return AssertFact(
            fact_kind=FactKind.EVENT,
            predicate=STATED_PREDICATE,
            statement=f"The story “{title}” ends: {recap.rstrip('.')}."
            if recap
            else f"The story “{title}” ends.",
            involves=(Involvement(role=SUBJECT, entity_id=hero.id),) if hero else (),
            valid_from=context.tick,
        )

    async def _build_stay(self, context: SceneContext, who_name: str, place_name: str) -> AssertFact:
        who = await self._contexts.find_one_entity(context, who_name)
        place = await self._contexts.find_one_entity(context, place_name, kind=EntityKind.PLACE)
        if place.kind is not EntityKind.PLACE:
            raise InputError(f"{place.name} is no place.", kept=_NOT_FINISHED, todo="Write NAME in PLACE.")
        return AssertFact(
            fact_kind=FactKind.RELATION,
            predicate=LOCATED_IN,
            statement=f"{who.name} is in {place.name}.",
            involves=(
                Involvement(role=SUBJECT, entity_id=who.id),
                Involvement(role=OBJECT, entity_id=place.id),
            ),
            valid_from=context.tick,
        )

    async def _read_last_context(self, story: Story) -> SceneContext | None:
        scenes = await self._log.scenes(story.id)
        return await self._contexts.load_context(scenes[-1].id) if scenes else None

    async def _select_own(self, story: Story, facts: Sequence[Fact]) -> list[Fact]:
        """Return those of the facts that this story made."""
        proposals = await self._log.proposals_by_id([f.proposal_id for f in facts if f.proposal_id])
        return [f for f in facts if (p := proposals.get(f.proposal_id or "")) and p.story_id == story.id]

    async def _select_own_clocks(
        self, story: Story, clocks: Sequence[ProgressClock]
    ) -> tuple[ProgressClock, ...]:
        facts = await self._canon.facts(story.universe_id, FactQuery(kind=FactKind.STATE))
        own_names = {
            f.clock.name for f in await self._select_own(story, [f for f in facts if f.clock]) if f.clock
        }
        return tuple(clock for clock in clocks if clock.name in own_names)

    async def _is_on_record(self, who_id: Id, place_id: Id) -> bool:
        facts = await self._canon.facts_about(who_id, FactsAboutQuery(predicate=LOCATED_IN))
        return any(f.valid_to is None and f.entity(OBJECT) == place_id for f in facts)


def _build_evidence(proposal_id: Id, quote: str, scene: Scene, *, is_recap: bool) -> Evidence:
    """Return the evidence, which is what was written as the story ended."""
    words = quote[:MAX_QUOTE_LENGTH] or f"Finished in scene “{scene.title}”"
    return manual_evidence(proposal_id, words, is_quotation=is_recap and bool(quote), scene_id=scene.id)


def _stop_clock(clock: ProgressClock) -> AdvanceClock:
    return clock_change(clock, is_closed=True)


def _find_matter(name: str, matters: Sequence[T], name_of: Callable[[T], str]) -> T:
    """Return the matter of that name. Raises InputError."""
    wanted = _plain(name).casefold()
    for matter in matters:
        if name_of(matter).casefold() == wanted:
            return matter
    raise InputError(
        f"{name[:60]!r} is nothing that this story left open.",
        kept=_NOT_FINISHED,
        todo="Only change the word before the colon, or take the line out.",
    )


def _names_matter(name: str, matters: StoryMatters) -> bool:
    names = (*map(_words_of, matters.commitments), *map(_name_of, matters.clocks))
    return _plain(name).casefold() in {one.casefold() for one in names}


def _words_of(fact: Fact) -> str:
    return _plain(fact.statement)


def _name_of(clock: ProgressClock) -> str:
    return _plain(clock.name)


def _plain(statement: str) -> str:
    return _one_line(statement).rstrip(".")


def _one_line(text: str) -> str:
    return " ".join(text.split())
