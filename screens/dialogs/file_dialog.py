"""Chooses a file or a folder from the folders of this machine."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import DirectoryTree, Static

from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar


class FileDialog(Dialog[str | None]):
    """Dismisses with the path that was chosen, or None. Enter takes a file and opens a folder; `o` takes a folder."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "DirectoryTree"
    BINDING_GROUP_TITLE = "Choose a file"
    DEFAULT_CSS = """
    FileDialog DirectoryTree { height: 20; max-height: 70vh; background: $surface; }
    """
    BINDINGS = [
        Binding("o", "take", "Open", id="file.take", tooltip="Take this file or this whole folder"),
        Binding("escape", "leave", "Leave as it was", id="file.leave", tooltip="Choose none"),
    ]

    def __init__(self, typed_path: str = "", *, takes_folders: bool = True) -> None:
        """Begin in the folder of what was typed, or in the home folder."""
        super().__init__()
        self._takes_folders = takes_folders
        typed = Path(typed_path).expanduser() if typed_path else Path.home()
        folder = typed if typed.is_dir() else typed.parent
        self._folder = folder if folder.is_dir() else Path.home()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            ways = "Enter takes a file, o a whole folder." if self._takes_folders else "Enter takes a file."
            yield Static(ways, classes="question", markup=False)
            yield DirectoryTree(self._folder)
        yield KeyBar()

    @on(DirectoryTree.FileSelected)
    def _take_file(self, message: DirectoryTree.FileSelected) -> None:
        message.stop()
        self.dismiss(str(message.path))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "take":
            return self._takes_folders
        return super().check_action(action, parameters)

    def action_take(self) -> None:
        node = self.query_one(DirectoryTree).cursor_node
        if node is not None and node.data is not None:
            self.dismiss(str(node.data.path))

    def action_leave(self) -> None:
        self.dismiss(None)
