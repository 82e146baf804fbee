"""The offer to commit in mid-scene, in a player's own words: what it names, what it writes, and who decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.gate_views import CommitReport
from monitor_tui.compose import Program
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.program import begin, opened


async def play(program: Program, scene_id: Id, *lines: str) -> str:
    """Play the lines, and return what the offer says then."""
    for line in lines:
        await program.services.play.submit(scene_id, line)
    return (await program.services.play.scene(scene_id)).trigger_reason


def written(report: CommitReport) -> set[str]:
    return {f.statement for f in report.facts} | {e.name for e in report.entities}


async def test_commit_offer_of_a_place_writes_the_place_and_its_connection_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reason = await play(
            program,
            scene_id,
            "I look for tar on the rope. /check might vs 3; success: Mara +suspicious",
            "/fact The rope was cut with a clean blade",
            "/npc Old Tam: a net-mender who saw the boat go out",
            "/place here > Boat Shed",
        )
        assert "Boat Shed is a discovery (with what this needs: Yard leads to Boat Shed)" in reason
        report = await program.services.gate.commit_trigger(scene_id)
        assert written(report) == {"Boat Shed", "Yard leads to Boat Shed."}
        rows = (await program.services.gate.gate(scene_id)).proposals
        waiting = {row.title for row in rows if row.status == "pending"}
        assert any("Old Tam" in title for title in waiting)
        assert any("The rope was cut" in title for title in waiting)


async def test_commit_offer_of_two_places_leaves_where_the_hero_went(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reason = await play(
            program,
            scene_id,
            "I look about.",
            "/place here > Boat Shed",
            "/go Boat Shed",
            "/fact Mara owns Boat Shed",
            "/place here > Net Loft",
        )
        assert "Net Loft is a discovery (with what this needs: " in reason
        report = await program.services.gate.commit_trigger(scene_id)
        assert written(report) == {
            "Boat Shed",
            "Yard leads to Boat Shed.",
            "Net Loft",
            "Boat Shed leads to Net Loft.",
        }
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert {r.title for r in rows if r.status == "pending"} == {
            "Mara is in Boat Shed.",
            "Mara owns Boat Shed.",
        }


async def test_commit_offer_of_a_death_leaves_facts_about_the_dead_for_the_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reason = await play(
            program,
            scene_id,
            "I stand at the pier.",
            "/npc Dob Harrow: the pier-keeper",
            "/fact Dob Harrow never stole the glass bell",
            "/fact Where is the glass bell from?",
            "/fact Dob Harrow is dead",
        )
        assert "Dob Harrow died (with what this needs: Dob Harrow)" in reason
        report = await program.services.gate.commit_trigger(scene_id)
        assert written(report) == {"Dob Harrow", "Dob Harrow died."}


async def test_commit_offer_taken_is_the_gms_own_decision(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(program, scene_id, "I climb.", "/place here > Loft")
        await program.services.gate.commit_trigger(scene_id)
        rows = [r for r in (await program.services.gate.gate(scene_id)).proposals if r.status == "accepted"]
        assert {(r.verdict, r.is_closed_by_policy) for r in rows} == {(Verdict.ACCEPT, False)}
        decision = rows[0].proposal.decision
        assert decision is not None
        assert decision.by == "gm"


async def test_commit_offer_takes_the_wounds_of_a_death_proposed_by_state(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reason = await play(
            program,
            scene_id,
            "I stamp on it.",
            "/creature Rat: small (hp 1)",
            "/state Rat.hp = 0",
            "/state Rat.alive = false",
        )
        assert "Rat died" in reason
        report = await program.services.gate.commit_trigger(scene_id)
        assert {"Rat", "Rat died."} <= written(report)
        assert (await program.services.play.scene(scene_id)).trigger_reason == ""


async def test_commit_offer_leaves_out_what_a_conflict_holds(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, "I look round.", "/place Yard: a smoky tavern") == ""
        reason = await play(program, scene_id, "/place here > Loft")
        assert "Loft is a discovery" in reason
        assert "Yard is" not in reason
        report = await program.services.gate.commit_trigger(scene_id)
        assert written(report) == {"Loft", "Yard leads to Loft."}
        assert report.failures == ()
        assert await play(program, scene_id) == ""  # nothing that Enter could not write is offered


async def test_commit_offer_of_a_discovery_leaves_what_was_passed_over(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reason = await play(
            program, scene_id, "/npc here Bram: a smith", "> Bram dies.", "I kneel down.", "/place Forge: hot"
        )
        assert reason == "Critical: Forge is a discovery"
        assert written(await program.services.gate.commit_trigger(scene_id)) == {"Forge"}
        assert await play(program, scene_id) == "Critical: Bram dies (with what this needs: Bram)"


async def test_commit_offer_is_made_again_once_the_conflict_is_decided(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reply = await program.services.play.submit(scene_id, "/place Yard: a smoky tavern")
        assert any("There is a place called Yard already" in line for line in reply.lines)
        assert "Yard is a discovery" in await play(program, scene_id, "/accept 1")
        report = await program.services.gate.commit_trigger(scene_id)
        assert written(report) == {"Yard"}


async def test_commit_offer_of_one_line_has_all_that_it_says(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        line = "I fall. /check 2d6+9 vs 5; success: Mara +dead; success: Bram +dead"
        offer = await play(program, scene_id, "/npc here Bram: a smith", line)
        assert "Mara died" in offer
        assert "Bram died" in offer


async def test_commit_offer_that_was_left_for_the_end_stays_so_after_undo_and_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, "I look.", "/state Mara +dead") == "Critical: Mara died"
        assert await play(program, scene_id, "/later", "I wait.", "/undo") == ""
    async with opened(tmp_path, seed=2) as program:
        assert await play(program, scene_id) == ""
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert [row.verdict for row in rows] == [None]


async def test_commit_offer_lapses_with_the_next_line_or_command(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)

        async def has_lapsed() -> bool:
            view = await program.services.play.scene(scene_id)
            assert view.trigger_reason
            return view.is_offer_lapsed

        await play(program, scene_id, "I fall. /check 2d6+9 vs 5; success: Mara +dead")
        assert not await has_lapsed()
        await play(program, scene_id, "/fact The stair is broken")
        assert await has_lapsed()
        await play(program, scene_id, "/undo")
        assert not await has_lapsed()
        await play(program, scene_id, "I lie there.")
        assert await has_lapsed()


async def test_commit_offer_that_was_left_is_no_step_of_undo(tmp_path: Path) -> None:
    """“Esc, then Ctrl+Z: I want the line gone”: one press takes it, and redo brings no offer back."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, "I fall. /check 2d6+9 vs 5; success: Mara +dead")
        assert await play(program, scene_id, "/later") == ""
        reply = await program.services.play.submit(scene_id, "/undo")
        assert reply.lines[0].startswith("Undone: I fall.")
        assert await play(program, scene_id, "/redo") == ""
        assert (await program.services.gate.gate(scene_id)).proposals


