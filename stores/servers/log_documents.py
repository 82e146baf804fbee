"""Reads and writes records as MongoDB documents; see `mongo_schema.py` for their fields."""

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
from stores.servers.mongo import Document, MongoDatabase, MongoReadTransaction, MongoWriteTransaction
from stores.servers.mongo_schema import KEY_FIELDS, LOOKUP_FIELDS

R = TypeVar("R", bound=Record)


def document_key(collection: str, record: Record) -> str:
    """Return the `_id` of a record in its collection."""
    return "/".join(str(getattr(record, field)) for field in KEY_FIELDS.get(collection, ("id",)))


def make_document(collection: str, record: Record, **extra_fields: Any) -> Document:
    """Return the document of a record, without its number."""
    fields = {field: getattr(record, field) for field in LOOKUP_FIELDS.get(collection, ())}
    match record:
        case Story():
            fields["created"] = to_time_text(record.created_at)
        case LlmCall():
            fields["moment"] = to_time_text(record.at)
            fields["micros"], fields["unpriced"] = record.cost.micros, int(not record.cost.known)
    return {
        "_id": document_key(collection, record),
        **fields,
        "body": record.model_dump_json(),
        **extra_fields,
    }


def to_time_text(time: datetime) -> str:
    """Return a time as text of fixed length, which sorts like the time."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")


def parse_document(model: type[R], stored_document: Document) -> R:
    """Return the record of a document. Raises LibraryUnreadable if it cannot be read."""
    try:
        return model.model_validate_json(stored_document["body"])
    except ValidationError as error:
        raise LibraryUnreadable(
            f"The log holds a {model.__name__.lower()} that cannot be read.",
            kept="It was left as it is.",
            todo="Update MONITOR, or restore the last backup.",
        ) from error


async def add_records(
    tx: MongoWriteTransaction, collection: str, records: Iterable[Record]
) -> list[Document]:
    """Insert the records that are not there yet; return their documents."""
    return await insert_new(tx, collection, [make_document(collection, r) for r in records])


async def insert_new(
    tx: MongoWriteTransaction, collection: str, documents: Sequence[Document]
) -> list[Document]:
    """Insert the documents that are not there yet, in their order; return those."""
    first_by_id = {d["_id"]: d for d in reversed(documents)}
    existing_ids = {
        d["_id"] for d in await tx.find_all(collection, {"_id": any_of(first_by_id)}, fields={"_id": 1})
    }
    new_documents = [d for key, d in reversed(first_by_id.items()) if key not in existing_ids]
    await tx.insert(collection, new_documents)
    return new_documents


async def put_records(tx: MongoWriteTransaction, collection: str, records: Sequence[Record]) -> None:
    """Insert the records, or replace those of the same key, which keep their number."""
    keys = [document_key(collection, r) for r in records]
    numbers_by_key = {
        d["_id"]: d["made"] for d in await tx.find_all(collection, {"_id": any_of(keys)}, fields={"made": 1})
    }
    new_documents: dict[str, Document] = {}
    for key, new_record in zip(keys, records, strict=True):
        if key in numbers_by_key:
            await tx.replace(
                collection, {**make_document(collection, new_record), "made": numbers_by_key[key]}
            )
        else:
            new_documents[key] = make_document(collection, new_record)
    await tx.insert(collection, list(new_documents.values()))


async def read_one(tx: MongoReadTransaction, collection: str, model: type[R], record_id: str) -> R:
    """Return the record of this identifier. Raises NotFound."""
    stored_document = await tx.find_one(collection, {"_id": record_id})
    if stored_document is None:
        raise not_found_error(model, record_id)
    return parse_document(model, stored_document)


def not_found_error(model: type[Record], record_id: str) -> NotFound:
    return NotFound(f"There is no {model.__name__.lower()} {record_id}.")


def any_of(values: Collection[Any]) -> Document:
    return {"$in": list(dict.fromkeys(values))}


class ServerRecordReader:
    """The helpers that every reader of documents shares; `role` None is the owner."""

    def __init__(self, mongo: MongoDatabase, role: Role | None) -> None:
        self._mongo = mongo
        self._role = role

    async def _read_one(self, collection: str, model: type[R], record_id: Id) -> R:
        async with self._mongo.read_transaction(self._role) as tx:
            return await read_one(tx, collection, model, record_id)

    async def _read_all(
        self,
        collection: str,
        model: type[R],
        where: Mapping[str, Any],
        order: Sequence[tuple[str, int]] = (("made", 1),),
        limit: int = 0,
    ) -> list[R]:
        """Return the records that match, in the order of insertion unless another is given."""
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all(collection, where, order=order, limit=limit)
        return [parse_document(model, d) for d in documents]
