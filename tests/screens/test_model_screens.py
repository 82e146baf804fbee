"""X-ray, bill and the model's settings by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from agents.events import LlmCallRecorded
from agents.llm.errors import ModelKeyRefused
from agents.views.llm_views import BudgetView
from stores.errors import InputError, NotFound
from stores.records.llm import Persona
from tests.screens.table import NARROW, ROOMY, Table, seated, twin_desk
from tests.screens.twin import TwinDesk
from tests.screens.twin_model import calls_of
from widgets.bill_list import BillList, budget_percent
from widgets.row_list import RowList

pytestmark = pytest.mark.slow


@pytest.fixture
async def twin() -> TwinDesk:
    twin = TwinDesk()
    await twin.model.choose_model(model="openai/gpt-4o-mini")
    line = next(iter(twin.lines.values()))
    twin.model.called = list(calls_of(line[-1].turn, twin.story_id))
    return twin


@pytest.fixture
async def table(twin: TwinDesk) -> AsyncIterator[Table]:
    """The menu, with a model set up."""
    async with seated(twin_desk(twin), ROOMY) as table:
        yield table


async def stand_on(table: Table, words: str) -> None:
    """Go down until the cursor's row says this."""
    for _ in range(40):
        if any("▸" in line and words in line for line in table.text.splitlines()):
            return
        await table.press("down")
    raise AssertionError(f"the cursor never came to {words!r}:\n{table.text}")


# --- the X-ray --------------------------------------------------------------------------------------


async def test_the_xray_tells_every_step_and_call(table: Table) -> None:
    await table.press("enter", "f6")
    assert table.shows("turn 4", "$0.0014+?", "5.5 s")
    assert table.shows("Director plan – skipped switched off", "Archivist propose ✗ failed no answer")
    assert table.shows("⚠ Father Ode is in the tower by canon, and speaks here.")
    assert table.shows("openai/gpt-4o-mini ■ stopped by you")
    assert table.shows("2,960 in (1,650 cached), 58 out, counted by the provider · $0.0014")
    assert table.shows("first word after 800 ms, 4.2 s in all")
    assert table.shows("✓ sent canon 1,240 exact same every turn")
    assert table.shows("– dropped old turns 2,600 exact over the window by 2,100 tokens")
    assert table.shows("ollama/qwen2.5:0.5b ✓ done · 2 tries")
    assert table.shows("~1,140 in, ~122 out, estimated · no known price · 1.3 s in all")
    assert table.shows("the answer could not be read")
    assert table.shows("✓ sent prose ~64 estimate")


async def test_enter_leads_from_a_step_to_its_call_and_opens_what_was_sent(table: Table) -> None:
    await table.press("enter", "f6")
    await stand_on(table, "Narrator")
    await table.press("enter")
    assert any("▸" in line and "rules" in line for line in table.text.splitlines())
    await table.press("enter")
    assert table.screen == "LongTextScreen"
    assert table.shows("Sent to the narrator: rules", "You tell what happens.")
    await table.press("escape")
    assert table.screen == "XrayScreen"


