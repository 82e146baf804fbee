"""Reading what a stretch of a scene holds for those who live it, from canon and log. Read-only.

Who was brought in, who came and left, who was dead or senseless when, what rests on which turn, and what may
be spoken of. Source: design/ontology.md, "The turn tree" and "Working state".
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.change_application import build_entity
from agents.canon_keeper.fact_claims import fact_id_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.memory_manager.claims import Claims
from agents.memory_manager.counting import standing
from agents.memory_manager.lived import Death, Lived, Stated
from agents.memory_manager.presence import SENSELESS, Attendance, Stay, asks_oracle
from agents.memory_manager.staged import denied, fact_of, fold_sense, is_senseless
from agents.prose.names import names_of
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    Fact,
    FactKind,
    StateChange,
    normal,
)
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus, ProposedChange
from stores.records.memory import Memory
from stores.records.play import Resolution, Scene, Speaker, Story, Turn
from stores.records.threads import PresenceEntry
from stores.records.world import ACTORS, Entity

BEHIND: Final = 3
"""Turns read behind a stretch: what rolls an exchange has tells whether its words were heard."""
HELD: Final = 300
"""Memories of one character, the newest, that what they hear is compared with."""
SPOKEN: Final = 2_000
"""Free sentences of a universe's canon that what is said is compared with."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A scene as it stands: who is in it, under which names, and what was proposed in it."""

    story: Story
    scene: Scene
    attendance: Attendance
    entities: Mapping[Id, Entity]
    proposals: Sequence[ProposedChange]
    catalogue: Catalogue
    deaths: Mapping[Id, Death]


