"""House rules: what one world's gate accepts, rejects or asks by itself; its predicates; what was ruled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

from agents.events import CanonCommitted, ProposalsChanged
from screens.aside import Aside
from screens.base import ServiceScreen
from screens.key_bar import KeyBar
from screens.predicates import PredicatesScreen
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.ledger import KindRule
from widgets.house import HouseList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.conflict_views import HouseView

NEW_KIND = "a kind with its part, as state_change:hp or assert_fact:weather; Enter always asks about it"


class HouseScreen(ServiceScreen[None]):
    """The policies of a universe, kind by kind, with the GM's own figures."""

    CSS_PATH = "house.tcss"
    AUTO_FOCUS = "HouseList"
    BINDING_GROUP_TITLE = "House rules"
    BINDINGS = [
        Binding("n", "new", "New rule", id="house.new", tooltip="A rule for a part of a kind"),
        Binding(
            "p", "predicates", "Predicates", id="house.predicates", tooltip="This world's own predicates"
        ),
        Binding("escape", "escape", "Back", id="house.escape", tooltip="One step back"),
    ]

    @dataclass
    class Read(Message):
        house: HouseView

    @dataclass
    class Kept(Message):
        """A rule was laid down or taken back."""

        kind: str
        rule: KindRule | None

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.house: HouseView | None = None
        self._laid_down = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("House rules")
        yield Input(id="kind", placeholder=NEW_KIND, compact=True)
        yield HouseList()
        yield Aside()
        yield KeyBar()

    def concerns(self, event: Event) -> bool:
        return isinstance(event, ProposalsChanged | CanonCommitted)

    async def read(self) -> None:
        self.post_message(self.Read(await self.services.policy.read(self.universe_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        self.house = message.house
        rules = len(message.house.rules)
        count = f"{rules} rule{'' if rules == 1 else 's'}" if rules else "no rules yet"
        self.query_one(TitleBar).show(message.house.universe.name, count)
        rows = self.query_one(HouseList)
        rows.show(message.house)
        if self._laid_down:
            rows.stand_on(self._laid_down)
            self._laid_down = ""
        self.refresh_bindings()

    # --- rules -------------------------------------------------------------------------------------

    @on(HouseList.SetRule)
    def _set_rule(self, message: HouseList.SetRule) -> None:
        message.stop()
        self.change(self._set(message.kind, message.rule), "rule")

    async def _set(self, kind: str, rule: KindRule | None) -> None:
        kept = await self.services.policy.set_rule(self.universe_id, kind, rule)
        self.post_message(self.Kept(kept, rule))

    @on(Kept)
    def _told(self, message: Kept) -> None:
        if self._close_field():
            self._laid_down = message.kind
        self.query_one(Aside).clear()
        self.reload()

    def action_new(self) -> None:
        field = self.query_one("#kind", Input)
        field.add_class("-shown")
        field.focus()

    def _close_field(self) -> bool:
        """Close the field for a new kind if it is open; returns whether it was."""
        field = self.query_one("#kind", Input)
        if not field.has_class("-shown"):
            return False
        field.clear()
        field.remove_class("-shown")
        self.query_one(HouseList).focus()
        return True

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        """A part begins as one that is always asked about: from there a key makes it accept or reject."""
        message.stop()
        if message.value.strip():
            self.change(self._set(message.value, KindRule.ASK), "rule")

    def action_predicates(self) -> None:
        if self.house is not None:
            self.app.push_screen(PredicatesScreen(self.services, self.house.universe, self.house.predicates))

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("new", "predicates"):
            return self.house is not None and not self.query_one("#kind", Input).has_focus
        return super().check_action(action, parameters)

    def action_escape(self) -> None:
        """One step back: from notes, from the field, then off the screen."""
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif not self._close_field():
            self.post_message(Visit(Back(self)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)
