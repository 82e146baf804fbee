"""What every dialog has: it is modal, and the letters at the panes lead to its fields, too."""

from __future__ import annotations

from typing import TypeVar

from textual.binding import Binding
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """A question, a form or a list over a screen. Keys of the application that work here are bound here again."""

    BINDINGS = [
        Binding(
            "f1",
            "app.help",
            "Help",
            id="app.help",
            tooltip="Keys, commands and the tour",
            show=False,
        ),
        Binding(
            "f12",
            "app.jump",
            "Jump",
            id="app.jump",
            tooltip="Letters at the panes: one of them focuses its pane",
            show=False,
        ),
    ]
