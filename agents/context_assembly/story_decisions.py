"""Reads what was decided in a story and holds: marked in the prose, or entered by the player. Read-only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from agents.context_assembly.scene_context import SceneContext
from agents.story_entries import read_story_entries
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.llm import DecisionMark
from stores.records.play import Scene, Story
from stores.records.story_journal import DecisionEntry, JournalEntry


class StoryDecision(NamedTuple):
    """A decision that holds, in words; `turn_id` is None if it was made before its scene's first turn."""

    id: Id
    text: str
    scene_id: Id
    turn_id: Id | None
    at: datetime


async def read_decisions(
    log: LogReader, context: SceneContext, earlier_scenes: Sequence[Scene] | None = None
) -> tuple[StoryDecision, ...]:
    """Return the decisions of the story that hold in this scene, the oldest first. Raises StoreError."""
    if earlier_scenes is None:
        scenes = await log.scenes(context.story.id)
        earlier_scenes = [scene for scene in scenes if scene.order < context.scene.order]
    marks = await log.decision_marks(*(scene.id for scene in (*earlier_scenes, context.scene)))
    marks_on_line = (mark for mark in marks if mark.turn_id not in context.left_turn_ids)
    return find_open_decisions(context.story_entries, marks_on_line)


async def read_decisions_of_story(log: LogReader, story: Story) -> tuple[StoryDecision, ...]:
    """Return the decisions of a story that hold at its end, the oldest first. Raises StoreError."""
    marks = await log.decision_marks(*(scene.id for scene in await log.scenes(story.id)))
    entries, _ = await read_story_entries(log, story)
    return find_open_decisions(entries, marks)


def find_open_decisions(
    entries: Iterable[JournalEntry], marks: Iterable[DecisionMark]
) -> tuple[StoryDecision, ...]:
    """Return what was decided and not lifted, the oldest first; the same words count once."""
    decision_entries = [entry for entry in entries if isinstance(entry, DecisionEntry)]
    lifted_ids = {entry.decision_id for entry in decision_entries if entry.is_lifted}
    decisions = [
        *(StoryDecision(m.id, format_mark(m), m.scene_id, m.turn_id, m.at) for m in marks),
        *(StoryDecision(e.id, e.text, e.scene_id, e.turn_id, e.at) for e in decision_entries if e.text),
    ]
    decisions_by_text: dict[str, StoryDecision] = {}
    for decision in sorted(decisions, key=lambda one: (one.at, one.id)):
        if decision.id not in lifted_ids:
            decisions_by_text.setdefault(decision.text.casefold().rstrip("."), decision)
    return tuple(decisions_by_text.values())


def format_mark(mark: DecisionMark) -> str:
    """Return what a mark decides, in words."""
    return "; so: ".join(filter(None, (mark.reason, mark.impact))) or mark.text
