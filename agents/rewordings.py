"""How turns read that were put in other words in place. Pure: the turns themselves are never rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stores.records.ids import Id
from stores.records.play import Turn
from stores.records.story_journal import JournalEntry, RewordingEntry, find_undone_entry_ids


def find_wordings(entries: Iterable[JournalEntry]) -> dict[Id, str]:
    """Return the words of each turn that reads otherwise than it was told: those that were typed last and stand.

    The entries are in the order of the journal, which no clock changes.
    """
    entries = tuple(entries)
    rewordings = [entry for entry in entries if isinstance(entry, RewordingEntry)]
    if not rewordings:
        return {}
    undone_ids = find_undone_entry_ids(entries)
    return {entry.turn_id: entry.text for entry in rewordings if entry.turn_id and entry.id not in undone_ids}


def reword_turns(turns: Iterable[Turn], wordings: Mapping[Id, str]) -> list[Turn]:
    """Return the turns as they read."""
    return [
        turn.model_copy(update={"text": wordings[turn.id]}) if turn.id in wordings else turn for turn in turns
    ]