class Scenes:
    """Reads scenes. Stateless."""

    def __init__(self, canon: CanonReader, log: LogReader, catalogue: ReadCatalogue) -> None:
        self._canon = canon
        self._log = log
        self._catalogue = catalogue

    async def setting(self, scene_id: Id) -> Setting:
        """Return who is in a scene, when. Raises NotFound."""
        scene = await self._log.scene(scene_id)
        story, proposals, catalogue = await gather(
            self._log.story(scene.story_id),
            self._log.proposals(scene_id=scene_id),
            self._catalogue(scene.universe_id),
        )
        on_line = [p for p in proposals if p.status is not ProposalStatus.WITHDRAWN]
        comings = await self._comings(story, scene)
        created = {p.change.entity_id: p for p in on_line if isinstance(p.change, CreateEntity)}
        wanted = {*scene.cast, *created, *(c.entity_id for c in comings), *filter(None, (story.pc_id,))}
        entities = await self._canon.entities_by_id(wanted)
        for entity_id, proposal in created.items():
            if entity_id not in entities and not denied(proposal):
                assert isinstance(proposal.change, CreateEntity)
                entities[entity_id] = build_entity(proposal, proposal.change)
        actors = {i: e for i, e in entities.items() if e.kind in ACTORS or i == story.pc_id}
        born = {
            i: p.tick if p.tick is not None else scene.tick
            for i, p in created.items()
            if i in actors and not denied(p)
        }
        senseless, deaths = await self._senseless(actors, on_line, catalogue)
        attendance = Attendance(
            pc_id=story.pc_id,
            cast=frozenset(i for i in scene.cast if i in actors and i not in born),
            people=_people(actors),
            born=born,
            comings=tuple(c for c in comings if c.entity_id in actors),
            senseless=senseless,
        )
        return Setting(story, scene, attendance, entities, on_line, catalogue, deaths)

    async def stretch(self, setting: Setting, start: int, count: int) -> list[Turn]:
        """Return turns of the scene's line, from depth `start` on."""
        return await self._log.line_slice(setting.scene.id, start, count)

    async def lived(self, setting: Setting, turns: Sequence[Turn], behind: Sequence[Turn] = ()) -> Lived:
        """Return what these turns hold; `behind` are those that follow them."""
        scene, attendance = setting.scene, with_unheard(setting.attendance, (*turns, *behind))
        oracle = [t.id for t in turns if t.speaker is Speaker.ORACLE]
        stated_on = [p for p in setting.proposals if isinstance(p.change, AssertFact | StateChange)]
        here = {t.id for t in turns}
        spoken = any('"' in t.text or "“" in t.text or t.speaker is not Speaker.GM for t in turns)
        results, names, held, waiting = await gather(
            self._log.resolutions(oracle) if oracle else _nothing(),
            self._canon.names(scene.universe_id),
            self._held(attendance),
            self._log.proposals(universe_id=scene.universe_id, statuses=[ProposalStatus.PENDING]),
        )
        named = {**dict(names), **_created_names(waiting), **_parts(attendance)}
        known = await self._known(setting, waiting, named, turns) if spoken else []
        stated = await self._stated([p for p in stated_on if p.turn_id in here], setting)
        ids = set(named.values())
        called = await self._canon.entities_by_id(ids) if len(ids) <= 2_000 else {}
        return Lived(
            scene=scene,
            attendance=attendance,
            turns=turns,
            claims=Claims(setting.catalogue),
            named=named,
            names={
                **{i: e.name for i, e in called.items()},
                **{i: e.name for i, e in setting.entities.items()},
            },
            results={r.turn_id: r for r in results},
            stated=stated,
            known=known,
            deaths=setting.deaths,
            held=held,
        )

    # --- who was there -------------------------------------------------------------------------------

    async def _comings(self, story: Story, scene: Scene) -> list[PresenceEntry]:
        """Return who came into the scene and left it, as it counts on its line, in the order of the line."""
        of_scene = [e for e in story.entries if isinstance(e, PresenceEntry) and e.scene_id == scene.id]
        turns = {e.turn_id for e in of_scene if e.turn_id}
        standing = await self._log.on_line(scene.id, turns) if turns else set()
        counted = [e for e in of_scene if e.turn_id is None or e.turn_id in standing]
        return sorted(counted, key=lambda e: e.tick)

    async def _senseless(
        self, actors: Mapping[Id, Entity], proposals: Iterable[ProposedChange], catalogue: Catalogue
    ) -> tuple[dict[Id, list[Stay]], dict[Id, Death]]:
        """Return when each took in nothing, by canon and by what is staged on the line; and who died when."""
        stays: dict[Id, list[Stay]] = {}
        deaths: dict[Id, Death] = {}
        ids = list(actors)
        alive, tagged = await gather(
            gather(*(self._canon.facts_about(i, predicate="alive", history=True) for i in ids)),
            gather(*(self._canon.facts_about(i, predicate="is", history=True) for i in ids)),
        )
        for entity_id, lives, tags in zip(ids, alive, tagged, strict=True):
            for fact in (*lives, *tags):
                gone = fact.value is False if fact.predicate == "alive" else is_senseless(fact.value)
                if fact.entity("subject") == entity_id and gone and fact.status != "retconned":
                    stays.setdefault(entity_id, []).append(Stay(fact.valid_from, fact.valid_to))
                    if fact.predicate == "alive" and fact.valid_from is not None and fact.valid_to is None:
                        deaths[entity_id] = Death(fact.valid_from, fact.id)
            known = bool(lives) or any(is_senseless(f.value) for f in tags)
            if not known and SENSELESS.intersection(t.casefold() for t in actors[entity_id].tags):
                stays.setdefault(entity_id, []).append(Stay())
        for proposal in proposals:
            if proposal.status is not ProposalStatus.ACCEPTED and not denied(proposal):
                fold_sense(proposal, catalogue, stays, deaths)
        return stays, deaths

    async def _held(self, attendance: Attendance) -> list[Memory]:
        who = dict.fromkeys((*attendance.cast, *attendance.born, *(c.entity_id for c in attendance.comings)))
        if attendance.pc_id:
            who.setdefault(attendance.pc_id)
        lists = await gather(*(self._log.memories(i, last=HELD) for i in who))
        return await standing(self._log, [m for memories in lists for m in memories])

    # --- what rests on a turn, and what may be spoken of --------------------------------------------------

    async def _stated(self, proposals: Sequence[ProposedChange], setting: Setting) -> dict[Id, list[Stated]]:
        facts = await self._canon.facts_by_id([fact_id_of(p) for p in proposals])
        merged = await self._merged([p for p in proposals if fact_id_of(p) not in facts])
        found: dict[Id, list[Stated]] = {}
        for proposal in proposals:
            assert proposal.turn_id is not None
            fact = facts.get(fact_id_of(proposal)) or merged.get(proposal.id)
            fact = fact or fact_of(proposal, setting.entities, setting.catalogue)
            if fact is None:
                continue
            critical = setting.catalogue.is_critical(fact.predicate, fact.value)
            row = found.setdefault(proposal.turn_id, [])
            row.append(Stated(fact, proposal, len(row), denied(proposal), critical))
        return found

    async def _merged(self, proposals: Sequence[ProposedChange]) -> dict[Id, Fact]:
        """Return the facts that accepted proposals were added to as evidence: they said the same."""
        accepted = [p for p in proposals if p.status is ProposalStatus.ACCEPTED and p.turn_id]
        if not accepted:
            return {}
        supported = await self._canon.supported_by({p.turn_id for p in accepted if p.turn_id})
        facts = await self._canon.facts_by_id([subject for _, subject in supported])
        found: dict[Id, Fact] = {}
        for proposal in accepted:
            said = normal(str(getattr(proposal.change, "statement", "")))
            for turn_id, subject in supported:
                fact = facts.get(subject)
                if fact is not None and turn_id == proposal.turn_id and said and fact.said == said:
                    found[proposal.id] = fact
        return found

    async def _known(
        self,
        setting: Setting,
        waiting: Sequence[ProposedChange],
        named: Mapping[str, Id],
        turns: Sequence[Turn],
    ) -> list[Fact]:
        """Return what those turns may speak of: facts about whom and what they name, and free sentences."""
        words = f" {normal(' '.join(t.text for t in turns))} "
        about = {i for name, i in named.items() if f" {normal(name)} " in words}
        about |= set(setting.attendance.people)
        lists = await gather(*(self._canon.facts_about(i, history=True) for i in sorted(about)[:200]))
        free = await self._canon.facts(setting.scene.universe_id, predicate="stated", limit=SPOKEN)
        staged = [
            f
            for p in waiting
            if isinstance(p.change, AssertFact) and not denied(p)
            for f in [fact_of(p, setting.entities, setting.catalogue)]
            if f is not None
        ]
        found = {f.id: f for facts in (*lists, free, staged) for f in facts}
        return [f for f in found.values() if f.kind is not FactKind.AXIOM]


