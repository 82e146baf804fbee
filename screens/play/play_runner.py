"""Runs what is queued on the play screen, one after another: typed lines, and what keys ask for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from screens.play.narration_status import NarrationStatus
from screens.play.play_queue import PlayQueue, QueuedPlay
from screens.play.scene_messages import PlayFailed, ReplyReceived
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.services.play import PlayService
    from agents.views.replies import Reply
    from screens.notice_panel import NoticePanel
    from widgets.prompt import PlayPrompt

PLAY_WORKER = "play"
"""The name of the worker that plays a line."""


class PlayRunner:
    """Plays in workers of the screen, which is told of each end by a `ReplyReceived` or a `PlayFailed`."""

    def __init__(
        self,
        screen: Screen[Any],
        play: PlayService,
        queue: PlayQueue,
        prompt: PlayPrompt,
        notices: NoticePanel,
        narration: NarrationStatus,
    ) -> None:
        self._screen = screen
        self._play = play
        self._queue = queue
        self._prompt = prompt
        self._notices = notices
        self._narration = narration
        self._scene_id: Id | None = None
        """None until the scene is open: what is queued before waits."""

    def open_scene(self, scene_id: Id) -> None:
        """Play in this scene from now on, first what waits."""
        self._scene_id = scene_id
        self.play_next()

    def queue_line(self, line: str, *, offers_moves: bool = True) -> None:
        """Play a line after all that waits; `offers_moves`: the reply may offer the move that it calls for."""
        self._queue.add(self._plan_line(line, offers_moves=offers_moves))
        self.play_next()

    def queue_plain_line_first(self, line: str) -> None:
        """Have a line played before all that waits, without an offer of its move."""
        self._queue.add_next(self._plan_line(line, offers_moves=False))

    def queue_play(self, run: Callable[[], Awaitable[Reply]], *, continues_narration: bool = False) -> None:
        """Play what a key asks for, in the order of the lines that were typed."""
        self._queue.add(QueuedPlay(run, continues_narration=continues_narration))
        self.play_next()

    def continue_narration(self) -> None:
        """Let the model narrate on, after what waits."""
        assert self._scene_id is not None, "nothing is played before the scene is open"
        self.queue_play(partial(self._play.continue_narration, self._scene_id), continues_narration=True)

    def play_next(self) -> None:
        """Play the next of what waits, once the scene is open and the one before is done."""
        if self._scene_id is not None and (play := self._queue.start_next()) is not None:
            self._notices.clear()
            start_worker(self._screen, partial(self._run, play.run), PLAY_WORKER)
        self._show_status()

    def finish(self) -> None:
        """Note that the reply to what was played is shown, and play on."""
        self._queue.finish()
        self.play_next()

    def fail(self, error: BaseException) -> None:
        """Note that something could not be played; a line that is not in the story goes back into the prompt."""
        if line := self._queue.fail(error):
            self._prompt.restore_text(line)
        self._show_status()

    async def _run(self, run: Callable[[], Awaitable[Reply]]) -> None:
        try:
            reply = await run()
        except MonitorError as error:
            self._screen.post_message(PlayFailed(error))
        else:
            self._screen.post_message(ReplyReceived(reply))

    def _show_status(self) -> None:
        self._narration.refresh()
        self._screen.refresh_bindings()

    def _plan_line(self, line: str, *, offers_moves: bool) -> QueuedPlay:
        async def submit() -> Reply:
            assert self._scene_id is not None, "nothing is played before the scene is open"
            return await self._play.submit(self._scene_id, line, with_view=True, offers_moves=offers_moves)

        return QueuedPlay(submit, line, line.startswith("/continue"))
