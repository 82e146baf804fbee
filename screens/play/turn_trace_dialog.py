"""One turn: its place, what it made true, and what it proposes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import OptionList, Static

from agents.proposals.effects import describe_effects
from screens.dialogs.dialog import Dialog
from screens.dialogs.form_fields import Picker
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.routes import Route, ToGate, ToHistory, ToUniverse
from stores.records.canon import Fact, FactStatus
from stores.records.workflow import ProposalStatus
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.views.card_views import TurnTrace
    from agents.views.proposal_views import ProposalView
    from stores.records.ids import Id

CANON_SIGN, REMOVED_SIGN, PROPOSED_SIGN, ENTITY_SIGN = "★", "×", "◌", "◆"


class TurnTraceDialog(Dialog[Route | None]):
    """Dismisses with the route to go to: a fact on its card, an entity, the gate; or None."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "Picker"
    BINDING_GROUP_TITLE = "Turn"
    BINDINGS = [Binding("escape,enter", "close", "Close", id="trace.close", tooltip="Back to the transcript")]

    def __init__(self, trace: TurnTrace) -> None:
        super().__init__()
        self._trace = trace
        self._linked_rows = [*_canon_rows(trace), *_proposal_rows(trace)]

    def compose(self) -> ComposeResult:
        trace = self._trace
        with Vertical(classes="dialog wide"):
            yield Static(
                f"Turn {trace.turn.depth + 1} of {one_line(trace.scene.inline_label)}",
                classes="question",
                markup=False,
            )
            if not trace.is_on_line:
                yield Static("Undone, or on another branch.", classes="off", markup=False)
            with VerticalScroll(classes="words", can_focus=False):
                yield Static(content(_turn_text(trace)), markup=False)
            if self._linked_rows:
                yield Static(_links_heading(trace), classes="label", markup=False)
                yield Picker(*(content(row_text) for row_text, _ in self._linked_rows), markup=False)
            else:
                yield Static(
                    "Nothing in canon and no proposal comes from it.", classes="detail", markup=False
                )
        yield KeyBar()

    @on(OptionList.OptionSelected)
    def _follow_row(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.dismiss(self._linked_rows[message.option_index][1])

    def action_close(self) -> None:
        self.dismiss(None)


def _turn_text(trace: TurnTrace) -> str:
    """Return the turn's words, with its sealed result and every die of it."""
    result = trace.resolution
    if result is None:
        return trace.turn.text
    dice = " ".join(f"{die.sides}:{die.face}{'×' if die.dropped else ''}" for die in result.dice)
    effects = ", ".join(describe_effects(result.effects, trace.rejected_effects))
    lines = (trace.turn.text, result.text, f"dice {dice}" if dice else "", effects)
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _links_heading(trace: TurnTrace) -> str:
    has_canon = bool(trace.facts or trace.entities)
    heading = "What came of it" if has_canon else "Proposed by it"
    if _is_all_declared(trace):
        heading = "Declared after it"
    if not trace.proposals:
        return heading
    return (
        f"{heading}, and ({PROPOSED_SIGN}) what is proposed" if has_canon else f"{heading} ({PROPOSED_SIGN})"
    )


def _is_all_declared(trace: TurnTrace) -> bool:
    """Say whether all that is listed was declared after the turn, so that the heading says so for every row."""
    record_ids = {fact.id for fact in trace.facts} | {entity.id for entity in trace.entities}
    return record_ids | {row.proposal.id for row in trace.proposals} <= trace.declared_ids


def _canon_rows(trace: TurnTrace) -> Iterator[tuple[str, Route]]:
    """Yield the records that rest on the turn or were declared after it, each with its route."""
    world = trace.story.universe_id
    for fact in trace.facts:
        entity_id = fact.involves[0].entity_id if fact.involves else None
        route = (
            ToUniverse(world, entity_id, beside_play=True, fact_id=fact.id)
            if entity_id
            else ToHistory(fact.id)
        )
        yield f"{_fact_sign(fact)} {one_line(fact.statement)}{_declared_note(trace, fact.id)}", route
    for entity in trace.entities:
        yield (
            f"{ENTITY_SIGN} {one_line(entity.name)}  {entity.kind}{_declared_note(trace, entity.id)}",
            ToUniverse(world, entity.id, beside_play=True),
        )


def _declared_note(trace: TurnTrace, record_id: Id) -> str:
    is_noted = record_id in trace.declared_ids and not _is_all_declared(trace)
    return "  (declared after it)" if is_noted else ""


def _fact_sign(fact: Fact) -> str:
    if fact.status is FactStatus.CANONICAL:
        return CANON_SIGN
    return f"{REMOVED_SIGN} ({fact.status})"


def _proposal_rows(trace: TurnTrace) -> Iterator[tuple[str, Route]]:
    for row in trace.proposals:
        yield (
            f"{PROPOSED_SIGN} {_status_prefix(row)}{row.label}: {one_line(row.title)}"
            f"{_declared_note(trace, row.proposal.id)}",
            ToGate(row.proposal.scene_id, row.proposal.universe_id, row.proposal.id),
        )


def _status_prefix(row: ProposalView) -> str:
    return "withdrawn, " if row.status is ProposalStatus.WITHDRAWN else ""
