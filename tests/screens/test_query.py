"""The record asked with the keyboard: three tabs, standings in words, jumps, and what unknown leads to."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from agents.indexer.question_vectors import STARTING_NOTE
from agents.services.query import QueryService
from agents.views.query_views import Answer
from stores.errors import StoreUnavailable
from stores.records.llm import Persona
from tests.screens.faults import fail_once, record_calls
from tests.screens.scripted_llm import ScriptedLlm, write_settings
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated
from widgets.finding_list import FindingList
from widgets.prompt import PlayPrompt

QUESTION = "who has the brass key?"
FOUND = "9 found"


async def stand_on(table: Table, words: str) -> None:
    """Go down until the cursor's row says this."""
    for _ in range(40):
        if any("▸" in line and words in line for line in table.text.splitlines()):
            return
        await table.press("down")
    raise AssertionError(f"the cursor never came to {words!r}:\n{table.text}")


async def test_query_tells_every_standing_in_words_and_leads_on(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), ROOMY) as table:
        await table.press("6")
        assert table.screen == "QueryScreen"
        assert table.shows("Salt Coast · all stories", "Ask about this world")
        await table.type(QUESTION)
        assert table.shows("✓ canon", "+ proposed", "❝ on record", "~ believed by Ivo Tarrant", FOUND)
        await table.press("enter")
        assert table.shows("Evidence for:", "Ivo Tarrant saw the brass key")
        await table.press("enter")
        assert table.screen == "ReadingScreen"
        await table.press("escape", "escape", "down", "enter")
        assert table.screen == "GateScreen"
        await table.press("escape", "down", "enter")
        assert table.screen == "ReadingScreen"
        await table.press("escape")
        await stand_on(table, "believed by Ivo")
        await table.press("c")
        assert table.screen == "UniverseScreen"
        assert table.shows("The Company's tide-clerk")
        await table.press("escape")
        assert table.screen == "QueryScreen"
        await stand_on(table, "contradicted")
        assert table.shows("No longer true: Wenna Pike has a brass key.")
        await table.press("escape", "escape")
        assert table.screen == "MenuScreen"


async def test_query_unknown_leads_to_the_oracle_or_the_gate(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), NARROW) as table:
        await table.press("enter", "f8")
        assert table.screen == "QueryScreen"
        await table.type("Who wears the crown?")
        assert table.shows(
            "? unknown: nothing says so clearly. o asks the oracle, t proposes it.",
            "Nearest; may not be an answer",
        )
        await table.press("t")
        await table.type("Tam Marrow wears the crown")
        assert table.shows("Proposed: Tam Marrow wears the crown")
        (card,) = await table.services.stories.stories()
        assert card.scene is not None
        proposals = (await table.services.gate.gate(card.scene.id)).proposals
        assert "Tam Marrow wears the crown." in [view.title for view in proposals]
        await table.press("o")
        assert table.screen == "SceneScreen"
        prompt = table.app.screen.query_one(PlayPrompt)
        assert prompt.text == "? Who wears the crown?"
        assert prompt.input_has_focus


