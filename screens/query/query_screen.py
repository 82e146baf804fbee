"""Asks the record: what is known, how far it can be relied on, and its evidence."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, HeadMoved, ProposalsChanged
from agents.indexer.question_vectors import STARTING_NOTE
from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.query.finding_actions_screen import FindingActionsScreen
from screens.routes import Back, ToMenu, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.finding_list import FindingList, answer_content
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.menu_views import StoryCard
    from agents.views.query_views import Answer, QueryFinding, RecallResult
    from stores.records.world import Universe

QueryTab = Literal["canon", "recall", "words"]
_TAB_TITLES: Final = {"canon": "Answer", "recall": "Recall", "words": "Words"}
QUERY_TABS: Final[tuple[QueryTab, ...]] = ("canon", "recall", "words")
MIN_SEARCHED_LENGTH: Final = 2
"""Characters from which on words are searched while they are typed: a single letter takes no answer away."""
TYPING_PAUSE: Final = 0.25
"""Seconds without a key after which the search begins."""
MAX_RECALLED_TURNS: Final = 30
RETRY_PAUSE: Final = 0.5
"""Seconds after which a search is repeated for records that could not be compared by meaning yet."""

TAB_HINTS: Final = {
    "canon": "Ask about this world: Who has NAME? Where is NAME? The answer says how far to "
    "rely on it: canon, proposed, on record, believed, contradicted, or unknown.",
    "recall": "Say in your own words what happened, to find the turns that are most like it.",
    "words": "Type words, to list every turn, fact, memory and name that contains them.",
}
STARTS_OF_PLAYED_LINES: Final = ("/", ">")
LINE_OF_PLAY_NOTICE: Final = (
    "That is a line of play, and no question. It was not asked. Esc goes back to the scene.",
)
NO_UNIVERSE_HINT = "No world yet. On the menu press 1 to start a story, or 5 to read in a document."


class QueryScreen(FindingActionsScreen):
    """An input line, three tabs, and a list. Searching never delays typing; a late answer is dropped."""

    CSS_PATH = SCREENS_FOLDER / "query/query_screen.tcss"
    AUTO_FOCUS = "#question"
    BINDING_GROUP_TITLE = "Query"
    BINDINGS = [
        Binding(
            "right,f2",
            "tab(1)",
            "Next tab",
            id="query.tab",
            tooltip="Answer, recall or words",
        ),
        Binding("left", "tab(-1)", "Tab before", id="query.tab_before", tooltip="The tab before", show=False),
        Binding("slash", "ask", "Ask", id="query.ask", tooltip="Type a question", key_display="/"),
        Binding("S", "story", "Story", id="query.story", tooltip="All stories, or one of them"),
        Binding("U", "universe", "World", id="query.universe", tooltip="Ask about the next world"),
        Binding("escape", "escape", "Back", id="query.escape", tooltip="One step back"),
    ]

    @dataclass
    class QueryScopeLoaded(Message):
        """The universes and their stories."""

        universes: list[Universe]
        stories: list[StoryCard]

    @dataclass
    class AnswerLoaded(Message):
        """The answer to the question of that number."""

        number: int
        answer: Answer

    @dataclass
    class RecallLoaded(Message):
        number: int
        recollection: RecallResult

    @dataclass
    class SearchLoaded(Message):
        number: int
        findings: tuple[QueryFinding, ...]

    def __init__(
        self,
        services: Services,
        universe_id: Id | None = None,
        story_id: Id | None = None,
        scene_id: Id | None = None,
        question: str = "",
    ) -> None:
        super().__init__(services, universe_id, scene_id, question)
        self.story_id = story_id
        self.tab: QueryTab = "canon"
        self.answer: Answer | None = None
        self._initial_question = question
        self._universes: list[Universe] = []
        self._stories: list[StoryCard] = []
        self._question_number = 0
        self._has_entered_mode = False
        self._is_submitted = False
        self._title_state = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Query")
        yield Input(
            self.question, id="question", placeholder="ask a question", compact=True, select_on_focus=False
        )
        yield Static(id="tabs", markup=False)
        yield Static(id="notes", markup=False)
        with Vertical(id="details"):
            yield Static(id="answer", markup=False)
            yield FindingList(empty=TAB_HINTS[self.tab])
            yield EvidencePanel(self.services.world.provenance)
        yield NoticePanel()
        yield KeyBar()

    # --- where is asked ----------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        if isinstance(event, CanonCommitted | ProposalsChanged | HeadMoved) and self.answer is not None:
            self._show_title("something changed: ⏎ asks again")
        return False

    async def load_view(self) -> None:
        if not (self._has_entered_mode or self.scene_id):
            from agents.story_outline import MainMode

            await self.services.stories.enter(MainMode.QUERY)
        self._has_entered_mode = True
        self.post_message(
            self.QueryScopeLoaded(
                await self.services.stories.universes(), await self.services.stories.stories()
            )
        )

    @on(QueryScopeLoaded)
    def _show_scope(self, message: QueryScopeLoaded) -> None:
        self._universes, self._stories = message.universes, message.stories
        if self.universe_id not in [u.id for u in self._universes]:
            self.universe_id = self._universes[0].id if self._universes else None
        self._show_title()
        self._draw_tabs()
        self.finding_list.empty = TAB_HINTS[self.tab] if self.universe_id else NO_UNIVERSE_HINT
        if self._initial_question:
            self._initial_question = ""
            self._start_search(in_words=True)
        self.refresh_bindings()

    def _show_title(self, state: str | None = None) -> None:
        """Show what is asked about, and the state of the search."""
        if state is not None:
            self._title_state = state
        universe = next((u for u in self._universes if u.id == self.universe_id), None)
        story = next((card.story for card in self._stories if card.story.id == self.story_id), None)
        place = f"{universe.name} · {story.title if story else 'all stories'}" if universe else ""
        self.query_one(TitleBar).show_place(place, self._title_state)

    def _draw_tabs(self) -> None:
        parts = [
            (f"▸{_TAB_TITLES[tab]}  ", "bold") if tab == self.tab else (f" {_TAB_TITLES[tab]}  ", "dim")
            for tab in QUERY_TABS
        ]
        self.query_one("#tabs", Static).update(Content.assemble(*parts))

    # --- looking -----------------------------------------------------------------------------------

    @on(Input.Changed, "#question")
    def _question_changed(self, message: Input.Changed) -> None:
        message.stop()
        if message.value != self.question:
            self.question = message.value
            is_searched = len(self.question.strip()) >= MIN_SEARCHED_LENGTH and not self._is_line_of_play()
            if is_searched or not self.question:
                self._start_search(in_words=False, pause=TYPING_PAUSE)

    @on(Input.Submitted, "#question")
    def _question_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        if self._is_line_of_play():
            self.query_one(NoticePanel).show_lines(LINE_OF_PLAY_NOTICE)
            self.action_ask()
        elif self.question.strip():
            self._start_search(in_words=True)

    def _is_line_of_play(self) -> bool:
        """Say whether what is typed is meant for the scene, from which Query was opened."""
        return self.question.lstrip().startswith(STARTS_OF_PLAYED_LINES)

    def _start_search(self, *, in_words: bool, pause: float = 0.0) -> None:
        """Search for what is typed; the result of an earlier search is dropped from now on."""
        self._question_number += 1
        self._is_submitted = in_words
        self.query_one(NoticePanel).clear()
        self.query_one(EvidencePanel).close()
        question = self.question.strip()
        if not question or self.universe_id is None:
            self.workers.cancel_group(self, "look")
            self._show_answer(None)
            self.finding_list.show_findings(())
            self._show_title("")
            self.query_one("#notes").display = False
            return
        self._show_title(
            "asking ..." if in_words and self.tab == "canon" and self.services.llm.is_on else "looking ..."
        )
        self._run_search(self._question_number, question, self.universe_id, in_words, pause)

    @work(exclusive=True, group="look", name="look", exit_on_error=False)
    async def _run_search(
        self, number: int, question: str, universe_id: Id, in_words: bool, pause: float
    ) -> None:
        await asyncio.sleep(pause)
        recall, story = self.services.query, self.story_id
        match self.tab:
            case "canon":
                answer = await recall.answer_question(
                    question, universe_id=universe_id, story_id=story, in_words=in_words
                )
                self.post_message(self.AnswerLoaded(number, answer))
            case "recall":
                recollection = await recall.recall_turns(
                    question, universe_id=universe_id, story_id=story, k=MAX_RECALLED_TURNS
                )
                self.post_message(self.RecallLoaded(number, recollection))
            case "words":
                findings = await recall.search_words(question, universe_id=universe_id, story_id=story)
                self.post_message(self.SearchLoaded(number, findings))

    @on(AnswerLoaded)
    def _show_answer_findings(self, message: AnswerLoaded) -> None:
        if message.number != self._question_number:
            return
        answer = message.answer
        self._show_answer(answer)
        self.finding_list.show_findings(answer.findings, answer.nearest)
        self._show_finding_count(len(answer.findings), answer.notes)
        self._focus_findings()

    @on(RecallLoaded)
    def _show_recalled_turns(self, message: RecallLoaded) -> None:
        if message.number == self._question_number:
            turns = message.recollection.turns
            self._show_findings(
                tuple(turn.to_finding(n) for n, turn in enumerate(turns, 1)), message.recollection.notes
            )

    @on(SearchLoaded)
    def _show_search_findings(self, message: SearchLoaded) -> None:
        if message.number == self._question_number:
            self._show_findings(message.findings, ())

    def _show_findings(self, findings: tuple[QueryFinding, ...], notes: tuple[str, ...]) -> None:
        self._show_answer(None)
        self.finding_list.empty = TAB_HINTS[self.tab] if findings else "Nothing found."
        self.finding_list.show_findings(findings)
        self._show_finding_count(len(findings), notes)
        self._focus_findings()

    def _show_finding_count(self, count: int, notes: tuple[str, ...]) -> None:
        """Show how much was found, and what could not be searched."""
        self._show_title(f"{count} found")
        notes_line = self.query_one("#notes", Static)
        notes_line.display = bool(notes)
        notes_line.update(Content(" · ".join(map(one_line, notes))))
        if any(STARTING_NOTE in note for note in notes) and not (
            self._is_submitted and self.services.llm.is_on
        ):
            # What a model has put into words is not asked, and paid, for a second time by itself.
            self._start_search(in_words=self._is_submitted, pause=RETRY_PAUSE)

    def _focus_findings(self) -> None:
        """Focus the findings after Enter; while typing goes on, the input keeps the focus."""
        if self._is_submitted:
            self._is_submitted = False
            self.finding_list.focus()
        self.refresh_bindings()

    def _show_answer(self, answer: Answer | None) -> None:
        """Show the standing of the answer in words and with a sign; then the model's prose, checked."""
        self.answer = answer
        self.query_one("#answer", Static).display = answer is not None
        self._draw_answer()

    @on(events.DescendantFocus)
    def _draw_answer(self) -> None:
        """Draw the answer with the keys that work from where the focus is."""
        is_typing = self.focused is self.query_one("#question") and not self._is_submitted
        in_play = self.scene_id is not None
        self.query_one("#answer", Static).update(
            answer_content(self.answer, in_play=in_play, is_typing=is_typing) if self.answer else ""
        )

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "story":
                return len(self._stories_here()) > 0
            case "universe":
                return len(self._universes) > 1 and self.scene_id is None
        return super().check_action(action, parameters)

    def _stories_here(self) -> list[StoryCard]:
        return [card for card in self._stories if card.universe.id == self.universe_id]

    def action_tab(self, step: int) -> None:
        self.tab = QUERY_TABS[(QUERY_TABS.index(self.tab) + step) % len(QUERY_TABS)]
        self._draw_tabs()
        self.finding_list.empty = TAB_HINTS[self.tab] if self.universe_id else NO_UNIVERSE_HINT
        self._start_search(in_words=False)

    def on_key(self, event: events.Key) -> None:
        """Begin the next question: a letter that is no key here is its first."""
        if event.character is None or not self.may_be_of_line(event):
            return
        is_late = self.focused is self.query_one("#question")  # on its way to the findings still
        if is_late or (event.character.strip() and not self.is_letter_key(event)):
            event.stop()
            self.type_text(event.character)

    def type_text(self, text: str) -> None:
        """Type into the question, or begin the next one with it."""
        question = self.query_one("#question", Input)
        if self.focused is question:
            question.insert_text_at_cursor(text)
            return
        self.set_focus(question)
        question.value = text
        question.cursor_position = len(text)

    def may_begin_line(self, key: events.Key) -> bool:
        """Say whether a letter on which the findings would act may be the first of a question."""
        return self.finding_list.has_focus and (key.character or "").isalpha() and self.is_letter_key(key)

    def may_be_of_line(self, key: events.Key) -> bool:
        """Say whether a key that follows such a letter may go on with the question."""
        return key.is_printable and key.character is not None and not key.key.startswith("alt+")

    def is_letter_key(self, key: events.Key) -> bool:
        """Say whether the findings or the screen have such a letter for a key that works now."""
        binding = self.active_bindings.get(key.key)
        return binding is not None and binding.enabled

    def action_ask(self) -> None:
        """Go to the question, selected as a whole: typing replaces it."""
        question = self.query_one("#question", Input)
        question.focus()
        question.action_select_all()

    def action_story(self) -> None:
        ids: list[Id | None] = [None, *(card.story.id for card in self._stories_here())]
        self.story_id = ids[(ids.index(self.story_id) + 1) % len(ids)] if self.story_id in ids else None
        self._start_search(in_words=False)
        self._show_title()

    def action_universe(self) -> None:
        ids = [u.id for u in self._universes]
        self.universe_id = (
            ids[(ids.index(self.universe_id) + 1) % len(ids)] if self.universe_id in ids else None
        )
        self.story_id = None
        self._start_search(in_words=False)
        self._show_title()

    def action_escape(self) -> None:
        """Go one step back: close notes, evidence, the list, then the screen."""
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif self.query_one(EvidencePanel).close():
            pass
        elif self.finding_list.has_focus:
            self.action_ask()
        else:
            self.post_message(Visit(Back(self) if self.scene_id else ToMenu()))
