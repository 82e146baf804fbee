"""Puts an earlier narration in other words in place: the turns after it stand, and so does what became true."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext
from agents.events import EventBus, HeadMoved
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.undo_words import list_names
from agents.orchestrator.undone_canon import UndoneCanonService
from agents.solo.story_journal import StoryJournal
from agents.views.replies import Reply
from stores.records.play import Turn
from stores.records.story_journal import RewordingEntry


class TurnRewording:
    """Enters other words for a turn in the story's journal. The caller holds the session lock."""

    def __init__(self, journal: StoryJournal, undone_canon: UndoneCanonService, events: EventBus) -> None:
        self._journal = journal
        self._undone_canon = undone_canon
        self._events = events

    async def reword(self, context: SceneContext, turn: Turn, words: str) -> Outcome:
        """Have a turn of the line read in other words, and say what canon rests on it: that stays true."""
        stamp = self._journal.build_stamp(context)
        entry = RewordingEntry(**{**stamp, "turn_id": turn.id, "tick": turn.tick}, text=words)
        await self._journal.add_entry(context, entry)
        self._events.publish(HeadMoved(context.scene.id))  # what is shown of the line is read again
        supported_canon = await self._undone_canon.find_unsupported(context.scene, [turn])
        canon_lines = (
            (
                "What it made true stays true; R in the universe takes back what is not:",
                *list_names([record.label for record in supported_canon]),
            )
            if supported_canon
            else ()
        )
        return Outcome(
            Reply(
                "operation",
                (
                    f"Turn {turn.depth + 1} in other words; the turns after it stand. /undo brings the old words back.",
                    *canon_lines,
                ),
            )
        )
