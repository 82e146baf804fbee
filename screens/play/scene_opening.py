"""What happens once, when a scene is opened: notes, the draft, and the narration that is due."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from screens.notice_panel import NoticePanel
from screens.play.play_runner import PlayRunner
from screens.play.prompt_draft import KEPT_DRAFT_NOTE, PromptDraft
from stores.records.ids import Id
from stores.records.play import StoryMode
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.services.llm import LlmService
    from agents.services.play import PlayService
    from agents.views.scene_views import SceneView


class SceneOpening:
    """Begins a scene on the screen.

    `follows_gate`: play goes on from the gate of the scene before; `opening_lines` are shown first.
    """

    def __init__(
        self,
        screen: Screen[Any],
        play: PlayService,
        llm: LlmService,
        runner: PlayRunner,
        draft: PromptDraft,
        notices: NoticePanel,
        *,
        follows_gate: bool,
        opening_lines: tuple[str, ...],
    ) -> None:
        self._screen = screen
        self._play = play
        self._llm = llm
        self._runner = runner
        self._draft = draft
        self._notices = notices
        self._follows_gate = follows_gate
        self._opening_lines = opening_lines

    def awaits_narration(self, view: SceneView) -> bool:
        """Return whether the model should open the scene: nothing was narrated or played in it."""
        return self._llm.is_on and view.state == "active" and not (view.turn_count or view.unfinished_count)

    def begin(self, view: SceneView) -> None:
        """Show the notes and the draft, and have narrated what is due; the scene is drawn already."""
        start_worker(self._screen, partial(self._restore_draft, view.story.id), "draft")
        self._notices.show_lines(self._opening_lines)
        if view.stalled_note:
            self._notices.show_lines((view.stalled_note,), "warning")
        if view.unfinished_count:
            # What a crash left untold goes on before all else, where the player sees it.
            self._runner.queue_play(partial(self._play.finish_narration, view.scene.id))
        elif self._follows_gate and self.awaits_narration(view) and view.story.mode is StoryMode.AUTOPILOT:
            self._runner.continue_narration()

    async def _restore_draft(self, story_id: Id) -> None:
        await self._draft.restore(story_id)
        if self._draft.is_kept_for_later:
            self._notices.show_lines((KEPT_DRAFT_NOTE,))
        if self._draft.offered_roll is not None:
            self._notices.show_lines((self._draft.offered_roll.describe_waiting(),))
            self._screen.refresh_bindings()