async def test_a_long_text_scrolls_to_its_end_and_has_no_markup(table: Table, twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as small:
        await small.press("enter", "f6")
        await stand_on(small, "rules")
        await small.press("enter", "pagedown", "end")
        assert small.text.splitlines()[-3].strip() == "You tell what happens."
        await small.press("q")
        await small.press("end", "enter")
        assert small.shows("[bold red]oops")


async def test_a_turn_without_a_model_has_an_xray_too() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter", "shift+tab", "home", "X")
        assert table.shows("Dice result", "2d6+1 [5,4]+1 = 10 vs 9 · success", "this turn cost nothing")


async def test_an_xray_that_cannot_be_taken_says_why(table: Table, twin: TwinDesk) -> None:
    twin.fail("xray", NotFound("That turn is gone.", kept="Everything else is here."))
    await table.press("enter", "f6")
    assert table.shows("That turn is gone.", "Everything else is here.")
    await table.press("escape", "escape")
    assert table.screen == "SceneScreen"


async def test_a_call_that_ends_shows_at_once(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "f6")
    before = len(twin.called("xray"))
    twin.events.publish(LlmCallRecorded("call", twin.story_id))
    await table.settle()
    assert len(twin.called("xray")) == before + 1


# --- the bill ---------------------------------------------------------------------------------------


async def test_the_bill_is_shown_five_ways(table: Table) -> None:
    await table.press("b")
    assert table.shows("▸3 by agent", "narrator 31 calls 96,000 in 7,400 out $0.04")
    assert table.shows("archivist 30 calls 51,000 in 2,100 out $0.0030+?")
    await table.press("right")
    assert table.shows("▸4 by story", "The Drowned Bell 61 calls")
    await table.press("5")
    assert table.shows("▸5 by day", "2025-03-01 61 calls")
    await table.press("1")
    assert table.shows("archivist · ollama/qwen2.5:0.5b ✓ done ~1,140 in ~122 out $?")
    await table.press("left")
    assert table.shows("▸5 by day")


async def test_from_a_call_or_a_turn_to_its_xray_and_from_a_story_to_its_bill(
    table: Table, twin: TwinDesk
) -> None:
    await table.press("b", "1")
    await stand_on(table, "narrator · openai")
    await table.press("enter")
    assert table.screen == "XrayScreen"
    await table.press("escape", "4")
    await stand_on(table, "61 calls")
    await table.press("enter")
    assert table.screen == "BillScreen"
    assert twin.called("bill")[-1][0] == twin.story_id
    assert table.shows("▸2 by turn", "turn 4 · Nobody answers.")


async def test_budgets_say_in_words_how_they_stand(table: Table, twin: TwinDesk) -> None:
    full = BudgetView("day", "today", 2_100_000, 2_000_000, None, "nothing is sent: raise it")
    twin.model.budgets = (*twin.model.budgets[:2], full)
    await table.press("b")
    assert table.shows("story The Drowned Bell ████████░░ 82 % $0.04 of $0.05", "⚠ background personas wait")
    assert table.shows("universe Salt Coast $0.12 spent, no limit")
    assert table.shows("██████████ 105 % $2.10 of $2.00", "✗ nothing is sent: raise it")
    assert table.shows("At 80 % of a budget the Librarian, Critic, Director")
    assert budget_percent(replace(full, limit=0)) == 100


async def test_a_budget_is_set_and_lifted(table: Table, twin: TwinDesk) -> None:
    await table.press("b", "enter")
    assert table.shows("What may the model cost in The Drowned Bell, in US dollars?", "0.05")
    await table.press(*["backspace"] * 4)
    await table.type("lots")
    assert table.screen == "LineDialog"
    assert table.shows("'lots' is not an amount in dollars.")
    await table.press(*["backspace"] * 4)
    await table.type("$1.50")
    assert twin.called("set_budget")[-1] == ("story", 1_500_000, twin.story_id)
    assert table.shows("2 % $0.04 of $1.50")
    await table.press("u")
    assert twin.called("set_budget")[-1] == ("story", None, twin.story_id)
    assert table.shows("story The Drowned Bell $0.04 spent, no limit")
    await table.press("s", "escape")
    assert len(twin.called("set_budget")) == 2


async def test_an_empty_bill_says_what_to_do() -> None:
    async with seated(twin_desk(TwinDesk()), NARROW) as table:
        await table.press("b")
        assert table.shows("no model is set up", "m on the menu (or /model) sets one up")
        assert isinstance(table.app.screen.focused, BillList)


# --- the model's settings ---------------------------------------------------------------------------


async def test_without_a_model_it_says_how_to_get_one() -> None:
    async with seated(twin_desk(TwinDesk()), NARROW) as table:
        await table.press("m")
        assert table.shows("MONITOR plays without a model", "ollama pull", "anthropic/", "t makes one small")
        assert not table.shows("t Test")


async def test_a_model_is_chosen_and_a_name_that_nobody_goes_by_is_told(twin: TwinDesk) -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("m", "enter")
        await table.type("gpt-5")
        assert table.shows("No provider goes by gpt-5.", "Did you mean openai/gpt-5?")
        await table.press("escape", "enter")
        await table.type("ollama/qwen2.5:7b")
        assert twin.called("choose")[-1] == ("ollama/qwen2.5:7b", "")
        assert table.shows("ollama/qwen2.5:7b", "✓ ready", "t Test")
        await table.press("down", "enter")
        await table.type("http://127.0.0.1:8080/v1")
        assert twin.called("choose")[-1] == ("ollama/qwen2.5:7b", "http://127.0.0.1:8080/v1")


async def test_a_key_is_never_shown(table: Table, twin: TwinDesk) -> None:
    await table.press("m")
    assert table.shows("missing: set OPENAI_API_KEY", "⚠ needed before it can be used")
    await stand_on(table, "Key")
    await table.press("enter")
    await table.type("sk-secret", enter=False)
    assert "secret" not in table.text
    await table.press("enter")
    assert twin.called("set_key") == [(9,)]
    assert table.shows("Key keyring")
    assert "secret" not in table.text


async def test_no_key_typed_changes_none(table: Table, twin: TwinDesk) -> None:
    await table.press("m")
    await stand_on(table, "Key")
    await table.press("enter", "enter")
    assert not twin.called("set_key")


async def test_where_there_is_no_keyring_it_says_what_to_do_instead(table: Table, twin: TwinDesk) -> None:
    todo = "Set OPENAI_API_KEY in your environment and start MONITOR again."
    twin.fail("set_key", InputError("There is no keyring here.", kept="Nothing was written.", todo=todo))
    await table.press("m")
    await stand_on(table, "Key")
    await table.press("enter")
    await table.type("sk-secret")
    assert table.shows("There is no keyring here.", "Nothing was written.", todo)


async def test_personas_are_switched_warmed_and_given_a_model(table: Table, twin: TwinDesk) -> None:
    await table.press("m")
    await stand_on(table, "director")
    await table.press("space")
    assert twin.called("set_persona")[-1] == (Persona.DIRECTOR, True, None, None)
    assert table.shows("director ✓ on")
    await table.press("plus")
    assert twin.called("set_persona")[-1] == (Persona.DIRECTOR, None, None, 0.7)
    await table.press("minus", "minus")
    assert table.shows("temp. 0.5")
    await table.press("enter")
    await table.type("ollama/tiny")
    assert twin.called("set_persona")[-1] == (Persona.DIRECTOR, None, "ollama/tiny", None)
    assert table.shows("by ollama/tiny")
    await table.press("t")
    assert twin.called("try_out")[-1] == ("ollama/tiny", "")


async def test_fall_backs_are_named_in_order(table: Table, twin: TwinDesk) -> None:
    await table.press("m")
    await stand_on(table, "Fall-backs")
    await table.press("enter")
    await table.type("openai/gpt-4o, ollama/tiny ,")
    assert twin.called("set_fallbacks")[-1] == (("openai/gpt-4o", "ollama/tiny"),)
    assert table.shows("openai/gpt-4o, ollama/tiny")


async def test_a_first_call_shows_words_speed_and_price(table: Table, twin: TwinDesk) -> None:
    await table.press("m", "t")
    assert table.shows("openai/gpt-4o-mini answers: “The lantern is lit and the tide is out.”")
    assert table.shows("First word after 400 ms, 1.2 s in all, about 14 tokens a second")
    assert table.shows("That cost $0.000042; a turn with your settings costs about $0.0019.")
    twin.model.priced = False
    await table.press("escape", "t")
    assert table.shows("Its price is unknown")


async def test_a_first_call_that_fails_says_why_and_loses_nothing(table: Table, twin: TwinDesk) -> None:
    todo = "Enter a key, or set OPENAI_API_KEY."
    twin.fail("try_out", ModelKeyRefused("OpenAI does not take the key.", kept="Nothing changed.", todo=todo))
    await table.press("m", "t")
    assert table.shows("OpenAI does not take the key.", "Nothing changed.", todo)
    assert table.shows("openai/gpt-4o-mini")
    await table.press("escape")
    assert table.screen == "LlmSetupScreen"
    await table.press("escape")
    assert table.screen == "MenuScreen"


async def test_settings_that_the_environment_decides_say_so(table: Table, twin: TwinDesk) -> None:
    twin.model.set_up = replace(twin.model.set_up, from_environment=("MONITOR_MODEL_NAME",))
    await table.press("m")
    assert table.shows("The environment overrides it: MONITOR_MODEL_NAME.")


async def test_lists_are_one_stop_of_tab(table: Table) -> None:
    for key in ("b", "m"):
        await table.press(key, "tab")
        assert isinstance(table.app.screen.focused, RowList)
        await table.press("escape")
