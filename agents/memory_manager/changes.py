"""What is to be written so that turns have left just these memories, beside what is known already. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.memory_manager.lived import Lived
from agents.memory_manager.memories import as_heard
from stores.records.ids import Id, derived
from stores.records.memory import How, Memory
from stores.records.play import Turn

_LIVED: Final = ("text", "linked_fact_id", "valence", "importance", "source", "how", "told_by", "about")
"""What the turn itself says of a memory; the rest is how it was recalled."""


def changes(made: Iterable[Memory], there: Iterable[Memory], lived: Lived) -> list[Memory]:
    """Return what is to be written so that the turns have left just `made`: what is new or has changed, with
    what is known of its recall; and what they do not leave any more (it was decided not to be so), faded to
    the words that were heard. What is there under another identifier (a restored copy) is left."""
    before = {m.id: m for m in there}
    same = {_key(m): m for m in there}
    kept: set[Id] = set()
    changed: list[Memory] = []
    for memory in made:
        old = before.get(memory.id) or same.get(_key(memory))
        if old is None:
            changed.append(memory)
            continue
        kept.add(old.id)
        update = {field: getattr(memory, field) for field in _LIVED}
        new = old.model_copy(update={**update, "corrects": memory.corrects or old.corrects})
        if new != old:
            changed.append(new)
    turns = {t.id: t for t in lived.turns}
    for old in before.values():
        # A GM's misremembering stands on no turn's own account: it corrects a memory, and is mistaken.
        if old.id in kept or old.turn_id not in turns or is_by_hand(old):
            continue
        faded = _faded(old, turns[old.turn_id], lived)
        if faded != old:
            changed.append(faded)
    return changed


def misremembered_id(memory_id: Id) -> Id:
    """Return the identifier of how the GM has a memory misremembered."""
    return derived("memory", "misremembered", memory_id)


def is_by_hand(memory: Memory) -> bool:
    return memory.corrects is not None and memory.id == misremembered_id(memory.corrects)


def _faded(memory: Memory, turn: Turn, lived: Lived) -> Memory:
    words = lived.attendance.heard(turn).get(memory.entity_id, "")
    hero = lived.names.get(lived.attendance.pc_id or "", "")
    text = as_heard(turn, words, hero) if words else ""
    update = {"text": text, "linked_fact_id": None, "importance": 0.0, "corrects": None, "told_by": None}
    return memory.model_copy(update={**update, "how": How.SAW, "source": "saw"})


def _key(memory: Memory) -> tuple[object, ...]:
    return (memory.turn_id, memory.entity_id, memory.how, memory.told_by, memory.linked_fact_id, memory.text)
