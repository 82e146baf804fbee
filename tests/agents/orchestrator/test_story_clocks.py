"""Clocks and tracks at the table: proposals that move at once, are undone, fold into one row, and become
canon; and what a scene's end makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import StoryOutline
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.errors import InputError
from stores.queries import FactQuery
from stores.records.canon import EvidenceKind, FactStatus
from stores.records.clocks import Pace
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.play import Degree, Speaker
from stores.records.story_journal import TensionEntry
from tests.program import START, begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    told: tuple[str, ...] = ()
    for line in lines:
        told = (await program.services.play.submit(scene_id, line)).lines
    return told


async def clocks(program: Program, scene_id: Id) -> dict[str, str]:
    """Return the clocks and tracks that run, as far as they are filled."""
    view = await program.services.play.scene(scene_id)
    return {c.name: f"{c.filled}/{c.size}" for c in (*view.clocks, *view.tracks)}


async def canon(program: Program, scene_id: Id, prefix: str = "clock:") -> list[str]:
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id, FactQuery(prefix=prefix))
    assert all(fact.status is FactStatus.CANONICAL for fact in facts)
    return [fact.statement for fact in facts]


# --- clocks -----------------------------------------------------------------------------------------


async def test_clock_is_started_moved_set_let_go_and_stopped(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert "No clock yet" in (await say(program, scene_id, "/clock"))[0]
        assert await say(program, scene_id, "/clock Tide 6") == ("Tide ○○○○○○ 0/6",)
        assert await say(program, scene_id, "/clock tide +1") == ("Tide ●○○○○○ 1/6",)
        assert await say(program, scene_id, "/clock Tide - 1") == ("Tide ○○○○○○ 0/6",)
        assert await say(program, scene_id, "/clock Tide = 3") == ("Tide ●●●○○○ 3/6",)
        assert await say(program, scene_id, "/clock Tide per scene 1") == ("Tide ●●●○○○ 3/6, +1 each scene",)
        await say(program, scene_id, "/clock The long night 8 per scene 2")
        assert await say(program, scene_id, "/clock") == (
            "1. Tide ●●●○○○ 3/6, +1 each scene",
            "2. The long night ○○○○○○○○ 0/8, +2 each scene",
        )
        assert await say(program, scene_id, "/clock 2 +3") == ("The long night ●●●○○○○○ 3/8, +2 each scene",)
        assert await say(program, scene_id, "/clock Tide stop") == ("Tide ●●●○○○ 3/6, stopped",)
        assert await clocks(program, scene_id) == {"The long night": "3/8"}
        assert await say(program, scene_id, "/clock Tide 4") == ("Tide ○○○○ 0/4",)


async def test_clock_goes_with_its_turn_and_is_canon_after_the_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I wait.", "/clock Tide 6", "I wait more.", "/clock Tide +2")
        await say(program, scene_id, "/undo")
        assert await clocks(program, scene_id) == {"Tide": "0/6"}
        await say(program, scene_id, "/redo")
        assert await clocks(program, scene_id) == {"Tide": "2/6"}
        await say(program, scene_id, "/commit")
        assert await canon(program, scene_id) == ["The clock “Tide” stands at 2 of 6."]
        assert await clocks(program, scene_id) == {"Tide": "2/6"}
        await say(program, scene_id, "/clock Tide per scene 1", "/commit")
        assert await canon(program, scene_id) == [
            "The clock “Tide” stands at 2 of 6 and moves by 1 each scene."
        ]
        await say(program, scene_id, "I wait.", "/clock Tide +1", "/clock Tide stop", "/commit")
        assert await canon(program, scene_id) == ["The clock “Tide” was stopped at 3 of 6."]
        assert await clocks(program, scene_id) == {}
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        reader = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        (fact,) = await reader.facts(universe_id, FactQuery(prefix="clock:"))
        evidence = await reader.evidence_of(fact.id)
        assert {e.kind for e in evidence} == {EvidenceKind.MANUAL, EvidenceKind.SCENE}


async def test_clock_many_moves_of_one_clock_are_one_row_and_one_verdict(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/clock Tide 6", "/clock Dawn 4")
        for _ in range(4):
            await say(program, scene_id, "I wait.", "/clock Tide +1")
        rows = (await program.services.play.scene(scene_id)).proposals
        assert [(row.number, row.title) for row in rows] == [
            (1, "Tide 0 → 4 of 6"),
            (2, "Dawn 0 of 4, begins"),
        ]
        assert "5 moves in one row" in " ".join(rows[0].reasons)
        await say(program, scene_id, "/reject 1")
        assert await clocks(program, scene_id) == {"Dawn": "0/4"}
        await say(program, scene_id, "/undecide 1")
        assert await clocks(program, scene_id) == {"Tide": "4/6", "Dawn": "0/4"}
        await say(program, scene_id, "/undo", "/undo", "/undo")
        (row,) = [r for r in (await program.services.play.scene(scene_id)).proposals if r.group == "Tide"]
        assert row.title == "Tide 0 → 3 of 6"
        await say(program, scene_id, "/commit")
        rows = (await program.services.play.scene(scene_id)).proposals
        assert [row.status.value for row in rows] == ["accepted", "accepted"]
        assert await canon(program, scene_id) == [
            "The clock “Dawn” stands at 0 of 4.",
            "The clock “Tide” stands at 3 of 6.",
        ]


async def test_clock_what_was_done_earlier_on_the_line_counts_first(tmp_path: Path) -> None:
    """Set later, after an undo, on an earlier turn; then the later turn is redone."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "/clock Tide 6",
            "One.",
            "Two.",
            "/clock Tide +2",
            "/undo",
            "/undo",
            "/clock Tide = 3",
        )
        await say(program, scene_id, "/redo", "/redo")
        assert await clocks(program, scene_id) == {"Tide": "5/6"}
        await say(program, scene_id, "/commit")
        assert await canon(program, scene_id) == ["The clock “Tide” stands at 5 of 6."]


