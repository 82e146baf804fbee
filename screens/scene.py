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

from agents.events import CanonCommitted, LineMoved, Passing
from screens.aside import Aside
from screens.base import Trouble
from screens.confirm import ConfirmScreen
from screens.key_bar import KeyBar
from screens.routes import ToGate, ToMenu, Visit
from screens.scene_telling import TellingScreen
from screens.sheet import SheetScreen
from stores.records.ids import Id
from stores.records.play import StoryMode
from widgets.agenda import Agenda
from widgets.cast import Cast, cast_content
from widgets.prompt import Prompt
from widgets.proposal_rows import is_undecided
from widgets.proposals import ProposalList, ProposalPanel
from widgets.safe_text import one_line
from widgets.status_bar import StatusBar, backlog
from widgets.transcript import Transcript
from widgets.trigger_bar import TriggerBar

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import SceneView, TurnView

READ_AGAIN = 4
"""Rows before the new ones that are read with them: a roll or a take may have been added to those."""

EMPTY = "The scene is set. Say what your hero does, or type / for the commands."
HINT = "what do you do?"
UNTOLD = "F7 has the GM open it"


class SceneScreen(TellingScreen):
    """One scene, being played."""

    CSS_PATH = "scene.tcss"
    AUTO_FOCUS = "PromptArea"
    BINDING_GROUP_TITLE = "Scene"
    BINDINGS = [
        Binding("f2", "proposals", "Proposed", id="scene.proposals", tooltip="To the proposals, and back"),
        Binding("f3,g", "gate", "Gate", id="scene.gate", tooltip="Review everything at the canon gate"),
        Binding("f4", "mechanics", "Story", id="scene.mechanics", tooltip="Hide rolls and marks, or not"),
        Binding("f5", "sheet", "Sheet", id="scene.sheet", tooltip="Character sheets: look, and change"),
        Binding("f8", "query", "Query", id="scene.query", tooltip="Ask the record what is so"),
        Binding("enter", "commit_now", "Commit now", id="scene.commit_now", tooltip="Write it to canon now"),
        Binding("escape", "stop", "Stop", id="scene.stop", tooltip="Stop the words, and keep what came"),
        Binding("escape", "escape", "Back", id="scene.escape", tooltip="Clear notes, then leave"),
    ]

    @dataclass
    class Read(Message):
        """The scene as it stands, and the end of its line."""

        view: SceneView
        tail: list[TurnView]
        appended: set[Id]
        cost: str

    @dataclass
    class Names(Message):
        """What `@` completes."""

        names: list[str]

    def __init__(
        self, services: Services, *, scene_id: Id = "", story_id: Id = "", follows: bool = False
    ) -> None:
        """Open a scene, or (without one) a story where it was left. `follows`: straight from the gate of the
        scene before."""
        super().__init__(services, scene_id)
        self._follows = follows
        self._story_id = story_id
        self._line_moved = False
        self._names_known = False

    def compose(self) -> ComposeResult:
        yield StatusBar()
        with Horizontal(id="stage"):
            with Vertical(id="play"):
                yield Transcript(empty=EMPTY)
                yield Aside()
                yield TriggerBar()
                yield Static(id="here", markup=False)
                yield Prompt(commands=self.services.play.commands(), hint=HINT)
            yield Vertical(id="side")
        yield KeyBar()

    def on_mount(self) -> None:
        self.call_after_refresh(self._furnish)
        background = self.services.jobs.current_status()
        self.query_one(StatusBar).behind = backlog(background.items_left, background.current_work)

    async def _furnish(self) -> None:
        """Mount what stands beside the story, once. The first frame does without, and comes at once."""
        if not self.query(ProposalPanel):
            await self.query_one("#side").mount(ProposalPanel(), Cast(), Agenda())

    # --- reading and drawing -----------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        self._line_moved = self._line_moved or isinstance(event, LineMoved | CanonCommitted)
        self._names_known = self._names_known and not isinstance(event, CanonCommitted)
        return not isinstance(event, Passing)

    async def read(self) -> None:
        if not self.scene_id:
            self.scene_id = await self.services.stories.resume(self._story_id)
        appended = set(self._appended)
        view = await self.services.play.scene(self.scene_id)
        known = self.query_one(Transcript).total if self.view else view.turns
        start = max(0, min(known, view.turns) - READ_AGAIN)
        tail = await self.services.play.transcript(self.scene_id, start, view.turns - start)
        self.post_message(self.Read(view, tail, appended, await self.cost_of(view.story.id)))
        if not self._names_known:
            self._names_known = True
            here = [member.name for member in view.cast]
            others = await self.services.world.known_as(view.universe.id)
            self.post_message(self.Names(list(dict.fromkeys((*here, *others)))))

    @on(Read)
    async def _draw(self, message: Read) -> None:
        view, first = message.view, self.view is None
        await self._furnish()
        self.view = view
        self.query_one(StatusBar).view = view
        self.query_one(StatusBar).extra = message.cost
        self._draw_line(view, message.tail, first)
        self.settle_words(message.appended)
        self.query_one(ProposalPanel).show(view.proposals)
        self.query_one(Cast).show(view.cast)
        self.query_one(Agenda).show(view)
        here = [cast_content([member]) for member in view.cast]
        self.query_one("#here", Static).update(Content("   ").join(here))
        self._draw_trigger(view.trigger if view.state == "active" else "")
        waiting = sum(map(is_undecided, view.proposals))
        self.query_one(Prompt).hint = self._hint(view)
        self.show_waiting(f"F2 {waiting} proposed" if waiting else "")
        self.refresh_bindings()
        self.play_on()
        if first and view.unfinished:
            # What a crash left untold goes on before all else, where the player sees it.
            self.perform(partial(self.services.play.finish_narration, self.scene_id))
        elif first and self._follows and self.untold(view) and view.story.mode is StoryMode.AUTOPILOT:
            self.action_tell_on()
        if first and view.state in ("finalizing", "failed"):
            self.post_message(Visit(ToGate(self.scene_id)))

    def _draw_line(self, view: SceneView, tail: list[TurnView], first: bool) -> None:
        """New turns are added at the end; when the head has moved, what is in view is fetched again."""
        transcript = self.query_one(Transcript)
        if first:
            transcript.open(view.turns, self._fetch)
        elif self._line_moved or view.turns < transcript.total:
            transcript.reload(min(view.turns, transcript.total))  # what is new comes with the tail
        self._line_moved = False
        for row in tail:
            transcript.append(row)

    def _hint(self, view: SceneView) -> str:
        """Say in the empty prompt what there is to do; at a scene's beginning, how it can be begun."""
        if self.untold(view):
            return " · ".join(filter(None, (UNTOLD, view.opening)))
        return f"{HINT}  {view.opening}" if view.opening else HINT

    def _draw_trigger(self, why: str) -> None:
        """Enter and Esc answer it from the prompt, so it takes no focus: a Tab too many must not commit."""
        bar = self.query_one(TriggerBar)
        bar.why = why
        bar.can_focus = False

    async def _fetch(self, start: int, count: int) -> list[TurnView]:
        return await self.services.play.transcript(self.scene_id, start, count)

    @on(Names)
    def _learn_names(self, message: Names) -> None:
        self.query_one(Prompt).set_names(message.names)

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "commit_now":
            return bool(self.query_one(TriggerBar).why)
        if action in ("proposals", "sheet"):
            return self.view is not None
        if action == "escape":
            return not self.stoppable
        return super().check_action(action, parameters)

    def action_proposals(self) -> None:
        """Into the proposals, or back to the prompt. Where there is no room beside the story, over it."""
        into = not self.query_one(ProposalPanel).list.has_focus
        self.query_one("#side").set_class(into, "-over")
        if into:
            self.query_one(ProposalPanel).focus_list()
        else:
            self.query_one(Prompt).focus_input()

    def action_gate(self) -> None:
        self.post_message(Visit(ToGate(self.scene_id)))

    def action_mechanics(self) -> None:
        transcript = self.query_one(Transcript)
        transcript.hide_mechanics = not transcript.hide_mechanics

    def action_sheet(self) -> None:
        if self.view is not None:
            self.app.push_screen(SheetScreen(self.services, self.scene_id), self._sheet_left)

    def _sheet_left(self, suggested: str | None) -> None:
        """What the rules suggest of the changes waits in the prompt."""
        if suggested:
            self.query_one(Prompt).restore(suggested)

    @on(ProposalList.Evidence)
    def _show_evidence(self, message: ProposalList.Evidence) -> None:
        message.stop()
        view = message.view
        quote = f"“{one_line(view.quote)}”" if view.quote else "It rests on your word alone."
        self.query_one(Aside).say((view.title, quote))
        if view.proposal.turn_id:
            self.look_at(view.proposal.turn_id, jump=True)

    def action_escape(self) -> None:
        """One step back: from what is critical, from the notes, to the prompt, then out of the scene."""
        if self.query_one(TriggerBar).why:
            self.leave_for_later()
        elif self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif not self.query_one(Prompt).input_has_focus:
            self.query_one("#side").remove_class("-over")
            self.query_one(Prompt).focus_input()
        else:
            self._ask_to_leave()

    def _ask_to_leave(self) -> None:
        detail = "The scene stays just as it is, and waits for you under Continue."
        if self.query_one(Prompt).text.strip():
            detail += " What stands in the prompt was not sent and will be gone."
        self.app.push_screen(
            ConfirmScreen("Leave for the menu?", detail, yes="Leave", no="Play on"), self._left
        )

    def _left(self, leave: bool | None) -> None:
        if leave:
            self.post_message(Visit(ToMenu()))

    def refused(self, error: BaseException, worker: str) -> None:
        """A scene that cannot be opened leaves the user on the menu, and says why there."""
        if self.view is None:
            self.post_message(Visit(ToMenu()))
            self.post_message(Trouble(error))
        else:
            super().refused(error, worker)

    async def depart(self) -> None:
        await self.services.stories.suspend()
