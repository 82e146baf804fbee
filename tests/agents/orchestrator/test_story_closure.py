"""A story ends in one write: its closing event, what becomes of promises and clocks, who is where, and what it cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.orchestrator.story_closure import StoryMatters, draft_closure, read_closure
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError
from stores.queries import FactQuery
from stores.records.canon import FactKind
from stores.records.clocks import ProgressClock
from stores.records.workflow import Loop
from tests.contract import builders as make
from tests.program import begin, opened

PROMISE = make.fact("Mara will bring the bell back.", kind=FactKind.COMMITMENT)
DEBT = make.fact("Mara owes Tam a boat.", kind=FactKind.COMMITMENT)
MATTERS = StoryMatters((PROMISE, DEBT), (ProgressClock(name="Tide"),))


def test_closure_draft_changes_nothing_as_it_stands() -> None:
    draft = draft_closure(MATTERS)
    assert draft.splitlines()[0] == "open: Mara will bring the bell back"
    closure = read_closure(f"{draft}The bell rang.\nTwice.", MATTERS)
    assert (closure.settled, closure.stopped_clocks) == ((), ())
    assert closure.recap.split() == ["The", "bell", "rang.", "Twice."]
    assert draft_closure(StoryMatters()) == ""


def test_closure_draft_is_decided_by_the_word_before_the_colon() -> None:
    edited = (
        draft_closure(MATTERS)
        .replace("open:", "kept:", 1)
        .replace("open:", "Broken:")
        .replace("runs", "stops")
    )
    closure = read_closure(edited, MATTERS)
    assert closure.settled == ((PROMISE, True), (DEBT, False))
    assert closure.stopped_clocks == MATTERS.clocks


@pytest.mark.parametrize(
    ("word", "is_met"), [("Fulfilled", True), ("paid", True), ("failed", False), ("still open", None)]
)
def test_closure_is_decided_by_words_of_the_players_own(word: str, is_met: bool | None) -> None:
    closure = read_closure(
        f"{word}: Mara owes Tam a boat.\nMara said: never again.\nDone: we are home.\nover: Tide", MATTERS
    )
    assert closure.settled == (() if is_met is None else ((DEBT, is_met),))
    assert closure.stopped_clocks == MATTERS.clocks
    assert closure.recap == "Mara said: never again.\nDone: we are home."


def test_closure_word_that_decides_nothing_is_refused() -> None:
    """Taken for the recap, it would leave the promise open, and nobody would know."""
    with pytest.raises(InputError) as refusal:
        read_closure("postponed: Mara owes Tam a boat", MATTERS)
    assert "open:, kept: or broken:" in str(refusal.value)


@pytest.mark.parametrize("line", ["kept: Something else", "stops: Flood", "stays: Mara"])
def test_closure_line_that_names_nothing_is_refused(line: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_closure(line, MATTERS)
    assert "The story was not finished." in str(refusal.value)


async def test_story_ends_in_one_write(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        services = program.services
        for line in (
            "I wait.",
            "/promise Mara will bring the bell back",
            "/clock Tide 6",
            "/commit",
            "I sleep.",
        ):
            await services.play.submit(scene_id, line)
        log = program.stores.log(Role.CONTEXT_ASSEMBLY)
        scene = await log.scene(scene_id)
        draft = await services.stories.draft_closure(scene.story_id)
        assert draft.split("\n")[:3] == [
            "open: Mara will bring the bell back",
            "runs: Tide",
            "stays: Mara in Yard",
        ]
        commits_before = len(await log.canonizations(universe_id=scene.universe_id))
        with pytest.raises(InputError):
            await services.stories.complete_story(scene.story_id, "stays: Mara in Nowhere")
        assert await story_state(program, scene.story_id) == "active"

        edited = draft.replace("open:", "kept:").replace("runs:", "stops:") + "The bell hangs again."
        report = await services.stories.complete_story(scene.story_id, edited)
        assert len(await log.canonizations(universe_id=scene.universe_id)) == commits_before + 1
        assert await story_state(program, scene.story_id) == "completed"
        assert report.open_matters == ()
        assert report.left_open.describe() == ""
        assert (await log.story(scene.story_id)).recap == "The bell hangs again."

        canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        facts = await canon.facts(scene.universe_id, FactQuery())
        statements = {fact.statement for fact in facts if fact.valid_to is None}
        assert "The story “A story” ends: The bell hangs again." in statements
        assert "Mara is in Yard." in statements
        closing = next(f for f in facts if f.statement.startswith("The story"))
        evidence = await canon.evidence_of(closing.id)
        assert {e.quote for e in evidence} >= {"The bell hangs again."}
        clocks = [fact.clock for fact in facts if fact.clock is not None and fact.valid_to is None]
        assert [clock.closed for clock in clocks] == [True]


async def story_state(program: Program, story_id: str) -> str:
    states = await program.stores.log(Role.CONTEXT_ASSEMBLY).loop_states(Loop.STORY, [story_id])
    return states[story_id].target
