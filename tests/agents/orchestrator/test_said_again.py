"""Tests what becomes of what the player says again: after a conflict, after a rejection, after a ruling."""

from __future__ import annotations

from pathlib import Path

from stores.records.workflow import Verdict
from tests.played_scene import PlayedScene
from tests.program import begin, opened

DOB_OWNS = "/fact Dob owns the Glass Bell"


async def test_fact_said_again_is_held_rejected_or_offered_but_never_decided_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Dob", "/npc here Iselin", "/thing Glass Bell", "I wait.")
        await table.say("/fact Iselin owns the Glass Bell", "/accept all", "/commit")

        async def rows() -> list[tuple[str, Verdict | None]]:
            proposals = (await table.view()).proposals
            return [(row.mark, row.verdict) for row in proposals if row.title == "Dob owns the Glass Bell."]

        conflict = "⚠ Canon says “Iselin owns the Glass Bell.” Only one of the two can hold at that time."
        assert (await table.say(DOB_OWNS))[1:] == (conflict,)
        assert (await table.say(DOB_OWNS))[1:] == (conflict,)
        assert await rows() == [("hold", None), ("hold", None)], "to say it twice decides nothing"
        assert await table.say("/commit") == (
            "Nothing is accepted yet.",
            "2 left open: 2 in conflict. /proposals lists them.",
        )
        number = next(row.number for row in (await table.view()).proposals if row.conflicts)
        await table.say(f"/resolve {number} old")
        reply = await program.services.play.submit(table.scene_id, DOB_OWNS)
        (_, offer) = reply.lines
        assert offer == (
            "⚠ You resolved this before: the old one is true. "
            f"{reply.suggested_line} makes it true all the same (Tab takes it)."
        )
        await table.say(reply.suggested_line)
        assert (await table.say("/commit"))[0] == "Canon: Dob owns the Glass Bell."


async def test_plain_words_said_again_after_a_rejection_are_proposed_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Dob", "/npc here Iselin", "/thing Glass Bell", "/commit", "I wait.")
        for line, title in (
            ("Iselin gives Dob the bell.", "Proposed: Dob has the bell."),
            ("> Dob is in the Yard.", "Proposed: Dob is in the Yard."),
        ):
            assert title in await table.say(line)
            assert await table.say(line) == (), "it waits for a decision already"
            await table.say("/reject all")
            assert title in await table.say(line)
