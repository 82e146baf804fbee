"""Records as MongoDB documents, and reading them back. See `mongo_schema.py` for what a document holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from stores.authority import Role
from stores.errors import LibraryUnreadable, NotFound
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.llm import LlmCall
from stores.records.play import Story
from stores.servers.mongo import Document, Mongo, Reading, Writing
from stores.servers.mongo_schema import FIELDS, KEYS

R = TypeVar("R", bound=Record)


def key_of(collection: str, record: Record) -> str:
    """Return the `_id` of a record in its collection."""
    return "/".join(str(getattr(record, field)) for field in KEYS.get(collection, ("id",)))


def document(collection: str, record: Record, **more: Any) -> Document:
    """Return the document of a record, but for its number in the order of making."""
    fields = {field: getattr(record, field) for field in FIELDS.get(collection, ())}
    match record:
        case Story():
            fields["created"] = moment(record.created_at)
        case LlmCall():
            fields["moment"] = moment(record.at)
            fields["micros"], fields["unpriced"] = record.cost.micros, int(not record.cost.known)
    return {
        "_id": key_of(collection, record),
        **fields,
        "body": record.model_dump_json(),
        **more,
    }


def moment(at: datetime) -> str:
    """Write a time as text of one length, so that the order of times is the order of texts."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")


def record(model: type[R], found: Document) -> R:
    """Return the record of a document. Raises LibraryUnreadable if it cannot be read."""
    try:
        return model.model_validate_json(found["body"])
    except ValidationError as error:
        raise LibraryUnreadable(
            f"The log holds a {model.__name__.lower()} that cannot be read.",
            kept="It was left as it is.",
            todo="Update MONITOR, or restore the last backup.",
        ) from error


async def add(tx: Writing, collection: str, records: Iterable[Record]) -> list[Document]:
    """Insert the records that are not there yet; return their documents."""
    return await insert_new(tx, collection, [document(collection, r) for r in records])


async def insert_new(tx: Writing, collection: str, documents: Sequence[Document]) -> list[Document]:
    """Insert the documents that are not there yet, in their order; return those."""
    first = {d["_id"]: d for d in reversed(documents)}
    there = {d["_id"] for d in await tx.all(collection, {"_id": among(first)}, fields={"_id": 1})}
    missing = [d for key, d in reversed(first.items()) if key not in there]
    await tx.insert(collection, missing)
    return missing


async def put(tx: Writing, collection: str, records: Sequence[Record]) -> None:
    """Insert the records, or write them whole over those of the same key, which keep their number."""
    keys = [key_of(collection, r) for r in records]
    known = {d["_id"]: d["made"] for d in await tx.all(collection, {"_id": among(keys)}, fields={"made": 1})}
    new: dict[str, Document] = {}
    for key, one in zip(keys, records, strict=True):
        if key in known:
            await tx.replace(collection, {**document(collection, one), "made": known[key]})
        else:
            new[key] = document(collection, one)
    await tx.insert(collection, list(new.values()))


async def the_one(tx: Reading, collection: str, model: type[R], record_id: str) -> R:
    """Return the record of this identifier. Raises NotFound."""
    found = await tx.one(collection, {"_id": record_id})
    if found is None:
        raise not_there(model, record_id)
    return record(model, found)


def not_there(model: type[Record], record_id: str) -> NotFound:
    return NotFound(f"There is no {model.__name__.lower()} {record_id}.")


def among(values: Collection[Any]) -> Document:
    return {"$in": list(dict.fromkeys(values))}


class Reads:
    """What every reader over documents shares; `role` None is the owner."""

    def __init__(self, mongo: Mongo, role: Role | None) -> None:
        self._mongo = mongo
        self._role = role

    async def _one(self, collection: str, model: type[R], record_id: Id) -> R:
        async with self._mongo.reading(self._role) as tx:
            return await the_one(tx, collection, model, record_id)

    async def _all(
        self,
        collection: str,
        model: type[R],
        where: Mapping[str, Any],
        order: Sequence[tuple[str, int]] = (("made", 1),),
        limit: int = 0,
    ) -> list[R]:
        """Return the records that the filter finds, in the order of making unless another is given."""
        async with self._mongo.reading(self._role) as tx:
            found = await tx.all(collection, where, order=order, limit=limit)
        return [record(model, d) for d in found]
