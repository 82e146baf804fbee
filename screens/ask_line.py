"""Ask for one line: a name, a sum, a key. What is wrong with it is said there, with every letter kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from screens.key_bar import KeyBar
from stores.errors import InputError

LONGEST = 500


class AskLineScreen(ModalScreen[str | None]):
    """Dismisses with the line (empty, if that is an answer), or None if nothing is to change."""

    CSS_PATH = "dialog.tcss"
    AUTO_FOCUS = "Input"
    BINDING_GROUP_TITLE = "One line"
    BINDINGS = [
        Binding("enter", "save", "Keep", id="ask.save", tooltip="Take this line", priority=True),
        Binding("escape", "leave", "Leave as it was", id="ask.leave", tooltip="Change nothing"),
    ]

    def __init__(
        self,
        heading: str,
        *,
        value: str = "",
        about: str = "",
        secret: bool = False,
        known: Sequence[str] = (),
        check: Callable[[str], object] | None = None,
    ) -> None:
        """`check` raises InputError for a line that cannot be taken; a `secret` line is not shown."""
        super().__init__()
        self._heading = heading
        self._about = about
        self._check = check
        self._input = Input(
            value,
            password=secret,
            compact=True,
            max_length=LONGEST,
            select_on_focus=False,
            suggester=SuggestFromList(known, case_sensitive=False) if known else None,
        )

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            if self._about:
                yield Static(self._about, classes="detail", markup=False)
            yield self._input
            yield Static(id="problem", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._input.action_end()

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        self.query_one("#problem", Static).update("")

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()

    def action_save(self) -> None:
        """Save behind the keys that were typed before Enter: they may still wait in the field's queue."""
        self._input.call_later(self._save)

    def _save(self) -> None:
        if not self.is_current:
            return  # Enter was pressed twice
        line = self._input.value.strip()
        try:
            if self._check is not None:
                self._check(line)
        except InputError as error:
            self.query_one("#problem", Static).update(" ".join(filter(None, (error.what, error.todo))))
        else:
            self.dismiss(line)

    def action_leave(self) -> None:
        self.dismiss(None)
