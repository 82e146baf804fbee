"""The record behind canon, in views: what rests on what, how it used to be, what happened when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from agents.canon_keeper.fact_readings import OCCURRENCE_KINDS
from agents.canon_keeper.keeper import CanonKeeper
from agents.services.entity_cards import Atlas
from agents.services.manual_edits import present
from agents.views.world_views import (
    EvidenceSource,
    HistoryView,
    MomentView,
    RelationLine,
    RelationMapView,
    RetractedView,
    TimelineEvent,
)
from agents.world_time.calendar import format_tick
from agents.world_time.moments import format_record_time, read_moment, read_record_time
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    Evidence,
    EvidenceKind,
    Fact,
    FactStatus,
    MergeEntities,
    RetconFact,
    normalize_statement,
)
from stores.records.ids import Clock, Id
from stores.records.play import Resolution, Scene, Speaker, Turn
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import Calendar, Entity, EntityStatus

MOST = 500
"""Facts of a moment, or happenings, that are laid out; a search brings the others."""

EVERY = 100_000
"""Facts that are looked through."""

_TAKEN_BACK = (FactStatus.RETCONNED, EntityStatus.RETCONNED, EntityStatus.MERGED)
_SPEAKERS = {Speaker.PLAYER: "you", Speaker.GM: "the GM", Speaker.ORACLE: "dice", Speaker.SYSTEM: "MONITOR"}


class Annals:
    """See `agents.world_desk.WorldRecord`. Stateless and read-only."""

    def __init__(
        self, canon: CanonReader, log: LogReader, keeper: CanonKeeper, atlas: Atlas, clock: Clock
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._atlas = atlas
        self._clock = clock

    # --- what rests on what --------------------------------------------------------------------------

    async def basis(self, subject_id: Id) -> tuple[EvidenceSource, ...]:
        """What a fact or an entity rests on, each with where it stands and who did it when."""
        fact = (await self._canon.facts_by_id([subject_id])).get(subject_id)
        made_by = fact.proposal_id if fact else None
        evidence = await self._canon.evidence_of(subject_id)
        subject = fact or (await self._canon.entities_by_id([subject_id])).get(subject_id)
        if subject is not None and subject.status in _TAKEN_BACK:
            evidence = [*evidence, *await self._taking_back(subject)]
        return await self.places(evidence, made_by)

    async def _taking_back(self, subject: Fact | Entity) -> list[Evidence]:
        """Return the act by which something left canon; canon itself keeps only that it did."""
        done = await self._log.proposals(universe_id=subject.universe_id, statuses=[ProposalStatus.ACCEPTED])
        for proposal in reversed(done):
            change = proposal.change
            retconned = isinstance(change, RetconFact) and change.fact_id == subject.id
            if retconned or (isinstance(change, MergeEntities) and change.absorbed_id == subject.id):
                return list(proposal.evidence)
        return []

    async def places(
        self, evidence: Sequence[Evidence], made_by: Id | None = None
    ) -> tuple[EvidenceSource, ...]:
        """Return where each piece of evidence stands, and by whom it is.

        What a world began with cites its file and not the act; then the proposal `made_by` was it.
        """
        turns = await self._log.turns({e.turn_id for e in evidence if e.turn_id})
        rolls = {r.id: r for r in await self._log.resolutions(list(turns))}
        by_hand = {e.ref_id for e in evidence if e.kind is EvidenceKind.MANUAL}
        acts = await self._log.proposals_by_id({*by_hand, *filter(None, [made_by])})
        if made_by in acts:
            acts = dict.fromkeys(by_hand, acts[made_by]) | acts
        # The scene that it came up in says least: it stands last.
        ordered = sorted(evidence, key=lambda e: e.kind is EvidenceKind.SCENE)
        return tuple([await self._basis(e, turns, rolls, acts) for e in ordered])

    async def _basis(
        self,
        evidence: Evidence,
        turns: Mapping[Id, Turn],
        rolls: Mapping[Id, Resolution],
        acts: Mapping[Id, ProposedChange],
    ) -> EvidenceSource:
        turn = turns.get(evidence.turn_id or "")
        scene = await self._scene(turn.scene_id if turn else evidence.scene_id)
        place = f"scene {scene.order} “{scene.title}”" if scene else ""
        if turn is not None:
            place = f"turn {turn.depth + 1} of {place}"
        elif evidence.source_id is not None:
            place = await self.source(evidence.source_id, evidence.page)
        act = acts.get(evidence.ref_id) if evidence.kind is EvidenceKind.MANUAL else None
        return EvidenceSource(
            evidence=evidence,
            place=place,
            who=_who(evidence, turn, act),
            turn_id=turn.id if turn else scene.head if scene else None,
            resolution=rolls.get(evidence.ref_id),
            recorded=turn.created_at if turn else act.created_at if act else None,
        )

    async def _scene(self, scene_id: Id | None) -> Scene | None:
        return await self._log.scene(scene_id) if scene_id else None

    async def source(self, source_id: Id, page: int | None) -> str:
        """Return a place in a source, in words."""
        try:
            title = (await self._log.source(source_id)).title
        except NotFound:
            title = "a source that is gone"
        return title if page is None else f"{title}, page {page}"

    # --- how it used to be ---------------------------------------------------------------------------

    async def history(self, fact_id: Id) -> HistoryView:
        """How what the fact tells of used to be: every value, and what took whose place."""
        fact = await self._canon.fact(fact_id)
        universe = await self._canon.universe(fact.universe_id)
        told = await self._keeper.history.read_fact_history(fact)
        known = await self._canon.entities_by_id([i.entity_id for i in fact.involves[:1]])
        whose = next((e.name for e in known.values()), universe.name)
        about = f"{whose} · {fact.predicate.replace('_', ' ')}"
        return HistoryView(universe, about, tuple(await self._atlas.views(told, universe.calendar)))

    async def moment(self, universe_id: Id, when: str = "", known: str = "", search: str = "") -> MomentView:
        """Canon at a moment of world time (`day 3, dusk`), as it was known at one of record time
        (`2026-01-01 20:00`); "" is the present of either.
        """
        universe = await self._canon.universe(universe_id)
        calendar = universe.calendar
        moment = read_record_time(known, self._clock())
        # What was known at a moment, with no world time named, is whatever was so then.
        now = None if moment and not when.strip() else await present(self._log, universe_id)
        tick = read_moment(when, calendar, now)
        facts = await self._held(universe_id, tick, moment)
        found = [f for f in facts if _says(f, search)]
        views = await self._atlas.as_they_were(found[:MOST], calendar)
        return MomentView(
            universe,
            "" if tick is None else format_tick(calendar, tick),
            format_record_time(moment) if moment else "",
            tuple(views),
            len(facts),
        )

    async def _held(self, universe_id: Id, tick: int | None, moment: datetime | None) -> list[Fact]:
        if moment is not None:
            known = await self._keeper.history.read_facts_known_at(universe_id, moment, tick=tick)
            return [f for f in known if tick is not None or f.valid_to is None]
        if tick is None:
            return await self._canon.facts(universe_id, limit=EVERY)
        return await self._canon.facts_at(universe_id, tick, limit=EVERY)

    async def taken_back(self, universe_id: Id) -> RetractedView:
        universe = await self._canon.universe(universe_id)
        done = await self._log.proposals(universe_id=universe_id, statuses=[ProposalStatus.ACCEPTED])
        changes = [p.change for p in reversed(done)]
        gone = dict.fromkeys(
            [c.fact_id for c in changes if isinstance(c, RetconFact)]
            + [c.absorbed_id for c in changes if isinstance(c, MergeEntities)]
        )
        facts = await self._canon.facts_by_id(gone)
        entities = await self._canon.entities_by_id(gone)
        retconned = [facts[i] for i in gone if i in facts and facts[i].status is FactStatus.RETCONNED]
        return RetractedView(
            universe,
            tuple(await self._atlas.views(retconned, universe.calendar)),
            tuple(
                entities[i]
                for i in gone
                if i in entities and entities[i].status is not EntityStatus.CANONICAL
            ),
        )

    # --- views of a world ----------------------------------------------------------------------------

    async def timeline(self, universe_id: Id, search: str = "") -> tuple[TimelineEvent, ...]:
        """What happened, in the order of world time."""
        calendar = (await self._canon.universe(universe_id)).calendar
        found: list[Fact] = []
        for kind in sorted(OCCURRENCE_KINDS):
            found += await self._canon.facts(universe_id, kind=kind, limit=EVERY)
        found = [f for f in found if _says(f, search)]
        found.sort(key=lambda f: (f.valid_from is not None, f.valid_from or 0, f.recorded_at, f.id))
        views = await self._atlas.views(found[-MOST:], calendar)
        return tuple(TimelineEvent(_day(v.fact.valid_from, calendar), v) for v in views)

    async def ties(self, entity_id: Id) -> RelationMapView:
        """The relations of an entity, and those of whom they lead to."""
        root = await self._canon.entity(entity_id)
        near = await self._canon.neighbourhood([entity_id], hops=2, limit=MOST)
        known = {e.id: e for e in near.entities}
        leads: dict[Id, list[tuple[str, Id, Id]]] = {}
        for fact in near.facts:
            ends = [i.entity_id for i in fact.involves if i.entity_id in known]
            for here in ends:
                for there in ends:
                    if here != there:
                        words = fact.predicate.replace("_", " ")
                        arrow = words if fact.involves[0].entity_id == here else f"← {words}"
                        leads.setdefault(here, []).append((arrow, there, fact.id))
        return RelationMapView(root, tuple(_walk(root, leads, known)))


def _walk(
    root: Entity, leads: Mapping[Id, Sequence[tuple[str, Id, Id]]], known: Mapping[Id, Entity]
) -> Sequence[RelationLine]:
    """Return the ties of one entity, each with those of whom it leads to that lead on."""
    ties = []
    own = leads.get(root.id, ())
    for there in dict.fromkeys(other for _, other, _ in own):
        ties += [
            RelationLine(1, words, known[there], fact_id) for words, other, fact_id in own if other == there
        ]
        ties += [
            RelationLine(2, further, known[beyond], other_id)
            for further, beyond, other_id in leads.get(there, ())
            if beyond != root.id
        ]
    return ties


def _who(evidence: Evidence, turn: Turn | None, act: ProposedChange | None) -> str:
    if act is not None:
        return f"you, {format_record_time(act.created_at)}"
    if turn is None:
        return ""
    speaker = turn.name or _SPEAKERS.get(turn.speaker, turn.speaker.value)
    return f"{speaker}, {format_record_time(turn.created_at)}"


def _says(fact: Fact, search: str) -> bool:
    """Say whether all words of the search are in the fact's."""
    return all(word in fact.said for word in normalize_statement(search).split())


def _day(tick: int | None, calendar: Calendar) -> str:
    """Return the day that a happening stands under."""
    return "At no known time" if tick is None else format_tick(calendar, tick).partition(",")[0]
