"""Previews of manual edits: retcons with all that rests on them, and merges side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import value_in_words
from agents.canon_keeper.proposal_subjects import named_entities, named_facts
from agents.canon_keeper.retcon_impact import RetconImpact
from agents.declarations.entity_lookup import read_entities_by_id
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.decisions import is_rejected
from agents.services.entity_cards import EntityCardReader
from agents.services.manual_edits import ManualEdits
from agents.services.retold_turns import RetoldTurnFinder
from agents.services.universe_gate import UniverseGate
from agents.typed_numbers import number_label
from agents.views.card_views import FactView
from agents.views.proposal_views import ProposalView
from agents.views.world_views import (
    AffectedMemory,
    LookalikeView,
    MergeView,
    RetconImpactView,
    SceneReference,
)
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity, Fact, FactStatus, MergeEntities, RetconFact
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import Calendar, Entity

ABSENT = "—"


class EditPreviews:
    """Previews manual edits. Read-only."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        entity_cards: EntityCardReader,
        views: SceneViewBuilder,
        gate: UniverseGate,
        manual_edits: ManualEdits,
        retold_turn_finder: RetoldTurnFinder,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._entity_cards = entity_cards
        self._views = views
        self._gate = gate
        self._manual_edits = manual_edits
        self._retold_turn_finder = retold_turn_finder

    async def count_waiting(self, universe_id: Id) -> int:
        """Return how many changes wait at the universe's gate."""
        return len((await self._gate.list_waiting(universe_id))[0])

    async def list_proposed_entities(self, universe_id: Id) -> tuple[ProposedChange, ...]:
        """Return what waits at any gate to become somebody or something of the universe; not what documents propose."""
        created = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES, kind="create_entity")
        )
        return tuple(p for p in created if isinstance(p.change, CreateEntity) and not is_rejected(p))

    async def list_proposals_about(self, entity_id: Id) -> tuple[ProposalView, ...]:
        """Return what waits at any gate to change an entity or to say something of it.

        It is compared with all that waits at the same gates, as it is there: what a scene ended before is no conflict.
        """
        entity = await self._canon.entity(entity_id)
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=entity.universe_id, statuses=OPEN_STATUSES)
        )
        open_proposals = [p for p in open_proposals if not is_rejected(p)]
        named_facts_by_id = await self._canon.facts_by_id(
            {i for p in open_proposals for i in named_facts(p.change)}
        )

        def concerns_entity(proposal: ProposedChange) -> bool:
            change = proposal.change
            facts = [named_facts_by_id[i] for i in named_facts(change) if i in named_facts_by_id]
            involved_ids = {i.entity_id for fact in facts for i in fact.involves}
            return entity_id in {*named_entities(change), *named_facts(change), *involved_ids}

        concerning = [p for p in open_proposals if concerns_entity(p)]
        scene_ids = {p.scene_id for p in concerning}
        return await self._views.build_proposal_rows(
            concerning, [p for p in open_proposals if p.scene_id in scene_ids]
        )

    # --- retcons -------------------------------------------------------------------------------------

    async def preview_retcon(self, subject_id: Id) -> RetconImpactView:
        """Return what retconning (or restoring) a fact or an entity would change, and what rests on it."""
        impact = await self._keeper.retcon_previews.preview(subject_id)
        subject = impact.subject
        universe = await self._canon.universe(subject.universe_id)
        calendar = universe.calendar
        change = RetconFact(fact_id=subject.id, restore=impact.restore)
        return RetconImpactView(
            universe=universe,
            subject_id=subject.id,
            title=subject.statement if isinstance(subject, Fact) else subject.name,
            is_entity=isinstance(subject, Entity),
            is_restore=impact.restore,
            changes=tuple(_describe_changes(impact, calendar)),
            same_turn_facts=await self._build_fact_views(impact.same_turn_facts, calendar),
            involving_facts=await self._build_fact_views(impact.involving_facts, calendar),
            caused_facts=await self._build_fact_views(impact.caused_facts, calendar),
            commitments=await self._build_fact_views(impact.commitments, calendar),
            memories=await self._describe_memories(impact, universe.id),
            scenes=tuple([await self._describe_scene(scene) for scene in impact.scenes]),
            retold_turns=await self._retold_turn_finder.find_retold_turns(subject)
            if isinstance(subject, Fact) and not impact.restore
            else (),
            proposals=await self._views.build_proposal_rows(impact.proposals),
            is_staged=change in await self._manual_edits.list_waiting_changes(universe.id),
        )

    async def _build_fact_views(self, facts: Sequence[Fact], calendar: Calendar) -> tuple[FactView, ...]:
        return tuple(await self._entity_cards.build_fact_views(facts, calendar))

    async def _describe_memories(self, impact: RetconImpact, universe_id: Id) -> tuple[AffectedMemory, ...]:
        owners_by_id = await read_entities_by_id(
            universe_id, {m.entity_id for m in impact.memories}, self._canon, self._log
        )
        return tuple(
            AffectedMemory(
                owners_by_id[m.entity_id].name if m.entity_id in owners_by_id else "somebody", m.text
            )
            for m in impact.memories
        )

    async def _describe_scene(self, scene: Scene) -> SceneReference:
        first_turns = await self._log.line_slice(scene.id, 0, 1)
        return SceneReference(scene.label, first_turns[0].id if first_turns else None)

    # --- merges --------------------------------------------------------------------------------------

    async def find_lookalikes(
        self, universe_id: Id, entity_id: Id | None = None
    ) -> tuple[LookalikeView, ...]:
        """Return pairs of entities that may be one, the most alike first.

        With `entity_id`, only the pairs of that entity, which then comes first in each.
        """
        pairs = await self._keeper.merges.find_lookalikes(universe_id, entity_id)
        return tuple(LookalikeView(pair.one, pair.other, pair.likeness) for pair in pairs)

    async def preview_merge(self, kept_id: Id, absorbed_id: Id) -> MergeView:
        preview = await self._keeper.merges.preview_merge(kept_id, absorbed_id)
        universe = await self._canon.universe(preview.kept_entity.universe_id)
        change = MergeEntities(kept_id=kept_id, absorbed_id=absorbed_id)
        absorbed_facts = await self._build_fact_views(
            [theirs for _, theirs in preview.conflicts], universe.calendar
        )
        kept_statements = [
            kept_fact.statement if kept_fact else _describe_sheet_value(preview.kept_entity)
            for kept_fact, _ in preview.conflicts
        ]
        return MergeView(
            universe=universe,
            kept_card=await self._entity_cards.read_card(kept_id),
            absorbed_card=await self._entity_cards.read_card(absorbed_id),
            conflicts=tuple(zip(kept_statements, absorbed_facts, strict=True)),
            moved_facts=await self._build_fact_views(
                [moved_fact for moved_fact, _ in preview.moved_facts], universe.calendar
            ),
            repeated_facts=await self._build_fact_views(preview.repeated_facts, universe.calendar),
            added_names=preview.added_names,
            memory_count=preview.memory_count,
            is_staged=change in await self._manual_edits.list_waiting_changes(universe.id),
        )

    async def list_absorbed(self, kept_id: Id) -> tuple[Entity, ...]:
        """Return the entities that are merged into this one, the latest first."""
        return tuple(await self._keeper.merges.read_absorbed(kept_id))


