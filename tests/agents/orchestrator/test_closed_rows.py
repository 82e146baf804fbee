"""Rows of what a commit closed say what has become of it since."""

from __future__ import annotations

from pathlib import Path

from tests.program import begin, opened
from widgets.proposal_detail import detail_lines
from widgets.proposal_rows import outcome_word


async def test_closed_row_of_a_replaced_fact_is_no_longer_in_canon_and_says_each_reason_once(
    tmp_path: Path,
) -> None:
    """`Sela Reed has the Ring` stood as “in canon” after Greta had it; `/item` makes a thing known, too."""
    async with opened(tmp_path) as program:
        scene_id, play, gate = await begin(program), program.services.play, program.services.gate
        for line in (
            "/npc here Sela Reed: a ferrywoman",
            "/npc here Greta: her rival",
            "/item Ring: tin",
            "/fact Sela Reed has the Ring",
        ):
            await play.submit(scene_id, line)
        await gate.commit(scene_id)
        await play.submit(scene_id, "/time +1h")
        for line in ("/fact Greta has the Ring", "/accept all"):
            await play.submit(scene_id, line)
        await gate.commit(scene_id)

        rows = {row.title: row for row in (await play.scene(scene_id)).proposals}
        assert outcome_word(rows["Sela Reed has the Ring."]) == "no longer so"
        assert outcome_word(rows["Greta has the Ring."]) == "in canon"
        for row in rows.values():
            reasons = " ".join(row.reasons)
            assert all(reasons.count(reason) == 1 for reason in row.reasons)


async def test_closed_row_that_canon_had_already_is_no_longer_so_either(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id, play, gate = await begin(program), program.services.play, program.services.gate
        for line in (
            *(
                "/npc here Sela",
                "/npc here Greta",
                "/thing Ring",
                "/fact Sela has the Ring",
                "/accept all",
                "/commit",
            ),
            *(
                "> Greta takes the Ring.",
                "/fact Sela has the Ring",
                "> Greta takes the Ring.",
                "/accept 5 6 7",
            ),
        ):
            await play.submit(scene_id, line)
        await gate.commit(scene_id)
        rows = (await play.scene(scene_id)).proposals
        words = [outcome_word(row) for row in rows if row.title == "Sela has the Ring."]
        assert words == ["no longer so", "no longer so"]


async def test_conflict_that_a_commit_left_open_says_each_reason_once_and_as_it_is_now(
    tmp_path: Path,
) -> None:
    """The details at the gate said twice what denies what, and that the other proposal stays open."""
    async with opened(tmp_path) as program:
        scene_id, play, gate = await begin(program), program.services.play, program.services.gate
        for line in ("/npc Ned Crake", "/fact Ned Crake is married", "/fact Ned Crake has never married"):
            await play.submit(scene_id, line)
        reasons_before = {row.title: row.reasons for row in (await gate.gate(scene_id)).proposals}
        await gate.commit(scene_id)
        rows = [row for row in (await gate.gate(scene_id)).proposals if "married" in row.title]
        assert [row.mark for row in rows] == ["hold", "hold"]
        for row in rows:
            shown_lines = [
                "".join(words for words, _ in line) for line in detail_lines(row, 400, with_change=False)
            ]
            texts = " ".join(shown_lines)
            assert row.reasons == reasons_before[row.title]
            assert texts.count("denies what the other says") == texts.count("stays open.") == 1
        await play.submit(scene_id, f"/reject {rows[1].number}")
        (row,) = [row for row in (await gate.gate(scene_id)).proposals if row.title == rows[0].title]
        assert (row.mark, "denies" in " ".join(row.reasons)) == ("accept", False)
