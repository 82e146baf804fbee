"""Builds a story's threads from its journal entries and its commitments.

An entry that does not apply (its thread is closed, or was never opened on this line) changes nothing, as the
command would have been refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agents.typed_text import fold_name
from stores.records.ids import Id
from stores.records.story_journal import CharacterWeightEntry, Thread, ThreadAction, ThreadEntry

MAX_WEIGHT: Final = 3
STALE_AFTER: Final = 3
"""Scenes that an open thread may go unmentioned before scene end brings it up."""
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_INSIGNIFICANT_WORDS: Final = frozenset(
    {"about", "after", "again", "before", "does", "from", "have", "into", "over", "that", "their", "them"}
    | {"then", "there", "they", "this", "what", "when", "where", "which", "while", "whom", "whose", "will"}
    | {"with", "would", "your"}
)
"""Long words that do not identify a thread."""


def build_threads(
    entries: Iterable[ThreadEntry], commitment_threads: Iterable[Thread], story_id: Id
) -> tuple[Thread, ...]:
    """Return the threads, open and closed, the oldest first.

    `entries` are those that count, in the order of the line. Of `commitment_threads` they may only change the
    weight.
    """
    threads = {thread.id: thread for thread in commitment_threads}
    for entry in entries:
        thread = threads.get(entry.thread_id)
        if thread is None:
            if entry.act is ThreadAction.OPEN and not find_open_thread(threads.values(), entry.name):
                threads[entry.thread_id] = Thread(
                    id=entry.thread_id,
                    story_id=story_id,
                    name=entry.name,
                    since=entry.tick,
                    setup_question=entry.setup_question,
                )
        elif entry.act is ThreadAction.WEIGH or thread.fact_id is None:
            threads[entry.thread_id] = _apply_entry(thread, entry, threads.values())
    return tuple(sorted(threads.values(), key=lambda t: (t.since is not None, t.since or 0)))


def _apply_entry(thread: Thread, entry: ThreadEntry, others: Iterable[Thread]) -> Thread:
    match entry.act:
        case ThreadAction.WEIGH if thread.is_open:
            return change_weight(thread, entry.by)
        case ThreadAction.CLOSE:
            return close_thread(thread, entry.tick, entry.name)
        case ThreadAction.REOPEN if not find_open_thread(others, thread.name):
            return reopen_thread(thread)
        case ThreadAction.RENAME if thread.is_open and not find_open_thread(others, entry.name):
            return thread.model_copy(update={"name": entry.name})
    return thread


def find_open_thread(threads: Iterable[Thread], name: str) -> Thread | None:
    """Return the open thread of that name that the journal opened, not one of a commitment."""
    folded_name = fold_name(name)
    return next(
        (t for t in threads if t.is_open and t.fact_id is None and fold_name(t.name) == folded_name), None
    )


def change_weight(thread: Thread, by: int) -> Thread:
    """Return the thread with `by` added to its weight, between 1 and 3."""
    return thread.model_copy(update={"weight": max(1, min(MAX_WEIGHT, thread.weight + by))})


def close_thread(thread: Thread, tick: int, outcome: str = "") -> Thread:
    """Return the thread closed at world time `tick`; one that is closed already keeps its time and outcome."""
    return thread.model_copy(update={"closed_at": tick, "outcome": outcome}) if thread.is_open else thread


def reopen_thread(thread: Thread) -> Thread:
    return thread.model_copy(update={"closed_at": None, "outcome": ""})


# --- stale threads --------------------------------------------------------------------------------------


def find_stale_threads(
    threads: Iterable[tuple[Thread, int]], min_scenes: int = STALE_AFTER
) -> tuple[Thread, ...]:
    """Return the open threads that were not mentioned for at least `min_scenes` scenes, the heaviest first.

    `threads` are pairs with the number of scenes since the thread was mentioned.
    """
    stale_pairs = [(thread, scenes) for thread, scenes in threads if thread.is_open and scenes >= min_scenes]
    return tuple(thread for thread, _ in sorted(stale_pairs, key=lambda pair: (-pair[0].weight, -pair[1])))


def is_mentioned(name: str, texts: Sequence[str]) -> bool:
    """Return whether one of the texts has two significant words of the name, or its only one."""
    name_words = _significant_words(name)
    needed_count = min(2, len(name_words))
    return bool(name_words) and any(
        len(name_words & _significant_words(text)) >= needed_count for text in texts
    )


def _significant_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _INSIGNIFICANT_WORDS


# --- people -----------------------------------------------------------------------------------------


def person_weights(entries: Iterable[CharacterWeightEntry]) -> dict[Id, int]:
    """Return the weights of people in the journal; everyone else has weight 1."""
    return {entry.entity_id: entry.weight for entry in entries}
