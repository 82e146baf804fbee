"""Any writes, with any faults of servers and any crash of the process: nothing is lost or doubled.

The same writes go to a library without servers, which the copy and the servers must equal in the end.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stores.authority import Role, Store
from stores.embedded.database import Database
from stores.errors import MonitorError
from stores.open import open_stores
from stores.records.canon import FactChange, FactStatus
from stores.records.play import MoveKind, Scene, Speaker, Turn
from stores.records.workflow import CanonizationState
from stores.stores import Stores
from tests.contract import builders as b
from tests.replication.fake_servers import (
    VERY_SHORT_TIMEOUTS,
    FakeServers,
    Fault,
    ManualSleep,
    SimulatedCrash,
    open_copy,
    open_fake_servers,
    read_everything,
    wait_until_healthy,
)

pytestmark = pytest.mark.slow

START = datetime(2026, 1, 1, tzinfo=UTC)
TRUTH = (Store.LOG, Store.CANON)


class Clock:
    """A clock that stands still during a step, so that both libraries have the same times."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


Write = Callable[[Stores], Coroutine[Any, Any, None]]


class LogHandles:
    """What was played so far; makes the next write from a few numbers."""

    def __init__(self) -> None:
        self.story = b.story()
        self.scenes: list[Scene] = [b.scene(self.story)]
        self.turns: list[Turn] = []
        self.proposals = [b.proposal(self.scenes[0])]
        self.canonizations = [b.canonization(b.outcome(self.proposals[0]), of=self.scenes[0])]
        self.facts = [b.fact("It is so.", b.entity())]

    def write(self, kind: str, x: int, y: int) -> Write:
        return getattr(self, f"_{kind}")(x, y)  # type: ignore[no-any-return]

    def _turn(self, x: int, y: int) -> Write:
        turn = self._new_turn(x, y)
        kind = (MoveKind.APPEND, MoveKind.TAKE)[y % 2]
        return lambda s: s.log(Role.ORCHESTRATOR).append_turn(turn, kind)

    def _told(self, x: int, y: int) -> Write:
        turn = self._new_turn(x, y).model_copy(update={"speaker": Speaker.GM})
        return lambda s: s.log(Role.NARRATOR).append_gm_turn(turn, MoveKind.BRANCH)

    def _exchange(self, x: int, y: int) -> Write:
        turn = self._new_turn(x, y)
        moves = [b.transition(turn.id)]
        return lambda s: s.log(Role.ORCHESTRATOR).begin_exchange(
            turn, MoveKind.TAKE, b.checkpoint(turn, at=START), moves
        )

    def _finish(self, x: int, y: int) -> Write:
        turn = self._any_turn(x)
        return lambda s: s.log(Role.ORCHESTRATOR).finish_exchange(turn.exchange_id)

    def _head(self, x: int, y: int) -> Write:
        turn = self._any_turn(x)
        to = None if y == 0 else turn.id
        return lambda s: s.log(Role.ORCHESTRATOR).move_head(turn.scene_id, to, MoveKind.UNDO)

    def _retitle(self, x: int, y: int) -> Write:
        return lambda s: s.log(Role.ORCHESTRATOR).put_story(
            self.story.model_copy(update={"title": f"Title {x} {y}"})
        )

    def _scene(self, x: int, y: int) -> Write:
        scene = b.scene(self.story, order=len(self.scenes) + 1)
        self.scenes.append(scene)
        return lambda s: s.log(Role.ORCHESTRATOR).create_scene(scene)

    def _rescene(self, x: int, y: int) -> Write:
        scene = self._any_scene(x).model_copy(update={"summary": f"So it went: {y}."})
        return lambda s: s.log(Role.ORCHESTRATOR).update_scene(scene)

    def _stage(self, x: int, y: int) -> Write:
        proposal = b.proposal(self._any_scene(x), self._any_turn(y) if y else None)
        self.proposals.append(proposal)
        return lambda s: s.log(Role.RESOLVER).stage([proposal])

    def _decide(self, x: int, y: int) -> Write:
        proposal, decision = self.proposals[x % len(self.proposals)], b.decision() if y % 3 else None
        return lambda s: s.log(Role.CANON_KEEPER).decide({proposal.id: decision})

    def _plan(self, x: int, y: int) -> Write:
        proposal = self.proposals[x % len(self.proposals)]
        self.canonizations.append(b.canonization(b.outcome(proposal), of=self._any_scene(y)))
        return lambda s, c=self.canonizations[-1]: s.log(Role.CANON_KEEPER).plan_canonization(c)  # type: ignore[misc]

    def _written(self, x: int, y: int) -> Write:
        chosen = self.canonizations[x % len(self.canonizations)]
        return lambda s: s.log(Role.CANON_KEEPER).mark_written(chosen.id)

    def _close(self, x: int, y: int) -> Write:
        chosen = self.canonizations[x % len(self.canonizations)]
        if y % 4 == 0:
            chosen = chosen.model_copy(update={"state": CanonizationState.DROPPED})
        return lambda s: s.log(Role.CANON_KEEPER).close_canonization(chosen, [f"outcome {y}"])

    def _commit(self, x: int, y: int) -> Write:
        who = b.entity(f"Person {x}")
        fact, evidence = b.fact(f"{who.name} does {y}.", who), b.evidence()
        self.facts.append(fact)
        batch = b.batch(
            universe=b.universe(name=f"World {x}"),
            entities=(who,),
            facts=(fact,),
            evidence=(evidence,),
            supports=(b.support(fact, evidence),),
        )
        return lambda s: s.canon(Role.CANON_KEEPER).commit(batch)

    def _retcon(self, x: int, y: int) -> Write:
        status = FactStatus.RETCONNED if y % 2 else FactStatus.CANONICAL
        change = FactChange(fact_id=self.facts[x % len(self.facts)].id, status=status, valid_to=y)
        batch = b.batch(fact_changes=(change,))
        return lambda s: s.canon(Role.CANON_KEEPER).commit(batch)

    def _node(self, x: int, y: int) -> Write:
        node = b.story_node(title=f"Node {x}")
        return lambda s: s.canon(Role.ORCHESTRATOR).create_story_node(node)

    def _denied(self, x: int, y: int) -> Write:
        if x % 2:
            return lambda s: s.log(Role.NARRATOR).put_story(self.story)
        return lambda s: s.canon(Role.CONTEXT_ASSEMBLY).commit(b.batch(universe=b.universe(name="No.")))

    def _new_turn(self, x: int, y: int) -> Turn:
        scene = self._any_scene(x)
        before = [t for t in self.turns if t.scene_id == scene.id]
        after = before[-1 - (y // 2) % len(before)] if before and y else None
        self.turns.append(b.turn(scene, after, f"Turn {x} {y}"))
        return self.turns[-1]

    def _any_scene(self, x: int) -> Scene:
        return self.scenes[x % len(self.scenes)]

    def _any_turn(self, x: int) -> Turn:
        return self.turns[x % len(self.turns)] if self.turns else b.turn(self.scenes[0])


KINDS = sorted(
    name[1:] for name, value in vars(LogHandles).items() if callable(value) and not name[1:].startswith("_")
)
KINDS = [name for name in KINDS if name not in ("rite", "new_turn", "any_scene", "any_turn")]
SERVER_FAULTS = st.lists(st.sampled_from([None, None, *Fault]), max_size=4)
LOCAL_CRASH = st.sampled_from([None] * 8 + [("before", 0), ("after", 0), ("before", 1), ("after", 1)])
NUMBER = st.integers(0, 7)
STEP = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(KINDS), NUMBER, NUMBER, SERVER_FAULTS, LOCAL_CRASH),
    st.tuples(st.just("write"), st.sampled_from(KINDS), NUMBER, NUMBER, st.just([]), st.none()),
    st.tuples(st.just("stop"), st.sampled_from(TRUTH)),
    st.tuples(st.just("start"), st.sampled_from(TRUTH)),
    st.tuples(st.just("wait")),
    st.tuples(st.just("reopen")),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, max_size=25))
