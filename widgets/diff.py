"""What a proposed change would do to canon: each thing before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from agents.views import ProposalView
from widgets.safe_text import content, one_line, plain

ABSENT = "—"
"""How the CanonKeeper says that a thing was not there before, or will not be after."""
_SHORT = 24
"""Values up to this many cells stand side by side."""


def diff_content(diff: Sequence[tuple[str, str, str]]) -> Content:
    """Return a line for each short change, and minus and plus lines for long ones."""
    lines: list[Content] = []
    for what, before, after in diff:
        before, after = ("" if value == ABSENT else value for value in (before, after))
        short = max(cell_len(before), cell_len(after)) <= _SHORT and "\n" not in before + after
        if short:
            lines.append(_side_by_side(one_line(what), one_line(before), one_line(after)))
            continue
        lines.append(content(one_line(what), "bold"))
        lines += [content(f"  − {line}", "$text-error") for line in plain(before).splitlines()]
        lines += [content(f"  + {line}", "$text-success") for line in plain(after).splitlines()]
    return Content("\n").join(lines)


def _side_by_side(what: str, before: str, after: str) -> Content:
    if not before:
        return Content.assemble((what, "bold"), "  ", (f"+ {after}", "$text-success"))
    if not after:
        return Content.assemble((what, "bold"), "  ", (f"− {before}", "$text-error"))
    return Content.assemble(
        (what, "bold"), "  ", (before, "$text-error"), (" → ", "$text-muted"), (after, "$text-success")
    )


class Diff(Static):
    """Before and after of one proposal."""

    HELP_TITLE: ClassVar[str] = "Change"
    HELP_TEXT: ClassVar[str] = "− is what canon says now, + what it would say."
    DEFAULT_CSS = """
    Diff { height: auto; padding: 0 1; color: $foreground; }
    """

    view: reactive[ProposalView | None] = reactive(None, layout=True)
    """The proposal whose change is shown."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(markup=False, id=id, classes=classes)

    def watch_view(self, view: ProposalView | None) -> None:
        if view is None:
            self.update(Content(""))
        elif view.diff:
            self.update(diff_content(view.diff))
        else:
            self.update(content("Nothing in canon changes but that this is added.", "$text-muted"))
