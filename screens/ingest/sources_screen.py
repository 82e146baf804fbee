"""The documents of a world: what was read in, how far it is, and what rests on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message

from agents.count_words import count_noun
from agents.events import CanonCommitted, IngestProgressed, ProposalsChanged
from screens.base import ServiceScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.ingest.consequences import describe_edition, describe_withdrawal
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToDocument, ToGate, ToMenu, ToPage, ToReview, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from stores.records.sources import READING_STATES, TAKEN_BACK_STATES, SourceState
from widgets.safe_text import ellipsise, one_line
from widgets.source_list import SourceList
from widgets.source_pane import SourcePane

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.ingest_views import EditionView, SourceListView, SourceView, WithdrawalView
    from stores.records.world import Universe

MAX_SUGGESTED_NAME: Final = 60
"""Cells of the name that is suggested for a pasted text."""
NO_SOURCE_HINT = (
    "No document yet. n reads one in: a rulebook, a setting, a novel, your notes; so does pasting a text. "
    "What it says is proposed to you, "
    "and nothing of it is true before you accept it."
)
NO_UNIVERSE_HINT = (
    "No world yet. n reads in a document and makes a world of it; 1 on the menu starts a story."
)


class SourcesScreen(ServiceScreen[None]):
    """A list of documents with their state, and keys to read in, pause, review and take back.

    Implements `screens.base.PasteTarget`: pasted text becomes a document.
    """

    CSS_PATH = SCREENS_FOLDER / "ingest/sources_screen.tcss"
    AUTO_FOCUS = "SourceList"
    BINDING_GROUP_TITLE = "Documents"
    BINDINGS = [
        Binding("n", "new", "Read in", id="documents.new", tooltip="Read in a document, a folder or a vault"),
        Binding("o", "open", "Open", id="documents.open", tooltip="Its pages, with what each made true"),
        Binding("H", "hold", "Hold", id="documents.hold", tooltip="Pause reading, or go on with it"),
        Binding("ctrl+x", "cancel", "Stop", id="documents.cancel", tooltip="Stop reading it for good"),
        Binding(
            "R", "withdraw", "Withdraw", id="documents.withdraw", tooltip="Take it back: first what follows"
        ),
        Binding("R", "bring_back", "Restore", id="documents.bring_back", tooltip="Bring it back"),
        Binding(
            "N", "edition", "New edition", id="documents.edition", tooltip="Put a newer edition in its place"
        ),
        Binding(
            "M",
            "enrich",
            "Model",
            id="documents.enrich",
            tooltip="Ask the model about what none was asked of",
        ),
        Binding(
            "M",
            "stop_asking",
            "Without model",
            id="documents.without_model",
            tooltip="Read on without the model, by plain rules",
        ),
        Binding(
            "g", "gate", "Gate", id="documents.gate", tooltip="What waits for your decision in this world"
        ),
        Binding("U", "universe", "World", id="documents.universe", tooltip="The documents of the next world"),
        Binding(
            "escape,q", "escape", "Back", id="documents.escape", tooltip="One step back; reading goes on"
        ),
    ]

    @dataclass
    class SourcesLoaded(Message):
        universes: list[Universe]
        view: SourceListView | None

    @dataclass
    class WithdrawalLoaded(Message):
        view: WithdrawalView

    @dataclass
    class EditionLoaded(Message):
        path: str
        view: EditionView

    @dataclass
    class TextStarted(Message):
        """A pasted text is a document now."""

        universe_id: Id

    @dataclass
    class SourceChanged(Message):
        """Something was done; these lines say what."""

        lines: tuple[str, ...]

    def __init__(
        self, services: Services, universe_id: Id | None = None, *, beside_play: bool = False
    ) -> None:
        """`beside_play` says that it was opened over a scene, to which it leads back."""
        super().__init__(services)
        self.universe_id = universe_id
        self._is_beside_play = beside_play
        self._universes: list[Universe] = []
        self._has_entered_mode = False

    def compose(self) -> ComposeResult:
        yield TitleBar("Documents")
        with Horizontal(id="details"):
            yield SourceList()
            yield SourcePane()
        yield NoticePanel()
        yield KeyBar()

    @property
    def current(self) -> SourceView | None:
        lists = self.query(SourceList)
        return lists.first().current if lists else None

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, IngestProgressed | ProposalsChanged | CanonCommitted)

    async def load_view(self) -> None:
        if not (self._has_entered_mode or self._is_beside_play):
            from agents.story_outline import MainMode

            await self.services.stories.enter(MainMode.INGEST)
            self._has_entered_mode = True
        universes = await self.services.stories.universes()
        known_ids = [universe.id for universe in universes]
        universe_id = self.universe_id if self.universe_id in known_ids else next(iter(known_ids), None)
        view = await self.services.ingest.list_sources(universe_id) if universe_id else None
        self.post_message(self.SourcesLoaded(universes, view))

    @on(SourcesLoaded)
    def _show_sources(self, message: SourcesLoaded) -> None:
        self._universes = message.universes
        source_list, view = self.query_one(SourceList), message.view
        self.universe_id = view.universe.id if view else None
        source_list.empty = NO_SOURCE_HINT if view else NO_UNIVERSE_HINT
        source_list.show_sources(view.sources if view else ())
        open_count = sum(source.open_count for source in view.sources) if view else 0
        self.query_one(TitleBar).show_place(
            one_line(view.universe.name) if view else "", f"{open_count:,} to review" if open_count else ""
        )
        self._show_current()

    @on(SourceList.Moved)
    def _show_current(self) -> None:
        self.query_one(SourcePane).show_source(self.current)
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        view = self.current
        state = view.state if view is not None else None
        match action:
            case "gate":
                return self.universe_id is not None and not self._is_beside_play
            case "universe":
                return len(self._universes) > 1 and not self._is_beside_play
            case "open":
                return view is not None and bool(view.source.pages_read)
            case "hold":
                return state in (*READING_STATES, SourceState.PAUSED, SourceState.FAILED)
            case "cancel":
                return state in (*READING_STATES, SourceState.PAUSED, SourceState.FAILED)
            case "withdraw" | "edition":
                return state is SourceState.DONE
            case "bring_back":
                return state in TAKEN_BACK_STATES
            case "enrich":
                return view is not None and state is SourceState.DONE and not view.source.uses_model
            case "stop_asking":
                asks_model = view is not None and bool(view.source.uses_model or view.source.picture_pages)
                return asks_model and state in READING_STATES
        return super().check_action(action, parameters)

    def action_new(self) -> None:
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToDocument(self.universe_id, beside_play=self._is_beside_play)))

    def take_paste(self, text: str) -> None:
        """Ask what a pasted text is called, and read it in."""
        words = text.split()
        if not words:
            return
        self.query_one(NoticePanel).clear()
        dialog = LineDialog(
            "Read in the pasted text as",
            value=ellipsise(one_line(text.strip().splitlines()[0]).lstrip("# "), MAX_SUGGESTED_NAME),
            explanation=f"{count_noun(len(words), 'word')}. It becomes a document, and what it says is proposed.",
            save_line=partial(self._start_text, text),
        )
        self.app.push_screen(dialog)

    async def _start_text(self, text: str, name: str) -> None:
        progress = await self.services.ingest.start_text(name, text, self.universe_id)
        self.post_message(self.TextStarted(progress.universe_id))

    @on(TextStarted)
    def _show_started_text(self, message: TextStarted) -> None:
        self.universe_id = message.universe_id
        self.query_one(NoticePanel).show_lines(("It is read now, beside play.",))
        self.reload()

    def action_open(self) -> None:
        if self.current is not None:
            self.post_message(Visit(ToPage(self.current.source.id, 1)))

    @on(SourceList.ReviewRequested)
    def _open_review(self) -> None:
        if self.current is not None:
            self.post_message(Visit(ToReview(self.current.source.id)))

    def action_gate(self) -> None:
        self.post_message(Visit(ToGate(None, self.universe_id)))

    def action_universe(self) -> None:
        ids = [universe.id for universe in self._universes]
        if self.universe_id in ids:
            self.universe_id = ids[(ids.index(self.universe_id) + 1) % len(ids)]
            self.reload()

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).asks_for_attention:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self) if self._is_beside_play else ToMenu()))

    # --- pausing, stopping, asking the model ---------------------------------------------------------

    def action_hold(self) -> None:
        if self.current is not None:
            self.start_change(partial(self._hold, self.current), "hold")

    async def _hold(self, view: SourceView) -> None:
        ingest = self.services.ingest
        if view.state in READING_STATES:
            await ingest.pause(view.source.id)
            self.post_message(self.SourceChanged(("Paused. What was read is kept; H goes on.",)))
        else:
            await ingest.resume(view.source.id)
            self.post_message(self.SourceChanged(("Reading goes on.",)))

    def action_enrich(self) -> None:
        if self.current is not None:
            self.start_change(partial(self._enrich, self.current), "enrich")

    async def _enrich(self, view: SourceView) -> None:
        await self.services.ingest.enrich(view.source.id)
        self.post_message(
            self.SourceChanged(
                ("The model reads it again, passage by passage. What you decided stays as it is.",)
            )
        )

    def action_stop_asking(self) -> None:
        if self.current is not None:
            self.start_change(partial(self._stop_asking, self.current), "enrich")

    async def _stop_asking(self, view: SourceView) -> None:
        await self.services.ingest.read_without_model(view.source.id)
        self.post_message(
            self.SourceChanged(
                (
                    "Reading goes on without the model. What it gave is kept; M asks it again once this is read.",
                )
            )
        )

    def action_cancel(self) -> None:
        if self.current is None:
            return
        question = ConfirmDialog(
            f"Stop reading “{one_line(self.current.source.title)}”?",
            "What it proposed is closed, and its text leaves the search. What you accepted stays. H pauses instead.",
            yes="Stop it",
            no="Read on",
        )
        source_id = self.current.source.id
        self.app.push_screen(
            question, lambda is_yes: self._stop_confirmed(source_id, is_confirmed=bool(is_yes))
        )

    def _stop_confirmed(self, source_id: Id, *, is_confirmed: bool) -> None:
        if is_confirmed:
            self.start_change(partial(self._stop, source_id), "stop")

    async def _stop(self, source_id: Id) -> None:
        await self.services.ingest.cancel(source_id)
        self.post_message(self.SourceChanged(("Stopped. R brings it back.",)))

    # --- taking back, and bringing back --------------------------------------------------------------

    def action_withdraw(self) -> None:
        if self.current is not None:
            self.start_change(partial(self._load_withdrawal, self.current.source.id), "look")

    async def _load_withdrawal(self, source_id: Id) -> None:
        self.post_message(self.WithdrawalLoaded(await self.services.ingest.preview_withdrawal(source_id)))

    @on(WithdrawalLoaded)
    def _ask_withdrawal(self, message: WithdrawalLoaded) -> None:
        source_id = message.view.source.id
        question = ConfirmDialog(
            f"Withdraw “{one_line(message.view.source.title)}”?",
            "\n".join(describe_withdrawal(message.view)),
            yes="Withdraw it",
            no="Keep it",
        )
        self.app.push_screen(
            question, lambda is_yes: self._withdrawal_confirmed(source_id, is_confirmed=bool(is_yes))
        )

    def _withdrawal_confirmed(self, source_id: Id, *, is_confirmed: bool) -> None:
        if is_confirmed:
            self.start_change(partial(self._withdraw, source_id), "withdraw")

    async def _withdraw(self, source_id: Id) -> None:
        self.post_message(self.SourceChanged(await self.services.ingest.withdraw(source_id)))

    def action_bring_back(self) -> None:
        if self.current is not None:
            self.start_change(partial(self._bring_back, self.current.source.id), "bring back")

    async def _bring_back(self, source_id: Id) -> None:
        await self.services.ingest.resume(source_id)
        self.post_message(self.SourceChanged(("It is back: in the search, and its review is open again.",)))

    # --- another edition -----------------------------------------------------------------------------

    def action_edition(self) -> None:
        if self.current is None:
            return
        source_id = self.current.source.id
        dialog = LineDialog(
            "The file of the newer edition",
            explanation="What is new in it and what is gone is shown first.",
        )
        self.app.push_screen(dialog, partial(self._compare_edition, source_id))

    def _compare_edition(self, source_id: Id, path: str | None) -> None:
        if path:
            self.query_one(NoticePanel).show_lines(("Reading the newer edition …",))
            self.start_change(partial(self._load_edition, source_id, path), "edition")

    async def _load_edition(self, source_id: Id, path: str) -> None:
        self.post_message(
            self.EditionLoaded(path, await self.services.ingest.preview_edition(source_id, path))
        )

    @on(EditionLoaded)
    def _ask_edition(self, message: EditionLoaded) -> None:
        self.query_one(NoticePanel).clear()
        source_id, path = message.view.source.id, message.path
        question = ConfirmDialog(
            f"Put it in the place of “{one_line(message.view.source.title)}”?",
            "\n".join(describe_edition(message.view)),
            yes="Read it in",
            no="Keep the old one",
        )
        self.app.push_screen(
            question, lambda is_yes: self._edition_confirmed(source_id, path, is_confirmed=bool(is_yes))
        )

    def _edition_confirmed(self, source_id: Id, path: str, *, is_confirmed: bool) -> None:
        if is_confirmed:
            self.start_change(partial(self._ingest_edition, source_id, path), "edition")

    async def _ingest_edition(self, source_id: Id, path: str) -> None:
        await self.services.ingest.ingest_edition(source_id, path)
        self.post_message(
            self.SourceChanged(
                ("The newer edition is being read. What you decided about equal passages stays.",)
            )
        )

    @on(SourceChanged)
    def _show_change(self, message: SourceChanged) -> None:
        self.query_one(NoticePanel).show_lines(message.lines)
        self.reload()
