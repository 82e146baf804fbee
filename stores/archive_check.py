"""Whether the records of an archive agree with each other: one universe, one tree a scene, no loose ends.

What cannot be seen from within the archive (that it names nothing of another campaign) is the store's to
check, from the identifiers that are gathered here. Source: design/authority.md ("Security").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from stores.archive_file import not_ours
from stores.errors import ArchiveError
from stores.history import HISTORY, Part
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus, ProposedChange, Transition
from stores.records.memory import ArchivedLog
from stores.records.play import Scene, Turn
from stores.records.sources import Source

_ID = re.compile(r'"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"')

_NEEDS = {
    "supports": (("evidence_id", "evidence"),),
    "supersessions": (("newer_id", "facts"), ("older_id", "facts")),
    "scenes": (("story_id", "stories"),),
    "turns": (("scene_id", "scenes"),),
    "head_moves": (("scene_id", "scenes"),),
    "notes": (("story_id", "stories"), ("scene_id", "scenes")),
    "decisions": (("scene_id", "scenes"),),
    "archived_logs": (("scene_id", "scenes"), ("story_id", "stories")),
}
"""What a store needs to be there before it writes these. All else may point at what is still to come, as
a sealed result does at the turn that will show it."""

_SUBJECTS = ("universes", "stories", "scenes", "turns", "checkpoints")
"""What a transition may be of."""


class Contents(NamedTuple):
    """Every identifier that the records hold, in whatever field, and the objects that they ask for, each by
    collection and key."""

    naming: set[Id]
    objects: set[tuple[str, str]]


Refuse = Callable[[str], ArchiveError]
"""Makes the error that says what is wrong with a file."""


def object_of(record: Record) -> tuple[str, str] | None:
    """Return the collection and key of the object that a record names, if it names one."""
    match record:
        case Source() if record.object_key:
            return "originals", record.object_key
        case ArchivedLog():
            return "archives", record.object_key
    return None


def check(parts: Iterable[Part], universe_id: Id, refuse: Refuse = not_ours) -> Contents:
    """Read every record once. Raises what `refuse` makes if they do not make one whole campaign."""
    checker = _Checker(universe_id, refuse)
    for collection, records in parts:
        for record in records:
            checker.take(collection, record)
    checker.finish()
    return Contents(checker.naming, checker.objects)


class _Checker:
    def __init__(self, universe_id: Id, refuse: Refuse) -> None:
        self._refuse = refuse
        self.naming: set[Id] = set()
        self.objects: set[tuple[str, str]] = set()
        self._universe_id = universe_id
        self._keys: dict[str, set[tuple[str | int, ...]]] = {collection: set() for collection in HISTORY}
        self._turns: dict[Id, tuple[Id, int]] = {}
        self._heads: dict[Id, Id] = {}
        self._subjects: set[Id] = set()

    def take(self, collection: str, record: Record) -> None:
        """Take one record in; what it needs from records that come later, `finish` looks at."""
        key = tuple(getattr(record, name) for name in HISTORY[collection].key)
        if key in self._keys[collection]:
            raise self._refuse(f"{collection}.jsonl has the same record twice.")
        self._keys[collection].add(key)
        self.naming.update(part for part in key if isinstance(part, str))
        self.naming.update(_ID.findall(record.model_dump_json()))
        if getattr(record, "universe_id", self._universe_id) != self._universe_id:
            raise self._refuse(f"A record in {collection}.jsonl belongs to another universe.")
        for field, target in _NEEDS.get(collection, ()):
            self._need(target, getattr(record, field))
        match record:
            case Turn():
                self._check_turn(record)
            case Scene() if record.head:
                self._heads[record.id] = record.head
            case Transition():
                self._subjects.add(record.subject_id)
            case ProposedChange(status=ProposalStatus.WITHDRAWN):
                raise self._refuse("A proposal has a status that is never stored.")
            case _ if named := object_of(record):
                self.objects.add(named)

    def finish(self) -> None:
        if self._keys["universes"] != {(self._universe_id,)}:
            raise self._refuse("It does not hold the one universe that its manifest names.")
        for scene_id, head in self._heads.items():
            if head not in self._turns or self._turns[head][0] != scene_id:
                raise self._refuse("A scene stands on a turn that it does not have.")
        for subject in self._subjects:
            if not any((subject,) in self._keys[collection] for collection in _SUBJECTS):
                raise self._refuse("A transition is of something that the campaign does not have.")

    def _need(self, collection: str, id: Id) -> None:
        if (id,) not in self._keys[collection]:
            raise self._refuse(f"Something that it names is not in its {collection}.jsonl.")

    def _check_turn(self, turn: Turn) -> None:
        """A turn comes after its parent, in the same scene and one deeper: so trees have no circles."""
        place = (turn.scene_id, -1) if turn.parent_id is None else self._turns.get(turn.parent_id)
        if place != (turn.scene_id, turn.depth - 1):
            raise self._refuse("A turn does not fit the one before it.")
        self._turns[turn.id] = (turn.scene_id, turn.depth)
