"""The record asked with the keyboard: three tabs, standings in words, jumps, what leads on from unknown."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from agents.indexer.question_vectors import STARTING_NOTE
from agents.views.query_views import Answer
from stores.errors import StoreUnavailable
from stores.records.ids import Id
from tests.screens.table import NARROW, ROOMY, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk
from widgets.finding_list import FindingList
from widgets.prompt import PlayPrompt


async def test_every_standing_is_told_in_words_and_leads_on(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("6")
        assert table.screen == "QueryScreen"
        assert table.shows("Salt Coast · all stories", "Ask about this world")
        await table.type("where is the bell")
        assert twin.called("ask")[-1] == ("where is the bell", twin.universe.id, None, True)
        standings = ("canon", "proposed", "on record", "believed by Father Ode", "contradicted")
        assert table.shows(*standings, "5 found")
        await table.press("enter")
        assert table.shows("Evidence for:", "Mara Venn heard the bell")
        await table.press("enter")
        assert table.screen == "ReadingScreen"
        await table.press("escape", "escape", "down", "enter")
        assert table.screen == "GateScreen"
        await table.press("escape", "down", "enter")
        assert table.screen == "ReadingScreen"
        await table.press("escape", "down", "c")
        assert table.screen == "UniverseScreen"
        await table.press("escape")
        assert table.screen == "QueryScreen"
        await table.press("escape", "escape")
        assert table.screen == "MenuScreen"
        assert [name for name, _ in twin.calls if name in ("enter", "leave")] == ["enter", "leave"]


async def test_what_is_unknown_leads_to_the_oracle_or_to_the_gate(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f8")
        assert table.screen == "QueryScreen"
        await table.type("Who cut the rope?")
        assert table.shows(
            "? unknown: nothing says so clearly. o asks the oracle, t proposes it.",
            "Nearest; may not be an answer",
        )
        await table.press("t")
        await table.type("Ilse cut the rope")
        scene_id = next(iter(twin.lines))
        assert twin.called("make_true") == [(scene_id, twin.universe.id, "Ilse cut the rope")]
        assert table.shows("Proposed: Ilse cut the rope")
        await table.press("o")
        assert table.screen == "SceneScreen"
        prompt = table.app.screen.query_one(PlayPrompt)
        assert prompt.text == "? Who cut the rope?"
        assert prompt.input_has_focus


async def test_tabs_show_turns_by_likeness_and_rows_by_word(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("6")
        await table.type("bell")
        await table.press("f2")
        assert twin.called("recall") == [("bell", twin.universe.id, None)]
        assert table.shows("▸Recall", "on record", "4 found")
        await table.press("f2")
        assert twin.called("search") == [("bell", twin.universe.id, None)]
        assert table.shows("▸Words", "The bell never left the tower.")
        await table.press("s")
        assert twin.called("search")[-1] == ("bell", twin.universe.id, twin.story_id)
        assert table.shows("Salt Coast · The Drowned Bell")
        await table.press("f2")
        assert twin.called("ask")[-1] == ("bell", twin.universe.id, twin.story_id, False)


async def test_an_answer_in_words_shows_what_it_adds(twin: TwinDesk) -> None:
    twin.recall.words = "Mara heard the bell. [1] Forty men rang it. [1]"
    twin.recall.unsupported = ("Forty men rang it.",)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("6")
        await table.type("the bell?")
        assert table.shows("Mara heard the bell. [1]", "⚠ beyond its evidence: “Forty men rang it.”")
        assert isinstance(table.app.focused, FindingList)
        await table.press("slash")
        assert isinstance(table.app.focused, Input)


async def test_typing_goes_on_while_it_looks_and_a_late_answer_is_dropped(twin: TwinDesk) -> None:
    slow, ask = asyncio.Event(), twin.recall.answer_question

    async def late(
        question: str, *, universe_id: Id, story_id: Id | None = None, in_words: bool = True
    ) -> Answer:
        answer = await ask(question, universe_id=universe_id, story_id=story_id, in_words=in_words)
        if question == "bell":
            await asyncio.shield(slow.wait())
        return answer

    twin.recall.answer_question = late  # type: ignore[method-assign]
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("6")
        for key in "bell":
            await table.pilot.press(key)
        await table.pilot.press("enter")
        await table.pilot.pause()
        assert table.shows("looking ...")
        for key in "ow":
            await table.pilot.press(key)
        slow.set()
        await table.press("enter")
        assert table.shows("bellow", "5 found")
        assert twin.called("ask")[-1][0] == "bellow"


async def test_it_looks_again_once_the_embedding_model_is_awake(twin: TwinDesk) -> None:
    ask, asleep = twin.recall.answer_question, [f"meaning: {STARTING_NOTE}"] * 2

    async def waking(
        question: str, *, universe_id: Id, story_id: Id | None = None, in_words: bool = True
    ) -> Answer:
        answer = await ask(question, universe_id=universe_id, story_id=story_id, in_words=in_words)
        return replace(answer, findings=(), notes=(asleep.pop(),)) if asleep else answer

    twin.recall.answer_question = waking  # type: ignore[method-assign]
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("6")
        await table.type("bell")
        assert table.shows("5 found")
        assert not table.shows("wakes up")
        assert not asleep


async def test_what_fails_is_said_and_the_question_kept(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("6")
        await table.type("the bell?", enter=False)
        twin.fail(
            "ask", StoreUnavailable("The index is away.", kept="Nothing is lost.", todo="Wait a little.")
        )
        await table.press("enter")
        assert table.shows("The index is away.", "the bell?")
        await table.press("enter")
        assert table.shows("5 found")


async def test_without_a_world_it_says_what_to_do() -> None:
    async with seated(twin_desk(TwinDesk(sample=False, story=False)), NARROW) as table:
        await table.press("6")
        assert table.shows("No world yet.")
        await table.type("anything at all")
        assert table.screen == "QueryScreen"


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


async def test_the_command_asks_at_a_real_desk(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("1", "enter", "enter", "enter", "enter", "enter")
        assert table.screen == "SceneScreen"
        await table.type("/query where is Wenna?")
        assert table.screen == "QueryScreen"
        assert table.shows("where is Wenna?", "✓ canon", "behind her own bar in the Slack Tide")
        await table.press("escape", "escape")
        assert table.screen == "SceneScreen"
