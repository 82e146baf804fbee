"""`monitor reindex`: the words made anew from what is true, all or nothing, and the same every time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from monitor_tui.background_jobs import check_all_indexes, rebuild_word_index
from stores.authority import COLLECTIONS, Role, Store
from stores.errors import StoreFull, WriteDenied
from stores.open import Stores
from stores.ports import RebuildableTextIndex, TextHit, TextItem
from stores.records.play import MoveKind
from tests.contract import builders as make
from tests.libraries import fill, library, no_room_beyond
from tests.test_worked_examples import monitor


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "home") as opened:
        await fill(opened)
        yield opened


async def found(stores: Stores, collection: str, words: str, **scope: str) -> list[str]:
    hits: list[TextHit] = await stores.words(Role.NARRATOR).search(collection, words, k=99, scope=scope)
    return [hit.id for hit in hits]


async def run(stores: Stores) -> dict[str, int]:
    return await rebuild_word_index(stores, say=lambda _: None)


async def counts(stores: Stores) -> dict[str, int]:
    words = stores.words(Role.NARRATOR)
    return {name: await words.count(name) for name in COLLECTIONS[Store.WORDS]}


async def test_reindex_finds_what_is_true(stores: Stores) -> None:
    done = await run(stores)
    whole = {"turns": 6, "scenes": 4, "memories": 6, "entities": 4, "facts": 4, "snippets": 6}
    assert done == await counts(stores) == whole
    log, canon = stores.log(Role.NARRATOR), stores.canon(Role.NARRATOR)
    first, second = await canon.universes()
    (story,) = await log.stories(first.id)
    line = await log.line_tail((await log.scenes(story.id))[0].id, 99)
    # By its own words, and by those of the turn that answers it.
    assert set(await found(stores, "turns", "ring", universe=first.id)) == {line[0].id, line[1].id}
    (bell,) = await canon.find_entity(first.id, "the bell")
    assert await found(stores, "entities", "bell", universe=first.id) == [bell.id]
    assert len(await found(stores, "facts", "it was not so")) == 2
    assert await found(stores, "turns", "not ring", universe=second.id, story=story.id) == []


async def test_reindex_omits_undone_turns(stores: Stores) -> None:
    await run(stores)
    log = stores.log(Role.ORCHESTRATOR)
    (story,) = await log.stories((await stores.canon(Role.NARRATOR).universes())[0].id)
    scene = (await log.scenes(story.id))[0]
    (last,) = await log.line_tail(scene.id, 1)
    heron_turn = make.turn(scene, last, "A heron stands in the shallows.")
    await log.append_turn(heron_turn)
    await run(stores)
    assert set(await found(stores, "turns", "heron")) == {last.id, heron_turn.id}
    await log.move_head(scene.id, last.id, MoveKind.UNDO)
    await run(stores)
    assert await found(stores, "turns", "heron") == []


async def test_reindex_again_changes_nothing(stores: Stores) -> None:
    await stores.words(Role.INDEXER).put("turns", [TextItem("stranger", "heron", {})])
    first = await run(stores)
    before = {name: await found(stores, name, "ring bell book coast") for name in first}
    assert await run(stores) == first
    assert {name: await found(stores, name, "ring bell book coast") for name in first} == before
    assert await found(stores, "turns", "heron") == []


async def test_reindex_keeps_old_words_until_done(stores: Stores) -> None:
    words = stores.words(Role.INDEXER)
    await words.put("turns", [TextItem("old", "heron", {})])
    assert isinstance(words, RebuildableTextIndex)
    going, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[Sequence[TextItem]]:
        yield [TextItem("new", "bittern", {})]
        going.set()
        await go_on.wait()
        yield [TextItem("newer", "bittern", {})]

    task = asyncio.create_task(words.rebuild("turns", slowly()))
    await going.wait()
    assert (await found(stores, "turns", "heron"), await found(stores, "turns", "bittern")) == (["old"], [])
    go_on.set()
    assert await task == 2
    assert await found(stores, "turns", "heron") == []
    assert await found(stores, "turns", "bittern") == ["new", "newer"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["it cannot be read", "it is cancelled", "the disk is full", "no leave"])
async def test_reindex_that_fails_keeps_the_old_words(how: str, stores: Stores) -> None:
    await run(stores)
    before = await counts(stores)
    words: Any = stores.words(Role.NARRATOR if how == "no leave" else Role.INDEXER)
    reached = asyncio.Event()

    async def batches() -> AsyncIterator[Sequence[TextItem]]:
        for number in range(40):
            if number == 20 and how == "it cannot be read":
                raise OSError("Input/output error")
            if number == 20 and how == "it is cancelled":
                reached.set()
                await asyncio.Event().wait()
            yield [TextItem(f"{number}-{n}", f"word{n} " * 50, {}) for n in range(200)]

    if how == "the disk is full":
        with no_room_beyond(300_000), pytest.raises(StoreFull):
            await words.rebuild("turns", batches())
    elif how == "it is cancelled":
        task = asyncio.create_task(words.rebuild("turns", batches()))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        with pytest.raises(WriteDenied if how == "no leave" else OSError):
            await words.rebuild("turns", batches())
    assert await counts(stores) == before
    assert await run(stores) == before


async def test_reindex_overwrites_an_index_without_rebuild(stores: Stores) -> None:
    class Plain:
        """What the port asks for, and no more."""

        def __init__(self, role: Role) -> None:
            words = stores.words(role)
            self.put, self.delete, self.search = words.put, words.delete, words.search
            self.count, self.fingerprints = words.count, words.fingerprints

    plain = replace(stores, words=Plain)
    assert not isinstance(plain.words(Role.INDEXER), RebuildableTextIndex)
    assert await rebuild_word_index(plain, say=lambda _: None) == await counts(stores)
    assert (await counts(stores))["turns"] == 6


@pytest.mark.slow
async def test_reindex_command_recreates_a_lost_index(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with library(home) as stores:
        await fill(stores)
    (home / "index.db").write_bytes(b"no database")
    done = monitor(home, "reindex", "--words-only")
    assert done.stdout == "30 texts can be searched.\n"
    assert "6 turns" in done.stderr
    again = json.loads(monitor(home, "reindex", "--json").stdout)
    assert again["words"] == again["vectors"]
    assert again["words"]["snippets"] == 6
    async with library(home) as stores:
        assert dict(stores.health())[Store.WORDS] == "ok"
        assert len(await found(stores, "turns", "ring")) == 4, (
            "two say it in each world, or their neighbours do"
        )


@pytest.mark.slow
async def test_reindex_without_a_model_makes_words_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with library(home) as stores:
        await fill(stores)
    (home / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    told = json.loads(monitor(home, "reindex", "--json").stdout)
    assert (sum(told["words"].values()), told["vectors"]) == (30, None)


async def test_check_finds_what_differs_and_mends_nothing(stores: Stores) -> None:
    await run(stores)
    assert await check_all_indexes(stores, lambda _: None) == []
    words = stores.words(Role.INDEXER)
    (turn_id, *_) = await found(stores, "turns", "ring", universe=(await universe_ids(stores))[0])
    await words.delete("turns", [turn_id])
    await words.put("facts", [TextItem("stranger", "heron", {"universe": "gone"})])
    (entity_id, *_) = await words.fingerprints("entities")
    await words.put("entities", [TextItem(entity_id, "old", {"universe": (await universe_ids(stores))[0]})])
    before = await counts(stores)
    differences = await check_all_indexes(stores, lambda _: None)
    assert {(d.collection, d.missing, d.outdated, d.surplus) for d in differences} == {
        ("turns", 1, 0, 0),
        ("entities", 0, 1, 0),
        ("facts", 0, 0, 1),
    }
    assert next(d.examples for d in differences if d.collection == "facts") == ("stranger",)
    assert await counts(stores) == before


async def universe_ids(stores: Stores) -> list[str]:
    return [universe.id for universe in await stores.canon(Role.NARRATOR).universes()]


@pytest.mark.slow
async def test_check_command_says_what_differs_by_exit_code(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with library(home) as stores:
        await fill(stores)
    missing = monitor(home, "reindex", "--check", "--words-only", expect=1)
    assert "turns: " in missing.stdout
    assert "missing" in missing.stdout
    monitor(home, "reindex", "--words-only")
    assert monitor(home, "reindex", "--check").stdout == "The indexes agree with log and canon.\n"
    assert json.loads(monitor(home, "reindex", "--check", "--json").stdout) == []
