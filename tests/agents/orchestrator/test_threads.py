"""Threads, people and presence at the table: kept in the books, undone with their turn, seen everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.views.scene_views import ThreadView
from monitor_tui.compose import Program
from stores.errors import InputError, MonitorError
from stores.records.canon import EvidenceKind
from stores.records.ids import Id
from stores.records.play import Story
from stores.records.workflow import ProposalStatus
from tests.examples import first_few
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    """Type lines; returns what the last one answered."""
    told: tuple[str, ...] = ()
    for line in lines:
        told = (await program.services.play.submit(scene_id, line)).lines
    return told


async def threads(program: Program, scene_id: Id) -> tuple[ThreadView, ...]:
    return (await program.services.play.scene(scene_id)).threads


async def test_thread_is_opened_listed_weighed_renamed_closed_and_taken_up_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert "No open threads" in (await say(program, scene_id, "/thread"))[0]
        assert await say(program, scene_id, "/thread Who moved the bell?") == (
            "Thread 1 is open: Who moved the bell?",
        )
        await say(program, scene_id, "I wait.", "/thread The rope", "/thread 1 +", "/thread 1+")
        assert await say(program, scene_id, "/thread") == (
            "1. ••• Who moved the bell?  (1 minute)",
            "2. • The rope  (just now)",
        )
        await say(program, scene_id, "/thread 2 rename Who cut the rope?", "/thread 1 close")
        assert await say(program, scene_id, "/thread") == (
            "2. • Who cut the rope?  (just now)",
            "1. ✓ Who moved the bell?  (closed Day 1, morning)",
        )
        await say(program, scene_id, "/thread 1 open", "/thread 1 -", "/thread close who cut the rope")
        assert await say(program, scene_id, "/thread reopen 2") == ("Open again: Who cut the rope?",)
        assert [(t.name, t.weight) for t in await threads(program, scene_id)] == [
            ("Who moved the bell?", 2),
            ("Who cut the rope?", 1),
        ]


async def test_thread_name_that_begins_with_a_number_goes_in_quotes(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, '/thread "3 days until the ship leaves"')
        assert [t.name for t in await threads(program, scene_id)] == ["3 days until the ship leaves"]


async def test_thread_what_is_undone_takes_its_threads_back_and_redo_brings_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/thread The bell", "I look up.", "/thread 1 +", "/thread The rope")
        await say(program, scene_id, "/undo", "/undo", "/undo")
        assert [(t.name, t.weight) for t in await threads(program, scene_id)] == [("The bell", 1)]
        await say(program, scene_id, "/redo", "/redo", "/redo")
        assert [(t.name, t.weight) for t in await threads(program, scene_id)] == [
            ("The bell", 2),
            ("The rope", 1),
        ]
        await say(program, scene_id, "/undo", "/undo", "/undo", "I look down instead.", "/thread 1 close")
        assert await threads(program, scene_id) == ()


async def test_threads_live_on_in_the_next_scene_and_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/thread The bell", "I try.", "/thread Not this", "/undo")
        reply = await program.services.play.submit(scene_id, "/end It is quiet")
        following = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        assert reply.goto == "gate"
        assert [t.name for t in await threads(program, following)] == ["The bell"]
    async with opened(tmp_path, seed=2) as program:
        assert [t.name for t in await threads(program, following)] == ["The bell"]


async def test_thread_promise_shows_by_itself_can_be_weighed_and_is_closed_by_its_pay_off(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program, scene_id, "I swear it.", "/fact promise: Mara will bring the well a coin", "/thread 1 +"
        )
        (staged,) = await threads(program, scene_id)
        assert (staged.kind, staged.is_proposed, staged.weight) == ("promise", True, 2)
        await say(program, scene_id, "/commit")
        (canon,) = await threads(program, scene_id)
        assert (canon.id, canon.is_proposed, canon.weight) == (staged.id, False, 2)
        await say(program, scene_id, "I drop a coin.")
        assert await say(program, scene_id, "/thread 1 close") == (
            "Proposed: Kept: Mara will bring the well a coin.",
        )
        assert await threads(program, scene_id) == ()
        assert "settling is proposed" in (await say(program, scene_id, "/thread"))[0]
        await say(program, scene_id, "/thread 1 open")
        assert len(await threads(program, scene_id)) == 1
        await say(program, scene_id, "/thread 1 close", "/commit")
        assert "No open threads" in (await say(program, scene_id, "/thread"))[0]
        assert await say(program, scene_id, "/promises") != ()


async def test_thread_promise_that_is_only_proposed_can_be_paid_in_the_same_commit(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I swear it.", "/fact debt: Mara owes Gil a coin", "/thread 1 close")
        await say(program, scene_id, "/commit")
        rows = (await program.services.play.scene(scene_id)).proposals
        assert [row.status for row in rows] == [ProposalStatus.ACCEPTED] * 2
        assert await threads(program, scene_id) == ()


@pytest.mark.parametrize(
    ("line", "words"),
    first_few(
        [
            ("/thread 9 close", "no thread 9"),
            ("/thread 1 explode", "nothing that a thread can do"),
            ("/thread 1 -", "weighs 1 already"),
            ("/thread 1 open", "is open"),
            ("/thread 1 rename", "needs a name"),
            ("/thread 1 rename the ROPE", "open already"),
            ("/thread THE BELL", "open already"),
            ('/thread "  "', "needs a name"),
            (f"/thread {'x' * 200}", "at most"),
            ("/thread 3 rename Mine", "the world's own words"),
            ("/npcs Nobody off", "Nobody"),
            ("/npcs 99 +", "nobody numbered"),
            ("/npcs Tom", "what to do"),
            ("/npcs Mara off", "who you play"),
            ("/npcs Tom on", "weighs 1 already"),
            ("/cast + Tom", "is here"),
            ("/cast - Mara", "who you play"),
            ("/cast + Yard", "is a place"),
            ("/cast + Nobody", "Nobody"),
            ("/cast Tom", "come or leave"),
        ]
    ),
)
async def test_thread_nonsense_is_refused_and_changes_nothing(tmp_path: Path, line: str, words: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "/npc here Tom: the well's keeper",
            "/commit",
            "/thread The bell",
            "/thread The rope",
            "I wait.",
            "/fact promise: Mara will bring the well a coin",
        )
        before = await program.services.play.scene(scene_id)
        with pytest.raises(InputError, match=words):
            await program.services.play.submit(scene_id, line)
        assert await program.services.play.scene(scene_id) == before


async def test_thread_closed_thread_weighs_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/thread The bell", "/thread 1 close")
        for line in ("/thread 1 +", "/thread 1 close", "/thread 1 rename X"):
            with pytest.raises(InputError, match="closed"):
                await program.services.play.submit(scene_id, line)
        await say(program, scene_id, "/thread The bell")
        with pytest.raises(InputError, match="open already"):
            await program.services.play.submit(scene_id, "/thread 1 open")


async def test_thread_books_are_closed_with_the_story(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        story = (await program.services.play.scene(scene_id)).story
        await program.services.stories.abandon(story.id)
        for line in ("/thread The bell", "/clock Tide 6", "/track The bell", "/cast - Mara"):
            with pytest.raises(MonitorError, match="it was abandoned"):
                await program.services.play.submit(scene_id, line)


# --- random events ----------------------------------------------------------------------------------


@pytest.mark.slow
async def test_random_events_are_about_what_is_open_and_who_matters(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "/npc here Tom: the well's keeper",
            "/npc here Ada: a smith",
            "/thread The bell",
        )
        await say(program, scene_id, "/thread Over and done", "/thread 2 close", "/npcs Ada off")
        for _ in range(60):
            await say(program, scene_id, "/event")
        rows = await program.services.play.transcript(scene_id, 0, 200)
        events = " ".join(row.turn.text for row in rows)
        assert "“The bell”" in events
        assert "Tom" in events
        assert "Ada" not in events
        assert "Over and done" not in events


# --- people -----------------------------------------------------------------------------------------


async def test_thread_who_matters_is_listed_weighed_and_taken_off_without_touching_canon(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program, scene_id, "/npc here Tom: the well's keeper", "/fact Tom located_in Yard", "/commit"
        )
        await say(program, scene_id, "I go in.", "/npc here Ada: a smith")
        assert await say(program, scene_id, "/npcs") == ("1. • Ada  (here)", "2. • Tom  (here, Yard)")
        await say(program, scene_id, "/npcs 2 +", "/npcs Ada off")
        listed = await say(program, scene_id, "/npcs")
        assert listed == ("1. – Ada  (here)  off the list", "2. •• Tom  (here, Yard)")
        await say(program, scene_id, "/undo", "/undo", "/undo")
        assert await say(program, scene_id, "/npcs") == ("1. • Tom  (here, Yard)",)


async def test_people_come_and_leave_and_the_next_scene_begins_with_the_hero_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc here Tom: a keeper", "/npc here Ada: a smith", "/commit", "I nod.")
        assert await say(program, scene_id, "/cast - Tom") == ("Tom leaves.",)
        assert [m.name for m in (await program.services.play.scene(scene_id)).cast] == ["Mara", "Ada"]
        await say(program, scene_id, "/undo")
        assert [m.name for m in (await program.services.play.scene(scene_id)).cast] == ["Mara", "Tom", "Ada"]
        await say(program, scene_id, "/redo", "/cast - Ada", "/cast + Tom", "/cast - Tom", "/cast + Ada")
        await say(program, scene_id, "/end Tom has gone")
        following = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        assert [m.name for m in (await program.services.play.scene(following)).cast] == ["Mara"]
        assert "seen in scene 1" in " ".join(await say(program, following, "/npcs"))


async def test_thread_scene_is_shown_and_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await say(program, scene_id, "/scene") == (
            "Scene 1 “The yard”   (/scene Title: goal)",
            "Goal: none   (/scene : goal)",
            "Time: Day 1, morning   (/time +2h)",
            "Place: Yard   (/go Place)",
            "Here: Mara   (/cast + Name, /cast - Name)",
        )
        await say(program, scene_id, "/scene : find the bell")
        scene = (await program.services.play.scene(scene_id)).scene
        assert (scene.title, scene.goal) == ("The yard", "find the bell")
        await say(program, scene_id, "/scene Behind the yard")
        scene = (await program.services.play.scene(scene_id)).scene
        assert (scene.title, scene.goal) == ("Behind the yard", "find the bell")


# --- reading back -----------------------------------------------------------------------------------


async def test_thread_recap_and_the_menu_name_what_is_open(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program, scene_id, "I look.", "/thread Old matter", "/thread Who moved the bell?", "/thread 2 +"
        )
        await say(program, scene_id, "/clock Tide 6", "/clock Tide +2", "/end Mara saw tracks", "/commit")
        scenes = await program.services.stories.stories()
        told = await say(program, scenes[0].scene.id if scenes[0].scene else "", "/recap")
        opens = [line for line in told if line.startswith("Open:")]
        assert opens[0].startswith("Open: Who moved the bell? (since"), "the heaviest first"
        assert "Clocks: Tide 2/6" in told
        menu = await program.services.stories.menu()
        assert menu.resume_story
        assert menu.resume_story.previously_lines == (
            "Scene 1 “The yard”: Mara saw tracks.",
            "2 open: Who moved the bell? · Old matter",
            "Clocks: Tide 2/6",
        )
        assert menu.resume_story.last_line == "I look."


def test_thread_story_from_before_the_journal_still_reads() -> None:
    old = {"id": "1", "universe_id": "2", "title": "T", "created_at": "2026-01-01T00:00:00Z"}
    assert Story.model_validate_json(json.dumps(old)).entries == ()


async def test_thread_words_of_the_program_are_no_evidence_of_what_a_scene_came_to(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I wait.", "/time +2h", "I go.", "> It rains.", "/end Mara waited")
        outcome = (await program.services.gate.gate(scene_id)).proposals[-1].proposal
        words = [e.quote for e in outcome.evidence if e.kind is EvidenceKind.TURN]
        assert words == ["I wait."]
