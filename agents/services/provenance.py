"""The record behind canon, in views: evidence, history, and what happened when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from agents.canon_keeper.evidence_order import sort_evidence
from agents.canon_keeper.fact_readings import is_same_statement, is_same_time
from agents.canon_keeper.keeper import CanonKeeper
from agents.proposals.evidence import is_declared_after
from agents.proposals.statements import STATED_PREDICATE
from agents.services.entity_cards import EntityCardReader
from agents.services.manual_edits import read_present_tick
from agents.services.speaker_names import describe_speaker
from agents.views.world_views import (
    CanonMomentView,
    EvidenceSource,
    FactHistoryView,
    RelationLine,
    RelationMapView,
    RetractedView,
)
from agents.world_time.calendar import format_tick
from agents.world_time.moments import format_record_time, read_moment, read_record_time
from stores.errors import NotFound, parse_field
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import (
    Authority,
    Evidence,
    EvidenceKind,
    Fact,
    FactStatus,
    MergeEntities,
    RetconFact,
    normalize_statement,
)
from stores.records.ids import Clock, Id
from stores.records.play import Resolution, Scene, Turn
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityStatus

MAX_SHOWN = 500
"""Facts of a moment, or events, that are listed; a search finds the others."""

MAX_READ = 100_000
"""Facts that are read."""

_REMOVED_STATUSES = (FactStatus.RETCONNED, EntityStatus.RETCONNED, EntityStatus.MERGED)


class ProvenanceReader:
    """Reads evidence, history and relations. Read-only."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        entity_cards: EntityCardReader,
        clock: Clock,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._entity_cards = entity_cards
        self._clock = clock

    # --- what rests on what --------------------------------------------------------------------------

    async def read_evidence(self, subject_id: Id) -> tuple[EvidenceSource, ...]:
        """Return the evidence of a fact or an entity, each piece with its place, author and time."""
        fact = (await self._canon.facts_by_id([subject_id])).get(subject_id)
        proposal_id = fact.proposal_id if fact else None
        evidence = await self._canon.evidence_of(subject_id)
        subject = fact or (await self._canon.entities_by_id([subject_id])).get(subject_id)
        if subject is not None and subject.status in _REMOVED_STATUSES:
            evidence = [*evidence, *await self._read_removal_evidence(subject)]
        statement = subject.statement if isinstance(subject, Fact) else subject.name if subject else ""
        return await self.locate_evidence(sort_evidence(evidence, statement), proposal_id)

    async def _read_removal_evidence(self, subject: Fact | Entity) -> list[Evidence]:
        """Return the decision that removed a record from canon; canon itself stores only that it was removed."""
        accepted_proposals = await self._log.proposals(
            ProposalQuery(
                universe_id=subject.universe_id, statuses=[ProposalStatus.ACCEPTED], with_sources=True
            )
        )
        for proposal in reversed(accepted_proposals):
            change = proposal.change
            is_retcon = isinstance(change, RetconFact) and change.fact_id == subject.id
            if is_retcon or (isinstance(change, MergeEntities) and change.absorbed_id == subject.id):
                return list(proposal.evidence)
        return []

    async def locate_evidence(
        self, evidence: Sequence[Evidence], proposal_id: Id | None = None
    ) -> tuple[EvidenceSource, ...]:
        """Return the place and author of each piece of evidence, in this order.

        Records that a universe began with cite its file and no decision; for them `proposal_id` names
        the proposal.
        """
        turns = await self._log.turns({e.turn_id for e in evidence if e.turn_id})
        resolutions_by_id = {r.id: r for r in await self._log.resolutions(list(turns))}
        manual_ids = {e.ref_id for e in evidence if e.kind is EvidenceKind.MANUAL}
        proposals_by_id = await self._log.proposals_by_id({*manual_ids, *filter(None, [proposal_id])})
        if proposal_id in proposals_by_id:
            proposals_by_id = dict.fromkeys(manual_ids, proposals_by_id[proposal_id]) | proposals_by_id
        return tuple(
            [await self._build_evidence_view(e, turns, resolutions_by_id, proposals_by_id) for e in evidence]
        )

    async def _build_evidence_view(
        self,
        evidence: Evidence,
        turns: Mapping[Id, Turn],
        resolutions_by_id: Mapping[Id, Resolution],
        proposals_by_id: Mapping[Id, ProposedChange],
    ) -> EvidenceSource:
        turn = turns.get(evidence.turn_id or "")
        scene = await self._read_scene(turn.scene_id if turn else evidence.scene_id)
        place = scene.inline_label if scene else ""
        if turn is not None:
            relation = "after " if is_declared_after(evidence, turn) else ""
            place = f"{relation}turn {turn.depth + 1} of {place}"
        elif evidence.source_id is not None:
            place = await self.describe_source(evidence.source_id, evidence.page)
        manual_proposal = (
            proposals_by_id.get(evidence.ref_id) if evidence.kind is EvidenceKind.MANUAL else None
        )
        return EvidenceSource(
            evidence=evidence,
            place=place,
            who=_describe_author(evidence, turn, manual_proposal),
            turn_id=turn.id if turn else scene.head if scene else None,
            resolution=resolutions_by_id.get(evidence.ref_id),
            recorded=turn.created_at if turn else manual_proposal.created_at if manual_proposal else None,
        )

    async def _read_scene(self, scene_id: Id | None) -> Scene | None:
        return await self._log.scene(scene_id) if scene_id else None

    async def describe_source(self, source_id: Id, page: int | None) -> str:
        """Return a place in a source, in words."""
        try:
            title = (await self._log.source(source_id)).title
        except NotFound:
            title = "a source that is gone"
        return title if page is None else f"{title}, page {page}"

    # --- how it used to be ---------------------------------------------------------------------------

    async def read_fact_history(self, fact_id: Id) -> FactHistoryView:
        """Return every value that the fact's predicate had, and what replaced what."""
        fact = await self._canon.fact(fact_id)
        universe = await self._canon.universe(fact.universe_id)
        history_facts = await self._keeper.history.read_fact_history(fact)
        subjects_by_id = await self._canon.entities_by_id([i.entity_id for i in fact.involves[:1]])
        subject_name = next((e.name for e in subjects_by_id.values()), universe.name)
        subject_line = subject_name
        if fact.predicate != STATED_PREDICATE:
            catalogue = await self._keeper.policies.read_catalogue(universe.id)
            subject_line += f" · {catalogue.label(fact.predicate)}"
        return FactHistoryView(
            universe,
            subject_line,
            tuple(await self._entity_cards.build_fact_views(history_facts, universe.calendar)),
        )

    async def read_canon_at(
        self, universe_id: Id, typed_world_time: str = "", typed_record_time: str = "", search: str = ""
    ) -> CanonMomentView:
        """Return canon at a moment of world time, as it was known at a moment of record time.

        World time is typed like `day 3, dusk`, record time like `2026-01-01 20:00`; an empty text means the
        present.
        """
        universe = await self._canon.universe(universe_id)
        calendar = universe.calendar
        record_time = parse_field("recorded", read_record_time, typed_record_time, self._clock())
        # What was known at a moment, with no world time named, is whatever was so then.
        current_tick = (
            None
            if record_time and not typed_world_time.strip()
            else await read_present_tick(self._log, universe_id)
        )
        tick = parse_field("when", read_moment, typed_world_time, calendar, current_tick)
        facts = await self._read_facts_held(universe_id, tick, record_time)
        matching_facts = [f for f in facts if _matches_search(f, search)]
        views = await self._entity_cards.build_past_fact_views(matching_facts[:MAX_SHOWN], calendar)
        return CanonMomentView(
            universe,
            "" if tick is None else format_tick(calendar, tick),
            format_record_time(record_time) if record_time else "",
            tuple(views),
            len(facts),
        )

    async def _read_facts_held(
        self, universe_id: Id, tick: int | None, record_time: datetime | None
    ) -> list[Fact]:
        if record_time is not None:
            known_facts = await self._keeper.history.read_facts_known_at(universe_id, record_time, tick=tick)
            return [f for f in known_facts if tick is not None or f.valid_to is None]
        if tick is None:
            return await self._canon.facts(universe_id, FactQuery(limit=MAX_READ))
        return await self._canon.facts_at(universe_id, tick, limit=MAX_READ)

    async def read_removed_canon(self, universe_id: Id) -> RetractedView:
        """Return what was taken out of canon, without the facts that are canon again as others that say the same."""
        universe = await self._canon.universe(universe_id)
        accepted_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=[ProposalStatus.ACCEPTED], with_sources=True)
        )
        changes = [p.change for p in reversed(accepted_proposals)]
        removed_ids = dict.fromkeys(
            [c.fact_id for c in changes if isinstance(c, RetconFact)]
            + [c.absorbed_id for c in changes if isinstance(c, MergeEntities)]
        )
        facts = await self._canon.facts_by_id(removed_ids)
        entities = await self._canon.entities_by_id(removed_ids)
        retconned_facts = [
            facts[i] for i in removed_ids if i in facts and facts[i].status is FactStatus.RETCONNED
        ]
        retconned_facts = await self._leave_out_what_is_canon_again(universe_id, retconned_facts)
        return RetractedView(
            universe,
            tuple(await self._entity_cards.build_fact_views(retconned_facts, universe.calendar)),
            tuple(
                entities[i]
                for i in removed_ids
                if i in entities and entities[i].status is not EntityStatus.CANONICAL
            ),
        )

    async def _leave_out_what_is_canon_again(
        self, universe_id: Id, retconned_facts: Sequence[Fact]
    ) -> list[Fact]:
        """Return the facts that no fact of canon says at the same time: to restore another changes nothing."""
        statement_keys = {fact.statement_key for fact in retconned_facts}
        alike = await self._canon.facts_by_statement(universe_id, statement_keys) if statement_keys else []
        catalogue = await self._keeper.policies.read_catalogue(universe_id)
        current_facts = [fact for fact in alike if fact.status is FactStatus.CANONICAL]
        return [
            fact
            for fact in retconned_facts
            if not any(
                is_same_statement(fact, current, catalogue) and is_same_time(fact, current)
                for current in current_facts
            )
        ]

    # --- views of a world ----------------------------------------------------------------------------

    async def read_relations(self, entity_id: Id) -> RelationMapView:
        """Return the relations of an entity, and those of the entities they lead to."""
        root = await self._canon.entity(entity_id)
        neighbourhood = await self._canon.neighbourhood([entity_id], hops=2, limit=MAX_SHOWN)
        entities_by_id = {e.id: e for e in neighbourhood.entities}
        catalogue = await self._keeper.policies.read_catalogue(root.universe_id)
        links_by_entity: dict[Id, list[tuple[str, Id, Id]]] = {}
        for fact in neighbourhood.facts:
            involved_ids = [i.entity_id for i in fact.involves if i.entity_id in entities_by_id]
            for from_id in involved_ids:
                for to_id in involved_ids:
                    if from_id != to_id:
                        is_reversed = fact.involves[0].entity_id != from_id
                        label = catalogue.label(fact.predicate, is_reversed=is_reversed)
                        links_by_entity.setdefault(from_id, []).append((label, to_id, fact.id))
        return RelationMapView(root, tuple(_walk_relations(root, links_by_entity, entities_by_id)))


