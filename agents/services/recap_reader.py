"""Reads the recap "previously on" of a story. Read-only."""

from __future__ import annotations

from collections.abc import Sequence

from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.context_assembly.story_decisions import read_decisions
from agents.rewordings import find_wordings, reword_turns
from agents.services.recap import (
    MAX_RECAP_ITEMS,
    RecapInput,
    RecapScene,
    build_previously_lines,
    build_short_recap,
)
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.play import Scene

MAX_LAST_TURNS = 6


class RecapReader:
    """Reads recaps."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        contexts: SceneContextLoader,
        agenda_reader: StoryAgendaReader,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = contexts
        self._agenda_reader = agenda_reader

    async def read_previously_lines(self, scene_id: Id) -> tuple[str, ...]:
        """Return "previously on"; nothing for a story that has hardly begun."""
        return build_previously_lines(await self._build_recap_input(scene_id))

    async def read_short_recap(self, scene_id: Id) -> tuple[str, ...]:
        """Return a recap in two or three lines: the last change, and what is open."""
        return build_short_recap(await self._build_recap_input(scene_id))

    async def _build_recap_input(self, scene_id: Id) -> RecapInput:
        context = await self._context.load_context(scene_id)
        scenes = await self._log.scenes(context.story.id)
        played_scenes = [scene for scene in scenes if scene.head] or scenes
        hero = context.player_character()
        agenda = await self._agenda_reader.read_agenda(context)
        return RecapInput(
            calendar=context.universe.calendar,
            scenes=await self._build_recap_scenes(scenes, context.place.name if context.place else ""),
            current_tick=context.tick,
            commitments=[
                fact for fact in agenda.commitments.values() if fact.id not in agenda.payoff_proposal_ids
            ],
            threads=agenda.threads,
            clocks=agenda.clocks,
            decisions=[decision.text for decision in await read_decisions(self._log, context)],
            last_turns=reword_turns(
                await self._log.line_tail(played_scenes[-1].id, MAX_LAST_TURNS),
                find_wordings(context.story.entries),
            ),
            hero_name=hero.name if hero else "",
        )

    async def _build_recap_scenes(self, scenes: Sequence[Scene], place_name: str) -> list[RecapScene]:
        """Return the scenes, with their outcomes where a recap words them: it does not, where there is a summary."""
        recap_scenes = [RecapScene(scene) for scene in scenes]
        recap_scenes[-1:] = [RecapScene(scene, place_name=place_name) for scene in scenes[-1:]]
        worded_count = 0
        for index in range(len(scenes) - 2, -1, -1):
            scene = scenes[index]
            if worded_count == MAX_RECAP_ITEMS:
                break
            outcomes = [] if scene.summary.strip() else await self._read_outcomes(scene)
            recap_scenes[index] = RecapScene(scene, outcomes)
            worded_count += bool(outcomes or scene.summary.strip())
        return recap_scenes

    async def _read_outcomes(self, scene: Scene) -> list[Fact]:
        facts = await self._canon.facts_by_id(scene.canonical_outcomes)
        return [facts[i] for i in scene.canonical_outcomes if i in facts]
