"""Notes out of character: kept beside the turn that they were made at, and no part of the line.

Undoing takes none back, and nobody tells them.
"""

from __future__ import annotations

from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Note

LISTED = 40
"""Notes that a list shows, the latest ones."""


class Notes:
    """Stateless."""

    def __init__(self, log: OrchestratorLog, ids: IdGenerator, clock: Clock) -> None:
        self._log = log
        self._ids = ids
        self._clock = clock

    async def add(self, scene_id: Id, words: str) -> Note:
        """Keep a note where play stands. Raises InputError without words."""
        if not words:
            raise InputError("There is nothing to note.", todo="As in: /gm the bell must ring before dawn")
        scene = await self._log.scene(scene_id)
        note = Note(
            id=self._ids.new(),
            story_id=scene.story_id,
            scene_id=scene.id,
            turn_id=scene.head,
            text=words,
            created_at=self._clock(),
        )
        await self._log.add_note(note)
        return note

    async def list(self, scene_id: Id, search: str = "") -> tuple[str, ...]:
        """List the story's notes, a line each, with where they were made; those with `search` in them."""
        scene = await self._log.scene(scene_id)
        scenes = {s.id: s for s in await self._log.scenes(scene.story_id)}
        notes = [
            note
            for note in await self._log.notes(story_id=scene.story_id)
            if search.casefold() in note.text.casefold()
        ]
        shown = notes[-LISTED:]
        turns = await self._log.turns({note.turn_id for note in shown if note.turn_id})
        lines = []
        for note in shown:
            made_in, turn = scenes[note.scene_id], turns.get(note.turn_id or "")
            place = f"{made_in.order}.{turn.depth + 1}" if turn else f"{made_in.order}.0"
            standing = turn is None or turn.id in await self._log.on_line(made_in.id, [turn.id])
            gone = "" if standing else " (turn taken back)"
            lines.append(f"{place}{gone}  {note.text}")
        more = [f"... and {len(notes) - len(shown)} before these."] if len(notes) > len(shown) else []
        return (*more, *lines)
