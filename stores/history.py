"""Reading and writing all of a universe at once, for archives, backups and migrations.

This is separate from the five ports, as those only show what is current and only add to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol

from stores.records.base import Record
from stores.records.canon import Appearance, Evidence, Fact, Supersession, Support
from stores.records.grid_maps import GridMapEdit
from stores.records.ids import Id
from stores.records.llm import DecisionMark, LlmCall
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.play import HeadMove, Note, Resolution, Scene, Story, Turn
from stores.records.sources import Snippet, Source, SourcePage
from stores.records.workflow import Canonization, Checkpoint, GatePolicy, ProposedChange, Ruling, Transition
from stores.records.world import Entity, SceneNode, StoryNode, Universe


class CollectionSpec(NamedTuple):
    """The record type of a collection, and the fields that identify a record."""

    record_type: type[Record]
    key_fields: tuple[str, ...] = ("id",)


RECORD_COLLECTIONS: Mapping[str, CollectionSpec] = {
    "universes": CollectionSpec(Universe),
    "entities": CollectionSpec(Entity),
    "facts": CollectionSpec(Fact),
    "evidence": CollectionSpec(Evidence),
    "supports": CollectionSpec(Support, ("subject_id", "evidence_id")),
    "supersessions": CollectionSpec(Supersession, ("newer_id", "older_id")),
    "story_nodes": CollectionSpec(StoryNode),
    "scene_nodes": CollectionSpec(SceneNode),
    "appearances": CollectionSpec(Appearance, ("entity_id", "scene_id")),
    "stories": CollectionSpec(Story),
    "scenes": CollectionSpec(Scene),
    "turns": CollectionSpec(Turn),
    "head_moves": CollectionSpec(HeadMove, ("scene_id", "seq")),
    "notes": CollectionSpec(Note),
    "decisions": CollectionSpec(DecisionMark),
    "llm_calls": CollectionSpec(LlmCall),
    "resolutions": CollectionSpec(Resolution),
    "proposed_changes": CollectionSpec(ProposedChange),
    "canonizations": CollectionSpec(Canonization),
    "rulings": CollectionSpec(Ruling),
    "policies": CollectionSpec(GatePolicy),
    "transitions": CollectionSpec(Transition, ("loop", "subject_id", "seq")),
    "checkpoints": CollectionSpec(Checkpoint, ("run_id",)),
    "memories": CollectionSpec(Memory),
    "summaries": CollectionSpec(Summary),
    "archived_logs": CollectionSpec(ArchivedLog),
    "sources": CollectionSpec(Source),
    "source_pages": CollectionSpec(SourcePage),
    "snippets": CollectionSpec(Snippet),
    "map_edits": CollectionSpec(GridMapEdit),
}
"""Every collection that is exported, in the order in which it is read and written.

The others are derived from these (`entity_names`, `involvements`, `relations`, `line`), or have no records yet
(`source_nodes`). `jobs` are not exported: each library finds out for itself what is still to be done.
"""

OPTIONAL_COLLECTIONS: Final = frozenset(
    {"policies", "notes", "decisions", "llm_calls", "archived_logs", "source_pages", "map_edits"}
)
"""Collections that were added later: older archives do not have them."""

OBJECT_COLLECTIONS: Final = ("originals", "archives")
"""Collections of objects that are exported along with the records that name them."""

CollectionRecords = tuple[str, Iterable[Record]]
"""The name of a collection in `RECORD_COLLECTIONS`, and records of it."""

NO_UNIVERSE: Id = ""
"""Stands for a universe with what belongs to none: the transitions of the Main Loop."""


class History(Protocol):
    """Reads and writes whole universes, with no role's restrictions. Raises `StoreError` and its subclasses."""

    @property
    def is_single_snapshot(self) -> bool:
        """Whether `dump_all` reads all universes as of one moment. If not, each universe is of one moment."""
        ...

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        """Call `sink` with every collection in turn, with the universe's records in the order they were made.

        All records are of one moment. `sink` is called in a thread and may block. Proposals have the status
        that is stored. Raises NotFound if there is no such universe.
        """
        ...

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        """As `dump`, for every universe, oldest first.

        And last, for `NO_UNIVERSE`, the `transitions` that belong to none. An exception of `sink` ends it.
        """
        ...

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        """Write every record of the parts, or none if anything fails (an error of the iterator included).

        The parts must be in the order of `RECORD_COLLECTIONS`, and are read in a thread. `mentioned_ids` is
        every identifier in them. If any of those exist in this store, they are returned and nothing is
        written: an import neither changes nor joins what is here.

        With `finish_partial` they may exist: an unfinished load of the same records is completed. The caller
        must know that the records that are here are the same.
        """
        ...
