"""The stories that there are: go on with one, read one that is over, or give one up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from agents.events import ImportMoved
from agents.story_outline import Mode
from screens.base import ServiceScreen
from screens.confirm import ConfirmScreen
from screens.edit_text import EditTextScreen
from screens.fields import Picker
from screens.key_bar import KeyBar
from screens.outcome import OutcomeScreen
from screens.routes import ToImport, ToMenu, ToSetup, ToStory, ToTurn, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import CommitReport, StoryCard

OPEN = ("created", "active")
"""States of the story loop that can be played on."""


class StoriesScreen(ServiceScreen[None]):
    """Every story with where it stands and its last line, the last played first."""

    CSS_PATH = "continue_story.tcss"
    AUTO_FOCUS = "#stories"
    BINDING_GROUP_TITLE = "Continue"
    BINDINGS = [
        Binding(
            "x",
            "abandon",
            "Give up",
            id="stories.abandon",
            tooltip="Abandon this story; it can still be read",
        ),
        Binding(
            "f", "finish", "Finish", id="stories.finish", tooltip="The story is told: close it, with a recap"
        ),
        Binding("s", "start", "Start a story", id="stories.start", tooltip="Start a new story"),
        Binding(
            "i", "import", "Import a log", id="stories.import", tooltip="Bring in existing play from a file"
        ),
        Binding("escape", "back", "Menu", id="stories.back", tooltip="Back to the main menu"),
    ]

    @dataclass
    class Read(Message):
        cards: list[StoryCard]

    @dataclass
    class Finished(Message):
        """A story is closed."""

        report: CommitReport

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._entered = False
        self._suspended: set[Id] = set()
        self._cards: dict[Id, StoryCard] = {}

    def compose(self) -> ComposeResult:
        yield TitleBar("Continue a story")
        yield Picker(id="stories", markup=False)
        yield Static("", id="empty", markup=False)
        yield KeyBar()

    def concerns(self, event: Event) -> bool:
        # A log that came in, or was cut off, is a story here.
        return isinstance(event, ImportMoved) and not event.of_turns

    async def read(self) -> None:
        cards = await self.services.stories.stories()
        if not self._entered:
            # Going in here wakes the Main Loop, and then no story counts as suspended: look before.
            self._suspended = {card.story.id for card in cards if card.suspended}
            await self.services.stories.enter(Mode.CONTINUE)
            self._entered = True
        self.post_message(self.Read(cards))

    @on(Read)
    def _show(self, message: Read) -> None:
        cards = sorted(message.cards, key=lambda card: card.state not in OPEN)
        self._cards = {card.story.id: card for card in cards}
        stories = self.query_one("#stories", Picker)
        row = stories.highlighted or 0
        stories.clear_options()
        for card in cards:
            stories.add_options(
                [Option(_row(card, card.story.id in self._suspended), id=card.story.id), None]
            )
        stories.display = bool(cards)
        stories.highlighted = min(row, len(cards) - 1) if cards else None
        self.query_one("#empty", Static).update(
            "" if cards else "No stories yet. Press s to start the first one, or i to import a log."
        )
        self.refresh_bindings()

    @property
    def _card(self) -> StoryCard | None:
        """The story that the cursor stands on."""
        option = self.query_one("#stories", Picker).highlighted_option
        return self._cards.get(option.id or "") if option else None

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _chosen(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        card = self._cards[message.option_id or ""]
        if card.state in OPEN:
            self.post_message(Visit(ToStory(card.story.id)))
        elif card.scene and card.scene.head:
            self.post_message(Visit(ToTurn(card.scene.head)))
        else:
            self.notify("This story is over, and nothing was said in its last scene.", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("abandon", "finish"):
            return self._card is not None and self._card.state in OPEN
        return True

    def action_abandon(self) -> None:
        card = self._card
        if card is None:
            return
        question = ConfirmScreen(
            f"Give up “{one_line(card.story.title)}”?",
            "It stays readable, with everything it made true, but it cannot be played on.",
            yes="Give it up",
            no="Keep it",
        )
        self.app.push_screen(question, partial(self._answered, card.story.id))

    def _answered(self, story_id: Id, yes: bool | None) -> None:
        if yes:
            self.change(self._abandon(story_id), "abandon")

    async def _abandon(self, story_id: Id) -> None:
        await self.services.stories.abandon(story_id)
        self.reload()

    def action_finish(self) -> None:
        card = self._card
        if card is None:
            return
        editor = EditTextScreen(
            f"Finish “{one_line(card.story.title)}”",
            "",
            "A recap, if you like. What is still undecided in its last scene stays undecided; "
            "end that scene first if it should become canon.",
            optional=True,
        )
        self.app.push_screen(editor, partial(self._recapped, card.story.id))

    def _recapped(self, story_id: Id, recap: str | None) -> None:
        if recap is not None:
            self.change(self._finish(story_id, recap), "finish")

    async def _finish(self, story_id: Id, recap: str) -> None:
        self.post_message(self.Finished(await self.services.stories.complete_story(story_id, recap)))

    @on(Finished)
    def _finished(self, message: Finished) -> None:
        self.app.push_screen(OutcomeScreen(message.report, "The story is told"))

    def action_start(self) -> None:
        self.post_message(Visit(ToSetup()))

    def action_import(self) -> None:
        self.post_message(Visit(ToImport()))

    def action_back(self) -> None:
        self.post_message(Visit(ToMenu()))


def _row(card: StoryCard, suspended: bool) -> Content:
    """Three lines: title and world, where it stands, the last words."""
    stands = [f"scene {card.scene.order} “{one_line(card.scene.title)}”"] if card.scene else []
    stands.append("1 turn" if card.turns == 1 else f"{card.turns:,} turns")
    if suspended and card.state in OPEN:
        stands.append("paused")
    if card.scene_state == "finalizing":
        stands.append("at the canon gate")
    over = "" if card.state in OPEN else f"  {card.state}"
    return Content.assemble(
        (one_line(card.story.title), "bold"),
        (f"  {one_line(card.universe.name)}", "dim"),
        (over, "$text-warning"),
        f"\n{' · '.join(stands)}",
        (f"\n“{one_line(card.last_line)}”" if card.last_line else "\n", "italic"),
    )
