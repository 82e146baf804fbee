"""The log's part of `History` on MongoDB: reads a whole universe, writes it, and rolls back a failed load."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from stores.history import RECORD_COLLECTIONS
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.play import HeadMove, Turn
from stores.records.workflow import Loop, Transition
from stores.servers import turn_tree
from stores.servers.log_documents import add_records, any_of, insert_new, parse_document
from stores.servers.log_reader import parse_proposal, read_scenes
from stores.servers.mongo import Document, MongoDatabase, MongoReadTransaction, MongoWriteTransaction
from stores.servers.mongo_schema import LOOKUP_FIELDS, PLAYED_SPEAKERS
from stores.servers.narrative_log import add_scenes, stage_proposals

_IN_ORDER_MADE = (("made", 1),)
_LOOPS = [loop.value for loop in Loop]

LOG_COLLECTIONS = frozenset(RECORD_COLLECTIONS) & {*LOOKUP_FIELDS, "head_moves"}
"""The collections of `History` that are in the log."""

_DocumentAdder = Callable[[MongoWriteTransaction, Any], Awaitable[Any]]


class ServerLogHistory:
    def __init__(self, mongo: MongoDatabase) -> None:
        self._mongo = mongo

    async def dump(self, universe_id: Id) -> dict[str, list[Record]]:
        """Return the log's records of a universe, all of one moment."""
        async with self._mongo.read_transaction(None) as tx:
            return await _dump_universe(tx, universe_id)

    async def session_transitions(self) -> list[Record]:
        """Return the transitions of the Main Loop."""
        async with self._mongo.read_transaction(None) as tx:
            documents = await tx.find_all("transitions", {"loop": Loop.MAIN.value}, order=_IN_ORDER_MADE)
        return [parse_document(Transition, d) for d in documents]

    async def existing_ids(self, ids: Sequence[Id]) -> set[Id]:
        """Return those of `ids` that are in use, for a record or the subject of a transition."""
        record_ids: set[Id] = set()
        async with self._mongo.read_transaction(None) as tx:
            for name in LOOKUP_FIELDS:
                record_ids |= {
                    d["_id"] for d in await tx.find_all(name, {"_id": any_of(ids)}, fields={"_id": 1})
                }
            subject_filter = {"subject_id": any_of(ids), "loop": any_of(_LOOPS)}
            record_ids |= {
                d["subject_id"]
                for d in await tx.find_all("transitions", subject_filter, fields={"subject_id": 1})
            }
        return record_ids & set(ids)

    async def write(self, collection: str, records: Sequence[Record]) -> None:
        """Write some records of one collection that are not here yet."""
        adders: dict[str, _DocumentAdder] = {
            "scenes": add_scenes,
            "proposed_changes": stage_proposals,
            "turns": _add_turns,
            "head_moves": _add_head_moves,
        }

        async def write_records(tx: MongoWriteTransaction) -> None:
            if collection in adders:
                await adders[collection](tx, records)
            else:
                await add_records(tx, collection, records)

        await self._mongo.write(None, write_records)

    async def rebuild_lines(self, scene_ids: Iterable[Id]) -> None:
        """Build the line of every scene that has a head and no line yet, and count its head moves."""
        for scene_id in scene_ids:
            await self._mongo.write(None, partial(_rebuild_line, scene_id))

    async def next_number(self) -> int:
        """Return the number that the next record will have."""
        return await self._mongo.write(None, lambda tx: tx.reserve_numbers(0))

    async def drop_since(self, first_number: int) -> None:
        """Delete everything with this number or a higher one, after a failed load."""

        async def drop_records(tx: MongoWriteTransaction) -> None:
            new_scenes = await tx.find_all("scenes", {"made": {"$gte": first_number}}, fields={"_id": 1})
            scene_filter = any_of([d["_id"] for d in new_scenes])
            for name in ("line", "head_moves"):
                await tx.db[name].delete_many({"scene_id": scene_filter}, session=tx.session)
            for name in ("scene_heads", "scene_outcomes"):
                await tx.db[name].delete_many({"_id": scene_filter}, session=tx.session)
            for name in LOOKUP_FIELDS:
                await tx.db[name].delete_many({"made": {"$gte": first_number}}, session=tx.session)

        await self._mongo.write(None, drop_records)


