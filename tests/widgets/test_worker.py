"""Work that a key starts leaves the frame that the key asked for its time."""

from __future__ import annotations

from textual.binding import Binding
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tests.widgets.stage import Stage
from widgets.worker import let_frame_go_first, start_worker


class _Switch(Widget, can_focus=True):
    """Changes its look with a key, which starts work, too."""

    BINDINGS = [Binding("d", "decide", "Decide")]

    def __init__(self) -> None:
        super().__init__()
        self.frame_count = 0
        self.frames_at_work: list[int] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.frame_count += 1
        return super().render_lines(crop)

    def action_decide(self) -> None:
        start_worker(self, self._work, "work")
        self.refresh()

    async def _work(self) -> None:
        await let_frame_go_first()
        self.frames_at_work.append(self.frame_count)


async def test_frame_of_a_key_is_drawn_before_the_work_that_the_key_starts() -> None:
    switch = _Switch()
    app = Stage(switch)
    async with app.run_test(size=(20, 5)) as pilot:
        switch.focus()
        goes_first = []
        for _ in range(
            10
        ):  # a frame that comes right after another one is held back, and the work does not wait
            frames_before = switch.frame_count
            await pilot.press("d")
            await app.workers.wait_for_complete()
            goes_first.append(switch.frames_at_work[-1] > frames_before)
            await pilot.pause(0.02)
        assert any(goes_first)
