"""Help: a ten-minute tour, the keys of this screen and of the others, and the commands.

Only the tour is written here: keys come from bindings, texts from the widgets and the services.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Static

from agents.views.replies import CommandTopic
from screens.base import ServiceScreen
from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from widgets.helpable import Helpable
from widgets.safe_text import content, one_line, pad, wrap

TOUR = (
    ("Begin", "On the menu press 1, then Enter five times: world, rules, hero, story, first scene."),
    (
        "Play",
        "Type what your hero does and press Enter. A line that begins with > is the GM narrating.",
    ),
    (
        "Roll",
        "? likely: Is it locked asks the oracle, /check tries something. The dice fall before the prose.",
    ),
    ("Propose", "What the story changes in the world shows up as proposals. F2 goes there."),
    (
        "Undo",
        "Ctrl+Z undoes the last command, decision or line (a > line is one, too) with all it proposed; Ctrl+Y redoes "
        "it. Nothing is erased.",
    ),
    ("Decide", "/end takes the scene to the canon gate: a accepts, r rejects, e edits, Enter commits."),
    (
        "Resolve",
        "There, C resolves a conflict: it shows both sides and what each way to resolve it would do. You are "
        "not asked about the same two again. P sets gate rules for what you always decide alike; u undoes "
        "a decision, and proposes to retract what is in canon.",
    ),
    (
        "Narrate",
        "M on the menu sets up a model, if you want one: it narrates, bound by dice and canon. Esc stops it "
        "and keeps what came, Ctrl+R narrates again, F7 narrates on, F6 shows why it said that.",
    ),
    (
        "Look",
        "On the menu press 3: what is true now, and with Enter the evidence for a fact. In the transcript, "
        "x shows what a turn made true.",
    ),
    (
        "Ask",
        "F8 in play, or 6 on the menu: Who has NAME? The answer says how far to rely on it, and Enter leads "
        "to the evidence. 4 shows what each character remembers, beside what is true.",
    ),
    (
        "Correct",
        "On 3, e edits, n adds, R retcons, m merges, L protects from changes: each waits at the gate, g. "
        "h and t show how it was before, p the promises, debts and questions.",
    ),
    (
        "Read in",
        "On the menu press 5, then n: a rulebook, a setting, your notes. What it says waits in its review, which Enter "
        "opens, and is true only after you accept it.",
    ),
)
HELP_SCREENS = (
    ("screens.system.menu_screen", "MenuScreen"),
    ("screens.setup.setup_screen", "SetupScreen"),
    ("screens.setup.stories_screen", "StoriesScreen"),
    ("screens.play.scene_screen", "SceneScreen"),
    ("screens.gate.gate_screen", "GateScreen"),
    ("screens.gate.conflict_screen", "ConflictScreen"),
    ("screens.gate.policy_screen", "PolicyScreen"),
    ("screens.gate.predicates_screen", "PredicatesScreen"),
    ("screens.world.universe_screen", "UniverseScreen"),
    ("screens.characters.characters_screen", "CharactersScreen"),
    ("screens.ingest.sources_screen", "SourcesScreen"),
    ("screens.ingest.document_screen", "DocumentScreen"),
    ("screens.ingest.review_screen", "ReviewScreen"),
    ("screens.ingest.page_screen", "PageScreen"),
    ("screens.query.query_screen", "QueryScreen"),
    ("screens.world.picture_screen", "PictureScreen"),
    ("screens.world.retcon_screen", "RetconScreen"),
    ("screens.world.lookalikes_screen", "LookalikesScreen"),
    ("screens.world.merge_screen", "MergeScreen"),
    ("screens.world.fact_history_screen", "FactHistoryScreen"),
    ("screens.world.moment_screen", "MomentScreen"),
    ("screens.world.lanes_screen", "LanesScreen"),
    ("screens.world.timeline_screen", "TimelineScreen"),
    ("screens.world.relation_map_screen", "RelationMapScreen"),
    ("screens.world.grid_map_screen", "GridMapScreen"),
    ("screens.world.relations_screen", "RelationsScreen"),
    ("screens.world.charts_screen", "ChartsScreen"),
    ("screens.world.commitments_screen", "CommitmentsScreen"),
    ("screens.world.removed_canon_screen", "RemovedCanonScreen"),
    ("screens.play.reading_screen", "ReadingScreen"),
    ("screens.llm.xray_screen", "XrayScreen"),
    ("screens.llm.bill_screen", "BillScreen"),
    ("screens.llm.llm_setup_screen", "LlmSetupScreen"),
    ("screens.llm.prompts_screen", "PromptsScreen"),
    ("screens.llm.prompt_edit_screen", "PromptEditScreen"),
    ("screens.world.tables_screen", "TablesScreen"),
    ("screens.world.tables_screen", "TableEditScreen"),
    ("screens.system.settings_screen", "SettingsScreen"),
)
"""The screens in the order in which a user meets them."""
OWN_MODULE_PREFIXES = ("screens.", "widgets.", "monitor_tui.")
NAME_COLUMN_CELLS = 14


class HelpEntry(NamedTuple):
    """A line of help: a name in the left column with words beside it, or a heading with words under it."""

    name: str
    text: str = ""
    is_heading: bool = False


class HelpSection(Static):
    """One part of the page, laid out anew for each width."""

    def __init__(
        self, heading: str, entries: Iterator[HelpEntry], id: str, *, name_cells: int = NAME_COLUMN_CELLS
    ) -> None:
        super().__init__(id=id, markup=False)
        self._name_cells = name_cells
        self._heading = heading
        self._entries = list(entries)

    def on_resize(self) -> None:
        self.update(Content("\n").join(self._lines(self.content_size.width)))

    def _lines(self, width: int) -> Iterator[Content]:
        yield content(self._heading, "bold $text-accent")
        for entry in self._entries:
            if entry.is_heading:
                yield Content("")
                yield content(entry.name, "bold")
                yield from (
                    content(line, "$text-muted") for line in (wrap(entry.text, width) if entry.text else ())
                )
                continue
            # A name too long for its column stands on a line of its own.
            name, text_lines = one_line(entry.name), wrap(entry.text, max(20, width - self._name_cells))
            if cell_len(name) >= self._name_cells:
                yield content(name, "$text-primary")
            else:
                yield Content.assemble((pad(name, self._name_cells), "$text-primary"), text_lines.pop(0))
            yield from (content(" " * self._name_cells + line) for line in text_lines)


class HelpScreen(ServiceScreen[None]):
    """One page to scroll, with a key for each part of it."""

    CSS_PATH = SCREENS_FOLDER / "system/help_screen.tcss"
    AUTO_FOCUS = "#page"
    BINDING_GROUP_TITLE = "Help"
    BINDINGS = [
        Binding("1", "part('tour')", "Tour", id="help.tour", tooltip="The ten-minute tour"),
        Binding(
            "2", "part('here')", "Keys here", id="help.here", tooltip="Keys on the screen before this one"
        ),
        Binding("3", "part('commands')", "Commands", id="help.commands", tooltip="The slash commands"),
        Binding("4", "part('others')", "Other keys", id="help.others", tooltip="Keys of the other screens"),
        Binding(
            "escape,q,question_mark,f1", "back", "Back", id="help.back", tooltip="Back to where you were"
        ),
    ]

    @property
    def _opened_over(self) -> Screen[object]:
        """The screen whose keys are explained."""
        return self.app.screen_stack[-2]

    def compose(self) -> ComposeResult:
        yield TitleBar("Help")
        with VerticalScroll(id="page"):
            yield HelpSection("Ten-minute tour", (HelpEntry(*stop) for stop in TOUR), "tour")
            place = "in this dialog" if isinstance(self._opened_over, Dialog) else "on this screen"
            yield HelpSection(f"Keys {place}", self._keys_here(), "here")
            yield HelpSection("Commands", self._command_entries(), "commands", name_cells=4)
            yield HelpSection("Keys of the other screens", self._keys_elsewhere(), "others")
        yield KeyBar()

    def _command_entries(self) -> Iterator[HelpEntry]:
        """Return the slash commands under their topics."""
        commands = self.services.play.commands()
        for topic in CommandTopic:
            yield HelpEntry(topic.value, is_heading=True)
            yield from (HelpEntry(c.usage, c.summary) for c in commands if c.topic is topic)

    def _keys_here(self) -> Iterator[HelpEntry]:
        """Return the keys of the screen below, and of each of its widgets that explains itself."""
        entries = list(_screen_key_entries(self.app, type(self._opened_over)))
        # Where a line is typed, a letter is a letter.
        letters = [e for e in entries if self._opened_over.query("TextArea") and _is_of_letters(e)]
        yield from (entry for entry in entries if entry not in letters)
        if letters:
            yield HelpEntry("Outside of the prompt", "Shift+Tab goes there.", is_heading=True)
            yield from letters
        explained_types: set[type] = set()
        for widget in self._opened_over.query("*"):
            if isinstance(widget, Helpable) and type(widget) not in explained_types:
                explained_types.add(type(widget))
                yield HelpEntry(widget.HELP_TITLE, widget.HELP_TEXT, is_heading=True)
                yield from _key_entries(self.app, type(widget))
        if isinstance(self._opened_over, Dialog):
            beneath = next(s for s in reversed(self.app.screen_stack[:-2]) if not isinstance(s, Dialog))
            yield HelpEntry(
                beneath.BINDING_GROUP_TITLE or "The screen beneath",
                "The screen beneath: its keys work again after Esc, Esc.",
                is_heading=True,
            )
            yield from _screen_key_entries(self.app, type(beneath))
        yield HelpEntry("Everywhere", is_heading=True)
        yield from _key_entries(self.app, type(self.app))

    def _keys_elsewhere(self) -> Iterator[HelpEntry]:
        for module, name in HELP_SCREENS:
            screen = getattr(importlib.import_module(module), name)
            if not isinstance(self._opened_over, screen):
                yield HelpEntry(screen.BINDING_GROUP_TITLE, is_heading=True)
                yield from _screen_key_entries(self.app, screen)

    def on_mount(self) -> None:
        if isinstance(self._opened_over, Dialog):  # what a dialog wants is known: its keys are asked for
            self.call_after_refresh(self.action_part, "here")

    def action_part(self, name: str) -> None:
        self.query_one("#page").scroll_to_widget(self.query_one(f"#{name}"), top=True, animate=False)

    def action_back(self) -> None:
        self.post_message(Visit(Back(self)))


def _screen_key_entries(app: App[object], screen: type[Screen[object]]) -> Iterator[HelpEntry]:
    """Yield an entry for each key that works anywhere on the screen.

    A key that does the same in two places of it stands once.
    """
    panels = screen.PANELS if issubclass(screen, ServiceScreen) else ()
    yield from dict.fromkeys(entry for owner in (screen, *panels) for entry in _key_entries(app, owner))


def _is_of_letters(entry: HelpEntry) -> bool:
    """Say whether the keys of an entry are characters that may be typed."""
    return all(len(key) == 1 and key.isascii() for key in entry.name.split())


def _key_entries(app: App[object], owner: type[DOMNode]) -> Iterator[HelpEntry]:
    """Yield an entry for each named key of a class of ours, then of its bases."""
    listed_ids: set[str] = set()
    for cls in owner.__mro__:
        if not cls.__module__.startswith(OWN_MODULE_PREFIXES):
            continue
        bindings = list(Binding.make_bindings(cls.__dict__.get("BINDINGS", ())))
        for binding in bindings:
            if binding.id is None or binding.id in listed_ids or not binding.tooltip:
                continue
            listed_ids.add(binding.id)
            keys = dict.fromkeys(
                app.get_key_display(Binding(b.key, "", id=b.id)) for b in bindings if b.id == binding.id
            )
            yield HelpEntry(" ".join(keys), binding.tooltip)
