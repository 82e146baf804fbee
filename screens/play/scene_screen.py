"""The play screen: transcript, prompt, live proposals, cast. It draws views and stores nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical

from agents.events import (
    CanonCommitted,
    ExchangeRecorded,
    HeadMoved,
    LlmCallRecorded,
    TextStreamed,
    TransientEvent,
)
from agents.prose.phrases import compile_phrase_patterns
from screens.base import ErrorRaised, EventReceived
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.play.escape_steps import EscapeSteps
from screens.play.line_sender import LineSender
from screens.play.narration_status import NarrationStatus
from screens.play.offer_answers import OfferAnswers, describe_commit
from screens.play.panel_width import PanelResizeRequested
from screens.play.play_queue import PlayQueue
from screens.play.play_runner import PLAY_WORKER, PlayRunner
from screens.play.prompt_draft import SAVE_SECONDS, PromptDraft
from screens.play.prompt_keys import PromptKeys
from screens.play.reply_routes import PLACES_WITH_OWN_SCREEN, route_of_reply
from screens.play.routes_beside_play import routes_beside_play
from screens.play.scene_bindings import SCENE_BINDINGS
from screens.play.scene_dialogs import SceneDialogs
from screens.play.scene_drawing import PROMPT_HINT, SceneDrawing, describe_waiting
from screens.play.scene_messages import (
    NamesLoaded,
    PlayFailed,
    ReplyReceived,
    SceneLoaded,
    StoryCostLoaded,
    TriggerCommitted,
)
from screens.play.scene_opening import SceneOpening
from screens.play.scene_reader import SceneViewReader
from screens.play.scene_side import SceneSide
from screens.play.timeline_panel import TimelinePanel
from screens.play.turn_cards import TurnCardScreen
from screens.routes import NamedRoute, ToGate, ToMenu, ToQuery, ToStory, Visit
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.agenda_box import LOW_SCREEN_LINES
from widgets.prompt import PlayPrompt
from widgets.status_bar import MIN_SHOWN_BACKLOG, StatusBar, backlog_text
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.events import Event, Notice
    from agents.services.services import Services
    from agents.views.replies import CommandHelp, Reply
    from agents.views.scene_views import SceneView
    from agents.views.turn_views import TurnView

EMPTY_SCENE_HINT = "The scene is set. Say what your hero does, or type / for the commands."


class SceneScreen(TurnCardScreen):
    """One scene, being played."""

    CSS_PATH = SCREENS_FOLDER / "play/scene_screen.tcss"
    AUTO_FOCUS = "PromptArea"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW_SCREEN_LINES, "-tall")]
    BINDING_GROUP_TITLE = "Scene"
    PANELS = (TimelinePanel,)
    TYPED_KEYS: ClassVar = frozenset({"question_mark", "slash", "greater_than_sign"})
    """Keys that begin a line wherever the focus is."""
    BINDINGS = SCENE_BINDINGS

    def __init__(
        self,
        services: Services,
        *,
        scene_id: Id = "",
        story_id: Id = "",
        follows_gate: bool = False,
        opening_lines: tuple[str, ...] = (),
    ) -> None:
        """Open a scene or, without one, the scene where the story was left.

        `follows_gate`: play goes on from the gate of the scene before; `opening_lines` are shown first.
        """
        super().__init__(services)
        self.scene_id = scene_id
        self.view: SceneView | None = None
        self._reply_view: SceneView | None = None
        """The scene as the last reply brought it, until it is drawn."""
        self._story_id = story_id
        self._are_names_loaded = False
        self._waiting_act: Callable[[SceneView], object] | None = None
        """What a key asked for before the scene was read."""
        self._reader = SceneViewReader(services)
        self._status_bar = StatusBar()
        self._transcript = Transcript(empty=EMPTY_SCENE_HINT)
        self._notices = NoticePanel()
        self._trigger_bar = TriggerBar()
        self._prompt = PlayPrompt(commands=services.play.commands(), hint=PROMPT_HINT)
        self._prompt_keys = PromptKeys(self, self._prompt)
        self._draft = PromptDraft(services.drafts, self._prompt)
        self._offer = OfferAnswers(self, services.gate, self._trigger_bar, self._prompt)
        self._queue = PlayQueue()
        self._narration = NarrationStatus(
            services.llm, self._queue, self._transcript, self._prompt, self._status_bar, self.set_interval
        )
        self._runner = PlayRunner(
            self, services.play, self._queue, self._prompt, self._notices, self._narration
        )
        self._lines = LineSender(
            self._runner, self._queue, self._prompt, self._draft, self._offer, keep_draft=self._keep_draft
        )
        self._opening = SceneOpening(
            self,
            services.play,
            services.llm,
            self._runner,
            self._draft,
            self._notices,
            follows_gate=follows_gate,
            opening_lines=opening_lines,
        )
        self._timeline = TimelinePanel(services.play, services.llm, self._queue, id="stage")
        self._side = SceneSide(
            services,
            self._prompt,
            self._notices,
            send_offered_command=self._lines.send_after_offer,
            jump_to_turn=partial(self._timeline.trace_turn, jump=True),
        )
        self._drawing = SceneDrawing(
            self._transcript, self._status_bar, self._prompt, self._side, self._fetch_turns
        )
        self._dialogs = SceneDialogs(self, services, self._prompt, self._lines)
        self._escape = EscapeSteps(
            services.llm,
            self._prompt,
            self._lines,
            self._draft,
            self._offer,
            self._side,
            self._notices,
            ask_to_leave=self._dialogs.ask_to_leave,
        )

    def compose(self) -> ComposeResult:
        yield self._status_bar
        with self._timeline:
            with Vertical(id="play"):
                yield self._transcript
                yield self._notices
                yield self._trigger_bar
                yield self._drawing.here_line
                yield self._prompt
            yield self._side
        yield KeyBar()

    def on_mount(self) -> None:
        self.call_after_refresh(self._side.mount_panels)
        self.set_interval(SAVE_SECONDS, self._keep_draft)
        background = self.services.jobs.current_status()
        self._status_bar.background_status = backlog_text(
            background.items_left, background.current_work, at_least=MIN_SHOWN_BACKLOG
        )

    # --- reading and drawing -----------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        self._drawing.has_timeline_moved |= isinstance(event, HeadMoved | CanonCommitted)
        self._are_names_loaded = self._are_names_loaded and not isinstance(event, CanonCommitted)
        # A line that is played without a model takes milliseconds, and its reply brings the view.
        awaits_reply = self._queue.is_playing_line and not self.services.llm.is_on
        return not (awaits_reply or isinstance(event, TransientEvent))

    async def load_view(self) -> None:
        if not self.scene_id:
            self.scene_id = await self.services.stories.resume(self._story_id)
        appended_ids = self._narration.appended_ids
        view, self._reply_view = self._reply_view, None
        shown_count = self._transcript.total if self.view else None
        reading = await self._reader.read_scene(self.scene_id, view, shown_count)
        self.post_message(SceneLoaded(reading, appended_ids))
        if not self._are_names_loaded:
            self._are_names_loaded = True
            names = await self._reader.read_names(reading.view)
            tables = await self._reader.read_table_names(reading.view)
            self.post_message(NamesLoaded(names, tables))
            await self.load_entity_name_index(reading.view.universe.id)
            # Before the first line needs them; the menu has no use for them, and they are 3 MB.
            start_worker(self, partial(asyncio.to_thread, compile_phrase_patterns), "patterns")

    @on(SceneLoaded)
    async def _show_scene(self, message: SceneLoaded) -> None:
        reading, is_first_view = message.reading, self.view is None
        view = reading.view
        await self._side.mount_panels()
        self.view = view
        self._timeline.show_scene(self.scene_id, view)
        self._drawing.draw(
            reading, is_first_view=is_first_view, awaits_opening=self._opening.awaits_narration(view)
        )
        self._narration.drop_appended_text(message.appended_ids)
        self._offer.show(view)
        self._show_offer_keys()
        self._narration.show_waiting_text(describe_waiting(view))
        self._runner.open_scene(self.scene_id)
        if is_first_view:
            self._opening.begin(view)
        if is_first_view and view.state in ("finalizing", "failed"):
            self.post_message(Visit(ToGate(self.scene_id)))
        elif self._waiting_act is not None:
            self._waiting_act(view)
        self._waiting_act = None

    @on(PlayPrompt.EmptinessChanged)
    @on(events.DescendantFocus)
    def _show_offer_keys(self) -> None:
        """Say on the offer to commit what Enter and Esc do where the focus is."""
        self._offer.show_keys(is_list_focused=self._side.is_list_focused)
        self.refresh_bindings()

    async def _fetch_turns(self, start: int, count: int) -> list[TurnView]:
        return await self.services.play.transcript(self.scene_id, start, count)

    @on(NamesLoaded)
    def _set_names(self, message: NamesLoaded) -> None:
        self._prompt.set_names(message.names, message.tables)

    # --- keys --------------------------------------------------------------------------------------

    @property
    def played_universe_id(self) -> Id | None:
        return self.view.universe.id if self.view else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "commit_now":
                return self._offer.is_armed
            case "offers":
                return self.view is not None and bool(self.view.offers)
            case "resize_panel":
                return not self.has_class("-narrow")
            case "stop":
                return self._narration.can_be_stopped
            case "escape" | "tell_plainly" | "later":
                return action == self._escape.next_action and not self._narration.can_be_stopped
            case "narrate_on":
                return self.view is not None and self.services.llm.is_on and not self._queue.is_playing
            case "explain_narrate":
                return self.view is not None and not self.services.llm.is_on
        return super().check_action(action, parameters)

    def _when_loaded(self, act: Callable[[SceneView], object]) -> None:
        """Do what a key asks for, as soon as the scene has been read: a key is never lost."""
        if self.view is None:
            self._waiting_act = act
        else:
            act(self.view)

    def action_proposals(self) -> None:
        """Move the focus to the proposals, or back to the prompt; without room beside the story, show them over it."""
        self._when_loaded(lambda _: self._side.toggle_proposals())

    def action_offers(self) -> None:
        """Move the focus to what waits for an answer, or back to the prompt."""
        self._side.toggle_offers()

    def action_resize_panel(self) -> None:
        self.post_message(PanelResizeRequested())

    def action_query(self) -> None:
        self._when_loaded(
            lambda view: self.post_message(Visit(ToQuery(view.universe.id, None, self.scene_id, "")))
        )

    def action_gate(self) -> None:
        self._notices.clear()  # what they say of proposals may be true no more after a commit there
        self._when_loaded(lambda _: self.post_message(Visit(ToGate(self.scene_id))))

    def action_mechanics(self) -> None:
        transcript = self._transcript
        transcript.hide_mechanics = not transcript.hide_mechanics

    def action_sheet(self) -> None:
        self._when_loaded(lambda _: self._dialogs.open_sheet(self.scene_id))

    def action_dice(self) -> None:
        self._when_loaded(lambda _: self._dialogs.open_dice_tray(self.scene_id, self._runner.queue_play))

    def note_key(self, key: str) -> None:
        """Note a key before it does anything: any other than Escape ends a row of Escapes."""
        self._escape.note_key(key)

    @property
    def offers_roll(self) -> bool:
        """Whether a roll for the last line stands in the prompt, which Enter throws."""
        return self._draft.offered_roll is not None and self._prompt.has_restored_text

    def may_begin_line(self, key: events.Key) -> bool:
        return self._prompt_keys.may_begin_line(key)

    def may_be_of_line(self, key: events.Key) -> bool:
        return self._prompt_keys.may_be_of_line(key)

    def is_letter_key(self, key: events.Key) -> bool:
        return self._prompt_keys.is_letter_key(key)

    def action_stop(self) -> None:
        """Stop the model's call for this scene; without one, go one step back."""
        self._escape.stop_narration(self.scene_id)

    def action_tell_plainly(self) -> None:
        self._escape.tell_plainly()

    def action_later(self) -> None:
        self._escape.leave_offer()

    def action_escape(self) -> None:
        self._escape.step_back()

    def on_key(self, event: events.Key) -> None:
        """Type on in the prompt: while a line is being written, a letter in another panel decides nothing."""
        if self._prompt_keys.belongs_to_line(event):
            event.stop()
            self._side.leave()
            self._prompt.type_text(event.character or "")

    # --- playing -----------------------------------------------------------------------------------

    @on(PlayPrompt.LineSubmitted)
    def _send_typed_line(self, message: PlayPrompt.LineSubmitted) -> None:
        message.stop()
        self._lines.send_typed(message.text, message.revised_line)

    def _keep_draft(self) -> None:
        if self._draft.is_changed:
            start_worker(self, self._draft.save, "draft")

    @on(ReplyReceived)
    def _show_played(self, message: ReplyReceived) -> None:
        if message.reply.severity == "information":
            self._timeline.forget_retake_note()
        view = message.reply.scene
        self._reply_view = view if view is not None and view.scene.id == self.scene_id else None
        if self._reply_view is not None and self._reply_view.turn_count > self._transcript.total:
            self._transcript.follow = True  # who writes a line sees it, wherever the view was
        self._show_reply(message.reply)
        self._runner.finish()

    @on(TimelinePanel.Moved)
    def _show_move(self, message: TimelinePanel.Moved) -> None:
        message.stop()
        if not message.reply.confirm_line:
            self._prompt.suggest_line("")  # what a line suggests goes with it
        self._show_reply(message.reply)

    def _show_reply(self, reply: Reply) -> None:
        if self._lines.play_passed_offer(reply):
            return
        if reply.confirm_line:
            self._dialogs.ask_to_confirm(reply)
        elif reply.lines and reply.goto not in PLACES_WITH_OWN_SCREEN:
            self._notices.show_lines(reply.lines, reply.severity)
        self._lines.take_reply(reply)
        self.refresh_bindings()
        if (route := route_of_reply(reply, self.view, self.scene_id)) is not None:
            if isinstance(route, ToStory) and reply.lines:
                self.app.notify("\n".join(reply.lines), markup=False)  # this screen closes
            self.post_message(Visit(route))
        self.reload()

    @on(PlayFailed)
    def _show_play_failure(self, message: PlayFailed) -> None:
        self._notices.show_error(message.error)
        self._runner.fail(message.error)
        self.reload()
        self._runner.play_next()

    def fill_prompt(self, text: str) -> None:
        """Put these words into the prompt."""
        self._dialogs.fill_prompt(text)

    # --- narration by a model ----------------------------------------------------------------------

    @on(EventReceived)
    def _show_progress_event(self, message: EventReceived) -> None:
        was_narrating = self._narration.is_narrating
        self._narration.show_event(self.scene_id, message.event)
        match message.event:
            case TextStreamed(self.scene_id) if not was_narrating:
                self.refresh_bindings()
            case ExchangeRecorded(self.scene_id, lines, suggested_line):
                self._notices.add_lines(lines)
                if suggested_line:
                    self._prompt.suggest_line(suggested_line)
            case LlmCallRecorded(_, story_id) if self.view and story_id in (None, self.view.story.id):
                self._load_cost()
            case _:
                pass

    @work(exclusive=True, group="cost", exit_on_error=False)
    async def _load_cost(self) -> None:
        if self.view is not None:
            self.post_message(StoryCostLoaded(await self._reader.read_cost_text(self.view.story.id)))

    @on(StoryCostLoaded)
    def _show_cost(self, message: StoryCostLoaded) -> None:
        self._status_bar.extra = message.cost_text

    def action_ideas(self) -> None:
        """Offer three actions; the chosen one waits in the prompt."""
        self._when_loaded(lambda _: self._dialogs.offer_ideas(self.scene_id))

    def action_narrate_on(self) -> None:
        self._runner.continue_narration()

    def action_explain_narrate(self) -> None:
        """Have the refusal shown of what needs a model, as `/continue` shows it."""
        self._runner.queue_play(partial(self.services.play.continue_narration, self.scene_id))

    @on(TimelinePanel.RetakeRequested)
    def _queue_retake(self, message: TimelinePanel.RetakeRequested) -> None:
        message.stop()
        self._runner.queue_play(message.run)

    # --- what is critical, and what is decided -----------------------------------------------------

    @on(TriggerBar.CommitRequested)
    def action_commit_now(self) -> None:
        self._offer.commit()

    @on(TriggerBar.Dismissed)
    def _dismiss_trigger(self) -> None:
        self._offer.dismiss()

    @on(TriggerCommitted)
    def _show_committed(self, message: TriggerCommitted) -> None:
        self._notices.show_lines(*describe_commit(message.report))
        self.reload()

    @on(SceneSide.RereadRequested)
    def _read_again(self) -> None:
        self.reload()

    # --- notices and errors ------------------------------------------------------------------------

    def show_notice(self, notice: Notice) -> None:
        self._notices.show_lines((notice.text,), notice.severity)

    @on(Transcript.FetchFailed)
    def _fetch_failed(self, message: Transcript.FetchFailed) -> None:
        message.stop()
        self._notices.show_error(message.error)

    def handle_error(self, error: BaseException, worker_name: str) -> None:
        """Show the error beside the story, and put a line that was not played back into the prompt.

        A scene that cannot be opened leads to the menu, with the reason.
        """
        if self.view is None:
            self.post_message(Visit(ToMenu()))
            self.post_message(ErrorRaised(error))
            return
        if worker_name == PLAY_WORKER:
            self._runner.fail(error)
        if isinstance(error, MonitorError):
            self._notices.show_error(error)
        else:
            super().handle_error(error, worker_name)

    # --- the palette -------------------------------------------------------------------------------

    def commands(self) -> tuple[CommandHelp, ...]:
        """The slash commands, for the palette."""
        return self.services.play.commands()

    def type_command(self, command: CommandHelp) -> None:
        """Send a command that needs no words; begin one that does."""
        name = f"/{command.name.removeprefix('/')}"
        if command.needs_argument:
            self._prompt.text = f"{name} "
            self._prompt.focus_input()
        else:
            self._lines.send_after_offer(name)

    def type_text(self, text: str) -> None:
        self._side.leave()
        self._prompt.type_text(text)

    def named_routes(self) -> tuple[NamedRoute, ...]:
        """The screens about the world that is played, for the palette."""
        return routes_beside_play(self.view) if self.view else ()

    async def leave_for_menu(self) -> None:
        try:
            await self._draft.save()
        finally:
            await self.services.stories.suspend()
