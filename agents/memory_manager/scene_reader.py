"""Reads from canon and log what a stretch of a scene holds for its characters. Read-only.

Who was created, came or left, who was dead or senseless when, which facts rest on which turn, and which
facts may be mentioned.
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import is_true
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposed_records import build_entity
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.memory_manager.attendance import SENSELESS_TAGS, Attendance, TickInterval, is_oracle_answer
from agents.memory_manager.health_changes import (
    HEALTH_KEYS,
    HealthChange,
    build_health_fact,
    find_health_changes,
    read_health_values,
)
from agents.memory_manager.merged_entities import MergedEntities, read_memories_of, read_merged_entities_of
from agents.memory_manager.proposed_facts import (
    fact_from_proposal,
    fold_senselessness,
    is_denied,
    is_senseless,
)
from agents.memory_manager.scene_stretch import DeathRecord, SceneStretch, StatedFact
from agents.memory_manager.sentence_claims import ClaimReader
from agents.memory_manager.short_names import read_short_names
from agents.memory_manager.spoken_sentences import find_spoken_sentences
from agents.memory_manager.valid_memories import filter_on_line
from agents.memory_manager.whispered_exchanges import find_whispered_exchanges
from agents.prose.hero_sleep import find_turns_slept_through
from agents.prose.mentions import read_gender
from agents.prose.names import names_of
from agents.story_entries import read_story_entries
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, FactsAboutQuery, ProposalQuery
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    Fact,
    FactKind,
    StateChange,
    normalize_statement,
)
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Resolution, Scene, Speaker, Story, Turn
from stores.records.story_journal import PresenceEntry
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import ACTORS, Entity

TURNS_READ_BEFORE: Final = 6
"""Turns read before a stretch: the player character may have fallen asleep in them."""
TURNS_READ_AFTER: Final = 3
"""Turns read after a stretch: the rolls of an exchange tell whether its words were heard."""
MAX_HELD_MEMORIES: Final = 300
"""Memories of one character, the newest, that what they hear is compared with."""
MAX_FREE_SENTENCES: Final = 2_000
"""Facts without a fact key in a universe's canon that what is said is compared with."""


@dataclass(frozen=True, slots=True)
class SceneSetting:
    """A scene as it stands: its characters, their names, and its proposals."""

    story: Story
    scene: Scene
    attendance: Attendance
    entities: Mapping[Id, Entity]
    proposals: Sequence[ProposedChange]
    catalogue: Catalogue
    deaths_by_entity: Mapping[Id, DeathRecord]


