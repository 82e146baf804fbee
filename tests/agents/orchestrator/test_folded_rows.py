"""The changes of one number are one row of the gate: net change, one verdict, and undo move by move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.play_views import ProposalView
from monitor_tui.compose import Program
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.program import begin, opened


class FoldedScene:
    """A scene whose hero was hurt, hurt again and healed."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.scene_id = scene_id

    async def say(self, *lines: str) -> tuple[str, ...]:
        replies = [await self.program.services.play.submit(self.scene_id, line) for line in lines]
        return replies[-1].lines

    async def rows(self) -> tuple[ProposalView, ...]:
        return (await self.program.services.gate.gate(self.scene_id)).proposals


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[FoldedScene]:
    async with opened(tmp_path) as program:
        scene = FoldedScene(program, await begin(program))
        await scene.say(
            "I run. /check 2d6+9 vs 5; success: Mara.hp -3",
            "I fall. /check 2d6+9 vs 5; success: Mara.hp -3",
            "/fact The stair is broken",
            "/state Mara +tired",
            "/state Mara.hp = 9",
        )
        yield scene


async def test_folded_row_shows_the_net_change_and_the_steps(scene: FoldedScene) -> None:
    titles = [row.title for row in await scene.rows()]
    assert titles == ["The stair is broken.", "Mara is tired", "Mara: HP 10 → 9"]
    row = (await scene.rows())[-1]
    assert row.diff == (("HP", "10", "9"),)
    assert "3 changes in one row (HP 10 → 7, HP 7 → 4, HP 4 → 9)" in " ".join(row.reasons)


async def test_folded_row_is_decided_and_committed_as_one(scene: FoldedScene) -> None:
    assert await scene.say("/reject 3") == ("Rejected: Mara: HP 10 → 9",)
    assert [row.verdict for row in await scene.rows()] == [None, None, Verdict.REJECT]
    await scene.say("/accept 3", "/commit")
    view = await scene.program.services.play.scene(scene.scene_id)
    (hero,) = [member for member in view.cast if member.is_pc]
    assert hero.numbers["hp"] == 9


async def test_folded_row_loses_one_step_with_each_undo(scene: FoldedScene) -> None:
    await scene.say("/undo")
    assert (await scene.rows())[0].title == "Mara: HP 10 → 4"
    await scene.say("/undo", "/undo", "/undo")
    assert [row.title for row in await scene.rows()] == ["Mara: HP 10 → 7"]


async def test_folded_row_does_not_mix_holders_or_numbers(scene: FoldedScene) -> None:
    await scene.say("/creature Rat: small (hp 3)", "/state Rat.hp -1", "/state Mara.might = 2")
    titles = [row.title for row in await scene.rows()]
    assert titles[-3:] == ["Rat", "Rat: HP 3 → 2", "Mara: might 1 → 2"]
