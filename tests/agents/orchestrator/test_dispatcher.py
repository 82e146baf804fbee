"""The dispatcher: one change at a time, and a clear error for a change inside another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.commands.all_commands import COMMANDS
from agents.orchestrator.commands.registry import PLAYED_COMMANDS
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.resolver.roll_kinds import ROLL_KINDS
from agents.session_lock import NestedChangeError, SessionLock
from agents.views.replies import Reply
from stores.errors import IllegalTransition, InputError
from tests.program import begin, opened


async def test_session_lock_raises_when_its_holder_asks_again() -> None:
    lock = SessionLock()
    async with lock:
        with pytest.raises(NestedChangeError, match="inside another one"):
            await lock.acquire()
    assert not lock.locked()


async def test_session_lock_makes_other_tasks_wait() -> None:
    lock, order = SessionLock(), list[str]()

    async def change(name: str) -> None:
        async with lock:
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(change("one"), change("two"))
    assert order == ["one begins", "one ends", "two begins", "two ends"]


async def test_dispatcher_raises_for_a_change_inside_a_change(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play = program.services.play
        scene_id = await begin(program)

        async def nested(context: SceneContext) -> Outcome:
            await play.undo(scene_id)
            return Outcome(Reply("nothing"))

        with pytest.raises(NestedChangeError):
            await play.lines.perform(scene_id, Access.CHANGE, nested)
        assert (await play.submit(scene_id, "I look around.")).kind == "exchange"


async def test_dispatcher_refuses_to_play_in_a_scene_at_its_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.gate.end_scene(scene_id)
        with pytest.raises(IllegalTransition, match="You cannot undo in this scene: it is at its gate"):
            await program.services.play.undo(scene_id)


async def test_dispatcher_gives_the_lock_back_after_an_error(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError):
            await program.services.play.submit(scene_id, "/go Nowhere at all")
        assert (await program.services.play.submit(scene_id, "I look around.")).kind == "exchange"


async def test_reply_carries_the_scene_that_the_screen_would_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play = program.services.play
        scene_id = await begin(program)
        for line in (
            "I look around.",
            "/npc Tom: the well's keeper",
            "I lift the lid. /check 2d6 vs 2; success: Tom +wet",
            "/fact Tom knows Mara",
            "/clock Tide 6",
            "/state Mara +dead",
            "/time +2h",
            "/undo",
            "/accept all",
            "/commit",
            "/end It is over",
        ):
            reply = await play.submit(scene_id, line, with_view=True)
            assert reply.scene == await play.scene(scene_id), line


async def test_reply_carries_no_scene_unless_asked(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert (await program.services.play.submit(scene_id, "I look around.")).scene is None


def test_dispatcher_every_command_that_is_refused_outside_play_says_what_it_is() -> None:
    commands = [COMMANDS.find_command(name) for name in COMMANDS.names()]
    assert all(c.action for c in commands if c.access is Access.PLAY)
    assert not any(c.action for c in commands if c.access is not Access.PLAY)


def test_command_help_lists_every_roll_that_can_be_typed() -> None:
    typed_kinds = {kind for kind, rules in ROLL_KINDS.items() if rules.usage}
    assert typed_kinds <= {entry.name for entry in PLAYED_COMMANDS}
    assert not typed_kinds & COMMANDS.names()