def _walk_relations(
    root: Entity,
    links_by_entity: Mapping[Id, Sequence[tuple[str, Id, Id]]],
    entities_by_id: Mapping[Id, Entity],
) -> Sequence[RelationLine]:
    """Return the relations of one entity, each with those of the entity it leads to."""
    relation_lines = []
    root_links = links_by_entity.get(root.id, ())
    for neighbour_id in dict.fromkeys(linked_id for _, linked_id, _ in root_links):
        relation_lines += [
            RelationLine(1, label, entities_by_id[neighbour_id], fact_id)
            for label, other, fact_id in root_links
            if other == neighbour_id
        ]
        relation_lines += [
            RelationLine(2, further_label, entities_by_id[further_id], further_fact_id)
            for further_label, further_id, further_fact_id in links_by_entity.get(neighbour_id, ())
            if further_id != root.id
        ]
    return relation_lines


def _describe_author(evidence: Evidence, turn: Turn | None, manual_proposal: ProposedChange | None) -> str:
    if manual_proposal is not None:
        author = "a chat client" if manual_proposal.authority is Authority.OUTSIDE else "you"
        return f"{author}, {format_record_time(manual_proposal.created_at)}"
    if turn is None:
        return ""
    return f"{describe_speaker(turn)}, {format_record_time(turn.created_at)}"


def _matches_search(fact: Fact, search: str) -> bool:
    """Return whether the fact has all words of the search."""
    return all(word in fact.statement_key for word in normalize_statement(search).split())
