"""With any server down: one notice, play goes on, recovery without help, and nothing lost or doubled."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from monitor_tui.background_jobs import rebuild_word_index
from stores.authority import Role, Store
from stores.embedded.database import Database
from stores.errors import NotFound, StoreError, StoreFull, StoreUnavailable, WriteDenied
from stores.ports import TextItem, VectorItem
from stores.queries import ProposalQuery
from stores.records.base import Record
from stores.records.ids import SteppingClock
from stores.records.play import MoveKind, Scene, Turn
from stores.records.workflow import ProposalStatus
from stores.replication.connection import Timeouts
from stores.stores import StoreNotice, Stores
from tests.contract import builders as b
from tests.replication.fake_servers import (
    SHORT_TIMEOUTS,
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

pytestmark = pytest.mark.slow

TRUTH = (Store.LOG, Store.CANON)


class Told(list[StoreNotice]):
    """The notices of the stores."""

    def severities(self, store: Store) -> list[str]:
        return [notice.severity for notice in self if notice.store is store]


def hear(stores: Stores) -> Told:
    told = Told()
    stores.add_notice_listener(told.append)
    return told


async def begin(stores: Stores) -> tuple[Scene, Turn]:
    """Create a universe, and append the first turn of a scene in it."""
    await stores.canon(Role.CANON_KEEPER).commit(b.batch(universe=b.universe()))
    log = stores.log(Role.ORCHESTRATOR)
    story = b.story()
    scene = b.scene(story)
    first = b.turn(scene)
    await log.put_story(story)
    await log.create_scene(scene)
    await log.append_turn(first)
    return scene, first


async def play(stores: Stores, scene: Scene, after: Turn, words: str) -> Turn:
    """Append a turn, stage a proposal and commit it: writes to log and canon as in play."""
    turn = b.turn(scene, after, words)
    proposal = b.proposal(scene, turn)
    await stores.log(Role.ORCHESTRATOR).append_turn(turn)
    await stores.log(Role.RESOLVER).stage([proposal])
    keeper, canon = stores.log(Role.CANON_KEEPER), stores.canon(Role.CANON_KEEPER)
    await keeper.decide({proposal.id: b.decision()})
    who = b.entity(f"Who said: {words}")
    plan = b.canonization(b.outcome(proposal), of=scene, batch=b.batch(entities=(who,)))
    await keeper.plan_canonization(plan)
    await canon.commit(plan.batch)
    await keeper.mark_written(plan.id)
    await keeper.close_canonization(plan, [who.id])
    return turn


async def seen(stores: Stores, scene: Scene) -> tuple[list[str], list[ProposalStatus], list[str]]:
    """Return what a reader sees: the line, the proposals, the entities."""
    log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)
    return (
        [turn.text for turn in await log.line_tail(scene.id, 100)],
        [proposal.status for proposal in await log.proposals(ProposalQuery(scene_id=scene.id))],
        [entity.name for entity in await canon.entities(scene.universe_id)],
    )


@pytest.mark.parametrize("stopped", [(Store.LOG,), (Store.CANON,), TRUTH])
@pytest.mark.parametrize("way", ["refuses", "hangs", "loses the answer", "is full"])
async def test_outage_during_play_loses_nothing(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, stopped: tuple[Store, ...], way: str
) -> None:
    patience = SHORT_TIMEOUTS if way == "hangs" else Timeouts()
    async with open_copy(far, tmp_path / "home", sleep=naps, timeouts=patience) as stores:
        told = hear(stores)
        scene, turn = await begin(stores)
        turn = await play(stores, scene, turn, "Before.")
        fault = {"hangs": Fault.HANGS_BEFORE, "loses the answer": Fault.LOST_ANSWER, "is full": Fault.FULL}
        for store in stopped:
            if way in fault:
                far.faults[store].append(fault[way])
        if way not in fault:
            far.down.update(stopped)
        turn = await play(stores, scene, turn, "Meanwhile.")
        far.down.update(stopped)
        turn = await play(stores, scene, turn, "Still.")
        lines, statuses, people = await seen(stores, scene)
        assert lines == ["I go on.", "Before.", "Meanwhile.", "Still."]
        assert statuses == [ProposalStatus.ACCEPTED] * 3
        assert len(people) == 3
        await wait_until(naps, lambda: all("down since" in dict(stores.health())[s] for s in stopped))
        far.down.clear()
        await wait_until_healthy(stores, naps)
        await play(stores, scene, turn, "After.")
        for store in stopped:
            assert told.severities(store) == ["warning", "information"], "once down, once back"
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_outage_before_play_lets_play_begin(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """At the very first start there is nothing to fetch, so play begins."""
    far.down.update(Store)
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        told = hear(stores)
        scene, turn = await begin(stores)
        await play(stores, scene, turn, "Alone.")
        assert all("down since" in state for _, state in stores.health())
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert {notice.severity for notice in told} == {"information"}
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_outage_survives_a_restart(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.add(Store.CANON)
        turn = await play(stores, scene, turn, "One.")
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        turn = await play(stores, scene, turn, "Two.")
        assert (await seen(stores, scene))[0] == ["I go on.", "One.", "Two."]
        assert "to send" in dict(stores.health())["canon"]
    far.down.clear()
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        await wait_until_healthy(stores, naps)
        assert (await seen(stores, scene))[0] == ["I go on.", "One.", "Two."]
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_outbox_sends_a_commit_after_its_plan(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """With the log's server down, canon's server gets no commit whose plan the log does not have."""
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.add(Store.LOG)
        await play(stores, scene, turn, "Unplanned.")
        there = far.stores.canon(Role.CONTEXT_ASSEMBLY)
        assert await there.entities(scene.universe_id) == []
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert len(await there.entities(scene.universe_id)) == 1


async def test_write_refused_by_the_server_is_kept_nowhere(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene, first = await begin(stores)

        def strict(store: Store, method: str, args: object) -> None:
            if method == "append_turn":
                raise WriteDenied("This user may not write to turns.")

        far.refuse = strict
        log = stores.log(Role.ORCHESTRATOR)
        with pytest.raises(WriteDenied, match="This user may not"):
            await log.append_turn(b.turn(scene, first))
        assert await log.line_length(scene.id) == 1
        await log.put_story((await log.story(scene.story_id)).model_copy(update={"title": "Another"}))
        assert dict(stores.health())["log"] == "ok"
        far.down.add(Store.LOG)
        assert await log.line_length(scene.id) == 1, "the copy has it neither"
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_outbox_entry_refused_late_is_kept_and_retried(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        told = hear(stores)
        scene, first = await begin(stores)
        far.down.add(Store.LOG)
        second = await play(stores, scene, first, "Kept.")

        def strict(store: Store, method: str, args: object) -> None:
            if method == "append_turn":
                raise WriteDenied("This user may not write to turns.")

        far.refuse = strict
        far.down.clear()
        await wait_until(naps, lambda: "apart" in dict(stores.health())["log"])
        for _ in range(50):
            await naps.let_time_pass()
            await asyncio.sleep(0.001)
        assert told.severities(Store.LOG) == ["warning", "error"], "and said once, however often it is tried"
        await play(stores, scene, second, "Played on.")
        assert (await seen(stores, scene))[0] == ["I go on.", "Kept.", "Played on."]
        far.refuse = lambda store, method, args: None
        await wait_until_healthy(stores, naps)
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_reads_use_the_server_while_it_has_everything(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene, first = await begin(stores)
        far.calls.clear()
        await seen(stores, scene)
        assert (Store.LOG, "line_tail") in far.calls
        assert (Store.CANON, "entities") in far.calls
        far.down.add(Store.CANON)
        await play(stores, scene, first, "Kept.")
        far.down.clear()
        far.calls.clear()
        assert (await seen(stores, scene))[0] == ["I go on.", "Kept."]
        assert (Store.LOG, "line_tail") not in far.calls, "it is behind"


async def test_degraded_not_found_is_no_outage(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        with pytest.raises(NotFound):
            await stores.log(Role.NARRATOR).turn(b.new_id())
        assert all(state == "ok" for _, state in stores.health())


async def test_outage_without_an_answer_is_detected(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """Nobody plays, and the outage is still reported."""
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        told = hear(stores)
        far.down.add(Store.CANON)
        await wait_until(naps, lambda: bool(told))
        assert told.severities(Store.CANON) == ["warning"]


@pytest.mark.timeout(30)
async def test_closing_ends_though_a_driver_loses_the_cancellation(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.update(TRUTH)
        await play(stores, scene, turn, "Meanwhile.")
        far.faults[Store.LOG].append(Fault.LOSES_CANCELLATION)
        far.down.clear()
        await wait_until(naps, lambda: not far.faults[Store.LOG])
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        await wait_until_healthy(stores, naps)
        assert (await seen(far.stores, scene))[0] == ["I go on.", "Meanwhile."]


async def test_probes_become_less_frequent(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    far.down.add(Store.WORDS)
    async with open_copy(far, tmp_path / "home", Store.WORDS, sleep=naps):
        await wait_until(naps, lambda: len(naps.requested_seconds) >= 8)
        assert naps.requested_seconds[:8] == [1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0, 30.0]


async def test_write_of_a_cancelled_caller_is_finished(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps, timeouts=SHORT_TIMEOUTS) as stores:
        scene, first = await begin(stores)
        far.faults[Store.LOG].append(Fault.HANGS_AFTER)
        caller = asyncio.create_task(play(stores, scene, first, "Going."))
        await asyncio.sleep(0.01)
        caller.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await caller
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        await wait_until_healthy(stores, naps)
        assert [turn.text for turn in await stores.log(Role.NARRATOR).line_tail(scene.id, 9)] == [
            "I go on.",
            "Going.",
        ]
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_import_goes_to_both_servers_or_waits(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    universe = b.universe()
    parts: list[tuple[str, list[Record]]] = [
        ("universes", [universe]),
        ("entities", [b.entity("Mara"), b.entity("Jon")]),
    ]
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        assert await stores.history.load(iter(parts), mentioned_ids=[universe.id]) == set()
        assert await read_everything(stores) == await read_everything(far.stores)
        assert await stores.history.load(iter(parts), mentioned_ids=[universe.id]) == {universe.id}
        far.down.add(Store.CANON)
        other = b.universe(id=b.new_id(), name="Another")
        assert await stores.history.load([("universes", [other])], mentioned_ids=[other.id]) == set()
        names = [u.name for u in await stores.canon(Role.NARRATOR).universes()]
        assert names == ["The Salt Coast", "Another"]
        assert await stores.history.load([("universes", [other])], mentioned_ids=[other.id]) == {other.id}
        far.down.clear()
        far.faults[Store.LOG].extend([Fault.LOST_ANSWER] * 3)
        await wait_until_healthy(stores, naps)
        assert await read_everything(stores) == await read_everything(far.stores)
        assert list((tmp_path / "home" / "outbox").iterdir()) == []


async def test_head_move_during_an_outage_keeps_its_time(tmp_path: Path, naps: ManualSleep) -> None:
    clock = SteppingClock(datetime(2026, 1, 1, tzinfo=UTC))
    async with (
        open_fake_servers(tmp_path / "far", clock=clock) as far,
        open_copy(far, tmp_path / "home", sleep=naps) as stores,
    ):
        scene, first = await begin(stores)
        await play(stores, scene, first, "Taken back.")
        far.down.add(Store.LOG)
        await stores.log(Role.ORCHESTRATOR).move_head(scene.id, first.id, MoveKind.UNDO)
        (*_, made) = await stores.log(Role.NARRATOR).head_moves(scene.id)
        clock(), clock()
        far.down.clear()
        await wait_until_healthy(stores, naps)
        (*_, sent) = await far.stores.log(Role.NARRATOR).head_moves(scene.id)
        assert sent == made


async def append_without_room(stores: Stores, home: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Append a turn that the server has, and for which the disk here is full; return its scene."""
    scene, first = await begin(stores)
    real, library, calls = Database._write, home / "library.db", itertools.count()

    def no_room(db: Database, connection: Any, work: Any, who: str) -> Any:
        if db.path == library and next(calls):  # the first is the note that the server is asked
            raise StoreFull("The disk is full.")
        return real(db, connection, work, who)

    with monkeypatch.context() as full:
        full.setattr(Database, "_write", no_room)
        await stores.log(Role.ORCHESTRATOR).append_turn(b.turn(scene, first, "There."))
    return scene


