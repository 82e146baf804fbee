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
from monitor_tui import typed_run
from stores.errors import StoreUnavailable
from stores.records.llm import Persona
from tests.screens.faults import fail_once, record_calls
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import ScriptedLlm, start_sample_story, write_settings
from widgets.finding_list import FindingList
from widgets.prompt import PlayPrompt

QUESTION = "who has the brass key?"
FOUND = "8 found"


async def stand_on(ui: ScreenDriver, words: str) -> None:
    """Go down until the cursor's row says this."""
    for _ in range(40):
        if any("▸" in line and words in line for line in ui.text.splitlines()):
            return
        await ui.press("down")
    raise AssertionError(f"the cursor never came to {words!r}:\n{ui.text}")


@pytest.mark.slow
async def test_query_tells_every_standing_in_words_and_leads_on(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press("6")
        assert ui.screen == "QueryScreen"
        assert ui.shows("Salt Coast · all stories", "Ask about this world")
        await ui.type(QUESTION)
        assert ui.shows("+ proposed", "❝ on record", "~ believed by Ivo Tarrant", FOUND)
        assert not ui.shows("Ivo Tarrant saw the brass key")  # who saw it need not have it
        await ui.press("enter")
        assert ui.screen == "GateScreen"
        await ui.press("escape", "down", "enter")
        assert ui.screen == "ReadingScreen"
        await ui.press("escape")
        await stand_on(ui, "believed by Ivo")
        await ui.press("o")
        assert ui.screen == "UniverseScreen"
        assert ui.shows("The Company's tide-clerk")
        await ui.press("escape")
        assert ui.screen == "QueryScreen"
        await stand_on(ui, "contradicted")
        assert ui.shows("No longer true: Wenna Pike has a brass key.")
        await ui.press("escape", "escape")
        assert ui.screen == "MenuScreen"


@pytest.mark.slow
async def test_query_unknown_leads_to_the_oracle_or_the_gate(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("enter", "f8")
        assert ui.screen == "QueryScreen"
        await ui.type("Who wears the crown?")
        assert ui.shows(
            "? unknown: nothing says so clearly. O asks the oracle, n proposes it.",
            "Nearest; may not be an answer",
        )
        await ui.press("n")
        await ui.type("Tam Marrow wears the crown")
        assert ui.shows("Proposed: Tam Marrow wears the crown")
        (card,) = await ui.services.stories.stories()
        assert card.scene is not None
        proposals = (await ui.services.gate.gate(card.scene.id)).proposals
        assert "Tam Marrow wears the crown." in [view.title for view in proposals]
        await ui.press("O")
        assert ui.screen == "SceneScreen"
        prompt = ui.app.screen.query_one(PlayPrompt)
        assert prompt.text == "? Who wears the crown?"
        assert prompt.input_has_focus


@pytest.mark.slow
async def test_query_tabs_show_turns_by_likeness_and_rows_by_word(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        query = ui.services.query
        (universe,) = await ui.services.stories.universes()
        (card,) = await ui.services.stories.stories()
        asked, recalled, searched = (
            record_calls(monkeypatch, query, method)
            for method in ("answer_question", "recall_turns", "search_words")
        )
        await ui.press("6")
        await ui.type("brass key")
        await ui.press("f2")
        everywhere: dict[str, Any] = {"universe_id": universe.id, "story_id": None}
        assert [(args, kwargs["story_id"]) for args, kwargs in recalled] == [(("brass key",), None)]
        assert ui.shows("▸Recall", "on record", "7 found")
        await ui.press("f2")
        assert searched == [(("brass key",), everywhere)]
        assert ui.shows("▸Words", "Ivo Tarrant saw the brass key.")
        await ui.press("left")
        assert ui.shows("▸Recall")
        await ui.press("right")
        assert ui.shows("▸Words")
        await ui.press("S")
        assert searched[-1] == (("brass key",), everywhere | {"story_id": card.story.id})
        assert ui.shows("Salt Coast · The Drowned Bell")
        await ui.press("f2")
        assert asked[-1] == (("brass key",), everywhere | {"story_id": card.story.id, "in_words": False})


@pytest.mark.slow
async def test_query_answer_in_words_marks_what_it_adds(remembered_home: Path) -> None:
    write_settings(remembered_home, '[model]\nname = "openai/gpt-4o-mini"\n[librarian]\non = true\n')
    sentences = [
        {"text": "Ivo saw the brass key.", "cites": [1]},
        {"text": "Hester Marrow stole it.", "cites": [1]},
    ]
    model = ScriptedLlm({Persona.LIBRARIAN: json.dumps({"sentences": sentences})})
    async with started_app(real_services(remembered_home, 8, model=model), NARROW) as ui:
        await ui.press("6")
        await ui.type(QUESTION)
        assert ui.shows("Ivo saw the brass key. [1]", "⚠ beyond its evidence: “Hester Marrow stole it.”")
        assert isinstance(ui.app.focused, FindingList)
        await ui.press("slash")
        assert isinstance(ui.app.focused, Input)


@pytest.mark.slow
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
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("6")
        for key in "brass":
            await ui.pilot.press(key)
        await ui.pilot.press("enter")
        await ui.until("looking ...")
        for key in ("space", *"key"):
            await ui.pilot.press(key)
        slow.set()
        await ui.press("enter")
        assert ui.shows("brass key", "9 found")
        assert asked[-1] == "brass key"


@pytest.mark.slow
@pytest.mark.parametrize("before", [(), ("slash",), ("escape",)], ids=["typed on", "slash", "escape"])
async def test_next_question_takes_the_place_of_the_last(
    remembered_home: Path, before: tuple[str, ...]
) -> None:
    """As somebody asks who goes on asking, without thought for where the keys go."""
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("6")
        await ui.type("where is the salt road?")
        await ui.press(*before)
        await ui.type(QUESTION)
        assert ui.screen == "QueryScreen"
        assert ui.app.screen.query_one("#question", Input).value == QUESTION
        assert ui.shows(FOUND)


@pytest.mark.slow
async def test_query_keeps_its_answer_for_a_stray_letter(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("6")
        await ui.type(QUESTION)
        await ui.press("z")
        assert ui.shows(FOUND)


@pytest.mark.slow
async def test_query_looks_again_once_the_embedding_model_is_awake(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep, answer_question = [f"meaning: {STARTING_NOTE}"] * 2, QueryService.answer_question

    async def answer_asleep(self: QueryService, question: str, **scope: Any) -> Answer:
        answer = await answer_question(self, question, **scope)
        return Answer(question, answer.standing, notes=(asleep.pop(),)) if asleep else answer

    monkeypatch.setattr(QueryService, "answer_question", answer_asleep)
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("6")
        await ui.type(QUESTION)
        assert ui.shows(FOUND)
        assert not ui.shows("wakes up")
        assert not asleep


@pytest.mark.slow
async def test_query_does_not_ask_a_line_of_play(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        asked = record_calls(monkeypatch, ui.services.query, "answer_question")
        await ui.press("6")
        await ui.type("> Osk comes in.")
        assert ui.shows("That is a line of play", "Esc goes back", "> Osk comes in.")
        assert not asked
        await ui.type(QUESTION)
        assert ui.shows(QUESTION)
        assert not ui.shows("Osk comes in.")
        assert asked


@pytest.mark.slow
async def test_query_error_keeps_the_question(remembered_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("6")
        await ui.type(QUESTION, enter=False)
        away = StoreUnavailable("The index is away.", kept="Nothing is lost.", todo="Wait a little.")
        fail_once(monkeypatch, ui.services.query, "answer_question", away)
        await ui.press("enter")
        assert ui.shows("The index is away.", QUESTION)
        await ui.press("enter")
        assert ui.shows(FOUND)


@pytest.mark.slow
async def test_query_without_a_world_says_what_to_do(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("6")
        assert ui.shows("No world yet.")
        await ui.type("anything at all")
        assert ui.screen == "QueryScreen"


@pytest.mark.slow
async def test_query_command_opens_the_answer(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("1", "enter", "enter", "enter", "enter", "enter")
        assert ui.screen == "SceneScreen"
        await ui.type("/query where is Wenna?")
        assert ui.screen == "QueryScreen"
        assert ui.shows("where is Wenna?", "✓ canon", "behind her own bar in the Slack Tide")
        await ui.press("escape", "escape")
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_what_somebody_promised_comes_before_what_was_promised_to_them(sample_home: Path) -> None:
    async with started_app(real_services(sample_home, 8), ROOMY) as ui:
        await start_sample_story(
            ui.services,
            "/fact Gil Oakum promised Wenna Pike a new rope",
            "/fact Tam Marrow promised Wenna Pike an eel",
            "/promise Wenna Pike will mend the sledge",
            "/accept all",
            "/commit",
        )
        await ui.press("2", "enter", "f8")
        await ui.type("What did Wenna promise?")
        answers = [
            line for line in ui.text.splitlines() if "sledge" in line or "rope" in line or "eel" in line
        ]
        assert "sledge" in answers[0]
        await ui.press("slash", "ctrl+u")
        await ui.type("What was promised to Wenna?")
        assert ui.shows("Gil Oakum promised Wenna Pike a new rope.")


async def test_query_names_only_the_keys_that_work_while_a_question_is_typed(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path, 8), ROOMY) as ui:
        await start_sample_story(ui.services)
        await ui.press("2", "enter")
        await ui.press("f8")
        assert ui.shows("f2 Next tab")
        assert "/ Ask" not in ui.text
        assert "→ Next tab" not in ui.text
        await ui.press(*"Zorblax?")
        await ui.until("? unknown: nothing is on record. ⏎, then O asks the oracle, n proposes it.")
        await ui.press("enter")
        assert ui.shows("nothing is on record. O asks the oracle", "O Oracle", "/ Ask", "→ Next tab")
        await ui.press("escape")
        assert ui.shows("⏎, then O asks the oracle")
        assert "O Oracle" not in ui.text
        assert "/ Ask" not in ui.text
        await ui.press("enter", "slash")
        assert not ui.shows("/ Ask")
        assert ui.app.screen.query_one("#question", Input).value == "Zorblax?"
        await ui.press("enter", "n")
        assert ui.screen == "LineDialog"


@pytest.mark.slow
@pytest.mark.parametrize("next_question", ["On which day did Wenna come", "no one rows", "Some gold is lost"])
async def test_next_question_typed_on_the_answer_goes_to_the_question_field(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch, next_question: str
) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press("enter", "f8")
        await ui.type("who stole the moon")
        assert ui.app.screen.query_one(FindingList).has_focus
        monkeypatch.setattr(typed_run, "TYPING_SECONDS", 2.0)
        for character in next_question:
            await ui.pilot.press("space" if character == " " else character)
        await ui.settle()
        question = ui.app.screen.query_one("#question", Input)
        assert (ui.screen, question.value, question.has_focus) == ("QueryScreen", next_question, True)


@pytest.mark.slow
async def test_key_of_the_answer_acts_when_no_other_letter_follows(
    remembered_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press("enter", "f8")
        await ui.type(QUESTION)
        monkeypatch.setattr(typed_run, "TYPING_SECONDS", 0.2)
        await ui.pilot.press("O")
        await asyncio.sleep(0.5)
        await ui.settle()
        assert ui.screen == "SceneScreen"
        assert ui.app.screen.query_one(PlayPrompt).text == f"? {QUESTION}"
