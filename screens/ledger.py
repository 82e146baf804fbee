"""The commitment ledger: promises, debts and open questions, whose, since when, and paid off or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.aside import Aside
from screens.listing import ListingScreen
from screens.routes import ToGate, Visit
from screens.world_routes import ToRetcon
from stores.records.ids import Id
from widgets.ink import Ink
from widgets.mentions import Mention, Section
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import CommitmentView, LedgerView, Staged

OPEN = "open"
NOTHING = (
    "Nothing is promised, owed or asked. In play, /fact promise: ..., debt: ... or question: ... notes one; "
    "on the Universe screen, n does."
)


class LedgerScreen(ListingScreen):
    """What is open, the oldest first; `p` proposes that one is paid off, `c` shows the closed ones too."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Promises, debts, questions"
    NAME = "Ledger"
    BINDINGS = [
        Binding("p", "pay", "Paid off", id="ledger.pay", tooltip="Propose that it is kept, paid or answered"),
        Binding("c", "closed", "Closed too", id="ledger.closed", tooltip="Show what is closed, or not"),
        Binding("R", "retcon", "Retcon", id="ledger.retcon", tooltip="It was never promised, owed or asked"),
    ]

    @dataclass
    class Read(Message):
        view: LedgerView

    @dataclass
    class PayOff(Message):
        """A pay-off is proposed."""

        staged: Staged

    def __init__(self, services: Services, universe_id: Id, scene_id: Id | None) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.scene_id = scene_id
        self._show_closed = False
        self._view: LedgerView | None = None

    async def read(self) -> None:
        """In play nothing is said of the universe's gate: what is proposed there waits at the scene's."""
        await (super().read() if self.scene_id is None else self.read_page())

    async def read_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(self.Read(await self.services.world.ledger.read(self.universe_id, self.scene_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        self._view = message.view
        self._draw()

    def _draw(self) -> None:
        if self._view is None:
            return
        view = self._view
        now = f"{view.universe.name} · {view.now}" if view.now else view.universe.name
        self.entitle(now, f"{len(view.open)} open · {len(view.closed)} closed")
        self.page.show(_sections(view, closed=self._show_closed))
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        current = self.current
        match action:
            case "pay":
                return current is not None and current.tag == OPEN
            case "retcon":
                return current is not None and current.fact is not None
            case "closed":
                return self._view is not None and bool(self._view.closed)
        return super().check_action(action, parameters)

    def action_closed(self) -> None:
        self._show_closed = not self._show_closed
        self._draw()

    def action_retcon(self) -> None:
        if self.current is not None and (fact := self.current.fact):
            self.post_message(Visit(ToRetcon(fact.fact.id)))

    def action_pay(self) -> None:
        if self.current is not None and (fact := self.current.fact):
            self.query_one(Aside).clear()
            self.change(self._pay(fact.fact.id), "pay")

    async def _pay(self, fact_id: Id) -> None:
        self.post_message(self.PayOff(await self.services.world.ledger.pay_off(fact_id, self.scene_id)))

    @on(PayOff)
    def _told(self, message: PayOff) -> None:
        here = "It waits at the scene's gate: g" if self.scene_id else ""
        lines = [f"Proposed: {title}" for title in message.staged.titles]
        self.query_one(Aside).say([*lines, here] if here else message.staged.lines)

    def action_gate(self) -> None:
        """A pay-off from play waits at the scene's own gate."""
        self.query_one(Aside).clear()
        self.post_message(Visit(ToGate(self.scene_id, self.universe_id)))


def _sections(view: LedgerView, *, closed: bool) -> Iterator[Section]:
    mentions = [Mention(entry.fact, _note(entry), OPEN) for entry in view.open]
    yield Section("Open", mentions, () if mentions else (NOTHING,))
    if view.proposed:
        yield Section("Proposed, not in canon yet", [Mention(row) for row in view.proposed])
    if closed:
        done = [Mention(entry.fact, _note(entry)) for entry in view.closed]
        yield Section("Closed", done, () if done else ("None is.",), ink=Ink.MUTED)


def _note(entry: CommitmentView) -> str:
    parts = [entry.kind]
    if entry.who:
        parts.append(
            f"{one_line(entry.who)} to {one_line(entry.to_whom)}" if entry.to_whom else one_line(entry.who)
        )
    if entry.open:
        parts.append(entry.age)
    else:
        parts.append(f"{'paid off' if entry.paid else 'dropped'} {entry.ended}".strip())
    if entry.staged:
        parts.append("pay-off proposed")
    return " · ".join(filter(None, parts))
