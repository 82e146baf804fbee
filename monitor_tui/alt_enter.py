"""Has Alt+Enter break the line in every terminal.

A terminal without Kitty's keyboard protocol sends it as Escape and a carriage return, which Textual reads as Enter:
a line that was not finished would be sent.
"""

from __future__ import annotations

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys

ALT_ENTER = "\x1b\r"


def read_alt_enter_as_line_break() -> None:
    """Have Textual read what these terminals send as Ctrl+J, the key of every terminal that breaks the line."""
    assert isinstance(ANSI_SEQUENCES_KEYS, dict)
    ANSI_SEQUENCES_KEYS[ALT_ENTER] = (Keys.ControlJ,)
