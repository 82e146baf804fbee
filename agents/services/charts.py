"""Reads what the charts of a universe show: its story, its dice, its model and its gate. Read-only."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stores.ports import CanonReader, LogReader
from stores.queries import LlmCallQuery, ProposalQuery
from stores.records.canon import Authority
from stores.records.ids import Id
from stores.records.play import Resolution, Scene
from stores.records.story_journal import find_tension_changes

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import ChartsView

MAX_TURNS: Final = 20_000
"""Turns, the newest, whose rolls are charted."""
MAX_CALLS: Final = 500
"""Calls, the newest, whose sections are summed."""


@dataclass(frozen=True, slots=True)
class ChartReader:
    """Reads charts."""

    canon: CanonReader
    log: LogReader

    async def read_charts(self, universe_id: Id | None = None) -> ChartsView | None:
        """Return the charts of a universe, or of the one that was played last; None where there is no universe."""
        # Imported when charts are drawn: the start does without them.
        from agents.diagrams.charts import (
            make_check_chart,
            make_dice_charts,
            make_gate_charts,
            make_spending_charts,
            make_tension_chart,
        )
        from agents.diagrams.diagram_views import ChartsView, ChartTab
        from agents.diagrams.dice_fairness import measure_dice

        universes = {u.id: u for u in (await self.canon.readable_universes()).records}
        all_stories = (await self.log.readable_stories()).records
        if universe_id is None:
            played_ids = [s.universe_id for s in all_stories if s.universe_id in universes]
            universe_id = next(iter((*played_ids, *universes)), None)
        if universe_id is None:
            return None
        stories = [s for s in all_stories if s.universe_id == universe_id]
        # Of several stories the newest is charted by scene; dice, model and gate are those of all.
        story = stories[0] if stories else None
        scenes = [s for s in await self.log.scenes(story.id) if s.head] if story else []
        other_scenes = [s for other in stories[1:] for s in await self.log.scenes(other.id) if s.head]
        tension_changes = find_tension_changes(story.entries) if story else ()
        resolutions = await self._read_resolutions([*scenes, *other_scenes])
        spending = [row for row in await self.log.llm_spending() if row.universe_id == universe_id]
        calls = (
            await self.log.llm_calls(LlmCallQuery(universe_id=universe_id, last=MAX_CALLS))
            if spending
            else []
        )
        proposals = [
            p
            for p in await self.log.proposals(ProposalQuery(universe_id=universe_id))
            # What a world began with was accepted whole: it says nothing of the gate.
            if p.scene_id is not None or p.authority is not Authority.SOURCE
        ]

        def make_tabs() -> tuple[ChartTab, ...]:
            scene_ids = {scene.id for scene in scenes}
            story_charts = (
                make_tension_chart(scenes, tension_changes, story.tension if story else 0),
                make_check_chart(scenes, (r for r in resolutions if r.scene_id in scene_ids)),
            )
            return (
                ChartTab("Story", story_charts),
                ChartTab("Dice", make_dice_charts(measure_dice(resolutions))),
                ChartTab("Model", make_spending_charts(spending, calls)),
                ChartTab("Gate", make_gate_charts(scenes, proposals)),
            )

        return ChartsView(
            universes[universe_id].name, story.title if story else "", await asyncio.to_thread(make_tabs)
        )

    async def _read_resolutions(self, scenes: list[Scene]) -> list[Resolution]:
        """Return the results on the lines of the scenes."""
        resolutions: list[Resolution] = []
        turns_left = MAX_TURNS
        for scene in reversed(scenes):
            if turns_left <= 0:
                break
            turns = await self.log.line_tail(scene.id, turns_left)
            turns_left -= len(turns)
            resolutions += await self.log.resolutions([turn.id for turn in turns])
        return resolutions
