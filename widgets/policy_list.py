"""The policy of a universe by row: suggested rules, every kind of change with its rule, rulings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.conflict_views import KindPolicyView, PolicyView, RulingView
from stores.records.workflow import KindRule
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap
from widgets.single_keys import SingleKeys

RULE_CELLS = 12
"""The cells of the longest rule and a space."""

KIND_CELLS = 34

WIDE_CELLS = 100
"""Cells from which a row has room for figures and for who set its rule."""

_RULE_INKS = {KindRule.ACCEPT: Ink.GOOD, KindRule.ASK: Ink.WARN, KindRule.REJECT: Ink.BAD}
_RULE_SIGNS = {KindRule.ACCEPT: "✓", KindRule.ASK: "?", KindRule.REJECT: "✗"}


class PolicyList(RowList[KindPolicyView | RulingView], SingleKeys):
    """Suggestions first, then kinds, then rulings."""

    HELP_TITLE: ClassVar[str] = "Gate rules"
    HELP_TEXT: ClassVar[str] = (
        "✓ auto-accept, ? ask, ✗ auto-reject, · no rule: the confidence decides. No rule overrides a "
        "protection or a conflict. What a rule decides is marked `by rule` at the gate; undo it there."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Use the offer", id="policy.take", tooltip="Use the offered rule"),
        Binding(
            "a",
            "rule('auto-accept')",
            "Auto-accept",
            id="policy.accept",
            tooltip="Accept these without asking",
        ),
        Binding("d", "rule('ask')", "Ask", id="policy.ask", tooltip="Always ask about these"),
        Binding(
            "r",
            "rule('auto-reject')",
            "Auto-reject",
            id="policy.reject",
            tooltip="Reject these without asking",
        ),
        Binding("delete", "rule(None)", "No rule", id="policy.none", tooltip="Remove the rule"),
    ]

    @dataclass
    class RuleSet(Message):
        """Set this rule for the kind; None removes it."""

        kind: str
        rule: KindRule | None

    def show_policy(self, policy: PolicyView) -> None:
        """Show a universe's policy; the cursor stays on its row."""
        self.set_rows(list(_policy_rows(policy)))

    def move_cursor_to(self, kind: str) -> None:
        """Move the cursor to a kind, if it is there."""
        for row_index, row in enumerate(self.rows):
            if isinstance(row.value, KindPolicyView) and row.value.kind == kind:
                self.cursor = row_index

    def row_highlighted(self, value: KindPolicyView | RulingView | None) -> None:
        self.refresh_bindings()

    @property
    def current_kind(self) -> KindPolicyView | None:
        """The kind that the cursor stands on."""
        return self.current if isinstance(self.current, KindPolicyView) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        kind = self.current_kind
        match action, parameters:
            case "take", _:
                return kind is not None and kind.offered is not None
            case "rule", (None,):
                return kind is not None and kind.rule is not None
            case "rule", (rule,):
                return kind is not None and kind.rule != rule
        return super().check_action(action, parameters)

    def action_take(self) -> None:
        if self.current_kind is not None and self.current_kind.offered is not None:
            self.post_message(self.RuleSet(self.current_kind.kind, self.current_kind.offered))

    def action_rule(self, rule: Literal["auto-accept", "ask", "auto-reject"] | None) -> None:
        if self.current_kind is not None:
            self.post_message(self.RuleSet(self.current_kind.kind, KindRule(rule) if rule else None))


def _policy_rows(policy: PolicyView) -> Iterator[ListRow[KindPolicyView | RulingView]]:
    if policy.offers:
        yield _heading_row("Offered, from your own decisions; Enter uses it")
        for kind in policy.offers:
            yield ListRow(f"kind {kind.kind}", partial(_kind_lines, kind), kind, height=1)
        yield _space_row()
    yield _heading_row("Rules by kind of change")
    for kind in policy.kinds:
        if kind not in policy.offers:
            yield ListRow(f"kind {kind.kind}", partial(_kind_lines, kind), kind, height=1)
    yield _space_row()
    yield _heading_row(f"Resolved conflicts  {len(policy.rulings) or 'none yet'}")
    for number, ruling in enumerate(policy.rulings):
        yield ListRow(f"ruling {number} {ruling.decided_at}", partial(_ruling_lines, ruling), ruling)


def _heading_row(text: str) -> ListRow[KindPolicyView | RulingView]:
    return ListRow(text, lambda width: [[(f" {ellipsise(text, width - 1)}", Ink.HEADING)]], height=1)


def _space_row() -> ListRow[KindPolicyView | RulingView]:
    return ListRow("", lambda width: [[]], height=1)


def _kind_lines(kind: KindPolicyView, width: int) -> list[Line]:
    rule = kind.offered or kind.rule
    sign, ink = (_RULE_SIGNS[rule], _RULE_INKS[rule]) if rule else ("·", Ink.MUTED)
    rule_text = rule.value if rule else "no rule"
    figures = f"you accepted {kind.accepted} of {kind.decided}" if kind.decided else ""
    set_by = f"by {kind.by}, {kind.at}" if kind.rule else ""
    note = set_by or figures if width < WIDE_CELLS else "   ".join(filter(None, (figures, set_by)))
    room = max(10, min(KIND_CELLS, width - RULE_CELLS - 4))
    return [
        [
            ("  ", Ink.PROSE),
            (f"{sign} ", ink),
            (pad(rule_text, RULE_CELLS), ink),
            (pad(kind.words, room), Ink.PROSE),
            (ellipsise(f" {note}", max(0, width - room - RULE_CELLS - 4)), Ink.MUTED),
        ]
    ]


def _ruling_lines(ruling: RulingView, width: int) -> list[Line]:
    statements_text = one_line(f"“{ruling.new_title}” against “{ruling.old_title}”")
    first, *rest = wrap(statements_text, width - 4)
    lines: list[Line] = [[("  § ", Ink.NPC), (first, Ink.PROSE)]]
    lines += [[("    ", Ink.PROSE), (line, Ink.PROSE)] for line in rest]
    details_text = " · ".join(
        filter(None, (ruling.description, f"{ruling.decided_by}, {ruling.decided_at}", ruling.reason))
    )
    return [*lines, [("    ", Ink.PROSE), (ellipsise(details_text, width - 4), Ink.MUTED)]]
