"""The prompts of the personas: what they say, which model is asked, and how its words are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from screens.base import ServiceScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.llm.prompt_edit_screen import PromptEditScreen
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from widgets.prompt_list import PromptList

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.llm_views import PromptView


class PromptsScreen(ServiceScreen[None]):
    """One list; Enter opens a prompt to be changed."""

    CSS_PATH = SCREENS_FOLDER / "llm/prompts_screen.tcss"
    AUTO_FOCUS = "PromptList"
    BINDING_GROUP_TITLE = "Prompts"
    BINDINGS = [Binding("escape,q", "escape", "Back", id="prompts.escape", tooltip="One step back")]

    @dataclass
    class PromptsLoaded(Message):
        views: tuple[PromptView, ...]

    def __init__(self, services: Services) -> None:
        super().__init__(services)

    def compose(self) -> ComposeResult:
        yield TitleBar("Prompts")
        yield PromptList(empty="Reading …")
        yield NoticePanel()
        yield KeyBar()

    async def load_view(self) -> None:
        self.post_message(self.PromptsLoaded(await self.services.llm.list_prompts()))

    @on(PromptsLoaded)
    def _show_prompts(self, message: PromptsLoaded) -> None:
        own_count = sum(bool(view.file_name) for view in message.views)
        self.query_one(TitleBar).show_place("", f"{own_count} of your own" if own_count else "all bundled")
        self.query_one(PromptList).show_prompts(message.views)

    @on(PromptList.PromptOpened)
    def _open_prompt(self, message: PromptList.PromptOpened) -> None:
        message.stop()
        if isinstance(message, PromptList.ResetRequested):
            return
        self.query_one(NoticePanel).clear()
        self.app.push_screen(PromptEditScreen(self.services, message.view))

    @on(PromptList.ResetRequested)
    def _confirm_reset(self, message: PromptList.ResetRequested) -> None:
        message.stop()
        view = message.view
        dialog = ConfirmDialog(
            f"Back to the bundled prompt of the {view.name}?",
            f"Yours is set aside as prompts/{view.file_name}.bak. Model and samplers stay.",
            yes="Go back",
            no="Keep mine",
        )

        def apply_answer(is_confirmed: bool | None) -> None:
            if is_confirmed:
                self.start_change(partial(self._reset_prompt, view), "reset")

        self.app.push_screen(dialog, apply_answer)

    async def _reset_prompt(self, view: PromptView) -> None:
        self.post_message(self.PromptsLoaded(await self.services.llm.reset_prompt(view.persona, view.task)))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))
