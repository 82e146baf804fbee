"""The set-up of the model by row: default model, address, key, fallbacks, personas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.llm_views import LlmSetupView, PersonaView
from widgets.ink import Ink, Line, Piece
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap

LlmSetting = Literal["model", "address", "key", "fallbacks", "others"]
LlmSettingItem = LlmSetting | PersonaView

NAME_CELLS = 13
TEMPERATURE_UP, TEMPERATURE_DOWN = 0.1, -0.1
MAX_TEMPERATURE = 2.0

SETUP_STATES: dict[str, Piece] = {
    "off": ("– no model: you narrate yourself", Ink.MUTED),
    "starting": ("… starting", Ink.WARN),
    "ready": ("✓ ready", Ink.GOOD),
    "failed": ("✗ failed", Ink.BAD),
}

NO_MODEL_HELP = (
    "MONITOR plays without a model: you narrate with > and everything else works. To let a model narrate, "
    "run one on this machine or use a provider's.",
    "Here: install Ollama, run `ollama pull qwen2.5:7b`, then press Enter and type ollama/qwen2.5:7b. Any "
    "server that speaks OpenAI's protocol (llama.cpp, vLLM, LM Studio) is openai/NAME with its address, "
    "such as http://127.0.0.1:8080/v1.",
    "Elsewhere: type for example anthropic/claude-haiku-4-5 or openai/gpt-4o-mini, then Enter on Key. "
    "Budgets (b) limit the cost; F7 makes one small call and shows its speed and cost.",
)


class LlmSettingsList(RowList[LlmSettingItem]):
    """Settings first, then each persona."""

    HELP_TITLE: ClassVar[str] = "Model"
    HELP_TEXT: ClassVar[str] = (
        "Enter changes the row under the cursor; Space switches a persona on or off; + and - change its "
        "temperature (higher is freer). Each persona that is on costs a call a turn; with the Narrator alone "
        "a turn is one call."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Change", id="model.change", tooltip="Change this row"),
        Binding("space", "switch", "On/off", id="model.switch", tooltip="Switch the persona on or off"),
        Binding("plus", "warm(1)", "Temperature +", id="model.warmer", tooltip="Temperature up by 0.1"),
        Binding("minus", "warm(-1)", "Temperature -", id="model.cooler", tooltip="Temperature down by 0.1"),
    ]

    class SettingEdited(Message):
        """A setting, or the model of a persona, is to be changed."""

        def __init__(self, item: LlmSettingItem) -> None:
            super().__init__()
            self.item = item

    class PersonaSwitched(SettingEdited):
        """The persona is to be switched on or off."""

    class TemperatureSet(Message):
        """The persona is to have this temperature."""

        def __init__(self, persona: PersonaView, temperature: float) -> None:
            super().__init__()
            self.persona = persona
            self.temperature = temperature

    def show_setup(self, llm_setup: LlmSetupView) -> None:
        """Show how the model is set up; the cursor stays on its row."""
        self.set_rows(list(_setting_rows(llm_setup)))

    def row_highlighted(self, value: LlmSettingItem | None) -> None:
        self.refresh_bindings()

    @property
    def current_persona(self) -> PersonaView | None:
        """The persona that the cursor stands on."""
        return self.current if isinstance(self.current, PersonaView) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "switch" | "warm":
                return self.current_persona is not None
            case "change":
                return self.current is not None
        return super().check_action(action, parameters)

    def row_chosen(self, value: LlmSettingItem) -> None:
        self.action_change()

    def action_change(self) -> None:
        if self.current is not None:
            self.post_message(self.SettingEdited(self.current))

    def action_switch(self) -> None:
        if self.current_persona is not None:
            self.post_message(self.PersonaSwitched(self.current_persona))

    def action_warm(self, step: int) -> None:
        if (persona := self.current_persona) is not None:
            temperature = persona.temperature + (TEMPERATURE_UP if step > 0 else TEMPERATURE_DOWN)
            self.post_message(
                self.TemperatureSet(persona, round(max(0.0, min(temperature, MAX_TEMPERATURE)), 1))
            )


def _setting_rows(llm_setup: LlmSetupView) -> Iterator[ListRow[LlmSettingItem]]:
    if not llm_setup.model:
        for number, text in enumerate(NO_MODEL_HELP):
            yield text_row(f"how {number}", text)
    yield heading_row("The model that narrates")
    yield ListRow(
        "model",
        partial(_setting_lines, "Model", llm_setup.model or "none", SETUP_STATES[llm_setup.state]),
        "model",
    )
    address = llm_setup.api_base or "the provider's own"
    yield ListRow("address", partial(_setting_lines, "Address", address, ("", Ink.MUTED)), "address")
    is_key_missing = llm_setup.key.startswith("missing")
    key_state = ("⚠ needed before it can be used", Ink.WARN) if is_key_missing else ("", Ink.MUTED)
    yield ListRow("key", partial(_setting_lines, "Key", llm_setup.key or "not needed", key_state), "key")
    fallback_names = ", ".join(llm_setup.fallbacks) or "none: if it does not answer, you are asked"
    yield ListRow(
        "fallbacks", partial(_setting_lines, "Fall-backs", fallback_names, ("", Ink.MUTED)), "fallbacks"
    )
    other_names = ", ".join(llm_setup.others) or "none: Ctrl+R asks those above"
    yield ListRow("others", partial(_setting_lines, "For retakes", other_names, ("", Ink.MUTED)), "others")
    if llm_setup.trouble:
        yield text_row("trouble", one_line(f"✗ {llm_setup.trouble}"), ink=Ink.BAD)
    yield heading_row("Personas; each that is on costs a call a turn")
    for persona in llm_setup.personas:
        yield ListRow(
            f"persona {persona.persona}", partial(_persona_lines, persona, llm_setup.model), persona
        )
    yield heading_row("Where this is stored")
    yield text_row("file", f"{llm_setup.file}; keys stay in your keyring or environment.")
    if llm_setup.from_environment:
        names = ", ".join(llm_setup.from_environment)
        yield text_row("environment", f"The environment overrides it: {names}.", ink=Ink.WARN)


def _setting_lines(name: str, value: str, state: Piece, width: int) -> Sequence[Line]:
    state_text, ink = state
    room = max(8, width - 2 - NAME_CELLS)
    first, *rest = wrap(f"{one_line(value)}", room)
    lines: list[Line] = [[("  ", Ink.PROSE), (pad(name, NAME_CELLS), Ink.STRONG), (first, Ink.PROSE)]]
    lines += [[(" " * (2 + NAME_CELLS), Ink.PROSE), (line, Ink.PROSE)] for line in rest]
    if state_text:
        lines.append([(" " * (2 + NAME_CELLS), Ink.PROSE), (ellipsise(state_text, room), ink)])
    return lines


def _persona_lines(persona: PersonaView, default: str, width: int) -> Sequence[Line]:
    sign, ink = ("✓ on ", Ink.GOOD) if persona.on else ("– off", Ink.MUTED)
    model = persona.own_model or ("the default" if default else "no model yet")
    text_cells = max(10, width - 2 - NAME_CELLS - 7 - 14)
    indent = (" " * (2 + NAME_CELLS + 7), Ink.PROSE)
    description_lines = wrap(one_line(persona.does), text_cells)
    lines: list[Line] = [
        [
            ("  ", Ink.PROSE),
            (pad(persona.persona.value, NAME_CELLS), Ink.STRONG if persona.on else Ink.MUTED),
            (f"{sign}  ", ink),
            (pad(description_lines[0], text_cells), Ink.PROSE if persona.on else Ink.MUTED),
            (f" temp. {persona.temperature:.1f}", Ink.MUTED),
        ]
    ]
    lines += [[indent, (line, Ink.PROSE if persona.on else Ink.MUTED)] for line in description_lines[1:]]
    if persona.own_model:
        lines.append([indent, (ellipsise(f"by {model}", text_cells), Ink.NPC)])
    if persona.needs and default:
        lines += [[indent, (line, Ink.WARN)] for line in wrap(f"⚠ {one_line(persona.needs)}", text_cells)]
    return lines
