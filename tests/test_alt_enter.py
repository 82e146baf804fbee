"""Alt+Enter breaks the line, as a terminal without Kitty's keyboard protocol sends it."""

from __future__ import annotations

from textual._xterm_parser import XTermParser

from monitor_tui.alt_enter import ALT_ENTER, read_alt_enter_as_line_break


def keys_of(sent: str) -> list[str]:
    return [getattr(event, "key", "") for event in XTermParser().feed(sent)]


def test_alt_enter_of_any_terminal_is_the_key_that_breaks_the_line() -> None:
    read_alt_enter_as_line_break()
    assert keys_of(f"a{ALT_ENTER}b") == ["a", "ctrl+j", "b"]
    assert keys_of("a\rb\x1b[A") == ["a", "enter", "b", "up"]