async def test_query_tabs_show_turns_by_likeness_and_rows_by_word(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(real_desk(remembered_home, 8), ROOMY) as table:
        query = table.services.query
        (universe,) = await table.services.stories.universes()
        (card,) = await table.services.stories.stories()
        asked, recalled, searched = (
            record_calls(monkeypatch, query, method)
            for method in ("answer_question", "recall_turns", "search_words")
        )
        await table.press("6")
        await table.type("brass key")
        await table.press("f2")
        everywhere: dict[str, Any] = {"universe_id": universe.id, "story_id": None}
        assert [(args, kwargs["story_id"]) for args, kwargs in recalled] == [(("brass key",), None)]
        assert table.shows("▸Recall", "on record", "6 found")
        await table.press("f2")
        assert searched == [(("brass key",), everywhere)]
        assert table.shows("▸Words", "Ivo Tarrant saw the brass key.")
        await table.press("s")
        assert searched[-1] == (("brass key",), everywhere | {"story_id": card.story.id})
        assert table.shows("Salt Coast · The Drowned Bell")
        await table.press("f2")
        assert asked[-1] == (("brass key",), everywhere | {"story_id": card.story.id, "in_words": False})


async def test_query_answer_in_words_marks_what_it_adds(remembered_home: Path) -> None:
    write_settings(remembered_home, '[model]\nname = "openai/gpt-4o-mini"\n[librarian]\non = true\n')
    sentences = [
        {"text": "Ivo saw the brass key.", "cites": [1]},
        {"text": "Hester Marrow stole it.", "cites": [1]},
    ]
    model = ScriptedLlm({Persona.LIBRARIAN: json.dumps({"sentences": sentences})})
    async with seated(real_desk(remembered_home, 8, model=model), NARROW) as table:
        await table.press("6")
        await table.type(QUESTION)
        assert table.shows("Ivo saw the brass key. [1]", "⚠ beyond its evidence: “Hester Marrow stole it.”")
        assert isinstance(table.app.focused, FindingList)
        await table.press("slash")
        assert isinstance(table.app.focused, Input)


async def test_query_drops_a_late_answer_and_lets_typing_go_on(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, answer_question = asyncio.Event(), QueryService.answer_question
    asked: list[str] = []

    async def answer_late(self: QueryService, question: str, **scope: Any) -> Answer:
        answer = await answer_question(self, question, **scope)
        asked.append(question)
        if question == "brass":
            await asyncio.shield(slow.wait())
        return answer

    monkeypatch.setattr(QueryService, "answer_question", answer_late)
    async with seated(real_desk(remembered_home, 8), NARROW) as table:
        await table.press("6")
        for key in "brass":
            await table.pilot.press(key)
        await table.pilot.press("enter")
        await table.until("looking ...")
        for key in ("space", *"key"):
            await table.pilot.press(key)
        slow.set()
        await table.press("enter")
        assert table.shows("brass key", FOUND)
        assert asked[-1] == "brass key"


async def test_query_looks_again_once_the_embedding_model_is_awake(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep, answer_question = [f"meaning: {STARTING_NOTE}"] * 2, QueryService.answer_question

    async def answer_asleep(self: QueryService, question: str, **scope: Any) -> Answer:
        answer = await answer_question(self, question, **scope)
        return Answer(question, answer.standing, notes=(asleep.pop(),)) if asleep else answer

    monkeypatch.setattr(QueryService, "answer_question", answer_asleep)
    async with seated(real_desk(remembered_home, 8), NARROW) as table:
        await table.press("6")
        await table.type(QUESTION)
        assert table.shows(FOUND)
        assert not table.shows("wakes up")
        assert not asleep


async def test_query_error_keeps_the_question(remembered_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(real_desk(remembered_home, 8), NARROW) as table:
        await table.press("6")
        await table.type(QUESTION, enter=False)
        away = StoreUnavailable("The index is away.", kept="Nothing is lost.", todo="Wait a little.")
        fail_once(monkeypatch, table.services.query, "answer_question", away)
        await table.press("enter")
        assert table.shows("The index is away.", QUESTION)
        await table.press("enter")
        assert table.shows(FOUND)


async def test_query_without_a_world_says_what_to_do(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("6")
        assert table.shows("No world yet.")
        await table.type("anything at all")
        assert table.screen == "QueryScreen"


async def test_query_command_opens_the_answer(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("1", "enter", "enter", "enter", "enter", "enter")
        assert table.screen == "SceneScreen"
        await table.type("/query where is Wenna?")
        assert table.screen == "QueryScreen"
        assert table.shows("where is Wenna?", "✓ canon", "behind her own bar in the Slack Tide")
        await table.press("escape", "escape")
        assert table.screen == "SceneScreen"
