"""The changes of one number are one row of the gate: net change, one verdict, and undo move by move."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Verdict
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
    assert titles == ["Mara: HP 10 → 9", "The stair is broken.", "Mara is tired"]
    row = (await scene.rows())[0]
    assert row.diff == (("HP", "10", "9"),)
    assert "3 changes in one row (HP 10 → 7, HP 7 → 4, HP 4 → 9)" in " ".join(row.reasons)


async def test_folded_row_is_decided_and_committed_as_one(scene: FoldedScene) -> None:
    assert await scene.say("/reject 1") == ("Rejected: Mara: HP 10 → 9",)
    assert [row.verdict for row in await scene.rows()] == [Verdict.REJECT, None, None]
    await scene.say("/accept 1", "/commit")
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


async def test_row_numbers_stay_with_their_rows(scene: FoldedScene) -> None:
    await scene.say("/clock Alarm 6", "/fact One is one", "/fact Two is two")

    async def read_numbers() -> dict[str, int]:
        return {row.title.partition(" ")[0]: row.number for row in await scene.rows()}

    before = await read_numbers()
    await scene.say("/clock Alarm +1")
    assert await read_numbers() == before
    assert await scene.say(f"/reject {before['One']}") == ("Rejected: One is one.",)
    await scene.say("/undo", "/undo", "/fact Three is three")
    after = await read_numbers()
    assert after["One"] == before["One"]
    assert after["Three"] not in before.values()
    listed = " ".join(await scene.say("/proposals"))
    assert f"{after['Three']}. [accept] fact: Three is three" in listed
    panel = (await scene.program.services.play.scene(scene.scene_id)).proposals
    assert [row.number for row in panel] == [row.number for row in await scene.rows()]


async def test_number_that_is_no_row_names_those_that_are(scene: FoldedScene) -> None:
    numbers = [row.number for row in await scene.rows()]
    with pytest.raises(InputError, match=f"Open: {', '.join(map(str, numbers))}; a title does for one too"):
        await scene.say("/reject 9")
    with pytest.raises(InputError, match=r"2 is a step of 1 .* 1 is the number for all of it"):
        await scene.say("/reject 2")


async def test_change_in_conflict_has_a_row_of_its_own(scene: FoldedScene) -> None:
    await scene.say("/creature Rat: small (hp 9)", "I hit. /check 2d6+9 vs 5; success: Rat.hp -1")
    await scene.say("/state Rat +dead", "I hit it again. /check 2d6+9 vs 5; success: Rat.hp -3")
    rows = {row.title: row for row in await scene.rows()}
    assert not rows["Rat: HP 9 → 8"].conflicts
    blow = rows["Rat: HP 8 → 5"]
    assert blow.conflicts
    assert blow.mark == "hold"
    await scene.say(f"/reject {blow.number}")
    verdicts = {row.title: row.verdict for row in await scene.rows()}
    assert verdicts["Rat: HP 9 → 8"] is None


async def test_moves_that_come_to_nothing_are_no_row(scene: FoldedScene) -> None:
    await scene.say("/clock Flood 6", "/clock Flood +1", "/clock Flood = 0")
    assert (await scene.rows())[-1].title == "Flood 0 of 6, begins"
    await scene.say("/commit", "/clock Flood +1", "/clock Flood = 0", "/state Mara.might +1, Mara.might -1")
    assert [row.title for row in await scene.rows() if row.status in OPEN_STATUSES] == []


async def test_offered_commit_writes_every_move_of_a_number(scene: FoldedScene) -> None:
    await scene.say("I am hit. /check 2d6+9 vs 5; success: Mara.hp -2, Mara +dead")
    await scene.program.services.gate.commit_trigger(scene.scene_id)
    view = await scene.program.services.play.scene(scene.scene_id)
    (hero,) = [member for member in view.cast if member.is_pc]
    assert hero.numbers["hp"] == 7
    assert "Mara: HP 9 → 7" not in [row.title for row in view.proposals if row.status in OPEN_STATUSES]


async def test_gate_and_receipt_count_the_same_rows(scene: FoldedScene) -> None:
    await scene.say("/clock Flood 6", "/clock Flood +1", "/clock Flood +2", "/fact One is one")
    await scene.say("/clock Alarm 4", "/clock Alarm +1")
    numbers = {row.title.partition(" ")[0]: row.number for row in await scene.rows()}
    await scene.say(f"/reject {numbers['Alarm']} {numbers['One']}", "/end")
    counts = Counter(row.mark for row in await scene.rows())
    report = await scene.program.services.gate.commit(scene.scene_id)
    assert (report.accepted_count, report.rejected_count) == (counts["accept"], counts["reject"]) == (4, 2)


async def test_hp_stops_at_0_on_the_sheet_in_the_row_and_in_canon(scene: FoldedScene) -> None:
    lines = await scene.say("/creature here Rat: small (hp 2)", "/state Rat.hp -5")
    assert "Rat: HP stops at 0." in lines
    reply = await scene.program.services.play.submit(
        scene.scene_id, "I hit it. /check 2d6+9 vs 5; success: Rat.hp -3"
    )
    assert "Rat: HP stops at 0." in reply.lines
    rows = {row.title for row in await scene.rows()}
    assert "Rat: HP 2 → 0" in rows
    assert not [title for title in rows if "-" in title]
    view = await scene.program.services.play.scene(scene.scene_id)
    assert {m.name: m.numbers for m in view.cast}["Rat"]["hp"] == 0
    await scene.say("/state Rat.hp +1", "/commit")
    cast = {m.name: m.numbers for m in (await scene.program.services.play.scene(scene.scene_id)).cast}
    assert cast["Rat"]["hp"] == 1


async def test_hp_below_0_by_the_gms_word_heals_from_there(scene: FoldedScene) -> None:
    await scene.say(
        "/creature here Rat: small (hp 2)", "/state Rat.hp = -4", "/state Rat.hp +1", "/state Rat.hp -1"
    )
    cast = {m.name: m.numbers for m in (await scene.program.services.play.scene(scene.scene_id)).cast}
    assert cast["Rat"]["hp"] == -3


async def test_number_that_is_no_hp_goes_below_0(scene: FoldedScene) -> None:
    assert await scene.say("/state Mara.might -3") == ("Proposed: Mara: might 1 → -2",)


async def test_blow_at_the_dead_that_changes_nothing_is_no_row(scene: FoldedScene) -> None:
    await scene.say("/creature Rat: small (hp 1)", "I hit. /check 2d6+9 vs 5; success: Rat.hp -1")
    await scene.say("/state Rat +dead", "I hit it again. /check 2d6+9 vs 5; success: Rat.hp -3")
    rows = {row.title: row for row in await scene.rows()}
    assert rows["Rat: HP 1 → 0"].mark == "accept"
    assert [title for title in rows if "Rat: HP" in title] == ["Rat: HP 1 → 0"]


@pytest.mark.parametrize(
    ("lines", "changed_keys", "reply_lines"),
    [
        (
            ("/state Mara.hp = 7", "/state Mara.hp = 10"),
            (),
            ("Mara: HP is 10, as canon has it: nothing is proposed.",),
        ),
        (
            ("/state Mara.hp -3", "/state Mara.hp +3"),
            (),
            ("Mara: HP is 10, as canon has it: nothing is proposed.",),
        ),
        (("/state Mara.hp = 7", "/state Mara.hp = 9"), ("hp",), ("Proposed: Mara: HP 10 → 9",)),
        (("/state Mara +wet",), ("wet",), ("Proposed: Mara is wet",)),
        (("/state Mara +wet", "/state Mara -wet"), (), ("Proposed: Mara is no longer wet",)),
        (("/state Mara.mood = 3",), ("mood",), ("Proposed: Mara: mood 3",)),
    ],
)
async def test_cast_marks_only_what_is_not_as_in_canon(
    tmp_path: Path, lines: tuple[str, ...], changed_keys: tuple[str, ...], reply_lines: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        replies = [(await program.services.play.submit(scene_id, line)).lines for line in lines]
        (mara,) = (await program.services.play.scene(scene_id)).cast
        assert (mara.changed_keys, replies[-1]) == (changed_keys, reply_lines)


async def test_walk_to_a_place_and_back_is_one_row_with_where_it_began(scene: FoldedScene) -> None:
    async def walks() -> list[tuple[str, str]]:
        rows = [row for row in await scene.rows() if row.title.startswith("Mara is in")]
        return [(row.title, " ".join(row.reasons)) for row in rows]

    await scene.say("/place Lamp", "/place Harrow", "/thing bell", "/go Lamp", "> The bell is in the Lamp.")
    await scene.say("I go to Harrow.", "I go to the Lamp.")
    ((title, reasons),) = await walks()
    assert title == "Mara is in Lamp."
    way = "Mara is in Lamp. Mara is in Harrow. Mara is in Lamp."
    assert f"3 moves in one row ({way})" in reasons, "the walk in between stays readable"
    assert [row.title for row in await scene.rows()][-1] == "The bell is in the Lamp."
    await scene.say("/undo")
    assert [title for title, _ in await walks()] == ["Mara is in Lamp.", "Mara is in Harrow."]
    await scene.say("/undo")
    assert [title for title, _ in await walks()] == ["Mara is in Lamp."]
    await scene.say("I go to Harrow.", "I go to the Lamp.", "/accept all")
    receipt = " ".join(await scene.say("/commit"))
    assert receipt.count("Mara is in") == 1
    assert "replaced" not in receipt


@pytest.mark.slow
async def test_stays_that_no_walk_ends_have_rows_of_their_own(scene: FoldedScene) -> None:
    await scene.say("/place Lamp", "/place Harrow", "/npc Bela", "/npc Tam")
    await scene.say("> Bela is in Harrow.", "> Tam is in Harrow.", "/go Lamp")
    titles = [row.title for row in await scene.rows() if " is in " in row.title]
    assert titles == ["Bela is in Harrow.", "Tam is in Harrow.", "Mara is in Lamp."]


async def test_steps_back_to_canon_s_number_are_not_written(scene: FoldedScene) -> None:
    services = scene.program.services
    await scene.say("/state Mara.hp = 10", "/end")
    rows = await scene.rows()
    assert not [row.title for row in rows if "HP" in row.title]
    counts = Counter(row.mark for row in rows)
    report = await services.gate.commit(scene.scene_id)
    assert (report.accepted_count, report.rejected_count) == (counts["accept"], 0)
    assert not report.replaced
    assert not [fact.statement for fact in report.facts if "HP" in fact.statement]
    universe_id = (await services.play.scene(scene.scene_id)).universe.id
    universe_rows = (await services.gate.gate(None, universe_id)).proposals
    assert not [row.title for row in universe_rows if "HP" in row.title]
    turns = await services.play.transcript(scene.scene_id, 0, 20)
    assert not [turn for turn in turns if turn.rejected_effects], "nobody rejected the blows"


async def test_step_back_to_a_number_that_was_committed_meanwhile_is_written(scene: FoldedScene) -> None:
    await scene.say("/state Mara.hp -4", "/commit", "/state Mara.hp = 10", "/end")
    assert "Mara: HP 5 → 10" in [row.title for row in await scene.rows()]
    report = await scene.program.services.gate.commit(scene.scene_id)
    assert [fact.statement for fact in report.facts if "HP" in fact.statement] == ["Mara's HP is 10."]


async def test_steps_that_came_to_nothing_wait_on_after_a_commit_in_mid_scene(scene: FoldedScene) -> None:
    await scene.say("/state Mara.hp = 10", "/commit", "/state Mara.hp -2")
    assert "Mara: HP 10 → 8" in [row.title for row in await scene.rows()]


async def test_steps_that_came_to_nothing_wait_again_once_the_end_is_undone(scene: FoldedScene) -> None:
    await scene.say("/state Mara.hp = 10", "/end")
    play = scene.program.services.play
    report = await scene.program.services.gate.commit(scene.scene_id)
    assert report.next_scene_id is not None
    question = await play.undo(report.next_scene_id)
    await play.submit(report.next_scene_id, question.confirm_line)
    await scene.say("/state Mara.hp -2")
    assert "Mara: HP 10 → 8" in [row.title for row in await scene.rows()]
    await scene.say("/undo", "/undo")
    assert "Mara: HP 10 → 9" in [row.title for row in await scene.rows()]
