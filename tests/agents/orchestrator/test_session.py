"""Suspend and resume from any point; recovery as the table of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.importers.import_views import ImportRequest
from agents.orchestrator.exchange import begin_exchange as begin_exchange
from agents.orchestrator.session_reader import SESSION_ID
from agents.story_outline import MainMode, NewCharacter, StoryOutline
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.authority import Role
from stores.embedded.commits import EmbeddedCommits
from stores.errors import IllegalTransition, InputError, StoreError, StoreFull
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, CanonBatch
from stores.records.ids import Id
from stores.records.play import CriticalCommitMode, MoveKind
from stores.records.workflow import (
    Canonization,
    CanonizationState,
    Checkpoint,
    Loop,
    ProposalStatus,
    Verdict,
)
from tests.agents.canon_keeper.test_recovery import PowerCut
from tests.examples import first_few
from tests.program import START, begin, opened

PLAY = (
    "I look around.",
    "> A yard, a well, a dog.",
    "I lift the well's lid. /check might vs 3; success: Mara +wet; fail: Mara.hp -1",
    "/npc Tom: the well's keeper",
    "/fact Tom knows Mara",
    "/undo",
    "/redo",
    "/commit",
    "/end Mara opened the well",
    "/reopen",
    "/end",
    "/commit",
    "I go on.",
)


async def main_state(program: Program) -> str:
    last = await program.stores.log(Role.CONTEXT_ASSEMBLY).loop_state(Loop.MAIN, SESSION_ID)
    return last.target if last else "idle"


async def waiting(program: Program, scene_id: Id) -> list[ProposalView]:
    """Return what waits at the gate, without what commits closed."""
    rows = (await program.services.gate.gate(scene_id)).proposals
    return [row for row in rows if row.status is ProposalStatus.PENDING]


async def story_of(program: Program) -> Id:
    (card,) = await program.services.stories.stories()
    return card.story.id


@pytest.mark.parametrize("stop", first_few(range(len(PLAY) + 1)))
async def test_closing_after_any_line_and_opening_again_changes_nothing(tmp_path: Path, stop: int) -> None:
    async with opened(tmp_path, seed=3) as program:
        scene_id = await begin(program)
        for line in PLAY[:stop]:
            reply = await program.services.play.submit(scene_id, line)
            scene_id = reply.subject if reply.goto == "scene" and reply.subject else scene_id
        before = await program.services.play.scene(scene_id)
        rows = await program.services.play.transcript(scene_id, 0, 100)
        await program.services.stories.suspend()
        assert await main_state(program) == "suspended"
    async with opened(tmp_path, seed=4) as program:
        recovered = await program.services.stories.recover()
        assert all("gate" in line for line in recovered)
        menu = await program.services.stories.menu()
        assert menu.resume_story
        assert menu.resume_story.is_suspended
        assert await program.services.stories.resume(menu.resume_story.story.id) == scene_id
        assert await main_state(program) == MainMode.START_STORY.value
        assert await program.services.play.scene(scene_id) == before
        assert await program.services.play.transcript(scene_id, 0, 100) == rows


async def test_session_goes_on_where_the_player_was_whatever_was_imported_since(tmp_path: Path) -> None:
    async with opened(tmp_path, seed=3) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I wait.")
        await program.services.stories.suspend()
        for name in ("First", "Second", "Third"):
            log = ImportRequest(f"{name}.md", f"Ann: I walk to the {name} gate.\nGM: Rain.\n".encode())
            await program.services.imports.import_log(log)
        await program.services.stories.enter(MainMode.UNIVERSE)
        await program.services.stories.leave()
        menu = await program.services.stories.menu()
        assert menu.resume_story
        assert menu.resume_story.scene
        assert menu.resume_story.scene.id == scene_id
        assert menu.story_count == 4


async def test_session_process_that_died_is_suspended_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        await begin(program)
    async with opened(tmp_path, seed=2) as program:
        assert await main_state(program) == MainMode.START_STORY.value
        await program.services.stories.recover()
        assert await main_state(program) == "suspended"


@pytest.mark.parametrize("node", ["record", "assemble"])
async def test_session_exchange_cut_off_goes_on_at_the_next_node(tmp_path: Path, node: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I wait.")
        log = program.stores.log(Role.ORCHESTRATOR)
        scene = await log.scene(scene_id)
        head = await log.turn(scene.head or "")
        exchange = begin_exchange(
            program.services.play.line_player._ids,
            scene,
            head,
            words="I jump.",
            roll=("check", "2d6 vs 7; success: Mara.hp -1"),
        )
        turn = exchange.build_words_turn(START)
        assert turn
        loops = program.services.play.line_player._pipeline._loops
        moves = [loops.build_transition(None, Loop.TURN, exchange.run_id, "user_input")]
        if node == "assemble":
            moves.append(loops.build_transition(moves[0], Loop.TURN, exchange.run_id, "context_loaded"))
        checkpoint = Checkpoint(
            run_id=exchange.run_id,
            scene_id=scene_id,
            step=node,
            state=exchange.model_dump(mode="json"),
            at=START,
        )
        await log.begin_exchange(turn, MoveKind.APPEND, checkpoint, moves)
    async with opened(tmp_path, seed=2) as program:
        (line,) = await program.services.stories.recover()
        assert "I jump." in line
        rows = await program.services.play.transcript(scene_id, 0, 10)
        assert [r.turn.text for r in rows[:2]] == ["I wait.", "I jump."]
        assert exchange.roll
        assert rows[2].turn.id == exchange.roll.turn_id
        assert rows[2].resolution
        assert (await program.services.play.scene(scene_id)).unfinished_count == 0
        last = await program.stores.log(Role.CONTEXT_ASSEMBLY).loop_state(Loop.TURN, exchange.run_id)
        assert last
        assert last.target == "persisted"
        assert await program.services.stories.recover() == ()


class PowerError(StoreError):
    """The power goes."""


async def test_session_power_goes_before_canon_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned, canon untouched: the gate opens again with the decisions kept."""
    async with opened(tmp_path) as program:
        scene_id = await _at_the_gate(program)
        plan_commits(program, monkeypatch)

        async def fail(batch: CanonBatch) -> None:
            raise PowerError("The power went.")

        monkeypatch.setattr(program.services.gate.actions._keeper._canon, "commit", fail)
        with pytest.raises(StoreError):
            await program.services.gate.commit(scene_id)
    async with opened(tmp_path, seed=2) as program:
        lines = await program.services.stories.recover()
        assert any("gate" in line for line in lines)
        log = program.stores.log(Role.CONTEXT_ASSEMBLY)
        (dropped,) = await log.canonizations(states=[CanonizationState.DROPPED])
        assert dropped.scene_id == scene_id
        gate = await program.services.gate.gate(scene_id)
        assert gate.is_finalizing
        assert [(p.title, p.verdict) for p in gate.proposals] == [
            ("The dog barked.", Verdict.ACCEPT),
            ("The well is dry.", Verdict.REJECT),
        ]
        report = await program.services.gate.commit(scene_id)
        assert [f.statement for f in report.facts] == ["The dog barked."]
        assert report.next_scene_id


