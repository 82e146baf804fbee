"""How the model is set up: which one, where, its key, who speaks through it; and a first call to try it."""

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
from agents.views.llm_views import ModelHouse, PersonaView, Trial
from screens.aside import Aside
from screens.ask_line import AskLineScreen
from screens.base import ServiceScreen
from screens.key_bar import KeyBar
from screens.model_routes import ToBill
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from widgets.calls import seconds, tokens
from widgets.model_house import STATES, ModelList, Setting
from widgets.safe_text import ellipsise, one_line

if TYPE_CHECKING:
    from agents.services.services import Services

PROVIDERS = ("anthropic/", "gemini/", "groq/", "mistral/", "ollama/", "openai/", "openrouter/")
"""What a name begins with at the best known providers, for completion."""

WORDS = 160
"""Cells of what a first call said that are shown: how fast and how dear it was stands under them."""


class ModelScreen(ServiceScreen[None]):
    """Settings and personas; every change is kept at once."""

    CSS_PATH = "model_setup.tcss"
    AUTO_FOCUS = "ModelList"
    BINDING_GROUP_TITLE = "Model"
    BINDINGS = [
        Binding("t", "try_out", "Test", id="model.test", tooltip="Make one small call, and see"),
        Binding("b", "bill", "Bill", id="model.bill", tooltip="What it has cost, and budgets"),
        Binding("escape,q", "escape", "Back", id="model.escape", tooltip="One step back"),
    ]

    @dataclass
    class Read(Message):
        house: ModelHouse

    @dataclass
    class Tried(Message):
        trial: Trial

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.house: ModelHouse | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Model")
        yield ModelList(empty="Reading …")
        yield Aside()
        yield KeyBar()

    async def read(self) -> None:
        self.post_message(self.Read(await self.services.llm.house()))

    @on(Read)
    def _show(self, message: Read) -> None:
        self.house = message.house
        self.query_one(TitleBar).show(message.house.model, STATES[message.house.state][0])
        self.query_one(ModelList).show(message.house)
        self.refresh_bindings()

    # --- changes -----------------------------------------------------------------------------------

    async def _keep(self, setting: Callable[[], Awaitable[ModelHouse]]) -> None:
        self.post_message(self.Read(await setting()))

    def _set(self, setting: Callable[[], Awaitable[ModelHouse]]) -> None:
        self.query_one(Aside).clear()
        self.change(self._keep(setting), "set up")

    @on(ModelList.Change)
    def _change(self, message: ModelList.Change) -> None:
        message.stop()
        if self.house is None or isinstance(message, ModelList.Switch):
            return
        thing = message.thing
        if isinstance(thing, PersonaView):
            self._ask_persona(thing)
        else:
            self._ask(thing, self.house)

    def _ask(self, setting: Setting, house: ModelHouse) -> None:
        if setting in ("address", "key") and not house.model:
            self.query_one(Aside).say(("Choose a model first: Enter on the row above.",), "warning")
            return
        match setting:
            case "model":
                ask = AskLineScreen(
                    "Which model narrates?",
                    value=house.model,
                    about="Provider and name, such as ollama/qwen2.5:7b or anthropic/claude-haiku-4-5. "
                    "Empty: none, you tell the story yourself.",
                    known=PROVIDERS,
                )
            case "address":
                ask = AskLineScreen(
                    "Where does it run?",
                    value=house.api_base,
                    about="For a server of your own, such as http://127.0.0.1:8080/v1. Empty: the provider's "
                    "own address.",
                )
            case "fallbacks":
                ask = AskLineScreen(
                    "Which models are asked when it does not answer?",
                    value=", ".join(house.fallbacks),
                    about="Names between commas, in the order they are tried. Empty: none.",
                    known=PROVIDERS,
                )
            case "key":
                ask = AskLineScreen(
                    f"The key for {house.model.partition('/')[0]}",
                    about=f"Now: {house.key}. What you type is not shown; it goes into your system's keyring "
                    "and nowhere else. Empty: leave it as it is.",
                    secret=True,
                )
        self.app.push_screen(ask, partial(self._asked, setting))

    def _asked(self, setting: Setting, typed: str | None) -> None:
        if typed is None or self.house is None:
            return
        model = self.services.llm
        match setting:
            case "model":
                # An address belongs to the model that runs there.
                same = typed.partition("/")[0] == self.house.model.partition("/")[0]
                there = self.house.api_base if same else ""
                self._set(partial(model.choose, model=typed, api_base=there))
            case "address":
                self._set(partial(model.choose, model=self.house.model, api_base=typed))
            case "fallbacks":
                names = tuple(filter(None, (name.strip() for name in typed.split(","))))
                self._set(partial(model.set_fallbacks, names))
            case "key" if typed:
                self._set(partial(model.set_key, typed))

    def _ask_persona(self, view: PersonaView) -> None:
        ask = AskLineScreen(
            f"Which model speaks as the {view.persona.value}?",
            value=view.own_model,
            about=f"It {one_line(view.does)}. Empty: the default model.",
            known=PROVIDERS,
        )
        self.app.push_screen(ask, partial(self._persona_asked, view))

    def _persona_asked(self, view: PersonaView, typed: str | None) -> None:
        if typed is not None and typed != view.own_model:
            self._set(partial(self.services.llm.set_persona, view.persona, model=typed))

    @on(ModelList.Switch)
    def _switch(self, message: ModelList.Switch) -> None:
        message.stop()
        view = message.thing
        if not isinstance(view, PersonaView):
            return
        if view.needs:
            self.query_one(Aside).say((view.needs,), "warning")
        else:
            self._set(partial(self.services.llm.set_persona, view.persona, on=not view.on))

    @on(ModelList.Warm)
    def _warm(self, message: ModelList.Warm) -> None:
        message.stop()
        persona, warmth = message.persona.persona, message.temperature
        self._set(partial(self.services.llm.set_persona, persona, temperature=warmth))

    # --- a first call ------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "try_out":
            return self.house is not None and bool(self._tested)
        return super().check_action(action, parameters)

    @property
    def _tested(self) -> str:
        """The model that a test would call: the persona's under the cursor, else the default."""
        persona = self.query_one(ModelList).persona
        if persona is not None and persona.own_model:
            return persona.own_model
        return self.house.model if self.house else ""

    def action_try_out(self) -> None:
        if any(w.node is self and w.name == "try" and not w.is_finished for w in self.workers):
            return
        self.query_one(Aside).say((f"Calling {self._tested} … keys work meanwhile.",))
        persona = self.query_one(ModelList).persona
        self._try(persona.own_model if persona is not None else "")

    @work(name="try", group="try", exit_on_error=False)
    async def _try(self, model: str) -> None:
        self.post_message(self.Tried(await self.services.llm.try_out(model)))

    @on(Tried)
    def _tell(self, message: Tried) -> None:
        self.query_one(Aside).say(list(_told(message.trial)))
        self.reload()

    # --- leaving -----------------------------------------------------------------------------------

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_escape(self) -> None:
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        else:
            self.post_message(Visit(Back(self)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, ModelError):
            # A call that was made from here has nothing to do with the story.
            kept = "" if error.kept == INPUT_KEPT else error.kept
            error = ModelError(error.what, kept=kept or "What is set up is as it was.", todo=error.todo)
        if isinstance(error, MonitorError):
            self.query_one(Aside).tell(error)
            self.reload()
        else:
            super().refused(error, worker)


def _told(trial: Trial) -> Iterator[str]:
    """Yield what a first call showed: that it speaks, how fast, at what price, and what a turn would cost."""
    yield f"✓ {one_line(trial.model)} answers: “{ellipsise(trial.words, WORDS)}”"
    after = max(trial.seconds - trial.first_seconds, 0.001)
    speed = f"{trial.tokens_out / after:,.0f} tokens a second"
    yield (
        f"First word after {seconds(trial.first_seconds)}, {seconds(trial.seconds)} in all, about {speed}; "
        f"{tokens(trial.tokens_in, trial.counted)} tokens in, {tokens(trial.tokens_out, trial.counted)} out."
    )
    if trial.priced and trial.per_turn is not None:
        yield f"That cost {format_dollars(trial.micros)}; a turn as you are set up about {format_dollars(trial.per_turn)}."
    else:
        yield "No price is known for it: it counts tokens but no money, and no budget can stop it."
    if not trial.takes_schema:
        yield "It takes no schema: structured answers are found in its words, which fails more often."
