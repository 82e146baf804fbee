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
        assert await rows() == [("hold", None)], "to say it twice decides nothing, and proposes nothing more"
        assert await table.say("/commit") == (
            "Nothing is accepted yet.",
            "1 left open: 1 in conflict. /proposals lists them.",
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


async def test_command_that_was_typed_already_proposes_nothing_and_says_the_row(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Dob", "/npc here Iselin", "/thing Glass Bell", "I wait.")
        first_lines = (
            "/fact Dob is brave",
            "/fact Dob is an ally of Iselin",
            "/fact Iselin is dead",
            "/fact Where is Teodor?",
            "/axiom The dead cannot cross salt",
            "/fact Corin Orrin is my brother",
        )
        await table.say(*first_lines)
        titles = {row.number: row.title for row in (await table.view()).proposals}
        for line in (*first_lines, "/fact dob is brave."):
            (repeated, *_) = await table.say(line)
            (number,) = [n for n, title in titles.items() if f"It is row {n}." in repeated]
            assert repeated.casefold() == f"Proposed already: {titles[number]} It is row {number}.".casefold()
        assert {row.number: row.title for row in (await table.view()).proposals} == titles
        # What is rejected, told by the story alone, or so again since another was, is proposed.
        await table.say("/reject Dob is brave")
        assert (await table.say("/fact Dob is brave"))[0] == "Proposed: Dob is brave."
        await table.say("> The skiff burns down.", "/thing skiff", "> Dob betrays Iselin.")
        assert (await table.say("/fact Dob betrays Iselin"))[0] == "Proposed: Dob betrays Iselin."
        for holder in ("Dob", "Iselin", "Dob"):
            assert (await table.say(f"/fact {holder} has the Glass Bell"))[0] == (
                f"Proposed: {holder} has the Glass Bell."
            )


async def test_fact_that_a_later_turn_shows_to_others_may_be_said_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Dob", "/thing Glass Bell", "I wait.", DOB_OWNS, "> Dob grins.")
        assert "Proposed already" in (await table.say(DOB_OWNS))[0]
        await table.say("> Dob shows everybody the Glass Bell: it is his.")
        assert (await table.say(DOB_OWNS))[0] == "Proposed: Dob owns the Glass Bell."


async def test_promise_that_the_player_made_is_proposed_once_in_whatever_words(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Iselin", "/npc here Dob", "/thing Glass Bell", "I wait.")
        await table.say("I promise Iselin to bring back the glass bell.")
        title = "Mara promised Iselin to bring back the glass bell."
        for line in (
            "/fact promise: Mara promises Iselin to bring back the Glass Bell",
            "/fact Mara promised Iselin to bring back the glass bell",
            "/fact promise: Mara brings Iselin the glass bell",
        ):
            assert await table.say(line) == (f"Promised already: {title}",), line
        for line, other in (
            ("/fact promise: Mara promises Dob to bring back the glass bell", "Dob"),
            ("/fact promise: Dob promises Iselin to bring back the glass bell", "Dob promises"),
            ("/fact promise: Mara promises Iselin never to bring back the glass bell", "never"),
            ("/fact promise: Mara promises Iselin to bring back the glass bell at dawn", "dawn"),
        ):
            (reply, *_) = await table.say(line)
            assert reply.startswith("Proposed: "), line
            assert other in reply, line
        await table.say("/reject all")
        assert (await table.say(f"/fact {title}"))[0] == f"Proposed: {title}"


async def test_line_is_not_read_again_for_what_a_command_has_said_since(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Dob", "> Dob owns Salvage Skiff.", "/fact Dob owns Salvage Skiff")
        assert await table.say("/thing Salvage Skiff: a boat") == ("Proposed: Salvage Skiff",)
        titles = [row.title for row in (await table.view()).proposals]
        assert titles.count("Dob owns Salvage Skiff.") == 1
        # What no command says is read.
        await table.say("> Dob owns Grey Gull.")
        assert "Proposed: Dob owns Grey Gull." in await table.say("/thing Grey Gull")
