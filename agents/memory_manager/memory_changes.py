"""Works out which memories to write so that the turns have left exactly the extracted ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.memory_manager.memory_extraction import format_heard_turn
from agents.memory_manager.scene_stretch import SceneStretch
from stores.records.ids import Id, derive_id
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Turn

_LIVED_FIELDS: Final = (
    "text",
    "linked_fact_id",
    "valence",
    "importance",
    "source",
    "how",
    "told_by",
    "about",
)
"""The fields that come from the turn itself; the others come from recalling the memory."""


def find_changed_memories(
    new_memories: Iterable[Memory], stored_memories: Iterable[Memory], stretch: SceneStretch
) -> list[Memory]:
    """Return the memories to write so that the turns have left exactly `new_memories`.

    That is what is new or changed, with the recalls of the stored memory, and stored memories that the
    turns do not leave any more (their proposal was rejected), faded to the words that were heard. A memory
    with the same content under another identifier (a restored copy) is left alone.
    """
    stored_by_id = {m.id: m for m in stored_memories}
    stored_by_key = {_memory_key(m): m for m in stored_memories}
    kept_ids: set[Id] = set()
    changed_memories: list[Memory] = []
    for memory in new_memories:
        stored_memory = stored_by_id.get(memory.id) or stored_by_key.get(_memory_key(memory))
        if stored_memory is None:
            changed_memories.append(memory)
            continue
        kept_ids.add(stored_memory.id)
        field_values = {field: getattr(memory, field) for field in _LIVED_FIELDS}
        updated_memory = stored_memory.model_copy(
            update={**field_values, "corrects": memory.corrects or stored_memory.corrects}
        )
        if updated_memory != stored_memory:
            changed_memories.append(updated_memory)
    turns_by_id = {t.id: t for t in stretch.turns}
    for stored_memory in stored_by_id.values():
        # The GM's misremembering rests on no turn: it corrects a memory, and is mistaken.
        if (
            stored_memory.id in kept_ids
            or stored_memory.turn_id not in turns_by_id
            or is_misremembered(stored_memory)
        ):
            continue
        faded_memory = _fade_memory(stored_memory, turns_by_id[stored_memory.turn_id], stretch)
        if faded_memory != stored_memory:
            changed_memories.append(faded_memory)
    return changed_memories


def derive_misremembered_id(memory_id: Id) -> Id:
    """Return the identifier of the version of a memory that the GM had a character misremember."""
    return derive_id("memory", "misremembered", memory_id)


def is_misremembered(memory: Memory) -> bool:
    return memory.corrects is not None and memory.id == derive_misremembered_id(memory.corrects)


def _fade_memory(memory: Memory, turn: Turn, stretch: SceneStretch) -> Memory:
    heard_text = stretch.attendance.heard_texts(turn).get(memory.entity_id, "")
    text = format_heard_turn(turn, heard_text, stretch) if heard_text else ""
    field_values = {
        "text": text,
        "linked_fact_id": None,
        "importance": 0.0,
        "corrects": None,
        "told_by": None,
    }
    return memory.model_copy(update={**field_values, "how": MemoryOrigin.SAW, "source": "saw"})


def _memory_key(memory: Memory) -> tuple[object, ...]:
    return (memory.turn_id, memory.entity_id, memory.how, memory.told_by, memory.linked_fact_id, memory.text)
