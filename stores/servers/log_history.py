"""The log's part of a universe's history on MongoDB: read whole, written, and rolled back.

Source: stores/history.py.
"""

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
from stores.servers.log_documents import add, among, insert_new, record
from stores.servers.log_reader import as_stored, scenes_of
from stores.servers.mongo import Document, Mongo, Reading, Writing
from stores.servers.mongo_schema import FIELDS, PLAYED
from stores.servers.narrative_log import add_scenes, stage_proposals

_BY_MADE = (("made", 1),)
_LOOPS = [loop.value for loop in Loop]

COLLECTIONS = frozenset(RECORD_COLLECTIONS) & {*FIELDS, "head_moves"}
"""What the log keeps of a history."""

_Write = Callable[[Writing, Any], Awaitable[Any]]


class LogHistory:
    def __init__(self, mongo: Mongo) -> None:
        self._mongo = mongo

    async def dump(self, universe_id: Id) -> dict[str, list[Record]]:
        """Return the log's records of a universe, all of one moment."""
        async with self._mongo.reading(None) as tx:
            return await _dump(tx, universe_id)

    async def of_no_universe(self) -> list[Record]:
        """Return the moves of the Main Loop."""
        async with self._mongo.reading(None) as tx:
            found = await tx.all("transitions", {"loop": Loop.MAIN.value}, order=_BY_MADE)
        return [record(Transition, d) for d in found]

    async def known(self, ids: Sequence[Id]) -> set[Id]:
        """Return those of `ids` that name a record here, or the subject of a transition."""
        found: set[Id] = set()
        async with self._mongo.reading(None) as tx:
            for name in FIELDS:
                found |= {d["_id"] for d in await tx.all(name, {"_id": among(ids)}, fields={"_id": 1})}
            moved = {"subject_id": among(ids), "loop": among(_LOOPS)}
            found |= {d["subject_id"] for d in await tx.all("transitions", moved, fields={"subject_id": 1})}
        return found & set(ids)

    async def write(self, collection: str, records: Sequence[Record]) -> None:
        """Write some records of one collection that are not here yet."""
        special: dict[str, _Write] = {
            "scenes": add_scenes,
            "proposed_changes": stage_proposals,
            "turns": _add_turns,
            "head_moves": _add_head_moves,
        }

        async def write(tx: Writing) -> None:
            if collection in special:
                await special[collection](tx, records)
            else:
                await add(tx, collection, records)

        await self._mongo.write(None, write)

    async def lay_lines(self, scene_ids: Iterable[Id]) -> None:
        """Lay the line of every scene that stands on a turn and has none yet, and count its moves."""
        for scene_id in scene_ids:
            await self._mongo.write(None, partial(_lay, scene_id))

    async def mark(self) -> int:
        """Return the number that the next record will have."""
        return await self._mongo.write(None, lambda tx: tx.made(0))

    async def drop_since(self, made: int) -> None:
        """Take back everything that was made since: a load that failed."""

        async def drop(tx: Writing) -> None:
            new = await tx.all("scenes", {"made": {"$gte": made}}, fields={"_id": 1})
            ids = among([d["_id"] for d in new])
            for name in ("line", "head_moves"):
                await tx.db[name].delete_many({"scene_id": ids}, session=tx.session)
            for name in ("scene_heads", "scene_outcomes"):
                await tx.db[name].delete_many({"_id": ids}, session=tx.session)
            for name in FIELDS:
                await tx.db[name].delete_many({"made": {"$gte": made}}, session=tx.session)

        await self._mongo.write(None, drop)


