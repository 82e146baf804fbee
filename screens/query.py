"""The record asked: how far what is found may be relied on, and what it rests on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, LineMoved, ProposalsChanged
from agents.indexer.meaning import WAKES
from screens.aside import Aside
from screens.key_bar import KeyBar
from screens.query_leads import QueryLeads
from screens.routes import Back, ToMenu, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.findings import FindingList, answer_content
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import StoryCard
    from agents.views.query_views import Answer, Finding, Recollection
    from stores.records.world import Universe

Tab = Literal["canon", "recall", "words"]
TABS: Final[tuple[Tab, ...]] = ("canon", "recall", "words")
PAUSE: Final = 0.25
"""Seconds without a key after which what is typed is looked for."""
TURNS: Final = 30
AGAIN: Final = 0.5
"""Seconds after which is looked again for what could not be compared by meaning yet."""

HINTS: Final = {
    "canon": "Ask about this world: Who has the iron key? Where is Wenna? The answer says how far to "
    "rely on it: canon, proposed, in the book, believed, contradicted, or unknown.",
    "recall": "Say in your own words what happened: the turns that are most like it are found again.",
    "words": "Type words: every turn, fact, memory and name that has them is listed.",
}
NO_WORLD = "There is no world yet to ask about. On the menu press 1 to start a story in one."


class QueryScreen(QueryLeads):
    """An input line, three tabs, and a list. Looking never holds up typing; a late answer is dropped."""

    CSS_PATH = "query.tcss"
    AUTO_FOCUS = "#question"
    BINDING_GROUP_TITLE = "Query"
    BINDINGS = [
        Binding("f2", "tab", "Other tab", id="query.tab", tooltip="Canon, recall or words: the next tab"),
        Binding("slash", "ask", "Ask", id="query.ask", tooltip="To the question", key_display="/"),
        Binding("s", "story", "Story", id="query.story", tooltip="All stories, or one of them"),
        Binding("u", "universe", "World", id="query.universe", tooltip="Ask about the next universe"),
        Binding("escape", "escape", "Back", id="query.escape", tooltip="One step back"),
    ]

    @dataclass
    class Read(Message):
        """The universes there are, and the stories in them."""

        universes: list[Universe]
        stories: list[StoryCard]

    @dataclass
    class Answered(Message):
        """What came of the question of that number."""

        number: int
        answer: Answer

    @dataclass
    class Recalled(Message):
        number: int
        found: Recollection

    @dataclass
    class Searched(Message):
        number: int
        found: tuple[Finding, ...]

    def __init__(
        self,
        services: Services,
        universe_id: Id | None = None,
        story_id: Id | None = None,
        scene_id: Id | None = None,
        words: str = "",
    ) -> None:
        super().__init__(services, universe_id, scene_id, words)
        self.story_id = story_id
        self.tab: Tab = "canon"
        self.answer: Answer | None = None
        self._first = words
        self._universes: list[Universe] = []
        self._stories: list[StoryCard] = []
        self._asked = 0
        self._entered = False
        self._entered_line = False
        self._state = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Query")
        yield Input(
            self.words, id="question", placeholder="ask the record", compact=True, select_on_focus=False
        )
        yield Static(id="tabs", markup=False)
        yield Static(id="notes", markup=False)
        with Vertical(id="known"):
            yield Static(id="answer", markup=False)
            yield FindingList(empty=HINTS[self.tab])
        yield Aside()
        yield KeyBar()

    # --- where is asked ----------------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        if isinstance(event, CanonCommitted | ProposalsChanged | LineMoved) and self.answer is not None:
            self._entitle("the record has changed: ⏎ asks again")
        return False

    async def read(self) -> None:
        if not (self._entered or self.scene_id):
            from agents.story_outline import Mode

            await self.services.stories.enter(Mode.QUERY)
        self._entered = True
        self.post_message(
            self.Read(await self.services.stories.universes(), await self.services.stories.stories())
        )

    @on(Read)
    def _show(self, message: Read) -> None:
        self._universes, self._stories = message.universes, message.stories
        if self.universe_id not in [u.id for u in self._universes]:
            self.universe_id = self._universes[0].id if self._universes else None
        self._entitle()
        self._draw_tabs()
        self.page.empty = HINTS[self.tab] if self.universe_id else NO_WORLD
        if self._first:
            self._first = ""
            self._look(in_words=True)
        self.refresh_bindings()

    def _entitle(self, state: str | None = None) -> None:
        """Say what is asked about, and how that stands."""
        if state is not None:
            self._state = state
        universe = next((u for u in self._universes if u.id == self.universe_id), None)
        story = next((card.story for card in self._stories if card.story.id == self.story_id), None)
        place = f"{universe.name} · {story.title if story else 'all stories'}" if universe else ""
        self.query_one(TitleBar).show(place, self._state)

    def _draw_tabs(self) -> None:
        parts = [
            (f"[{tab}]" if tab == self.tab else f" {tab} ", "bold" if tab == self.tab else "dim")
            for tab in TABS
        ]
        self.query_one("#tabs", Static).update(Content.assemble(*parts))

    # --- looking -----------------------------------------------------------------------------------

    @on(Input.Changed, "#question")
    def _typing(self, message: Input.Changed) -> None:
        message.stop()
        if message.value != self.words:
            self.words = message.value
            self._look(in_words=False, pause=PAUSE)

    @on(Input.Submitted, "#question")
    def _typed(self, message: Input.Submitted) -> None:
        message.stop()
        if self.words.strip():
            self._look(in_words=True)

    def _look(self, *, in_words: bool, pause: float = 0.0) -> None:
        """Look for what is typed; what an earlier look brings from now on is dropped."""
        self._asked += 1
        self._entered_line = in_words
        self.query_one(Aside).clear()
        self.close_evidence()
        words = self.words.strip()
        if not words or self.universe_id is None:
            self.workers.cancel_group(self, "look")
            self._show_answer(None)
            self.page.show(())
            self._entitle("")
            self.query_one("#notes").display = False
            return
        self._entitle(
            "asking ..." if in_words and self.tab == "canon" and self.services.llm.on else "looking ..."
        )
        self._find(self._asked, words, self.universe_id, in_words, pause)

    @work(exclusive=True, group="look", name="look", exit_on_error=False)
    async def _find(self, number: int, words: str, universe_id: Id, in_words: bool, pause: float) -> None:
        await asyncio.sleep(pause)
        recall, story = self.services.query, self.story_id
        match self.tab:
            case "canon":
                answer = await recall.ask(words, universe_id=universe_id, story_id=story, in_words=in_words)
                self.post_message(self.Answered(number, answer))
            case "recall":
                found = await recall.recall(words, universe_id=universe_id, story_id=story, k=TURNS)
                self.post_message(self.Recalled(number, found))
            case "words":
                listed = await recall.search(words, universe_id=universe_id, story_id=story)
                self.post_message(self.Searched(number, listed))

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        if message.number != self._asked:
            return
        answer = message.answer
        self._show_answer(answer)
        self.page.show(answer.findings, answer.nearest)
        self._say_found(len(answer.findings), answer.notes)
        self._step_to_list()

    @on(Recalled)
    def _recalled(self, message: Recalled) -> None:
        if message.number == self._asked:
            turns = message.found.turns
            self._list(tuple(turn.finding(n) for n, turn in enumerate(turns, 1)), message.found.notes)

    @on(Searched)
    def _searched(self, message: Searched) -> None:
        if message.number == self._asked:
            self._list(message.found, ())

    def _list(self, found: tuple[Finding, ...], notes: tuple[str, ...]) -> None:
        self._show_answer(None)
        self.page.empty = HINTS[self.tab] if found else "Nothing like that is in the record."
        self.page.show(found)
        self._say_found(len(found), notes)
        self._step_to_list()

    def _say_found(self, count: int, notes: tuple[str, ...]) -> None:
        """Say how much was found, and what could not be searched."""
        self._entitle(f"{count} found")
        line = self.query_one("#notes", Static)
        line.display = bool(notes)
        line.update(Content(" · ".join(map(one_line, notes))))
        if any(WAKES in note for note in notes) and not (self._entered_line and self.services.llm.on):
            # What a model has put into words is not asked, and paid, for a second time by itself.
            self._look(in_words=self._entered_line, pause=AGAIN)

    def _step_to_list(self) -> None:
        """What was asked with Enter is read next, or led on from; what is typed on is typed on."""
        if self._entered_line:
            self._entered_line = False
            self.page.focus()
        self.refresh_bindings()

    def _show_answer(self, answer: Answer | None) -> None:
        """Say how the answer stands, in words and with a sign; then what a model makes of it, checked."""
        self.answer = answer
        place = self.query_one("#answer", Static)
        place.display = answer is not None
        place.update(answer_content(answer, in_play=self.scene_id is not None) if answer else "")

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "story":
                return len(self._here()) > 0
            case "universe":
                return len(self._universes) > 1 and self.scene_id is None
        return super().check_action(action, parameters)

    def _here(self) -> list[StoryCard]:
        return [card for card in self._stories if card.universe.id == self.universe_id]

    def action_tab(self) -> None:
        self.tab = TABS[(TABS.index(self.tab) + 1) % len(TABS)]
        self._draw_tabs()
        self.page.empty = HINTS[self.tab] if self.universe_id else NO_WORLD
        self._look(in_words=False)

    def action_ask(self) -> None:
        self.query_one("#question").focus()

    def action_story(self) -> None:
        ids: list[Id | None] = [None, *(card.story.id for card in self._here())]
        self.story_id = ids[(ids.index(self.story_id) + 1) % len(ids)] if self.story_id in ids else None
        self._look(in_words=False)
        self._entitle()

    def action_universe(self) -> None:
        ids = [u.id for u in self._universes]
        self.universe_id = (
            ids[(ids.index(self.universe_id) + 1) % len(ids)] if self.universe_id in ids else None
        )
        self.story_id = None
        self._look(in_words=False)
        self._entitle()

    def action_escape(self) -> None:
        """One step back: from notes, evidence, the list, then off the screen."""
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif self.close_evidence():
            pass
        elif self.page.has_focus:
            self.action_ask()
        else:
            self.post_message(Visit(Back(self) if self.scene_id else ToMenu()))