@pytest.mark.parametrize(
    "lines",
    [
        ("/place Cellar", "/defer 1", "/place Cellar > Vault"),
        ("/npc Bram: a smith", "/defer 1", "/state Bram +dead"),
        ("/place Cellar", "/place Cellar > Vault", "/defer 1"),
    ],
)
async def test_commit_offer_is_not_made_of_what_needs_something_put_off(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    """Enter would fail: the offer is made once what it needs is accepted, and Enter then writes both."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, "I look round.", *lines) == ""
        await play(program, scene_id, "/accept 1")
        assert await play(program, scene_id) != ""
        report = await program.services.gate.commit_trigger(scene_id)
        assert not report.failures
        assert report.accepted_count >= 2


async def test_commit_offer_of_a_place_stands_before_anything_is_played_in_the_scene(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(program, scene_id, "/place Old Hall", "/go Old Hall", "/commit")
        await play(program, scene_id, "/place here > Boat Shed: tarred boards, a new padlock")
        assert not (await program.services.play.scene(scene_id)).is_offer_lapsed
        await play(program, scene_id, "/fact Mara owns a lamp")
        assert (await program.services.play.scene(scene_id)).is_offer_lapsed


async def test_commit_of_what_needs_something_put_off_names_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(program, scene_id, "I look round.", "/place Cellar", "/defer 1", "/place Cellar > Vault")
        report = await program.services.gate.commit(scene_id)
        assert [reason for _, reason in report.failures] == ["It needs Cellar, which is still undecided."]


async def test_commit_offer_of_a_long_scene_counts_what_it_writes(tmp_path: Path) -> None:
    """Ticked and not ticked proposals wait for fifty turns: the offer counts the ticked ones, and Enter writes them."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(
            program,
            scene_id,
            "I look round.",
            "/npc here Dob: a clerk",
            "/thing rope: old",
            "> Dob takes the rope.",
        )
        rows = (await program.services.play.scene(scene_id)).proposals
        assert sorted(row.mark for row in rows) == ["accept", "accept", "defer"]
        for number in range(47):
            assert await play(program, scene_id, f"I count step {number}.") == ""
        reason = await play(program, scene_id, "I count the last step.")
        assert reason == "50 turns since the oldest of 2 ticked proposals"
        report = await program.services.gate.commit_trigger(scene_id)
        assert written(report) == {"Dob", "rope"}
        assert await play(program, scene_id, "I go on.") == ""
