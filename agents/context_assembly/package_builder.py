"""Builds context packages from canon, the log, memories and search. Read-only."""

from __future__ import annotations

from asyncio import create_task, gather
from collections import OrderedDict
from collections.abc import Awaitable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Generic, TypeVar

from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.context_assembly.context_package import (
    CanonContext,
    ContextPackage,
    PackageMetadata,
    RecalledContext,
    ScenePerson,
)
from agents.context_assembly.keyed_lore import MAX_SCANNED_TURNS, select_lore
from agents.context_assembly.known_secrets import UniverseSecrets, hold_back_secrets
from agents.context_assembly.named_entities_elsewhere import NamedEntityFinder, build_scene_person
from agents.context_assembly.narrative_context import NarrativeContext, NarrativeReader, TurnsInView
from agents.context_assembly.off_stage import OffStage, OffStageReader
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.search.memory_recall import MemoryRecall, RecalledMemories
from agents.search.question_cues import content_stems, measure_coverage
from agents.search.retrieval import (
    MAX_SCENES,
    SEARCH_TIMEOUT_SECONDS,
    ContextRetriever,
    OmittedItem,
    RetrievedContext,
    await_within,
)
from agents.search.search_port import RecordSearch
from stores.errors import StoreError
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, FactsAboutQuery
from stores.records.canon import AssertFact, Fact, FactKind, FactStatus
from stores.records.ids import Clock, Id, utc_now
from stores.records.world import ACTORS, Entity, EntityKind

T = TypeVar("T")

DEFAULT_CAPACITY: Final = 16

MAX_FACTS: Final = 60
"""Facts about entities in view that are shown; the newest."""
MAX_FACTS_PER_ENTITY: Final = 300
"""Facts of one entity that are read at once."""
RECENT_TICKS: Final = 7 * 24 * 60
"""World time (ticks) back from now that is read in addition, for an entity with more facts than that."""
MAX_HOPS: Final = 2
MAX_NEAR_ENTITIES: Final = 40
"""How many hops relations are followed from the entities in view, and to how many entities, nearest first."""
MAX_NEARBY_RELATIONS: Final = 6
MAX_CARRIED_THINGS: Final = 12
"""Things named by facts in view whose own facts are read."""
MAX_AXIOMS: Final = 40
MAX_LORE: Final = 5_000
"""Lore entries of one universe that are looked at."""
MAX_SECRETS_READ: Final = 10_000
"""Secrets of one universe that are looked at, those that ended among them."""
MAX_SETTLED_COMMITMENTS: Final = 12
MAX_COMMITMENTS_READ: Final = 500
"""Settled commitments that are shown (the latest), and commitments that are read to find them."""
_SEPARATE_KINDS = frozenset(
    {FactKind.AXIOM, FactKind.COMMITMENT, FactKind.ENCOUNTER, FactKind.ASSERTION, FactKind.LORE}
)
"""Kinds of fact that have lists of their own in the package."""


class PackageCache(Generic[T]):
    """Keeps the last few values by key; a key must name a state that cannot change."""

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        self._values_by_key: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """Return the value under the key, or None."""
        if key in self._values_by_key:
            self._values_by_key.move_to_end(key)
        return self._values_by_key.get(key)

    def put(self, key: Hashable, value: T) -> None:
        self._values_by_key[key] = value
        self._values_by_key.move_to_end(key)
        while len(self._values_by_key) > self._capacity:
            self._values_by_key.popitem(last=False)


