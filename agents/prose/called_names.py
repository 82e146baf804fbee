"""Finds whom a name means that is typed or stands in prose, for gifts, the cast and commands alike. Pure.

Somebody is meant by the whole name or an alias, by a part of it (`Isolde`, `Marr`), and by a title with a part
(`Lady Marr` for Lady Isolde Marr), which need not be the title that the name has (`Captain Vale` for Corrin Vale).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.prose.mentions import is_of_other_sex
from agents.prose.names import names_of
from agents.prose.titles import TITLES
from stores.records.world import ACTORS, Entity, fold_name


def find_called(name: str, entities: Sequence[Entity]) -> list[Entity]:
    """Return the entities that prose may call so, with or without an article; by a title of another only if none is."""
    folded_name = _fold_without_article(name)
    called = [e for e in entities if folded_name in map(_fold_without_article, names_of(e))]
    return called or _find_by_other_title(name, entities)


def _find_by_other_title(name: str, entities: Iterable[Entity]) -> list[Entity]:
    title, _, rest = name.partition(" ")
    if not rest or title.rstrip(".").casefold() not in TITLES:
        return []
    folded_rest = fold_name(rest)
    return [
        e
        for e in entities
        if e.kind in ACTORS
        and not _has_title(e.name)
        and not is_of_other_sex(title, (e.name,))
        and folded_rest in map(fold_name, names_of(e))
    ]


def _has_title(name: str) -> bool:
    return name.partition(" ")[0].rstrip(".").casefold() in TITLES


def _fold_without_article(name: str) -> str:
    return fold_name(name).removeprefix("the ")
