"""The play screen: transcript, prompt, live proposals, cast. It draws views and stores nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, assert_never

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message

from agents.events import (
    CanonCommitted,
    ExchangeRecorded,
    HeadMoved,
    LlmCallRecorded,
    TextStreamed,
    TransientEvent,
)
from agents.orchestrator.commit_reports import commit_lines
from agents.proposals.evidence import show_words
from agents.prose.phrases import compile_phrase_patterns
from screens.base import ErrorRaised, EventReceived, ServiceScreen
from screens.characters.sheet_screen import SheetScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.folder import SCREENS_FOLDER
from screens.gate.proposal_decisions import (
    NOTHING_TO_UNDO,
    ProposalDecisions,
    nothing_to_edit_line,
    undo_lines,
)
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.play.escape_steps import EscapeSteps
from screens.play.ideas_dialog import IdeasDialog
from screens.play.line_sender import LineSender
from screens.play.narration_status import NarrationStatus
from screens.play.offer_answers import OfferAnswers
from screens.play.panel_width import PanelResizeRequested
from screens.play.play_queue import PlayQueue, QueuedPlay
from screens.play.prompt_draft import KEPT_DRAFT_NOTE, SAVE_SECONDS, PromptDraft
from screens.play.reply_routes import PLACES_WITH_OWN_SCREEN, route_of_reply
from screens.play.routes_beside_play import find_cards, routes_beside_play
from screens.play.scene_drawing import PROMPT_HINT, SceneDrawing
from screens.play.scene_reader import SceneReading, SceneViewReader
from screens.play.timeline_panel import TimelinePanel
from screens.routes import NamedRoute, ToGate, ToMenu, ToQuery, ToStory, Visit
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.play import StoryMode
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList, ProposalPanel
from widgets.proposal_rows import is_undecided
from widgets.safe_text import one_line
from widgets.status_bar import MIN_SHOWN_BACKLOG, StatusBar, backlog_text
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.events import Event, Notice
    from agents.services.services import Services
    from agents.views.play_views import CommandHelp, CommitReport, Reply, SceneView, TurnView

LINE_STARTS = '/>?"“'
"""Characters that begin a line in the prompt, whatever has the focus."""

EMPTY_SCENE_HINT = "The scene is set. Say what your hero does, or type / for the commands."
ESCAPE_ENDS_HERE = "Esc ends here, at the prompt. After any other key it asks whether to leave for the menu."


class SceneScreen(ServiceScreen[None]):
    """One scene, being played."""

    CSS_PATH = SCREENS_FOLDER / "play/scene_screen.tcss"
    AUTO_FOCUS = "PromptArea"
    BINDING_GROUP_TITLE = "Scene"
    PANELS = (TimelinePanel,)
    TYPED_KEYS: ClassVar = frozenset({"question_mark", "slash", "greater_than_sign"})
    """Keys that begin a line wherever the focus is."""
    BINDINGS = [
        Binding("f7", "narrate_on", "Narrate", id="scene.narrate_on", tooltip="Let the model narrate on"),
        Binding("f2", "proposals", "Proposed", id="scene.proposals", tooltip="To the proposals, and back"),
        Binding("f3,g", "gate", "Gate", id="scene.gate", tooltip="Review everything at the canon gate"),
        Binding("f4", "mechanics", "Story", id="scene.mechanics", tooltip="Show or hide rolls and marks"),
        Binding("f5", "sheet", "Sheet", id="scene.sheet", tooltip="Character sheets: look, and change"),
        Binding("f8", "query", "Query", id="scene.query", tooltip="Ask what the record says"),
        Binding(
            "ctrl+n",
            "ideas",
            "Ideas",
            id="scene.ideas",
            tooltip="Three things that you could do next: one goes into the prompt",
            show=False,
        ),
        Binding(
            "f9",
            "resize_panel",
            "Panel width",
            id="scene.resize_panel",
            tooltip="Wider, narrower or no panels beside the story; it is remembered",
            show=False,
        ),
        Binding("enter", "commit_now", "Commit now", id="scene.commit_now", tooltip="Write it to canon now"),
        Binding("escape", "stop", "Stop", id="scene.stop", tooltip="Stop the narration; what came is kept"),
        Binding(
            "escape", "tell_plainly", "No roll", id="scene.tell_plainly", tooltip="Clear notes, then leave"
        ),
        Binding("escape", "later", "Later", id="scene.later", tooltip="Clear notes, then leave"),
        Binding("escape", "escape", "Back", id="scene.escape", tooltip="Clear notes, then leave"),
    ]

    @dataclass
    class SceneLoaded(Message):
        """The scene as it is, and the turns that were narrated into it meanwhile."""

        reading: SceneReading
        appended_ids: set[Id]

    @dataclass
    class StoryCostLoaded(Message):
        """What the story has cost so far, in words."""

        cost_text: str

    @dataclass
    class ReplyReceived(Message):
        """The result of a line or key that was played."""

        reply: Reply

    @dataclass
    class PlayFailed(Message):
        """A line or key could not be played."""

        error: MonitorError

    @dataclass
    class TriggerCommitted(Message):
        """The offered commit is written."""

        report: CommitReport

    @dataclass
    class NamesLoaded(Message):
        """The names that `@` completes, and the tables that `/table` does."""

        names: list[str]
        tables: list[str]

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
        self._follows_gate = follows_gate
        self._opening_lines = opening_lines
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
        self._offer = OfferAnswers(self._trigger_bar, self._prompt)
        self._timeline = TimelinePanel(services.play, services.llm, id="stage")
        self._side = ProposalDecisions(services.gate, services.policy, id="side")
        self._draft = PromptDraft(services.drafts, self._prompt)
        self._queue = PlayQueue()
        self._escape = EscapeSteps(self._prompt, self._draft, self._offer)
        self._drawing = SceneDrawing(
            self._transcript, self._status_bar, self._prompt, self._side, self._fetch_turns
        )
        self._lines = LineSender(
            self._queue,
            self._prompt,
            self._draft,
            self._offer,
            play_line=self._submit_line,
            play_next=self._play_next,
            keep_draft=self._keep_draft,
        )
        self._narration = NarrationStatus(
            self._queue, self._transcript, self._prompt, self._status_bar, self.set_interval
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
        self.call_after_refresh(self._drawing.mount_panels)
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
        self.post_message(self.SceneLoaded(reading, appended_ids))
        if not self._are_names_loaded:
            self._are_names_loaded = True
            names = await self._reader.read_names(reading.view)
            tables = await self._reader.read_table_names(reading.view)
            self.post_message(self.NamesLoaded(names, tables))
            # Before the first line needs them; the menu has no use for them, and they are 3 MB.
            start_worker(self, partial(asyncio.to_thread, compile_phrase_patterns), "patterns")

    @on(SceneLoaded)
    async def _show_scene(self, message: SceneLoaded) -> None:
        reading, is_first_view = message.reading, self.view is None
        view = reading.view
        await self._drawing.mount_panels()
        self.view = view
        self._timeline.show_scene(self.scene_id, view)
        self._drawing.draw(
            reading, is_first_view=is_first_view, awaits_opening=self._needs_opening_narration(view)
        )
        self._narration.drop_appended_text(message.appended_ids)
        self._offer.show(view)
        self._show_offer_keys()
        undecided_count = sum(map(is_undecided, view.proposals))
        self._narration.show_waiting_text(f"F2 {undecided_count} proposed" if undecided_count else "")
        self._play_next()
        if is_first_view:
            self._restore_draft(view.story.id)
            self._notices.show_lines(self._opening_lines)
            if view.stalled_note:
                self._notices.show_lines((view.stalled_note,), "warning")
        if is_first_view and view.unfinished_count:
            # What a crash left untold goes on before all else, where the player sees it.
            self._queue_play(partial(self.services.play.finish_narration, self.scene_id))
        elif (
            is_first_view
            and self._follows_gate
            and self._needs_opening_narration(view)
            and view.story.mode is StoryMode.AUTOPILOT
        ):
            self.action_narrate_on()
        if is_first_view and view.state in ("finalizing", "failed"):
            self.post_message(Visit(ToGate(self.scene_id)))
        elif self._waiting_act is not None:
            self._waiting_act(view)
        self._waiting_act = None

    def _needs_opening_narration(self, view: SceneView) -> bool:
        """Return whether the model should open the scene: nothing was narrated or played in it."""
        return (
            self.services.llm.is_on
            and view.state == "active"
            and not (view.turn_count or view.unfinished_count)
        )

    @on(PlayPrompt.EmptinessChanged)
    @on(events.DescendantFocus)
    def _show_offer_keys(self) -> None:
        """Say on the offer to commit what Enter and Esc do where the focus is."""
        is_list_focused = any(panel.proposal_list.has_focus for panel in self.query(ProposalPanel))
        self._offer.show_keys(is_list_focused=is_list_focused)
        self.refresh_bindings()

    async def _fetch_turns(self, start: int, count: int) -> list[TurnView]:
        return await self.services.play.transcript(self.scene_id, start, count)

    @on(NamesLoaded)
    def _set_names(self, message: NamesLoaded) -> None:
        self._prompt.set_names(message.names, message.tables)

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "commit_now":
                return self._offer.is_armed
            case "resize_panel":
                return not self.has_class("-narrow")
            case "stop":
                return self._can_stop_narration
            case "escape" | "tell_plainly" | "later":
                return action == self._escape.next_action and not self._can_stop_narration
            case "narrate_on":
                return self.view is not None and self.services.llm.is_on and not self._queue.is_playing
        return super().check_action(action, parameters)

    def _when_loaded(self, act: Callable[[SceneView], object]) -> None:
        """Do what a key asks for, as soon as the scene has been read: a key is never lost."""
        if self.view is None:
            self._waiting_act = act
        else:
            act(self.view)

    def action_proposals(self) -> None:
        """Move the focus to the proposals, or back to the prompt; without room beside the story, show them over it."""
        self._when_loaded(self._toggle_proposals)

    def _toggle_proposals(self, _: SceneView) -> None:
        is_entering = not self.query_one(ProposalPanel).proposal_list.has_focus
        self._side.set_class(is_entering, "-over")
        if is_entering:
            self.query_one(ProposalPanel).focus_list()
        else:
            self._prompt.focus_input()

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
        self._when_loaded(
            lambda _: self.app.push_screen(SheetScreen(self.services, self.scene_id), self._sheet_closed)
        )

    def _sheet_closed(self, suggested_line: str | None) -> None:
        """Suggest what the rules say of the changes."""
        if suggested_line:
            self._prompt.suggest_line(suggested_line)

    @on(ProposalList.ProposalEvidenceRequested)
    def _show_evidence(self, message: ProposalList.ProposalEvidenceRequested) -> None:
        message.stop()
        view = message.view
        quote = show_words(one_line(view.quote), is_quotation=view.is_quotation)
        quote = quote or "No quote: you declared it."
        self._notices.show_lines((view.title, quote))
        if view.proposal.turn_id:
            self._timeline.trace_turn(view.proposal.turn_id, jump=True)

    def _step_back(self) -> None:
        match self._escape.next_action:
            case "tell_plainly":
                self.action_tell_plainly()
            case "later":
                self.action_later()
            case "escape":
                self.action_escape()
            case _ as unreachable:
                assert_never(unreachable)

    def note_key(self, key: str) -> None:
        """Note a key before it does anything: any other than Escape ends a row of Escapes."""
        self._escape.note_key(key)

    def action_tell_plainly(self) -> None:
        """Play the words as they were typed, without the roll that is offered for them."""
        self._escape.is_spent = True
        self._prompt.text = ""
        self._lines.tell_waiting_line()

    def action_later(self) -> None:
        """Leave the offer to commit to the end of the scene."""
        self._escape.is_spent = True
        self._dismiss_trigger()

    def action_escape(self) -> None:
        """Go one step back: focus the prompt, clear the notes, then ask whether to leave.

        In a row it ends at the prompt, once it has answered something: who presses it often wants out of a panel.
        """
        if not self._prompt.input_has_focus:
            self._focus_prompt()
        elif self._notices.is_shown:
            self._notices.clear()
        elif self._escape.is_spent:
            self._notices.show_lines([ESCAPE_ENDS_HERE])
        else:
            self._confirm_leaving()

    def on_key(self, event: events.Key) -> None:
        """Type on in the prompt: while a line is being written, a letter in another panel decides nothing."""
        if not event.is_printable or event.character is None or event.key.startswith("alt+"):
            return
        # If the prompt has the keys, this one was typed so fast that it was on its way to the panel still.
        if self._prompt.input_has_focus or self._prompt.text or self._begins_line(event):
            event.stop()
            self._focus_prompt()
            self._prompt.type_text(event.character)

    def _begins_line(self, event: events.Key) -> bool:
        """Say whether a character begins a line in the prompt, whatever has the focus: `/`, or the I of a sentence."""
        character = event.character or ""
        return character in LINE_STARTS or (character.isupper() and not self._is_key_here(event.key))

    def _is_key_here(self, key: str) -> bool:
        """Say whether the focused panel or the screen has such a key, though it may have nothing to do now."""
        nodes = self.focused.ancestors_with_self if self.focused else ()
        bindings = (b for node in nodes for b in getattr(node, "BINDINGS", ()) if isinstance(b, Binding))
        return key in self.active_bindings or any(key in binding.key.split(",") for binding in bindings)

    def _focus_prompt(self) -> None:
        self._side.remove_class("-over")
        self._prompt.focus_input()

    def _confirm_leaving(self) -> None:
        detail = "The scene stays as it is. Resume it under Continue."
        if self._prompt.text.strip():
            detail += "\nWhat you typed and did not send is kept."
        dialog = ConfirmDialog("Leave for the menu?", detail, yes="Leave", no="Play on")
        self.app.push_screen(dialog, self._apply_leave_answer)

    def _apply_leave_answer(self, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.post_message(Visit(ToMenu()))
        else:
            self._escape.is_spent = True

    # --- playing -----------------------------------------------------------------------------------

    @on(PlayPrompt.LineSubmitted)
    def _send_typed_line(self, message: PlayPrompt.LineSubmitted) -> None:
        message.stop()
        self._lines.send_typed(message.text, message.revised_line)

    @work(group="draft", exit_on_error=False)
    async def _restore_draft(self, story_id: Id) -> None:
        await self._draft.restore(story_id)
        if self._draft.is_kept_for_later:
            self._notices.show_lines((KEPT_DRAFT_NOTE,))
        if self._draft.offered_roll is not None:
            self._notices.show_lines((self._draft.offered_roll.describe_waiting(),))
            self.refresh_bindings()

    def _keep_draft(self) -> None:
        if self._draft.is_changed:
            self._save_draft()

    @work(group="draft", exit_on_error=False)
    async def _save_draft(self) -> None:
        await self._draft.save()

    async def _submit_line(self, line: str, offers_moves: bool) -> Reply:
        return await self.services.play.submit(self.scene_id, line, with_view=True, offers_moves=offers_moves)

    def _queue_play(self, run: Callable[[], Awaitable[Reply]], *, continues_narration: bool = False) -> None:
        """Play what a key asks for, in the order of the lines that were typed."""
        self._queue.add(QueuedPlay(run, continues_narration=continues_narration))
        self._play_next()

    def _play_next(self) -> None:
        """Play the next of what waits, once the scene is open and the one before is done."""
        if self.view is not None and (play := self._queue.start_next()) is not None:
            self._notices.clear()
            self._run_play(play.run)
        self._refresh_play_status()

    def _refresh_play_status(self) -> None:
        self._timeline.show_playing(self._queue.is_playing)
        self._narration.refresh()
        self.refresh_bindings()

    @work(group="play", name="play", exit_on_error=False)
    async def _run_play(self, run: Callable[[], Awaitable[Reply]]) -> None:
        try:
            reply = await run()
        except MonitorError as error:
            self.post_message(self.PlayFailed(error))
        else:
            self.post_message(self.ReplyReceived(reply))

    @on(ReplyReceived)
    def _show_played(self, message: ReplyReceived) -> None:
        if message.reply.severity == "information":
            self._timeline.forget_retake_note()
        view = message.reply.scene
        self._reply_view = view if view is not None and view.scene.id == self.scene_id else None
        self._show_reply(message.reply)
        self._queue.finish()
        self._play_next()

    @on(TimelinePanel.Moved)
    def _show_move(self, message: TimelinePanel.Moved) -> None:
        message.stop()
        self._show_reply(message.reply)

    def _show_reply(self, reply: Reply) -> None:
        if self._lines.play_passed_offer(reply):
            return
        if reply.confirm_line:
            self._ask_to_confirm(reply)
        elif reply.lines and reply.goto not in PLACES_WITH_OWN_SCREEN:
            self._notices.show_lines(reply.lines, reply.severity)
        self._lines.take_reply(reply)
        self.refresh_bindings()
        if (route := route_of_reply(reply, self.view, self.scene_id)) is not None:
            if isinstance(route, ToStory) and reply.lines:
                self.app.notify("\n".join(reply.lines), markup=False)  # this screen closes
            self.post_message(Visit(route))
        self.reload()

    def _ask_to_confirm(self, reply: Reply) -> None:
        """Show what a line would take, and send the line that does it all the same if the answer is yes."""
        question, *details = reply.lines

        def apply_answer(is_confirmed: bool | None) -> None:
            if is_confirmed:
                self._lines.send(reply.confirm_line)

        dialog = ConfirmDialog(
            question,
            "\n".join(details),
            yes=reply.confirm_word,
            no="Keep it",
        )
        self.app.push_screen(dialog, apply_answer)

    @on(PlayFailed)
    def _show_play_failure(self, message: PlayFailed) -> None:
        self._notices.show_error(message.error)
        self._restore_unplayed_line(message.error)
        self.reload()
        self._play_next()

    def _restore_unplayed_line(self, error: BaseException) -> None:
        if line := self._queue.fail(error):
            self._prompt.restore_text(line)

    def fill_prompt(self, text: str) -> None:
        """Put these words into the prompt."""
        self._prompt.restore_text(text)
        self._prompt.focus_input()

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
            self.post_message(self.StoryCostLoaded(await self._reader.read_cost_text(self.view.story.id)))

    @on(StoryCostLoaded)
    def _show_cost(self, message: StoryCostLoaded) -> None:
        self._status_bar.extra = message.cost_text

    @property
    def _can_stop_narration(self) -> bool:
        """Return whether a model may be at work for this scene."""
        return self._narration.is_narrating or (self._queue.is_playing and self.services.llm.is_on)

    def action_stop(self) -> None:
        """Stop the model's call for this scene; without one, go one step back.

        An Escape that began this narration, as the first of a row, is followed by none that stops it.
        """
        if not self._escape.is_spent and self.services.llm.stop_streaming(self.scene_id):
            self._escape.is_spent = True
        else:
            self._step_back()

    def action_ideas(self) -> None:
        """Offer three actions; the chosen one waits in the prompt."""
        self._when_loaded(self._open_ideas)

    def _open_ideas(self, _: SceneView) -> None:
        dialog = IdeasDialog(partial(self.services.play.suggest_actions, self.scene_id))
        self.app.push_screen(dialog, self._use_idea)

    def _use_idea(self, action: str | None) -> None:
        """Put an action into the prompt: what is typed there already stays in front of it."""
        if action is None:
            return
        if self._prompt.has_text:
            self._prompt.text = f"{self._prompt.text.rstrip()} {action}"
            self._prompt.focus_input()
        else:
            self.fill_prompt(action)

    def action_narrate_on(self) -> None:
        self._queue_play(
            partial(self.services.play.continue_narration, self.scene_id), continues_narration=True
        )

    @on(TimelinePanel.RetakeRequested)
    def _queue_retake(self, message: TimelinePanel.RetakeRequested) -> None:
        message.stop()
        self._queue_play(message.run)

    # --- what is critical, and what is decided -----------------------------------------------------

    @on(TriggerBar.CommitRequested)
    def action_commit_now(self) -> None:
        self.start_change(self._commit_trigger, "commit")

    async def _commit_trigger(self) -> None:
        self.post_message(self.TriggerCommitted(await self.services.gate.commit_trigger(self.scene_id)))

    @on(TriggerBar.Dismissed)
    def _dismiss_trigger(self) -> None:
        """Leave the offered proposals to the end of the scene."""
        self.start_change(partial(self.services.gate.dismiss_trigger, self.scene_id), "dismiss")

    @on(TriggerCommitted)
    def _show_committed(self, message: TriggerCommitted) -> None:
        report = message.report
        failures = tuple((subject, f"{subject}: {reason}") for subject, reason in report.failures)
        result_lines = commit_lines(replace(report, failures=failures)) or ("Nothing new to write.",)
        self._notices.show_lines(result_lines, "warning" if failures else "information")
        self.reload()

    @on(ProposalDecisions.UndoProposed)
    def _show_undo_proposed(self, message: ProposalDecisions.UndoProposed) -> None:
        self._notices.show_lines(undo_lines(message))
        self.reload()

    @on(ProposalList.NothingToEdit)
    def _explain_edit(self, message: ProposalList.NothingToEdit) -> None:
        self._notices.show_lines([nothing_to_edit_line(message.view)])

    @on(ProposalList.NothingToUndo)
    def _explain_undo(self) -> None:
        self._notices.show_lines([NOTHING_TO_UNDO])

    @on(ProposalDecisions.DecisionRefused)
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
        if worker_name == "play":
            self._restore_unplayed_line(error)
            self._refresh_play_status()
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
        self._focus_prompt()
        self._prompt.type_text(text)

    def named_routes(self) -> tuple[NamedRoute, ...]:
        """The screens about the world that is played, for the palette."""
        return routes_beside_play(self.view) if self.view else ()

    async def find_cards(self, name: str) -> tuple[NamedRoute, ...]:
        """The cards of what canon has by this name, for the palette."""
        return await find_cards(self.services.world, self.view.universe.id, name) if self.view else ()

    async def leave_for_menu(self) -> None:
        try:
            await self._draft.save()
        finally:
            await self.services.stories.suspend()
