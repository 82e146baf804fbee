"""The stores alone, at the sizes that they are built for."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import apsw
import numpy as np

from benchmarks.libraries import Libraries, timed
from benchmarks.passages import START, UNIVERSE, Kind, id_of
from benchmarks.table import Row, times
from stores.authority import Role
from stores.embedded.library import open_library
from stores.embedded.narrative_log import EmbeddedLog
from stores.open import open_stores
from stores.ports import TextItem, VectorItem
from stores.records.ids import SystemIds
from stores.records.play import Scene, Speaker, Story, Turn

COUNT = 200
TAIL = 50
NEAREST = 10
DIMENSION = 384
MODEL = "benchmark"
VOCABULARY = 20_000
WORDS_A_TEXT = 30
QUERY = "w3 w17 w150 w900 w4000 w12000"
"""Common and rare words of a vocabulary in which, as in real ones, a few are in almost every text."""

_TURNS = """
    INSERT INTO turns(body) WITH RECURSIVE n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n LIMIT :turns)
    SELECT json_object('id', printf(:id, n >> 16, n & 65535), 'scene_id', :scene,
        'parent_id', CASE WHEN n THEN printf(:id, (n - 1) >> 16, (n - 1) & 65535) END,
        'exchange_id', printf(:id, n >> 16, n & 65535), 'speaker', 'player',
        'text', 'I go down to the water and ask after the bell, for the ' || n || 'th time.',
        'depth', n, 'created_at', '2024-01-01T00:00:00Z') FROM n"""
_TURN_ID = f"0190%04x-%04x-7000-8000-{Kind.TURN:012x}"
"""What `id_of(Kind.TURN, n)` gives, for SQLite's printf."""


def run(libraries: Libraries) -> Iterator[Row]:
    count = libraries.often(COUNT)
    many = 10_000 if libraries.quick else 100_000
    for turns in (many,) if libraries.quick else (many, 10 * many):
        yield from asyncio.run(_lines(libraries.folder / f"line of {turns}", turns, count))
    yield from asyncio.run(_graph(libraries.big, libraries.size.facts, count))
    yield from asyncio.run(_index(libraries.folder / "index", many, count))


async def _lines(home: Path, turns: int, count: int) -> list[Row]:
    """One scene with all of the turns, as the narrative log alone sees it."""
    library = await open_library(home / "library.db")
    try:
        log = EmbeddedLog(library, Role.ORCHESTRATOR)
        story = Story(id=id_of(Kind.STORY, 0), universe_id=UNIVERSE, title="A story", created_at=START)
        scene = Scene(
            id=id_of(Kind.SCENE, 0),
            story_id=story.id,
            universe_id=UNIVERSE,
            order=1,
            title="One scene",
            created_at=START,
        )
        await log.put_story(story)
        await log.create_scene(scene)
        await library.write_as_owner(partial(_fill_line, scene=scene, turns=turns))
        ids, depths = SystemIds(), itertools.count(turns)
        head = id_of(Kind.TURN, turns - 1)

        async def append() -> None:
            nonlocal head
            turn = Turn(
                id=ids.new(),
                scene_id=scene.id,
                parent_id=head,
                exchange_id=head,
                speaker=Speaker.PLAYER,
                text="I wade on towards the lamp.",
                depth=next(depths),
                created_at=START,
            )
            await log.append_turn(turn)
            head = turn.id

        return [
            times(f"append a turn to a line of {turns:,}", await _often(append, count)),
            times(
                f"last {TAIL} turns of a line of {turns:,}",
                await _often(partial(log.line_tail, scene.id, TAIL), count),
            ),
        ]
    finally:
        await library.close()


def _fill_line(connection: apsw.Connection, scene: Scene, turns: int) -> None:
    connection.execute(_TURNS, {"turns": turns, "id": _TURN_ID, "scene": scene.id})
    connection.execute(
        "INSERT INTO line(scene_id, depth, turn_id) SELECT scene_id, depth, id FROM turns WHERE scene_id = ?",
        (scene.id,),
    )
    connection.execute("UPDATE scenes SET head = ? WHERE id = ?", (id_of(Kind.TURN, turns - 1), scene.id))


async def _graph(home: Path, facts: int, count: int) -> list[Row]:
    stores = await open_stores(home)
    try:
        canon = stores.canon(Role.CONTEXT_ASSEMBLY)
        hero = id_of(Kind.ENTITY, 0)
        return [
            times(
                f"two hops around the hero, at most 50, among {facts:,} facts",
                await _often(partial(canon.neighbourhood, [hero], hops=2, limit=50), count),
            ),
            times(
                f"50 facts that hold at a time, among {facts:,}",
                await _often(partial(canon.facts_at, UNIVERSE, 480 + facts // 2, limit=50), count),
            ),
        ]
    finally:
        await stores.close()


async def _index(home: Path, many: int, count: int) -> list[Row]:
    """The nearest vectors and the best texts among `many` of each."""
    random, scope = np.random.default_rng(1), {"universe": UNIVERSE}
    stores = await open_stores(home)
    try:
        vectors, words = stores.vectors(Role.INDEXER), stores.words(Role.INDEXER)
        points = random.standard_normal((many, DIMENSION), dtype=np.float32)
        items = [VectorItem(f"{n}", point, scope) for n, point in enumerate(points)]
        await vectors.put("turns", items, model=MODEL)
        texts = random.zipf(1.2, (many, WORDS_A_TEXT)) % VOCABULARY
        await words.put("turns", [TextItem(f"{n}", _text(ranks), scope) for n, ranks in enumerate(texts)])
        near = partial(vectors.search, "turns", points[0], model=MODEL, k=NEAREST)
        first = await timed(near)
        said = partial(words.search, "turns", QUERY, k=NEAREST, scope=scope)
        return [
            Row(f"first search among {many:,} vectors of {DIMENSION} (they are read)", 1_000 * first),
            times(f"{NEAREST} nearest of {many:,} vectors of {DIMENSION}", await _often(near, count)),
            times(f"{NEAREST} best of {many:,} texts by words", await _often(said, count)),
        ]
    finally:
        await stores.close()


def _text(ranks: Iterable[int]) -> str:
    return " ".join(f"w{rank}" for rank in ranks)


async def _often(work: Callable[[], Awaitable[object]], count: int) -> list[float]:
    return [await timed(work) for _ in range(count)]
