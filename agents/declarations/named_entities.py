"""Reads the entities that typed words may name: those of the scene, and those of canon that share a word with them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, fold_name

MAX_LOOKED_UP: Final = 100
"""Entities of canon that are read because a line may name them."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_SMALL_WORDS: Final = frozenset({"the", "a", "an", "of", "and", "in", "at", "is", "de", "von", "van", "la"})


def list_scene_entities(context: SceneContext) -> list[Entity]:
    """Return the entities of the scene that were not merged into others."""
    return [entity for entity in context.entities.values() if not entity.merged_into]


async def read_named_entities(canon: CanonReader, context: SceneContext, text: str) -> list[Entity]:
    """Return the entities of the scene, and those of canon that the text may name. Raises StoreError."""
    words = _name_words(text)
    names: list[tuple[frozenset[str], Id]] = []
    for name, entity_id in await canon.names_with_words(context.universe.id, words):
        if not words.isdisjoint(name_words := _name_words(name)):
            names.append((name_words, entity_id))
    # Whole names come first, should there be too many that have a word of the line.
    names.sort(key=lambda name: not name[0] <= words)
    ids = dict.fromkeys(entity_id for _, entity_id in names)
    wanted_ids = [entity_id for entity_id in ids if entity_id not in context.entities][:MAX_LOOKED_UP]
    canon_entities = await canon.entities_by_id(wanted_ids) if wanted_ids else {}
    return [
        *list_scene_entities(context),
        *(
            entity
            for entity in canon_entities.values()
            if entity.status is EntityStatus.CANONICAL and not entity.merged_into
        ),
    ]


@lru_cache(maxsize=4_096)
def _name_words(text: str) -> frozenset[str]:
    """Return the words of a text that may be those of a name, as names are compared."""
    words = (_POSSESSIVE.sub("", word) for word in _WORD.findall(text))
    return frozenset(map(fold_name, words)) - _SMALL_WORDS