class ContextPackageBuilder:
    """Builds context packages, read-only.

    It caches what it read of canon by canon's version, and the last package of each scene for when a store
    is down.
    """

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        context_loader: SceneContextLoader,
        agenda_reader: StoryAgendaReader,
        record_search: RecordSearch | None = None,
        clock: Clock = utc_now,
        *,
        search_timeout: float = SEARCH_TIMEOUT_SECONDS,
    ) -> None:
        self._canon = canon
        self._log = log
        self._context_loader = context_loader
        self._agenda_reader = agenda_reader
        self._named_entity_finder = NamedEntityFinder(canon, context_loader)
        self._off_stage_reader = OffStageReader(canon, self._named_entity_finder)
        self._narrative_reader = NarrativeReader(canon, log)
        self._retriever = ContextRetriever(record_search, canon, log) if record_search else None
        self._memory_recall = MemoryRecall(canon, log, record_search, search_timeout)
        self._clock = clock
        self._search_timeout = search_timeout
        self._canon_cache: PackageCache[CanonContext] = PackageCache()
        self._lore_cache: PackageCache[list[Fact]] = PackageCache()
        self._secrets_cache: PackageCache[UniverseSecrets] = PackageCache()
        self._last_packages: PackageCache[ContextPackage] = PackageCache()

    async def build_package(self, scene: SceneContext, player_text: str = "") -> ContextPackage:
        """Return what bears on the scene and on the names in the player's text.

        If a store cannot be read, returns the scene's last package, marked stale. Raises StoreError if
        there is none.
        """
        try:
            package = await self._build(scene, player_text)
        except StoreError as error:
            last_package = self._last_packages.get(scene.scene.id)
            if last_package is None or not await self._is_on_line(last_package, scene):
                raise
            omission = OmittedItem("recalled", f"an older package: {error.what}")
            return replace(
                last_package,
                scene=scene,
                player_text=player_text,
                is_stale=True,
                omitted_items=(*last_package.omitted_items, omission),
            )
        self._last_packages.put(scene.scene.id, package)
        return package

    async def with_named_in(self, package: ContextPackage, text: str) -> ContextPackage:
        """Return the package with those besides whom a text names and who are not here. Raises StoreError.

        Whoever is dead or away may be in a narration that nobody's words had named before.
        """
        canon, scene = package.canonical, package.scene
        known_ids = {p.entity.id for p in (*canon.cast, *canon.named_elsewhere)}
        named_entities = await self._named_entity_finder.find_elsewhere(scene, text, known_ids)
        query = FactsAboutQuery(predicate=LOCATED_IN)
        stays = await gather(*(self._canon.facts_about(p.entity.id, query) for p in named_entities))
        return replace(
            package,
            canonical=replace(
                canon,
                named_elsewhere=(*canon.named_elsewhere, *named_entities),
                stays=(*canon.stays, *(fact for facts in stays for fact in facts)),
            ),
        )

    async def _is_on_line(self, package: ContextPackage, scene: SceneContext) -> bool:
        """Return whether a package was built at a turn that the line still has before its head. Raises StoreError."""
        head_id = package.scene.head.id if package.scene.head else None
        if head_id is None:
            return True
        return head_id in (await self._log.on_line(scene.scene.id, [head_id])) - scene.left_turn_ids

    async def _build(self, scene: SceneContext, player_text: str) -> ContextPackage:
        cast = _list_cast(scene)
        present_entities = [p.entity for p in cast if p.is_here]
        turns_task = create_task(self._narrative_reader.read_turns_in_view(scene))
        retrieval_task = create_task(self._retrieve(scene, player_text, turns_task))
        narrative_task = create_task(
            self._narrative_reader.read_narrative(scene, player_text, present_entities, turns_task)
        )
        memories_task = create_task(
            self._memory_recall.recall_memories(
                present_entities,
                player_text,
                scene.universe.id,
                scene.tick,
                read_shown_texts=partial(_read_shown_texts, turns_task),
                left_turn_ids=scene.left_turn_ids,
            )
        )
        try:
            canon_version = await self._log.canon_version(scene.universe.id)
            agenda, named_elsewhere = await gather(
                self._agenda_reader.read_agenda(scene),
                self._named_entity_finder.find_elsewhere(scene, player_text, {p.entity.id for p in cast}),
            )
            known_ids = {p.entity.id for p in (*cast, *named_elsewhere)}
            off_stage = await self._off_stage_reader.find_off_stage(
                scene, await turns_task, agenda, known_ids
            )
            canon_context = await self._read_canon_cached(
                scene, player_text, cast, named_elsewhere, off_stage, canon_version
            )
            lore_facts = await self._read_lore_cached(scene.universe.id, canon_version)
            secrets = await self._read_secrets_cached(scene.universe.id, canon_version)
            narrative = await narrative_task
            lore = select_lore(
                lore_facts, [player_text, *(t.text for t in narrative.recent_turns[-MAX_SCANNED_TURNS:])]
            )
            recalled_memories: RecalledMemories = await memories_task
            retrieved_context = await await_within(retrieval_task, self._search_timeout)
        finally:
            for task in (turns_task, narrative_task, retrieval_task, memories_task):
                task.cancel()
        if retrieved_context is None:
            retrieved_context = RetrievedContext(
                omitted_items=(OmittedItem("recalled", "it was not found in time"),)
            )
        package = ContextPackage(
            scene=scene,
            agenda=agenda,
            canonical=replace(canon_context, lore=lore.entries),
            narrative=narrative,
            recalled=_build_recalled(canon_context, narrative, recalled_memories, retrieved_context),
            player_text=player_text,
            omitted_items=(
                *retrieved_context.omitted_items,
                *recalled_memories.omitted_items,
                *lore.omitted_items,
            ),
            metadata=PackageMetadata(
                universe_id=scene.universe.id,
                story_id=scene.story.id,
                scene_id=scene.scene.id,
                head_turn_id=scene.head.id if scene.head else None,
                tick=scene.tick,
                canon_version=canon_version,
                created_at=self._clock(),
            ),
        )
        return hold_back_secrets(package, secrets)

    async def _retrieve(
        self, scene: SceneContext, player_text: str, turns_task: Awaitable[TurnsInView]
    ) -> RetrievedContext:
        """Search for what bears on the player's text, or on the last turn if the player does nothing."""
        if self._retriever is None:
            return RetrievedContext()

        async def read_ids_in_view() -> set[Id]:
            turns_in_view = await turns_task
            turns = (*turns_in_view.turns, *turns_in_view.previous_scene_turns)
            return {t.id for t in turns} | scene.left_turn_ids

        last_turn_text = scene.head.text if scene.head else ""
        return await self._retriever.retrieve(
            player_text or last_turn_text,
            scene.universe.id,
            read_excluded_ids=read_ids_in_view,
            left_turn_ids=scene.left_turn_ids,
        )

    # --- canon ---------------------------------------------------------------------------------------

    async def _read_canon_cached(
        self,
        scene: SceneContext,
        player_text: str,
        cast: Sequence[ScenePerson],
        named_elsewhere: tuple[ScenePerson, ...],
        off_stage: OffStage,
        canon_version: str,
    ) -> CanonContext:
        """Read canon, unless it was read before for this line and this version of canon."""
        cache_key = (
            *(scene.universe.id, canon_version, scene.scene.id, scene.head and scene.head.id, scene.tick),
            *(scene.place and scene.place.id, player_text),
            *(p.id for p in scene.staged_proposals),
            *(p.entity.id for p in (*cast, *named_elsewhere, *off_stage.people)),
        )
        canon_context = self._canon_cache.get(cache_key)
        if canon_context is None:
            canon_context = await self._read_canon(scene, player_text, cast, named_elsewhere, off_stage)
            self._canon_cache.put(cache_key, canon_context)
        return replace(
            canon_context, cast=tuple(cast), named_elsewhere=named_elsewhere, off_stage=off_stage.people
        )

    async def _read_lore_cached(self, universe_id: Id, canon_version: str) -> list[Fact]:
        """Read the lore entries, once for each version of canon."""
        lore_facts = self._lore_cache.get((universe_id, canon_version))
        if lore_facts is None:
            lore_facts = await self._canon.facts(universe_id, FactQuery(kind=FactKind.LORE, limit=MAX_LORE))
            self._lore_cache.put((universe_id, canon_version), lore_facts)
        return lore_facts

    async def _read_secrets_cached(self, universe_id: Id, canon_version: str) -> UniverseSecrets:
        """Read the secrets and those who may know them, once for each version of canon."""
        secrets = self._secrets_cache.get((universe_id, canon_version))
        if secrets is None:
            query = FactQuery(only_secrets=True, history=True, limit=MAX_SECRETS_READ)
            facts = await self._canon.facts(universe_id, query)
            missing_ids = {i for fact in facts if fact.secrecy for i in fact.secrecy.known_to}
            knowers: dict[Id, Entity] = {}
            while missing_ids:
                entities = await self._canon.entities_by_id(missing_ids)
                knowers.update(entities)
                missing_ids = {e.merged_into for e in entities.values() if e.merged_into} - knowers.keys()
            secrets = UniverseSecrets(tuple(facts), knowers)
            self._secrets_cache.put((universe_id, canon_version), secrets)
        return secrets

    async def _read_canon(
        self,
        scene: SceneContext,
        player_text: str,
        cast: Sequence[ScenePerson],
        named_elsewhere: tuple[ScenePerson, ...],
        off_stage: OffStage,
    ) -> CanonContext:
        places = [scene.place] if scene.place else []
        people_in_view = (*cast, *named_elsewhere, *off_stage.named_people)
        entities_in_view = {e.id: e for e in (*(p.entity for p in people_in_view), *places)}
        axioms, settled_commitments, neighbourhood, facts_by_entity, stays_by_entity = await gather(
            self._canon.facts(scene.universe.id, FactQuery(kind=FactKind.AXIOM)),
            self._read_settled(scene, set(entities_in_view)),
            self._canon.neighbourhood(list(entities_in_view), hops=MAX_HOPS, limit=MAX_NEAR_ENTITIES),
            gather(*(self._read_current_facts(entity_id, scene.tick) for entity_id in entities_in_view)),
            gather(
                *(
                    self._canon.facts_about(p.entity.id, FactsAboutQuery(predicate=LOCATED_IN))
                    for p in off_stage.people
                    if p.entity.id not in entities_in_view
                )
            ),
        )
        facts_of_things = await self._read_facts_of_things(scene, facts_by_entity, set(entities_in_view))
        open_facts = {
            fact.id: fact
            for facts in (*facts_by_entity, *facts_of_things)
            for fact in facts
            if not fact.closed
        }
        # As timestamps: comparing datetimes with time zones takes ten times as long.
        ordered_facts = sorted(open_facts.values(), key=lambda f: (f.recorded_at.timestamp(), f.id))
        plain_facts = [f for f in ordered_facts if f.kind not in _SEPARATE_KINDS and f.clock is None][
            -MAX_FACTS:
        ]
        present_ids = {p.entity.id for p in cast if p.is_here}
        encounter_facts = [f for f in ordered_facts if f.kind is FactKind.ENCOUNTER or f.predicate == "met"]
        # By identifier: comparing records compares every field of each.
        encounter_ids = {f.id for f in encounter_facts}
        assertion_facts = [f for f in ordered_facts if f.kind is FactKind.ASSERTION or f.predicate == "said"]
        return CanonContext(
            cast=tuple(cast),
            named_elsewhere=named_elsewhere,
            off_stage=off_stage.people,
            stays=tuple(fact for facts in stays_by_entity for fact in facts),
            facts=tuple(
                f for f in plain_facts if f.kind is not FactKind.RELATION and f.id not in encounter_ids
            ),
            relations=tuple(
                f for f in plain_facts if f.kind is FactKind.RELATION and f.id not in encounter_ids
            ),
            encounters=tuple(f for f in encounter_facts if len(_involved_ids(f) & present_ids) > 1),
            assertions=tuple(f for f in assertion_facts if f.entity("subject") in present_ids),
            axioms=tuple(_select_axioms_in_scope(axioms, set(entities_in_view))),
            settled_commitments=tuple(settled_commitments),
            nearby_relations=_select_nearby(neighbourhood.facts, entities_in_view, player_text),
        )

    async def _read_facts_of_things(
        self,
        scene: SceneContext,
        facts_by_entity: Iterable[Iterable[Fact]],
        entity_ids_in_view: Collection[Id],
    ) -> list[list[Fact]]:
        """Return the facts of the things that those in view have, by canon and by what is proposed.

        What a thing holds or lacks comes up when it is opened, whether or not the player's words name it.
        """
        staged_changes = (p.change for p in scene.staged_proposals)
        involved_ids = [i.entity_id for facts in facts_by_entity for fact in facts for i in fact.involves]
        involved_ids += (i.entity_id for c in staged_changes if isinstance(c, AssertFact) for i in c.involves)
        further_ids = dict.fromkeys(i for i in reversed(involved_ids) if i not in entity_ids_in_view)
        entities = await self._canon.entities_by_id(further_ids.keys()) if further_ids else {}
        thing_ids = [i for i in further_ids if i in entities and entities[i].kind is EntityKind.OBJECT]
        return await gather(
            *(self._read_current_facts(i, scene.tick) for i in thing_ids[:MAX_CARRIED_THINGS])
        )

    async def _read_settled(self, scene: SceneContext, entity_ids_in_view: Collection[Id]) -> list[Fact]:
        """Return the settled commitments of those in view, the latest last."""
        commitments = await self._canon.facts(
            scene.universe.id, FactQuery(kind=FactKind.COMMITMENT, history=True, limit=MAX_COMMITMENTS_READ)
        )
        settled_commitments = [
            f
            for f in commitments
            if f.closed
            and f.status is not FactStatus.RETCONNED
            and _involved_ids(f).intersection(entity_ids_in_view)
        ]
        return sorted(settled_commitments, key=lambda f: (f.valid_to or 0, f.recorded_at))[
            -MAX_SETTLED_COMMITMENTS:
        ]

    async def _read_current_facts(self, entity_id: Id, tick: int) -> list[Fact]:
        """Return the current facts of one entity.

        If it has very many, the latest and those that began recently in world time.
        """
        facts = await self._canon.facts_about(entity_id, FactsAboutQuery(newest=MAX_FACTS_PER_ENTITY))
        if len(facts) < MAX_FACTS_PER_ENTITY:
            return facts
        return [
            *facts,
            *await self._canon.facts_about(
                entity_id,
                FactsAboutQuery(begins_within=(tick - RECENT_TICKS, tick), newest=MAX_FACTS_PER_ENTITY),
            ),
        ]


