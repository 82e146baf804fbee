"""Writes lore entries as World Info, the lorebook file of SillyTavern and its like. Pure.

`agents.importers.cards.lorebook` reads it: a lorebook written and imported says what it said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from stores.records.canon import Fact


def write_lorebook(name: str, facts: Iterable[Fact]) -> bytes:
    """Return the lorebook of those facts that are lore entries, in their order."""
    entries: dict[str, dict[str, object]] = {}
    for fact in facts:
        if (lore := fact.lore) is None:
            continue
        uid = len(entries)
        entries[str(uid)] = {
            "uid": uid,
            "comment": lore.title,
            "key": list(lore.keys),
            "keysecondary": list(lore.secondary_keys),
            "selective": bool(lore.secondary_keys),
            "selectiveLogic": 0,
            "content": fact.statement,
            "constant": lore.always,
            "order": lore.order,
            "disable": False,
        }
    return (json.dumps({"name": name, "entries": entries}, ensure_ascii=False, indent=2) + "\n").encode()
