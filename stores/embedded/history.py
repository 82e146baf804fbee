"""All of one universe out of `library.db`, and into it. The words of each method are those of `History`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import apsw

from stores.authority import COLLECTIONS, Store
from stores.embedded.canon_graph import write_batch
from stores.embedded.database import Transactions
from stores.embedded.documents import add, id_list
from stores.embedded.log_reader import SCENE
from stores.embedded.narrative_log import add_scenes, stage_proposals
from stores.errors import NotFound
from stores.history import HISTORY, LIBRARY, Part
from stores.records.base import Record
from stores.records.canon import CanonBatch
from stores.records.ids import Id
from stores.records.ledger import Loop
from stores.records.play import HeadMove

_AT_ONCE = 1_000
"""Records written, and identifiers looked up, by one statement."""

_THIS = "WHERE universe_id = :universe ORDER BY made"
_BODY_OF_THIS = "WHERE body ->> '$.universe_id' = :universe ORDER BY made"
_ENTITIES = "SELECT id FROM canon_entities WHERE universe_id = :universe"
_FACTS = "SELECT id FROM canon_facts WHERE universe_id = :universe"
_STORIES = "SELECT id FROM stories WHERE universe_id = :universe"
_SCENES = f"SELECT id FROM scenes WHERE story_id IN ({_STORIES})"
_TURNS = f"SELECT id FROM turns WHERE scene_id IN ({_SCENES})"
_SOURCES = "SELECT id FROM sources WHERE universe_id = :universe"

_SELECT: Mapping[str, str] = {
    "universes": "SELECT body FROM canon_universes WHERE id = :universe",
    "entities": f"SELECT body FROM canon_entities {_THIS}",
    "facts": f"SELECT body FROM canon_facts {_THIS}",
    "evidence": f"""SELECT body FROM canon_evidence
        WHERE id IN (SELECT evidence_id FROM canon_supports WHERE subject_id IN ({_FACTS} UNION {_ENTITIES}))
           OR turn_id IN ({_TURNS}) OR body ->> '$.scene_id' IN ({_SCENES})
           OR body ->> '$.source_id' IN ({_SOURCES}) ORDER BY made""",
    "supports": f"""SELECT json_object('subject_id', subject_id, 'evidence_id', evidence_id)
        FROM canon_supports WHERE subject_id IN ({_FACTS} UNION {_ENTITIES})
        ORDER BY subject_id, evidence_id""",
    "supersessions": f"""SELECT json_object('newer_id', newer_id, 'older_id', older_id)
        FROM canon_supersessions WHERE newer_id IN ({_FACTS}) ORDER BY newer_id, older_id""",
    "story_nodes": f"SELECT body FROM canon_story_nodes {_THIS}",
    "scene_nodes": f"SELECT body FROM canon_scene_nodes {_BODY_OF_THIS}",
    "appearances": f"""SELECT json_object('entity_id', entity_id, 'scene_id', scene_id)
        FROM canon_appearances WHERE entity_id IN ({_ENTITIES}) ORDER BY made""",
    "stories": f"SELECT body FROM stories {_THIS}",
    "scenes": f"{SCENE} WHERE story_id IN ({_STORIES}) ORDER BY made",
    "turns": f"SELECT body FROM turns WHERE scene_id IN ({_SCENES}) ORDER BY made",
    "head_moves": f"""SELECT json_object('scene_id', scene_id, 'seq', seq, 'kind', kind,
            'from_turn', from_turn, 'to_turn', to_turn, 'at', at)
        FROM head_moves WHERE scene_id IN ({_SCENES}) ORDER BY scene_id, seq""",
    "notes": f"SELECT body FROM notes WHERE scene_id IN ({_SCENES}) ORDER BY made",
    "decisions": f"SELECT body FROM decisions {_THIS}",
    "llm_calls": f"SELECT body FROM llm_calls {_THIS}",
    "resolutions": f"SELECT body FROM resolutions WHERE body ->> '$.scene_id' IN ({_SCENES}) ORDER BY made",
    "proposed_changes": f"""SELECT json_set(body, '$.status', status, '$.decision', json(decision),
        '$.error', error, '$.canonization_id', canonization_id) FROM proposed_changes {_THIS}""",
    "canonizations": f"SELECT body FROM canonizations {_THIS}",
    "rulings": f"SELECT body FROM rulings {_THIS}",
    "policies": f"SELECT body FROM policies {_THIS}",
    "transitions": f"""SELECT body FROM transitions
        WHERE subject_id IN (SELECT :universe UNION {_STORIES} UNION {_SCENES} UNION {_TURNS}
            UNION SELECT exchange_id FROM checkpoints WHERE scene_id IN ({_SCENES})) ORDER BY made""",
    "checkpoints": f"SELECT body FROM checkpoints WHERE scene_id IN ({_SCENES}) ORDER BY made",
    "memories": f"SELECT body FROM memories {_BODY_OF_THIS}",
    "summaries": f"SELECT body FROM summaries WHERE scene_id IN ({_SCENES}) ORDER BY made",
    "archived_logs": f"SELECT body FROM archived_logs {_THIS}",
    "sources": f"SELECT body FROM sources {_THIS}",
    "snippets": f"SELECT body FROM snippets WHERE source_id IN ({_SOURCES}) ORDER BY made",
}
"""The JSON of a universe's records, by collection."""

