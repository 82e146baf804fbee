"""The play screen: transcript, prompt, live proposals, cast. It draws views and holds no truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.events import CanonCommitted, HeadMoved, TransientEvent
from screens.base import ErrorRaised
from screens.characters.sheet_screen import SheetScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.play.narration_screen import NarrationScreen
from screens.routes import ToGate, ToMenu, Visit
from stores.records.ids import Id
from stores.records.play import StoryMode
from widgets.agenda_box import AgendaBox
from widgets.cast_box import CastBox, cast_content
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList, ProposalPanel
from widgets.proposal_rows import is_undecided
from widgets.safe_text import one_line
from widgets.status_bar import MIN_SHOWN_BACKLOG, StatusBar, backlog_text
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import SceneView, TurnView

REREAD_ROWS = 4
"""Rows before the new ones that are read with them: a roll or a take may have been added to those."""

EMPTY_SCENE_HINT = "The scene is set. Say what your hero does, or type / for the commands."
PROMPT_HINT = "what do you do?"
UNNARRATED_HINT = "F7: the GM opens it"


class SceneScreen(NarrationScreen):
    """One scene, being played."""

    CSS_PATH = SCREENS_FOLDER / "play/scene_screen.tcss"
    AUTO_FOCUS = "PromptArea"
    BINDING_GROUP_TITLE = "Scene"
    BINDINGS = [
        Binding("f2", "proposals", "Proposed", id="scene.proposals", tooltip="To the proposals, and back"),
        Binding("f3,g", "gate", "Gate", id="scene.gate", tooltip="Review everything at the canon gate"),
        Binding("f4", "mechanics", "Story", id="scene.mechanics", tooltip="Show or hide rolls and marks"),
        Binding("f5", "sheet", "Sheet", id="scene.sheet", tooltip="Character sheets: look, and change"),
        Binding("f8", "query", "Query", id="scene.query", tooltip="Ask what the record says"),
        Binding("enter", "commit_now", "Commit now", id="scene.commit_now", tooltip="Write it to canon now"),
        Binding("escape", "stop", "Stop", id="scene.stop", tooltip="Stop the narration; what came is kept"),
        Binding("escape", "escape", "Back", id="scene.escape", tooltip="Clear notes, then leave"),
    ]

    @dataclass
    class SceneLoaded(Message):
        """The scene as it stands, and the end of its line."""

        view: SceneView
        tail: list[TurnView]
        appended_ids: set[Id]
        cost: str

    @dataclass
    class NamesLoaded(Message):
        """What `@` completes."""

        names: list[str]

    def __init__(
        self, services: Services, *, scene_id: Id = "", story_id: Id = "", follows_gate: bool = False
    ) -> None:
        """Open a scene, or without one the story where it was left; `follows_gate`: straight from the gate before."""
        super().__init__(services, scene_id)
        self._follows_gate = follows_gate
        self._story_id = story_id
        self._has_timeline_moved = False
        self._are_names_loaded = False

    def compose(self) -> ComposeResult:
        yield StatusBar()
        with Horizontal(id="stage"):
            with Vertical(id="play"):
                yield Transcript(empty=EMPTY_SCENE_HINT)
                yield NoticePanel()
                yield TriggerBar()
                yield Static(id="here", markup=False)
                yield PlayPrompt(commands=self.services.play.commands(), hint=PROMPT_HINT)
            yield Vertical(id="side")
        yield KeyBar()

    def on_mount(self) -> None:
        self.call_after_refresh(self._mount_side_panels)
        background = self.services.jobs.current_status()
        self.query_one(StatusBar).background_status = backlog_text(
            background.items_left, background.current_work, at_least=MIN_SHOWN_BACKLOG
        )

    async def _mount_side_panels(self) -> None:
        """Mount what stands beside the story, once. The first frame does without, and comes at once."""
        if not self.query(ProposalPanel):
            await self.query_one("#side").mount(ProposalPanel(), CastBox(), AgendaBox())

    # --- reading and drawing -----------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        self._has_timeline_moved = self._has_timeline_moved or isinstance(event, HeadMoved | CanonCommitted)
        self._are_names_loaded = self._are_names_loaded and not isinstance(event, CanonCommitted)
        return not isinstance(event, TransientEvent)

    async def load_view(self) -> None:
        if not self.scene_id:
            self.scene_id = await self.services.stories.resume(self._story_id)
        appended_ids = set(self._appended_ids)
        view = await self.services.play.scene(self.scene_id)
        loaded_turns = self.query_one(Transcript).total if self.view else view.turn_count
        start = max(0, min(loaded_turns, view.turn_count) - REREAD_ROWS)
        tail = await self.services.play.transcript(self.scene_id, start, view.turn_count - start)
        self.post_message(
            self.SceneLoaded(view, tail, appended_ids, await self.read_cost_text(view.story.id))
        )
        if not self._are_names_loaded:
            self._are_names_loaded = True
            cast_names = [member.name for member in view.cast]
            other_names = await self.services.world.list_entity_names(view.universe.id)
            self.post_message(self.NamesLoaded(list(dict.fromkeys((*cast_names, *other_names)))))

    @on(SceneLoaded)
    async def _show_scene(self, message: SceneLoaded) -> None:
        view, is_first_view = message.view, self.view is None
        await self._mount_side_panels()
        self.view = view
        self.query_one(StatusBar).view = view
        self.query_one(StatusBar).extra = message.cost
        self._show_turns(view, message.tail, is_first_view)
        self.drop_appended_text(message.appended_ids)
        self.query_one(ProposalPanel).show_proposals(view.proposals)
        self.query_one(CastBox).show(view.cast)
        self.query_one(AgendaBox).show(view)
        cast_lines = [cast_content([member]) for member in view.cast]
        self.query_one("#here", Static).update(Content("   ").join(cast_lines))
        self._show_trigger(view.trigger_reason if view.state == "active" else "")
        undecided_count = sum(map(is_undecided, view.proposals))
        self.query_one(PlayPrompt).hint = self._prompt_hint(view)
        self.show_waiting_text(f"F2 {undecided_count} proposed" if undecided_count else "")
        self.refresh_bindings()
        self.play_next()
        if is_first_view and view.unfinished_count:
            # What a crash left untold goes on before all else, where the player sees it.
            self.queue_action(partial(self.services.play.finish_narration, self.scene_id))
        elif (
            is_first_view
            and self._follows_gate
            and self.needs_opening_narration(view)
            and view.story.mode is StoryMode.AUTOPILOT
        ):
            self.action_tell_on()
        if is_first_view and view.state in ("finalizing", "failed"):
            self.post_message(Visit(ToGate(self.scene_id)))

    def _show_turns(self, view: SceneView, tail: list[TurnView], is_first_view: bool) -> None:
        """New turns are added at the end; when the head has moved, what is in view is fetched again."""
        transcript = self.query_one(Transcript)
        if is_first_view:
            transcript.open_timeline(view.turn_count, self._fetch_turns)
        elif self._has_timeline_moved or view.turn_count < transcript.total:
            transcript.reload(min(view.turn_count, transcript.total))  # what is new comes with the tail
        self._has_timeline_moved = False
        for row in tail:
            transcript.append(row)

    def _prompt_hint(self, view: SceneView) -> str:
        """Say in the empty prompt what there is to do; at a scene's beginning, how it can be begun."""
        if self.needs_opening_narration(view):
            return " · ".join(filter(None, (UNNARRATED_HINT, view.opening_hint)))
        return f"{PROMPT_HINT}  {view.opening_hint}" if view.opening_hint else PROMPT_HINT

    def _show_trigger(self, reason: str) -> None:
        """Enter and Esc answer it from the prompt, so it takes no focus: a Tab too many must not commit."""
        bar = self.query_one(TriggerBar)
        bar.why = reason
        bar.can_focus = False

    async def _fetch_turns(self, start: int, count: int) -> list[TurnView]:
        return await self.services.play.transcript(self.scene_id, start, count)

    @on(NamesLoaded)
    def _set_names(self, message: NamesLoaded) -> None:
        self.query_one(PlayPrompt).set_names(message.names)

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "commit_now":
            return bool(self.query_one(TriggerBar).why)
        if action in ("proposals", "sheet"):
            return self.view is not None
        if action == "escape":
            return not self.can_stop_narration
        return super().check_action(action, parameters)

    def action_proposals(self) -> None:
        """Into the proposals, or back to the prompt. Where there is no room beside the story, over it."""
        is_entering = not self.query_one(ProposalPanel).proposal_list.has_focus
        self.query_one("#side").set_class(is_entering, "-over")
        if is_entering:
            self.query_one(ProposalPanel).focus_list()
        else:
            self.query_one(PlayPrompt).focus_input()

    def action_gate(self) -> None:
        self.post_message(Visit(ToGate(self.scene_id)))

    def action_mechanics(self) -> None:
        transcript = self.query_one(Transcript)
        transcript.hide_mechanics = not transcript.hide_mechanics

    def action_sheet(self) -> None:
        if self.view is not None:
            self.app.push_screen(SheetScreen(self.services, self.scene_id), self._sheet_closed)

    def _sheet_closed(self, suggested_line: str | None) -> None:
        """What the rules suggest of the changes waits in the prompt."""
        if suggested_line:
            self.query_one(PlayPrompt).restore_text(suggested_line)

    @on(ProposalList.ProposalEvidenceRequested)
    def _show_evidence(self, message: ProposalList.ProposalEvidenceRequested) -> None:
        message.stop()
        view = message.view
        quote = f"“{one_line(view.quote)}”" if view.quote else "No quote: you declared it."
        self.query_one(NoticePanel).show_lines((view.title, quote))
        if view.proposal.turn_id:
            self.trace_turn(view.proposal.turn_id, jump=True)

    def action_escape(self) -> None:
        """One step back: from what is critical, from the notes, to the prompt, then out of the scene."""
        if self.query_one(TriggerBar).why:
            self.dismiss_trigger()
        elif self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif not self.query_one(PlayPrompt).input_has_focus:
            self.query_one("#side").remove_class("-over")
            self.query_one(PlayPrompt).focus_input()
        else:
            self._confirm_leaving()

    def _confirm_leaving(self) -> None:
        detail = "The scene stays as it is. Resume it under Continue."
        if self.query_one(PlayPrompt).text.strip():
            detail += " The text in the prompt was not sent and will be lost."
        self.app.push_screen(
            ConfirmDialog("Leave for the menu?", detail, yes="Leave", no="Play on"), self._apply_leave_answer
        )

    def _apply_leave_answer(self, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.post_message(Visit(ToMenu()))

    def handle_error(self, error: BaseException, worker: str) -> None:
        """A scene that cannot be opened leaves the user on the menu, and says why there."""
        if self.view is None:
            self.post_message(Visit(ToMenu()))
            self.post_message(ErrorRaised(error))
        else:
            super().handle_error(error, worker)

    async def leave_for_menu(self) -> None:
        await self.services.stories.suspend()
