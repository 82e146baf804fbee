"""Stores what the background must remember after a stop: cursors, failures and poisoned jobs.

Nothing is written for a job that succeeds and has no cursor. A job that failed before is written down before
it is tried again, so that a job that takes down the whole process is counted as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from agents.jobs.worker import JobSubject
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id
from stores.records.jobs import Job, JobKind, JobState, derive_job_id

LEASE: Final = timedelta(minutes=5)
"""How long a run counts as alive. A library has one process at a time, so at a start no run is alive."""

MAX_ERROR_CHARACTERS: Final = 500

_INTERRUPTED: Final = "MONITOR ended while it was tried."


class JobStore:
    """Implements `agents.jobs.worker.Cursors` and stores failures. Raises StoreError."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._lock = asyncio.Lock()

    # --- cursors -------------------------------------------------------------------------------------

    async def read_cursor(self, kind: JobKind, subject_id: Id) -> str:
        job = await self._find_job(kind, subject_id)
        return job.cursor if job else ""

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None:
        def put(job: Job) -> Job:
            return job.model_copy(update={"cursor": cursor, "updated_at": self._clock()})

        await self._update(kind, subject, put)

    # --- failures ------------------------------------------------------------------------------------

    async def list_failed(self) -> list[Job]:
        """Return jobs that failed and have not succeeded since, poisoned ones included.

        One that was running when the process ended counts as failed, too.
        """
        states = (JobState.WAITING, JobState.RUNNING, JobState.POISONED)
        jobs = await self._log.jobs(states=states)
        return [
            job.model_copy(update={"error": job.error or _INTERRUPTED})
            if job.state is JobState.RUNNING
            else job
            for job in jobs
            if job.attempts
        ]

    async def record_start(
        self, kind: JobKind, subject: JobSubject, attempts: int, *, priority: int = 0
    ) -> None:
        """Record that the job is tried, as what will be the `attempts`-th failure if it fails."""
        now = self._clock()
        changes = {
            "priority": priority,
            "estimate": subject.tokens,
            "state": JobState.RUNNING,
            "attempts": attempts,
            "lease": now + LEASE,
            "updated_at": now,
        }
        await self._update(kind, subject, lambda job: job.model_copy(update=changes))

    async def record_failure(
        self,
        kind: JobKind,
        subject: JobSubject,
        attempts: int,
        error: str,
        retry_in: timedelta | None,
        *,
        priority: int = 0,
    ) -> None:
        """Record a failure. `retry_in` is the time until the next try (None: the job is poisoned)."""
        now = self._clock()
        changes = {
            "priority": priority,
            "estimate": subject.tokens,
            "state": JobState.WAITING if retry_in is not None else JobState.POISONED,
            "attempts": attempts,
            "error": error[:MAX_ERROR_CHARACTERS],
            "due": now + (retry_in or timedelta()),
            "lease": None,
            "updated_at": now,
        }
        await self._update(kind, subject, lambda job: job.model_copy(update=changes))

    async def clear_failure(self, kind: JobKind, subject_id: Id) -> None:
        """Forget that it failed; its cursor is kept."""
        async with self._lock:
            job = await self._find_job(kind, subject_id)
            if job is None:
                return
            if not job.cursor:
                await self._log.drop_job(job.id)
                return
            changes = {"state": JobState.DONE, "attempts": 0, "error": "", "lease": None}
            await self._log.put_job(job.model_copy(update={**changes, "updated_at": self._clock()}))

    async def list_poisoned(self) -> list[Job]:
        return await self._log.jobs(states=[JobState.POISONED])

    # --- internals --------------------------------------------------------------------------------------

    async def _update(self, kind: JobKind, subject: JobSubject, change: Callable[[Job], Job]) -> None:
        async with self._lock:
            job = await self._find_job(kind, subject.id) or Job(
                id=derive_job_id(kind, subject.id),
                kind=kind,
                subject_id=subject.id,
                universe_id=subject.universe_id,
                state=JobState.DONE,
                due=self._clock(),
                updated_at=self._clock(),
            )
            await self._log.put_job(change(job))

    async def _find_job(self, kind: JobKind, subject_id: Id) -> Job | None:
        return next(iter(await self._log.jobs(ids=[derive_job_id(kind, subject_id)])), None)
