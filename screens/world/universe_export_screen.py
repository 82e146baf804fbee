"""What the Universe screen exports, and what it brings in: an archive, a vault and its edits, a wiki."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import assert_never

from textual import on
from textual.message import Message

from screens.base import ServiceScreen
from screens.dialogs.choice_dialog import ChoiceDialog
from screens.dialogs.line_dialog import LineDialog
from screens.notice_panel import NoticePanel
from stores.records.ids import Id


class WorldExport(Enum):
    """A way to take a world out, or to bring edits of it in."""

    ARCHIVE = auto()
    VAULT = auto()
    SECRET_VAULT = auto()
    SYNC = auto()
    WIKI = auto()
    LOREBOOK = auto()
    STATBLOCKS = auto()


WORLD_EXPORTS = (
    (WorldExport.ARCHIVE, "Archive: the whole campaign in one file"),
    (WorldExport.VAULT, "Obsidian vault: a note for everything, without secrets"),
    (WorldExport.SECRET_VAULT, "Obsidian vault, with secrets"),
    (WorldExport.SYNC, "Sync a vault: what you edited there becomes proposals"),
    (WorldExport.WIKI, "Wiki: a web site in a folder, without secrets"),
    (WorldExport.LOREBOOK, "Lorebook (JSON): the lore entries, without secrets"),
    (
        WorldExport.STATBLOCKS,
        "Stat blocks (JSON, for Fantasy Statblocks): people and beasts, without secrets",
    ),
)
FOLDER_HINT = "Files that you wrote or changed there are left as they are."
SYNC_HINT = "The vault that this world was exported to."


class UniverseExportScreen(ServiceScreen[None]):
    """A screen of one world, which can be exported; its results stand in the screen's notices."""

    universe_id: Id | None = None

    @dataclass
    class FolderNamed(Message):
        """It is known where a world goes unless the player names another folder."""

        universe_id: Id
        choice: WorldExport
        folder: str

    @dataclass
    class WorldExported(Message):
        """The world was exported, or edits of it were brought in."""

        lines: tuple[str, ...]

    def action_export(self) -> None:
        if self.universe_id is not None:
            dialog = ChoiceDialog("Take this world out, or bring edits of it in", WORLD_EXPORTS)
            self.app.push_screen(dialog, partial(self._start_export, self.universe_id))

    def _start_export(self, universe_id: Id, choice: WorldExport | None) -> None:
        if choice is WorldExport.ARCHIVE:
            self._begin_export(partial(self._export_universe, universe_id))
        elif choice is WorldExport.LOREBOOK:
            self._begin_export(partial(self._export_lorebook, universe_id))
        elif choice is WorldExport.STATBLOCKS:
            self._begin_export(partial(self._export_statblocks, universe_id))
        elif choice is not None:
            self.start_change(partial(self._ask_for_folder, universe_id, choice), "export")

    async def _ask_for_folder(self, universe_id: Id, choice: WorldExport) -> None:
        universe = await self.services.world.canon.universe(universe_id)
        form = "wiki" if choice is WorldExport.WIKI else "vault"
        folder = self.services.open_exports().name_folder(universe.name, form)
        self.post_message(self.FolderNamed(universe_id, choice, folder))

    @on(FolderNamed)
    def _show_folder(self, message: FolderNamed) -> None:
        choice = message.choice
        explanation = SYNC_HINT if choice is WorldExport.SYNC else FOLDER_HINT
        dialog = LineDialog("Which folder?", value=message.folder, explanation=explanation)
        self.app.push_screen(dialog, partial(self._start_folder_export, message.universe_id, choice))

    def _start_folder_export(self, universe_id: Id, choice: WorldExport, folder: str | None) -> None:
        if folder:
            self._begin_export(partial(self._export_folder, universe_id, choice, folder))

    def _begin_export(self, export: Callable[[], Awaitable[tuple[str, ...]]]) -> None:
        self.query_one(NoticePanel).show_lines(("Working ...",))

        async def run() -> None:
            self.post_message(self.WorldExported(await export()))

        self.start_change(run, "export")

    async def _export_universe(self, universe_id: Id) -> tuple[str, ...]:
        return (f"Exported to {await self.services.world.export_universe(universe_id)}",)

    async def _export_lorebook(self, universe_id: Id) -> tuple[str, ...]:
        return (f"Exported to {await self.services.open_exports().export_lorebook(universe_id)}",)

    async def _export_statblocks(self, universe_id: Id) -> tuple[str, ...]:
        return (f"Exported to {await self.services.open_exports().export_statblocks(universe_id)}",)

    async def _export_folder(self, universe_id: Id, choice: WorldExport, folder: str) -> tuple[str, ...]:
        exports = self.services.open_exports()
        match choice:
            case WorldExport.VAULT | WorldExport.SECRET_VAULT:
                with_secrets = choice is WorldExport.SECRET_VAULT
                report = await exports.export_vault(universe_id, folder, with_secrets=with_secrets)
                return report.lines
            case WorldExport.WIKI:
                return (await exports.export_wiki(universe_id, folder)).lines
            case WorldExport.SYNC:
                return (await exports.sync_vault(folder)).lines
            case WorldExport.ARCHIVE:
                return await self._export_universe(universe_id)
            case WorldExport.LOREBOOK:
                return await self._export_lorebook(universe_id)
            case WorldExport.STATBLOCKS:
                return await self._export_statblocks(universe_id)
            case _:
                assert_never(choice)

    @on(WorldExported)
    def _show_exported(self, message: WorldExported) -> None:
        self.query_one(NoticePanel).show_lines(message.lines)
