"""System: the state of storage, background work and jobs that failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.events import BackgroundProgressed
from screens.base import ServiceScreen
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import ToBill, ToCharts, ToLlmSetup, ToMenu, ToPrompts, ToTables, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.jobs import Job
from stores.records.workflow import Loop
from widgets.loop_chart import LoopPosition
from widgets.safe_text import one_line
from widgets.status_bar import backlog_text
from widgets.system_list import SystemList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.jobs.job_status import BackgroundView
    from agents.services.services import Services
    from agents.views.menu_views import MenuView, StoryCard


class SystemScreen(ServiceScreen[None]):
    """One list to read; r retries the job under the cursor."""

    CSS_PATH = SCREENS_FOLDER / "system/system_screen.tcss"
    AUTO_FOCUS = "SystemList"
    BINDING_GROUP_TITLE = "System"
    BINDINGS = [
        Binding("b", "bill", "Bill", id="system.bill", tooltip="What the model has cost, and budgets"),
        Binding(
            "percent_sign",
            "charts",
            "Charts",
            id="system.charts",
            tooltip="Tension, dice, costs and the gate in charts",
            key_display="%",
        ),
        Binding("Y", "tables", "Tables", id="system.tables", tooltip="Tables to roll on, and your own"),
        Binding("M", "model", "Model", id="system.model", tooltip="How the model is set up"),
        Binding(
            "e", "prompts", "Prompts", id="system.prompts", tooltip="The words that each persona is given"
        ),
        Binding("escape,q", "escape", "Back", id="system.escape", tooltip="One step back"),
    ]

    @dataclass
    class SystemLoaded(Message):
        menu: MenuView
        background: BackgroundView
        main_state: str
        waiting_prose_count: int

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._has_entered_mode = False

    def compose(self) -> ComposeResult:
        yield TitleBar("System")
        yield SystemList(empty="Reading ...")
        yield NoticePanel()
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, BackgroundProgressed)

    async def load_view(self) -> None:
        if not self._has_entered_mode:
            from agents.story_outline import MainMode

            await self.services.stories.enter(MainMode.SYSTEM)
            self._has_entered_mode = True
        stories = self.services.stories
        menu, background = await stories.menu(), await self.services.jobs.read_status()
        self.post_message(
            self.SystemLoaded(
                menu, background, await stories.read_main_state(), await stories.count_waiting_prose()
            )
        )

    @on(SystemLoaded)
    def _show_system(self, message: SystemLoaded) -> None:
        menu, background, figures = message.menu, message.background, self.services.figures
        self.query_one(TitleBar).show_place(
            _library_counts(menu), backlog_text(background.items_left, background.current_work)
        )
        self.query_one(SystemList).show_system(
            menu.health,
            _with_waiting_prose(background, message.waiting_prose_count),
            [(row.label, row.value) for row in self.services.ingest.ladder_metrics.rows()],
            (
                ("Speed, since MONITOR was opened", figures.speed_rows()),
                ("Work, since MONITOR was opened", figures.work_rows()),
            ),
            _loop_positions(message.main_state, menu.resume_story),
            menu.notes,
        )

    # --- going on ----------------------------------------------------------------------------------

    @on(SystemList.RetryRequested)
    def _start_retry(self, message: SystemList.RetryRequested) -> None:
        message.stop()
        self.query_one(NoticePanel).clear()
        self.start_change(partial(self._retry_job, message.job), f"retry {message.job.id}")

    async def _retry_job(self, job: Job) -> None:
        await self.services.jobs.retry(job.id)
        self.reload()

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_charts(self) -> None:
        self.post_message(Visit(ToCharts()))

    def action_prompts(self) -> None:
        self.post_message(Visit(ToPrompts()))

    def action_tables(self) -> None:
        self.post_message(Visit(ToTables()))

    def action_model(self) -> None:
        self.post_message(Visit(ToLlmSetup()))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(ToMenu()))

    def handle_error(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError) and worker.startswith("retry"):
            self.query_one(NoticePanel).show_error(error)
        else:
            super().handle_error(error, worker)


def _with_waiting_prose(background: BackgroundView, count: int) -> BackgroundView:
    """Return the background work with the lines that wait while no model reads them."""
    if not count:
        return background
    lines = "1 line waits" if count == 1 else f"{count} lines wait"
    state = f"{lines}: read once a model is set and its Archivist is on (M)"
    return replace(background, rows=(*background.rows, ("your own prose", state)))


def _library_counts(menu: MenuView) -> str:
    return f"universes {menu.universe_count:,} · stories {menu.story_count:,} · facts on record {menu.fact_count:,}"


def _loop_positions(main_state: str, card: StoryCard | None) -> list[LoopPosition]:
    """Return where the Main Loop stands, and the loops of the story that was played last."""
    positions = [LoopPosition(Loop.MAIN, "Session", main_state)]
    if card is not None:
        positions.append(LoopPosition(Loop.STORY, f"Story: {one_line(card.story.title)}", card.state))
        if card.scene is not None:
            scene_title = f"Scene {card.scene.order}: {one_line(card.scene.title)}"
            positions.append(LoopPosition(Loop.SCENE, scene_title, card.scene_state))
    return positions
