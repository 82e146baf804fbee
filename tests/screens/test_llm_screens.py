"""X-ray, bill and the model's settings by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.events import LlmCallRecorded
from agents.llm.errors import ModelKeyRefused
from agents.llm.llm_settings import AppSettings
from agents.llm.scripted_model import ScriptedReply
from agents.views.llm_views import BudgetView
from monitor_tui.settings import read_settings
from stores.errors import NotFound
from stores.records.llm import Persona
from tests.screens.conftest import MemoryKeyring
from tests.screens.faults import fail_once, record_calls
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import MODEL, ScriptedLlm, priced, write_settings
from widgets.bill_list import BillList, budget_percent
from widgets.row_list import RowList

pytestmark = pytest.mark.slow

TRIAL = "The lantern is lit and the tide is out."


@pytest.fixture
def model() -> ScriptedLlm:
    return ScriptedLlm()


@pytest.fixture
async def ui(narrated_home: Path, model: ScriptedLlm) -> AsyncIterator[ScreenDriver]:
    """The menu, with a model set up that has narrated."""
    async with started_app(real_services(narrated_home, 8, model=model), ROOMY) as ui:
        yield ui


@pytest.fixture
def saved(narrated_home: Path) -> Path:
    """The home folder whose settings the screens change."""
    return narrated_home


def saved_settings(home: Path) -> AppSettings:
    return read_settings(home)


async def stand_on(ui: ScreenDriver, words: str) -> None:
    """Go down until the cursor's row says this."""
    for _ in range(80):
        if any("▸" in line and words in line for line in ui.text.splitlines()):
            return
        await ui.press("down")
    raise AssertionError(f"the cursor never came to {words!r}:\n{ui.text}")


async def story_budget(ui: ScreenDriver) -> BudgetView:
    (card,) = await ui.services.stories.stories()
    bill = await ui.services.llm.read_bill(story_id=card.story.id)
    return next(budget for budget in bill.budgets if budget.scope == "story")


# --- the X-ray --------------------------------------------------------------------------------------


async def test_xray_shows_every_step_and_call(ui: ScreenDriver) -> None:
    await ui.press("enter", "f6")
    assert ui.shows("turn 10", "$0.0014+?", "2.6 s")
    assert ui.shows("Director plan – skipped off", "Archivist propose ✗ failed no proposals")
    assert ui.shows("⚠ Nothing could be read of what the critic answered.")
    assert ui.shows(f"{MODEL} ✓ done")
    assert ui.shows("2,960 in (1,650 cached), 58 out, counted by the provider · $0.0014")
    assert ui.shows("first word after 200 ms, 400 ms in all")
    await stand_on(ui, "promises")
    assert ui.shows("✓ sent rules 32 exact same every turn")
    assert ui.shows("✓ sent promises 63 exact")
    assert ui.shows("– dropped recalled 70 exact left out: over the budget of 1,236 tokens")
    await stand_on(ui, "[bold red]oops")
    assert ui.shows("ollama/qwen2.5:0.5b ✓ done · 2 tries")
    # The Archivist is asked beside the Critic, on one clock: how long it took depends on how they take turns.
    assert ui.shows("~128 in, ~6 out, estimated · no known price · first word after", "ms in all")
    assert ui.shows("the answer could not be read")
    assert ui.shows("✓ sent draft 23 exact")


async def test_xray_of_a_stopped_narration_says_who_stopped_it(ui: ScreenDriver) -> None:
    await ui.press("enter", "shift+tab", "end", "up", "up", "f6")
    assert ui.shows("turn 8", f"{MODEL} ■ stopped by you", "3 words, cut off")
    assert ui.shows("~1,231 in, ~6 out, estimated · $0.0002")
    assert ui.shows("Critic judge – skipped no complete narration")


async def test_xray_leads_from_a_step_to_its_call_and_what_was_sent(ui: ScreenDriver) -> None:
    await ui.press("enter", "f6")
    await stand_on(ui, "Narrator")
    await ui.press("enter")
    assert any("▸" in line and "instructions" in line for line in ui.text.splitlines())
    await ui.press("enter")
    assert ui.screen == "LongTextScreen"
    assert ui.shows("Sent to the narrator: instructions", "You are the narrator of a solo")
    await ui.press("escape")
    assert ui.screen == "XrayScreen"


async def test_long_text_scrolls_to_its_end_and_has_no_markup(
    narrated_home: Path, model: ScriptedLlm
) -> None:
    async with started_app(real_services(narrated_home, 8, model=model), NARROW) as small:
        await small.press("enter", "f6")
        await stand_on(small, "instructions")
        await small.press("enter", "pagedown", "end")
        assert small.text.splitlines()[-3].strip().endswith("do not repeat these lines.")
        await small.press("q")
        await stand_on(small, "[bold red]oops")
        await small.press("enter")
        assert small.shows("[bold red]oops")


