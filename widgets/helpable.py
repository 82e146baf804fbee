"""Help that belongs to the widget it describes, so that the help screen needs no list of its own."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable


@runtime_checkable
class Helpable(Protocol):
    """A widget with help: a title and a few lines of plain text."""

    HELP_TITLE: ClassVar[str]
    HELP_TEXT: ClassVar[str]
