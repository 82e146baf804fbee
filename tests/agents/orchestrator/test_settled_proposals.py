"""A debt that is only proposed goes through the gate with what settles it, whichever row is ticked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from stores.records.canon import AssertFact, EndFact, FactKind
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.agents.orchestrator.test_plain_vows import Table
from tests.program import begin, opened

OWED = ("/npc here Dob Harrow", "/commit", "I wait.", "> Dob owes me three coins.")


class GateTable(Table):
    """A scene whose rows are read and decided by their kind."""

    async def row_ids(self, kind: type[AssertFact | EndFact]) -> list[Id]:
        rows = (await self.program.services.play.scene(self.scene_id)).proposals
        return [row.proposal.id for row in rows if _is_of(row.proposal.change, kind)]

    async def marks(self) -> list[str]:
        """Return what a commit does with the debt and with what settles it."""
        rows = (await self.program.services.play.scene(self.scene_id)).proposals
        return [
            row.mark
            for kind in (AssertFact, EndFact)
            for row in rows
            if _is_of(row.proposal.change, kind) and row.status.value != "rejected"
        ]

    async def decide(self, kind: type[AssertFact | EndFact], verdict: Verdict | None) -> None:
        await self.program.services.gate.decide(await self.row_ids(kind), verdict)

    async def paid_statements(self) -> list[str]:
        return [statement for statement, _, _, is_open, is_paid in await self.ledger() if is_paid]


def _is_of(change: object, kind: type[AssertFact | EndFact]) -> bool:
    is_other_fact = isinstance(change, AssertFact) and change.fact_kind is not FactKind.COMMITMENT
    return isinstance(change, kind) and not is_other_fact


@asynccontextmanager
async def owed(home: Path, *lines: str) -> AsyncIterator[GateTable]:
    """Open the program with a debt that is only proposed, and these lines after it."""
    async with opened(home) as program:
        table = GateTable(program, await begin(program))
        for line in (*OWED, *lines):
            await table.play(line)
        yield table


async def test_debt_is_ticked_and_written_with_its_payment(tmp_path: Path) -> None:
    async with owed(tmp_path) as table:
        assert await table.marks() == ["defer"]
        assert (await table.play("/paid 1")).lines[0].startswith("Proposed: Paid:")
        assert await table.marks() == ["accept", "accept"]
        await table.play("/end He paid.")
        report = await table.program.services.gate.commit(table.scene_id)
        assert report.left_open.describe_after_end() == ""
        assert report.next_scene_id is not None
        table.scene_id = report.next_scene_id
        assert len(await table.paid_statements()) == 1


@pytest.mark.parametrize("line", ["/paid 1", "/broken 1"])
async def test_settled_debt_is_written_in_mid_scene(tmp_path: Path, line: str) -> None:
    async with owed(tmp_path, line) as table:
        lines = (await table.play("/commit")).lines
        assert not [line for line in lines if "could not be written" in line]
        assert [is_open for *_, is_open, _ in await table.ledger()] == [False]


async def test_accepting_the_payment_by_hand_accepts_the_debt(tmp_path: Path) -> None:
    async with owed(tmp_path, "/paid 1") as table:
        await table.decide(EndFact, Verdict.ACCEPT)
        assert await table.marks() == ["accept", "accept"]


async def test_debt_whose_payment_is_rejected_is_left_to_the_player(tmp_path: Path) -> None:
    async with owed(tmp_path, "/paid 1") as table:
        await table.decide(EndFact, Verdict.REJECT)
        assert (await table.marks())[0] == "defer"


async def test_payment_waits_with_a_debt_that_is_put_off(tmp_path: Path) -> None:
    async with owed(tmp_path, "/paid 1") as table:
        await table.decide(AssertFact, Verdict.DEFER)
        assert await table.marks() == ["defer", "defer"]
        lines = (await table.play("/commit")).lines
        assert not [line for line in lines if "could not be written" in line]
        await table.decide(AssertFact, None)
        assert await table.marks() == ["accept", "accept"]


async def test_rule_that_asks_for_debts_keeps_both_waiting_until_the_payment_is_ticked(
    tmp_path: Path,
) -> None:
    async with owed(tmp_path, "/paid 1") as table:
        await table.play("/rules assert_fact ask")
        assert await table.marks() == ["defer", "defer"]
        await table.decide(EndFact, Verdict.ACCEPT)
        assert await table.marks() == ["accept", "accept"]


async def test_other_debt_that_nobody_settles_stays_undecided(tmp_path: Path) -> None:
    async with owed(tmp_path, "> Dob owes me a horse.", "/paid 1") as table:
        assert sorted(await table.marks()) == ["accept", "accept", "defer"]
