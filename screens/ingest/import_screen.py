"""Imports a log of existing play, or a character card: a preview, then a progress bar. Play may go on meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import ImportProgressed
from agents.importers.cards.card_receipt import CardReceipt, describe_receipt, receipt_lines
from agents.importers.import_runner import describe_undecided
from screens.base import EventReceived
from screens.dialogs.form_fields import Field, FormPage
from screens.folder import SCREENS_FOLDER
from screens.ingest.preview_screen import PreviewScreen
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Route, ToGate, ToStory, Visit
from screens.title_bar import TitleBar
from stores.errors import InputError
from widgets.safe_text import one_line
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.importers.import_views import ImportPreview, ImportProgress, ImportRequest, ImportResult
    from agents.importers.log_entries import ImportProblem
    from agents.services.services import Services

MAX_LISTED = 8
"""Problems, speakers and scenes that are listed."""

BAR_CELLS = 40

_NOTHING_NEW = "All of it was imported already."


class ImportScreen(PreviewScreen):
    """Enter reads the file and previews it; Enter again imports it; x stops the import."""

    CSS_PATH = SCREENS_FOLDER / "ingest/import_screen.tcss"
    AUTO_FOCUS = "FieldInput"
    BINDING_GROUP_TITLE = "Import a log"
    BINDINGS = [
        Binding(
            "enter",
            "go_on",
            "Go on",
            id="import.go_on",
            tooltip="Read the file, then import it, then play it",
            priority=True,
            key_display="⏎",
        ),
        Binding(
            "ctrl+x",
            "cancel",
            "Stop",
            id="import.cancel",
            tooltip="Stop after this scene; what was imported is kept",
        ),
        Binding("escape", "back", "Back", id="import.back", tooltip="Back; a running import goes on"),
    ]

    @dataclass
    class PreviewLoaded(Message):
        order: ImportRequest
        preview: ImportPreview | CardReceipt

    @dataclass
    class ImportEnded(Message):
        """The import is complete, or (None) was stopped."""

        result: ImportResult | CardReceipt | None

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._order: ImportRequest | None = None
        self._next_route: Route | None = None
        """Where Enter leads once the file is imported."""

    def compose(self) -> ComposeResult:
        yield TitleBar("Import a log")
        with VerticalScroll(id="page", can_focus=False):
            yield FormPage(
                "A log (JSON lines, “Name: words”, solo log, journal) or a character card",
                (
                    Field("file", "file", hint="~/logs/campaign.jsonl"),
                    Field(
                        "universe",
                        "universe",
                        hint="a new or an existing world; empty: the log's name",
                    ),
                    Field("story", "story", hint="its title; empty: the log's, or the file's name"),
                    Field("your character", "hero", hint="whose words are yours; empty: nobody's"),
                ),
                id="form",
            )
            yield Static(id="found", markup=False)
            yield Static(id="coming", markup=False)
        yield NoticePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self._show_progress()

    @on(EventReceived)
    def _import_moved(self, message: EventReceived) -> None:
        if isinstance(message.event, ImportProgressed):
            self._show_progress()

    # --- going on ----------------------------------------------------------------------------------

    @on(Input.Changed)
    def _form_changed(self) -> None:
        """Drop the preview: it was of other words in the form."""
        self._order = self._next_route = None
        self.show_found(())

    def take_next_step(self) -> None:
        if self.services.imports.progress is not None:
            return
        if self._next_route is not None:
            self.post_message(Visit(self._next_route))
        elif self._order is not None:
            start_worker(self.app, partial(self._run_import, self._order), "import")
        else:
            self.show_found(("Reading the file ...",))
            self.start_change(self._load_preview, "look")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        running = self.services.imports.progress is not None
        return running if action == "cancel" else not running if action == "go_on" else True

    def action_cancel(self) -> None:
        self.services.imports.cancel()

    async def _load_preview(self) -> None:
        form = self.query_one(FormPage)
        try:
            order = await self.services.imports.open_request(
                form["file"], universe=form["universe"], story=form["story"], hero=form["hero"]
            )
        except InputError as error:
            error.field = "file"
            raise
        self.post_message(self.PreviewLoaded(order, await self.services.imports.preview(order)))

    async def _run_import(self, order: ImportRequest) -> None:
        """Run the import in a worker of the app, so that it goes on when this screen is left."""
        self.post_message(self.ImportEnded(await self.services.imports.run(order)))

    # --- showing -----------------------------------------------------------------------------------

    @on(PreviewLoaded)
    def _show_preview(self, message: PreviewLoaded) -> None:
        self._order = message.order
        preview = message.preview
        lines = _card_lines(preview) if isinstance(preview, CardReceipt) else _preview_lines(preview)
        self.show_found(lines, is_scrolled=True)

    @on(ImportEnded)
    def _show_import_result(self, message: ImportEnded) -> None:
        self._order = None
        if isinstance(message.result, CardReceipt):
            self._next_route = ToGate(None, message.result.universe_id)
            lines = [
                one_line(describe_receipt(message.result)),
                "Enter opens the gate, where you decide on it.",
            ]
            self.show_found(lines)
        elif message.result is not None:
            self._next_route = ToStory(message.result.story_id)
            self.show_found(("Imported. None of it is canon yet. Enter opens the story.",))
        else:
            self.show_found(("Stopped. Enter reads the file again and continues.",))
        self._show_progress()

    def _show_progress(self) -> None:
        running = self.services.imports.progress
        self.query_one(FormPage).disabled = running is not None
        self.query_one("#coming", Static).update(_progress_bar(running) if running else "")
        self.refresh_bindings()


def _preview_lines(preview: ImportPreview) -> list[str]:
    """Return what is in the file, and what Enter would do."""
    universe = f"{one_line(preview.universe)}{' (new)' if preview.new_universe else ''}"
    lines = [
        f"{preview.turns:,} turns in {preview.scenes:,} scenes, {preview.notes:,} notes out of character",
        f"as “{one_line(preview.story)}” in {universe}",
    ]
    if preview.hero:
        lines.append(f"with {one_line(preview.hero)}{' (new)' if preview.new_hero else ''} as your character")
    speakers = [
        f"{one_line(name) or 'without a name'} ({voice}) {times:,}" for name, voice, times in preview.speakers
    ]
    lines += [
        "",
        f"who speaks: {_shortened_list(speakers)}",
        f"scenes: {_shortened_list([one_line(t) for t in preview.titles])}",
    ]
    if preview.proposal_count:
        noun = "change" if preview.proposal_count == 1 else "changes"
        lines.append(
            f"proposed from its tags and links: {preview.proposal_count:,} {noun}, which you decide on"
        )
    if undecided := describe_undecided(preview.undecided_names):
        lines.append(one_line(undecided))
    lines += _listed_problems(preview.problems)
    if preview.turns_already_in >= preview.turns:
        lines += ["", _NOTHING_NEW]
    elif preview.turns_already_in:
        lines += [
            "",
            f"{preview.turns_already_in:,} turns were imported already. Enter continues from there.",
        ]
    else:
        lines += ["", "Enter imports it. None of it becomes canon."]
    return lines


def _card_lines(receipt: CardReceipt) -> list[str]:
    """Return what is in a card or lorebook, and what Enter would do."""
    lines = [one_line(line) for line in receipt_lines(receipt)]
    if receipt.character:
        lines.append(f"{{{{user}}}} stands for {one_line(receipt.user)}")
    lines += _listed_problems(receipt.problems)
    return [
        *lines,
        "",
        "Enter imports it. None of it becomes canon." if receipt.proposal_count else _NOTHING_NEW,
    ]


def _listed_problems(problems: Sequence[ImportProblem]) -> list[str]:
    """Return what to check in a file, and how much more of it there is."""
    if not problems:
        return []
    lines = ["", f"please check ({len(problems):,}):"]
    lines += [f"  {one_line(str(problem))}" for problem in problems[:MAX_LISTED]]
    return [*lines, f"  ... and {len(problems) - MAX_LISTED:,} more"] if len(problems) > MAX_LISTED else lines


def _shortened_list(items: list[str]) -> str:
    more_note = f" and {len(items) - MAX_LISTED:,} more" if len(items) > MAX_LISTED else ""
    return f"{', '.join(items[:MAX_LISTED])}{more_note}"


def _progress_bar(progress: ImportProgress) -> str:
    if not progress.total_turns:
        return "Reading the log ..."
    filled_cells = BAR_CELLS * progress.turns // progress.total_turns
    turns = f"{progress.turns:,} of {progress.total_turns:,} turns"
    return (
        f"{'█' * filled_cells}{'░' * (BAR_CELLS - filled_cells)}\n{turns}, {progress.scenes:,} "
        f"of {progress.total_scenes:,} scenes"
    )
