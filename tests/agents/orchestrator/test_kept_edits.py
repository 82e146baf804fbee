"""An edit at the gate, and who may know it, stay whatever is decided of the row then."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.records.canon import AssertFact
from stores.records.workflow import Verdict
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.mark.parametrize(
    "verdicts",
    [
        (Verdict.ACCEPT,),
        (Verdict.DEFER, Verdict.ACCEPT),
        (Verdict.REJECT, Verdict.ACCEPT),
        (Verdict.DEFER, Verdict.DEFER, Verdict.ACCEPT),
    ],
)
async def test_secret_of_a_row_stays_one_whatever_is_decided_then(
    tmp_path: Path, verdicts: tuple[Verdict, ...]
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Maud: a weaver", "/accept all", "/commit", "/fact The well is dry")
        gate = program.services.gate
        row = (await table.view()).proposals[-1]
        await gate.set_knowers(row.proposal.id, "Maud")
        for verdict in verdicts:
            await gate.decide([row.proposal.id], verdict)
        change = (await table.view()).proposals[-1].proposal.change
        assert isinstance(change, AssertFact)
        assert change.secrecy is not None
        await table.say("/commit")
        fact = (await gate.canon.facts_by_statement((await table.view()).universe.id, {"the well is dry"}))[0]
        assert fact.is_secret


async def test_undecided_again_takes_the_edit_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Maud: a weaver", "/accept all", "/commit", "/fact The well is dry")
        gate = program.services.gate
        row = (await table.view()).proposals[-1]
        await gate.set_knowers(row.proposal.id, "Maud")
        await gate.decide([row.proposal.id], None)
        change = (await table.view()).proposals[-1].proposal.change
        assert isinstance(change, AssertFact)
        assert change.secrecy is None
