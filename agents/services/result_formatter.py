"""Formats records as findings: their standing, the quotes they rest on, and where those are. Read-only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from agents.canon_keeper.commitments import CommitmentKind, is_settlement
from agents.canon_keeper.evidence_order import sort_evidence
from agents.canon_keeper.proposed_records import build_entity
from agents.context_assembly.story_decisions import StoryDecision
from agents.declarations.entity_lookup import read_entities_by_id
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.editing import editable_text
from agents.search.passage_windows import find_best_window
from agents.services.entity_cards import EntityCardReader
from agents.services.provenance import ProvenanceReader
from agents.services.speaker_names import describe_speaker
from agents.views.card_views import FactView
from agents.views.query_views import AnswerStanding, QueryFinding
from agents.views.world_views import EvidenceSource
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Evidence,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    Standing,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Turn
from stores.records.sources import Snippet
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

MAX_TEXT_LENGTH: Final = 400
"""Characters of a quote or text in a finding."""

NEVER_TRUE: Final = "never true"
"""Behind a memory of a fact that a retcon took from canon: whoever saw it believes it all the same."""

RUMOUR_BELIEVER: Final = "people"
"""The believer of a rumour."""


_NONE_OPEN_TEXTS: Final = {
    CommitmentKind.PROMISE: "No such promise is open any more.",
    CommitmentKind.DEBT: "Nothing is owed any more.",
    CommitmentKind.QUESTION: "No such question is open any more.",
}


@dataclass(frozen=True, slots=True)
class ProposalContent:
    """The content of a proposal, for deciding whether it bears on a question."""

    text: str
    involved_ids: frozenset[Id]
    predicate: str = ""


class ResultFormatter:
    """Formats records as findings, without numbers and scores."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        entity_cards: EntityCardReader,
        provenance: ProvenanceReader,
        views: SceneViewBuilder,
    ) -> None:
        self._canon = canon
        self._log = log
        self._entity_cards = entity_cards
        self._provenance = provenance
        self._views = views

    async def format_facts(self, facts: Sequence[Fact], universe_id: Id) -> list[QueryFinding]:
        """Return facts of canon with their evidence; ended, retconned and disputed ones are marked as such."""
        calendar = (await self._canon.universe(universe_id)).calendar
        return [
            await self._format_fact(view)
            for view in await self._entity_cards.build_fact_views(facts, calendar)
        ]

    async def _format_fact(self, view: FactView) -> QueryFinding:
        fact = view.fact
        standing, text = _assess_standing(view)
        text = f"{text} ({view.secret_note})" if view.secret_note else text
        best = await self._locate_best_evidence(view.evidence, fact.statement)
        return QueryFinding(
            0,
            standing,
            text,
            best.evidence.quote[:MAX_TEXT_LENGTH] if best else "",
            ", ".join(filter(None, (view.when, (best.place or best.who) if best else ""))),
            fact_id=fact.id,
            entity_id=fact.involves[0].entity_id if fact.involves else None,
            turn_id=best.turn_id if best else None,
            is_quotation=best.evidence.is_quotation if best else True,
            believer=RUMOUR_BELIEVER if standing is AnswerStanding.BELIEVED else "",
        )

    async def _locate_best_evidence(
        self, evidence: Sequence[Evidence], statement: str
    ) -> EvidenceSource | None:
        """Return the evidence with the best words for a statement, and where it stands."""
        best_evidence = sort_evidence(evidence, statement)[:1]
        return (await self._provenance.locate_evidence(best_evidence))[0] if best_evidence else None

    def format_entity(self, entity: Entity) -> QueryFinding:
        """Return an entity of canon by its description."""
        label = f"{entity.name} ({entity.kind})"
        text = f"{label}: {entity.description}" if entity.description else label
        return QueryFinding(
            0, AnswerStanding.CANON, text[:MAX_TEXT_LENGTH], where="its card", entity_id=entity.id
        )

    def format_no_death(self, entity: Entity) -> QueryFinding:
        """Return that canon has no death of somebody: what is not recorded is unknown."""
        text = f"No death of {entity.name} is recorded."
        return QueryFinding(0, AnswerStanding.UNKNOWN, text, where="canon", entity_id=entity.id)

    def format_none_open(self, kind: CommitmentKind) -> QueryFinding:
        """Return that nothing of a kind is open any more: what there was is settled."""
        return QueryFinding(0, AnswerStanding.CANON, _NONE_OPEN_TEXTS[kind], where="canon")

    def format_not_known(self, entity: Entity) -> QueryFinding:
        """Return that nothing on record says that somebody knows what is asked."""
        text = f"Nothing says that {entity.name} knows it."
        return QueryFinding(0, AnswerStanding.UNKNOWN, text, where="what they remember", entity_id=entity.id)

    # --- what waits ----------------------------------------------------------------------------------

    def read_proposal_content(self, proposal: ProposedChange) -> ProposalContent:
        """Return what a proposal says, and of whom."""
        change = proposal.change
        match change:
            case AssertFact() | NoteAxiom():
                predicate = change.predicate if isinstance(change, AssertFact) else ""
                return ProposalContent(
                    change.statement, frozenset(i.entity_id for i in change.involves), predicate
                )
            case CreateEntity():
                return ProposalContent(
                    " ".join((change.name, *change.aliases, change.description)), frozenset()
                )
            case StateChange():
                return ProposalContent(
                    f"{change.key} {editable_text(change)}", frozenset({change.entity_id}), change.key
                )
            case UpdateEntity():
                text = " ".join(filter(None, (change.name, change.description)))
                return ProposalContent(text, frozenset({change.entity_id}))
            case MergeEntities() | EndFact() | RetconFact() | ChangeSecrecy() | AdvanceClock():
                return ProposalContent("", frozenset())
            case _:
                assert_never(change)

    async def format_proposals(self, proposals: Sequence[ProposedChange]) -> list[QueryFinding]:
        """Return proposals in the words of their gate, in this order."""
        rows_by_id = (
            {row.proposal.id: row for row in await self._views.build_proposal_rows(proposals)}
            if proposals
            else {}
        )
        findings = []
        for proposal in proposals:
            row = rows_by_id[proposal.id]
            change = proposal.change
            best = await self._locate_best_evidence(proposal.evidence, row.title)
            text = build_entity(proposal, change).name if isinstance(change, CreateEntity) else row.title
            if isinstance(change, CreateEntity) and change.description:
                text = f"{text} ({change.entity_kind}): {change.description}"
            findings.append(
                QueryFinding(
                    0,
                    AnswerStanding.PROPOSED,
                    text[:MAX_TEXT_LENGTH],
                    best.evidence.quote[:MAX_TEXT_LENGTH] if best else "",
                    ", ".join(filter(None, ("waits at the gate", (best.place or best.who) if best else ""))),
                    proposal_id=proposal.id,
                    turn_id=best.turn_id if best else None,
                    is_quotation=best.evidence.is_quotation if best else True,
                    scene_id=proposal.scene_id,
                    story_id=proposal.story_id,
                )
            )
        return findings

    # --- what was told, and what is believed ---------------------------------------------------------

    async def format_turns(self, turns: Sequence[Turn]) -> list[QueryFinding]:
        """Return turns of the transcript, in this order."""
        scene_places = await self.locate_scenes({turn.scene_id for turn in turns})
        return [
            QueryFinding(
                0,
                AnswerStanding.ON_RECORD,
                f"{describe_speaker(turn)}: {turn.text}"[:MAX_TEXT_LENGTH],
                turn.text[:MAX_TEXT_LENGTH],
                f"turn {turn.depth + 1} of {scene_places[turn.scene_id].text}",
                turn_id=turn.id,
                scene_id=turn.scene_id,
                story_id=scene_places[turn.scene_id].story_id,
            )
            for turn in turns
        ]

    async def format_decisions(self, decisions: Sequence[StoryDecision]) -> list[QueryFinding]:
        """Return decisions that hold, in this order."""
        scene_places = await self.locate_scenes({decision.scene_id for decision in decisions})
        return [
            QueryFinding(
                0,
                AnswerStanding.ON_RECORD,
                f"Decided: {decision.text}"[:MAX_TEXT_LENGTH],
                where=scene_places[decision.scene_id].text,
                turn_id=decision.turn_id,
                scene_id=decision.scene_id,
                story_id=scene_places[decision.scene_id].story_id,
            )
            for decision in decisions
        ]

    async def format_snippets(
        self, snippets: Sequence[Snippet], sought_words: Collection[str]
    ) -> list[QueryFinding]:
        """Return passages of sources in this order, each as its sentences with most of the sought words."""
        return [
            QueryFinding(
                0,
                AnswerStanding.ON_RECORD,
                find_best_window(snippet.text, sought_words, MAX_TEXT_LENGTH).text,
                where=f"in the book: {await self._provenance.describe_source(snippet.source_id, snippet.page)}",
                snippet_id=snippet.id,
                source_id=snippet.source_id,
                page=snippet.page,
            )
            for snippet in snippets
        ]

    async def format_memories(self, memories: Sequence[Memory]) -> list[QueryFinding]:
        """Return memories with their owners, in this order."""
        owner_names = await self._read_owner_names(memories)
        scene_places = await self.locate_scenes({m.scene_id for m in memories if m.scene_id})
        facts_by_id = await self._canon.facts_by_id({m.linked_fact_id for m in memories if m.linked_fact_id})
        never_true_ids = {f.id for f in facts_by_id.values() if f.status is FactStatus.RETCONNED}
        findings = []
        for memory in memories:
            owner_name = owner_names.get(memory.entity_id, "somebody")
            place_text = scene_places[memory.scene_id].text if memory.scene_id in scene_places else ""
            error_note = (
                NEVER_TRUE
                if memory.linked_fact_id in never_true_ids
                else "mistaken"
                if memory.mistaken
                else ""
            )
            source_text = ", ".join(filter(None, (memory.source, place_text, error_note)))
            findings.append(
                QueryFinding(
                    0,
                    AnswerStanding.BELIEVED,
                    memory.text[:MAX_TEXT_LENGTH],
                    memory.text[:MAX_TEXT_LENGTH],
                    source_text,
                    memory_id=memory.id,
                    entity_id=memory.entity_id,
                    turn_id=memory.turn_id,
                    scene_id=memory.scene_id,
                    believer=owner_name,
                )
            )
        return findings

    async def _read_owner_names(self, memories: Sequence[Memory]) -> dict[Id, str]:
        """Return the names of the owners, also of those who are only proposed."""
        owner_names: dict[Id, str] = {}
        for universe_id in {memory.universe_id for memory in memories}:
            ids = {memory.entity_id for memory in memories if memory.universe_id == universe_id}
            owners_by_id = await read_entities_by_id(universe_id, ids, self._canon, self._log)
            owner_names |= {id: owner.name for id, owner in owners_by_id.items()}
        return owner_names

    async def locate_scenes(self, scene_ids: set[Id]) -> dict[Id, ScenePlace]:
        """Return the places of scenes in the record, in words."""
        scene_places = {}
        story_titles: dict[Id, str] = {}
        for scene_id in sorted(scene_ids):
            try:
                scene = await self._log.scene(scene_id)
                if scene.story_id not in story_titles:
                    story_titles[scene.story_id] = (await self._log.story(scene.story_id)).title
            except NotFound:
                scene_places[scene_id] = ScenePlace("a scene that is gone", None)
                continue
            place_text = f"{scene.inline_label}, {story_titles[scene.story_id]}"
            scene_places[scene_id] = ScenePlace(place_text, scene.story_id)
        return scene_places


