"""A page of a document, and what it made true."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, ProposalsChanged
from agents.ingest.documents.formats import MediaType
from screens.base import ServiceScreen
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.page_text import PageText
from widgets.passage_list import PassageList
from widgets.pictures.picture_kinds import PictureKind
from widgets.pictures.picture_view import PictureView
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.ingest_views import PageView, SourceHit

MAX_LISTED: Final = 20
PICTURES_OFF = "Pictures are off in the settings (Look, Pictures). X writes the page to a picture file."
NOTHING_YET = "Nothing in canon rests on this page."


class PageScreen(ServiceScreen[None]):
    """The text of one page; left and right turn it, / searches the document."""

    CSS_PATH = SCREENS_FOLDER / "ingest/page_screen.tcss"
    AUTO_FOCUS = "PageText"
    BINDING_GROUP_TITLE = "A page of a document"
    BINDINGS = [
        Binding("left", "turn(-1)", "Page before", id="page.before", tooltip="The page before"),
        Binding("right", "turn(1)", "Page after", id="page.after", tooltip="The page after"),
        Binding(
            "slash", "search", "Search", id="page.search", tooltip="Search the document", key_display="/"
        ),
        Binding(
            "I",
            "picture",
            "Picture",
            id="page.picture",
            tooltip="The page as it is printed, where the terminal can show it, or its text",
        ),
        Binding(
            "X",
            "export",
            "Export",
            id="page.export",
            tooltip="Write the page, as it is printed, to a picture",
        ),
        Binding("escape,q", "escape", "Back", id="page.escape", tooltip="One step back"),
    ]

    @dataclass
    class PageLoaded(Message):
        view: PageView

    @dataclass
    class PageExported(Message):
        path: str

    @dataclass
    class PassagesFound(Message):
        words: str
        hits: tuple[SourceHit, ...]

    def __init__(self, services: Services, source_id: Id, number: int, quote: str = "") -> None:
        """`quote` is marked on the page."""
        super().__init__(services)
        self.source_id = source_id
        self.number = number
        self._quote = quote
        self._view: PageView | None = None
        self._shows_picture = False

    def compose(self) -> ComposeResult:
        yield TitleBar("Page")
        yield Input(id="search", placeholder="words to look for in the document", compact=True)
        with Horizontal(id="details"):
            yield PageText()
            yield PictureView()
            with VerticalScroll(id="made", can_focus=False):
                yield Static(id="rests", markup=False)
            yield PassageList(empty="No passage has these words.")
        yield NoticePanel()
        yield KeyBar()

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, ProposalsChanged | CanonCommitted)

    async def load_view(self) -> None:
        self.post_message(self.PageLoaded(await self.services.ingest.read_page(self.source_id, self.number)))

    @on(PageLoaded)
    def _show_page(self, message: PageLoaded) -> None:
        view = message.view
        if view.number != self.number:
            return
        self._view = view
        label = f"page {view.number}" + (f" ({one_line(view.label)})" if view.label else "")
        count = view.source.page_count
        place = f"{label} of {count:,}" if count else label
        if view.transcribed_by:
            place = f"{place}, read from its picture by {one_line(view.transcribed_by)}"
        self.query_one(TitleBar).show_place(one_line(view.source.title), place)
        self.query_one(PageText).show_text(view.text, self._quote)
        self.query_one("#rests", Static).update(content("\n".join(_rest_lines(view))))
        self._show_picture()
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "turn" and not isinstance(self.focused, Input):
            target = self.number + int(str(parameters[0]))
            page_count = self._view.source.page_count if self._view is not None else None
            return 1 <= target <= (page_count or self.number)
        if action in ("export", "picture"):
            return self._view is not None and self._view.source.media_type == MediaType.PDF
        return super().check_action(action, parameters)

    def action_picture(self) -> None:
        """Show the page as it is printed: in place of its text where that can be read, else small beside it."""
        if self.query_one(PictureView).kind is PictureKind.OFF:
            self.query_one(NoticePanel).show_lines((PICTURES_OFF,))
            return
        self._shows_picture = not self._shows_picture
        self._show_picture()

    def _show_picture(self) -> None:
        view, is_shown = self.query_one(PictureView), self._shows_picture
        read = partial(self.services.ingest.read_page_picture, self.source_id, self.number)
        view.show_picture(f"{self.source_id} {self.number}", read if is_shown else None)
        details = self.query_one("#details")
        details.set_class(is_shown, "-pictured")
        details.set_class(is_shown and view.kind.has_pixels, "-legible")

    def action_export(self) -> None:
        self.query_one(NoticePanel).show_lines(("Drawing the page …",))
        self.start_change(partial(self._export_page, self.number), "export")

    async def _export_page(self, number: int) -> None:
        self.post_message(self.PageExported(await self.services.ingest.export_page(self.source_id, number)))

    @on(PageExported)
    def _show_exported(self, message: PageExported) -> None:
        self.query_one(NoticePanel).show_lines((f"Written: {message.path}",))

    def action_turn(self, step: int) -> None:
        self.number += step
        self._quote = ""
        self.reload()

    def action_search(self) -> None:
        field = self.query_one("#search", Input)
        field.add_class("-shown")
        field.focus()

    @on(Input.Submitted, "#search")
    def _search(self, message: Input.Submitted) -> None:
        message.stop()
        if message.value.strip():
            self.run_worker(
                self._find_passages(message.value.strip()),
                group="search",
                exclusive=True,
                exit_on_error=False,
            )

    async def _find_passages(self, words: str) -> None:
        self.post_message(self.PassagesFound(words, await self.services.ingest.search(self.source_id, words)))

    @on(PassagesFound)
    def _show_passages(self, message: PassagesFound) -> None:
        passage_list = self.query_one(PassageList)
        self.query_one("#details").add_class("-searched")
        passage_list.show_passages(message.hits)
        passage_list.focus()

    @on(PassageList.Chosen)
    def _open_passage(self, message: PassageList.Chosen) -> None:
        if message.hit.passage.page is not None:
            self.number, self._quote = message.hit.passage.page, message.hit.passage.text
            self._close_search()
            self.reload()

    def _close_search(self) -> None:
        field = self.query_one("#search", Input)
        field.clear()
        field.remove_class("-shown")
        self.query_one("#details").remove_class("-searched")
        self.query_one(PageText).focus()

    def action_escape(self) -> None:
        """Go one step back: close the notes, the search, then the page."""
        if self.query_one(NoticePanel).asks_for_attention:
            self.query_one(NoticePanel).clear()
        elif self.query_one("#search").has_class("-shown"):
            self._close_search()
        else:
            self.post_message(Visit(Back(self)))


def _rest_lines(view: PageView) -> list[str]:
    """Return what rests on the page: in canon, and proposed."""
    facts = [one_line(fact.fact.statement) for fact in view.facts]
    names = [one_line(entity.name) for entity in view.entities]
    proposals = [one_line(row.title) for row in view.proposals]
    lines = []
    for heading, texts in (("In canon", names + facts), ("Proposed", proposals)):
        if texts:
            lines += [heading, *(f"· {text}" for text in texts[:MAX_LISTED])]
            lines += [f"  and {len(texts) - MAX_LISTED:,} more"] if len(texts) > MAX_LISTED else []
            lines.append("")
    return lines or [NOTHING_YET]