async def _dump(tx: Reading, universe_id: Id) -> dict[str, list[Record]]:
    of_universe = {"universe_id": universe_id}
    stories = await tx.all("stories", of_universe, order=_BY_MADE)
    scenes = await tx.all("scenes", {"story_id": among(_ids(stories))}, order=_BY_MADE)
    of_scenes = {"scene_id": among(_ids(scenes))}
    turns = await turn_tree.turns(tx, of_scenes)
    checkpoints = await tx.all("checkpoints", of_scenes, order=_BY_MADE)
    sources = await tx.all("sources", of_universe, order=_BY_MADE)
    subjects = [universe_id, *_ids(stories), *_ids(scenes), *(t.id for t in turns), *_ids(checkpoints)]

    async def read(name: str, where: Mapping[str, Any], order: Any = _BY_MADE) -> list[Record]:
        found = await tx.all(name, where, order=order)
        return [record(RECORD_COLLECTIONS[name].record_type, d) for d in found]

    proposals = await tx.all("proposed_changes", of_universe, order=_BY_MADE)
    whole = {scene.id: scene for scene in await scenes_of(tx, {"_id": among(_ids(scenes))})}
    return {
        "stories": [record(RECORD_COLLECTIONS["stories"].record_type, d) for d in stories],
        "scenes": [whole[d["_id"]] for d in scenes],
        "turns": [*turns],
        "head_moves": await read("head_moves", of_scenes, (("scene_id", 1), ("seq", 1))),
        "resolutions": await read("resolutions", of_scenes),
        "notes": await read("notes", {"story_id": among(_ids(stories))}),
        "decisions": await read("decisions", of_universe),
        "llm_calls": await read("llm_calls", of_universe),
        "proposed_changes": [as_stored(d) for d in proposals],
        "canonizations": await read("canonizations", of_universe),
        "rulings": await read("rulings", of_universe),
        "policies": await read("policies", of_universe),
        "transitions": await _transitions(tx, subjects),
        "checkpoints": [record(RECORD_COLLECTIONS["checkpoints"].record_type, d) for d in checkpoints],
        "memories": await read("memories", of_universe),
        "summaries": await read("summaries", of_scenes),
        "archived_logs": await read("archived_logs", of_universe),
        "sources": [record(RECORD_COLLECTIONS["sources"].record_type, d) for d in sources],
        "snippets": await read("snippets", {"source_id": among(_ids(sources))}),
    }


async def _transitions(tx: Reading, subjects: Sequence[Id]) -> list[Record]:
    found: list[Document] = []
    for start in range(0, len(subjects), _AT_ONCE):
        found += await tx.all("transitions", {"subject_id": among(subjects[start : start + _AT_ONCE])})
    return [record(Transition, d) for d in sorted(found, key=lambda d: int(d["made"]))]


_AT_ONCE = 1_000
"""Identifiers looked up by one query."""


def _ids(documents: Iterable[Document]) -> list[Id]:
    return [d["_id"] for d in documents]


async def _add_turns(tx: Writing, turns: Sequence[Turn]) -> None:
    # Each kind keeps its order; which was made first of two kinds is told by the numbers, so one at a time
    # where they alternate.
    run: list[Turn] = []
    for turn in (*turns, None):
        if run and (turn is None or (turn.speaker in PLAYED) is not (run[0].speaker in PLAYED)):
            await add(tx, "turns" if run[0].speaker in PLAYED else "told", run)
            run = []
        if turn is not None:
            run.append(turn)


async def _add_head_moves(tx: Writing, moves: Sequence[HeadMove]) -> None:
    await insert_new(tx, "head_moves", [turn_tree.move_document(move) for move in moves])


async def _lay(scene_id: Id, tx: Writing) -> None:
    last = await tx.one("head_moves", {"scene_id": scene_id}, newest="seq")
    found = await tx.one("scene_heads", {"_id": scene_id})
    if found is None or found["moves"]:
        return
    on_head = await turn_tree.turns(tx, {"_id": found["head"]}) if found["head"] else []
    for turn in on_head:
        await turn_tree.lay_line(tx, turn, turn_tree.Head(None, -1, 0))
    stands = {"depth": on_head[0].depth if on_head else -1, "moves": int(last["seq"]) if last else 0}
    await tx.change("scene_heads", scene_id, stands)
