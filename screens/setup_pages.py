"""The pages of story set-up: lists to pick from, and forms that read themselves into what the desk takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from agents.desk import NewUniverse, StoryOutline
from screens.fields import Choice, Entry, Field, Form, Picker
from screens.outline import place_from
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import Critical, DiceBy, StoryMode, TensionMode
from stores.records.world import Entity
from widgets.safe_text import one_line, plain


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


class Cast(Picker):
    """Who is there when the scene opens. Space brings one in or takes one out; Enter begins the story."""

    BINDINGS = [
        Binding("enter", "screen.next", "Begin", id="cast.next", tooltip="Begin the story", key_display="⏎"),
        Binding(
            "space", "in_or_out", "In or out", id="cast.toggle", tooltip="Bring this one in, or take them out"
        ),
    ]

    def __init__(self) -> None:
        super().__init__(id="cast", markup=False, compact=True)
        self._people: dict[Id, str] = {}
        self._there: set[Id] = set()

    @property
    def there(self) -> tuple[Id, ...]:
        """Who is there, in the order shown."""
        return tuple(id for id in self._people if id in self._there)

    def offer(self, people: Iterable[Entity], there: Iterable[Id]) -> None:
        """Show these people, of whom some are there already."""
        self._people = {person.id: one_line(person.name) for person in people}
        self._there = set(there) & self._people.keys()
        self.clear_options()
        self.add_options(Option(self._row(id), id=id) for id in self._people)
        self.highlighted = 0 if self._people else None

    def _row(self, id: Id) -> Content:
        sign, style = ("✓ ", "$text-success") if id in self._there else ("· ", "$text-muted")
        return Content.assemble((sign, style), (self._people[id], "" if id in self._there else style))

    def action_in_or_out(self) -> None:
        option = self.highlighted_option
        if option is not None and option.id is not None:
            self._there ^= {option.id}
            self.replace_option_prompt(option.id, self._row(option.id))


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


class OpeningPage(Form):
    """The first scene: title, goal, place, cast."""

    def __init__(self) -> None:
        super().__init__(
            "How does it open?",
            (
                Field("Scene", "scene-title"),
                Field("Goal", "scene-goal", hint="what would end the scene"),
                Field("Place", "place", hint="one that is known, or a new one"),
                Static("Also there", classes="label", id="cast-label", markup=False),
                Cast(),
            ),
            id="opening",
        )
        self._places: Sequence[Entity] = ()

    def suggest(self, outline: StoryOutline, characters: Sequence[Entity], places: Sequence[Entity]) -> None:
        self._places = places
        names = {p.id: p.name for p in places}
        self["scene-title"], self["scene-goal"] = outline.scene_title, outline.scene_goal
        self["place"] = names.get(outline.place or "", "")
        self.query_one("#place", Entry).suggester = SuggestFromList(names.values(), case_sensitive=False)
        cast = self.query_one(Cast)
        others = [c for c in characters if c.id != outline.pc]
        cast.offer(others, outline.cast)
        cast.display = self.query_one("#cast-label").display = bool(others)

    def outlined(self, outline: StoryOutline) -> StoryOutline:
        """Return `outline` with what is on this page."""
        return replace(
            outline,
            scene_title=named(self["scene-title"], "The scene", "title"),
            scene_goal=self["scene-goal"],
            place=place_from(self["place"], self._places),
            cast=self.query_one(Cast).there,
        )


def named(text: str, what: str, part: str = "name") -> str:
    """Return the text. Raises InputError if there is none."""
    if not text:
        raise InputError(f"{what} needs a {part}.", todo=f"Type a {part}, then Enter.")
    return text
