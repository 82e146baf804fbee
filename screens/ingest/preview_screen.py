"""A form about a file: Enter shows what the file would bring, and Enter again brings it in."""

from __future__ import annotations

from collections.abc import Iterable

from textual import on
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from screens.base import ServiceScreen
from screens.dialogs.field_problems import clear_field_problem, show_field_problem
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from stores.errors import InputError


class PreviewScreen(ServiceScreen[None]):
    """Contains a form in a scrolling `#page`, and under it what the file would bring in `#found`."""

    def take_next_step(self) -> None:
        """Do what Enter does now: look into the file, or bring it in."""
        raise NotImplementedError

    def show_found(self, lines: Iterable[str], *, is_scrolled: bool = False) -> None:
        """Show what is in the file, or what became of it; `is_scrolled` brings its end into sight."""
        self.query_one("#found", Static).update("\n".join(lines))
        if is_scrolled:
            self.query_one("#page", VerticalScroll).scroll_end(animate=False)

    @on(Input.Submitted)
    def _stop_submission(self, message: Input.Submitted) -> None:
        message.stop()

    def action_go_on(self) -> None:
        """Go on after the keys that were typed before Enter: they may still be in the field's queue."""
        (self.focused or self).call_later(self._take_next_step)

    def _take_next_step(self) -> None:
        self.query_one(NoticePanel).clear()
        clear_field_problem(self)
        self.take_next_step()

    def action_back(self) -> None:
        self.post_message(Visit(Back(self)))

    def handle_error(self, error: BaseException, worker_name: str) -> None:
        self.show_found(())
        if not (isinstance(error, InputError) and show_field_problem(self, error)):
            super().handle_error(error, worker_name)
