"""Holds what is remembered of a universe between two pieces of the Indexer's work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from stores.ports import TextItem
from stores.records.ids import Id
from stores.records.workflow import CanonizationState

_ENDED_STATES: Final = (CanonizationState.CLOSED, CanonizationState.DROPPED)


class DirtyItem(Enum):
    """Something that is to be compared with the index."""

    CANON = auto()
    COMMITS = auto()
    SOURCES = auto()
    MEMORIES = auto()


ALL_ITEMS: Final = frozenset({DirtyItem.CANON, DirtyItem.SOURCES, DirtyItem.MEMORIES})


@dataclass(slots=True)
class SyncState:
    """The state of one universe; all of it may be lost at any time."""

    dirty_items: set[DirtyItem] = field(default_factory=lambda: set(ALL_ITEMS))
    named_commit_ids: set[Id] = field(default_factory=set)
    """Commits that events named."""
    ended_commit_ids: set[Id] = field(default_factory=set)
    """Commits that were compared after they had ended."""
    has_open_commits: bool = False
    """Whether some commits had not ended."""
    names_by_id: Mapping[Id, str] | None = None
    """What everything was called when its facts were compared."""
    read_source_ids: set[Id] = field(default_factory=set)
    """Sources whose snippets were compared."""
    unread_source_ids: dict[Id, None] = field(default_factory=dict)
    """Sources whose snippets are still to be compared."""
    changed_source_ids: set[Id] = field(default_factory=set)
    """Sources that got more snippets."""
    known_snippet_ids: set[Id] | None = field(default_factory=set)
    """All snippets of sources, until the surplus ones were deleted."""
    missing_items: dict[str, dict[Id, TextItem]] = field(default_factory=dict)
    scenes_to_reconcile: dict[Id, None] = field(default_factory=dict)
    renamed_entities: dict[Id, TextItem] = field(default_factory=dict)

    @property
    def items_left(self) -> int:
        to_put = sum(len(items) for items in self.missing_items.values()) + len(self.renamed_entities)
        return (
            to_put
            + len(self.scenes_to_reconcile)
            + len(self.unread_source_ids)
            + (self.known_snippet_ids is not None)
        )

    def add_missing(self, collection: str, items: Iterable[TextItem]) -> None:
        self.missing_items.setdefault(collection, {}).update({item.id: item for item in items})

    def drop_missing(self, collection: str, ids: Iterable[Id]) -> None:
        """Forget what was missing of these items: it is compared again."""
        for id in ids:
            self.missing_items.get(collection, {}).pop(id, None)
            if collection == "entities":
                self.renamed_entities.pop(id, None)

    def find_renamed(self, names_now: Mapping[Id, str]) -> set[Id]:
        """Return which of these entities have another name now, or wait to be indexed under it."""
        names_before = self.names_by_id or {}
        return {
            id
            for id in names_now
            if names_before.get(id, names_now[id]) != names_now[id] or id in self.renamed_entities
        }

    def note_differences(
        self,
        entities: Iterable[TextItem],
        facts: Iterable[TextItem],
        last_ids: Collection[Id],
        scene_ids: list[Id],
    ) -> None:
        """Note what is to be indexed.

        The entities in `last_ids` are indexed last, after the work on the scenes.
        """
        items = {item.id: item for item in entities}
        self.add_missing("entities", (item for item in items.values() if item.id not in last_ids))
        self.add_missing("facts", facts)
        self.renamed_entities |= {id: item for id, item in items.items() if id in last_ids}
        self.scenes_to_reconcile |= dict.fromkeys(scene_ids)

    def note_commits_seen(
        self, states_by_id: Mapping[Id, CanonizationState], compared_ids: Collection[Id], named_ids: set[Id]
    ) -> None:
        """Note how far commits were before those in `compared_ids` were compared."""
        self.ended_commit_ids |= {id for id in compared_ids if states_by_id[id] in _ENDED_STATES}
        self.has_open_commits = not states_by_id.keys() <= self.ended_commit_ids
        self.named_commit_ids -= named_ids

    def drop_source(self, source_id: Id) -> None:
        snippet_items = self.missing_items.get("snippets", {})
        self.drop_missing(
            "snippets", [id for id, item in snippet_items.items() if item.scope["source"] == source_id]
        )