def with_unheard(attendance: Attendance, turns: Sequence[Turn]) -> Attendance:
    """Return the attendance with those of the turns that are put to an oracle: nobody hears them."""
    asked = {t.exchange_id for t in turns if t.speaker is Speaker.ORACLE and asks_oracle(t.text)}
    unheard = {
        t.id for t in turns if t.exchange_id in asked and (t.speaker is Speaker.PLAYER or asks_oracle(t.text))
    }
    return replace(attendance, unheard=unheard)


async def names_of_all(universe_id: Id, canon: CanonReader, log: LogReader) -> dict[str, Id]:
    """Return whom names mean in a universe, without case: in canon, and of those that wait to be created."""
    names, waiting = await gather(
        canon.names(universe_id), log.proposals(universe_id=universe_id, statuses=[ProposalStatus.PENDING])
    )
    return {**_created_names(waiting), **dict(names)}


def _people(actors: Mapping[Id, Entity]) -> dict[Id, tuple[str, ...]]:
    """Return by whom what prose may call them, without what two of them are called."""
    every = {i: names_of(e) for i, e in actors.items()}
    count = Counter(name.casefold() for names in every.values() for name in set(names))
    return {i: tuple(n for n in names if count[n.casefold()] == 1) for i, names in every.items()}


def _parts(attendance: Attendance) -> dict[str, Id]:
    return {name.casefold(): i for i, names in attendance.people.items() for name in names}


def _created_names(waiting: Iterable[ProposedChange]) -> dict[str, Id]:
    return {
        name.casefold(): p.change.entity_id
        for p in waiting
        if isinstance(p.change, CreateEntity)
        for name in (p.change.name, *p.change.aliases)
    }


async def _nothing() -> list[Resolution]:
    return []
