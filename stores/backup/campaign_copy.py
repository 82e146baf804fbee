"""Copies a campaign's records under new identifiers.

Every identifier in a record's JSON is mapped. One that is ordered by time keeps its time; one that is derived from
others is derived from the new ones (`derived_ids`), so that a retry in the copy finds the same record as in the
original. Prose is never changed, even if it contains an identifier.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from stores.records.base import Record
from stores.records.ids import Id
from stores.records.workflow import Canonization, Ruling
from stores.records.world import BranchOrigin, Universe

_PROSE_FIELDS = (
    "constraints|description|error|expression|file_name|genre|goal|intent|label|licence|lines_and_veils|name|narrated_text|"
    "predicates|quote|reason|recap|ref|said|scope|severity|source|spec|statement|statement_key|style|summary|text|theme|"
    "time_text|title|tone|words"
)
"""Fields that hold prose, by their present names and those of earlier versions."""

_ID_PATTERN = re.compile(rf'("(?:{_PROSE_FIELDS})":)?"([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})"')
"""A whole string that is an identifier, with the name of its field if that holds prose."""


class IdDerivation(NamedTuple):
    """How an identifier is derived from others: `make(*ids)` returns it."""

    make: Callable[..., Id]
    ids: tuple[Id, ...]


def find_ids(record: Record) -> Iterator[Id]:
    """Yield every identifier in the record."""
    return (match[2] for match in _ID_PATTERN.finditer(record.model_dump_json()) if not match[1])


def copy_id_of(copy_id: Id, old: Id) -> Id:
    """Return the identifier, in the copy, of a record whose identifier is derived from no others (as entities')."""
    # By hand, as a campaign has millions: `uuid.UUID` is ten times slower.
    digest = hashlib.sha1(f"{copy_id}\x1f{old}".encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digest[16], 16) % 4]
    is_ordered_by_time = old[14] == "7"
    # The same time and sequence, with other random bits.
    beginning = old[:19] if is_ordered_by_time else f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-"
    return f"{beginning}{variant}{digest[17:20]}-{digest[20:32]}"


class CampaignCopier:
    """Maps one campaign's records to those of its copy.

    Derivations of identifiers that are not the campaign's are ignored.
    """

    def __init__(
        self,
        copy_id: Id,
        name: str,
        known_ids: Iterable[Id],
        derivations: Iterable[IdDerivation],
        *,
        branch: BranchOrigin | None = None,
    ) -> None:
        self._copy_id = copy_id
        self._name = name
        self._branch = branch
        self._known_ids = set(known_ids)
        self._derivations: dict[Id, IdDerivation] = {}
        for derivation in derivations:
            derived_id = derivation.make(*derivation.ids)
            if derived_id in self._known_ids:
                self._derivations.setdefault(derived_id, derivation)
        self._new_ids: dict[Id, Id] = {}

    def new_id(self, old: Id) -> Id:
        """Return the copy's identifier for `old`; one that is not the campaign's is unchanged."""
        unmapped_ids = [old]
        while unmapped_ids:
            current_id = unmapped_ids[-1]
            derivation = self._derivations.get(current_id)
            missing_ids = (
                [id for id in derivation.ids if id in self._known_ids and id not in self._new_ids]
                if derivation
                else []
            )
            if current_id in self._new_ids or not missing_ids:
                unmapped_ids.pop()
                self._new_ids.setdefault(current_id, self._make_new_id(current_id, derivation))
            else:
                unmapped_ids += missing_ids
        return self._new_ids[old]

    def new_ids(self) -> set[Id]:
        """Return every identifier of the copy."""
        return {self.new_id(old) for old in self._known_ids}

    def copy_record(self, record: Record) -> Record:
        """Return the copy's record."""
        text = _ID_PATTERN.sub(self._replace_id, record.model_dump_json())
        record_copy = type(record).model_validate_json(text)
        match record_copy:
            case Universe():
                return self._rename_universe(record_copy)
            case Canonization(batch=batch) if batch.universe:
                renamed_batch = batch.model_copy(update={"universe": self._rename_universe(batch.universe)})
                return record_copy.model_copy(update={"batch": renamed_batch})
            case Ruling():
                # The pair is sorted by its keys, which are new.
                return record_copy.model_copy(update={"pair": tuple(sorted(record_copy.pair))})
        return record_copy

    def _replace_id(self, match: re.Match[str]) -> str:
        return match[0] if match[1] else f'"{self.new_id(match[2])}"'

    def _rename_universe(self, universe: Universe) -> Universe:
        branch = self._branch or universe.branch
        return universe.model_copy(update={"name": self._name, "branch": branch})

    def _make_new_id(self, old: Id, derivation: IdDerivation | None) -> Id:
        if old not in self._known_ids:
            return old
        if derivation:
            return derivation.make(*(self._new_ids.get(id, id) for id in derivation.ids))
        return copy_id_of(self._copy_id, old)
