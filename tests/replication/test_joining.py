"""Joining a copy to servers: which belong together, which machine has the lease, and what is fetched."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stores.authority import Role, Store
from stores.errors import LibraryInUse, StoreError, StoreUnavailable
from stores.open import open_stores
from stores.records.ids import derive_id
from stores.records.workflow import Loop
from stores.replication import set_aside as aside
from stores.replication.join_errors import CopyDiverged
from stores.replication.open_replicated import open_replicated_stores
from tests.contract import builders as b
from tests.replication.fake_servers import (
    FakeServers,
    Fault,
    ManualSleep,
    SimulatedCrash,
    open_copy,
    open_fake_servers,
    read_everything,
    wait_until,
    wait_until_healthy,
)
from tests.replication.test_degraded import begin, hear, play, seen

pytestmark = pytest.mark.slow

SESSION = derive_id("loop", "main")


class Now:
    """The time of day."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def later(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


# --- a copy is made ---------------------------------------------------------------------------------


async def test_join_fetches_everything_on_another_machine(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "one", sleep=naps) as stores:
        scene, turn = await begin(stores)
        await play(stores, scene, turn, "Here.")
        log = stores.log(Role.ORCHESTRATOR)
        await log.record_transition(b.transition(SESSION, loop=Loop.MAIN))
    told: list[str] = []
    async with open_copy(far, tmp_path / "other", sleep=naps, on_progress=told.append) as stores:
        assert told == [
            "Fetching the library from its servers ...",
            "Copying The Salt Coast into the home folder ...",
            "Copying the library into the home folder ...",
        ]
        assert await read_everything(stores) == await read_everything(far.stores)
        far.down.update(Store)
        assert (await seen(stores, scene))[0] == ["I go on.", "Here."]
        last = await stores.log(Role.NARRATOR).loop_state(Loop.MAIN, SESSION)
        assert last is not None, "the Main Loop is of no universe, and comes along"


async def test_join_restarts_an_interrupted_fetch(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "one", sleep=naps) as stores:
        scene, _ = await begin(stores)

    def cut_off(store: Store, method: str, args: object) -> None:
        if method == "dump_all":
            far.down.add(Store.LOG)
            raise StoreUnavailable("The log server hung up.")

    far.refuse = cut_off
    with pytest.raises(StoreUnavailable, match="fetched from its servers first"):
        await open_replicated_stores(far.servers(), tmp_path / "other", sleep=naps)
    with pytest.raises(StoreUnavailable, match="fetched from its servers first"):
        await open_replicated_stores(far.servers(), tmp_path / "other", sleep=naps)
    far.refuse = lambda store, method, args: None
    far.down.clear()
    async with open_copy(far, tmp_path / "other", sleep=naps) as stores:
        assert (await seen(stores, scene))[0] == ["I go on."]