def test_replication_keeps_acknowledged_writes_with_any_faults(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_play(Path(folder), steps))


async def _play(folder: Path, steps: list[Any]) -> None:
    clock = Clock()
    async with open_fake_servers(folder / "far", clock=clock) as far:
        reference = await open_stores(folder / "reference", clock=clock)
        run = Run(folder / "home", far, reference, clock)
        try:
            await run.open()
            handles, world = LogHandles(), b.batch(universe=b.universe())
            await run.write(lambda s: s.canon(Role.CANON_KEEPER).commit(world))
            await run.write(lambda s: s.log(Role.ORCHESTRATOR).put_story(handles.story))
            await run.write(lambda s: s.log(Role.ORCHESTRATOR).create_scene(handles.scenes[0]))
            for step in steps:
                await run.step(handles, *step)
            await run.heal()
            truth = await read_everything(reference)
            assert await read_everything(run.stores) == truth
            assert await read_everything(far.stores) == truth
        finally:
            await run.kill()
            await reference.close()


class Run:
    """A process that plays, dies and is started again."""

    def __init__(self, home: Path, far: FakeServers, reference: Stores, clock: Clock) -> None:
        self.stores: Stores
        self._home = home
        self._far = far
        self._reference = reference
        self._clock = clock
        self._naps = ManualSleep()
        self._opened = AsyncExitStack()
        self._crash: tuple[str, int] | None = None
        self._dead = False

    async def step(self, handles: LogHandles, do: str, *with_: Any) -> None:
        if do == "write":
            kind, x, y, faults, crash = with_
            for store in TRUTH:
                self._far.faults[store].extend(faults)
            self._crash = crash
            await self.write(handles.write(kind, x, y))
            self._crash = None
        elif do == "stop":
            self._far.down.add(with_[0])
        elif do == "start":
            self._far.down.discard(with_[0])
        elif do == "wait":
            await self._naps.let_time_pass()
            await asyncio.sleep(0.01)
        else:
            await self.kill()
            await self.open()

    async def write(self, write: Write) -> None:
        """Write to the replicated stores and to the reference, and check that both give the same result."""
        self._clock.now += timedelta(seconds=1)
        try:
            await write(self.stores)
        except MonitorError as error:
            with pytest.raises(type(error)):
                await write(self._reference)
        except SimulatedCrash:
            await self.kill()
            await self.open()
            if await read_everything(self.stores) != await read_everything(self._reference):
                with suppress(MonitorError):
                    await write(self._reference)
                assert await read_everything(self.stores) == await read_everything(self._reference)
        else:
            await write(self._reference)

    async def open(self) -> None:
        self._opened.enter_context(_breaking(self._home, self._local))
        while True:
            self._far.is_disconnected = self._far.has_crashed = self._dead = False
            try:
                self.stores = await self._opened.enter_async_context(
                    open_copy(self._far, self._home, *TRUTH, sleep=self._naps, timeouts=VERY_SHORT_TIMEOUTS)
                )
            except SimulatedCrash:
                continue
            return

    async def kill(self) -> None:
        """End the process at once: nothing more is written or sent."""
        self._far.is_disconnected = self._dead = True
        with suppress(SimulatedCrash):
            await self._opened.aclose()

    async def heal(self) -> None:
        self._far.down.clear()
        for store in TRUTH:
            self._far.faults[store].clear()
        if self._far.has_crashed:
            await self.kill()
            await self.open()
        await wait_until_healthy(self.stores, self._naps)

    def _local(self, when: str) -> None:
        """Crash if this write is the one to crash at."""
        if self._dead:
            raise SimulatedCrash
        if self._crash and self._crash[0] == when:
            if self._crash[1] == 0:
                self._crash, self._dead, self._far.is_disconnected = None, True, True
                raise SimulatedCrash
            self._crash = (when, self._crash[1] - 1)


class _breaking:  # noqa: N801  (used like a function)
    """Make every write to the library in `home` a place where the process may crash."""

    def __init__(self, home: Path, ask: Callable[[str], None]) -> None:
        self._path = home / "library.db"
        self._ask = ask

    def __enter__(self) -> None:
        self._real = real = Database._write
        path, ask = self._path, self._ask

        def write(db: Database, connection: Any, work: Any, who: str) -> Any:
            if db.path != path:
                return real(db, connection, work, who)
            ask("before")
            done = real(db, connection, work, who)
            ask("after")
            return done

        Database._write = write  # type: ignore[method-assign, assignment]

    def __exit__(self, *error: object) -> None:
        Database._write = self._real  # type: ignore[method-assign]
