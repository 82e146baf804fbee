"""The story's journal as lines beside the turns of their entries, for a story that is exported. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, assert_never

from agents.name_forms import name_at_start, name_within
from stores.records.ids import Id
from stores.records.story_journal import (
    Awareness,
    DecisionEntry,
    JournalEntry,
    PlaceEntry,
    PresenceEntry,
    TensionEntry,
    ThreadAction,
    ThreadEntry,
    TimeEntry,
)


class JournalLine(NamedTuple):
    """One line of the journal; `turn_id` is None before a scene's first turn."""

    scene_id: Id
    turn_id: Id | None
    text: str


def describe_journal_entries(entries: Iterable[JournalEntry], names: Mapping[Id, str]) -> list[JournalLine]:
    """Return lines on the journal entries that count, in their order.

    Threads opened, renamed and closed, decisions made and lifted, who came and left, where the tension went.
    `names` are those of people.
    """
    thread_names: dict[Id, str] = {}
    decisions_by_id: dict[Id, str] = {}
    presence_by_id: dict[Id, PresenceEntry] = {}
    return [
        JournalLine(entry.scene_id, entry.turn_id, text)
        for entry in entries
        for text in _describe_entry(entry, names, thread_names, decisions_by_id, presence_by_id)
    ]


def drop_taken_back_presence(
    entries: Iterable[JournalEntry], cast_ids: Mapping[Id, Collection[Id]]
) -> list[JournalEntry]:
    """Return the entries without those of who came in and was sent out again, or the reverse, with no line between.

    `cast_ids` are who was in each scene, as it began or until it ended. What a command takes back at once was no coming
    or going.
    """
    all_entries = list(entries)
    earlier_by_person: defaultdict[tuple[Id, Id], list[PresenceEntry]] = defaultdict(list)
    dropped_ids = set[Id]()
    for entry in all_entries:
        if not isinstance(entry, PresenceEntry):
            continue
        earlier_entries = earlier_by_person[entry.scene_id, entry.entity_id]
        first = earlier_entries[0] if earlier_entries else entry
        began_here = entry.entity_id in cast_ids.get(entry.scene_id, ()) and not _is_arrival(first)
        if _takes_back_last(entry, earlier_entries, began_here=began_here):
            dropped_ids |= {earlier_entries.pop().id, entry.id}
        else:
            earlier_entries.append(entry)
    return [entry for entry in all_entries if entry.id not in dropped_ids]


def find_never_there(
    entries: Iterable[JournalEntry], kept_entries: Iterable[JournalEntry]
) -> set[tuple[Id, Id]]:
    """Return the scenes and people whose only coming was taken back: `kept_entries` have none of it."""
    kept_keys = {(e.scene_id, e.entity_id) for e in kept_entries if isinstance(e, PresenceEntry)}
    first_entries: dict[tuple[Id, Id], PresenceEntry] = {}
    for entry in entries:
        if isinstance(entry, PresenceEntry):
            first_entries.setdefault((entry.scene_id, entry.entity_id), entry)
    return {key for key, first in first_entries.items() if first.here and key not in kept_keys}


def _is_arrival(first_entry: PresenceEntry) -> bool:
    """Say whether somebody's first entry in a scene brings them in; it may also put to sleep who was there."""
    is_aware = first_entry.awareness is Awareness.AWARE
    return first_entry.here and is_aware and not first_entry.is_companion


def _takes_back_last(
    entry: PresenceEntry, earlier_entries: Sequence[PresenceEntry], *, began_here: bool
) -> bool:
    """Say whether a command, and no words, makes presence what it was before the last entry, at the same line."""
    if not earlier_entries or entry.is_narrated or entry.is_left_behind:
        return False
    last = earlier_entries[-1]
    if last.is_left_behind and last.is_narrated and not entry.is_companion:
        return False  # they come to where the hero is now
    was_here = earlier_entries[-2].here if len(earlier_entries) > 1 else began_here
    is_plain = entry.awareness is last.awareness is Awareness.AWARE
    return is_plain and last.turn_id == entry.turn_id and entry.here is was_here and last.here is not was_here


def describe_presence(entry: PresenceEntry, name: str, earlier_entry: PresenceEntry | None) -> str:
    """Return in words what becomes of somebody by an entry; `earlier_entry` is the one of the scene before it."""
    name = name_at_start(name)
    if not entry.here:
        return f"{name} stays behind." if entry.is_left_behind else f"{name} leaves."
    earlier_awareness = earlier_entry.awareness if earlier_entry is not None and earlier_entry.here else None
    match entry.awareness:
        case Awareness.AWARE if earlier_awareness is Awareness.ASLEEP:
            return f"{name} wakes."
        case Awareness.AWARE if earlier_awareness is Awareness.OUT_OF_EARSHOT:
            return f"{name} is within earshot again."
        case Awareness.AWARE if earlier_awareness is Awareness.DEAD:
            return f"{name} lives."
        case Awareness.AWARE if entry.is_companion:
            return f"{name} comes along."
        case Awareness.AWARE:
            return f"{name} comes in."
        case Awareness.ASLEEP if earlier_awareness is Awareness.ASLEEP:
            return f"{name} comes along, asleep."
        case Awareness.ASLEEP:
            return f"{name} sleeps, and hears nothing."
        case Awareness.OUT_OF_EARSHOT:
            return f"{name} is out of earshot."
        case Awareness.DEAD:
            return f"{name} is dead in this scene."
        case _:
            assert_never(entry.awareness)


def _describe_entry(
    entry: JournalEntry,
    names: Mapping[Id, str],
    thread_names: dict[Id, str],
    decisions_by_id: dict[Id, str],
    presence_by_id: dict[Id, PresenceEntry],
) -> Iterator[str]:
    match entry:
        case ThreadEntry(act=ThreadAction.OPEN):
            thread_names[entry.thread_id] = entry.name
            yield f"Thread opened: {entry.name}"
        case ThreadEntry(act=ThreadAction.RENAME) if entry.thread_id in thread_names:
            yield f"Thread “{thread_names[entry.thread_id]}” is now: {entry.name}"
            thread_names[entry.thread_id] = entry.name
        case ThreadEntry(act=ThreadAction.CLOSE) if entry.thread_id in thread_names:
            outcome = f" ({entry.name})" if entry.name else ""
            yield f"Thread closed: {thread_names[entry.thread_id]}{outcome}"
        case ThreadEntry(act=ThreadAction.REOPEN) if entry.thread_id in thread_names:
            yield f"Thread opened again: {thread_names[entry.thread_id]}"
        case DecisionEntry(is_lifted=False):
            decisions_by_id[entry.decision_id] = entry.text
            yield f"Decided: {entry.text}"
        case DecisionEntry():
            yield f"No longer decided: {decisions_by_id.get(entry.decision_id, 'a decision of the narration')}"
        case PresenceEntry() if entry.entity_id in names:
            earlier_entry = presence_by_id.get(entry.entity_id)
            if earlier_entry is not None and earlier_entry.scene_id != entry.scene_id:
                earlier_entry = None
            presence_by_id[entry.entity_id] = entry
            yield describe_presence(entry, names[entry.entity_id], earlier_entry)
        case PlaceEntry() if entry.place_id in names:
            yield f"The scene goes on in {name_within(names[entry.place_id])}."
        case TimeEntry():
            yield "Time passes."
        case TensionEntry():
            yield f"Tension {entry.before} → {entry.after}" + (f": {entry.why}" if entry.why else "")
