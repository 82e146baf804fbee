"""Reads in a document, a folder or a vault: first what it would bring and cost, then the reading, behind play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input, Static

from agents.count_words import count_noun
from screens.dialogs.file_dialog import FileDialog
from screens.dialogs.form_fields import ChoiceField, Field, FormPage
from screens.folder import SCREENS_FOLDER
from screens.ingest.preview_screen import PreviewScreen
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToSources, Visit
from screens.title_bar import TitleBar
from stores.errors import InputError
from stores.records.ids import Id
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents.services.services import Services
    from agents.views.ingest_views import DocumentPreview, IngestEstimate
    from stores.records.world import Universe

MAX_LISTED: Final = 8
MICROS_PER_DOLLAR: Final = 1_000_000
WITHOUT_MODEL: Final = "without a model"
WITH_MODEL: Final = "with the model"
LEAVE_OUT: Final = "left out"
READ_PICTURES: Final = "read by the model"


class DocumentScreen(PreviewScreen):
    """Enter estimates; Enter again reads it in. Nothing is stored or paid before that."""

    CSS_PATH = SCREENS_FOLDER / "ingest/document_screen.tcss"
    AUTO_FOCUS = "FieldInput"
    BINDING_GROUP_TITLE = "Read in a document"
    BINDINGS = [
        Binding(
            "enter",
            "go_on",
            "Go on",
            id="document.go_on",
            tooltip="Look what it would bring, then read it in",
            priority=True,
            key_display="⏎",
        ),
        Binding(
            "ctrl+o", "choose_file", "Choose a file", id="document.choose", tooltip="Choose from your folders"
        ),
        Binding("escape", "back", "Back", id="document.back", tooltip="Back; nothing is read in"),
    ]

    @dataclass
    class UniversesLoaded(Message):
        universes: list[Universe]

    @dataclass
    class EstimateLoaded(Message):
        estimate: IngestEstimate

    @dataclass
    class ReadingStarted(Message):
        universe_id: Id

    def __init__(
        self, services: Services, universe_id: Id | None = None, *, beside_play: bool = False
    ) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._is_beside_play = beside_play
        self._universes: list[Universe] = []
        self._estimate: IngestEstimate | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Read in a document")
        with VerticalScroll(id="page", can_focus=False):
            yield FormPage(
                "A rulebook, a setting, a novel, notes: PDF, EPUB, HTML, DOCX, Markdown or text; a folder, a vault",
                (
                    Field("file or folder", "file", hint="~/books/rules.pdf"),
                    Field(
                        "world", "universe", hint="a new or an existing world; empty: the document's title"
                    ),
                    ChoiceField(
                        "read it",
                        (
                            (
                                WITHOUT_MODEL,
                                "found by rule: it costs nothing",
                            ),
                            (WITH_MODEL, "it is asked about each passage"),
                        ),
                        "model",
                    ),
                    ChoiceField(
                        "scanned pages",
                        (
                            (LEAVE_OUT, "pictures without text: nothing is found in them"),
                            (READ_PICTURES, "it is shown each of them, and writes out its text"),
                        ),
                        "pictures",
                    ),
                ),
                id="form",
            )
            yield Static(id="found", markup=False)
        yield NoticePanel()
        yield KeyBar()

    # --- reading -----------------------------------------------------------------------------------

    async def load_view(self) -> None:
        self.post_message(self.UniversesLoaded(await self.services.stories.universes()))

    @on(UniversesLoaded)
    def _show_universes(self, message: UniversesLoaded) -> None:
        self._universes = message.universes
        chosen = next((u for u in self._universes if u.id == self.universe_id), None)
        if chosen is not None:
            self.query_one(FormPage).suggest("universe", chosen.name)

    # --- going on ----------------------------------------------------------------------------------

    @on(Input.Changed)
    @on(ChoiceField.Changed)
    def _form_changed(self) -> None:
        """Drop the estimate: it was of other words in the form."""
        self._estimate = None
        self.show_found(())

    def take_next_step(self) -> None:
        if self._estimate is None:
            self.show_found(("Looking into it …",))
            self.start_change(self._load_estimate, "look")
        elif self._estimate.documents:
            self.start_change(self._start_reading, "start")

    def action_choose_file(self) -> None:
        self.app.push_screen(FileDialog(self.query_one(FormPage)["file"]), self._file_chosen)

    def _file_chosen(self, path: str | None) -> None:
        if path:
            self.query_one(FormPage)["file"] = path

    async def _load_estimate(self) -> None:
        path, universe = self.query_one(FormPage)["file"], self._find_universe()
        try:
            if not path:
                raise InputError(
                    "No file is named.", todo="Type its path, or choose one with Ctrl+O.", field="file"
                )
            estimate = await self.services.ingest.preview(path, universe.id if universe else None)
        except InputError as error:
            error.field = "file"
            raise
        self.post_message(self.EstimateLoaded(estimate))

    @on(EstimateLoaded)
    def _show_estimate(self, message: EstimateLoaded) -> None:
        self._estimate = message.estimate
        lines = _estimate_lines(
            message.estimate, uses_model=self._uses_model, reads_pictures=self._reads_pictures
        )
        self.show_found(lines, is_scrolled=True)

    async def _start_reading(self) -> None:
        form, universe = self.query_one(FormPage), self._find_universe()
        if not self._reads_pictures and not any(one.has_text for one in self._estimate_documents):
            raise InputError(
                "It has pictures of pages and no text.",
                kept="Nothing was stored.",
                todo=f"Choose “{READ_PICTURES}” for its scanned pages.",
                field="pictures",
            )
        started = await self.services.ingest.start(
            form["file"],
            universe.id if universe else None,
            new_universe="" if universe else form["universe"],
            uses_model=self._uses_model,
            reads_pictures=self._reads_pictures,
        )
        self.post_message(self.ReadingStarted(started[0].universe_id))

    @on(ReadingStarted)
    def _show_documents(self, message: ReadingStarted) -> None:
        self.post_message(Visit(Back(self) if self._is_beside_play else ToSources(message.universe_id)))

    @property
    def _uses_model(self) -> bool:
        return self.query_one(FormPage)["model"] == WITH_MODEL

    @property
    def _reads_pictures(self) -> bool:
        return self.query_one(FormPage)["pictures"] == READ_PICTURES

    @property
    def _estimate_documents(self) -> Sequence[DocumentPreview]:
        return self._estimate.documents if self._estimate is not None else ()

    def _find_universe(self) -> Universe | None:
        """Return the world that is named, if there is one of that name."""
        name = self.query_one(FormPage)["universe"].casefold()
        return next((u for u in self._universes if u.name.casefold() == name), None) if name else None


def _estimate_lines(estimate: IngestEstimate, *, uses_model: bool, reads_pictures: bool) -> list[str]:
    """Return what would be read, how long it takes and what it costs, and what is left out."""
    lines = []
    for document in estimate.documents[:MAX_LISTED]:
        about = "about " if document.is_estimated else ""
        lines.append(f"{one_line(document.title)}: {about}{count_noun(document.page_count, 'page')}")
        if document.same_as:
            lines.append(f"  is here already, as “{one_line(document.same_as)}”: it is not read again")
        lines += [f"  {one_line(note)}" for note in document.notes]
        if document.picture_count:
            lines.append(f"  {about}{count_noun(document.picture_count, 'page')} of it scanned: without text")
    if len(estimate.documents) > MAX_LISTED:
        lines.append(f"… and {count_noun(len(estimate.documents) - MAX_LISTED, 'more document')}")
    if estimate.skipped:
        lines += ["", f"not read ({len(estimate.skipped):,}):"]
        lines += [
            f"  {one_line(file.path)}: {one_line(file.reason)}" for file in estimate.skipped[:MAX_LISTED]
        ]
    if not estimate.documents:
        return [*lines, "", "There is nothing to read."]
    lines += [
        "",
        f"{count_noun(estimate.page_count, 'page')} in all, {_duration(estimate.seconds)} to read, beside play.",
    ]
    lines.append(_cost_line(estimate, uses_model=uses_model))
    if estimate.picture_count:
        lines.append(_picture_line(estimate, reads_pictures=reads_pictures))
    return [
        *lines,
        "",
        "Enter reads it in. What it says is proposed; nothing of it is true before you accept it.",
    ]


def _picture_line(estimate: IngestEstimate, *, reads_pictures: bool) -> str:
    """Return what becomes of the pages that are pictures without text."""
    pages = count_noun(estimate.picture_count, "scanned page")
    if not estimate.sees_pictures:
        return f"{pages}: left out. A model that sees pictures could read them (M on the menu)."
    cost = (
        "at a price that is not known"
        if estimate.picture_micros is None
        else f"about ${estimate.picture_micros / MICROS_PER_DOLLAR:.2f}"
    )
    if reads_pictures:
        return f"{pages}: {one_line(estimate.model)} is shown each of them, {cost}."
    return f"{pages}: left out. {one_line(estimate.model)} could read them, {cost} (scanned pages, above)."


def _cost_line(estimate: IngestEstimate, *, uses_model: bool) -> str:
    if not uses_model:
        return "It costs nothing: no model is asked."
    if not estimate.model:
        return "No model is set up (M on the menu): it is read without one, and the model can be asked later."
    tokens = f"{estimate.token_count:,} tokens for {one_line(estimate.model)}"
    if estimate.micros is None:
        return f"{tokens}, at a price that is not known."
    return f"{tokens}, about ${estimate.micros / MICROS_PER_DOLLAR:.2f}."


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60):,} min"
