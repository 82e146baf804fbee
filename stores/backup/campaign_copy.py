"""A campaign beside itself: the same records under other identifiers.

Every identifier is mapped, wherever it stands in a record's JSON: one that time orders keeps its place in
time, and one that is derived from others is derived anew from theirs, so that what a retry would make again
in the original, it makes again in the copy (`backup_kin`). Words are never touched, though they may spell an
identifier.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from stores.records.base import Record
from stores.records.ids import Id, derive_id
from stores.records.workflow import Canonization, Ruling
from stores.records.world import Universe

_WORDS = (
    "constraints|description|error|expression|genre|goal|intent|licence|lines_and_veils|name|predicates|quote|"
    "reason|recap|ref|said|scope|severity|source|spec|statement|summary|text|theme|title|tone|words"
)
"""Fields that hold what somebody said or wrote."""

_ID = re.compile(rf'("(?:{_WORDS})":)?"([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})"')
"""A whole string that is an identifier; with its field before it, if that one holds words."""

_RANDOM_BITS = (1 << 62) - 1


class Derivation(NamedTuple):
    """An identifier that is made of others: `make(*ids)` gives it, and gives another one of other `ids`."""

    make: Callable[..., Id]
    ids: tuple[Id, ...]


def identifiers(record: Record) -> Iterator[Id]:
    """Every identifier in the record."""
    return (match[2] for match in _ID.finditer(record.model_dump_json()) if not match[1])


class Copy:
    """Maps one campaign's records to those of its copy. `known` are all of its identifiers; derivations
    of others than those are passed over."""

    def __init__(
        self, copy_id: Id, name: str, known: Iterable[Id], derivations: Iterable[Derivation]
    ) -> None:
        self._copy_id = copy_id
        self._name = name
        self._known = set(known)
        self._made: dict[Id, Derivation] = {}
        for derivation in derivations:
            made = derivation.make(*derivation.ids)
            if made in self._known:
                self._made.setdefault(made, derivation)
        self._new: dict[Id, Id] = {}

    def new_id(self, old: Id) -> Id:
        """Return what `old` is called in the copy; what is none of the campaign's stays as it is."""
        waiting = [old]
        while waiting:
            at = waiting[-1]
            made = self._made.get(at)
            needs = [id for id in made.ids if id in self._known and id not in self._new] if made else []
            if at in self._new or not needs:
                waiting.pop()
                self._new.setdefault(at, self._renamed(at, made))
            else:
                waiting += needs
        return self._new[old]

    def new_ids(self) -> set[Id]:
        """Every identifier of the copy."""
        return {self.new_id(old) for old in self._known}

    def record(self, record: Record) -> Record:
        """Return the copy's record."""
        text = _ID.sub(self._renewed, record.model_dump_json())
        copied = type(record).model_validate_json(text)
        match copied:
            case Universe():
                return self._named(copied)
            case Canonization(batch=batch) if batch.universe:
                named = batch.model_copy(update={"universe": self._named(batch.universe)})
                return copied.model_copy(update={"batch": named})
            case Ruling():
                # A pair is kept in the order of its keys, which are new.
                return copied.model_copy(update={"pair": tuple(sorted(copied.pair))})
        return copied

    def _renewed(self, match: re.Match[str]) -> str:
        return match[0] if match[1] else f'"{self.new_id(match[2])}"'

    def _named(self, universe: Universe) -> Universe:
        return universe.model_copy(update={"name": self._name})

    def _renamed(self, old: Id, made: Derivation | None) -> Id:
        if old not in self._known:
            return old
        if made:
            return made.make(*(self._new.get(id, id) for id in made.ids))
        new, was = uuid.UUID(derive_id("copy", self._copy_id, old)), uuid.UUID(old)
        if was.version != 7:
            return str(new)
        # The time of it and its place within that, and other random bits.
        return str(uuid.UUID(int=(was.int & ~_RANDOM_BITS) | (new.int & _RANDOM_BITS)))
