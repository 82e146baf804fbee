"""Reads which entries of a story's journal count: what was undone, with its turn or by itself, does not."""

from __future__ import annotations

from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.play import Story
from stores.records.story_journal import JournalEntry, UndoEntry, find_undone_entry_ids


async def read_story_entries(
    log: LogReader, story: Story, scene_id: Id | None = None
) -> tuple[tuple[JournalEntry, ...], tuple[JournalEntry, ...]]:
    """Return the journal entries that count, and those that were undone by themselves; of one scene, if it is given.

    Both have no turn, or one on its line. World time only rises along the line, so it gives their order,
    whichever was made first.
    """
    scene_entries = [e for e in story.entries if scene_id in (None, e.scene_id)]
    turn_ids = {entry.turn_id for entry in scene_entries if entry.turn_id}
    ids_on_line = await log.on_line(scene_id, turn_ids) if turn_ids else set()
    entries_on_line = (e for e in scene_entries if e.turn_id is None or e.turn_id in ids_on_line)
    undone_ids = find_undone_entry_ids(story.entries)
    entries = sorted(
        (e for e in entries_on_line if not isinstance(e, UndoEntry)), key=lambda entry: entry.tick
    )
    return (
        tuple(e for e in entries if e.id not in undone_ids),
        tuple(e for e in entries if e.id in undone_ids),
    )