# --- changes in words ---------------------------------------------------------------------------------


def _describe_changes(impact: RetconImpact, calendar: Calendar) -> Iterator[tuple[str, str, str]]:
    for fact_before, fact_after in impact.facts:
        yield (
            fact_before.statement,
            _describe_standing(fact_before, calendar),
            _describe_standing(fact_after, calendar),
        )
    for entity_before, entity_after in impact.entities:
        if entity_before.status is not entity_after.status:
            yield entity_before.name, _describe_status(entity_before), _describe_status(entity_after)
        for key in sorted(entity_before.numbers.keys() | entity_after.numbers.keys()):
            if entity_before.numbers.get(key) != entity_after.numbers.get(key):
                yield (
                    f"{entity_before.name}: {number_label(key)}",
                    _describe_number(entity_before, key),
                    _describe_number(entity_after, key),
                )
        for tag in dict.fromkeys((*entity_before.tags, *entity_after.tags)):
            if (tag in entity_before.tags) is not (tag in entity_after.tags):
                yield (
                    f"{entity_before.name}: {tag}",
                    "yes" if tag in entity_before.tags else "no",
                    "yes" if tag in entity_after.tags else "no",
                )


def _describe_standing(fact: Fact, calendar: Calendar) -> str:
    """Return the standing of a fact: `true`, `true until Day 3, dusk`, `never true`, `replaced`."""
    if fact.status is FactStatus.RETCONNED:
        return "never true"
    if fact.status is FactStatus.SUPERSEDED and fact.valid_to in (None, fact.valid_from):
        return "replaced"
    return "true" if fact.valid_to is None else f"true until {format_tick(calendar, fact.valid_to)}"


def _describe_status(entity: Entity) -> str:
    return {"canonical": "in canon", "retconned": "never existed"}.get(
        entity.status.value, entity.status.value
    )


def _describe_number(entity: Entity, key: str) -> str:
    return value_in_words(entity.numbers.get(key)) or ABSENT


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def _describe_sheet_value(entity: Entity) -> str:
    return f"{entity.name} has another value on the sheet."