async def test_session_power_goes_after_canon_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Canon has it, the log does not know: it is closed, nothing is there twice, the next scene opens."""
    async with opened(tmp_path) as program:
        scene_id = await _at_the_gate(program)
        plan_commits(program, monkeypatch)

        async def fail(canonization: Canonization, scene_outcomes: Sequence[Id]) -> None:
            raise PowerError("The power went.")

        monkeypatch.setattr(program.services.gate.actions._keeper._log, "close_canonization", fail)
        with pytest.raises(StoreError):
            await program.services.gate.commit(scene_id)
    async with opened(tmp_path, seed=2) as program:
        await program.services.stories.recover()
        log = program.stores.log(Role.CONTEXT_ASSEMBLY)
        assert [
            c.state for c in await log.canonizations(universe_id=(await log.scene(scene_id)).universe_id)
        ][-1] is CanonizationState.CLOSED
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(
            (await log.scene(scene_id)).universe_id
        )
        assert [f.statement for f in facts].count("The dog barked.") == 1
        states = {p.status for p in await log.proposals(ProposalQuery(scene_id=scene_id))}
        assert states == {ProposalStatus.ACCEPTED, ProposalStatus.REJECTED}
        following = await program.services.stories.resume(await story_of(program))
        assert following != scene_id
        assert (await program.services.play.scene(following)).state == "active"


def plan_commits(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commits planned, written and closed, as on two servers and in earlier versions."""
    monkeypatch.setattr(program.services.gate.actions._keeper._journal, "_commits", None)


