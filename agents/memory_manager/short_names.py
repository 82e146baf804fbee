"""Reads whom texts name by a part of a name that only one person in canon has: `Marra` for Marra Sool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from agents.prose.names import names_of
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.world import ACTORS, EntityStatus, fold_name

_CAPITALISED: Final = re.compile(r"\b[^\W\d_a-z][\w-]{2,}")
_SMALL: Final = re.compile(r"\b[a-z][\w-]*")
_MAX_BEARERS: Final = 20
"""Names with a word by which nobody is looked for: more share it than a part of one person's name is shared by."""


async def read_short_names(canon: CanonReader, universe_id: Id, texts: Iterable[str]) -> dict[str, Id]:
    """Return by part of a name, in small letters, the one person in canon whom the texts may mean by it.

    A word that the texts have in small letters too is none: `Rose` beside `the sun rose`.
    """
    text = "\n".join(texts)
    words = {fold_name(word) for word in _CAPITALISED.findall(text)} - set(_SMALL.findall(text))
    if not words:
        return {}
    ids_by_word: dict[str, set[Id]] = {}
    names = await canon.names_with_words(universe_id, words)
    for name, entity_id in names:
        for word in words.intersection(name.split()):
            ids_by_word.setdefault(word, set()).add(entity_id)
    words = {word for word, ids in ids_by_word.items() if len(ids) <= _MAX_BEARERS}
    words -= {name for name, _ in names}  # somebody's whole name
    people = await canon.entities_by_id({i for word in words for i in ids_by_word[word]})
    bearers: dict[str, set[Id]] = {}
    for person in people.values():
        if person.kind not in ACTORS or person.status is not EntityStatus.CANONICAL or person.merged_into:
            continue
        for name in map(fold_name, names_of(person)):
            if name in words:
                bearers.setdefault(name, set()).add(person.id)
    return {name: next(iter(ids)) for name, ids in bearers.items() if len(ids) == 1}
