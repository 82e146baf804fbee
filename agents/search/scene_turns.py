"""Finds the turns of the scenes that a question means by their titles or summaries. Read-only.

`What happened at the Lantern Fair?` shares no word with most turns of the scene of that title.
"""

from __future__ import annotations

from asyncio import gather
from dataclasses import dataclass
from typing import Final

from agents.search.question_cues import QuestionCues, content_stems, measure_coverage
from agents.search.search_port import SearchScope
from stores.ports import LogReader, TextIndex
from stores.records.ids import Id

MAX_SCENES_MEANT: Final = 3
MAX_TURNS_PER_SCENE: Final = 30
"""Turns that are read of a scene, the last of its line."""
MIN_SHARE: Final = 0.5
"""A scene is meant by a question more than so much of which its title and summary say."""


@dataclass(frozen=True, slots=True)
class SceneTurnFinder:
    """Finds turns by the scenes that they stand in."""

    log: LogReader
    index: TextIndex

    async def find_turns(
        self, question: str, cues: QuestionCues, search_scope: SearchScope
    ) -> dict[Id, float]:
        """Return turns of the scenes that the question means, each with the share of it that its scene says.

        Raises StoreError.
        """
        if search_scope.scene_id or not cues.is_question or not cues.stems:
            return {}
        scope = {"universe": search_scope.universe_id}
        scope |= {"story": search_scope.story_id} if search_scope.story_id else {}
        hits = await self.index.search("scenes", question, k=MAX_SCENES_MEANT, scope=scope)
        scenes = await self.log.scenes_by_id([hit.id for hit in hits]) if hits else {}
        shares = {
            scene.id: measure_coverage(cues.stems, content_stems(f"{scene.title} {scene.summary}"), {})
            for scene in scenes.values()
        }
        meant_ids = [scene_id for scene_id, share in shares.items() if share > MIN_SHARE]
        lines = await gather(*(self._read_last_turns(scene_id) for scene_id in meant_ids))
        return {
            turn_id: shares[scene_id]
            for scene_id, turn_ids in zip(meant_ids, lines, strict=True)
            for turn_id in turn_ids
        }

    async def _read_last_turns(self, scene_id: Id) -> list[Id]:
        length = await self.log.line_length(scene_id)
        first = max(0, length - MAX_TURNS_PER_SCENE)
        return [turn.id for turn in await self.log.line_slice(scene_id, first, MAX_TURNS_PER_SCENE)]
