"""Asks who may know a fact."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from screens.dialogs.line_dialog import LineDialog
from widgets.safe_text import one_line

EVERYBODY_WORD = "all"
"""What is typed for a fact that is no secret."""


def knowers_dialog(statement: str, known_to: str, save_names: Callable[[str], Awaitable[None]]) -> LineDialog:
    """Return a dialog that asks who may know a fact and saves the answer; `known_to` is who may now."""
    return LineDialog(
        f"Who may know it? {one_line(statement)}",
        value=known_to,
        explanation="Names with commas; nobody: you alone, as the GM; all: no secret.",
        suggestions=(EVERYBODY_WORD, "nobody"),
        save_line=save_names,
    )
