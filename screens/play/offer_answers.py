"""An offer to commit, which stands over the prompt and takes no focus: what Enter and Esc make of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from agents.orchestrator.commit_reports import commit_lines
from screens.base import start_change
from screens.notice_panel import Severity
from screens.play.scene_messages import TriggerCommitted
from stores.records.ids import Id
from widgets.prompt import PlayPrompt
from widgets.trigger_bar import TriggerBar

if TYPE_CHECKING:
    from agents.services.gate import GateService
    from agents.views.gate_views import CommitReport
    from agents.views.scene_views import SceneView

SENDING_KEYS = "Enter: send what is typed · F3: decide at the gate · Esc: decide at scene end"
PANEL_KEYS = "Enter: evidence · F3: decide at the gate · Esc: back to the prompt"
READING_KEYS = "F3: decide at the gate · Esc: back to the prompt"
"""What keys do while an offer to commit is shown and Enter does not take it."""


class OfferAnswers:
    """Shows an offer, says what the keys do where the focus is, and carries out the answer.

    The screen is told of a commit by a `TriggerCommitted`.
    """

    def __init__(self, screen: Screen[Any], gate: GateService, bar: TriggerBar, prompt: PlayPrompt) -> None:
        self._screen = screen
        self._gate = gate
        self._bar = bar
        self._prompt = prompt
        self._scene_id: Id = ""
        self._offer_ids: tuple[Id, ...] = ()
        self._passed_ids: set[Id] = set()
        """Proposals of offers that something else was typed after: a bare Enter does not mean them any more."""

    @property
    def is_shown(self) -> bool:
        return bool(self._bar.why)

    @property
    def is_armed(self) -> bool:
        """Return whether a bare Enter takes the offer."""
        has_empty_prompt = self._prompt.input_has_focus and not self._prompt.has_text
        return self.is_shown and not self._bar.is_passed and has_empty_prompt

    def show(self, view: SceneView) -> None:
        """Show what the scene offers to commit, if anything."""
        self._scene_id = view.scene.id
        bar, self._offer_ids = self._bar, view.offer_ids
        bar.why = view.trigger_reason if view.state == "active" else ""
        bar.row_count = sum(not set(view.offer_ids).isdisjoint(row.member_ids) for row in view.proposals)
        bar.is_passed = bool(bar.why) and (
            view.is_offer_lapsed or self._passed_ids.issuperset(view.offer_ids)
        )
        bar.can_focus = False

    def pass_over(self) -> None:
        """Note that something else is typed, so that Enter does not mean the offer any more."""
        if self.is_shown:
            self._passed_ids.update(self._offer_ids)
            self._bar.is_passed = True

    def show_keys(self, *, is_list_focused: bool) -> None:
        """Say on the offer what Enter and Esc do where the focus is."""
        if self._prompt.input_has_focus:
            self._bar.keys_elsewhere = SENDING_KEYS if self._prompt.has_text else ""
        else:
            self._bar.keys_elsewhere = PANEL_KEYS if is_list_focused else READING_KEYS

    def commit(self) -> None:
        """Write what is offered to canon now."""
        start_change(self._screen, self._commit, "commit")

    async def _commit(self) -> None:
        self._screen.post_message(TriggerCommitted(await self._gate.commit_trigger(self._scene_id)))

    def dismiss(self) -> None:
        """Leave the offered proposals to the end of the scene."""
        start_change(self._screen, partial(self._gate.dismiss_trigger, self._scene_id), "dismiss")


def describe_commit(report: CommitReport) -> tuple[tuple[str, ...], Severity]:
    """Return what a commit of an offer did in lines, and how they are shown."""
    failures = tuple((subject, f"{subject}: {reason}") for subject, reason in report.failures)
    lines = commit_lines(replace(report, failures=failures)) or ("Nothing new to write.",)
    return tuple(lines), "warning" if failures else "information"
