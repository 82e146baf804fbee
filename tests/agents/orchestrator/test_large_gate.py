"""A gate that holds much: what a line costs there does not grow with all that waits, nor with all names there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.canon_keeper import assessment
from agents.canon_keeper.checks.contradictions import CheckRun
from agents.views.world_views import EntityEdit
from monitor_tui.compose import Program
from stores.authority import Role
from stores.embedded.canon_reader import EmbeddedCanonReader
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposalStatus
from tests.program import START, begin, opened

WAITING = 4


@contextmanager
def counting(owner: Any, name: str) -> Iterator[list[Any]]:
    """Note the arguments of each call of a function while the block runs."""
    calls: list[Any] = []
    function: Callable[..., Any] = getattr(owner, name)

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return function(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, counted)
        yield calls


async def begin_with_full_gate(program: Program) -> Id:
    """Begin a scene whose gate has closed rows, and many open ones; returns the scene."""
    scene_id = await begin(program)
    submit = program.services.play.submit
    await submit(scene_id, "I look at the lamps.")
    for number in range(3):
        await submit(scene_id, f"/fact The old lamp {number} is out")
    await submit(scene_id, "/commit")
    for number in range(WAITING):
        await submit(scene_id, f"I light lamp {number}.")
        await submit(scene_id, f"/fact Lamp {number} burns low", with_view=True)
        if number == 1:
            await stage_without_time(program)
    return scene_id


async def stage_without_time(program: Program) -> None:
    """Have something wait that is of no time of the line, as what is proposed outside of play: it keeps its place."""
    log = program.stores.log(Role.CANON_KEEPER)
    proposal = (await log.proposals(ProposalQuery(statuses=[ProposalStatus.PENDING])))[-1]
    change = proposal.change
    assert isinstance(change, AssertFact)
    timeless = {
        "id": derive_id("timeless", proposal.id),
        "tick": None,
        "created_at": START,
        "payload": change.model_copy(update={"statement": "Lamp 9 is brass."}),
    }
    await program.stores.log(Role.RESOLVER).stage([proposal.model_copy(update=timeless)])


async def test_line_makes_no_row_again_that_shows_what_it_showed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_full_gate(program)
        await program.services.play.submit(scene_id, "I wait.", with_view=True)
        with (
            counting(assessment, "build_proposal_row") as rows,
            counting(CheckRun, "check_proposal") as checks,
        ):
            reply = await program.services.play.submit(scene_id, "I listen.", with_view=True)
        assert reply.scene is not None
        assert (
            len([row for row in reply.scene.proposals if row.status is ProposalStatus.PENDING]) == WAITING + 1
        )
        assert [args[1].id for args in rows if args[1].status is ProposalStatus.PENDING] == []
        assert checks == []


async def test_new_fact_is_compared_with_what_waits_and_nothing_else_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_full_gate(program)
        with (
            counting(assessment, "build_proposal_row") as rows,
            counting(CheckRun, "check_proposal") as checks,
        ):
            reply = await program.services.play.submit(scene_id, "/fact Lamp 3 does not burn", with_view=True)
        (checked,) = [args[1] for args in checks]
        assert checked.change.statement == "Lamp 3 does not burn."
        assert {args[1].id for args in rows if args[1].status is ProposalStatus.PENDING} == {checked.id}
        assert reply.scene is not None
        assert [row.title for row in reply.scene.proposals][-1] == "Lamp 3 does not burn."
        numbers = [row.number for row in reply.scene.proposals]
        assert len(set(numbers)) == len(numbers)


async def test_row_is_made_again_when_whom_it_names_is_called_otherwise(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        submit, world = program.services.play.submit, program.services.world
        for line in ("/npc Dob: a smith", "/commit", "I look at Dob.", "/state Dob +tired"):
            await submit(scene_id, line, with_view=True)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        (dob,) = await world.list_entities(universe_id, "Dob")
        edit = EntityEdit(name="Dobrin", aliases=(), description=dob.description, numbers=(), tags=dob.tags)
        await world.edits.propose_entity_edit(dob.id, edit)
        await program.services.gate.commit_universe(universe_id)
        view = await program.services.play.scene(scene_id)
        (row,) = [row for row in view.proposals if row.status is ProposalStatus.PENDING]
        assert row.title == "Dobrin is tired"


async def test_entities_of_a_line_are_looked_up_without_reading_all_names(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        submit = program.services.play.submit
        for line in ("/npc Corvin Ferrant: a guard", "/commit"):
            await submit(scene_id, line)
        with counting(EmbeddedCanonReader, "folded_names") as name_lists:
            reply = await submit(scene_id, "> Ferrant is my brother.")
        assert name_lists == []
        assert "Proposed: Ferrant is Mara's brother." in reply.lines