async def _dump_universe(tx: MongoReadTransaction, universe_id: Id) -> dict[str, list[Record]]:
    universe_filter = {"universe_id": universe_id}
    stories = await tx.find_all("stories", universe_filter, order=_IN_ORDER_MADE)
    scenes = await tx.find_all("scenes", {"story_id": any_of(_document_ids(stories))}, order=_IN_ORDER_MADE)
    scene_filter = {"scene_id": any_of(_document_ids(scenes))}
    turns = await turn_tree.read_turns(tx, scene_filter)
    checkpoints = await tx.find_all("checkpoints", scene_filter, order=_IN_ORDER_MADE)
    sources = await tx.find_all("sources", universe_filter, order=_IN_ORDER_MADE)
    subjects = [
        universe_id,
        *_document_ids(stories),
        *_document_ids(scenes),
        *(t.id for t in turns),
        *_document_ids(checkpoints),
    ]

    async def read_collection(
        name: str, where: Mapping[str, Any], order: Any = _IN_ORDER_MADE
    ) -> list[Record]:
        documents = await tx.find_all(name, where, order=order)
        return [parse_document(RECORD_COLLECTIONS[name].record_type, d) for d in documents]

    proposals = await tx.find_all("proposed_changes", universe_filter, order=_IN_ORDER_MADE)
    scenes_by_id = {
        scene.id: scene for scene in await read_scenes(tx, {"_id": any_of(_document_ids(scenes))})
    }
    return {
        "stories": [parse_document(RECORD_COLLECTIONS["stories"].record_type, d) for d in stories],
        "scenes": [scenes_by_id[d["_id"]] for d in scenes],
        "turns": [*turns],
        "head_moves": await read_collection("head_moves", scene_filter, (("scene_id", 1), ("seq", 1))),
        "resolutions": await read_collection("resolutions", scene_filter),
        "notes": await read_collection("notes", {"story_id": any_of(_document_ids(stories))}),
        "map_edits": await read_collection("map_edits", universe_filter),
        "decisions": await read_collection("decisions", universe_filter),
        "llm_calls": await read_collection("llm_calls", universe_filter),
        "proposed_changes": [parse_proposal(d) for d in proposals],
        "canonizations": await read_collection("canonizations", universe_filter),
        "rulings": await read_collection("rulings", universe_filter),
        "policies": await read_collection("policies", universe_filter),
        "transitions": await _read_transitions(tx, subjects),
        "checkpoints": [
            parse_document(RECORD_COLLECTIONS["checkpoints"].record_type, d) for d in checkpoints
        ],
        "memories": await read_collection("memories", universe_filter),
        "summaries": await read_collection("summaries", scene_filter),
        "archived_logs": await read_collection("archived_logs", universe_filter),
        "sources": [parse_document(RECORD_COLLECTIONS["sources"].record_type, d) for d in sources],
        "source_pages": await read_collection("source_pages", {"source_id": any_of(_document_ids(sources))}),
        "snippets": await read_collection("snippets", {"source_id": any_of(_document_ids(sources))}),
    }


async def _read_transitions(tx: MongoReadTransaction, subjects: Sequence[Id]) -> list[Record]:
    documents: list[Document] = []
    for start in range(0, len(subjects), _BATCH_SIZE):
        documents += await tx.find_all(
            "transitions", {"subject_id": any_of(subjects[start : start + _BATCH_SIZE])}
        )
    return [parse_document(Transition, d) for d in sorted(documents, key=lambda d: int(d["made"]))]


_BATCH_SIZE = 1_000
"""Identifiers looked up by one query."""


def _document_ids(documents: Iterable[Document]) -> list[Id]:
    return [d["_id"] for d in documents]


async def _add_turns(tx: MongoWriteTransaction, turns: Sequence[Turn]) -> None:
    # Turns are in two collections. Their numbers give the order of all of them, so each run of turns of one
    # collection is inserted by itself.
    same_kind_turns: list[Turn] = []
    for turn in (*turns, None):
        if same_kind_turns and (
            turn is None
            or (turn.speaker in PLAYED_SPEAKERS) is not (same_kind_turns[0].speaker in PLAYED_SPEAKERS)
        ):
            await add_records(
                tx, "turns" if same_kind_turns[0].speaker in PLAYED_SPEAKERS else "told", same_kind_turns
            )
            same_kind_turns = []
        if turn is not None:
            same_kind_turns.append(turn)


async def _add_head_moves(tx: MongoWriteTransaction, moves: Sequence[HeadMove]) -> None:
    await insert_new(tx, "head_moves", [turn_tree.make_move_document(move) for move in moves])


async def _rebuild_line(scene_id: Id, tx: MongoWriteTransaction) -> None:
    last_move = await tx.find_one("head_moves", {"scene_id": scene_id}, newest_by="seq")
    head_document = await tx.find_one("scene_heads", {"_id": scene_id})
    if head_document is None or head_document["moves"]:
        return
    head_turns = (
        await turn_tree.read_turns(tx, {"_id": head_document["head"]}) if head_document["head"] else []
    )
    for turn in head_turns:
        await turn_tree.update_line(tx, turn, turn_tree.HeadPosition(None, -1, 0))
    head_fields = {
        "depth": head_turns[0].depth if head_turns else -1,
        "moves": int(last_move["seq"]) if last_move else 0,
    }
    await tx.set_fields("scene_heads", scene_id, head_fields)
