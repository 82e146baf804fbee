"""The main menu: the first frame. It needs no services; the app gives it a view once the library is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.routes import (
    ToBill,
    ToCharacters,
    ToCharts,
    ToHelp,
    ToLlmSetup,
    ToQuery,
    ToSetup,
    ToSources,
    ToStories,
    ToStory,
    ToSystem,
    ToUniverse,
    Visit,
)
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.views.menu_views import MenuView, StoryCard
    from stores.records.ids import Id
    from stores.records.play import Scene

OPENING_LIBRARY = "Opening the library …"
OPENING_DEMO = "Opening the bundled world …"

MENU_MODES = (
    ("start", "1", "Start a story", "a hero, a world, a first scene"),
    ("stories", "2", "Continue", "pick up a story where you left it"),
    ("universe", "3", "Universe", "what is true, and why"),
    ("characters", "4", "Characters", "sheets, memories beside the truth, history"),
    ("ingest", "5", "Ingest", "read in rulebooks, settings, novels, notes"),
    ("query", "6", "Query", "ask what is canon, believed or unknown"),
    ("system", "7", "System", "storage, background work, failed jobs"),
    ("model", "M", "Model", "who narrates: you or a model; what it costs"),
    ("settings", ",", "Settings", "theme, keys, budgets, folders"),
    ("help", "?", "Help", "keys, commands, a ten-minute tour"),
    ("quit", "q", "Quit", "everything is saved"),
)

_ACTIONS_THAT_LEAD_ON = frozenset(
    {id for id, *_ in MENU_MODES} - {"settings", "help", "quit"} | {"bill", "charts"}
)


class MenuScreen(Screen[None]):
    """The modes, the story to continue, and the state of the library."""

    CSS_PATH = SCREENS_FOLDER / "system/menu_screen.tcss"
    AUTO_FOCUS = "#modes"
    BINDING_GROUP_TITLE = "Main menu"
    BINDINGS = [
        Binding("1", "start", "Start", id="menu.start", tooltip="Start a new story"),
        Binding("2", "stories", "Continue", id="menu.stories", tooltip="Choose a story to continue"),
        Binding("3", "universe", "Universe", id="menu.universe", tooltip="Browse what is true, and why"),
        Binding(
            "4", "characters", "Characters", id="menu.characters", tooltip="The characters of your worlds"
        ),
        Binding(
            "5", "ingest", "Ingest", id="menu.ingest", tooltip="Read in documents, and review what they say"
        ),
        Binding("6", "query", "Query", id="menu.query", tooltip="Ask what is true, and why"),
        Binding("7", "system", "System", id="menu.system", tooltip="Storage and background work"),
        Binding("M", "model", "Model", id="menu.model", tooltip="Set up the model that narrates, or none"),
        Binding("b", "bill", "Bill", id="menu.bill", tooltip="What the model has cost, and budgets"),
        Binding(
            "percent_sign",
            "charts",
            "Charts",
            id="menu.charts",
            tooltip="Tension, dice, costs and the gate in charts",
            key_display="%",
            show=False,
        ),
        Binding("q", "app.quit", "Quit", id="menu.quit", tooltip="Leave MONITOR; everything is saved"),
    ]

    @dataclass
    class MenuLoaded(Message):
        """The library is open, or was read again."""

        view: MenuView

    @dataclass
    class NoteReceived(Message):
        """A note to show while the menu is in front."""

        text: str

    def __init__(self, opening_text: str = OPENING_LIBRARY) -> None:
        """`opening_text` is shown until the menu is filled."""
        super().__init__()
        self._opening_text = opening_text
        self.view: MenuView | None = None
        self._is_enter_waiting = False
        """Whether Enter was pressed on the first row before the library was open."""

    def compose(self) -> ComposeResult:
        with Vertical(id="page"):
            yield Static("M O N I T O R", id="name", markup=False)
            yield Static("A world that stays true while you play.", id="promise", markup=False)
            yield OptionList(*_mode_options(), id="modes", markup=False)
            yield Static(self._opening_text, id="library", markup=False)
            yield Static("", id="notes", markup=False)
        yield KeyBar()

    @on(MenuLoaded)
    def _show_menu(self, message: MenuLoaded) -> None:
        if message.view == self.view:
            return
        modes = self.query_one("#modes", OptionList)
        chosen_id = self._find_chosen_id(modes)
        view = self.view = message.view
        modes.clear_options()
        modes.border_title = "Continue" if view.resume_story else ""
        if view.resume_story:
            modes.add_options([Option(_resume_card(view.resume_story), id="resume"), None])
        modes.add_options(_mode_options(view))
        modes.highlighted = modes.get_option_index(chosen_id) if chosen_id else 0
        self.query_one("#library", Static).update(_health_line(view))
        notes = self.query_one("#notes", Static)
        notes.update("\n".join(view.notes) or _first_steps_hint(view))
        if self._is_enter_waiting:
            self._is_enter_waiting = False
            modes.action_select()

    def _find_chosen_id(self, modes: OptionList) -> str | None:
        """Return the mode that the cursor was moved to; None for the first row, whatever it is."""
        return modes.get_option_at_index(modes.highlighted).id if modes.highlighted else None

    def leads_on(self, key: str) -> bool:
        """Return whether a key leads to another screen, so that the keys after it are meant for that."""
        modes = self.query("#modes").first(OptionList)
        if key == "enter" and modes.has_focus and modes.highlighted is not None:
            return (
                self.resumes_on(key)
                or modes.get_option_at_index(modes.highlighted).id in _ACTIONS_THAT_LEAD_ON
            )
        binding = self.active_bindings.get(key)
        return (
            binding is not None and binding.node is self and binding.binding.action in _ACTIONS_THAT_LEAD_ON
        )

    def resumes_on(self, key: str) -> bool:
        """Return whether a key goes on with a story, so that the keys after it are meant for the scene."""
        modes = self.query("#modes").first(OptionList)
        if key != "enter" or not modes.has_focus or modes.highlighted is None:
            return False
        is_first_row = modes.highlighted == 0
        return is_first_row and (self.view is None or self.view.resume_story is not None)

    @on(NoteReceived)
    def _show_note(self, message: NoteReceived) -> None:
        self.query_one("#notes", Static).update(Content(message.text))

    @on(OptionList.OptionSelected)
    async def _open_mode(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        if self.view is None and message.option_index == 0:
            # The first row is to go on with a story, if there is one: Enter means the same before that is known.
            self._is_enter_waiting = True
        elif message.option_id == "resume":
            self.action_resume()
        elif message.option_id in ("settings", "help", "quit"):
            await self.run_action(f"app.{message.option_id}")
        elif message.option_id:
            await self.run_action(f"screen.{message.option_id}")

    def action_resume(self) -> None:
        if self.view and self.view.resume_story:
            self.post_message(Visit(ToStory(self.view.resume_story.story.id)))

    @property
    def _universe_id(self) -> Id | None:
        """The world of the story that is offered to go on with."""
        return self.view.resume_story.story.universe_id if self.view and self.view.resume_story else None

    def action_start(self) -> None:
        self.post_message(Visit(ToSetup()))

    def action_stories(self) -> None:
        self.post_message(Visit(ToStories()))

    def action_universe(self) -> None:
        self.post_message(Visit(ToUniverse(self._universe_id)))

    def action_characters(self) -> None:
        self.post_message(Visit(ToCharacters(self._universe_id)))

    def action_ingest(self) -> None:
        self.post_message(Visit(ToSources(self._universe_id)))

    def action_query(self) -> None:
        self.post_message(Visit(ToQuery(self._universe_id)))

    def action_system(self) -> None:
        self.post_message(Visit(ToSystem()))

    def action_model(self) -> None:
        self.post_message(Visit(ToLlmSetup()))

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_charts(self) -> None:
        self.post_message(Visit(ToCharts()))

    def action_help(self) -> None:
        self.post_message(Visit(ToHelp()))


def _mode_options(view: MenuView | None = None) -> list[Option]:
    """Return the modes as rows; with a view, they say what there is."""
    hint_by_mode = (
        {
            "stories": _count_text(view.story_count, "story", "stories"),
            "universe": _canon_counts(view),
            "ingest": _ingest_state(view),
        }
        if view
        else {}
    )
    return [
        Option(
            Content.assemble(
                (f" {key} ", "bold $accent"), (f" {title:<15}", "bold"), (hint_by_mode.get(id) or hint, "dim")
            ),
            id=id,
        )
        for id, key, title, hint in MENU_MODES
    ]


def _ingest_state(view: MenuView) -> str:
    """Return what waits for a review, and that something is read; empty if neither."""
    waiting = f"{view.review_count:,} to review" if view.review_count else ""
    return " · ".join(filter(None, (waiting, "a document is being read" if view.is_reading else "")))


def _resume_card(card: StoryCard) -> Content:
    """Return a few lines: the story, its scene, the recap, and the last words."""
    position_parts = [_scene_label(card.scene)] if card.scene else []
    position_parts.append(_count_text(card.turn_count, "turn", "turns"))
    if card.scene_state == "finalizing":
        position_parts.append("at the canon gate")
    return Content.assemble(
        (" ⏎ ", "bold $accent"),
        (f" {one_line(card.story.title)}", "bold"),
        (f"  {one_line(card.universe.name)}", "dim"),
        f"\n    {' · '.join(filter(None, position_parts))}",
        *((f"\n    {one_line(line)}", "dim") for line in card.previously_lines),
        (f"\n    “{one_line(card.last_line)}”" if card.last_line else "", "italic"),
    )


def _scene_label(scene: Scene) -> str:
    """Return the title of a scene, or its number if it has none yet."""
    number = f"scene {scene.order}"
    title = one_line(scene.title)
    return number if title.casefold() == number else f"{number} “{title}”"


def _health_line(view: MenuView) -> Content:
    """Return one line on the state of the stores; only trouble is named."""
    problems = [f"{name}: {state}" for name, state in view.health if state not in ("ok", "ready", "open")]
    if problems:
        return Content.assemble(("! ", "$text-warning"), "  ".join(problems), ("  7 has the details", "dim"))
    return Content.assemble(("✓ ", "$text-success"), ("storage OK", "dim"))


def _first_steps_hint(view: MenuView) -> str:
    if view.story_count:
        return ""
    return (
        "New here? F10 is a tour of five minutes. Press 1, then Enter: the sample world is ready to play in."
    )


def _canon_counts(view: MenuView) -> str:
    counts = (
        _count_text(view.universe_count, "universe", "universes"),
        _count_text(view.fact_count, "fact on record", "facts on record"),
    )
    return ", ".join(filter(None, counts)) if view.universe_count else ""


def _count_text(number: int, one: str, many: str) -> str:
    return "" if number == 0 else f"{number:,} {one if number == 1 else many}"
