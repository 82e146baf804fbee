"""One turn: where it stands, what it made true, and what it would make true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from screens.fields import Picker
from screens.key_bar import KeyBar
from screens.routes import Route, ToGate, ToUniverse
from screens.world_routes import ToHistory
from stores.records.canon import Fact, FactStatus
from stores.records.ledger import ProposalStatus
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.views.play_views import ProposalView, TurnTrace

MADE, GONE, PROPOSED, THING = "★", "×", "◌", "◆"


class TraceScreen(ModalScreen[Route | None]):
    """Dismisses with the place to go to: a fact on its card, a thing, the gate; or None."""

    CSS_PATH = "dialog.tcss"
    AUTO_FOCUS = "Picker"
    BINDING_GROUP_TITLE = "A turn"
    BINDINGS = [Binding("escape,enter", "close", "Close", id="trace.close", tooltip="Back to the transcript")]

    def __init__(self, trace: TurnTrace) -> None:
        super().__init__()
        self._trace = trace
        self._made = [*_made(trace), *_proposed(trace)]

    def compose(self) -> ComposeResult:
        trace = self._trace
        with Vertical(classes="dialog wide"):
            yield Static(
                f"Turn {trace.turn.depth + 1} of scene {trace.scene.order} “{one_line(trace.scene.title)}”",
                classes="question",
                markup=False,
            )
            if not trace.on_line:
                yield Static("Off the line: undone, or left by a branch.", classes="off", markup=False)
            with VerticalScroll(classes="words", can_focus=False):
                yield Static(content(_words(trace)), markup=False)
            if self._made:
                yield Static(_heading(trace), classes="label", markup=False)
                yield Picker(*(content(words) for words, _ in self._made), markup=False)
            else:
                yield Static(
                    "Nothing in canon rests on it, and nothing is proposed.", classes="detail", markup=False
                )
        yield KeyBar()

    @on(OptionList.OptionSelected)
    def _chosen(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.dismiss(self._made[message.option_index][1])

    def action_close(self) -> None:
        self.dismiss(None)


def _words(trace: TurnTrace) -> str:
    """The turn's words, with the sealed result that it shows and every die of it."""
    result = trace.resolution
    if result is None:
        return trace.turn.text
    dice = " ".join(f"{die.sides}:{die.face}{'×' if die.dropped else ''}" for die in result.dice)
    lines = (trace.turn.text, result.text, f"dice {dice}" if dice else "", ", ".join(result.effects))
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _heading(trace: TurnTrace) -> str:
    if not trace.proposals:
        return "What it made true"
    both = trace.facts or trace.entities
    return f"What it made true, and ({PROPOSED}) would" if both else f"What it would make true ({PROPOSED})"


def _made(trace: TurnTrace) -> Iterator[tuple[str, Route]]:
    """Yield what rests on the turn, with the place where that stands."""
    world = trace.story.universe_id
    for fact in trace.facts:
        about = fact.involves[0].entity_id if fact.involves else None
        there = ToUniverse(world, about, beside_play=True, fact_id=fact.id) if about else ToHistory(fact.id)
        yield f"{_sign(fact)} {one_line(fact.statement)}", there
    for entity in trace.entities:
        yield (
            f"{THING} {one_line(entity.name)}  {entity.kind}",
            ToUniverse(world, entity.id, beside_play=True),
        )


def _sign(fact: Fact) -> str:
    if fact.status is FactStatus.CANONICAL:
        return MADE
    return f"{GONE} ({fact.status})"


def _proposed(trace: TurnTrace) -> Iterator[tuple[str, Route]]:
    for row in trace.proposals:
        yield f"{PROPOSED} {_standing(row)}{row.label}: {one_line(row.title)}", ToGate(row.proposal.scene_id)


def _standing(row: ProposalView) -> str:
    return "withdrawn, " if row.status is ProposalStatus.WITHDRAWN else ""
