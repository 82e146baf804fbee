"""Records as findings: how far each may be relied on, the words it rests on, and where those stand.

Read-only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.change_application import build_entity
from agents.declarations.entity_lookup import read_entities_by_id
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.editing import editable_text
from agents.services.entity_cards import Atlas
from agents.services.provenance import Annals
from agents.views.play_views import FactView
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    Evidence,
    Fact,
    FactStatus,
    NoteAxiom,
    Standing,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Speaker, Turn
from stores.records.sources import Snippet
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

LONGEST: Final = 400
"""Characters of a quotation or a text that a finding shows."""

SPEAKERS: Final = {
    Speaker.PLAYER: "you",
    Speaker.GM: "the GM",
    Speaker.ORACLE: "dice",
    Speaker.SYSTEM: "MONITOR",
}

PEOPLE: Final = "people"
"""Who believes a rumour."""


@dataclass(frozen=True, slots=True)
class About:
    """What a proposal says, for asking whether it bears on something."""

    words: str
    involved: frozenset[Id]
    predicate: str = ""


class Placing:
    """Makes findings. Numbers and scores are left to who ranks them. Stateless."""

    def __init__(
        self, canon: CanonReader, log: LogReader, atlas: Atlas, annals: Annals, views: SceneViewBuilder
    ) -> None:
        self._canon = canon
        self._log = log
        self._atlas = atlas
        self._annals = annals
        self._views = views

    async def facts(self, facts: Sequence[Fact], universe_id: Id) -> list[QueryFinding]:
        """Return facts of canon with what they rest on: what is over, was never so or is disputed is told as
        such."""
        calendar = (await self._canon.universe(universe_id)).calendar
        return [await self._fact(view) for view in await self._atlas.views(facts, calendar)]

    async def _fact(self, view: FactView) -> QueryFinding:
        fact = view.fact
        standing, text = _standing(view)
        quote, where, turn_id = await self._rests_on(view.evidence)
        return QueryFinding(
            0,
            standing,
            text,
            quote,
            ", ".join(filter(None, (view.when, where))),
            fact_id=fact.id,
            entity_id=fact.involves[0].entity_id if fact.involves else None,
            turn_id=turn_id,
            believer=PEOPLE if standing is AnswerStanding.BELIEVED else "",
        )

    async def _rests_on(self, evidence: Sequence[Evidence]) -> tuple[str, str, Id | None]:
        """Return the very words, where they stand, and the turn to jump to."""
        best = sorted(evidence, key=lambda e: (not e.quote, not e.turn_id))[:1]
        if not best:
            return "", "", None
        (basis,) = await self._annals.places(best)
        return best[0].quote[:LONGEST], basis.place or basis.who, basis.turn_id

    def entity(self, entity: Entity) -> QueryFinding:
        """Return somebody or something of canon, by what it is described as."""
        said = f"{entity.name} ({entity.kind})"
        text = f"{said}: {entity.description}" if entity.description else said
        return QueryFinding(0, AnswerStanding.CANON, text[:LONGEST], where="its card", entity_id=entity.id)

    # --- what waits ----------------------------------------------------------------------------------

    def about(self, proposal: ProposedChange) -> About:
        """Return what a proposal says, and of whom."""
        change = proposal.change
        match change:
            case AssertFact() | NoteAxiom():
                predicate = change.predicate if isinstance(change, AssertFact) else ""
                return About(change.statement, frozenset(i.entity_id for i in change.involves), predicate)
            case CreateEntity():
                return About(" ".join((change.name, *change.aliases, change.description)), frozenset())
            case StateChange():
                return About(
                    f"{change.key} {editable_text(change)}", frozenset({change.entity_id}), change.key
                )
            case UpdateEntity():
                words = " ".join(filter(None, (change.name, change.description)))
                return About(words, frozenset({change.entity_id}))
        return About("", frozenset())

    async def proposals(self, proposals: Sequence[ProposedChange]) -> list[QueryFinding]:
        """Return proposals as their gate tells them, in this order."""
        rows = (
            {row.proposal.id: row for row in await self._views.build_proposal_rows(proposals)}
            if proposals
            else {}
        )
        found = []
        for proposal in proposals:
            row = rows[proposal.id]
            change = proposal.change
            quote, where, turn_id = await self._rests_on(proposal.evidence)
            text = build_entity(proposal, change).name if isinstance(change, CreateEntity) else row.title
            if isinstance(change, CreateEntity) and change.description:
                text = f"{text} ({change.entity_kind}): {change.description}"
            found.append(
                QueryFinding(
                    0,
                    AnswerStanding.PROPOSED,
                    text[:LONGEST],
                    quote,
                    ", ".join(filter(None, ("waits at the gate", where))),
                    proposal_id=proposal.id,
                    turn_id=turn_id,
                    scene_id=proposal.scene_id,
                    story_id=proposal.story_id,
                )
            )
        return found

    # --- what was told, and what is believed ---------------------------------------------------------

    async def turns(self, turns: Sequence[Turn]) -> list[QueryFinding]:
        """Return turns of the transcript, in this order."""
        where = await self.scenes({turn.scene_id for turn in turns})
        return [
            QueryFinding(
                0,
                AnswerStanding.BOOK,
                f"{speaker_of(turn)}: {turn.text}"[:LONGEST],
                turn.text[:LONGEST],
                f"turn {turn.depth + 1} of {where[turn.scene_id].words}",
                turn_id=turn.id,
                scene_id=turn.scene_id,
                story_id=where[turn.scene_id].story_id,
            )
            for turn in turns
        ]

    async def snippets(self, snippets: Sequence[Snippet]) -> list[QueryFinding]:
        """Return passages of sources, in this order."""
        return [
            QueryFinding(
                0,
                AnswerStanding.BOOK,
                snippet.text[:LONGEST],
                where=await self._annals.source(snippet.source_id, snippet.page),
                snippet_id=snippet.id,
            )
            for snippet in snippets
        ]

    async def memories(self, memories: Sequence[Memory]) -> list[QueryFinding]:
        """Return memories with whose they are, in this order."""
        names = await self._names(memories)
        where = await self.scenes({m.scene_id for m in memories if m.scene_id})
        found = []
        for memory in memories:
            who = names.get(memory.entity_id, "somebody")
            place = where[memory.scene_id].words if memory.scene_id in where else ""
            told = ", ".join(filter(None, (memory.source, place, "mistaken" if memory.mistaken else "")))
            found.append(
                QueryFinding(
                    0,
                    AnswerStanding.BELIEVED,
                    memory.text[:LONGEST],
                    memory.text[:LONGEST],
                    told,
                    memory_id=memory.id,
                    entity_id=memory.entity_id,
                    turn_id=memory.turn_id,
                    scene_id=memory.scene_id,
                    believer=who,
                )
            )
        return found

    async def _names(self, memories: Sequence[Memory]) -> dict[Id, str]:
        """Return whose they are; also who is only proposed remembers."""
        names: dict[Id, str] = {}
        for universe_id in {memory.universe_id for memory in memories}:
            ids = {memory.entity_id for memory in memories if memory.universe_id == universe_id}
            found = await read_entities_by_id(universe_id, ids, self._canon, self._log)
            names |= {id: who.name for id, who in found.items()}
        return names

    async def scenes(self, scene_ids: set[Id]) -> dict[Id, Place]:
        """Return where scenes stand, in words."""
        places = {}
        titles: dict[Id, str] = {}
        for scene_id in sorted(scene_ids):
            try:
                scene = await self._log.scene(scene_id)
                if scene.story_id not in titles:
                    titles[scene.story_id] = (await self._log.story(scene.story_id)).title
            except NotFound:
                places[scene_id] = Place("a scene that is gone", None)
                continue
            words = f"scene {scene.order} “{scene.title}”, {titles[scene.story_id]}"
            places[scene_id] = Place(words, scene.story_id)
        return places


@dataclass(frozen=True, slots=True)
class Place:
    words: str
    story_id: Id | None


def speaker_of(turn: Turn) -> str:
    """Return who speaks, in words."""
    return turn.name or SPEAKERS.get(turn.speaker, turn.speaker.value)


def _standing(view: FactView) -> tuple[AnswerStanding, str]:
    """Return how far a fact may be relied on, and what is to be told of it."""
    fact, words = view.fact, view.fact.statement
    if fact.status is FactStatus.RETCONNED:
        return AnswerStanding.CONTRADICTED, f"Retconned, never so: {words}"
    if not view.current:
        now = f" Now: {view.superseded_by}" if view.superseded_by and view.superseded_by != words else ""
        return AnswerStanding.CONTRADICTED, f"No longer so: {words}{now}"
    match fact.standing:
        case Standing.TRUE:
            return AnswerStanding.CANON, f"An open question: {words}" if words.endswith("?") else words
        case Standing.RUMOUR:
            return AnswerStanding.BELIEVED, f"A rumour: {words}"
        case Standing.LIE:
            return AnswerStanding.CONTRADICTED, f"A lie: {words}"
        case Standing.DISPUTED:
            return AnswerStanding.CONTRADICTED, f"Disputed: {words}"
