"""Help that lives with the widget it is about, so the help screen has no list of its own to forget."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable


@runtime_checkable
class Helpable(Protocol):
    """A widget that explains itself: a title and a few lines of plain text."""

    HELP_TITLE: ClassVar[str]
    HELP_TEXT: ClassVar[str]
