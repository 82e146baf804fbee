"""The tables to roll on: those of a world, the user's own and the program's, with their rows; and their editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.views.table_views import TablesView
from screens.base import ServiceScreen
from screens.dialogs.checked_text_screen import CheckedTextScreen
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.table_list import TableList
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.services.services import Services

TABLE_HINT = """\
A table as YAML, in the folder tables of your home folder. weight: how many faces of the die a row has;
{weather} in a row rolls on the table weather, too."""


class TablesScreen(ServiceScreen[None]):
    """One list; Enter edits a table."""

    CSS_PATH = SCREENS_FOLDER / "world/tables_screen.tcss"
    AUTO_FOCUS = "TableList"
    BINDING_GROUP_TITLE = "Tables"
    BINDINGS = [
        Binding("n", "new", "New", id="tables.new", tooltip="Write a table of your own"),
        Binding("escape,q", "escape", "Back", id="tables.escape", tooltip="One step back"),
    ]

    @dataclass
    class TablesLoaded(Message):
        tables: TablesView

    @dataclass
    class TextRead(Message):
        name: str
        text: str

    def __init__(self, services: Services, universe_id: Id | None = None) -> None:
        super().__init__(services)
        self._universe_id = universe_id

    def compose(self) -> ComposeResult:
        yield TitleBar("Tables")
        yield TableList(empty="Reading …")
        yield NoticePanel()
        yield KeyBar()

    async def load_view(self) -> None:
        self.post_message(self.TablesLoaded(await self.services.tables.list_tables(self._universe_id)))

    @on(TablesLoaded)
    def _show_tables(self, message: TablesLoaded) -> None:
        self.query_one(TableList).show_tables(message.tables)
        self.refresh_bindings()

    @on(TableList.ChangeRequested)
    def _edit_table(self, message: TableList.ChangeRequested) -> None:
        message.stop()
        self._start_edit(message.table.name)

    def action_new(self) -> None:
        from agents.services.tables import parse_table_name

        def edit(name: str | None) -> None:
            if name is not None:
                self._start_edit(parse_table_name(name))

        dialog = LineDialog(
            "What is the table called?",
            explanation="/table rolls on it by this name, as weather_at_sea.",
            validate_line=parse_table_name,
        )
        self.app.push_screen(dialog, edit)

    def _start_edit(self, name: str) -> None:
        async def read() -> None:
            self.post_message(self.TextRead(name, await self.services.tables.read_text(name)))

        start_worker(self, read, "edit", is_exclusive=True)

    @on(TextRead)
    def _open_editor(self, message: TextRead) -> None:
        self.app.push_screen(TableEditScreen(self.services, message.name, message.text))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))


class TableEditScreen(CheckedTextScreen):
    """An editor of one table of the user's own."""

    BINDING_GROUP_TITLE = "Table"
    BINDINGS = [
        Binding("ctrl+s", "save", "Save", id="table_edit.save", tooltip="Check and save it", priority=True),
        Binding(
            "escape", "leave", "Back", id="table_edit.leave", tooltip="Back to the tables", priority=True
        ),
    ]

    def __init__(self, services: Services, name: str, text: str) -> None:
        super().__init__(services, "Table", name, TABLE_HINT, text)
        self._name_of_table = name

    async def save_text(self, text: str) -> tuple[str, ...]:
        return await self.services.tables.save_table(self._name_of_table, text)
