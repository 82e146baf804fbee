"""The archive's door to a store: all that is true of one universe, read in one moment, written all or not.

Beside the five ports, because those only ever show what is current and only ever add to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol

from stores.records.base import Record
from stores.records.canon import Appearance, Evidence, Fact, Supersession, Support
from stores.records.ids import Id
from stores.records.llm import DecisionMark, LlmCall
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.play import HeadMove, Note, Resolution, Scene, Story, Turn
from stores.records.sources import Snippet, Source
from stores.records.workflow import Canonization, Checkpoint, GatePolicy, ProposedChange, Ruling, Transition
from stores.records.world import Entity, SceneNode, StoryNode, Universe


class CollectionSpec(NamedTuple):
    """What one collection keeps, and the fields that tell one record of it from another."""

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
    "snippets": CollectionSpec(Snippet),
}
"""Every collection of truth that has records, in the order in which it is read and written.

What is missing is derived from these (`entity_names`, `involvements`, `relations`, `line`), or has no
record of its own yet (`source_nodes`). `jobs` stay behind: they say how far the work of this library has
come, and are found out anew where they are not.
"""

OPTIONAL_COLLECTIONS: Final = frozenset({"policies", "notes", "decisions", "llm_calls", "archived_logs"})
"""Collections that came after the first archives: one from before has no member of them."""

OBJECT_COLLECTIONS: Final = ("originals", "archives")
"""Collections of objects that records name, and that go along with them."""

CollectionRecords = tuple[str, Iterable[Record]]
"""A collection of `HISTORY` and records of it."""

NO_UNIVERSE: Id = ""
"""Stands where a universe would: for what belongs to none of them, the moves of the Main Loop."""


class History(Protocol):
    """Held to no role: for export, backup and their way back. Errors: `stores.errors.StoreError` and kinds.

    `one_moment`: `dump_all` shows everything as it stood at one moment. Where it is false, that holds for
    each universe by itself.
    """

    @property
    def is_single_snapshot(self) -> bool: ...

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        """Hand every collection of `HISTORY` in turn to `sink`, with the universe's records in the order
        they were made; all of one moment. `sink` is called in a thread and may block. Proposals come
        with the status that is stored. Raises NotFound if there is no such universe."""
        ...

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        """As `dump`, for every universe, oldest first; and last, under `LIBRARY`, the `transitions` that
        are of no universe. What `sink` raises ends it."""
        ...

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        """Write every record of the parts, or none of them if anything fails (an error of the iterator
        included); the parts come in the order of `HISTORY`, and are read in a thread.

        `naming` is every identifier that occurs in them. Those that mean something in this store already
        are returned, and then nothing is written: an import can neither change nor join what is here.

        With `finish` they may be here: what an earlier load of the same records left half done is made
        whole. The caller knows that all that is here of them is the same."""
        ...
