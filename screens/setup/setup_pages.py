"""The pages of story set-up: lists to pick from, and forms that fill a `StoryOutline`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from agents.sanitize import require_title
from agents.story_outline import NewUniverse, StoryOutline, read_style
from screens.dialogs.form_fields import ChoiceField, Field, FormPage, Picker
from stores.errors import InputError, parse_field
from stores.records.play import CriticalCommitMode, DiceRoller, StoryMode, TensionMode
from widgets.safe_text import one_line, plain_text

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea

NEW_ROW_ID = "new"
"""The row of something that does not exist yet."""


@dataclass(frozen=True, slots=True)
class PickRow:
    """A row to pick: its name, its kind, and what is known of it."""

    id: str
    name: str
    kind: str = ""
    description: str = ""


class PickPage(Vertical):
    """A question, a list of answers, and a description of the highlighted one."""

    @dataclass
    class RowPicked(Message):
        page: PickPage
        row_id: str

    @dataclass
    class NameTyped(Message):
        """A name of something new is typed, which is for a form that has a line for it."""

        page: PickPage
        character: str

    def __init__(self, heading: str, id: str) -> None:
        super().__init__(id=id, classes="page")
        self._heading = heading
        self._rows: dict[str, PickRow] = {}
        self._is_name_begun = False

    def compose(self) -> ComposeResult:
        yield Static(self._heading, classes="heading", markup=False)
        yield Picker(markup=False)
        yield Static(classes="about", markup=False)

    def show_rows(self, rows: Iterable[PickRow], *, first_id: str = "") -> None:
        """Show these rows; the cursor stays on its row, or begins at the given one."""
        self._rows = {row.id: row for row in rows}
        picker = self.query_one(Picker)
        selected_id = picker.highlighted_option.id if picker.highlighted_option else first_id
        picker.clear_options()
        picker.add_options(
            Option(Content.assemble((one_line(r.name), "bold"), (f"  {one_line(r.kind)}", "dim")), id=r.id)
            for r in self._rows.values()
        )
        picker.highlighted = list(self._rows).index(selected_id) if selected_id in self._rows else 0

    @on(OptionList.OptionHighlighted)
    def _show_description(self, message: OptionList.OptionHighlighted) -> None:
        message.stop()
        self.query_one(".about", Static).update(plain_text(self._rows[message.option_id or ""].description))

    @on(OptionList.OptionSelected)
    def _row_selected(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.post_message(self.RowPicked(self, message.option_id or ""))

    def on_descendant_focus(self) -> None:
        self._is_name_begun = False

    def on_key(self, event: Key) -> None:
        """Begin a name, where a row says to name something new; keys that do something here still do."""
        if event.character is None or not event.is_printable or NEW_ROW_ID not in self._rows:
            return
        begins_name = not (event.character.isspace() or event.key in self.screen.active_bindings)
        if self._is_name_begun or begins_name:
            # The rest of the name comes here, too, until its form has the focus.
            self._is_name_begun = True
            event.stop()
            self.post_message(self.NameTyped(self, event.character))


class NewWorldPage(FormPage):
    """A universe to create."""

    def __init__(self) -> None:
        super().__init__(
            "A new world",
            (
                Field("Name", "world-name", hint="what the world is called"),
                Field("Genre", "world-genre", hint="coastal mystery, hard science fiction …"),
                Field("Tone", "world-tone", hint="grim, hopeful, dry …"),
                Field("Description", "world-text", hint="a line or two; the rest comes up in play"),
            ),
            id="new-world",
        )

    def read_universe(self, taken_names: Iterable[str]) -> NewUniverse:
        """Return the universe that is typed. Raises InputError for a name that is missing, too long or taken."""
        name = parse_field("world-name", require_text, self["world-name"], "The world")
        if name.casefold() in map(str.casefold, taken_names):
            raise InputError(
                f"There is a universe called {name} already.",
                todo="Choose another name.",
                field="world-name",
            )
        return NewUniverse(
            name=name,
            genre=self["world-genre"],
            tone=self["world-tone"],
            description=self["world-text"],
        )


class StoryPage(FormPage):
    """Title, theme, tone, lines and veils, how it is narrated, and who decides."""

    def __init__(self) -> None:
        super().__init__(
            "What is it about?",
            (
                Field("Title", "title"),
                Field("Theme", "theme", hint="what the story turns on"),
                Field("Tone", "tone", hint="how it should feel"),
                Field("Limits", "limits", hint="what the story keeps to"),
                Field("Lines and veils", "veils", hint="what never happens, what happens off screen"),
                Field("Style", "style", hint="how it is narrated: length, tense, person, wishes"),
                ChoiceField(
                    "At the gate",
                    (
                        (StoryMode.COPILOT, "you decide what becomes true"),
                        (StoryMode.AUTOPILOT, "what has good evidence becomes true by itself"),
                    ),
                    id="mode",
                ),
                ChoiceField(
                    "Critical events",
                    (
                        (CriticalCommitMode.ASK, "in copilot, a death or discovery asks at once"),
                        (CriticalCommitMode.AUTO, "a death or a discovery is written at once"),
                    ),
                    id="critical",
                ),
                ChoiceField(
                    "Dice",
                    (
                        (DiceRoller.PROGRAM, "rolled for you; every face is shown"),
                        (DiceRoller.PHYSICAL, "you roll your own and type the result"),
                    ),
                    id="dice",
                ),
                ChoiceField(
                    "Tension",
                    (
                        (TensionMode.BEND, "high tension changes the odds: more happens"),
                        (TensionMode.EDGE, "high tension makes answers stronger; the odds stay"),
                    ),
                    id="tension",
                ),
            ),
            id="story",
        )

    def fill_from_outline(self, outline: StoryOutline) -> None:
        """Suggest the outline; what was typed stays."""
        text_by_field = {
            "title": outline.title,
            "theme": outline.theme,
            "tone": outline.tone,
            "limits": outline.constraints,
            "veils": outline.lines_and_veils,
            "style": outline.style,
        }
        for field, text in text_by_field.items():
            self.suggest(field, text)

    def fill_from_idea(self, idea: StoryIdea) -> None:
        """Fill in the model's idea; what it left out stays as it is."""
        text_by_field = {
            "title": idea.title,
            "theme": idea.theme,
            "tone": idea.tone,
            "limits": idea.constraints,
            "veils": idea.lines_and_veils,
        }
        for field, text in text_by_field.items():
            self.fill(field, text or self[field])

    def read_into_outline(self, outline: StoryOutline) -> StoryOutline:
        """Return `outline` with what is on this page."""
        return replace(
            outline,
            title=parse_field("title", require_text, self["title"], "The story", "title"),
            theme=self["theme"],
            tone=self["tone"],
            constraints=self["limits"],
            lines_and_veils=self["veils"],
            style=parse_field("style", read_style, self["style"]),
            mode=StoryMode(self["mode"]),
            critical=CriticalCommitMode(self["critical"]),
            dice=DiceRoller(self["dice"]),
            tension_mode=TensionMode(self["tension"]),
        )


def require_text(text: str, subject: str, part: str = "name") -> str:
    """Return the text as a title. Raises InputError if there is none, or too much."""
    if not text:
        raise InputError(f"{subject} needs a {part}.", todo=f"Type a {part}, then Enter.")
    return require_title(text, f"{subject} needs a {part}.")