async def _read_shown_texts(turns_task: Awaitable[TurnsInView]) -> dict[Id, str]:
    """Return the texts of the scene's turns in view; those of the scene before are shown to no character."""
    return {turn.id: turn.text for turn in (await turns_task).turns}


def _build_recalled(
    canon_context: CanonContext,
    narrative: NarrativeContext,
    recalled_memories: RecalledMemories,
    retrieved_context: RetrievedContext,
) -> RecalledContext:
    """Combine what was recalled and found, without the facts and summaries that are in view anyway."""
    fact_lists = (
        *(canon_context.facts, canon_context.relations, canon_context.encounters, canon_context.assertions),
        *(canon_context.axioms, canon_context.settled_commitments, canon_context.nearby_relations),
    )
    shown_fact_ids = {fact.id for facts in fact_lists for fact in facts}
    facts = tuple(fact for fact in retrieved_context.facts if fact.id not in shown_fact_ids)
    shown_summaries = "\n".join(narrative.summary_lines)
    turns_in_view = (*narrative.previous_scene_turns, *narrative.recent_turns)
    whole_scene_ids = {turn.scene_id for turn in turns_in_view if turn.depth == 0}
    scenes = tuple(
        s
        for s in retrieved_context.scenes
        if s.text not in shown_summaries and s.scene.id not in whole_scene_ids
    )[:MAX_SCENES]
    return RecalledContext(
        recalled_memories.by_entity, retrieved_context.passages, facts, retrieved_context.rule_texts, scenes
    )


