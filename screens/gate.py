"""The canon gate: all that waits, what it would change, what it rests on, and a key for each verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, ProposalsChanged
from screens.aside import Aside
from screens.confirm import ConfirmScreen
from screens.deciding import DecidingScreen
from screens.key_bar import KeyBar
from screens.outcome import OutcomeScreen
from screens.routes import Back, ToHouse, ToScene, ToTurn, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.proposal_about import ProposalAbout
from widgets.proposal_rows import Grouping, is_open
from widgets.proposals import ProposalList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import CommitReport, GateView, TensionOffer

GROUPINGS = (Grouping.GROUP, Grouping.LABEL, Grouping.NONE)
"""By what it is about, by kind, as it was proposed."""

EMPTY = "Nothing waits here. Enter closes the gate."
EMPTY_UNIVERSE = (
    "Nothing waits here. What you change by hand, what you deferred at a scene's end and what could not be "
    "written comes here. Esc goes back."
)


class GateScreen(DecidingScreen):
    """What a scene (or, without one, the GM's own hand) would make true, decided row by row and written at
    once."""

    CSS_PATH = "gate.tcss"
    AUTO_FOCUS = "ProposalList"
    BINDING_GROUP_TITLE = "Canon gate"
    BINDINGS = [
        Binding(
            "enter",
            "commit",
            "Commit",
            id="gate.commit",
            tooltip="Write what is ticked to canon",
            priority=True,
            key_display="⏎",
        ),
        Binding("g", "group", "Group", id="gate.group", tooltip="Group by subject, by kind, or not at all"),
        Binding(
            "slash",
            "filter",
            "Filter",
            id="gate.filter",
            tooltip="Show only rows with these words",
            key_display="/",
        ),
        Binding("p,P", "house", "House", id="gate.house", tooltip="What this world decides by itself"),
        Binding(
            "t",
            "tension",
            "Tension",
            id="gate.tension",
            tooltip="Move the tension as the scene's results would",
        ),
        Binding("escape", "escape", "Back", id="gate.escape", tooltip="Back, with every decision kept"),
    ]

    @dataclass
    class Read(Message):
        view: GateView

    @dataclass
    class Committed(Message):
        report: CommitReport

    @dataclass
    class Turned(Message):
        """The tension was moved as offered."""

    @dataclass
    class Reopened(Message):
        """The scene is Active again."""

    def __init__(self, services: Services, scene_id: Id | None, universe_id: Id | None = None) -> None:
        """Open a scene's gate, or (without one) a universe's."""
        super().__init__(services)
        self.scene_id = scene_id
        self.universe_id = universe_id
        self.view: GateView | None = None
        self._next: Id | None = None
        self._failed = False
        self._told = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Canon gate")
        yield Input(id="filter", placeholder="only rows with these words", compact=True)
        with Container(id="review"):
            yield ProposalList(accept_all="unmarked")
            yield ProposalAbout(change=True)
        yield Static(id="told", markup=False)
        yield Aside()
        yield KeyBar()

    # --- reading -----------------------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        return isinstance(event, ProposalsChanged | CanonCommitted)

    async def read(self) -> None:
        self.post_message(self.Read(await self.services.gate.gate(self.scene_id, self.universe_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        first, self.view = self.view is None, message.view
        rows = self.query_one(ProposalList)
        if first:
            rows.grouping = GROUPINGS[0]
            rows.empty = EMPTY if self.scene_id else EMPTY_UNIVERSE
        rows.show(message.view.proposals)
        self.query_one(TitleBar).show(message.view.title, _counts(message.view))
        self._tell(message.view.told)
        self.refresh_bindings()

    def _tell(self, told: Sequence[str]) -> None:
        """Show what the scene's end has brought by itself, for as long as the gate is open."""
        lines = "\n".join(map(one_line, told))
        place = self.query_one("#told", Static)
        if lines != self._told:
            self._told = lines
            place.update(lines)
            place.display = bool(lines)

    @on(ProposalList.Highlighted)
    def _show_detail(self, message: ProposalList.Highlighted) -> None:
        about = self.query_one(ProposalAbout)
        about.display = message.view is not None
        about.show(message.view)

    def action_house(self) -> None:
        if self.view is not None:
            self.post_message(Visit(ToHouse(self.view.universe.id)))

    def action_tension(self) -> None:
        """Move the tension where the scene's results would; leaving it alone takes no key."""
        if self.view is not None and self.view.tension is not None and self.scene_id is not None:
            self.change(self._turn(self.scene_id, self.view.tension), "tension")

    async def _turn(self, scene_id: Id, offer: TensionOffer) -> None:
        await self.services.play.set_tension(scene_id, offer.after)
        self.post_message(self.Turned())

    @on(Turned)
    def _turned(self) -> None:
        self.reload()

    # --- filter and groups -------------------------------------------------------------------------

    def action_group(self) -> None:
        rows = self.query_one(ProposalList)
        rows.grouping = GROUPINGS[(GROUPINGS.index(rows.grouping) + 1) % len(GROUPINGS)]

    def action_filter(self) -> None:
        self.query_one(Aside).clear()
        field = self.query_one("#filter", Input)
        field.add_class("-shown")
        field.focus()

    @on(Input.Changed)
    def _narrow(self, message: Input.Changed) -> None:
        message.stop()
        self.query_one(ProposalList).filter_text = message.value

    @on(Input.Submitted)
    def _narrowed(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(ProposalList).focus()

    # --- leaving -----------------------------------------------------------------------------------

    def action_escape(self) -> None:
        """One step back: from the notes, from the filter, then to play."""
        field = self.query_one("#filter", Input)
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif field.has_class("-shown"):
            field.clear()
            field.remove_class("-shown")
            self.query_one(ProposalList).focus()
        elif self.view is not None and self.view.finalizing:
            self.change(self._reopen(), "reopen")
        else:
            self.post_message(Visit(Back(self)))

    async def _reopen(self) -> None:
        assert self.scene_id is not None
        await self.services.gate.reopen_scene(self.scene_id)
        self.post_message(self.Reopened())

    @on(Reopened)
    def _back_to_play(self) -> None:
        self.post_message(Visit(Back(self)))

    # --- committing --------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "tension":
            return self.view is not None and self.view.tension is not None
        if action == "commit":
            rows = self.query_one(ProposalList)
            to_do = self.view is not None and (self.view.finalizing or any(map(is_open, rows.views)))
            return to_do and rows.has_focus
        return super().check_action(action, parameters)

    def action_commit(self) -> None:
        """Write what is ticked; ask first only if something is held back by a conflict."""
        held = [p for p in self.query_one(ProposalList).views if is_open(p) and p.mark == "hold"]
        if not held:
            self.change(self._commit(), "commit")
            return
        question = ConfirmScreen(
            f"{len(held)} of these {'meets' if len(held) == 1 else 'meet'} a conflict. Commit the rest?",
            "What is held stays proposed; nothing in canon is overwritten. First: " + one_line(held[0].title),
            yes="Commit the rest",
            no="Look again",
        )
        self.app.push_screen(question, self._confirmed)

    def _confirmed(self, yes: bool | None) -> None:
        if yes:
            self.change(self._commit(), "commit")

    async def _commit(self) -> None:
        if self.scene_id is not None:
            report = await self.services.gate.commit(self.scene_id)
        else:
            assert self.view is not None
            report = await self.services.gate.commit_universe(self.view.universe.id)
        self.post_message(self.Committed(report))

    @on(Committed)
    def _written(self, message: Committed) -> None:
        self._next, self._failed = message.report.next_scene_id, bool(message.report.failed)
        titles = {row.proposal.id: row.title for row in self.query_one(ProposalList).views}
        failed = tuple((titles.get(what, what), why) for what, why in message.report.failed)
        self.app.push_screen(OutcomeScreen(replace(message.report, failed=failed)), self._go_on)

    def _go_on(self, _: None) -> None:
        """To the next scene if this one is closed; back to where one came from; or, where something failed
        that nobody would come back to by himself, on with the review."""
        in_play = self.scene_id is not None and self.view is not None and not self.view.finalizing
        done = self.scene_id is None and not self._failed
        if self._next is not None:
            self.post_message(Visit(ToScene(self._next, follows=True)))
        elif in_play or done:
            self.post_message(Visit(Back(self)))
        else:
            self.reload()

    # --- evidence and errors -----------------------------------------------------------------------

    @on(ProposalList.Evidence)
    def _to_evidence(self, message: ProposalList.Evidence) -> None:
        message.stop()
        turn_id = next(
            (e.turn_id for e in message.view.proposal.evidence if e.turn_id), message.view.proposal.turn_id
        )
        if turn_id:
            self.post_message(Visit(ToTurn(turn_id)))
        else:
            self.query_one(Aside).say(("It rests on nobody's words but your own.",))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)


def _counts(view: GateView) -> str:
    """What a commit now would do."""
    counts = Counter[str](p.mark for p in view.proposals if is_open(p))
    told = (("accept", "accept"), ("reject", "reject"), ("defer", "wait"), ("hold", "in conflict"))
    words = [f"{counts[mark]} {word}" for mark, word in told if counts[mark]]
    if view.elsewhere:
        words.append(f"{view.elsewhere} more in play")
    return " · ".join(words)
