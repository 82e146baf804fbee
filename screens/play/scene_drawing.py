"""Draws a scene, as it was read, into the transcript, the panels beside it and the prompt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from agents.views.row_verdicts import is_undecided
from screens.play.scene_side import SceneSide
from widgets.cast_box import cast_content
from widgets.prompt import PlayPrompt
from widgets.static_content import show_content
from widgets.status_bar import StatusBar
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.views.scene_views import SceneView
    from agents.views.turn_views import TurnView
    from screens.play.scene_reader import SceneReading
    from stores.records.ids import Id

PROMPT_HINT = "what do you do?"
UNNARRATED_HINT = "F7: the GM opens it"


class SceneDrawing:
    """The widgets of the play screen that show the scene. It reads nothing itself."""

    def __init__(
        self,
        transcript: Transcript,
        status_bar: StatusBar,
        prompt: PlayPrompt,
        side: SceneSide,
        fetch_turns: Callable[[int, int], Awaitable[list[TurnView]]],
    ) -> None:
        self._transcript = transcript
        self._status_bar = status_bar
        self._prompt = prompt
        self._side = side
        self._fetch_turns = fetch_turns
        self.here_line = Static(id="here", markup=False)
        """Who is here, where there is no room for a panel."""
        self.has_timeline_moved = False
        """Whether turns that are shown may have gone since they were drawn."""
        self._proposals_drawn: frozenset[tuple[Id, Id, bool]] = frozenset()

    def draw(self, reading: SceneReading, *, is_first_view: bool, awaits_opening: bool) -> None:
        """Draw the scene; `awaits_opening`: the model is to narrate its beginning."""
        view = reading.view
        self._status_bar.view = view
        self._status_bar.extra = reading.cost_text
        self._draw_turns(reading, is_first_view=is_first_view)
        self._side.show_scene(view)
        show_content(self.here_line, Content("   ").join(cast_content([member]) for member in view.cast))
        self._prompt.hint = _word_prompt_hint(view, awaits_opening=awaits_opening)

    def _draw_turns(self, reading: SceneReading, *, is_first_view: bool) -> None:
        """Append new turns; if the head has moved or earlier lines are marked anew, fetch again what is in view."""
        transcript, view = self._transcript, reading.view
        proposals_before, self._proposals_drawn = self._proposals_drawn, _list_proposal_turns(view)
        reread_ids = {row.turn.id for row in reading.tail}
        is_marked_anew = any(
            turn_id not in reread_ids for _, turn_id, _ in proposals_before ^ self._proposals_drawn
        )
        if is_first_view:
            transcript.open_timeline(view.turn_count, self._fetch_turns)
            transcript.show_previous_end(reading.previous_end)
        elif self.has_timeline_moved or is_marked_anew or view.turn_count < transcript.total:
            transcript.reload(min(view.turn_count, transcript.total))  # what is new comes with the tail
        self.has_timeline_moved = False
        for row in reading.tail:
            transcript.append(row)


def _list_proposal_turns(view: SceneView) -> frozenset[tuple[Id, Id, bool]]:
    """Return the proposals, each with every turn that it rests on, and whether it is rejected: those lines say so."""
    return frozenset(
        (row.proposal.id, evidence.turn_id, row.mark == "reject")
        for row in view.proposals
        for evidence in row.proposal.evidence
        if evidence.turn_id
    )


def _word_prompt_hint(view: SceneView, *, awaits_opening: bool) -> str:
    """Return the hint for the empty prompt; at a scene's beginning, how it can be begun."""
    if awaits_opening:
        return " · ".join(filter(None, (UNNARRATED_HINT, view.opening_hint)))
    return f"{PROMPT_HINT}  {view.opening_hint}" if view.opening_hint else PROMPT_HINT


def describe_waiting(view: SceneView) -> str:
    """Return in words what waits for the player beside the story, with the keys that lead there."""
    undecided_count = sum(map(is_undecided, view.proposals))
    offer_count = len(view.offers)
    return " · ".join(
        filter(
            None,
            (
                f"F2 {undecided_count} proposed" if undecided_count else "",
                f"^l {offer_count} {'offer' if offer_count == 1 else 'offers'}" if offer_count else "",
            ),
        )
    )
