"""How the model is set up, by row: the default one, where it is, its key, its fall-backs, the personas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.llm_views import ModelHouse, PersonaView
from widgets.ink import Ink, Line, Piece
from widgets.plain_rows import heading, words_row
from widgets.row_list import Row, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap

Setting = Literal["model", "address", "key", "fallbacks"]
Thing = Setting | PersonaView

NAME_CELLS = 13
MODEL_CELLS = 30
WARMER, COOLER = 0.1, -0.1
HOTTEST = 2.0

STATES: dict[str, Piece] = {
    "off": ("– no model: you tell the story yourself", Ink.MUTED),
    "starting": ("… starting", Ink.WARN),
    "ready": ("✓ ready", Ink.GOOD),
    "failed": ("✗ failed", Ink.BAD),
}

HOW_TO = (
    "MONITOR plays without a model: you tell the story with > and everything else works. To let one narrate, "
    "run it on this machine or use a provider's.",
    "Here: install Ollama, run `ollama pull qwen2.5:7b`, then press Enter and type ollama/qwen2.5:7b. Any "
    "server that speaks OpenAI's protocol (llama.cpp, vLLM, LM Studio) is openai/NAME with its address, "
    "such as http://127.0.0.1:8080/v1.",
    "Elsewhere: type for example anthropic/claude-haiku-4-5 or openai/gpt-4o-mini, then Enter on Key. "
    "Budgets (b) bound what it may cost; t makes one small call and says how fast and how dear it is.",
)


class ModelList(RowList[Thing]):
    """Settings first, then each persona."""

    HELP_TITLE: ClassVar[str] = "Model"
    HELP_TEXT: ClassVar[str] = (
        "Enter changes what the cursor stands on; Space switches a persona on or off, + and - make it warmer "
        "(freer) or cooler (stricter). Each persona that is on costs a call a turn; with the Narrator alone "
        "a turn is one call."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Change", id="model.change", tooltip="Change what the cursor stands on"),
        Binding("space", "switch", "On/off", id="model.switch", tooltip="Switch the persona on or off"),
        Binding("plus", "warm(1)", "Warmer", id="model.warmer", tooltip="A tenth more temperature"),
        Binding("minus", "warm(-1)", "Cooler", id="model.cooler", tooltip="A tenth less temperature"),
    ]

    class Change(Message):
        """A setting, or the model of a persona, is to be changed."""

        def __init__(self, thing: Thing) -> None:
            super().__init__()
            self.thing = thing

    class Switch(Change):
        """The persona is to be switched on or off."""

    class Warm(Message):
        """The persona is to have this temperature."""

        def __init__(self, persona: PersonaView, temperature: float) -> None:
            super().__init__()
            self.persona = persona
            self.temperature = temperature

    def show(self, house: ModelHouse) -> None:
        """Show how the model is set up; the cursor stays on its row."""
        self.set_rows(list(_rows(house)))

    def highlighted(self, value: Thing | None) -> None:
        self.refresh_bindings()

    @property
    def persona(self) -> PersonaView | None:
        """The persona that the cursor stands on."""
        return self.current if isinstance(self.current, PersonaView) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "switch" | "warm":
                return self.persona is not None
            case "change":
                return self.current is not None
        return super().check_action(action, parameters)

    def chosen(self, value: Thing) -> None:
        self.action_change()

    def action_change(self) -> None:
        if self.current is not None:
            self.post_message(self.Change(self.current))

    def action_switch(self) -> None:
        if self.persona is not None:
            self.post_message(self.Switch(self.persona))

    def action_warm(self, step: int) -> None:
        if (persona := self.persona) is not None:
            wanted = persona.temperature + (WARMER if step > 0 else COOLER)
            self.post_message(self.Warm(persona, round(max(0.0, min(wanted, HOTTEST)), 1)))


def _rows(house: ModelHouse) -> Iterator[Row[Thing]]:
    if not house.model:
        for number, text in enumerate(HOW_TO):
            yield words_row(f"how {number}", text)
    yield heading("What narrates")
    yield Row("model", partial(_setting, "Model", house.model or "none", STATES[house.state]), "model")
    address = house.api_base or "the provider's own"
    yield Row("address", partial(_setting, "Address", address, ("", Ink.MUTED)), "address")
    missing = house.key.startswith("missing")
    key_state = ("⚠ needed before it can speak", Ink.WARN) if missing else ("", Ink.MUTED)
    yield Row("key", partial(_setting, "Key", house.key or "not needed", key_state), "key")
    others = ", ".join(house.fallbacks) or "none: if it does not answer, you are asked"
    yield Row("fallbacks", partial(_setting, "Fall-backs", others, ("", Ink.MUTED)), "fallbacks")
    if house.trouble:
        yield words_row("trouble", one_line(f"✗ {house.trouble}"), ink=Ink.BAD)
    yield heading("Who speaks through it; each that is on costs a call")
    for persona in house.personas:
        yield Row(f"persona {persona.persona}", partial(_persona, persona, house.model), persona)
    yield heading("Where this is kept")
    yield words_row("file", f"{house.file}; a key never, it stays in your keyring or environment.")
    if house.from_environment:
        names = ", ".join(house.from_environment)
        yield words_row("environment", f"The environment decides over it: {names}.", ink=Ink.WARN)


def _setting(name: str, value: str, state: Piece, width: int) -> Sequence[Line]:
    told, ink = state
    room = max(8, width - 2 - NAME_CELLS)
    first, *rest = wrap(f"{one_line(value)}", room)
    lines: list[Line] = [[("  ", Ink.PROSE), (pad(name, NAME_CELLS), Ink.STRONG), (first, Ink.PROSE)]]
    lines += [[(" " * (2 + NAME_CELLS), Ink.PROSE), (line, Ink.PROSE)] for line in rest]
    if told:
        lines.append([(" " * (2 + NAME_CELLS), Ink.PROSE), (ellipsise(told, room), ink)])
    return lines


def _persona(persona: PersonaView, default: str, width: int) -> Sequence[Line]:
    sign, ink = ("✓ on ", Ink.GOOD) if persona.on else ("– off", Ink.MUTED)
    model = persona.own_model or ("the default" if default else "no model yet")
    does = max(10, width - 2 - NAME_CELLS - 7 - 14)
    indent = (" " * (2 + NAME_CELLS + 7), Ink.PROSE)
    words = wrap(one_line(persona.does), does)
    lines: list[Line] = [
        [
            ("  ", Ink.PROSE),
            (pad(persona.persona.value, NAME_CELLS), Ink.STRONG if persona.on else Ink.MUTED),
            (f"{sign}  ", ink),
            (pad(words[0], does), Ink.PROSE if persona.on else Ink.MUTED),
            (f" warmth {persona.temperature:.1f}", Ink.MUTED),
        ]
    ]
    lines += [[indent, (line, Ink.PROSE if persona.on else Ink.MUTED)] for line in words[1:]]
    if persona.own_model:
        lines.append([indent, (ellipsise(f"by {model}", does), Ink.NPC)])
    if persona.needs and default:
        lines += [[indent, (line, Ink.WARN)] for line in wrap(f"⚠ {one_line(persona.needs)}", does)]
    return lines