@pytest.mark.parametrize("is_written", [False, True], ids=["before", "after"])
async def test_power_that_goes_as_a_scene_is_committed_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    write_commit = EmbeddedCommits.write_commit

    async def stop(self: EmbeddedCommits, canonization: Canonization, outcomes: Sequence[Id] = ()) -> None:
        if is_written:
            await write_commit(self, canonization, outcomes)
        raise PowerCut

    async with opened(tmp_path) as program:
        scene_id = await _at_the_gate(program)
        with monkeypatch.context() as patched:
            patched.setattr(EmbeddedCommits, "write_commit", stop)
            with pytest.raises(PowerCut):
                await program.services.gate.commit(scene_id)
    async with opened(tmp_path, seed=2) as program:
        await program.services.stories.recover()
        log = program.stores.log(Role.CONTEXT_ASSEMBLY)
        if not is_written:
            gate = await program.services.gate.gate(scene_id)
            assert [p.verdict for p in gate.proposals] == [Verdict.ACCEPT, Verdict.REJECT]
            await program.services.gate.commit(scene_id)
        universe_id = (await log.scene(scene_id)).universe_id
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id)
        assert [f.statement for f in facts].count("The dog barked.") == 1
        following = await program.services.stories.resume(await story_of(program))
        assert following != scene_id
        assert (await program.services.play.scene(following)).state == "active"


async def test_commit_that_finds_no_room_says_that_nothing_was_written_and_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise StoreFull("The disk is full.")

    async with opened(tmp_path) as program:
        scene_id = await _at_the_gate(program)
        with monkeypatch.context() as patched:
            patched.setattr(EmbeddedCommits, "write_commit", fail)
            with pytest.raises(StoreFull) as failed:
                await program.services.gate.commit(scene_id)
        assert failed.value.what == "Canon could not be written: The disk is full."
        assert failed.value.kept == "Nothing was written, and every proposal is kept with its decision."
        gate = await program.services.gate.gate(scene_id)
        assert [p.verdict for p in gate.proposals] == [Verdict.ACCEPT, Verdict.REJECT]
        report = await program.services.gate.commit(scene_id)
        assert [f.statement for f in report.facts] == ["The dog barked."]


async def _at_the_gate(program: Program) -> Id:
    scene_id = await begin(program)
    for line in (
        "I wait.",
        "/fact event: The dog barked",
        "/fact The well is dry",
        "/accept 1",
        "/reject 2",
        "/end",
    ):
        await program.services.play.submit(scene_id, line)
    return scene_id