_OF_NO_UNIVERSE = f"SELECT body FROM transitions WHERE loop = '{Loop.MAIN.value}' ORDER BY made"


class EmbeddedHistory:
    one_moment = True
    """A dump is one read transaction, however many universes it is of."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        def dump(connection: apsw.Connection) -> None:
            if connection.execute("SELECT 1 FROM canon_universes WHERE id = ?", (universe_id,)).get is None:
                raise NotFound(f"There is no universe {universe_id}.")
            for collection in HISTORY:
                sink(collection, _records(connection, collection, universe_id))

        await self._db.read(dump)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        def dump(connection: apsw.Connection) -> None:
            universes = connection.execute("SELECT id FROM canon_universes ORDER BY made").fetchall()
            for (universe_id,) in universes:
                for collection in HISTORY:
                    sink(str(universe_id), collection, _records(connection, collection, str(universe_id)))
            moves = connection.execute(_OF_NO_UNIVERSE)
            sink(LIBRARY, "transitions", _read(moves, "transitions"))

        await self._db.read(dump)

    async def load(self, parts: Iterable[Part], *, naming: Collection[Id], finish: bool = False) -> set[Id]:
        def load(connection: apsw.Connection) -> set[Id]:
            if not finish and (known := _known(connection, naming)):
                return known
            # Scenes name their head turns and turns their scenes: whether all is there, the end tells.
            connection.pragma("defer_foreign_keys", True)
            for collection, records in parts:
                for some in _by_the(_AT_ONCE, records):
                    _WRITE[collection](connection, some)
            _lay_lines(connection)
            return set()

        return await self._db.write_as_owner(load)


def _records(connection: apsw.Connection, collection: str, universe_id: Id) -> Iterator[Record]:
    return _read(connection.execute(_SELECT[collection], {"universe": universe_id}), collection)


def _read(rows: Iterable[Any], collection: str) -> Iterator[Record]:
    model = HISTORY[collection].record
    return (model.model_validate_json(str(body)) for (body,) in rows)


# --- what is here already ---------------------------------------------------------------------------

_KEY_OF = {
    **{f"canon_{name}": "id" for name in ("universes", "entities", "facts", "evidence")},
    **{f"canon_{name}": "id" for name in ("story_nodes", "scene_nodes", "source_nodes")},
    **{name: "id" for name in COLLECTIONS[Store.LOG] if name not in ("line", "head_moves", "transitions")},
    "checkpoints": "exchange_id",
}


def _known(connection: apsw.Connection, ids: Collection[Id]) -> set[Id]:
    """Those of `ids` that name a record, or the subject of a transition."""
    loops = ", ".join(f"'{loop.value}'" for loop in Loop)
    named_by = [f"SELECT {key} FROM {table} WHERE {key} IN given" for table, key in _KEY_OF.items()]
    named_by.append(f"SELECT subject_id FROM transitions WHERE loop IN ({loops}) AND subject_id IN given")
    sql = f"WITH given AS MATERIALIZED (SELECT value FROM json_each(?)) {' UNION '.join(named_by)}"
    return {
        str(known)
        for some in _by_the(_AT_ONCE, ids)
        for (known,) in connection.execute(sql, (id_list(some),))
    }


# --- writing ----------------------------------------------------------------------------------------

_Write = Callable[[apsw.Connection, Sequence[Any]], None]


def _documents(table: str) -> _Write:
    return lambda connection, records: add(connection, table, records)


def _in_canon(field: str) -> _Write:
    """Write as the CanonKeeper does, so that names, involvements and short cuts come along."""
    batch = CanonBatch(id="", universe_id="")
    return lambda connection, records: write_batch(
        connection, batch.model_copy(update={field: tuple(records)})
    )


def _add_head_moves(connection: apsw.Connection, moves: Sequence[HeadMove]) -> None:
    connection.executemany(
        """INSERT INTO head_moves(scene_id, seq, kind, from_turn, to_turn, at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING""",
        ((m.scene_id, m.seq, m.kind.value, m.from_turn, m.to_turn, m.at.isoformat()) for m in moves),
    )


_WRITE: Mapping[str, _Write] = {
    **{name: _documents(name) for name in HISTORY if name in COLLECTIONS[Store.LOG]},
    "universes": _documents("canon_universes"),
    **{name: _in_canon(name) for name in ("entities", "facts", "evidence", "supports", "appearances")},
    "supersessions": _in_canon("supersedes"),
    "story_nodes": _documents("canon_story_nodes"),
    "scene_nodes": _documents("canon_scene_nodes"),
    "scenes": add_scenes,
    "head_moves": _add_head_moves,
    "proposed_changes": stage_proposals,
}


def _lay_lines(connection: apsw.Connection) -> None:
    """Lay the line of every scene that stands on a turn and has none yet: those just written."""
    connection.execute(
        """WITH RECURSIVE path (scene_id, id, parent_id, depth) AS (
               SELECT s.id, t.id, t.parent_id, t.depth FROM scenes s JOIN turns t ON t.id = s.head
               WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.scene_id = s.id)
               UNION ALL
               SELECT p.scene_id, t.id, t.parent_id, t.depth FROM path p JOIN turns t ON t.id = p.parent_id)
           INSERT INTO line (scene_id, depth, turn_id) SELECT scene_id, depth, id FROM path"""
    )


def _by_the(count: int, things: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(things)
    while some := list(islice(rest, count)):
        yield some
