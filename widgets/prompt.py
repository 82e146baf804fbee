"""The line that the player types into: history, completion, a hint for the command being typed.

Enter sends, Ctrl+J (or Shift+Enter where the terminal reports it) breaks the line. Keys that mean nothing in an
empty prompt (Left, Right, Enter) are left to the screen, and undo and redo always are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import Static, TextArea
from textual.widgets.text_area import Edit, EditResult, Selection

from agents.views.replies import CommandHelp
from widgets.completion import Completer
from widgets.safe_text import content, plain_text

MAX_HISTORY = 500
MAX_PASTE_LENGTH = 200_000
"""Characters in one paste: ten times what one turn holds, a fraction of what would delay typing."""

SELECTED_HINT = "Typing replaces it · → goes on with it · Up brings it back"


class PromptArea(TextArea):
    """The text area inside the prompt. It turns keys into messages for the prompt."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Send", id="prompt.submit", tooltip="Send what is typed"),
        Binding(
            "ctrl+j,shift+enter,alt+enter",
            "newline",
            "New line",
            show=False,
            id="prompt.newline",
            tooltip="Break the line",
        ),
        Binding(
            "tab",
            "complete",
            "Complete",
            show=False,
            id="prompt.complete",
            tooltip="Complete a command or a name",
        ),
        Binding(
            "alt+z",
            "undo_typing",
            "Typing back",
            show=False,
            id="prompt.undo_typing",
            tooltip="Undo what was typed",
            system=True,
        ),
        Binding(
            "alt+y",
            "redo_typing",
            "Typing forward",
            show=False,
            id="prompt.redo_typing",
            tooltip="Redo what was typed",
            system=True,
        ),
    ]

    @dataclass
    class LineSent(Message):
        """A line to play; `refused` if the prompt was busy and keeps it."""

        text: str
        is_refused: bool
        revised_line: str

    @dataclass
    class PasteRefused(Message):
        """A paste was too long; nothing was inserted."""

        length: int

    def __init__(self) -> None:
        self._style_updates = 0
        self._applied_styles: tuple[object, ...] = ()
        super().__init__(soft_wrap=True, tab_behavior="focus", compact=True, highlight_cursor_line=False)
        self.completer = Completer()
        self.is_busy = False
        self._history: list[str] = []
        self._history_index = 0
        self._draft = ""
        self._candidates: Sequence[str] = ()
        self._candidate_index = 0
        self._is_name_completed = False
        """Whether the candidates are names behind an `@`."""
        self.suggested_line = ""
        self._taken_line = ""
        """The suggested line that Tab put in, until something is typed behind it."""
        self._revised_line = ""
        """The line of the history that what is typed was edited from; empty if it is typed anew."""
        self.has_seen_key = False

    # --- drawing -----------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        self._style_updates += 1
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        # TextArea reads its component styles anew for each frame, also as the cursor blinks: a fifth of each letter.
        styles = (self._theme, self._style_updates, self.rich_style, self.app.current_theme)
        if styles == self._applied_styles:
            return super(TextArea, self).render_lines(crop)
        self._applied_styles = styles
        return super().render_lines(crop)

    # --- keys --------------------------------------------------------------------------------------

    async def _on_key(self, event: events.Key) -> None:
        # Textual calls the handlers of the base classes too, so this only adds to TextArea's.
        self.has_seen_key = True
        is_behind_completed_name = self._is_name_completed and bool(self._candidates)
        if event.key != "tab":
            self._candidates = ()
        if event.is_printable and not event.key.startswith("alt+"):  # a terminal sends Alt+Z as a z, too
            self._leave_taken_line(event.character or "")
            if is_behind_completed_name and (event.character or "").isalnum():
                self.insert(" ")  # another word; a comma or an 's stands right behind the name
            return
        if event.key == "enter" or event.key.startswith("alt+"):
            event.prevent_default()  # TextArea would break the line, and type the letter
        active = self.screen.active_bindings.get(event.key)
        if active is not None and active.node is self and active.enabled:
            # A binding runs when the key has bubbled up to the application; by then fast typing would
            # have put the next characters in. Here Enter sends just what was typed before it.
            event.stop()
            event.prevent_default()
            await self.run_action(active.binding.action)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        if len(event.text) > MAX_PASTE_LENGTH:
            self.post_message(self.PasteRefused(len(event.text)))
            return
        if result := self._replace_via_keyboard(plain_text(event.text), *self.selection):
            self.move_cursor(result.end_location)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "submit":
            return bool(self.text.strip())
        if action in ("cursor_left", "cursor_right"):
            return bool(self.text)
        if action in ("select_line", "select_all"):
            return False  # F6 and F7 are the screen's
        if action in ("undo", "redo"):
            return False  # these keys are the screen's, whatever is typed
        if action == "complete":
            return bool(self.text or self.suggested_line)  # with text Tab never leaves the prompt
        return super().check_action(action, parameters)

    @property
    def is_all_selected(self) -> bool:
        """Whether the next letter replaces all that is typed."""
        return bool(self.text) and self.selected_text == self.text

    def action_submit(self) -> None:
        """Send and clear at once, so that what is typed next is not lost."""
        text = self.text.strip()
        if not text:
            return
        revised_line = self._revised_line
        if not self.is_busy:
            self.add_to_history(text)
            self.replace_text("")
            self.history.clear()
        self.post_message(self.LineSent(text, is_refused=self.is_busy, revised_line=revised_line))

    def action_delete_to_start_of_line(self) -> None:
        """Clear the whole input; Alt+Z or Up brings it back."""
        if self.text.strip():
            self.add_to_history(self.text)
        self._replace_via_keyboard("", self.document.start, self.document.end)

    def action_undo_typing(self) -> None:
        self.action_undo()

    def action_redo_typing(self) -> None:
        self.action_redo()

    def action_newline(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    # --- history -----------------------------------------------------------------------------------

    def add_to_history(self, text: str) -> None:
        """Add a line to the history; the same line twice in a row counts once."""
        if not self._history or self._history[-1] != text:
            self._history.append(text)
            del self._history[:-MAX_HISTORY]
        self._history_index, self._draft = len(self._history), ""

    def action_cursor_up(self, select: bool = False) -> None:
        if not select and self.cursor_at_first_line and self._history_index > 0:
            self._show_history_line(self._history_index - 1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not select and self.cursor_at_last_line and self._history_index < len(self._history):
            self._show_history_line(self._history_index + 1)
        else:
            super().action_cursor_down(select)

    def _show_history_line(self, history_index: int) -> None:
        if self._history_index == len(self._history):
            self._draft = self.text
        self._history_index = history_index
        self.replace_text(self._history[history_index] if history_index < len(self._history) else self._draft)

    def edit(self, edit: Edit) -> EditResult:
        """Apply an edit, and note which line of the history it goes on with, if any."""
        if self.text in self._history:
            self._revised_line = self.text
        is_typed_anew = (edit.top, edit.bottom) == (self.document.start, self.document.end)
        result = super().edit(edit)
        if is_typed_anew or not self.text:
            self._revised_line = ""
        return result

    def replace_text(self, text: str) -> None:
        """Replace what is typed, with the cursor at the end."""
        self.text = text
        self._revised_line = ""
        self.move_cursor(self.document.end)

    # --- completion --------------------------------------------------------------------------------

    @property
    def text_before_cursor(self) -> str:
        row, column = self.cursor_location
        return self.document.get_line(row)[:column]

    def _leave_taken_line(self, character: str) -> None:
        """Let a letter typed right behind a line that Tab took replace it: it begins another one.

        Whatever else is typed goes on with it (`: a smith`), and so do letters behind a line that ends in a space.
        """
        is_untouched = self.text == self._taken_line and self.cursor_location == self.document.end
        if is_untouched and self.text and not self.text[-1].isspace() and character.isalnum():
            self.selection = Selection(self.document.start, self.document.end)
        self._taken_line = ""

    def _candidates_here(self) -> Sequence[str]:
        row, _ = self.cursor_location
        return self.completer.candidates(self.text_before_cursor, first_line=row == 0)

    def action_complete(self) -> None:
        """Insert the suggested line or the next candidate; Tab again replaces that by the one after."""
        if not self.text:
            self.replace_text(self.suggested_line)
            self._taken_line = self.suggested_line
            return
        if self._candidates:
            self._candidate_index = (self._candidate_index + 1) % len(self._candidates)
        else:
            self._candidates, self._candidate_index = self._candidates_here(), 0
            self._is_name_completed = self.completer.completes_name(self.text_before_cursor)
        if not self._candidates:
            return
        row, _ = self.cursor_location
        before = self.text_before_cursor
        line = self._candidates[self._candidate_index]
        self.replace(line, (row, 0), (row, len(before)))
        self.move_cursor((row, len(line)))

    def update_suggestion(self) -> None:
        """Show the rest of the first candidate that Tab would insert."""
        row, column = self.cursor_location
        before = self.text_before_cursor
        is_at_end = column == len(self.document.get_line(row))
        candidates = self._candidates_here() if is_at_end and not self._candidates else ()
        first = candidates[0] if candidates else ""
        self.suggestion = first[len(before) :] if first.startswith(before) else ""


class PlayPrompt(Horizontal):
    """The input with its mark, hint and history."""

    HELP_TITLE: ClassVar[str] = "The prompt"
    HELP_TEXT: ClassVar[str] = (
        "Plain words are what your character does; words in quotes are spoken. A line that starts with ? "
        "asks the oracle, one that starts with / gives a command.\n"
        "Enter sends, Ctrl+J breaks the line, Tab completes commands and @names, Up and Down recall."
    )
    DEFAULT_CSS = """
    PlayPrompt {
        height: auto;
        min-height: 3;
        max-height: 7;
        border: round $border-blurred;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        background: $background;
        padding: 0 1;
        &:focus-within {
            border: round $primary;
        }
        & > Static { width: 2; color: $text-primary; text-style: bold; }
        & > PromptArea {
            height: auto;
            min-height: 1;
            max-height: 5;
            padding: 0;
            background: $background;
            scrollbar-size-vertical: 1;
            & .text-area--placeholder { color: $text-disabled; }
            &:light .text-area--cursor {
                color: $input-cursor-foreground;
                background: $input-cursor-background;
            }
        }
    }
    """

    hint: reactive[str] = reactive("")
    """Shown in the border while no command is typed."""

    status: reactive[str] = reactive("")
    """What is going on, at the lower right of the border."""

    busy: reactive[bool] = reactive(False)
    """While true, Enter keeps the words where they are; typing goes on."""

    @dataclass
    class LineSubmitted(Message):
        """A line (or several) to play. `PlayPrompt.restore_text` brings it back if that fails."""

        text: str
        revised_line: str = ""
        """The line of the history that it was edited from; empty if it was typed anew."""

    @dataclass
    class LineRefused(Message):
        """Enter was pressed while the prompt was busy."""

    @dataclass
    class EmptinessChanged(Message):
        """The prompt has text to send now, has none any more, or has other text than was put there."""

    def __init__(
        self,
        *,
        commands: Sequence[CommandHelp] = (),
        names: Sequence[str] = (),
        hint: str = "",
        placeholder: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._area = PromptArea()
        self._had_text = False
        self._restored_text = ""
        """The line that was put into the prompt, until another stands there."""
        self._selected_hint = SELECTED_HINT
        self._placeholder = placeholder
        self._area.placeholder = content(placeholder)
        self._area.completer = Completer(commands, names)
        self.set_reactive(PlayPrompt.hint, hint)

    def compose(self) -> ComposeResult:
        yield Static(">", markup=False)
        yield self._area

    # --- what screens call -------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text that is typed and not sent yet."""
        return self._area.text

    @text.setter
    def text(self, text: str) -> None:
        self._area.replace_text(text)

    @property
    def has_text(self) -> bool:
        """Whether Enter would send something."""
        return bool(self._area.text.strip())

    @property
    def is_untouched(self) -> bool:
        """Whether nothing stands in it, and no key was pressed in it yet."""
        return not (self._area.has_seen_key or self._area.text)

    @property
    def is_all_selected(self) -> bool:
        """Whether the next letter replaces all that is typed."""
        return self._area.is_all_selected

    @property
    def input_has_focus(self) -> bool:
        return self.screen.focused is self._area  # `has_focus` follows only with the next message

    def focus_input(self) -> None:
        self._area.focus()

    def set_names(self, names: Sequence[str], tables: Sequence[str] = ()) -> None:
        """Set the names that `@` completes, the likeliest first, and the tables that `/table` does."""
        self._area.completer = Completer(self._area.completer.commands, names, tables)

    def restore_text(self, text: str, *, hint: str = SELECTED_HINT) -> None:
        """Put a line into the empty prompt: selected, so that typing replaces it, or to be gone on with.

        A line that ends in a space lacks something. If something was typed meanwhile, that stays alone: Up
        recalls a line that was sent. `hint` says, while all of it is selected, what typing does to it.
        """
        if self._area.text.strip():
            return
        self._selected_hint = hint
        self._restored_text = text
        self._area.replace_text(text)
        if not text.endswith(" "):
            self._area.add_to_history(text)  # Up brings it back, also in a prompt that did not send it
            self._area.selection = Selection(self._area.document.start, self._area.document.end)

    def keep_for_later(self, text: str) -> None:
        """Have Up bring a line back that was not sent."""
        self._area.add_to_history(text)

    @property
    def has_restored_text(self) -> bool:
        """Whether the line that was put into the prompt stands there as it was."""
        return bool(self._restored_text) and self._area.text == self._restored_text

    def suggest_line(self, text: str) -> None:
        """Offer a line, or the beginning of one, in the empty prompt: Tab takes it, sending a line drops it."""
        self._area.suggested_line = text
        self._area.placeholder = content(f"{text.rstrip()}   Tab takes it" if text else self._placeholder)

    def type_text(self, text: str) -> None:
        """Type at the cursor."""
        self._area.insert(text)

    # --- what happens ------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._show_hint()

    @on(PromptArea.LineSent)
    def _forward_line(self, message: PromptArea.LineSent) -> None:
        message.stop()
        if not message.is_refused:
            self.suggest_line("")
        self.post_message(
            self.LineRefused()
            if message.is_refused
            else self.LineSubmitted(message.text, message.revised_line)
        )

    @on(PromptArea.PasteRefused)
    def _show_paste_refused(self, message: PromptArea.PasteRefused) -> None:
        message.stop()
        self.border_title = content(f"{message.length:,} characters are too many to paste here")

    @on(TextArea.Changed)
    @on(TextArea.SelectionChanged)
    def _text_changed(self, message: Message) -> None:
        message.stop()
        self._show_hint()
        is_written_over = bool(self._restored_text) and not self.has_restored_text
        if is_written_over:
            self._restored_text = ""
        if is_written_over or self._had_text is not self.has_text:
            self._had_text = self.has_text
            self.post_message(self.EmptinessChanged())

    def watch_hint(self) -> None:
        self._show_hint()

    def watch_busy(self, busy: bool) -> None:
        self._area.is_busy = busy

    def watch_status(self, status: str) -> None:
        self.border_subtitle = content(status)

    def _show_hint(self) -> None:
        usage = self._area.completer.usage(self._area.text)
        self.border_title = content(self._selected_hint if self._area.is_all_selected else usage or self.hint)
