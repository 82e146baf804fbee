"""The stories: continue one, read one that is over, or abandon one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from agents.events import ImportProgressed
from agents.exports.story_form import StoryForm
from agents.story_outline import MainMode
from screens.base import ServiceScreen
from screens.dialogs.answer_check import save_then_show
from screens.dialogs.choice_dialog import ChoiceDialog
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.form_fields import Picker
from screens.dialogs.line_dialog import LineDialog
from screens.dialogs.text_dialog import TextDialog
from screens.folder import SCREENS_FOLDER
from screens.gate.commit_report_dialog import CommitReportDialog
from screens.key_bar import KeyBar
from screens.routes import ToBranchMap, ToImport, ToMenu, ToReading, ToSetup, ToStory, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.gate_views import CommitReport
    from agents.views.menu_views import StoryCard
    from stores.records.play import Story

BRANCH_HINT = "The story stays as it is. Its branch has the same canon now, and its own from then on."

CLOSURE_HINT = (
    "Write a recap under the lines, if you like. What is open stays open: make it kept: or broken:. What runs goes on: "
    "make it stops:. A line you take out changes nothing. What is undecided in the last scene stays undecided."
)


class StoryExport(NamedTuple):
    """A way to write a story out."""

    form: StoryForm
    with_mechanics: bool = False
    for_players: bool = False


STORY_EXPORTS = (
    (StoryExport(StoryForm.MARKDOWN), "Markdown, with canon as footnotes"),
    (StoryExport(StoryForm.MARKDOWN, for_players=True), "Markdown for players: no secrets, no notes"),
    (StoryExport(StoryForm.EPUB), "A book (EPUB): the prose alone"),
    (StoryExport(StoryForm.EPUB, with_mechanics=True), "A book (EPUB) with rolls and facts"),
    (StoryExport(StoryForm.HTML), "A page to print (HTML): the prose alone"),
    (StoryExport(StoryForm.HTML, with_mechanics=True), "A page to print (HTML) with rolls and facts"),
    (StoryExport(StoryForm.JOURNAL), "A plain solo journal, with its facts"),
    (StoryExport(StoryForm.LONELOG), "A Lonelog, for other programs and paper"),
)

PLAYABLE_STATES = ("created", "active")
"""States of the story loop that can be played on."""


class StoriesScreen(ServiceScreen[None]):
    """Every story with its state and its last line, the last played first."""

    CSS_PATH = SCREENS_FOLDER / "setup/stories_screen.tcss"
    AUTO_FOCUS = "#stories"
    BINDING_GROUP_TITLE = "Continue"
    BINDINGS = [
        Binding(
            "delete",
            "abandon",
            "Abandon",
            id="stories.abandon",
            tooltip="Abandon this story; it can still be read",
        ),
        Binding("X", "export", "Export", id="stories.export", tooltip="Write this story to a file to read"),
        Binding("f", "finish", "Finish", id="stories.finish", tooltip="Close this story, with a recap"),
        Binding(
            "B", "branch", "Branch here", id="stories.branch", tooltip="A branch from where this story stands"
        ),
        Binding("l", "map", "Map", id="stories.map", tooltip="The map of branches, scenes, ways and takes"),
        Binding("n", "start", "Start a story", id="stories.start", tooltip="Start a new story"),
        Binding(
            "i", "import", "Import a log", id="stories.import", tooltip="Bring in existing play from a file"
        ),
        Binding("escape", "back", "Menu", id="stories.back", tooltip="Back to the main menu"),
    ]

    @dataclass
    class ClosureDrafted(Message):
        """The lines that a story's end is edited from were read."""

        story: Story
        draft: str

    @dataclass
    class StoriesLoaded(Message):
        cards: list[StoryCard]

    @dataclass
    class StoryCompleted(Message):
        """A story is closed."""

        report: CommitReport

    @dataclass
    class StoryExported(Message):
        """A story is written to a file."""

        path: str

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._has_entered_mode = False
        self._suspended_ids: set[Id] = set()
        self._cards: dict[Id, StoryCard] = {}

    def compose(self) -> ComposeResult:
        yield TitleBar("Continue a story")
        yield Picker(id="stories", markup=False)
        yield Static("", id="empty", markup=False)
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        # A log that came in, or was cut off, is a story here.
        return isinstance(event, ImportProgressed) and not event.total_turns

    async def load_view(self) -> None:
        cards = await self.services.stories.stories()
        if not self._has_entered_mode:
            # Going in here wakes the Main Loop, and then no story counts as suspended: look before.
            self._suspended_ids = {card.story.id for card in cards if card.is_suspended}
            await self.services.stories.enter(MainMode.CONTINUE)
            self._has_entered_mode = True
        self.post_message(self.StoriesLoaded(cards))

    @on(StoriesLoaded)
    def _show_stories(self, message: StoriesLoaded) -> None:
        cards = sorted(message.cards, key=lambda card: card.state not in PLAYABLE_STATES)
        self._cards = {card.story.id: card for card in cards}
        stories = self.query_one("#stories", Picker)
        row = stories.highlighted or 0
        stories.clear_options()
        for card in cards:
            stories.add_options(
                [Option(_story_row(card, card.story.id in self._suspended_ids), id=card.story.id), None]
            )
        stories.display = bool(cards)
        stories.highlighted = min(row, len(cards) - 1) if cards else None
        self.query_one("#empty", Static).update(
            "" if cards else "No stories yet. Press n to start the first one, or i to import a log."
        )
        self.refresh_bindings()

    @property
    def _current_card(self) -> StoryCard | None:
        """The story under the cursor."""
        option = self.query_one("#stories", Picker).highlighted_option
        return self._cards.get(option.id or "") if option else None

    @on(OptionList.OptionHighlighted)
    def _cursor_moved(self) -> None:
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _open_story(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        card = self._cards[message.option_id or ""]
        if card.state in PLAYABLE_STATES:
            self.post_message(Visit(ToStory(card.story.id)))
        elif card.scene and card.scene.head:
            self.post_message(Visit(ToReading(card.scene.head)))
        else:
            self.notify("This story is over, and its last scene has no turns.", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("export", "map"):
            return self._current_card is not None
        if action == "branch":
            return self._current_card is not None and self._current_card.scene is not None
        if action in ("abandon", "finish"):
            return self._current_card is not None and self._current_card.state in PLAYABLE_STATES
        return True

    def action_abandon(self) -> None:
        card = self._current_card
        if card is None:
            return
        question = ConfirmDialog(
            f"Abandon “{one_line(card.story.title)}”?",
            "You can still read it, and all it made true stays true, but you cannot play it any more.",
            yes="Abandon it",
            no="Keep it",
        )
        self.app.push_screen(question, partial(self._apply_abandon_answer, card.story.id))

    def _apply_abandon_answer(self, story_id: Id, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.start_change(partial(self._abandon_story, story_id), "abandon")

    async def _abandon_story(self, story_id: Id) -> None:
        await self.services.stories.abandon(story_id)
        self.reload()

    def action_finish(self) -> None:
        if card := self._current_card:
            self.start_change(partial(self._draft_closure, card.story), "finish")

    async def _draft_closure(self, story: Story) -> None:
        draft = await self.services.stories.draft_closure(story.id)
        self.post_message(self.ClosureDrafted(story, draft))

    @on(ClosureDrafted)
    def _edit_closure(self, message: ClosureDrafted) -> None:
        story = message.story
        save_recap, show_completion = save_then_show(
            partial(self.services.stories.complete_story, story.id),
            lambda report: self.post_message(self.StoryCompleted(report)),
        )
        editor = TextDialog(
            f"Finish “{one_line(story.title)}”",
            message.draft,
            CLOSURE_HINT,
            is_optional=True,
            save_text=save_recap,
        )
        self.app.push_screen(editor, show_completion)

    @on(StoryCompleted)
    def _show_completion(self, message: StoryCompleted) -> None:
        self.app.push_screen(CommitReportDialog(message.report, "The story is finished"))

    def action_export(self) -> None:
        if card := self._current_card:
            dialog = ChoiceDialog(f"Write “{one_line(card.story.title)}” as", STORY_EXPORTS)
            self.app.push_screen(dialog, partial(self._start_export, card.story.id))

    def _start_export(self, story_id: Id, choice: StoryExport | None) -> None:
        if choice is not None:
            self.start_change(partial(self._export_story, story_id, choice), "export")

    async def _export_story(self, story_id: Id, choice: StoryExport) -> None:
        path = await self.services.stories.export_story(
            story_id, choice.form, with_mechanics=choice.with_mechanics, for_players=choice.for_players
        )
        self.post_message(self.StoryExported(path))

    @on(StoryExported)
    def _show_exported(self, message: StoryExported) -> None:
        self.notify(f"Written: {message.path}", markup=False)

    def action_branch(self) -> None:
        if card := self._current_card:
            dialog = LineDialog(
                f"Branch from where “{one_line(card.story.title)}” stands",
                explanation=BRANCH_HINT,
                save_line=partial(self._fork_story, card.story.id),
            )
            self.app.push_screen(dialog)

    async def _fork_story(self, story_id: Id, name: str) -> None:
        await self.services.branches.fork_story(story_id, name)
        self.reload()

    def action_map(self) -> None:
        if card := self._current_card:
            self.post_message(Visit(ToBranchMap(card.universe.id)))

    def action_start(self) -> None:
        self.post_message(Visit(ToSetup()))

    def action_import(self) -> None:
        self.post_message(Visit(ToImport()))

    def action_back(self) -> None:
        self.post_message(Visit(ToMenu()))


def _story_row(card: StoryCard, is_suspended: bool) -> Content:
    """Return three lines: title and universe, state, the last words."""
    position_parts = [one_line(card.scene.inline_label)] if card.scene else []
    position_parts.append("1 turn" if card.turn_count == 1 else f"{card.turn_count:,} turns")
    if is_suspended and card.state in PLAYABLE_STATES:
        position_parts.append("paused")
    if card.scene_state == "finalizing":
        position_parts.append("at the canon gate")
    closed_state = "" if card.state in PLAYABLE_STATES else f"  {card.state}"
    return Content.assemble(
        (one_line(card.story.title), "bold"),
        (f"  {one_line(card.universe.name)}", "dim"),
        (closed_state, "$text-warning"),
        f"\n{' · '.join(position_parts)}",
        (f"\n“{one_line(card.last_line)}”" if card.last_line else "\n", "italic"),
    )