async def test_undoing_a_turn_on_which_canon_rests_proposes_retcons_and_redo_withdraws_them(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I wait.", "I listen.", "/fact event: The dog barked", "/commit", "I go on."):
            await program.services.play.submit(scene_id, line)
        reply = await program.services.play.submit(scene_id, "/branch 1 yes")
        assert reply.lines[-1].startswith("Retcon proposed: ")
        (row,) = await waiting(program, scene_id)
        assert row.proposal.payload.kind == "retcon_fact"
        await program.services.play.submit(scene_id, "/undo")
        assert await waiting(program, scene_id) == []
        await program.services.play.submit(scene_id, "/branch 1 yes")
        assert (await program.services.play.submit(scene_id, "/commit")).lines == (
            "Canon: Never true: The dog barked.",
        )
        assert (await program.services.play.submit(scene_id, "/commit")).lines == (
            "Nothing is accepted yet.",
        )
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(row.proposal.universe_id)
        assert "The dog barked." not in {f.statement for f in facts}


async def test_undoing_a_discovery_takes_the_place_from_canon_as_well(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program, critical=CriticalCommitMode.AUTO)
        universe_id = (await program.services.play.scene(scene_id)).universe.id

        async def read_places() -> set[str]:
            known = await program.stores.canon(Role.CONTEXT_ASSEMBLY).entities(universe_id)
            return {e.name for e in known} - {"Mara", "Yard"}

        for line in ("I push.", "> It opens.", "/place Yard > Hidden Room"):
            await program.services.play.submit(scene_id, line)
        assert await read_places() == {"Hidden Room"}
        reply = await program.services.play.submit(scene_id, "/undo yes")
        assert set(reply.lines) == {
            "Not canon any more: Hidden Room",
            "Not canon any more: Yard leads to Hidden Room.",
        }
        assert [row.title for row in await waiting(program, scene_id)] == [
            "Hidden Room",
            "Yard leads to Hidden Room.",
        ]
        assert await read_places() == set()
        await program.services.play.submit(scene_id, "/redo yes")
        assert await waiting(program, scene_id) == []
        assert await read_places() == {"Hidden Room"}


async def test_whom_something_else_in_canon_involves_stays_in_canon(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        scene = await program.services.play.scene(scene_id)
        universe_id = scene.universe.id
        for line in ("I wait.", "I listen.", "/npc here Tom", "/npc here Ann", "/commit"):
            await program.services.play.submit(scene_id, line)
        other_id = await program.services.stories.start_story(
            StoryOutline(universe_id, "Another", NewCharacter("Bela"), place="Mill")
        )
        for line in ("I ask.", "/fact Tom keeps the well", "/commit"):
            await program.services.play.submit(other_id, line)
        question = await program.services.play.submit(scene_id, "/undo")
        assert question.lines[1] == "  Ann"
        assert question.lines[-2:] == ("What stays in canon:", "  Tom: canon says more of it.")
        await program.services.play.submit(scene_id, "/undo yes")
        names = {e.name for e in await program.services.world.list_entities(universe_id)}
        assert ("Ann" in names, "Tom" in names) == (False, True)


async def test_session_critical_event_is_offered_left_or_committed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I find a stair.")
        await program.services.play.submit(scene_id, "/place Cellar")
        assert "Cellar" in (await program.services.play.scene(scene_id)).trigger_reason
        await program.services.play.submit(scene_id, "/later")
        assert (await program.services.play.scene(scene_id)).trigger_reason == ""
        await program.services.play.submit(scene_id, "/place Vault")
        view = await program.services.play.scene(scene_id)
        assert "Vault" in view.trigger_reason
        assert "Cellar" not in view.trigger_reason
        report = await program.services.gate.commit_trigger(scene_id)
        assert "Vault" in {e.name for e in report.entities}
        assert (await program.services.play.scene(scene_id)).state == "active"


async def test_session_autopilot_commits_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program, critical=CriticalCommitMode.AUTO)
        await program.services.play.submit(scene_id, "I find a stair.")
        reply = await program.services.play.submit(scene_id, "/place here > Cellar")
        assert "Canon: Cellar (place)" in reply.lines
        assert "Canon: Yard leads to Cellar." in reply.lines


@pytest.mark.slow
async def test_fifty_turns_without_a_commit_offer_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I begin.")
        await program.services.play.submit(scene_id, "/fact event: It began")
        for number in range(49):
            assert (await program.services.play.scene(scene_id)).trigger_reason == ""
            await program.services.play.submit(scene_id, f"Step {number}.")
        assert "50 turns" in (await program.services.play.scene(scene_id)).trigger_reason


@pytest.mark.parametrize("line", ["I act.", "> It happens.", "/check 2d6 vs 7", "/undo", "/retake x"])
async def test_session_scene_at_the_gate_refuses_play_in_words(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I wait.")
        await program.services.play.submit(scene_id, "/end")
        before = await program.services.play.transcript(scene_id, 0, 100)
        with pytest.raises(IllegalTransition, match="at its gate"):
            await program.services.play.submit(scene_id, line)
        assert await program.services.play.transcript(scene_id, 0, 100) == before


@pytest.mark.parametrize(
    ("line", "words"),
    first_few(
        [
            ("/check 2d6 vs 8; success: Nobody.hp -1", "Nobody"),
            ("/check strength 9", "strength"),
            ("I hit it /check 9999999d6 vs 3", "dice"),
            ("/roll", "Roll what"),
            ("/roll ((((", "column"),
            ("/npc", "needs a name"),
            ("/npc " + "x" * 200, "200 characters"),
            ("/fact", "needs a name"),
            ("/go Mara", "not a place"),
            ("/go Nowhere", "Nowhere"),
            ("/accept 9", "no proposal"),
            ("/accept x", "no proposal"),
            ("/branch 99", "no turn"),
            ("/branch ²", "no turn"),
            ("/take sideways", "Which take"),
            ("/redo", "Nothing to redo"),
            ("/retake x", "nothing to retake"),
            ("/list dragons", "no kind"),
            ("/show Nobody", "Nobody"),
            ("/help nonsense", "no command"),
            ("/state Mara", "Mara"),
            ("/fact Mara hp " + "9" * 400, "no number"),
            ("/fact Mara hp inf", "no number"),
            ("/", "follows the /"),
            ("/reopen", "This scene cannot be reopened"),
            ("/npc here", "the name is missing"),
            ("/npc +", "the name is missing"),
            ("/thing here", "the name is missing"),
            ("x" * 100_000, "100,000 characters"),
            ("\x1b[2J", "nothing to play"),
            ("?", "yes or no"),
            ("/oracle likely", "yes or no"),
            ("/howmuch lots", "leans"),
            ("/react", "Whose reaction"),
            ("/react Nobody", "Nobody"),
            ("/spark nonsense", "nonsense"),
            ("/time yesterday", "yesterday"),
            ("/time -2h", "cannot go back"),
            ("/tension 12", "12"),
            ("/tension lots", "How tense"),
        ]
    ),
)
async def test_bad_input_is_answered_and_changes_nothing(tmp_path: Path, line: str, words: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I wait.")
        before = await program.services.play.scene(scene_id)
        with pytest.raises((InputError, IllegalTransition), match=words) as caught:
            await program.services.play.submit(scene_id, line)
        assert caught.value.kept or caught.value.todo
        assert await program.services.play.scene(scene_id) == before


async def test_session_crash_while_the_next_scene_opens_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record is there and its node is not; it begins where play stood, with nobody but the hero."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I wait.", "/npc Tom", "/place Cellar", "/go Cellar", "/end"):
            await program.services.play.submit(scene_id, line)

        async def fail(node: object) -> None:
            raise PowerError("The power went.")

        monkeypatch.setattr(program.services.stories._stories._containers, "create_scene_node", fail)
        with pytest.raises(StoreError):
            await program.services.gate.commit(scene_id)
    async with opened(tmp_path, seed=2) as program:
        await program.services.stories.recover()
        following = await program.services.stories.resume(await story_of(program))
        view = await program.services.play.scene(following)
        assert (following != scene_id, view.state, view.place) == (True, "active", "Cellar")
        assert [m.name for m in view.cast] == ["Mara"]
        for line in ("I look.", "/end", "/commit"):
            await program.services.play.submit(following, line)


async def test_session_words_that_the_store_refused_are_said_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        narrator = program.services.play.line_player._pipeline._gm_turn_writer
        tell = narrator.append_turn

        async def fail(*args: object) -> None:
            raise PowerError("The disk is full.")

        monkeypatch.setattr(narrator, "append_turn", fail)
        with pytest.raises(StoreError):
            await program.services.play.submit(scene_id, "> The bell rings.")
        with pytest.raises(StoreError):
            await program.services.play.submit(scene_id, "I run.")
        monkeypatch.setattr(narrator, "append_turn", tell)
        await program.services.play.submit(scene_id, "I run.")
        rows = await program.services.play.transcript(scene_id, 0, 10)
        assert [row.turn.text for row in rows] == ["The bell rings.", "I run."]


async def test_session_story_that_is_over_is_read_and_not_played(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.stories.complete_story(await story_of(program), "It ended.")
        for line in ("I act.", "/undo", "/commit", "/end"):
            with pytest.raises(IllegalTransition, match="it is finished"):
                await program.services.play.submit(scene_id, line)


async def test_session_all_means_what_still_waits(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I wait.", "/fact event: The dog barked", "/commit", "/npc Tom", "/accept all"):
            await program.services.play.submit(scene_id, line)
        assert [p.verdict for p in await waiting(program, scene_id)] == [Verdict.ACCEPT]


async def test_session_scene_ends_in_one_way(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I wait.", "/end The orc is dead", "/reopen", "/end The orc fled"):
            await program.services.play.submit(scene_id, line)
        report = await program.services.gate.commit(scene_id)
        assert [f.statement for f in report.facts] == ["The orc fled."]


async def test_session_another_take_of_what_is_canon_proposes_retcons(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("> It rings.", "/fact event: The bell rang", "/commit"):
            await program.services.play.submit(scene_id, line)
        reply = await program.services.play.submit(scene_id, "/retake It is silent.")
        assert reply.lines[1].startswith("Retcon proposed: ")


async def test_session_death_in_plain_words_is_a_death(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I fall.")
        await program.services.play.submit(scene_id, "/fact Mara is dead")
        assert "Mara died" in (await program.services.play.scene(scene_id)).trigger_reason
        reply = await program.services.play.submit(scene_id, "/undo")
        assert reply.lines[0] == "Undone: Mara died."
        assert (await program.services.play.scene(scene_id)).trigger_reason == ""


# --- the gate ---------------------------------------------------------------------------------------


async def test_session_changes_of_one_roll_stand_as_they_were_written(tmp_path: Path) -> None:
    changes = "Mara.hp = 5, Mara.hp -3, Mara +wet, Mara +cold, Mara +late, Mara +lost"
    wanted = ["Mara: HP 5", "Mara: HP -3", *(f"Mara is {tag}" for tag in ("wet", "cold", "late", "lost"))]
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, f"I run. /check might vs 1; success: {changes}")
        rows = await waiting(program, scene_id)
        assert [row.title for row in rows] == ["Mara: HP 10 → 2", *wanted[2:]]
        await program.services.play.submit(scene_id, "/commit")
        closed = (await program.services.gate.gate(scene_id)).proposals
        assert [row.title for row in closed] == wanted


@pytest.mark.parametrize(
    ("fact", "edited", "involves"),
    [
        ("Mara drowned", "Mara drowned in Lower Hask", {"subject": "Mara", "participant": "Lower Hask"}),
        ("Mara hit Tom Dunn", "Mara hit Ada", {"subject": "Mara", "participant": "Ada"}),
        ("Mara hit Tom Dunn", "Tom hit Mara", {"subject": "Mara", "participant": "Tom Dunn"}),
        ("Mara hit Tom Dunn", "Ada hit Tom", {"subject": "Ada", "participant": "Tom Dunn"}),
        ("Mara hit Tom Dunn", "Tom Dunn was hit", {"subject": "Tom Dunn"}),
        ("Mara sleeps", "She sleeps", {"subject": "Mara"}),
        ("It rains", "It rains on Mara", {"subject": "Mara"}),
        ("Mara located_in Yard", "Mara hides in Lower Hask", {"subject": "Mara", "object": "Lower Hask"}),
        ("Mara located_in Yard", "Mara is out there", {"subject": "Mara", "object": "Yard"}),
    ],
)
async def test_session_edit_involves_whom_its_words_name(
    fact: str, edited: str, involves: dict[str, str], tmp_path: Path
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/npc Tom Dunn", "/npc Ada", "/place Lower Hask", "/commit", f"/fact {fact}"):
            await program.services.play.submit(scene_id, line)
        (row,) = await waiting(program, scene_id)
        await program.services.gate.edit_text(row.proposal.id, edited)
        (row,) = await waiting(program, scene_id)
        change = row.proposal.change
        assert isinstance(change, AssertFact)
        known = await program.stores.canon(Role.CONTEXT_ASSEMBLY).entities(row.proposal.universe_id)
        names = {e.id: e.name for e in known}
        assert {i.role: names[i.entity_id] for i in change.involves} == involves
        assert len(change.involves) == len(involves)


async def test_session_edit_of_what_a_scene_came_to_keeps_who_was_there(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        for line in ("/npc here Tom", "/place Mill", "I wait.", "/commit", "/end Tom and I slept"):
            await program.services.play.submit(scene_id, line)
        (row,) = await waiting(program, scene_id)
        await program.services.gate.edit_text(row.proposal.id, "Tom and I slept in the Mill")
        await program.services.gate.commit(scene_id)
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id)
        (slept,) = [f for f in facts if f.statement == "Tom and Mara slept in the Mill."]
        assert len(slept.involves) == 3, "Mara, Tom and the mill"


async def test_session_edit_at_the_universes_gate_finds_names_in_the_universe(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        staged = await program.services.world.edits.propose_fact(universe_id, "The well is dry")
        await program.services.gate.edit_text(staged.proposal_ids[0], "The well of the Yard is dry")
        await program.services.gate.commit_universe(universe_id, staged.proposal_ids)
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id)
        assert [len(f.involves) for f in facts if f.statement == "The well of the Yard is dry."] == [1]
