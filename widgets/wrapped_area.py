"""A field of a dialog for words of several rows."""

from __future__ import annotations

from textual.widgets import TextArea


class WrappedArea(TextArea):
    """Words that wrap. Ctrl+U clears all of them, as in the prompt, and not only the row that the cursor is on."""

    def __init__(self, text: str, *, id: str | None = None) -> None:
        super().__init__(text, id=id, soft_wrap=True, compact=True, tab_behavior="focus")

    def action_delete_to_start_of_line(self) -> None:
        """Clear the whole field; Ctrl+Z in it brings the words back."""
        self._replace_via_keyboard("", self.document.start, self.document.end)
