"""A story read back: "previously on", and the whole of it to write out. Read-only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from agents.canon_keeper.fact_readings import is_in_force
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.services.entity_cards import Atlas
from agents.services.recap import RecapScene, StorySoFar, in_short, previously_on
from agents.services.story_export import ScenePart, StoryRecord
from agents.services.transcript_rows import TranscriptReader
from agents.solo.journal_lines import BookLine, book_lines
from agents.views.play_views import TurnView
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.play import Scene, Speaker
from stores.records.story_journal import PresenceEntry

LAST_TURNS = 6


class Chronicle:
    """Reads stories back. Stateless."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        context: SceneContextLoader,
        agendas: StoryAgendaReader,
        atlas: Atlas,
        transcript: TranscriptReader,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._agendas = agendas
        self._atlas = atlas
        self._transcript = transcript

    async def recap(self, scene_id: Id) -> tuple[str, ...]:
        """Return "previously on", as the record has it; nothing for a story that has hardly begun."""
        return previously_on(await self._so_far(scene_id))

    async def in_short(self, scene_id: Id) -> tuple[str, ...]:
        """Return the same in two lines or three: what came last, and what is open."""
        return in_short(await self._so_far(scene_id))

    async def _so_far(self, scene_id: Id) -> StorySoFar:
        context = await self._context.load_context(scene_id)
        scenes = await self._log.scenes(context.story.id)
        played = [scene for scene in scenes if scene.head] or scenes
        hero = context.player_character()
        agenda = await self._agendas.read_agenda(context)
        return StorySoFar(
            calendar=context.universe.calendar,
            scenes=[RecapScene(s, await self._outcomes(s)) for s in scenes],
            now=context.tick,
            commitments=[
                fact for fact in agenda.commitments.values() if fact.id not in agenda.payoff_proposal_ids
            ],
            threads=agenda.threads,
            clocks=agenda.clocks,
            last=await self._log.line_tail(played[-1].id, LAST_TURNS),
            hero=hero.name if hero else "",
        )

    async def story(self, story_id: Id) -> StoryRecord:
        """Return everything that a written-out story tells."""
        story = await self._log.story(story_id)
        universe = await self._canon.universe(story.universe_id)
        scenes = await self._log.scenes(story_id)
        places = await self._canon.entities_by_id([s.place_id for s in scenes if s.place_id])
        hero = (await self._canon.entities_by_id([story.pc_id])).get(story.pc_id) if story.pc_id else None
        notes = await self._log.notes(story_id=story_id)
        kept: defaultdict[Id, list[str]] = defaultdict(list)
        for line in await self._kept(scenes):
            kept[line.turn_id or line.scene_id].append(line.words)
        parts = []
        for scene in scenes:
            rows = [
                replace(row, notes=(*row.notes, *kept[row.turn.id]))
                for row in await self._transcript.read_rows(
                    scene.id, 0, await self._log.line_length(scene.id)
                )
            ]
            shown, own = {row.turn.id for row in rows}, [n for n in notes if n.scene_id == scene.id]
            parts.append(
                ScenePart(
                    scene,
                    rows,
                    format_tick(universe.calendar, _begins(scene, rows)),
                    places[scene.place_id].name if scene.place_id in places else "",
                    notes=[*(n.text for n in own if n.turn_id is None), *kept[scene.id]],
                    left=[n.text for n in own if n.turn_id and n.turn_id not in shown],
                )
            )
        return StoryRecord(
            story=story,
            scenes=parts,
            facts=await self._atlas.views(await self._made(parts), universe.calendar),
            universe=universe.name,
            hero=hero.name if hero else "",
        )

    async def _made(self, parts: Sequence[ScenePart]) -> list[Fact]:
        """Return what the scenes made true: what their commits wrote, and all else that rests on what was
        said in them (by a ruling, or accepted long after); not what was retconned, nor what a correction or
        a merge left nothing of."""
        turns = [row.turn.id for part in parts for row in part.rows]
        written = dict.fromkeys(fact_id for part in parts for fact_id in part.scene.canonical_outcomes)
        resting = {subject for _, subject in await self._canon.supported_by(turns)}
        facts = await self._canon.facts_by_id({*written, *resting})
        later = sorted(facts.keys() - written.keys(), key=lambda i: (facts[i].recorded_at, facts[i].said, i))
        return [facts[i] for i in (*written, *later) if i in facts and is_in_force(facts[i])]

    async def _kept(self, scenes: Sequence[Scene]) -> list[BookLine]:
        """Return what counts of the story's books, in words."""
        if not scenes:
            return []
        entries = (await self._context.load_context(scenes[-1].id)).story_entries
        people = {entry.entity_id for entry in entries if isinstance(entry, PresenceEntry)}
        names = {i: entity.name for i, entity in (await self._canon.entities_by_id(people)).items()}
        return book_lines(entries, names)

    async def _outcomes(self, scene: Scene) -> list[Fact]:
        facts = await self._canon.facts_by_id(scene.canonical_outcomes)
        return [facts[i] for i in scene.canonical_outcomes if i in facts]


def _begins(scene: Scene, rows: Sequence[TurnView]) -> int:
    """Return the tick at which something is said first: a scene often opens with time that passes."""
    return next((row.turn.tick for row in rows if row.turn.speaker is not Speaker.SYSTEM), scene.tick)