async def test_join_fetches_what_was_played_elsewhere(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    async with open_copy(far, one, sleep=naps) as stores:
        scene, turn = await begin(stores)
    async with open_copy(far, other, sleep=naps) as stores:
        turn = await play(stores, scene, turn, "Elsewhere.")
    async with open_copy(far, one, sleep=naps) as stores:
        far.down.update(Store)
        assert (await seen(stores, scene))[0] == ["I go on.", "Elsewhere."]
    far.down.clear()
    told: list[str] = []
    async with open_copy(far, one, sleep=naps, on_progress=told.append) as stores:
        assert told == [], "nobody else had it since: nothing is fetched"
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_join_recognises_a_migrated_library(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """The servers have the same universes as the home folder: it becomes their copy, and the old file is kept."""
    home = tmp_path / "home"
    stores = await open_stores(home)
    scene, _ = await begin(stores)
    parts: list[object] = []
    await stores.history.dump(scene.universe_id, lambda name, rows: parts.append((name, list(rows))))
    await stores.close()
    await far.stores.history.load(parts, mentioned_ids=())  # type: ignore[arg-type]
    told: list[str] = []
    async with open_copy(far, home, sleep=naps, on_progress=told.append) as opened:
        assert (await seen(opened, scene))[0] == ["I go on."]
    assert told[-1] == "What was in the home folder before is kept as library.set-aside-1.db."
    assert (home / "library.set-aside-1.db").exists()


async def test_join_refuses_an_unrelated_library(far: FakeServers, tmp_path: Path) -> None:
    stores = await open_stores(tmp_path / "home")
    await begin(stores)
    await stores.close()
    before = (tmp_path / "home" / "library.db").read_bytes()
    with pytest.raises(CopyDiverged, match="library of its own"):
        await open_replicated_stores(far.servers(), tmp_path / "home")
    far.down.update(Store)
    with pytest.raises(CopyDiverged, match="library of its own"):
        await open_replicated_stores(far.servers(), tmp_path / "home")
    assert (tmp_path / "home" / "library.db").read_bytes() == before


async def test_join_refuses_servers_of_another_library(far: FakeServers, tmp_path: Path) -> None:
    async with open_copy(far, tmp_path / "home") as stores:
        await begin(stores)
    async with open_fake_servers(tmp_path / "others") as others:
        async with open_copy(others, tmp_path / "elsewhere") as stores:
            await begin(stores)
        with pytest.raises(CopyDiverged, match="another library"):
            await open_replicated_stores(others.servers(), tmp_path / "home")
        theirs = others.servers()
        ways = {**theirs.connectors, Store.CANON: far.servers().connectors[Store.CANON]}
        with pytest.raises(CopyDiverged, match="two different libraries"):
            await open_replicated_stores(replace(theirs, connectors=ways), tmp_path / "home")


async def test_join_refuses_servers_that_lost_everything(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home") as stores:
        await begin(stores)
    async with open_fake_servers(tmp_path / "empty") as empty:
        with pytest.raises(CopyDiverged, match="has lost its library"):
            await open_replicated_stores(empty.servers(), tmp_path / "home")


async def test_join_refuses_servers_older_than_the_copy(far: FakeServers, tmp_path: Path) -> None:
    async with open_copy(far, tmp_path / "home") as stores:
        await begin(stores)
    await far.stores.close()
    shutil.copytree(tmp_path / "far", tmp_path / "earlier")
    async with open_fake_servers(tmp_path / "far") as again, open_copy(again, tmp_path / "home"):
        pass
    async with open_fake_servers(tmp_path / "earlier") as earlier:
        with pytest.raises(CopyDiverged, match="older than the copy"):
            await open_replicated_stores(earlier.servers(), tmp_path / "home")


async def test_join_refuses_an_offline_library_and_a_full_server(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "one", sleep=naps) as stores:
        await begin(stores)
    far.down.update(Store)
    async with open_copy(far, tmp_path / "other", sleep=naps) as stores:
        told = hear(stores)
        scene, turn = await begin(stores)
        far.down.clear()
        await wait_until(naps, lambda: "apart" in dict(stores.health())["log"])
        await play(stores, scene, turn, "On my own.")
        assert (await seen(stores, scene))[0] == ["I go on.", "On my own."]
        assert [n.severity for n in told if n.store is Store.LOG] == ["error"]
        assert "library of its own" in told[-1].text or any("library of its own" in n.text for n in told)


# --- one at a time ----------------------------------------------------------------------------------


async def test_lease_error_names_the_holder(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    now = Now()
    async with open_copy(far, tmp_path / "one", sleep=naps, now=now):
        now.later(10)
        with pytest.raises(LibraryInUse, match=r"process \d+.*last seen 10 s ago") as refusal:
            await open_replicated_stores(far.servers(), tmp_path / "other", sleep=naps, now=now)
        assert "35 s" in refusal.value.todo
    async with open_copy(far, tmp_path / "other", sleep=naps, now=now):
        pass


async def test_lease_expires_without_heartbeats(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    """The heartbeats have stopped. If the holder was only asleep, it finds out before it sends anything."""
    now = Now()
    async with open_copy(far, tmp_path / "one", sleep=naps, now=now) as asleep:
        told = hear(asleep)
        scene, turn = await begin(asleep)
        now.later(46)
        async with open_copy(far, tmp_path / "other", sleep=naps, now=now) as awake:
            theirs = await play(awake, scene, turn, "Mine now.")
            await play(asleep, scene, turn, "I slept.")
            assert {n.severity for n in told} == {"error"}
            assert all("has had this library since" in n.text for n in told)
            assert (await seen(asleep, scene))[0] == ["I go on.", "I slept."], "kept to itself"
            await play(awake, scene, theirs, "Still mine.")
            assert (await seen(awake, scene))[0] == ["I go on.", "Mine now.", "Still mine."]
            assert await read_everything(awake) == await read_everything(far.stores)
    with pytest.raises(CopyDiverged, match="something never sent") as refusal:
        await open_replicated_stores(far.servers(), tmp_path / "one", sleep=naps, now=now)
    assert "set-aside" in refusal.value.todo


async def test_lease_of_a_crashed_process_of_this_home_is_taken_at_once(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    now = Now()
    with contextlib.suppress(SimulatedCrash):
        async with open_copy(far, tmp_path / "one", sleep=naps, now=now):
            far.is_disconnected = True  # it leaves without ending its lease
    far.is_disconnected = False
    async with open_copy(far, tmp_path / "one", sleep=naps, now=now):
        pass


async def test_lease_heartbeats_are_written_while_idle(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    now = Now()
    async with open_copy(far, tmp_path / "one", sleep=naps, now=now):
        for _ in range(10):
            now.later(15)
            beats = far.calls.count((Store.LOG, "save_checkpoint"))
            await wait_until(naps, lambda b=beats: far.calls.count((Store.LOG, "save_checkpoint")) > b)  # type: ignore[misc]
        with pytest.raises(LibraryInUse):
            await open_replicated_stores(far.servers(), tmp_path / "other", sleep=naps, now=now)


async def test_lease_error_names_clocks_that_disagree(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    ahead, now = Now(), Now()
    ahead.later(3600)
    async with open_copy(far, tmp_path / "one", sleep=naps, now=ahead):
        with pytest.raises(LibraryInUse, match="by its clock") as refusal:
            await open_replicated_stores(far.servers(), tmp_path / "other", sleep=naps, now=now)
        assert "clocks" in refusal.value.todo


async def test_lease_is_given_to_one_of_two_at_once(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """Both find no lease; the server accepts only one."""
    opened = await asyncio.gather(
        *(open_replicated_stores(far.servers(), tmp_path / name, sleep=naps) for name in ("one", "other")),
        return_exceptions=True,
    )
    held = [stores for stores in opened if not isinstance(stores, BaseException)]
    refused = [error for error in opened if isinstance(error, StoreError)]
    assert len(held) == len(refused) == 1
    await held[0].close()


async def test_join_refuses_when_both_sides_were_played(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """Opened with the log's server down, while another machine plays: nothing of this copy may be sent."""
    async with open_copy(far, tmp_path / "one", sleep=naps) as stores:
        scene, turn = await begin(stores)
    far.down.update(Store)
    async with open_copy(far, tmp_path / "one", sleep=naps) as offline:
        far.down.clear()
        async with open_copy(far, tmp_path / "other", sleep=naps) as stores:
            await play(stores, scene, turn, "Elsewhere.")
        far.down.add(Store.CANON)  # the log's server alone shows that something is missing here
        await wait_until(naps, lambda: "apart" in dict(offline.health())["log"])
        far.down.clear()
        await play(offline, scene, turn, "Here.")
        assert (await seen(offline, scene))[0] == ["I go on.", "Here."]
        there = far.stores.log(Role.NARRATOR)
        assert [t.text for t in await there.line_tail(scene.id, 9)] == ["I go on.", "Elsewhere."]


async def test_join_survives_faults(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    """However far joining comes before the server fails, play begins, and the copy is joined later."""
    for number in range(12):
        home = tmp_path / f"home {number}"
        async with open_fake_servers(tmp_path / f"far {number}") as one:
            one.faults[Store.LOG].extend([None] * number + [Fault.LOST_ANSWER])
            async with open_copy(one, home, sleep=naps) as stores:
                scene, turn = await begin(stores)
                await wait_until_healthy(stores, naps)
                await play(stores, scene, turn, "Played.")
                await wait_until_healthy(stores, naps)
                assert await read_everything(stores) == await read_everything(one.stores)
            async with open_copy(one, home, sleep=naps) as stores:
                assert all(state == "ok" for _, state in stores.health())


# --- a copy is no library of its own, unless it is set aside ----------------------------------------


async def test_copy_is_not_opened_as_a_library_of_its_own(far: FakeServers, tmp_path: Path) -> None:
    """What was played then would never be sent to the servers."""
    async with open_copy(far, tmp_path / "home") as stores:
        await begin(stores)
    with pytest.raises(CopyDiverged, match="copy of a library"):
        await open_stores(tmp_path / "home")
    for on in ([Store.LOG], [Store.CANON], [Store.WORDS]):
        with pytest.raises(CopyDiverged, match="copy of a library"):
            await open_replicated_stores(far.servers(*on), tmp_path / "home")


async def test_set_aside_keeps_everything_and_fetches_anew(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    async with open_copy(far, home, sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.update(Store)
        await play(stores, scene, turn, "Never sent.")
        document = await stores.objects(Role.INGEST).put("originals", b"a book")
    far.down.clear()
    place, waiting = await aside.inspect_copy(home)
    assert place.joined_stores == {Store.LOG, Store.CANON}
    assert waiting[Store.CANON] == 1
    kept = await aside.set_aside_copy(home)
    async with open_copy(far, home, sleep=naps) as stores:
        await wait_until_healthy(stores, naps)
        assert (await seen(stores, scene))[0] == ["I go on."]
        assert await far.stores.objects(None).get("originals", document) == b"a book"
    (tmp_path / "aside").mkdir()
    kept.rename(tmp_path / "aside" / "library.db")
    own = await open_stores(tmp_path / "aside")
    assert (await seen(own, scene))[0] == ["I go on.", "Never sent."]
    await own.close()


async def test_copy_fetched_anew_still_sends_its_documents(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    one = tmp_path / "one"
    async with open_copy(far, one, sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.add(Store.OBJECTS)
        document = await stores.objects(Role.INGEST).put("originals", b"a book")
    async with open_copy(far, tmp_path / "other", sleep=naps) as stores:
        await play(stores, scene, turn, "Elsewhere.")
    async with open_copy(far, one, sleep=naps) as stores:
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert (await seen(stores, scene))[0] == ["I go on.", "Elsewhere."]
        assert await far.stores.objects(None).get("originals", document) == b"a book"
