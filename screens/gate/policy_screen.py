"""The policy of a universe: what its gate accepts, rejects or asks by itself, its predicates, its rulings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

from agents.events import CanonCommitted, ProposalsChanged
from screens.base import ServiceScreen
from screens.folder import SCREENS_FOLDER
from screens.gate.predicates_screen import PredicatesScreen
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from stores.records.workflow import KindRule
from widgets.policy_list import PolicyList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.conflict_views import PolicyView

NEW_KIND_HINT = "always ask about: numbers and tags (hp), facts (weather) … Enter adds"


class PolicyScreen(ServiceScreen[None]):
    """The policies of a universe, kind by kind, with the GM's own figures."""

    CSS_PATH = SCREENS_FOLDER / "gate/policy_screen.tcss"
    AUTO_FOCUS = "PolicyList"
    BINDING_GROUP_TITLE = "Gate rules"
    BINDINGS = [
        Binding("n", "new", "New rule", id="policy.new", tooltip="A rule for one number or one kind of fact"),
        Binding(
            "K",
            "predicates",
            "Kinds of fact",
            id="policy.predicates",
            tooltip="This world's own kinds of fact",
        ),
        Binding("escape", "escape", "Back", id="policy.escape", tooltip="One step back"),
    ]

    @dataclass
    class PolicyLoaded(Message):
        policy: PolicyView

    @dataclass
    class RuleSaved(Message):
        """A rule was set or removed."""

        kind: str
        rule: KindRule | None

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.policy: PolicyView | None = None
        self._new_rule_kind = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Gate rules")
        yield Input(id="kind", placeholder=NEW_KIND_HINT, compact=True)
        yield PolicyList()
        yield NoticePanel()
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, ProposalsChanged | CanonCommitted)

    async def load_view(self) -> None:
        self.post_message(self.PolicyLoaded(await self.services.policy.read_policy(self.universe_id)))

    @on(PolicyLoaded)
    def _show_policy(self, message: PolicyLoaded) -> None:
        self.policy = message.policy
        rule_count = len(message.policy.rules)
        count = f"{rule_count} rule{'' if rule_count == 1 else 's'}" if rule_count else "no rules yet"
        self.query_one(TitleBar).show_place(message.policy.universe.name, count)
        policy_list = self.query_one(PolicyList)
        policy_list.show_policy(message.policy)
        if self._new_rule_kind:
            policy_list.move_cursor_to(self._new_rule_kind)
            self._new_rule_kind = ""
        self.refresh_bindings()

    # --- rules -------------------------------------------------------------------------------------

    @on(PolicyList.RuleSet)
    def _change_rule(self, message: PolicyList.RuleSet) -> None:
        message.stop()
        self.start_change(partial(self._save_rule, message.kind, message.rule), "rule")

    async def _save_rule(self, kind: str, rule: KindRule | None) -> None:
        saved_kind = await self.services.policy.set_rule(self.universe_id, kind, rule)
        self.post_message(self.RuleSaved(saved_kind, rule))

    @on(RuleSaved)
    def _rule_saved(self, message: RuleSaved) -> None:
        if self._close_kind_field():
            self._new_rule_kind = message.kind
        self.query_one(NoticePanel).clear()
        self.reload()

    def action_new(self) -> None:
        field = self.query_one("#kind", Input)
        field.add_class("-shown")
        field.focus()

    def _close_kind_field(self) -> bool:
        """Close the field for a new kind if it is open; returns whether it was."""
        field = self.query_one("#kind", Input)
        if not field.has_class("-shown"):
            return False
        field.clear()
        field.remove_class("-shown")
        self.query_one(PolicyList).focus()
        return True

    @on(Input.Submitted)
    def _add_typed_kind(self, message: Input.Submitted) -> None:
        """Add a rule for the typed kind that always asks; keys make it accept or reject."""
        message.stop()
        if message.value.strip():
            self.start_change(partial(self._save_rule, message.value, KindRule.ASK), "rule")

    def action_predicates(self) -> None:
        if self.policy is not None:
            self.app.push_screen(
                PredicatesScreen(self.services, self.policy.universe, self.policy.predicates)
            )

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("new", "predicates"):
            return self.policy is not None and not self.query_one("#kind", Input).has_focus
        return super().check_action(action, parameters)

    def action_escape(self) -> None:
        """Go one step back: close the notes, the field, then the screen."""
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif not self._close_kind_field():
            self.post_message(Visit(Back(self)))