async def test_clock_is_the_worlds_and_runs_on_in_another_story(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/clock Tide 6", "/clock Tide +2", "/commit")
        view = await program.services.play.scene(scene_id)
        other = await program.services.stories.start_story(
            StoryOutline(view.universe.id, "Another", view.story.pc_id)
        )
        assert await clocks(program, other) == {"Tide": "2/6"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/clock Tide 6", "runs already"),
        ("/clock Dawn 0", "over at once"),
        ("/clock Dawn 999999999", "never end"),
        ("/clock Dawn +1", "no clock 'Dawn'"),
        ("/clock Tied +1", "Did you mean Tide"),
        ("/clock Tide = 9", "cannot stand at 9"),
        ("/clock Tide = 0", "is so already"),
        ("/clock Tide -1", "empty already"),
        ("/clock Tide per scene 999", "too much"),
        ("/clock Over +1", "was stopped"),
        ("/clock Nothing", "no clock 'Nothing'"),
        (f"/clock {'x' * 99} 6", "80 is the most"),
        ("/track Bell slow", "runs already"),
        ("/track 9", "no track 9"),
        ("/track 9 mark", "no track '9'"),
        ("/track Bell mark -1", "Nothing would be marked"),
        ("/track Nobody roll", "no track 'Nobody'"),
    ],
)
async def test_clock_nonsense_is_refused_and_changes_nothing(tmp_path: Path, line: str, words: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/clock Tide 6", "/clock Over 4", "/clock Over stop", "/track Bell")
        before = await program.services.play.scene(scene_id)
        with pytest.raises(InputError, match=words):
            await program.services.play.submit(scene_id, line)
        assert await program.services.play.scene(scene_id) == before


# --- tracks -----------------------------------------------------------------------------------------


async def test_clock_track_is_worked_at_by_its_pace_and_canon_keeps_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await say(program, scene_id, "/track Find the bell slow") == (
            "Find the bell ·········· 0/10, slow",
        )
        assert await say(program, scene_id, "/track 1 mark 2") == ("Find the bell █░········ 1/10, slow",)
        await say(program, scene_id, "/clock Find the bell 4", "/commit")
        (track,) = (await program.services.play.scene(scene_id)).tracks
        assert (track.filled, track.pace) == (4, Pace.SLOW)
        assert await canon(program, scene_id, "track:") == [
            "The track “Find the bell” stands at 1 of 10 boxes."
        ]
        await say(program, scene_id, "/track Find the bell mark -1", "/track find the bell stop")
        assert "No track yet" in (await say(program, scene_id, "/track"))[0]


async def test_clock_full_track_cannot_fail_and_its_finish_is_one_exchange(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/track Mend the wall brisk", "/track 1 mark 5", "I lay the last stone.")
        await program.services.play.submit(scene_id, "/track 1 roll")
        _, row = await program.services.play.transcript(scene_id, 0, 5)
        assert row.resolution
        assert (row.turn.speaker, row.resolution.degree) == (Speaker.ORACLE, Degree.SUCCESS)
        assert row.turn.text.startswith("finish “Mend the wall” · 10 boxes · 2d10 ")
        assert await clocks(program, scene_id) == {}, "what is finished is closed, as a proposal on the roll"
        (proposal,) = [
            p
            for p in (await program.services.play.scene(scene_id)).proposals
            if p.proposal.turn_id == row.turn.id
        ]
        assert EvidenceKind.RESOLUTION in {e.kind for e in proposal.proposal.evidence}
        await say(program, scene_id, "/undo")
        assert await clocks(program, scene_id) == {"Mend the wall": "30/30"}


async def test_clock_empty_track_fails_and_stays_open(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/track Mend the wall", "/track mend the wall roll")
        (row,) = await program.services.play.transcript(scene_id, 0, 5)
        assert row.resolution
        assert row.resolution.degree is Degree.FAIL
        assert await clocks(program, scene_id) == {"Mend the wall": "0/30"}


# --- scene end --------------------------------------------------------------------------------------


async def test_clock_at_scene_end_clocks_move_and_full_ones_strike_with_evidence(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program, scene_id, "I wait.", "/clock Tide 6 per scene 2", "/clock Dawn 4", "/clock Dawn = 4"
        )
        told = await say(program, scene_id, "/end Mara waited")
        assert told == (
            "The scene is at the gate.",
            "The scene ends. Tide 0 → 2 of 6; Dawn 4 → 4 of 4 · it strikes.",
            "Tension stays at 5: no checks were rolled.",
        )
        view = await program.services.play.scene(scene_id)
        assert {p.title for p in view.proposals} >= {"Tide 0 → 2 of 6", "The clock “Dawn” strikes."}
        gate = await program.services.gate.gate(scene_id)
        assert gate.scene_end_lines == told[1:]
        following = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        assert await clocks(program, following) == {"Tide": "2/6"}
        assert sorted(await canon(program, following)) == [
            "The clock “Dawn” struck at 4 of 4.",
            "The clock “Tide” stands at 2 of 6 and moves by 2 each scene.",
        ]
        reader = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        (struck,) = await reader.facts_by_statement(view.universe.id, ["the clock dawn strikes"])
        assert "it strikes" in " ".join(e.quote for e in await reader.evidence_of(struck.id))
        await say(program, following, "/end", "/commit")
        assert "strikes" not in " ".join(await canon(program, following)), "once is enough"


async def test_clock_scene_reopened_and_ended_again_moves_no_clock_twice(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I wait.", "/clock Tide 6 per scene 2")
        for _ in range(3):
            await say(program, scene_id, "/end Mara waited")
            assert await clocks(program, scene_id) == {"Tide": "2/6"}
            await say(program, scene_id, "/reopen")
            assert await clocks(program, scene_id) == {"Tide": "0/6"}
            assert (await program.services.play.scene(scene_id)).turn_count == 1
        await say(program, scene_id, "I stay.", "/clock Tide = 5", "/end Mara stayed")
        assert await canon(program, scene_id) == []
        following = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        assert await canon(program, following) == ["The clock “Tide” struck at 6 of 6."]


async def test_clock_what_is_declared_at_the_gate_stays_when_the_scene_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I wait.", "/clock Tide 6 per scene 2", "/end Mara waited")
        await say(program, scene_id, "/clock Tide +1", "/thread The bell", "/reopen")
        assert await clocks(program, scene_id) == {"Tide": "1/6"}
        assert [t.name for t in (await program.services.play.scene(scene_id)).threads] == ["The bell"]


@pytest.mark.parametrize("cut", ["append_turn", "record_transition"])
async def test_clock_crash_in_the_middle_of_an_end_moves_no_clock_twice(tmp_path: Path, cut: str) -> None:
    class Cut(Exception):
        pass

    clock = SteppingClock(START)
    program = await open_program(tmp_path, clock=clock, ids=SeededIdGenerator(1, clock))
    scene_id = await begin(program)
    await say(program, scene_id, "I wait.", "/clock Tide 6 per scene 2")
    log = program.stores.log(Role.ORCHESTRATOR)

    async def crash(*_: object) -> None:
        raise Cut

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(log), cut, crash)
        with pytest.raises(Cut):
            await program.services.play.submit(scene_id, "/end Mara waited")
    await program.close()
    async with opened(tmp_path, seed=2) as again:
        await again.services.stories.recover()
        view = await again.services.play.scene(scene_id)
        if view.state == "active":
            await say(again, scene_id, "/end Mara waited")
        assert (await again.services.play.scene(scene_id)).state == "finalizing"
        assert await clocks(again, scene_id) == {"Tide": "2/6"}
        await say(again, scene_id, "/commit")
        assert await canon(again, scene_id) == [
            "The clock “Tide” stands at 2 of 6 and moves by 2 each scene."
        ]


async def test_threads_that_nobody_touched_are_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/thread Who moved the bell?", "/thread The cut rope")
        told: tuple[str, ...] = ()
        for n in range(4):
            await say(program, scene_id, "I ask about the cut rope." if n else "I ask.")
            told = await say(program, scene_id, f"/end Evening {n} passed")
            scene_id = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        assert [line for line in told if "has not come up" in line] == [
            "“Who moved the bell?” has not come up for 3 scenes."
        ]


# --- tension ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        (("12 vs 1", "1 vs 12"), "Tension stays at 5: as many checks failed as succeeded (1 each)."),
        (
            ("1 vs 12", "1 vs 12", "12 vs 1"),
            "More checks failed than succeeded (2 to 1): the tension can go 5 → 6 "
            "(Ctrl+T at the gate, or /tension up).",
        ),
        (
            ("12 vs 1",),
            "More checks succeeded than failed (1 to 0): the tension can go 5 → 4 "
            "(Ctrl+T at the gate, or /tension down).",
        ),
    ],
)
async def test_clock_results_of_a_scene_offer_a_tension_and_the_gm_decides(
    tmp_path: Path, checks: tuple[str, ...], line: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for check in checks:
            await say(program, scene_id, f"I try. /check {check}")
        assert (await say(program, scene_id, "/end Mara tried"))[-1] == line
        assert (await program.services.play.scene(scene_id)).story.tension == 5, "nothing moves by itself"
        offer = (await program.services.gate.gate(scene_id)).tension_suggestion
        if offer is None:
            assert "stays" in line
            return
        await program.services.play.set_tension(scene_id, offer.after)
        gate = await program.services.gate.gate(scene_id)
        assert gate.tension_suggestion is None
        assert gate.scene_end_lines[-1] == f"Tension went 5 → {offer.after} in this scene: {offer.reason}."
        await say(program, scene_id, "/reopen")
        assert (await say(program, scene_id, "/end Mara tried"))[-1].startswith("Tension went")
        following = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        view = await program.services.play.scene(following)
        assert view.story.tension == offer.after
        assert [e.why for e in view.story.entries if isinstance(e, TensionEntry)] == [offer.reason]


async def test_tension_counts_no_check_of_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc here Corrin Vale: a smuggler", "I try. /check 12 vs 1")
        ended = await say(program, scene_id, "> Corrin hits back at me. /check 12 vs 1", "/end Corrin fled")
        assert "more checks succeeded than failed (1 to 0)" in ended[-1].lower()


async def test_clock_script_moves_the_tension_before_the_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await say(program, scene_id, "I try. /check 1 vs 12", "/tension up") == ("Tension 5 → 6.",)
        assert (await say(program, scene_id, "/end Mara tried"))[-1] == (
            "Tension went 5 → 6 in this scene: more checks failed than succeeded (1 to 0)."
        )
        with pytest.raises(InputError, match="How tense"):
            await program.services.play.submit(scene_id, "/tension sideways")


# --- scene start ------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_clock_scene_may_begin_with_a_check_that_brings_what_it_says_in_one_exchange(
    tmp_path: Path,
) -> None:
    seen = set()
    for seed in range(1, 40):
        async with opened(tmp_path / str(seed), seed=seed) as program:
            scene_id = await begin(program, name=f"World {seed}")
            assert "/zero" in (await program.services.play.scene(scene_id)).opening_hint
            await say(program, scene_id, "/tension 9", "/npc Tom: a keeper", "/start")
            rows = await program.services.play.transcript(scene_id, 0, 9)
            start = rows[0].turn.text.split(" · ")[-1]
            seen.add(start)
            brought: list[str] = {"as expected": [], "altered": ["spark"], "interrupted": ["event"]}[start]
            assert [row.turn.text.split(" · ")[0] for row in rows[1:]] == brought
            assert len({row.turn.exchange_id for row in rows}) == 1
            assert (await program.services.play.scene(scene_id)).opening_hint == ""
            with pytest.raises(InputError, match="rolled already"):
                await program.services.play.submit(scene_id, "/start")
            await say(program, scene_id, "/undo")
            assert (await program.services.play.scene(scene_id)).turn_count == 0
        if len(seen) == 3:
            return
    raise AssertionError(seen)


async def test_clock_start_belongs_to_the_first_turns(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "I listen.")
        with pytest.raises(InputError, match="well under way"):
            await program.services.play.submit(scene_id, "/start")
        await say(program, scene_id, "/end It was quiet")
        following = (await program.services.play.submit(scene_id, "/commit")).subject or ""
        assert "/start rolls" in (await program.services.play.scene(following)).opening_hint
