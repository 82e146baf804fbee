"""Which keys go on with the line in the prompt though something else has the focus."""

from __future__ import annotations

from typing import Any, Final

from textual import events
from textual.binding import Binding
from textual.screen import Screen

from widgets.prompt import PlayPrompt

LINE_STARTS: Final = '/>?"“'
"""Characters that begin a line in the prompt, whatever has the focus."""


class PromptKeys:
    """Tells keys of a line from keys of the screen and its panels."""

    def __init__(self, screen: Screen[Any], prompt: PlayPrompt) -> None:
        self._screen = screen
        self._prompt = prompt

    def belongs_to_line(self, event: events.Key) -> bool:
        """Say whether a key is a letter of the line that is being written, or begins one."""
        if not event.is_printable or event.character is None or event.key.startswith("alt+"):
            return False
        # If the prompt has the keys, this one was typed so fast that it was on its way to the panel still.
        return self._prompt.input_has_focus or bool(self._prompt.text) or self._begins_line(event)

    def may_begin_line(self, event: events.Key) -> bool:
        """Say whether a letter on which a panel would act may be the first of a line: nothing is being written."""
        is_prompt_empty = not self._prompt.input_has_focus and not self._prompt.text
        return is_prompt_empty and (event.character or "").isalpha() and self.is_letter_key(event)

    def may_be_of_line(self, event: events.Key) -> bool:
        """Say whether a key that follows such a letter may go on with the line."""
        return event.is_printable and event.character is not None and not event.key.startswith("alt+")

    def is_letter_key(self, event: events.Key) -> bool:
        """Say whether the focused panel or the screen has such a letter for a key."""
        return (event.character or "") not in LINE_STARTS and self._is_key_here(event.key)

    def _begins_line(self, event: events.Key) -> bool:
        """Say whether a character begins a line, whatever has the focus: `/`, or a letter that is no key."""
        character = event.character or ""
        return character in LINE_STARTS or (character.isalpha() and not self._is_key_here(event.key))

    def _is_key_here(self, key: str) -> bool:
        """Say whether the focused panel or the screen has such a key, though it may have nothing to do now."""
        screen = self._screen
        nodes = screen.focused.ancestors_with_self if screen.focused else ()
        bindings = (b for node in nodes for b in getattr(node, "BINDINGS", ()) if isinstance(b, Binding))
        return key in screen.active_bindings or any(key in binding.key.split(",") for binding in bindings)
