"""Rows of what a commit closed say what has become of it since."""

from __future__ import annotations

from pathlib import Path

from tests.program import begin, opened
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
            *("> Greta takes the Ring.", "/fact Sela has the Ring", "> Greta takes the Ring.", "/accept all"),
        ):
            await play.submit(scene_id, line)
        await gate.commit(scene_id)
        rows = (await play.scene(scene_id)).proposals
        words = [outcome_word(row) for row in rows if row.title == "Sela has the Ring."]
        assert words == ["no longer so", "no longer so"]
