"""Checks that the records of an archive agree with each other: one universe, one tree per scene, no missing records.

That the archive names nothing of another campaign is checked by the store, from the identifiers that are
collected here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from stores.archive_file import campaign_archive_error
from stores.errors import ArchiveError
from stores.history import RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.canon import Fact, Support
from stores.records.ids import Id
from stores.records.llm import MAX_CALL_MICROS, MAX_CALL_TOKENS, LlmCall
from stores.records.memory import ArchivedLog
from stores.records.play import HeadMove, Scene, Story, Turn
from stores.records.sources import Source
from stores.records.workflow import Checkpoint, ProposalStatus, ProposedChange, Transition
from stores.records.world import Entity, Universe

_ID_PATTERN = re.compile(r'"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"')

_REQUIRED_REFERENCES = {
    "supports": (("evidence_id", "evidence"),),
    "supersessions": (("newer_id", "facts"), ("older_id", "facts")),
    "scenes": (("story_id", "stories"),),
    "turns": (("scene_id", "scenes"),),
    "head_moves": (("scene_id", "scenes"),),
    "notes": (("story_id", "stories"), ("scene_id", "scenes")),
    "decisions": (("scene_id", "scenes"),),
    "archived_logs": (("scene_id", "scenes"), ("story_id", "stories")),
}
"""Fields whose records must exist before a store writes these. Other references may point at later records, as a
stored result does at the turn that will show it."""

_SUBJECT_COLLECTIONS = ("universes", "stories", "scenes", "turns", "checkpoints")
"""Collections that transitions may belong to."""


MAX_TEXT = 1_000_000
"""Characters of a text in an archive: fifty of the longest typed lines."""

MAX_NAME_TEXT = 1_000
"""Characters of a name or title in an archive; typed ones have at most 120."""

MAX_ALIASES = 1_000
"""Other names of one entity in an archive."""


class ArchiveReferences(NamedTuple):
    """Every identifier in the records, in whatever field, and the objects that they name, by collection and key."""

    mentioned_ids: set[Id]
    object_references: set[tuple[str, str]]


ArchiveErrorFactory = Callable[[str], ArchiveError]
"""Builds the error that says what is wrong with a file."""


def find_object_references(record: Record) -> list[tuple[str, str]]:
    """Return the collections and keys of the objects that a record names."""
    match record:
        case Source():
            return [("originals", key) for key in (*record.earlier_object_keys, record.object_key) if key]
        case ArchivedLog():
            return [("archives", record.object_key)]
    return []


def check_records(
    parts: Iterable[CollectionRecords],
    universe_id: Id,
    make_error: ArchiveErrorFactory = campaign_archive_error,
    *,
    by_others: bool = False,
) -> ArchiveReferences:
    """Read every record once. Raises `make_error(...)` if they are not one whole campaign.

    With `by_others`, records that this program never writes are refused as well. A backup of one's own is not
    checked so: it is restored with the faults that the library had.
    """
    checker = _RecordChecker(universe_id, make_error)
    for collection, records in parts:
        for record in records:
            checker.add_record(collection, record)
    checker.check_complete()
    if by_others:
        checker.check_plausible()
    return ArchiveReferences(checker.mentioned_ids, checker.object_references)


class _RecordChecker:
    def __init__(self, universe_id: Id, make_error: ArchiveErrorFactory) -> None:
        self._make_error = make_error
        self.mentioned_ids: set[Id] = set()
        self.object_references: set[tuple[str, str]] = set()
        self._universe_id = universe_id
        self._record_keys: dict[str, set[tuple[str | int, ...]]] = {
            collection: set() for collection in RECORD_COLLECTIONS
        }
        self._turn_positions: dict[Id, tuple[Id, int]] = {}
        self._head_turn_ids: dict[Id, Id] = {}
        self._transition_subject_ids: set[Id] = set()
        self._unsupported_fact_ids: set[Id] = set()
        self._last_head_moves: dict[Id, HeadMove] = {}
        self._absurd_call_ids: set[Id] = set()
        self._oversized: list[str] = []

    def add_record(self, collection: str, record: Record) -> None:
        """Add one record; references to later records are checked at the end."""
        key = tuple(getattr(record, name) for name in RECORD_COLLECTIONS[collection].key_fields)
        if key in self._record_keys[collection]:
            raise self._make_error(f"{collection}.jsonl has the same record twice.")
        self._record_keys[collection].add(key)
        self.mentioned_ids.update(part for part in key if isinstance(part, str))
        body = record.model_dump_json()
        self.mentioned_ids.update(_ID_PATTERN.findall(body))
        if getattr(record, "universe_id", self._universe_id) != self._universe_id:
            raise self._make_error(f"A record in {collection}.jsonl belongs to another universe.")
        for field, target in _REQUIRED_REFERENCES.get(collection, ()):
            self._require_record(target, getattr(record, field))
        self._oversized += _find_oversized(record)
        if len(body) > MAX_TEXT and not isinstance(
            record, LlmCall | Checkpoint
        ):  # a call has its whole prompt
            self._oversized += _find_long_texts(record.model_dump())
        match record:
            case Turn():
                self._check_turn(record)
            case Scene() if record.head:
                self._head_turn_ids[record.id] = record.head
            case HeadMove():
                last_move = self._last_head_moves.get(record.scene_id)
                if last_move is None or last_move.seq < record.seq:
                    self._last_head_moves[record.scene_id] = record
            case Fact():
                self._unsupported_fact_ids.add(record.id)
            case Support():
                self._unsupported_fact_ids.discard(record.subject_id)
            case LlmCall() if (
                max(record.tokens_in, record.tokens_out, record.tokens_cached) > MAX_CALL_TOKENS
                or record.cost.micros > MAX_CALL_MICROS
            ):
                self._absurd_call_ids.add(record.id)
            case Transition():
                self._transition_subject_ids.add(record.subject_id)
            case ProposedChange(status=ProposalStatus.WITHDRAWN):
                raise self._make_error("A proposal has a status that is never stored.")
            case _:
                self.object_references.update(find_object_references(record))

    def check_complete(self) -> None:
        if self._record_keys["universes"] != {(self._universe_id,)}:
            raise self._make_error("It does not hold the one universe that its manifest names.")
        for scene_id, head in self._head_turn_ids.items():
            if head not in self._turn_positions or self._turn_positions[head][0] != scene_id:
                raise self._make_error("A scene stands on a turn that it does not have.")
        for subject_id in self._transition_subject_ids:
            if not any((subject_id,) in self._record_keys[collection] for collection in _SUBJECT_COLLECTIONS):
                raise self._make_error("A transition is of something that the campaign does not have.")

    def check_plausible(self) -> None:
        """Raise for records that are consistent but that this program never writes."""
        if self._unsupported_fact_ids:
            raise self._make_error("A fact has no evidence.")
        for scene_id, head in self._head_turn_ids.items():
            last_move = self._last_head_moves.get(scene_id)
            if last_move is None or last_move.to_turn != head:
                raise self._make_error("A scene stands where nothing moved it to.")
        if self._oversized:
            raise self._make_error(self._oversized[0])
        if self._absurd_call_ids:
            raise self._make_error("A call of a model has tokens or a cost that no call can have.")

    def _require_record(self, collection: str, id: Id) -> None:
        if (id,) not in self._record_keys[collection]:
            raise self._make_error(f"Something that it names is not in its {collection}.jsonl.")

    def _check_turn(self, turn: Turn) -> None:
        """Check that a turn comes after its parent, in the same scene and one deeper, so that there are no cycles."""
        parent_position = (
            (turn.scene_id, -1) if turn.parent_id is None else self._turn_positions.get(turn.parent_id)
        )
        if parent_position != (turn.scene_id, turn.depth - 1):
            raise self._make_error("A turn does not fit the one before it.")
        self._turn_positions[turn.id] = (turn.scene_id, turn.depth)


def _find_oversized(record: Record) -> Iterator[str]:
    """Say what of a record is longer than anything that is typed, told or imported."""
    match record:
        case Entity():
            longest = max(len(name) for name in (record.name, *record.aliases))
            if longest > MAX_NAME_TEXT:
                yield f"A name has {longest:,} characters; {MAX_NAME_TEXT:,} are the most."
            if len(record.aliases) > MAX_ALIASES:
                yield f"One name has {len(record.aliases):,} other names; {MAX_ALIASES:,} are the most."
        case Universe() if len(record.name) > MAX_NAME_TEXT:
            yield f"A name has {len(record.name):,} characters; {MAX_NAME_TEXT:,} are the most."
        case Story() | Scene() if len(record.title) > MAX_NAME_TEXT:
            yield f"A title has {len(record.title):,} characters; {MAX_NAME_TEXT:,} are the most."


def _find_long_texts(value: object) -> Iterator[str]:
    """Say which texts of a record's fields are too long, however deep they stand."""
    match value:
        case str() if len(value) > MAX_TEXT:
            yield f"A text has {len(value):,} characters; {MAX_TEXT:,} are the most."
        case dict():
            for field in value.values():
                yield from _find_long_texts(field)
        case list() | tuple():
            for item in value:
                yield from _find_long_texts(item)