async def test_full_disk_here_keeps_what_the_server_accepted(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has the write and the copy has no room: it is applied when there is room."""
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene = await append_without_room(stores, tmp_path / "home", monkeypatch)
        far.down.add(Store.LOG)
        assert (await seen(stores, scene))[0] == ["I go on.", "There."]
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_full_disk_here_and_another_server_that_comes_back(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the copy had no room for is applied before it counts as sent, though nobody reads meanwhile."""
    async with open_copy(far, tmp_path / "home", *TRUTH, sleep=naps) as stores:
        scene = await append_without_room(stores, tmp_path / "home", monkeypatch)
        far.down.add(Store.CANON)
        await wait_until(naps, lambda: "down" in dict(stores.health())["canon"])
        far.down.clear()
        await wait_until_healthy(stores, naps)
        far.down.add(Store.LOG)
        assert (await seen(stores, scene))[0] == ["I go on.", "There."]
        assert await read_everything(stores) == await read_everything(far.stores)


async def test_kill_while_a_server_is_back_and_another_hangs(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Canon has a commit and says nothing; the log's server comes back, and the process is killed: both have it."""
    home, patience = tmp_path / "home", Timeouts(write=1.0, close=0.2)
    real, library = Database._write, home / "library.db"

    def killed(db: Database, connection: Any, work: Any, who: str) -> Any:
        if db.path == library:
            raise SimulatedCrash
        return real(db, connection, work, who)

    stores = open_copy(far, home, *TRUTH, sleep=naps, timeouts=patience)
    opened = await stores.__aenter__()
    scene, _ = await begin(opened)
    far.faults[Store.CANON].append(Fault.HANGS_AFTER)
    batch = b.batch(entities=(b.entity("Who came in"),))
    commit = asyncio.ensure_future(opened.canon(Role.CANON_KEEPER).commit(batch))
    # No time passes for the copy itself: a probe of the server would take the fault.
    await wait_until(ManualSleep(), lambda: not far.faults[Store.CANON])
    far.down.add(Store.LOG)
    assert (await seen(opened, scene))[0] == ["I go on."]
    far.down.clear()
    for _ in range(200):  # the server is found again, and all that may be sent is sent
        await naps.let_time_pass()
        await asyncio.sleep(0.001)
    assert not commit.done()
    with monkeypatch.context() as dead:
        dead.setattr(Database, "_write", killed)
        with contextlib.suppress(BaseException):
            await commit
        with contextlib.suppress(BaseException):
            await stores.__aexit__(None, None, None)
    async with open_copy(far, home, *TRUTH, sleep=naps) as again:
        await wait_until_healthy(again, naps)
        assert (await seen(again, scene))[2] == ["Who came in"]
        assert await read_everything(again) == await read_everything(far.stores)


async def test_divergence_of_a_scene_is_reported(far: FakeServers, naps: ManualSleep, tmp_path: Path) -> None:
    """Another program changed the server meanwhile, which is reported."""
    home = tmp_path / "home"
    async with open_copy(far, home, sleep=naps) as stores:
        told = hear(stores)
        scene, _ = await begin(stores)
        far.down.add(Store.LOG)
        await far.stores.log(Role.ORCHESTRATOR).move_head(scene.id, None, MoveKind.UNDO)
        again = b.turn(scene, None, "Once more.")
        await stores.log(Role.ORCHESTRATOR).append_turn(again, MoveKind.BRANCH)
        far.down.clear()
        await wait_until(naps, lambda: "apart" in dict(stores.health())["log"])
        assert "otherwise of 1 scene" in told[-1].text
        await play(stores, scene, again, "By the server.")
    async with open_copy(far, home, sleep=naps) as stores:
        assert all(state == "ok" for _, state in stores.health())
        assert await read_everything(stores) == await read_everything(far.stores)


@pytest.mark.parametrize("on", [TRUTH, (Store.LOG,), (Store.CANON,), (Store.WORDS, Store.OBJECTS)])
async def test_stores_on_servers_may_be_any_subset(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, on: tuple[Store, ...]
) -> None:
    async with open_copy(far, tmp_path / "home", *on, sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.update(on)
        await play(stores, scene, turn, "Meanwhile.")
        await stores.words(Role.INDEXER).put("turns", [TextItem("a", "bell", {})])
        key = await stores.objects(Role.INGEST).put("originals", b"a book")
        far.down.clear()
        await wait_until_healthy(stores, naps)
        shown = await seen(stores, scene)
        assert shown[0] == ["I go on.", "Meanwhile."]
        assert shown[2] == ["Who said: Meanwhile."]
        assert await stores.words(Role.INDEXER).count("turns") == 1
        there_log, there_canon = far.stores.log(Role.NARRATOR), far.stores.canon(Role.NARRATOR)
        assert len(await there_log.stories()) == (Store.LOG in on)
        assert len(await there_canon.universes()) == (Store.CANON in on)
        assert await far.stores.words(Role.INDEXER).count("turns") == (Store.WORDS in on)
        assert await far.stores.objects(None).exists("originals", key) == (Store.OBJECTS in on)
    async with open_copy(far, tmp_path / "home", *on, sleep=naps) as stores:
        assert await seen(stores, scene) == shown


# --- what is derived, and documents -----------------------------------------------------------------


async def test_index_writes_wait_and_search_reports_the_outage(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        told = hear(stores)
        words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)
        await words.put("turns", [TextItem("a", "the bell under the lamp", {})])
        await vectors.put("turns", [VectorItem("a", [1.0, 0.0], {"scene": "s"})], model="m")
        far.down |= {Store.WORDS, Store.VECTORS}
        await words.put("turns", [TextItem("b", "a second bell \ud800", {})])
        await words.delete("turns", {"a"})
        await vectors.put("turns", [VectorItem("b", [0.0, 1.0], {}, token_codes=b"\xff\x00")], model="m")
        with pytest.raises(StoreUnavailable):
            await words.search("turns", "bell")
        with pytest.raises(StoreUnavailable):
            await vectors.search("turns", [1.0, 0.0], model="m")
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert [hit.id for hit in await words.search("turns", "bell")] == ["b"]
        assert await vectors.count("turns", model="m") == 2
        assert await vectors.token_codes("turns", ["a", "b"], model="m") == {"b": b"\xff\x00"}
        assert told.severities(Store.WORDS) == ["warning", "information"]
        assert told.severities(Store.VECTORS) == ["warning", "information"]


async def test_index_refusal_reaches_only_its_caller(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        with pytest.raises(WriteDenied):
            await stores.words(Role.NARRATOR).put("turns", [TextItem("a", "no", {})])
        with pytest.raises(StoreError, match="finite"):
            await stores.vectors(Role.INDEXER).put("turns", [VectorItem("a", [float("nan")], {})], model="m")
        assert all(state == "ok" for _, state in stores.health())


async def test_documents_are_kept_here_and_sent_later(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        objects, there = stores.objects(Role.INGEST), far.stores.objects(None)
        first = await objects.put("originals", b"one")
        far.down.add(Store.OBJECTS)
        second = await objects.put("originals", b"two")
        assert await objects.put("originals", b"two") == second
        assert await objects.get("originals", first) == b"one"
        assert await objects.get("originals", second) == b"two"
        assert sorted(await objects.keys("originals")) == sorted([first, second])
        assert await there.keys("originals") == [first]
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert sorted(await there.keys("originals")) == sorted([first, second])


async def test_document_from_the_server_is_fetched_and_kept(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    key = await far.stores.objects(Role.INGEST).put("originals", b"from elsewhere")
    other = await far.stores.objects(Role.INGEST).put("originals", b"never looked at")
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        objects = stores.objects(Role.NARRATOR)
        assert await objects.exists("originals", key)
        assert await objects.get("originals", key) == b"from elsewhere"
        far.down.add(Store.OBJECTS)
        assert await objects.get("originals", key) == b"from elsewhere"
        with pytest.raises(StoreUnavailable):
            await objects.get("originals", other)
        with pytest.raises(WriteDenied):
            await objects.put("originals", b"no")


@pytest.mark.parametrize("fault", [Fault.CRASH_BEFORE, Fault.CRASH_AFTER])
async def test_document_put_survives_a_crash(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, fault: Fault
) -> None:
    stores = open_copy(far, tmp_path / "home", sleep=naps)
    opened = await stores.__aenter__()
    far.faults[Store.OBJECTS].append(fault)
    with pytest.raises(SimulatedCrash):
        await opened.objects(Role.INGEST).put("originals", b"cut off")
    with contextlib.suppress(BaseException):
        await stores.__aexit__(None, None, None)
    far.is_disconnected = False
    async with open_copy(far, tmp_path / "home", sleep=naps) as again:
        await wait_until_healthy(again, naps)
        await asyncio.sleep(0.01)
        here = await again.objects(Role.INGEST).keys("originals")
        assert here == await far.stores.objects(None).keys("originals")


# --- the ports --------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", [Store.LOG, Store.CANON, Store.VECTORS, Store.WORDS])
async def test_replicated_handles_have_every_port_method(
    far: FakeServers, tmp_path: Path, store: Store
) -> None:
    """The replicated handles have the methods of the embedded ones, with the same parameters."""
    twin = getattr(far.stores, store.value)(Role.ORCHESTRATOR)
    public = {name for name in dir(twin) if not name.startswith("_") and callable(getattr(twin, name))}
    # Not of the ports: servers' words are overwritten (RebuildableTextIndex), and their changes have no numbers.
    public -= {"rebuild", "read_cursor", "write_cursor"}
    async with open_copy(far, tmp_path / "home") as stores:
        handle = getattr(stores, store.value)(Role.ORCHESTRATOR)
        assert {name for name in public if not hasattr(handle, name)} == set()
        for name in public:
            parameters = [*inspect.signature(getattr(handle, name)).parameters]
            assert parameters == [*inspect.signature(getattr(twin, name)).parameters], name
        assert not hasattr(handle, "truncate")


async def test_reindex_rebuilds_words_on_the_server(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene, turn = await begin(stores)
        await stores.words(Role.INDEXER).put("turns", [TextItem("gone", "I go on.", {})])
        await rebuild_word_index(stores, say=lambda line: None)
        hits = await stores.words(Role.INDEXER).search("turns", "go", scope={"scene": scene.id})
        assert [hit.id for hit in hits] == [turn.id]
        assert await stores.words(Role.INDEXER).count("turns") == 1
        far.down.add(Store.WORDS)
        with pytest.raises(StoreUnavailable):
            await rebuild_word_index(stores, say=lambda line: None)


async def test_adapter_fault_in_a_read_is_no_outage(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    """The copy answers in its place every time, and there is no notice of an outage."""
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        told = hear(stores)
        scene, _ = await begin(stores)

        def broken(store: Store, method: str, args: object) -> None:
            if method == "line_tail":
                raise KeyError("a fault of the adapter's own")

        far.refuse = broken
        for _ in range(5):
            assert (await seen(stores, scene))[0] == ["I go on."]
            await naps.let_time_pass()
        assert told == []
        assert all(state == "ok" for _, state in stores.health())
