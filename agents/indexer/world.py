"""What is remembered of a universe between two pieces of the Indexer's work. Nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from stores.ports import TextItem
from stores.records.ids import Id
from stores.records.ledger import CanonizationState

_ENDED: Final = (CanonizationState.CLOSED, CanonizationState.DROPPED)


class Look(Enum):
    """What is to be compared."""

    CANON = auto()
    COMMITS = auto()
    SOURCES = auto()
    MEMORIES = auto()


ALL: Final = frozenset({Look.CANON, Look.SOURCES, Look.MEMORIES})


@dataclass(slots=True)
class World:
    """All of it may be lost at any time.

    `told` are commits that events named, `ended` those that were gone through when nothing more was to come
    of them, `open` says that some were not; `names` is what everything was called when its facts were
    compared. `read` are the sources whose snippets were compared, `unread` those to come, `came` those that
    more came of; `known` are all snippets of sources, until what is none of them was taken out. `missing` is
    what is to be put, by collection, `scenes` are looked at again behind that, and `renamed` are entities
    that are put last.
    """

    look: set[Look] = field(default_factory=lambda: set(ALL))
    told: set[Id] = field(default_factory=set)
    ended: set[Id] = field(default_factory=set)
    open: bool = False
    names: Mapping[Id, str] | None = None
    read: set[Id] = field(default_factory=set)
    unread: dict[Id, None] = field(default_factory=dict)
    came: set[Id] = field(default_factory=set)
    known: set[Id] | None = field(default_factory=set)
    missing: dict[str, dict[Id, TextItem]] = field(default_factory=dict)
    scenes: dict[Id, None] = field(default_factory=dict)
    renamed: dict[Id, TextItem] = field(default_factory=dict)

    @property
    def left(self) -> int:
        to_put = sum(len(items) for items in self.missing.values()) + len(self.renamed)
        return to_put + len(self.scenes) + len(self.unread) + (self.known is not None)

    def want(self, collection: str, items: Iterable[TextItem]) -> None:
        self.missing.setdefault(collection, {}).update({item.id: item for item in items})

    def drop(self, collection: str, ids: Iterable[Id]) -> None:
        """What was missing of these is known anew."""
        for id in ids:
            self.missing.get(collection, {}).pop(id, None)
            if collection == "entities":
                self.renamed.pop(id, None)

    def called_otherwise(self, called: Mapping[Id, str]) -> set[Id]:
        """Return which of these have another name now than they had, or wait to be put under it."""
        before = self.names or {}
        return {id for id in called if before.get(id, called[id]) != called[id] or id in self.renamed}

    def found(
        self, entities: Iterable[TextItem], facts: Iterable[TextItem], last: Collection[Id], scenes: list[Id]
    ) -> None:
        """Note what is to be put, and which of the entities are put `last`, behind what is to be done about
        the `scenes`."""
        items = {item.id: item for item in entities}
        self.want("entities", (item for item in items.values() if item.id not in last))
        self.want("facts", facts)
        self.renamed |= {id: item for id, item in items.items() if id in last}
        self.scenes |= dict.fromkeys(scenes)

    def seen(
        self, states: Mapping[Id, CanonizationState], gone_through: Collection[Id], told: set[Id]
    ) -> None:
        """Note how far commits were before those `gone_through` were compared."""
        self.ended |= {id for id in gone_through if states[id] in _ENDED}
        self.open = not states.keys() <= self.ended
        self.told -= told

    def drop_source(self, source_id: Id) -> None:
        held = self.missing.get("snippets", {})
        self.drop("snippets", [id for id, item in held.items() if item.scope["source"] == source_id])
