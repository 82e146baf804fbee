"""The set-up of the model: name, address, key, personas, and a test call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.llm.budget import format_dollars
from agents.llm.errors import INPUT_KEPT, ModelError
from agents.views.llm_views import LlmSetupView, LlmTrialView, PersonaView
from screens.base import ServiceScreen
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToBill, ToPrompts, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from widgets.llm_call_text import seconds_text, tokens_text
from widgets.llm_settings_list import SETUP_STATES, LlmSetting, LlmSettingsList
from widgets.safe_text import ellipsise, one_line

if TYPE_CHECKING:
    from agents.services.services import Services

PROVIDERS = ("anthropic/", "gemini/", "groq/", "mistral/", "ollama/", "openai/", "openrouter/")
"""Prefixes of names at the best known providers, for completion."""

MAX_REPLY_CELLS = 160
"""Cells of a test's answer that are shown, above its speed and price."""


class LlmSetupScreen(ServiceScreen[None]):
    """Settings and personas; every change is saved at once."""

    CSS_PATH = SCREENS_FOLDER / "llm/llm_setup_screen.tcss"
    AUTO_FOCUS = "LlmSettingsList"
    BINDING_GROUP_TITLE = "Model"
    BINDINGS = [
        Binding("f7", "try_out", "Test", id="model.test", tooltip="Make one small test call"),
        Binding("b", "bill", "Bill", id="model.bill", tooltip="What it has cost, and budgets"),
        Binding(
            "e", "prompts", "Prompts", id="model.prompts", tooltip="The words that each persona is given"
        ),
        Binding("escape,q", "escape", "Back", id="model.escape", tooltip="One step back"),
    ]

    @dataclass
    class LlmSetupLoaded(Message):
        llm_setup: LlmSetupView

    @dataclass
    class TrialFinished(Message):
        trial: LlmTrialView

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.llm_setup: LlmSetupView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Model")
        yield LlmSettingsList(empty="Reading …")
        yield NoticePanel()
        yield KeyBar()

    async def load_view(self) -> None:
        self.post_message(self.LlmSetupLoaded(await self.services.llm.read_setup()))

    @on(LlmSetupLoaded)
    def _show_setup(self, message: LlmSetupLoaded) -> None:
        self.llm_setup = message.llm_setup
        self.query_one(TitleBar).show_place(message.llm_setup.model, SETUP_STATES[message.llm_setup.state][0])
        self.query_one(LlmSettingsList).show_setup(message.llm_setup)
        self.refresh_bindings()

    # --- changes -----------------------------------------------------------------------------------

    async def _save_setting(self, save: Callable[[], Awaitable[LlmSetupView]]) -> None:
        self.post_message(self.LlmSetupLoaded(await save()))

    def _start_setting(self, save: Callable[[], Awaitable[LlmSetupView]]) -> None:
        self.query_one(NoticePanel).clear()
        self.start_change(partial(self._save_setting, save), "set up")

    @on(LlmSettingsList.SettingEdited)
    def _edit_row(self, message: LlmSettingsList.SettingEdited) -> None:
        message.stop()
        if self.llm_setup is None or isinstance(message, LlmSettingsList.PersonaSwitched):
            return
        row = message.item
        if isinstance(row, PersonaView):
            self._ask_persona_model(row)
        else:
            self._ask_setting(row, self.llm_setup)

    def _ask_setting(self, setting: LlmSetting, llm_setup: LlmSetupView) -> None:
        if setting in ("address", "key") and not llm_setup.model:
            self.query_one(NoticePanel).show_lines(
                ("Choose a model first: Enter on the row above.",), "warning"
            )
            return
        save_line = partial(self._save_typed_setting, setting, llm_setup)
        match setting:
            case "model":
                dialog = LineDialog(
                    "Which model narrates?",
                    value=llm_setup.model,
                    explanation="Provider and name, such as ollama/qwen2.5:7b or anthropic/claude-haiku-4-5. "
                    "Empty: none, you narrate yourself.",
                    suggestions=PROVIDERS,
                    save_line=save_line,
                )
            case "address":
                dialog = LineDialog(
                    "Where does it run?",
                    value=llm_setup.api_base,
                    explanation="For a server of your own, such as http://127.0.0.1:8080/v1. Empty: the provider's "
                    "own address.",
                    save_line=save_line,
                )
            case "fallbacks":
                dialog = LineDialog(
                    "Which models are asked when it does not answer?",
                    value=", ".join(llm_setup.fallbacks),
                    explanation="Names between commas, in the order they are tried. Empty: none.",
                    suggestions=PROVIDERS,
                    save_line=save_line,
                )
            case "others":
                dialog = LineDialog(
                    "Which other models can narrate a turn again?",
                    value=", ".join(llm_setup.others),
                    explanation="Names between commas. In play, Ctrl+R and such a name ask that one. Empty: none.",
                    suggestions=PROVIDERS,
                    save_line=save_line,
                )
            case "key":
                dialog = LineDialog(
                    f"The key for {llm_setup.model.partition('/')[0]}",
                    explanation=f"Now: {llm_setup.key}. What you type is not shown; it goes into your system's keyring "
                    "and nowhere else. Empty: leave it as it is.",
                    is_secret=True,
                    save_line=save_line,
                )
        self.app.push_screen(dialog)

    async def _save_typed_setting(self, setting: LlmSetting, llm_setup: LlmSetupView, text: str) -> None:
        model = self.services.llm
        match setting:
            case "model":
                # An address belongs to the model that runs there.
                is_same_provider = text.partition("/")[0] == llm_setup.model.partition("/")[0]
                api_base = llm_setup.api_base if is_same_provider else ""
                await self._save_setting(partial(model.choose_model, model=text, api_base=api_base))
            case "address":
                await self._save_setting(partial(model.choose_model, model=llm_setup.model, api_base=text))
            case "fallbacks":
                names = tuple(filter(None, (name.strip() for name in text.split(","))))
                await self._save_setting(partial(model.set_fallbacks, names))
            case "others":
                names = tuple(filter(None, (name.strip() for name in text.split(","))))
                await self._save_setting(partial(model.set_others, names))
            case "key" if text:
                await self._save_setting(partial(model.set_key, text))

    def _ask_persona_model(self, view: PersonaView) -> None:
        dialog = LineDialog(
            f"Which model speaks as the {view.persona.value}?",
            value=view.own_model,
            explanation=f"It {one_line(view.does)}. Empty: the default model.",
            suggestions=PROVIDERS,
            save_line=partial(self._save_persona_model, view),
        )
        self.app.push_screen(dialog)

    async def _save_persona_model(self, view: PersonaView, model_name: str) -> None:
        if model_name != view.own_model:
            await self._save_setting(partial(self.services.llm.set_persona, view.persona, model=model_name))

    @on(LlmSettingsList.PersonaSwitched)
    def _toggle_persona(self, message: LlmSettingsList.PersonaSwitched) -> None:
        message.stop()
        view = message.item
        if not isinstance(view, PersonaView):
            return
        if view.needs:
            self.query_one(NoticePanel).show_lines((view.needs,), "warning")
        else:
            self._start_setting(partial(self.services.llm.set_persona, view.persona, on=not view.on))

    @on(LlmSettingsList.TemperatureSet)
    def _set_temperature(self, message: LlmSettingsList.TemperatureSet) -> None:
        message.stop()
        persona, temperature = message.persona.persona, message.temperature
        self._start_setting(partial(self.services.llm.set_persona, persona, temperature=temperature))

    # --- a first call ------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "try_out":
            return self.llm_setup is not None and bool(self._model_to_test)
        return super().check_action(action, parameters)

    @property
    def _model_to_test(self) -> str:
        """The model that a test would call: that of the persona under the cursor, else the default."""
        persona = self.query_one(LlmSettingsList).current_persona
        if persona is not None and persona.own_model:
            return persona.own_model
        return self.llm_setup.model if self.llm_setup else ""

    def action_try_out(self) -> None:
        if any(
            worker.node is self and worker.name == "try" and not worker.is_finished for worker in self.workers
        ):
            return
        self.query_one(NoticePanel).show_lines((f"Calling {self._model_to_test} … keys work meanwhile.",))
        persona = self.query_one(LlmSettingsList).current_persona
        self._run_trial(persona.own_model if persona is not None else "")

    @work(name="try", group="try", exit_on_error=False)
    async def _run_trial(self, model: str) -> None:
        self.post_message(self.TrialFinished(await self.services.llm.test_model(model)))

    @on(TrialFinished)
    def _show_trial(self, message: TrialFinished) -> None:
        self.query_one(NoticePanel).show_lines(list(_trial_lines(message.trial)))
        self.reload()

    # --- leaving -----------------------------------------------------------------------------------

    def action_prompts(self) -> None:
        self.post_message(Visit(ToPrompts()))

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))

    def handle_error(self, error: BaseException, worker: str) -> None:
        if isinstance(error, ModelError):
            # A call that was made from here has nothing to do with the story.
            what_was_kept = "" if error.kept == INPUT_KEPT else error.kept
            error = ModelError(
                error.what, kept=what_was_kept or "Your settings are unchanged.", todo=error.todo
            )
        if isinstance(error, MonitorError):
            self.query_one(NoticePanel).show_error(error)
            self.reload()
        else:
            super().handle_error(error, worker)


def _trial_lines(trial: LlmTrialView) -> Iterator[str]:
    """Yield the result of a test: the answer, its speed and price, and what a turn would cost."""
    yield f"✓ {one_line(trial.model)} answers: “{ellipsise(trial.words, MAX_REPLY_CELLS)}”"
    seconds_after_first = max(trial.seconds - trial.first_seconds, 0.001)
    speed = f"{trial.tokens_out / seconds_after_first:,.0f} tokens a second"
    yield (
        f"First word after {seconds_text(trial.first_seconds)}, {seconds_text(trial.seconds)} in all, about {speed}; "
        f"{tokens_text(trial.tokens_in, trial.counted)} tokens in, {tokens_text(trial.tokens_out, trial.counted)} out."
    )
    if trial.priced and trial.per_turn is not None:
        yield (
            f"That cost {format_dollars(trial.micros)}; a turn with your settings costs about "
            f"{format_dollars(trial.per_turn)}."
        )
    else:
        yield "Its price is unknown: tokens are counted but no cost, so no budget can stop it."
    if not trial.takes_schema:
        yield "It does not support structured answers: they are read from its text, which fails more often."
