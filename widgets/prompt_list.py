"""The prompts by row: what each does, its model, its samplers, and whether it is the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.llm_views import PromptView
from widgets.ink import Ink, Line
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap

NAME_CELLS = 18


class PromptList(RowList[PromptView]):
    """Usual work first, then the other tasks."""

    HELP_TITLE: ClassVar[str] = "Prompts"
    HELP_TEXT: ClassVar[str] = (
        "Enter shows a prompt with its model and samplers, to be changed. Del goes back to the bundled one; "
        "your file is set aside as .bak."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="prompts.open", tooltip="Its text, model and samplers"),
        Binding(
            "delete",
            "reset",
            "Remove",
            id="prompts.reset",
            tooltip="Back to the bundled prompt; yours is set aside",
        ),
    ]

    class PromptOpened(Message):
        """A prompt is to be shown and changed."""

        def __init__(self, view: PromptView) -> None:
            super().__init__()
            self.view = view

    class ResetRequested(PromptOpened):
        """The user's own prompt is to be set aside."""

    def show_prompts(self, views: Sequence[PromptView]) -> None:
        """Show the prompts; the cursor stays on its row."""
        self.set_rows(list(_prompt_rows(views)))

    def row_highlighted(self, value: PromptView | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "open":
                return self.current is not None
            case "reset":
                return self.current is not None and bool(self.current.file_name)
        return super().check_action(action, parameters)

    def row_chosen(self, value: PromptView) -> None:
        self.post_message(self.PromptOpened(value))

    def action_open(self) -> None:
        if self.current is not None:
            self.row_chosen(self.current)

    def action_reset(self) -> None:
        if self.current is not None:
            self.post_message(self.ResetRequested(self.current))


def samplers_text(view: PromptView) -> str:
    """Return the samplers in a few words: `temperature 0.8, 700 tokens, stops at 1 text`."""
    temperature = view.prompt_temperature if view.temperature is None else view.temperature
    parts = [f"temperature {temperature:g}"]
    if view.top_p is not None:
        parts.append(f"top p {view.top_p:g}")
    parts.append(f"{view.max_tokens or view.prompt_max_tokens:,} tokens")
    if view.stop:
        parts.append(f"stops at {len(view.stop)} text{'s' if len(view.stop) > 1 else ''}")
    return ", ".join(parts)


def _prompt_rows(views: Sequence[PromptView]) -> Iterator[ListRow[PromptView]]:
    for heading, is_extra in (("Prompts of the personas", False), ("Their prompts for other tasks", True)):
        yield heading_row(heading)
        for view in views:
            if bool(view.task) is is_extra:
                yield ListRow(f"prompt {view.name}", partial(_prompt_lines, view), view)
    yield text_row("note", "The Librarian and the Steward check drafts with the Critic's prompt.")


def _prompt_lines(view: PromptView, width: int) -> Sequence[Line]:
    indent = (" " * (2 + NAME_CELLS), Ink.PROSE)
    room = max(10, width - 2 - NAME_CELLS)
    first, *rest = wrap(one_line(view.does), room)
    lines: list[Line] = [[("  ", Ink.PROSE), (pad(view.name, NAME_CELLS), Ink.STRONG), (first, Ink.PROSE)]]
    lines += [[indent, (line, Ink.PROSE)] for line in rest]
    model = view.own_model or ("the default model" if view.model else "no model yet")
    lines.append([indent, (ellipsise(f"{model}: {samplers_text(view)}", room), Ink.MUTED)])
    if view.problem:
        lines += [[indent, (line, Ink.WARN)] for line in wrap(f"⚠ {one_line(view.problem)}", room)]
    elif view.file_name:
        lines.append([indent, (ellipsise(f"✎ your own: prompts/{view.file_name}", room), Ink.NPC)])
    return lines
