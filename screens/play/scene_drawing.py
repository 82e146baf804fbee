"""Draws a scene, as it was read, into the transcript, the panels beside it and the prompt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from widgets.agenda_box import AgendaBox
from widgets.cast_box import CastBox, cast_content
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalPanel
from widgets.status_bar import StatusBar
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.views.play_views import SceneView, TurnView
    from screens.play.scene_reader import SceneReading

PROMPT_HINT = "what do you do?"
UNNARRATED_HINT = "F7: the GM opens it"


class SceneDrawing:
    """The widgets of the play screen that show the scene. It reads nothing itself."""

    def __init__(
        self,
        transcript: Transcript,
        status_bar: StatusBar,
        prompt: PlayPrompt,
        side: Widget,
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

    async def mount_panels(self) -> None:
        """Mount the panels beside the story, once; the first frame comes without them."""
        if not self._side.query(ProposalPanel):
            await self._side.mount(ProposalPanel(), CastBox(), AgendaBox())

    def draw(self, reading: SceneReading, *, is_first_view: bool, awaits_opening: bool) -> None:
        """Draw the scene; `awaits_opening`: the model is to narrate its beginning."""
        view = reading.view
        self._status_bar.view = view
        self._status_bar.extra = reading.cost_text
        self._draw_turns(reading, is_first_view=is_first_view)
        self._side.query_one(ProposalPanel).show_proposals(view.proposals)
        self._side.query_one(CastBox).show(view.cast)
        self._side.query_one(AgendaBox).show(view)
        self.here_line.update(Content("   ").join(cast_content([member]) for member in view.cast))
        self._prompt.hint = _word_prompt_hint(view, awaits_opening=awaits_opening)

    def _draw_turns(self, reading: SceneReading, *, is_first_view: bool) -> None:
        """Append new turns; if the head has moved, fetch again what is in view."""
        transcript, view = self._transcript, reading.view
        if is_first_view:
            transcript.open_timeline(view.turn_count, self._fetch_turns)
            transcript.show_previous_end(reading.previous_end)
        elif self.has_timeline_moved or view.turn_count < transcript.total:
            transcript.reload(min(view.turn_count, transcript.total))  # what is new comes with the tail
        self.has_timeline_moved = False
        for row in reading.tail:
            transcript.append(row)


def _word_prompt_hint(view: SceneView, *, awaits_opening: bool) -> str:
    """Return the hint for the empty prompt; at a scene's beginning, how it can be begun."""
    if awaits_opening:
        return " · ".join(filter(None, (UNNARRATED_HINT, view.opening_hint)))
    return f"{PROMPT_HINT}  {view.opening_hint}" if view.opening_hint else PROMPT_HINT