class SceneReader:
    """Reads what a scene holds for its characters."""

    def __init__(self, canon: CanonReader, log: LogReader, catalogue: ReadCatalogue) -> None:
        self.canon = canon
        self.log = log
        self.catalogue = catalogue
        self._claim_reader: ClaimReader | None = None

    async def read_setting(self, scene_id: Id) -> SceneSetting:
        """Return who was present in a scene, and when. Raises NotFound."""
        scene = await self.log.scene(scene_id)
        story, proposals, catalogue = await gather(
            self.log.story(scene.story_id),
            self.log.proposals(ProposalQuery(scene_id=scene_id)),
            self.catalogue(scene.universe_id),
        )
        live_proposals = [p for p in proposals if p.status is not ProposalStatus.WITHDRAWN]
        presence_entries = await self._read_presence_entries(story, scene)
        creations_by_entity = {
            p.change.entity_id: p for p in live_proposals if isinstance(p.change, CreateEntity)
        }
        wanted_ids = {
            *scene.cast,
            *creations_by_entity,
            *(c.entity_id for c in presence_entries),
            *filter(None, (story.pc_id,)),
        }
        entities = await self.canon.entities_by_id(wanted_ids)
        for entity_id, proposal in creations_by_entity.items():
            if entity_id not in entities and not is_denied(proposal):
                assert isinstance(proposal.change, CreateEntity)
                entities[entity_id] = build_entity(proposal, proposal.change)
        actors = {i: e for i, e in entities.items() if e.kind in ACTORS or i == story.pc_id}
        created_ticks = {
            i: p.tick if p.tick is not None else scene.tick
            for i, p in creations_by_entity.items()
            if i in actors and not is_denied(p)
        }
        senseless_intervals, deaths_by_entity = await self._read_senselessness(
            actors, live_proposals, catalogue
        )
        attendance = Attendance(
            pc_id=story.pc_id,
            cast=frozenset(i for i in scene.cast if i in actors),
            names_by_id=_unambiguous_names(actors),
            created_ticks=created_ticks,
            presence_entries=tuple(c for c in presence_entries if c.entity_id in actors),
            senseless_intervals=senseless_intervals,
        )
        return SceneSetting(story, scene, attendance, entities, live_proposals, catalogue, deaths_by_entity)

    async def read_turns(self, setting: SceneSetting, start: int, count: int) -> list[Turn]:
        """Return turns of the scene's line, from depth `start` on."""
        return await self.log.line_slice(setting.scene.id, start, count)

    async def _find_slept_turns(self, attendance: Attendance, turns: Sequence[Turn]) -> set[Id]:
        """Return which of these turns, which need not follow each other, the player character sleeps through."""
        slept_ids: set[Id] = set()
        if attendance.pc_id is None:
            return slept_ids
        hero_names = attendance.names_by_id.get(attendance.pc_id, ())
        known_ids = {turn.id for turn in turns}
        rest = list(turns)
        while rest:
            run = [rest.pop(0)]
            while rest and rest[0].parent_id == run[-1].id:
                run.append(rest.pop(0))
            start = max(0, run[0].depth - TURNS_READ_BEFORE)
            before = await self.log.line_slice(run[0].scene_id, start, run[0].depth - start)
            slept_ids |= find_turns_slept_through((*before, *run), hero_names) & known_ids
        return slept_ids

    async def read_stretch(
        self, setting: SceneSetting, turns: Sequence[Turn], following_turns: Sequence[Turn] = ()
    ) -> SceneStretch:
        """Return what these turns hold; `following_turns` come after them."""
        scene = setting.scene
        attendance = mark_unheard_turns(setting.attendance, (*turns, *following_turns))
        attendance = replace(attendance, slept_turn_ids=await self._find_slept_turns(attendance, turns))
        first_turns = await self.log.turns({t.exchange_id for t in turns})
        attendance = replace(
            attendance, insiders_by_exchange=find_whispered_exchanges(first_turns.values(), attendance.pc_id)
        )
        oracle_turn_ids = [t.id for t in turns if t.speaker is Speaker.ORACLE]
        stating_proposals = [p for p in setting.proposals if isinstance(p.change, AssertFact | StateChange)]
        turn_ids = {t.id for t in turns}
        turn_proposals = [p for p in stating_proposals if p.turn_id in turn_ids]
        # Facts are compared with what is said and with what is stated, and with nothing else.
        spoken_sentences = [
            s for turn in turns for s in find_spoken_sentences(turn, attendance.names_by_id, attendance.pc_id)
        ]
        mentions_facts = bool(turn_proposals or spoken_sentences)
        start = max(0, turns[0].depth - TURNS_READ_BEFORE) if turns else 0
        needs_turns_before = any(s.listener_pronoun for s in spoken_sentences)
        turns_before = (
            await self.log.line_slice(scene.id, start, turns[0].depth - start) if needs_turns_before else ()
        )
        results, words_by_result, canon_names, short_names, held_memories, pending_proposals = await gather(
            self.log.resolutions(oracle_turn_ids) if oracle_turn_ids else _no_resolutions(),
            self._read_words_of_results(turns),
            self.canon.folded_names(scene.universe_id),
            read_short_names(self.canon, scene.universe_id, [turn.text for turn in turns]),
            self._read_held_memories(attendance),
            self.log.proposals(
                ProposalQuery(universe_id=scene.universe_id, statuses=[ProposalStatus.PENDING])
            ),
        )
        ids_by_name = {
            **short_names,
            **dict(canon_names),
            **_ids_by_proposed_name(pending_proposals),
            **_ids_by_cast_name(attendance),
        }
        speakable_facts = (
            await self._read_speakable_facts(setting, pending_proposals, ids_by_name, turns)
            if mentions_facts
            else []
        )
        stated_by_turn = await self._read_stated_facts(turn_proposals, setting)
        ids = set(ids_by_name.values())
        entities_by_id = await self.canon.entities_by_id(ids) if len(ids) <= 2_000 else {}
        return SceneStretch(
            scene=scene,
            attendance=attendance,
            turns=turns,
            claim_reader=self._claim_reader_for(setting.catalogue),
            ids_by_name=ids_by_name,
            names_by_id={
                **{i: e.name for i, e in entities_by_id.items()},
                **{i: e.name for i, e in setting.entities.items()},
            },
            turns_before=turns_before,
            genders={
                i: gender
                for i, e in {**entities_by_id, **setting.entities}.items()
                if (gender := read_gender(e.name, e.description))
            },
            results_by_turn={r.turn_id: r for r in results},
            words_by_result=words_by_result,
            stated_by_turn=stated_by_turn,
            speakable_facts=speakable_facts,
            deaths_by_entity=setting.deaths_by_entity,
            number_keys={key for e in setting.entities.values() for key in e.numbers},
            held_memories=held_memories,
        )

    def _claim_reader_for(self, catalogue: Catalogue) -> ClaimReader:
        """Return the reader of the last stretch if the catalogue is the same: it knows what the facts claim."""
        if self._claim_reader is None or self._claim_reader.catalogue is not catalogue:
            self._claim_reader = ClaimReader(catalogue)
        return self._claim_reader

    # --- who was there -------------------------------------------------------------------------------

    async def _read_presence_entries(self, story: Story, scene: Scene) -> list[PresenceEntry]:
        """Return the arrivals and departures that count on the scene's line, in its order."""
        entries, _ = await read_story_entries(self.log, story, scene.id)
        return [entry for entry in entries if isinstance(entry, PresenceEntry)]

    async def _read_senselessness(
        self, actors: Mapping[Id, Entity], proposals: Iterable[ProposedChange], catalogue: Catalogue
    ) -> tuple[dict[Id, list[TickInterval]], dict[Id, DeathRecord]]:
        """Return when each character was senseless, by canon and staged changes, and who died when."""
        intervals_by_entity: dict[Id, list[TickInterval]] = {}
        deaths_by_entity: dict[Id, DeathRecord] = {}
        ids = list(actors)
        alive_facts, tag_facts = await gather(
            gather(
                *(self.canon.facts_about(i, FactsAboutQuery(predicate="alive", history=True)) for i in ids)
            ),
            gather(*(self.canon.facts_about(i, FactsAboutQuery(predicate="is", history=True)) for i in ids)),
        )
        for entity_id, entity_alive_facts, entity_tag_facts in zip(ids, alive_facts, tag_facts, strict=True):
            for fact in (*entity_alive_facts, *entity_tag_facts):
                is_out = fact.value is False if fact.predicate == "alive" else is_senseless(fact.value)
                if fact.entity("subject") == entity_id and is_out and is_true(fact):
                    intervals_by_entity.setdefault(entity_id, []).append(
                        TickInterval(fact.valid_from, fact.valid_to)
                    )
                    if fact.predicate == "alive" and fact.valid_from is not None and fact.valid_to is None:
                        deaths_by_entity[entity_id] = DeathRecord(fact.valid_from, fact.id)
            has_facts = bool(entity_alive_facts) or any(is_senseless(f.value) for f in entity_tag_facts)
            if not has_facts and SENSELESS_TAGS.intersection(t.casefold() for t in actors[entity_id].tags):
                intervals_by_entity.setdefault(entity_id, []).append(TickInterval())
        for proposal in proposals:
            if proposal.status is not ProposalStatus.ACCEPTED and not is_denied(proposal):
                fold_senselessness(proposal, catalogue, intervals_by_entity, deaths_by_entity)
        return intervals_by_entity, deaths_by_entity

    async def _read_held_memories(self, attendance: Attendance) -> list[Memory]:
        entity_ids = dict.fromkeys(
            (*attendance.cast, *(entry.entity_id for entry in attendance.presence_entries))
        )
        if attendance.pc_id:
            entity_ids.setdefault(attendance.pc_id)
        first_id = next(iter(entity_ids), None)
        merged_entities = (
            await read_merged_entities_of(self.canon, first_id) if first_id else MergedEntities()
        )
        memory_lists = await gather(
            *(read_memories_of(self.log, merged_entities, i, last=MAX_HELD_MEMORIES) for i in entity_ids)
        )
        return await filter_on_line(self.log, [m for memories in memory_lists for m in memories])

    # --- what rests on a turn, and what may be spoken of --------------------------------------------------

    async def _read_words_of_results(self, turns: Sequence[Turn]) -> dict[Id, Turn]:
        """Return by result the player's turn that it follows: what the dice were rolled for."""
        parent_ids = {t.id: t.parent_id for t in turns if t.speaker is Speaker.ORACLE and t.parent_id}
        parents = await self.log.turns(set(parent_ids.values())) if parent_ids else {}
        return {
            turn_id: parents[parent_id]
            for turn_id, parent_id in parent_ids.items()
            if parent_id in parents and parents[parent_id].speaker is Speaker.PLAYER
        }

    async def _read_health_changes(
        self, proposals: Sequence[ProposedChange], setting: SceneSetting
    ) -> dict[Id, HealthChange]:
        """Return by proposal which of a stretch's changes wound or heal."""
        changes = [p.change for p in proposals if isinstance(p.change, StateChange)]
        changed_values = {(c.entity_id, c.key) for c in changes if c.key.casefold() in HEALTH_KEYS}
        if not changed_values:
            return {}
        fact_lists = await gather(
            *(
                self.canon.facts_about(i, FactsAboutQuery(predicate=key, history=True))
                for i, key in changed_values
            )
        )
        start_values = read_health_values(
            setting.entities,
            [f for facts in fact_lists for f in facts],
            setting.scene.tick,
            {fact_id_of(p) for p in setting.proposals},
        )
        return find_health_changes(setting.proposals, start_values, setting.catalogue)

    async def _read_stated_facts(
        self, proposals: Sequence[ProposedChange], setting: SceneSetting
    ) -> dict[Id, list[StatedFact]]:
        health_changes = await self._read_health_changes(proposals, setting)
        facts = await self.canon.facts_by_id([fact_id_of(p) for p in proposals])
        merged_facts = await self._read_merged_facts([p for p in proposals if fact_id_of(p) not in facts])
        stated_by_turn: dict[Id, list[StatedFact]] = {}
        for proposal in proposals:
            assert proposal.turn_id is not None
            health, change = health_changes.get(proposal.id), proposal.change
            if (
                health is not None
                and isinstance(change, StateChange)
                and change.entity_id in setting.entities
            ):
                name = setting.entities[change.entity_id].name
                fact: Fact | None = build_health_fact(proposal, change, name, health)
            else:
                fact = facts.get(fact_id_of(proposal)) or merged_facts.get(proposal.id)
                fact = fact or fact_from_proposal(proposal, setting.entities, setting.catalogue)
            if fact is None:
                continue
            is_critical = setting.catalogue.is_critical(fact.predicate, fact.value)
            turn_facts = stated_by_turn.setdefault(proposal.turn_id, [])
            turn_facts.append(
                StatedFact(
                    fact,
                    proposal,
                    len(turn_facts),
                    is_denied(proposal),
                    is_critical,
                    is_health_change=health is not None,
                )
            )
        return stated_by_turn

    async def _read_merged_facts(self, proposals: Sequence[ProposedChange]) -> dict[Id, Fact]:
        """Return the facts that accepted proposals were merged into as evidence."""
        accepted_proposals = [p for p in proposals if p.status is ProposalStatus.ACCEPTED and p.turn_id]
        if not accepted_proposals:
            return {}
        supports = await self.canon.supported_by({p.turn_id for p in accepted_proposals if p.turn_id})
        facts = await self.canon.facts_by_id([subject for _, subject in supports])
        facts_by_proposal: dict[Id, Fact] = {}
        for proposal in accepted_proposals:
            statement_text = normalize_statement(str(getattr(proposal.change, "statement", "")))
            for turn_id, subject in supports:
                fact = facts.get(subject)
                if (
                    fact is not None
                    and turn_id == proposal.turn_id
                    and statement_text
                    and fact.statement_key == statement_text
                ):
                    facts_by_proposal[proposal.id] = fact
        return facts_by_proposal

    async def _read_speakable_facts(
        self,
        setting: SceneSetting,
        pending_proposals: Sequence[ProposedChange],
        ids_by_name: Mapping[str, Id],
        turns: Sequence[Turn],
    ) -> list[Fact]:
        """Return the facts that those turns may mention: about entities they name, and facts without a fact key."""
        normalised_text = f" {normalize_statement(' '.join(t.text for t in turns))} "
        entity_ids = {
            i for name, i in ids_by_name.items() if f" {normalize_statement(name)} " in normalised_text
        }
        entity_ids |= set(setting.attendance.names_by_id)
        fact_lists = await gather(
            *(self.canon.facts_about(i, FactsAboutQuery(history=True)) for i in sorted(entity_ids)[:200])
        )
        free_sentences = await self.canon.facts(
            setting.scene.universe_id, FactQuery(predicate="stated", limit=MAX_FREE_SENTENCES)
        )
        staged_facts = [
            f
            for p in pending_proposals
            if isinstance(p.change, AssertFact) and not is_denied(p)
            for f in [fact_from_proposal(p, setting.entities, setting.catalogue)]
            if f is not None
        ]
        facts_by_id = {f.id: f for facts in (*fact_lists, free_sentences, staged_facts) for f in facts}
        return [f for f in facts_by_id.values() if f.kind not in (FactKind.AXIOM, FactKind.LORE)]


