"""Writes people and beasts as stat blocks that Obsidian's Fantasy Statblocks plugin imports (JSON). Pure.

Sources: the plugin's documentation, https://plugins.javalent.com/statblocks, and its own code: the "generic" importer
of https://github.com/javalent/fantasy-statblocks/blob/main/src/importers/importer.worker.ts (a list of objects with a
name) and `Monster` of its index.ts (the fields of one).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agents.exports.world_values import ExportedEntity
from agents.typed_numbers import number_label
from agents.typed_text import fold_name
from stores.records.world import ACTORS, Number

_SCORES: Final = (
    ("str", "strength"),
    ("dex", "dexterity"),
    ("con", "constitution"),
    ("int", "intelligence"),
    ("wis", "wisdom"),
    ("cha", "charisma"),
)
_HIT_POINTS: Final = ("max_hp", "hp")
_ARMOUR: Final = ("ac", "armour", "armor")


def write_statblocks(world_name: str, entities: Iterable[ExportedEntity]) -> bytes:
    """Return a bestiary: a list of stat blocks, one for each character and creature, by name.

    The plugin keeps one creature for a name, so of several with one name the later ones get a number.
    """
    actors = sorted((e for e in entities if e.entity.kind in ACTORS), key=lambda e: fold_name(e.entity.name))
    names = _number_repeated_names([actor.entity.name for actor in actors])
    blocks = [_build_block(world_name, name, actor) for name, actor in zip(names, actors, strict=True)]
    return (json.dumps(blocks, ensure_ascii=False, indent=2) + "\n").encode()


def _number_repeated_names(names: Sequence[str]) -> list[str]:
    """Return the names, each once: `Bela`, `Bela (2)`, `Bela (3)`."""
    taken = set(names)
    unique_names: list[str] = []
    seen: set[str] = set()
    for name in names:
        number, unique_name = 1, name
        while unique_name in seen or (number > 1 and unique_name in taken):
            number += 1
            unique_name = f"{name} ({number})"
        seen.add(unique_name)
        unique_names.append(unique_name)
    return unique_names


def _build_block(world_name: str, name: str, exported: ExportedEntity) -> dict[str, object]:
    entity = exported.entity
    numbers = {fold_name(key): value for key, value in entity.numbers.items()}
    block: dict[str, object] = {
        "name": name,
        "type": entity.kind.value,
        "subtype": exported.status,
        "source": world_name,
    }
    if (hit_points := _take_first(numbers, _HIT_POINTS)) is not None:
        block["hp"] = hit_points
    if (armour := _take_first(numbers, _ARMOUR)) is not None:
        block["ac"] = armour
    scores = [_take_first(numbers, names) for names in _SCORES]
    if all(score is not None for score in scores):
        block["stats"] = scores
    used = {*_HIT_POINTS, *_ARMOUR, *(name for names in _SCORES for name in names if "stats" in block)}
    other_numbers = [
        f"{number_label(k)} {v:g}" for k, v in entity.numbers.items() if fold_name(k) not in used
    ]
    traits = (
        ("Description", entity.description),
        ("Numbers", ", ".join(other_numbers)),
        ("Tags", ", ".join(entity.tags)),
        *(("Canon", view.fact.statement) for view in exported.card.facts),
    )
    block["traits"] = [{"name": name, "desc": text} for name, text in traits if text.strip()]
    return block


def _take_first(numbers: Mapping[str, Number], names: Iterable[str]) -> Number | None:
    return next((numbers[name] for name in names if name in numbers), None)
