"""Notes out of character: stored beside the turn they were made at, and no part of the story.

Undo removes none. No model narrates them as something that happened; a prompt has the latest of them as notes.
"""

from __future__ import annotations

from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Note

MAX_LISTED_NOTES = 40
"""Notes that a list shows, the latest ones."""


class NoteService:
    """Stores and lists notes."""

    def __init__(self, log: OrchestratorLog, ids: IdGenerator, clock: Clock) -> None:
        self._log = log
        self._ids = ids
        self._clock = clock

    async def add_note(self, scene_id: Id, text: str) -> Note:
        """Store a note at the last turn of the timeline. Raises InputError without words."""
        if not text:
            raise InputError("There is nothing to note.", todo="As in: /gm the bell must ring before dawn")
        scene = await self._log.scene(scene_id)
        note = Note(
            id=self._ids.new(),
            story_id=scene.story_id,
            scene_id=scene.id,
            turn_id=scene.head,
            text=text,
            created_at=self._clock(),
        )
        await self._log.add_note(note)
        return note

    async def list_notes(self, scene_id: Id, search: str = "") -> tuple[str, ...]:
        """Return the story's notes as lines, with where they were made; only those with `search` in them."""
        scene = await self._log.scene(scene_id)
        scenes_by_id = {s.id: s for s in await self._log.scenes(scene.story_id)}
        notes = [
            note
            for note in await self._log.notes(story_id=scene.story_id)
            if search.casefold() in note.text.casefold()
        ]
        listed_notes = notes[-MAX_LISTED_NOTES:]
        turns = await self._log.turns({note.turn_id for note in listed_notes if note.turn_id})
        lines = []
        for note in listed_notes:
            note_scene, turn = scenes_by_id[note.scene_id], turns.get(note.turn_id or "")
            place = f"{note_scene.order}.{turn.depth + 1}" if turn else f"{note_scene.order}.0"
            is_on_line = turn is None or turn.id in await self._log.on_line(note_scene.id, [turn.id])
            removed_mark = "" if is_on_line else " (turn undone)"
            lines.append(f"{place}{removed_mark}  {note.text}")
        omitted_lines = (
            [f"... and {len(notes) - len(listed_notes)} earlier ones."]
            if len(notes) > len(listed_notes)
            else []
        )
        return (*omitted_lines, *lines)