def _select_nearby(
    neighbourhood_facts: Iterable[Fact], entity_ids_in_view: Collection[Id], player_text: str
) -> tuple[Fact, ...]:
    """Return the relations one hop further out.

    Those that share words with the player's text first, then the newest.
    """
    asked_stems = content_stems(player_text)
    further_facts = [
        f
        for f in neighbourhood_facts
        if not f.closed and not _involved_ids(f).intersection(entity_ids_in_view)
    ]
    ranked_facts = sorted(
        further_facts,
        key=lambda f: (measure_coverage(asked_stems, content_stems(f.statement), {}), f.recorded_at, f.id),
    )
    return tuple(ranked_facts[-MAX_NEARBY_RELATIONS:][::-1])


def _list_cast(scene: SceneContext) -> list[ScenePerson]:
    """Return those present, then those who left or are only mentioned in this scene."""
    present_entities = scene.present_actors()
    pc = scene.player_character()
    if pc is not None and pc.id not in {e.id for e in present_entities}:
        present_entities = [pc, *present_entities]
    present_ids = {e.id for e in present_entities}
    absent_actors = [e for e in scene.entities.values() if e.id not in present_ids and e.kind in ACTORS]
    return [
        *(build_scene_person(scene, e) for e in present_entities),
        *(build_scene_person(scene, e, is_here=False) for e in absent_actors),
    ]


def _select_axioms_in_scope(axioms: Iterable[Fact], entity_ids_in_view: Collection[Id]) -> list[Fact]:
    """Return the axioms that apply to everyone or to somebody in view, the most binding first."""
    applicable_axioms = [
        a for a in axioms if not a.involves or _involved_ids(a).intersection(entity_ids_in_view)
    ]
    return sorted(applicable_axioms, key=lambda a: (a.severity != "must", a.recorded_at, a.id))[:MAX_AXIOMS]


def _involved_ids(fact: Fact) -> set[Id]:
    return {i.entity_id for i in fact.involves}
