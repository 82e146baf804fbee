"""Writes lore entries as World Info, the lorebook file of SillyTavern and its like. Pure.

`agents.importers.cards.lorebook` reads it: a lorebook written and imported says what it said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from stores.records.canon import Fact

_PATTERN: Final = re.compile(r"/(.+?)/([gimsuy]*)", re.DOTALL)
"""A key that SillyTavern takes for a regular expression."""

_SIGNS: Final = re.compile(r"[^\w\s]")


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
            "key": list(map(_write_key, lore.keys)),
            "keysecondary": list(map(_write_key, lore.secondary_keys)),
            "selective": bool(lore.secondary_keys),
            "selectiveLogic": 0,
            "content": fact.statement,
            "constant": lore.always,
            "order": lore.order,
            "disable": False,
        }
    return (json.dumps({"name": name, "entries": entries}, ensure_ascii=False, indent=2) + "\n").encode()


def _write_key(key: str) -> str:
    """Return a key; one that would be a regular expression becomes one that stands for these very characters."""
    if not _PATTERN.fullmatch(key):
        return key
    literal = _SIGNS.sub(r"\\\g<0>", key)
    return f"/{literal}/i"