@dataclass(frozen=True, slots=True)
class ScenePlace:
    text: str
    story_id: Id | None


def _assess_standing(view: FactView) -> tuple[AnswerStanding, str]:
    """Return the standing of a fact, and a note on it."""
    fact, statement = view.fact, view.fact.statement
    if fact.status is FactStatus.RETCONNED:
        return AnswerStanding.CONTRADICTED, f"Retconned, never true: {statement}"
    if not view.is_current and fact.kind is FactKind.COMMITMENT and is_settlement(view.superseded_by or ""):
        return AnswerStanding.CANON, view.superseded_by or statement
    if not view.is_current:
        successor_note = (
            f" Now: {view.superseded_by}" if view.superseded_by and view.superseded_by != statement else ""
        )
        return AnswerStanding.CONTRADICTED, f"No longer true: {statement}{successor_note}"
    match fact.standing:
        case Standing.TRUE:
            return AnswerStanding.CANON, f"An open question: {statement}" if statement.endswith(
                "?"
            ) else statement
        case Standing.RUMOUR:
            return AnswerStanding.BELIEVED, f"A rumour: {statement}"
        case Standing.LIE:
            return AnswerStanding.CONTRADICTED, f"A lie: {statement}"
        case Standing.DISPUTED:
            return AnswerStanding.CONTRADICTED, f"Disputed: {statement}"