async def test_xray_of_a_turn_without_a_model(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter", "shift+tab", "end", "up", "up", "up", "f6")
        assert ui.shows("Dice result", "2d6+2 [6,5]+2 = 13 vs 8 · success", "this turn cost nothing")


async def test_xray_error_says_why(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = NotFound("That turn is gone.", kept="Everything else is here.")
    fail_once(monkeypatch, ui.services.llm, "read_xray", gone)
    await ui.press("enter", "f6")
    assert ui.shows("That turn is gone.", "Everything else is here.")
    await ui.press("escape", "escape")
    assert ui.screen == "SceneScreen"


async def test_xray_is_read_again_when_a_call_ends(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    await ui.press("enter", "f6")
    reads = record_calls(monkeypatch, ui.services.llm, "read_xray")
    (card,) = await ui.services.stories.stories()
    ui.services.events.publish(LlmCallRecorded("call", card.story.id))
    await ui.settle()
    assert len(reads) == 1


# --- the bill ---------------------------------------------------------------------------------------


async def test_bill_is_shown_five_ways(ui: ScreenDriver) -> None:
    await ui.press("b")
    assert ui.shows("▸3 by agent", "narrator 3 calls", "122 out $0.04")
    assert ui.shows("archivist 3 calls", "critic 2 calls")
    await ui.press("right")
    assert ui.shows("▸4 by story", "The Drowned Bell 8 calls")
    await ui.press("5")
    assert ui.shows("▸5 by day", "2026-01-01 8 calls")
    await ui.press("1")
    assert ui.shows("critic · ollama/qwen2.5:0.5b ✓ done ~128 in ~6 out $?")
    await ui.press("left")
    assert ui.shows("▸5 by day")


async def test_bill_leads_from_a_call_to_its_xray_and_from_a_story_to_its_bill(ui: ScreenDriver) -> None:
    await ui.press("b", "1")
    await stand_on(ui, "narrator · openai")
    await ui.press("enter")
    assert ui.screen == "XrayScreen"
    await ui.press("escape", "4")
    await stand_on(ui, "8 calls")
    await ui.press("enter")
    assert ui.screen == "BillScreen"
    assert ui.shows("in The Drowned Bell", "▸2 by turn", "turn 10 · Nobody answers.")


async def test_bill_says_in_words_how_budgets_stand(ui: ScreenDriver) -> None:
    await ui.services.llm.set_budget("day", 40_000)
    await ui.press("enter")
    await ui.type("/bill")
    assert ui.shows("story The Drowned Bell ████████░░ 82 % $0.04 of $0.05", "⚠ background personas wait")
    assert ui.shows("universe Salt Coast $0.04 spent, no limit")
    assert ui.shows("██████████ 103 % $0.04 of $0.04", "✗ nothing is sent: raise it")
    assert ui.shows("At 80 % of a budget the Librarian, Critic, Director")
    full = BudgetView("day", "today", 2_100_000, 2_000_000, None, "nothing is sent: raise it")
    assert budget_percent(full) == 105
    assert budget_percent(replace(full, limit=0)) == 100


async def test_bill_sets_and_lifts_a_budget(ui: ScreenDriver) -> None:
    await ui.press("enter")
    await ui.type("/bill")
    await ui.press("enter")
    assert ui.shows("What may the model cost in The Drowned Bell, in US dollars?", "0.05")
    await ui.press(*["backspace"] * 4)
    await ui.type("lots")
    assert ui.screen == "LineDialog"
    assert ui.shows("'lots' is not an amount in dollars.")
    await ui.press(*["backspace"] * 4)
    await ui.type("$1.50")
    assert (await story_budget(ui)).limit == 1_500_000
    assert ui.shows("2 % $0.04 of $1.50")
    await ui.press("delete")
    assert (await story_budget(ui)).limit is None
    assert ui.shows("story The Drowned Bell $0.04 spent, no limit")
    await ui.press("enter", "escape")
    assert (await story_budget(ui)).limit is None


async def test_bill_without_a_model_says_what_to_do(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("b")
        assert ui.shows("no model is set up", "M on the menu (or /model) sets one up")
        assert isinstance(ui.app.screen.focused, BillList)


# --- the model's settings ---------------------------------------------------------------------------


async def test_llm_setup_without_a_model_says_how_to_get_one(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("M")
        assert ui.shows("MONITOR plays without a model", "ollama pull", "anthropic/", "F7 makes one small")
        assert not ui.shows("f7 Test")


async def test_llm_setup_chooses_a_model_and_refuses_an_unknown_name(
    tmp_path: Path, model: ScriptedLlm
) -> None:
    async with started_app(real_services(tmp_path, model=model), NARROW) as ui:
        await ui.press("M", "enter")
        await ui.type("gpt-5")
        assert ui.screen == "LineDialog"  # what was typed is still there, to be mended
        assert ui.shows("No provider goes by gpt-5.", "openai/gpt-5?")
        await ui.press(*["backspace"] * 5)
        await ui.type("ollama/qwen2.5:7b")
        assert saved_settings(tmp_path).model.name == "ollama/qwen2.5:7b"
        assert ui.shows("ollama/qwen2.5:7b", "✓ ready", "f7 Test")
        await ui.press("down", "enter")
        await ui.type("http://127.0.0.1:8080/v1")
        settings = saved_settings(tmp_path).model
        assert (settings.name, settings.api_base) == ("ollama/qwen2.5:7b", "http://127.0.0.1:8080/v1")


async def test_llm_setup_never_shows_a_key(ui: ScreenDriver, saved: Path, keyring: MemoryKeyring) -> None:
    await ui.press("M")
    assert ui.shows("missing: set OPENAI_API_KEY", "⚠ needed before it can be used")
    await stand_on(ui, "Key")
    await ui.press("enter")
    await ui.type("sk-secret", enter=False)
    assert "secret" not in ui.text
    await ui.press("enter")
    assert list(keyring.passwords.values()) == ["sk-secret"]
    assert ui.shows("Key keyring")
    assert "secret" not in ui.text
    assert "secret" not in (saved / "settings.toml").read_text(encoding="utf-8")


async def test_llm_setup_empty_key_changes_none(ui: ScreenDriver, keyring: MemoryKeyring) -> None:
    await ui.press("M")
    await stand_on(ui, "Key")
    await ui.press("enter", "enter")
    assert not keyring.passwords


async def test_llm_setup_without_keyring_says_what_to_do_instead(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from keyring.backends import fail

    monkeypatch.setattr("keyring.get_keyring", fail.Keyring)
    await ui.press("M")
    await stand_on(ui, "Key")
    await ui.press("enter")
    await ui.type("sk-secret")
    assert ui.shows("The system's keyring is not there.", "the key was written", "nowhere.")
    assert ui.shows("Set OPENAI_API_KEY in the environment that MONITOR")


async def test_llm_setup_switches_warms_and_gives_a_persona_a_model(
    ui: ScreenDriver, saved: Path, model: ScriptedLlm
) -> None:
    await ui.press("M")
    await stand_on(ui, "director")
    await ui.press("space")
    assert saved_settings(saved).director.on is True
    assert ui.shows("director ✓ on")
    await ui.press("plus")
    assert saved_settings(saved).director.temperature == pytest.approx(0.5)
    await ui.press("minus", "minus")
    assert saved_settings(saved).director.temperature == pytest.approx(0.3)
    assert ui.shows("temp. 0.3")
    await ui.press("enter")
    await ui.type("ollama/tiny")
    assert saved_settings(saved).director.model == "ollama/tiny"
    assert ui.shows("by ollama/tiny")
    await ui.press("f7")
    assert model.requests[-1].model == "ollama/tiny"


async def test_llm_setup_names_fallbacks_in_order(ui: ScreenDriver, saved: Path) -> None:
    await ui.press("M")
    await stand_on(ui, "Fall-backs")
    await ui.press("enter")
    await ui.type("openai/gpt-4o, ollama/tiny ,")
    assert saved_settings(saved).model.fallbacks == ("openai/gpt-4o", "ollama/tiny")
    assert ui.shows("openai/gpt-4o, ollama/tiny")


async def test_llm_setup_trial_shows_words_speed_and_price(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced(TRIAL, 42)
    await ui.press("M", "f7")
    assert ui.shows(f"{MODEL} answers: “{TRIAL}”")
    assert ui.shows("First word after 200 ms, 400 ms in all, about 290 tokens a second")
    assert ui.shows("That cost $0.000042; a turn with your settings costs about $0.0018.")
    model.script[Persona.NARRATOR] = ScriptedReply((TRIAL,))
    await ui.press("escape", "f7")
    assert ui.shows("Its price is unknown")


async def test_llm_setup_trial_failure_says_why_and_loses_nothing(
    ui: ScreenDriver, saved: Path, model: ScriptedLlm
) -> None:
    todo = "Enter a key, or set OPENAI_API_KEY."
    model.script[Persona.NARRATOR] = ModelKeyRefused(
        "OpenAI does not take the key.", kept="Nothing changed.", todo=todo
    )
    before = (saved / "settings.toml").read_text(encoding="utf-8")
    await ui.press("M", "f7")
    assert ui.shows("OpenAI does not take the key.", "Nothing changed.", todo)
    assert ui.shows(MODEL)
    assert (saved / "settings.toml").read_text(encoding="utf-8") == before
    await ui.press("escape")
    assert ui.screen == "LlmSetupScreen"
    await ui.press("escape")
    assert ui.screen == "MenuScreen"


async def test_llm_setup_names_what_the_environment_decides(
    sample_home: Path, model: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(sample_home)
    monkeypatch.setenv("MONITOR_MODEL_NAME", "openai/gpt-4o")
    async with started_app(real_services(sample_home, model=model), ROOMY) as ui:
        await ui.press("M")
        assert ui.shows("openai/gpt-4o", "The environment overrides it: MONITOR_MODEL_NAME.")


async def test_bill_and_llm_setup_lists_are_one_stop_of_tab(ui: ScreenDriver) -> None:
    for key in ("b", "M"):
        await ui.press(key, "tab")
        assert isinstance(ui.app.screen.focused, RowList)
        await ui.press("escape")
