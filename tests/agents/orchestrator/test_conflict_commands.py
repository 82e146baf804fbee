"""Conflicts, promises and house rules at the table: all through the one gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.orchestrator.commands.all_commands import COMMANDS
from agents.services.conflict_commands import RULING_WORDS
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError
from stores.records.canon import Standing
from stores.records.ids import Id
from tests.program import begin, opened

BEFORE = (
    "/npc Tom: the keeper",
    "/npc Ann: the miller",
    "/commit",
    "/fact Tom ally_of Ann",
    "/commit",
    "I wait.",
)


async def at_odds(program: Program) -> Id:
    """Canon says that Tom and Ann are allies; now they are said to be enemies."""
    scene_id = await begin(program)
    for line in (*BEFORE, "/fact Tom enemy_of Ann"):
        await program.services.play.submit(scene_id, line)
    return scene_id


async def facts(program: Program, scene_id: Id) -> dict[str, Standing]:
    view = await program.services.play.scene(scene_id)
    held = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(view.universe.id)
    return {f.predicate: f.standing for f in held if f.predicate in ("ally_of", "enemy_of")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ruling", "left"),
    [
        ("new", {"enemy_of": Standing.TRUE}),
        ("never", {"enemy_of": Standing.TRUE}),
        ("old", {"ally_of": Standing.TRUE}),
        ("rumour", {"ally_of": Standing.TRUE, "enemy_of": Standing.RUMOUR}),
        ("lie", {"ally_of": Standing.TRUE, "enemy_of": Standing.LIE}),
        ("until", {"enemy_of": Standing.TRUE}),
        ("split Another Tom", {"ally_of": Standing.TRUE, "enemy_of": Standing.TRUE}),
    ],
)
async def test_conflict_command_ruling_settles_a_conflict_and_is_remembered(
    tmp_path: Path, ruling: str, left: dict[str, Standing]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await at_odds(program)
        (row,) = [p for p in (await program.services.play.scene(scene_id)).proposals if p.conflicts]
        heard = await program.services.play.submit(scene_id, f"/resolve {row.number}")
        assert {"new:", "old,"} <= {line.split(" ")[0] for line in heard.lines}
        await program.services.play.submit(scene_id, f"/resolve {row.number} {ruling}")
        assert await facts(program, scene_id) == left
        rulings = await program.stores.log(Role.CONTEXT_ASSEMBLY).rulings(row.proposal.universe_id)
        assert len(rulings) == 1


async def test_what_is_typed_of_somebody_who_is_the_same_is_true_of_them(tmp_path: Path) -> None:
    """“What is said of the new one goes to Tom”: the card has it, with the line that it was typed in."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (*BEFORE[:3], "I wait.", "/npc tom: a tall stranger", "/same tom"):
            await program.services.play.submit(scene_id, line)
        universe = (await program.services.play.scene(scene_id)).universe
        canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        (described,) = [f for f in await canon.facts(universe.id) if "stranger" in f.statement]
        assert described.statement == "Tom is a tall stranger."
        quotes = [piece.quote for piece in await canon.evidence_of(described.id)]
        assert "tom: a tall stranger" in quotes
        tom = await canon.find_entity(universe.id, "Tom")
        assert [e.description for e in tom if e.id == described.entity("subject")] == ["the keeper"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/resolve 99", "no proposal"),
        ("/resolve 4 maybe", "no way to resolve"),
        ("/resolve 1", "No conflict|closed|decided|canon"),
        ("/paid 1", "no such promise"),
        ("/paid x", "no such promise"),
        ("/rules state_change always", "no rule"),
    ],
)
async def test_conflict_command_nonsense_is_refused(tmp_path: Path, line: str, words: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await at_odds(program)
        with pytest.raises(InputError, match=words):
            await program.services.play.submit(scene_id, line)


async def test_conflict_command_promise_is_kept_by_evidence(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I swear it.", "/fact promise: Mara owes the well a coin", "/commit"):
            await program.services.play.submit(scene_id, line)
        (listed,) = (await program.services.play.submit(scene_id, "/promises")).lines
        assert "Mara owes the well a coin." in listed
        await program.services.play.submit(scene_id, "I drop a coin into the well.")
        await program.services.play.submit(scene_id, "/paid 1")
        await program.services.play.submit(scene_id, "/commit")
        assert (await program.services.play.submit(scene_id, "/promises")).lines == (
            "No open promises, debts or questions. /promise NAME will come back makes one.",
        )


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("/promise done: I find the bell", "Kept: Mara finds the bell."),
        ("/promise kept: find the bell", "Kept: Mara finds the bell."),
        ("/promise kept: the bell", "Kept: Mara finds the bell."),
        ("/promise I find the bell: done", "Kept: Mara finds the bell."),
        ("/promise 1 done", "Kept: Mara finds the bell."),
        ("/paid I find the bell.", "Kept: Mara finds the bell."),
        ("/broken I find the bell", "Not kept: Mara finds the bell."),
        ("/promise 2 broken", "Not kept: Dob will come back."),
        ("/promise failed: Dob", "Not kept: Dob will come back."),
        ("/promise Dob sells 2 lamps kept", "Dob sells 2 lamps kept."),
        ("/promise 2 lamps are mended", "2 lamps are mended."),
    ],
)
async def test_promise_is_settled_by_its_words_as_they_were_typed(
    tmp_path: Path, line: str, reply: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for typed in ("/npc here Dob", "/promise I find the bell", "/promise Dob will come back"):
            await program.services.play.submit(scene_id, typed)
        lines = (await program.services.play.submit(scene_id, line)).lines
        assert lines[0].removeprefix("Proposed: ") == reply


@pytest.mark.parametrize("line", ["/promise done: I find the ring", "/paid the ring", "/promise 9 done"])
async def test_promise_that_is_not_open_is_refused_with_those_that_are(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match="No promise, debt or question is open"):
            await program.services.play.submit(scene_id, line)
        for typed in ("/npc here Dob", "/promise I find the bell", "/promise Dob will come back"):
            await program.services.play.submit(scene_id, typed)
        with pytest.raises(InputError) as refused:
            await program.services.play.submit(scene_id, line)
        assert "Open: 1 Mara finds the bell, 2 Dob will come back." in str(refused.value)


async def test_conflict_command_policy_rule_decides_and_can_be_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/rules state_change auto-reject")
        await program.services.play.submit(scene_id, "/state Mara.hp -1")
        (row,) = (await program.services.play.scene(scene_id)).proposals
        assert row.mark == "reject"
        assert "auto-reject" in " ".join(row.reasons)
        assert (await program.services.play.submit(scene_id, "/rules state_change off")).lines == (
            "No gate rules yet.",
        )
        (row,) = (await program.services.play.scene(scene_id)).proposals
        assert row.mark == "accept"


async def test_previously_on_comes_from_the_record(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert (await program.services.play.submit(scene_id, "/recap")).lines
        for line in (
            "I climb down.",
            "/fact promise: Mara owes the well a coin",
            "/end Mara found the stair",
            "/commit",
        ):
            reply = await program.services.play.submit(scene_id, line)
        told = " ".join((await program.services.play.submit(reply.subject or "", "/recap")).lines)
        assert "Mara found the stair" in told
        assert "owes the well a coin" in told


async def test_conflict_with_an_open_proposal_is_not_said_to_be_with_canon(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I look.", "/npc Vess: a captain", "/commit", "/fact Vess ally_of Mara"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/fact Vess enemy_of Mara")
        first, second = (await program.services.gate.gate(scene_id)).proposals[1:]
        for row in (first, second):
            assert row.reasons[0].startswith("Another proposal says “Vess and Mara are ")
            assert "Accepting writes it; the other proposal stays open." in row.reasons
        lines = (await program.services.play.submit(scene_id, "/resolve 3")).lines
        assert "old, proposed: Vess and Mara are allies." in lines
        for line in ("/accept 2", "/commit"):
            await program.services.play.submit(scene_id, line)
        (row,) = [r for r in (await program.services.gate.gate(scene_id)).proposals if r.conflicts]
        assert row.title == second.title
        assert row.reasons[0].startswith("Canon says “Vess and Mara are allies.”")
        assert "Accepting replaces the fact it conflicts with." in row.reasons
        lines = (await program.services.play.submit(scene_id, "/resolve 3")).lines
        assert "old, in canon: Vess and Mara are allies." in lines


async def test_namesake_that_is_only_proposed_is_said_to_be(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I look.", "/npc Tom: a keeper", "/npc Tom: a stranger"):
            await program.services.play.submit(scene_id, line)
        row = (await program.services.gate.gate(scene_id)).proposals[1]
        assert row.conflicts[0].text.startswith("Another proposal has a character called Tom already.")
        assert "Accepting writes it as another with that name." in row.reasons


async def test_every_way_that_is_offered_can_be_typed_as_it_stands(tmp_path: Path) -> None:
    """`/lie` works where “a lie” is offered: each offered line is a command of its own."""
    async with opened(tmp_path) as program:
        scene_id = await at_odds(program)
        submit = program.services.play.submit
        (row,) = [p for p in (await program.services.play.scene(scene_id)).proposals if p.conflicts]
        offered = [
            line.split("  ")[0] for line in (await submit(scene_id, "/resolve")).lines if line.startswith("/")
        ]
        assert f"/lie {row.number}" in offered
        assert {line.split()[0].removeprefix("/") for line in offered} <= COMMANDS.names()
        assert COMMANDS.names() >= set(RULING_WORDS)
        for nonsense in ("/lie 99", "/lie never was"):
            with pytest.raises(InputError):
                await submit(scene_id, nonsense)
        assert await facts(program, scene_id) == {"ally_of": Standing.TRUE}
        await submit(scene_id, "/lie old")  # the only conflict is meant
        assert await facts(program, scene_id) == {"ally_of": Standing.LIE, "enemy_of": Standing.TRUE}
        with pytest.raises(InputError, match="nothing is in conflict"):
            await submit(scene_id, "/lie")


@pytest.mark.parametrize(
    ("line", "todo"),
    [
        ("/Old Tam", "/cast \\+ Old Tam brings them in"),
        ("/old tam", "/cast \\+ Old Tam brings them in"),
        ("/Old Nan", "/npc here Old Nan makes them known"),
        ("/New Ferry", "/show New Ferry shows it"),
        ("/Split Rock", "/show Split Rock shows it"),
    ],
)
async def test_name_after_a_slash_resolves_no_conflict(tmp_path: Path, line: str, todo: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await at_odds(program)
        for known in ("/npc Old Tam: a keeper", "/place New Ferry", "/place Split Rock"):
            await program.services.play.submit(scene_id, known)
        with pytest.raises(InputError, match=todo) as refused:
            await program.services.play.submit(scene_id, line)
        assert "is a name, and no way to resolve a conflict" in str(refused.value)
        assert set(await facts(program, scene_id)) == {"ally_of"}


@pytest.mark.slow
@pytest.mark.parametrize("line", ["/old", "/old Tom", "/split Another Tom"])
async def test_way_without_a_number_resolves_the_only_conflict(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await at_odds(program)
        await program.services.play.submit(scene_id, line)
        view = await program.services.play.scene(scene_id)
        assert not [row for row in view.proposals if row.conflicts]
