"""What an edit by hand would do, in views: retcons with all that rests on them, merges side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.canon_keeper.decisions import OPEN_STATUSES, is_rejected
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import value_in_words
from agents.canon_keeper.proposal_subjects import named_entities, named_facts
from agents.canon_keeper.retcon_impact import RetconImpact
from agents.declarations.entity_lookup import read_entities_by_id
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.services.entity_cards import Atlas
from agents.services.manual_edits import ByHand
from agents.services.universe_gate import UniverseGate
from agents.views.play_views import FactView, ProposalView
from agents.views.world_views import ImpactView, Lookalike, MemoryNote, MergeView, SceneNote
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact, FactStatus, MergeEntities, RetconFact
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.workflow import ProposedChange
from stores.records.world import Calendar, Entity

ABSENT = "—"


class Previews:
    """See `agents.world_desk.WorldPreviews`. Stateless and read-only."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        atlas: Atlas,
        views: SceneViewBuilder,
        gate: UniverseGate,
        by_hand: ByHand,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._atlas = atlas
        self._views = views
        self._gate = gate
        self._by_hand = by_hand

    async def waiting(self, universe_id: Id) -> int:
        """How many changes wait at the universe's gate."""
        return len((await self._gate.waiting(universe_id))[0])

    async def about(self, entity_id: Id) -> tuple[ProposalView, ...]:
        """What waits anywhere to change an entity, or what is said of it."""
        entity = await self._canon.entity(entity_id)
        waiting = await self._log.proposals(universe_id=entity.universe_id, statuses=OPEN_STATUSES)
        waiting = [p for p in waiting if not is_rejected(p)]
        named = await self._canon.facts_by_id({i for p in waiting for i in named_facts(p.change)})

        def names(proposal: ProposedChange) -> bool:
            change = proposal.change
            facts = [named[i] for i in named_facts(change) if i in named]
            about = {i.entity_id for fact in facts for i in fact.involves}
            return entity_id in {*named_entities(change), *named_facts(change), *about}

        return await self._views.build_proposal_rows([p for p in waiting if names(p)])

    # --- retcons -------------------------------------------------------------------------------------

    async def retcon(self, subject_id: Id) -> ImpactView:
        """What retconning (or restoring) a fact or an entity would change, and what rests on it."""
        impact = await self._keeper.retcon_previews.preview(subject_id)
        subject = impact.subject
        universe = await self._canon.universe(subject.universe_id)
        calendar = universe.calendar
        change = RetconFact(fact_id=subject.id, restore=impact.restore)
        return ImpactView(
            universe=universe,
            subject_id=subject.id,
            title=subject.statement if isinstance(subject, Fact) else subject.name,
            entity=isinstance(subject, Entity),
            restore=impact.restore,
            changes=tuple(_changes(impact, calendar)),
            same_words=await self._facts(impact.same_turn_facts, calendar),
            involving=await self._facts(impact.involving_facts, calendar),
            caused=await self._facts(impact.caused_facts, calendar),
            commitments=await self._facts(impact.commitments, calendar),
            memories=await self._memories(impact, universe.id),
            scenes=tuple([await self._scene(scene) for scene in impact.scenes]),
            proposals=await self._views.build_proposal_rows(impact.proposals),
            staged=change in await self._by_hand.changes_waiting(universe.id),
        )

    async def _facts(self, facts: Sequence[Fact], calendar: Calendar) -> tuple[FactView, ...]:
        return tuple(await self._atlas.views(facts, calendar))

    async def _memories(self, impact: RetconImpact, universe_id: Id) -> tuple[MemoryNote, ...]:
        known = await read_entities_by_id(
            universe_id, {m.entity_id for m in impact.memories}, self._canon, self._log
        )
        return tuple(
            MemoryNote(known[m.entity_id].name if m.entity_id in known else "somebody", m.text)
            for m in impact.memories
        )

    async def _scene(self, scene: Scene) -> SceneNote:
        first = await self._log.line_slice(scene.id, 0, 1)
        return SceneNote(f"Scene {scene.order} “{scene.title}”", first[0].id if first else None)

    # --- merges --------------------------------------------------------------------------------------

    async def lookalikes(self, universe_id: Id, of: Id | None = None) -> tuple[Lookalike, ...]:
        """Pairs that may be one, the most alike first; with `of`, those of one entity, as `one`."""
        pairs = await self._keeper.merges.find_lookalikes(universe_id, of)
        return tuple(Lookalike(pair.one, pair.other, pair.likeness) for pair in pairs)

    async def merge(self, kept_id: Id, absorbed_id: Id) -> MergeView:
        preview = await self._keeper.merges.preview_merge(kept_id, absorbed_id)
        universe = await self._canon.universe(preview.kept_entity.universe_id)
        change = MergeEntities(kept_id=kept_id, absorbed_id=absorbed_id)
        theirs = await self._facts([theirs for _, theirs in preview.conflicts], universe.calendar)
        ours = [
            own.statement if own else _from_the_start(preview.kept_entity) for own, _ in preview.conflicts
        ]
        return MergeView(
            universe=universe,
            kept=await self._atlas.card(kept_id),
            absorbed=await self._atlas.card(absorbed_id),
            clashes=tuple(zip(ours, theirs, strict=True)),
            moved=await self._facts([old for old, _ in preview.moved_facts], universe.calendar),
            repeated=await self._facts(preview.repeated_facts, universe.calendar),
            gained=preview.added_names,
            memories=preview.memory_count,
            staged=change in await self._by_hand.changes_waiting(universe.id),
        )

    async def absorbed_by(self, kept_id: Id) -> tuple[Entity, ...]:
        """What was merged into this entity and still is, the latest first."""
        return tuple(await self._keeper.merges.read_absorbed(kept_id))


# --- changes in words ---------------------------------------------------------------------------------


def _changes(impact: RetconImpact, calendar: Calendar) -> Iterator[tuple[str, str, str]]:
    for before, after in impact.facts:
        yield before.statement, _standing(before, calendar), _standing(after, calendar)
    for was, will in impact.entities:
        if was.status is not will.status:
            yield was.name, _status(was), _status(will)
        for key in sorted(was.numbers.keys() | will.numbers.keys()):
            if was.numbers.get(key) != will.numbers.get(key):
                yield f"{was.name}.{key}", _number(was, key), _number(will, key)
        for tag in dict.fromkeys((*was.tags, *will.tags)):
            if (tag in was.tags) is not (tag in will.tags):
                yield (
                    f"{was.name} {tag}",
                    "yes" if tag in was.tags else "no",
                    "yes" if tag in will.tags else "no",
                )


def _standing(fact: Fact, calendar: Calendar) -> str:
    """Return how a fact stands, in words: `so`, `so until Day 3, dusk`, `never so`, `replaced`."""
    if fact.status is FactStatus.RETCONNED:
        return "never so"
    if fact.status is FactStatus.SUPERSEDED and fact.valid_to in (None, fact.valid_from):
        return "replaced"
    return "so" if fact.valid_to is None else f"so until {format_tick(calendar, fact.valid_to)}"


def _status(entity: Entity) -> str:
    return {"canonical": "in canon", "retconned": "never was"}.get(entity.status.value, entity.status.value)


def _number(entity: Entity, key: str) -> str:
    return value_in_words(entity.numbers.get(key)) or ABSENT


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _from_the_start(entity: Entity) -> str:
    return f"{entity.name} has another value on the sheet."
