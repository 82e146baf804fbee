"""Measures the gate with a hundred proposals.

Timed are each key to the end of the frame that answers it, and saving a decision and assessing all
proposals again in the background.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.background_work import BackgroundWork
from benchmarks.frames import read_rows
from benchmarks.libraries import Libraries, OpenScene, open_scene, time_call
from benchmarks.presses import Press, time_presses
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import DOWN, ENTER, ESCAPE, MENU_FILLED, UP, Terminal, open_monitor
from stores.authority import Role
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import Id, SystemIdGenerator, utc_now
from stores.records.workflow import ProposedChange, Verdict

PROPOSALS = 100
COUNT = 40
FRAME = 16.7
"""Milliseconds of a frame at 60 Hz."""
ASSESSED = 100
"""Milliseconds within which an answer seems immediate."""

F3, HOME = "\x1bOR", "\x1b[H"
SHOWN = "Canon gate"
UNSURE = 15


def run(libraries: Libraries) -> Iterator[Row]:
    count = libraries.often(COUNT)
    for name, home in (("fresh library", libraries.fresh), (libraries.big_name, libraries.big)):
        asyncio.run(propose(home))
        with open_monitor(home) as terminal:
            terminal.since_key(MENU_FILLED)
            terminal.press(ENTER, "proposed")
            terminal.press(F3, SHOWN)
            yield from _keys(terminal, count, name)
            terminal.settle()
            terminal.quit()
        decision_seconds = asyncio.run(_time_decisions(home, count))
        yield make_times_row(
            f"decision saved, all assessed again, gate of {PROPOSALS}, {name}", decision_seconds, ASSESSED
        )


def time_verdicts_beside_work(terminal: Terminal, count: int, row_suffix: str, aim: float) -> Iterator[Row]:
    """Time verdicts from the menu on, at most a third of the rows, while a process behind play is at work."""
    terminal.press(ENTER, "proposed")
    cursor = CursorWatch()
    terminal.press(F3, SHOWN)
    terminal.since_key(cursor)
    work = BackgroundWork(terminal)
    verdicts: list[Press] = [("d", cursor)] * min(count, PROPOSALS // 3)
    yield time_presses(terminal, f"key to frame *, verdict, gate of {PROPOSALS}{row_suffix}", verdicts, aim)
    yield from work.rows("verdicts")


def _keys(terminal: Terminal, count: int, name: str) -> Iterator[Row]:
    row_suffix = f"gate of {PROPOSALS}, {name}"
    arrows = itertools.islice(itertools.cycle((DOWN, DOWN, UP)), count)
    yield _time(terminal, f"arrow, {row_suffix}", ((key, "") for key in arrows))
    yield _time(terminal, f"mark, {row_suffix}", [(" ", "")] * count)
    terminal.press("*")
    terminal.press("*")
    yield _time(terminal, f"group, {row_suffix}", [("G", "")] * count)
    terminal.press("/")
    letters = itertools.islice(itertools.cycle("gul\x15"), count)
    yield _time(terminal, f"a letter of the filter, {row_suffix}", ((letter, "") for letter in letters))
    terminal.press(ESCAPE)
    terminal.press(HOME)
    yield _time(terminal, f"verdict, {row_suffix}", [("d", "deferred")] * min(count, PROPOSALS // 3))


def _time(terminal: Terminal, name: str, presses: Iterable[Press]) -> Row:
    return time_presses(terminal, f"key to frame *, {name}", presses, FRAME)


class CursorWatch:
    """A test for the frame in which the list's cursor stands on another proposal than in the last one.

    A verdict moves the cursor on. While something works in the background, the whole gate is redrawn without any key.
    """

    def __init__(self) -> None:
        self._number = ""

    def __call__(self, frame: bytes) -> bool:
        match = next(filter(None, map(_CURSOR.search, read_rows(frame).values())), None)
        if match is None or match[1] == self._number:
            return False
        self._number = match[1]
        return True


_CURSOR = re.compile(r"▸\D*(\d+)")
"""The cursor of the list, and the number of the proposal that it stands on."""


async def _time_decisions(home: Path, count: int) -> list[float]:
    """Time a decision and the reading of the gate after it, without a screen."""
    async with open_scene(home) as scene_in_play:
        pending_proposals = [
            p
            for p in (await scene_in_play.services.gate.gate(scene_in_play.scene_id)).proposals
            if p.status == "pending"
        ]

        async def decide(proposal_id: Id) -> None:
            await scene_in_play.services.gate.decide([proposal_id], Verdict.ACCEPT)
            await scene_in_play.services.gate.gate(scene_in_play.scene_id)

        return [
            await time_call(partial(decide, p.proposal.id))
            for p in pending_proposals[: min(count, len(pending_proposals))]
        ]


async def propose(home: Path) -> None:
    """Add a hundred proposals of several kinds to the open story, some of them held by a conflict."""
    async with open_scene(home) as scene_in_play:
        view = await scene_in_play.services.play.scene(scene_in_play.scene_id)
        pending_count = sum(p.status == "pending" for p in view.proposals)
        await scene_in_play.services.play.submit(scene_in_play.scene_id, "I count what there is.")
        for number, line in enumerate(
            itertools.islice(itertools.cycle(LINES), PROPOSALS - UNSURE - pending_count)
        ):
            await scene_in_play.services.play.submit(scene_in_play.scene_id, line.format(number))
        await stage_sentences(scene_in_play, UNSURE, Authority.SYSTEM)


LINES = (
    "/fact The gull number {0} has one red eye",
    "/fact Mara owes the ferryman of night {0} a coin",
    "/thing Chest {0}: nailed shut",
    "/state Mara +seen-{0}",
    "/axiom Chest number {0} opens for its owner alone",
    "/npc Guest {0}: somebody",
    "/state Mara.luck = {0}",
)


async def stage_sentences(scene_in_play: OpenScene, count: int, *authorities: Authority) -> None:
    """Stage as many statements on the scene's last turn, of these authorities in turn."""
    view, ids = await scene_in_play.services.play.scene(scene_in_play.scene_id), SystemIdGenerator()
    await scene_in_play.stores.log(Role.RESOLVER).stage(
        [
            ProposedChange(
                id=ids.new(),
                universe_id=view.universe.id,
                story_id=view.story.id,
                scene_id=scene_in_play.scene_id,
                turn_id=view.scene.head,
                payload=AssertFact(
                    fact_kind=FactKind.ATTRIBUTE, predicate="weather", statement=f"It rains on roof {number}."
                ),
                authority=authorities[number % len(authorities)],
                created_at=utc_now(),
            )
            for number in range(count)
        ]
    )
