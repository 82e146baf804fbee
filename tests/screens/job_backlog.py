"""A library with work left to do behind play: one job given up, and vectors that are not made yet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from agents.jobs.job_runner import JobRunner
from agents.jobs.job_status import BackgroundView
from agents.jobs.worker import MAX_FAILURES
from agents.services.services import Services
from monitor_tui.app import ShowMenu
from monitor_tui.background_mode import BackgroundMode
from stores.authority import Role
from stores.open import open_stores
from stores.records.ids import Id, SteppingClock
from stores.records.jobs import Job, JobKind, JobState, derive_job_id
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.screens.screen_driver import EVENING, OpenServices, real_services
from tests.screens.scripted_llm import start_sample_story

ERROR = "OSError: the [bold]disk[/] is gone\x1b[31m"


async def build_backlog(home: Path) -> tuple[Id, Id]:
    """Play a little, bring words and memories up to date, and give up one job; returns scene and job."""
    services, close = await real_services(home, 7)()
    scene_id = await start_sample_story(services, "I wait for the tide.")
    (universe,) = await services.stories.universes()
    await services.jobs.wait_until_idle()
    await services.stories.suspend()
    await close()
    job = Job(
        id=derive_job_id(JobKind.INDEX, scene_id),
        kind=JobKind.INDEX,
        subject_id=scene_id,
        universe_id=universe.id,
        state=JobState.POISONED,
        attempts=MAX_FAILURES,
        error=ERROR,
        due=EVENING,
        updated_at=EVENING,
    )
    stores = await open_stores(home, clock=SteppingClock(EVENING))
    await stores.log(Role.ORCHESTRATOR).put_job(job)
    await stores.close()
    return scene_id, job.id


def open_with_backlog(home: Path, embedder: FakeEmbedder) -> OpenServices:
    """Open the program with its background, as soon as that only waits for the embedder.

    The embedder holds its answer back (`awake` is clear), or is away (`stops` is 0).
    """

    async def open_services(
        show_menu: ShowMenu | None = None,
    ) -> tuple[Services, Callable[[], Awaitable[None]]]:
        services, close = await real_services(home, 8, mode=BackgroundMode.PLAY, embedder=embedder)(show_menu)
        services.jobs.start()
        await _wait_for_embedder(services.jobs)
        return services, close

    return open_services


async def _wait_for_embedder(jobs: JobRunner) -> None:
    """Wait until all but the vectors is up to date."""
    for _ in range(2_000):
        if _waits_for_embedder(jobs.current_status()):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"the background does other things still: {jobs.current_status()}")


def _waits_for_embedder(status: BackgroundView) -> bool:
    rows = dict(status.rows)
    others = (state for label, state in rows.items() if label not in ("meaning", "embedding model"))
    return (
        rows["meaning"] != "up to date"
        and bool(status.poisoned)
        and all(state.startswith("up to date") for state in others)
    )