def mark_unheard_turns(attendance: Attendance, turns: Sequence[Turn]) -> Attendance:
    """Return the attendance with the turns marked that ask an oracle: nobody hears them."""
    oracle_exchange_ids = {
        t.exchange_id for t in turns if t.speaker is Speaker.ORACLE and is_oracle_answer(t.text)
    }
    unheard_turn_ids = {
        t.id
        for t in turns
        if t.exchange_id in oracle_exchange_ids and (t.speaker is Speaker.PLAYER or is_oracle_answer(t.text))
    }
    return replace(attendance, unheard_turn_ids=unheard_turn_ids)


async def read_ids_by_name(
    universe_id: Id, canon: CanonReader, log: LogReader, texts: Iterable[str]
) -> dict[str, Id]:
    """Return the entities by name in lower case: of canon, and of proposals to create one.

    People whom the texts name by a part that is theirs alone are among them by that.
    """
    canon_names, short_names, pending_proposals = await gather(
        canon.folded_names(universe_id),
        read_short_names(canon, universe_id, texts),
        log.proposals(ProposalQuery(universe_id=universe_id, statuses=[ProposalStatus.PENDING])),
    )
    return {**short_names, **_ids_by_proposed_name(pending_proposals), **dict(canon_names)}


def _unambiguous_names(actors: Mapping[Id, Entity]) -> dict[Id, tuple[str, ...]]:
    """Return the names by which prose may call each character, without names that two of them share."""
    names_by_id = {i: names_of(e) for i, e in actors.items()}
    name_counts = Counter(name.casefold() for names in names_by_id.values() for name in set(names))
    return {i: tuple(n for n in names if name_counts[n.casefold()] == 1) for i, names in names_by_id.items()}


def _ids_by_cast_name(attendance: Attendance) -> dict[str, Id]:
    return {name.casefold(): i for i, names in attendance.names_by_id.items() for name in names}


def _ids_by_proposed_name(pending_proposals: Iterable[ProposedChange]) -> dict[str, Id]:
    return {
        name.casefold(): p.change.entity_id
        for p in pending_proposals
        if isinstance(p.change, CreateEntity)
        for name in (p.change.name, *p.change.aliases)
    }


async def _no_resolutions() -> list[Resolution]:
    return []
