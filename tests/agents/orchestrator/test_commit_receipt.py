"""The receipt of a commit, in a player's own words: it accounts for every row that was accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.orchestrator.commit_reports import commit_lines
from agents.views.world_views import EntityEdit
from stores.records.workflow import Verdict
from tests.program import begin, opened
from widgets.proposal_rows import proposal_line


async def test_commit_receipt_names_what_was_replaced_in_the_same_commit(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/place here > Boat Shed",
            "/place here > Net Loft",
            "I walk about.",
            "/go Boat Shed",
            "/go Net Loft",
            "/state Mara.hp -3",
            "/state Mara.hp -2",
        ):
            await program.services.play.submit(scene_id, line)
        report = await program.services.gate.commit(scene_id)
        assert report.describe_accepted() == (
            "7 accepted: 6 in canon, 1 replaced by a later one in the same commit"
        )
        assert [words for _, words in report.replaced] == ["Mara is in Boat Shed."]
        lines = commit_lines(report)
        assert [line for line in lines if line.startswith("Canon: Mara is in")] == [
            "Canon: Mara is in Net Loft."
        ]
        assert lines[-1] == "1 more replaced by a later one of these."


async def test_commit_receipt_of_a_rename_makes_nobody_new(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/npc here Vess: a captain")
        assert "Canon: Vess (character)" in commit_lines(await program.services.gate.commit(scene_id))
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        (vess,) = [e for e in await program.services.world.list_entities(universe_id) if e.name == "Vess"]
        edit = EntityEdit("Captain Vess", description="a captain")
        await program.services.world.edits.propose_entity_edit(vess.id, edit)
        report = await program.services.gate.commit_universe(universe_id)
        assert commit_lines(report) == ("Canon: Vess is called Captain Vess.",)


async def test_promises_are_judged_as_at_the_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/npc Old Tam: a net-mender",
            "/promise Old Tam will mend the net",
            "/fact Mara owns a lamp",
        ):
            await program.services.play.submit(scene_id, line)
        view = await program.services.play.scene(scene_id)
        ledger = await program.services.world.commitments.read_commitments(view.universe.id, scene_id)
        (promised_row,) = ledger.proposals
        (panel_row,) = [row for row in view.proposals if row.proposal.id == promised_row.proposal.id]
        assert promised_row == panel_row


async def test_commit_receipt_names_what_left_canon_for_what_contradicts_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            *("/npc Bela", "/thing Glass Bell", "/state Mara.hp = 9", "/commit", "I wait."),
            *("/fact Bela stole the glass bell", "/commit", "I wait.", "/state Mara.hp -3"),
            "/fact Bela never stole the glass bell",
        ):
            await program.services.play.submit(scene_id, line)
        gate = await program.services.gate.gate(scene_id)
        (held,) = [row for row in gate.proposals if row.conflicts]
        await program.services.gate.decide([held.proposal.id], Verdict.ACCEPT)
        lines = commit_lines(await program.services.gate.commit(scene_id))
        assert "Canon: Bela never stole the glass bell." in lines
        # Another number says by itself that the former is no longer so.
        assert [line for line in lines if "It ends" in line] == ["Canon: It ends: Bela stole the glass bell."]


@pytest.mark.parametrize(
    "lines",
    [
        ("/place here Pier Nine", "I walk about.", "/fact Mara is in Salvage Skiff", "/place Salvage Skiff"),
        (
            "/place Pier Nine",
            "/fact Mara is in Pier Nine",
            "/place Net Loft",
            "I wait.",
            "/fact Mara is in Net Loft",
        ),
    ],
)
async def test_gate_says_which_row_another_replaces_before_the_commit(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look round.")
        for line in lines:
            await program.services.play.submit(scene_id, line)
        rows = (await program.services.gate.gate(scene_id)).proposals
        reasons = {row.title: row.reasons for row in rows}
        replaced_lines = [
            "".join(text for text, _ in proposal_line(row, 80)) for row in rows if row.is_replaced
        ]
        report = await program.services.gate.commit(scene_id)
        (older,) = [words for _, words in report.replaced]
        (newer,) = [title for title in reasons if title.startswith("Mara is in ") and title != older]
        assert f"“{newer}” replaces it in the same commit." in reasons[older]
        assert f"It replaces “{older}” of the same commit." in reasons[newer]
        (line,) = replaced_lines
        assert older in line
        assert line.rstrip().endswith(" replaced")


async def test_gate_says_nothing_of_rows_that_stand_beside_each_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/npc here Dob: a clerk",
            "/place Pier Nine",
            "/fact Mara is tall",
            "/fact Dob is in Pier Nine",
        ):
            await program.services.play.submit(scene_id, line)
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert not [reason for row in rows for reason in row.reasons if "same commit" in reason]


async def test_rejected_row_is_said_to_replace_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "I look.",
            "/place Pier Nine",
            "/place Net Loft",
            "/fact Mara is in Pier Nine",
            "I wait.",
        ):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/fact Mara is in Net Loft")
        rows = (await program.services.gate.gate(scene_id)).proposals
        (newer,) = [row for row in rows if row.title == "Mara is in Net Loft."]
        await program.services.gate.decide(newer.member_ids, Verdict.REJECT)
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert not [reason for row in rows for reason in row.reasons if "same commit" in reason]


@pytest.mark.parametrize(
    ("statement", "ended"),
    [
        ("Bram was shot from the roof; Pip carries the red ledger", []),
        ("Bram was shot from the roof, and Pip carries the red ledger", []),
        ("Pip carries the red ledger", ["Canon: It ends: Pip carries the red ledger."]),
    ],
)
async def test_outcome_of_several_statements_stays_when_one_of_them_changes(
    tmp_path: Path, statement: str, ended: list[str]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            *("/npc here Bram: a porter", "/npc here Pip: a girl", "/npc here Lady Ostrander: rich"),
            *("/thing red ledger: a book", f"/fact {statement}", "/accept all", "/commit"),
            *("> Pip gives Lady Ostrander the red ledger.", "/accept all"),
        ):
            await program.services.play.submit(scene_id, line)
        lines = commit_lines(await program.services.gate.commit(scene_id))
        assert "Canon: Lady Ostrander has the red ledger." in lines
        assert [line for line in lines if "It ends" in line] == ended
