"""The pages of story set-up: lists to pick from, and forms that read themselves into what the desk takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from agents.story_outline import NewUniverse, StoryOutline
from screens.fields import Choice, Field, Form, Picker
from stores.errors import InputError
from stores.records.play import Critical, DiceBy, StoryMode, TensionMode
from widgets.safe_text import one_line, plain

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea


@dataclass(frozen=True, slots=True)
class Row:
    """One thing to pick: what it is called, what kind it is, and what is known of it."""

    id: str
    name: str
    kind: str = ""
    about: str = ""


class PickPage(Vertical):
    """A question, a list of answers, and a word on the highlighted one."""

    @dataclass
    class Picked(Message):
        page: PickPage
        row_id: str

    def __init__(self, heading: str, id: str) -> None:
        super().__init__(id=id, classes="page")
        self._heading = heading
        self._rows: dict[str, Row] = {}

    def compose(self) -> ComposeResult:
        yield Static(self._heading, classes="heading", markup=False)
        yield Picker(markup=False)
        yield Static(classes="about", markup=False)

    def show(self, rows: Iterable[Row], *, first: str = "") -> None:
        """Offer these; highlighted is the one that was before, or the one to begin with."""
        self._rows = {row.id: row for row in rows}
        picker = self.query_one(Picker)
        before = picker.highlighted_option.id if picker.highlighted_option else first
        picker.clear_options()
        picker.add_options(
            Option(Content.assemble((one_line(r.name), "bold"), (f"  {one_line(r.kind)}", "dim")), id=r.id)
            for r in self._rows.values()
        )
        picker.highlighted = list(self._rows).index(before) if before in self._rows else 0

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, message: OptionList.OptionHighlighted) -> None:
        message.stop()
        self.query_one(".about", Static).update(plain(self._rows[message.option_id or ""].about))

    @on(OptionList.OptionSelected)
    def _selected(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.post_message(self.Picked(self, message.option_id or ""))


class NewWorldPage(Form):
    """A universe to create."""

    def __init__(self) -> None:
        super().__init__(
            "A new world",
            (
                Field("Name", "world-name", hint="what the world is called"),
                Field("Genre", "world-genre", hint="coastal mystery, hard science fiction …"),
                Field("Tone", "world-tone", hint="grim, hopeful, dry …"),
                Field("Description", "world-text", hint="a line or two; the rest is found in play"),
            ),
            id="new-world",
        )

    def new_universe(self) -> NewUniverse:
        return NewUniverse(
            name=named(self["world-name"], "The world"),
            genre=self["world-genre"],
            tone=self["world-tone"],
            description=self["world-text"],
        )


class StoryPage(Form):
    """Title, theme, tone, lines and veils, and who decides."""

    def __init__(self) -> None:
        super().__init__(
            "What is it about?",
            (
                Field("Title", "title"),
                Field("Theme", "theme", hint="what the story turns on"),
                Field("Tone", "tone", hint="how it should feel"),
                Field("Limits", "limits", hint="what the story must keep to"),
                Field("Lines and veils", "veils", hint="what never happens, what happens off screen"),
                Choice(
                    "At the gate",
                    (
                        (StoryMode.COPILOT, "you decide what becomes true"),
                        (StoryMode.AUTOPILOT, "what is well supported becomes true by itself"),
                    ),
                    id="mode",
                ),
                Choice(
                    "Critical events",
                    (
                        (Critical.ASK, "a death or a discovery asks at once"),
                        (Critical.AUTO, "a death or a discovery is written at once"),
                    ),
                    id="critical",
                ),
                Choice(
                    "Dice",
                    (
                        (DiceBy.PROGRAM, "thrown for you; every face is shown"),
                        (DiceBy.PHYSICAL, "you throw your own, and type what fell"),
                    ),
                    id="dice",
                ),
                Choice(
                    "Tension",
                    (
                        (TensionMode.BEND, "high, it bends the odds: more happens"),
                        (TensionMode.EDGE, "high, answers go further; their odds stay"),
                    ),
                    id="tension",
                ),
            ),
            id="story",
        )

    def suggest(self, outline: StoryOutline) -> None:
        self["title"], self["theme"], self["tone"] = outline.title, outline.theme, outline.tone
        self["limits"], self["veils"] = outline.constraints, outline.lines_and_veils

    def fill(self, idea: StoryIdea) -> None:
        """Write down what the model thought of; what it left out stays as it is."""
        thought = {
            "title": idea.title,
            "theme": idea.theme,
            "tone": idea.tone,
            "limits": idea.constraints,
            "veils": idea.lines_and_veils,
        }
        for field, text in thought.items():
            self[field] = text or self[field]

    def outlined(self, outline: StoryOutline) -> StoryOutline:
        """Return `outline` with what is on this page."""
        return replace(
            outline,
            title=named(self["title"], "The story", "title"),
            theme=self["theme"],
            tone=self["tone"],
            constraints=self["limits"],
            lines_and_veils=self["veils"],
            mode=StoryMode(self["mode"]),
            critical=Critical(self["critical"]),
            dice=DiceBy(self["dice"]),
            tension_mode=TensionMode(self["tension"]),
        )


def named(text: str, what: str, part: str = "name") -> str:
    """Return the text. Raises InputError if there is none."""
    if not text:
        raise InputError(f"{what} needs a {part}.", todo=f"Type a {part}, then Enter.")
    return text
