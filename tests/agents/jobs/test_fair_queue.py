"""Universes take turns by their shares, a budget postpones one of them, and a model that returns is noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.events import EventBus
from agents.jobs.job_queue import JobQueue, QueueEntry
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.worker import MODEL_QUEUE, JobSubject, RetryLater
from stores.authority import Role
from stores.open import Stores
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from tests.agents.jobs.test_job_runner import FakeWorker, FastClock
from tests.libraries import library


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "home") as opened_stores:
        yield opened_stores


def fill(queue: JobQueue, counts: Mapping[Id, int]) -> None:
    worker = FakeWorker()
    for universe_id, count in counts.items():
        for number in range(count):
            queue.put(QueueEntry(worker, JobSubject(f"{universe_id}{number}", universe_id), number))


def served(queue: JobQueue, count: int) -> list[Id]:
    entries = (queue.take_next(0.0) for _ in range(count))
    return [entry.subject.universe_id for entry in entries if entry is not None]


def test_universes_of_one_share_take_turns() -> None:
    queue = JobQueue()
    fill(queue, {"greedy": 1_000, "a": 10, "b": 10})
    assert served(queue, 6) == ["greedy", "a", "b"] * 2


@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(min_value=1, max_value=9), min_size=2),
    st.integers(min_value=1, max_value=4),
)
def test_universes_are_served_by_their_shares_and_none_is_left_out(
    shares: dict[Id, int], rounds: int
) -> None:
    queue = JobQueue(shares=shares)
    total = sum(shares.values()) * rounds
    fill(queue, dict.fromkeys(shares, total))
    order = served(queue, total)
    assert Counter(order) == {universe_id: share * rounds for universe_id, share in shares.items()}
    # Nobody waits longer than one round.
    for universe_id in shares:
        places = [-1, *(n for n, one in enumerate(order) if one == universe_id), total]
        assert max(b - a for a, b in pairwise(places)) <= sum(shares.values())


def test_universe_that_comes_later_neither_jumps_ahead_nor_waits_a_backlog() -> None:
    queue = JobQueue(shares={"late": 1})
    fill(queue, {"early": 100})
    served(queue, 50)
    fill(queue, {"late": 5})
    assert Counter(served(queue, 10)) == {"early": 5, "late": 5}


def build_runner(stores: Stores, **given: object) -> JobRunner:
    store = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    return JobRunner(store, EventBus(), seconds=FastClock(), **given)  # type: ignore[arg-type]


async def test_budget_of_one_universe_postpones_its_jobs_alone(stores: Stores) -> None:
    async def find_hold(kind: JobKind, subject: JobSubject) -> str:
        return "85 % of this week's budget is spent." if subject.universe_id == "poor" else ""

    subjects = [JobSubject("p", "poor", tokens=500), JobSubject("r", "rich", tokens=500)]
    worker = FakeWorker(kind=JobKind.DOUBT, queue=MODEL_QUEUE, subjects=subjects)
    free_worker = FakeWorker(subjects=[JobSubject("free", "poor")])
    runner = build_runner(stores, find_hold=find_hold)
    runner.register(worker)
    runner.register(free_worker)
    await runner.wait_until_idle()
    assert (worker.done, free_worker.done) == (["r"], ["free"]), "what asks no model is not held back"
    assert any("85 %" in str(row) for row in runner.current_status().rows)
    await runner.close()


async def test_shares_are_read_for_universes_that_compete(stores: Stores) -> None:
    asked: list[tuple[Id, ...]] = []

    async def read_shares(universe_ids: Sequence[Id]) -> Mapping[Id, int]:
        asked.append(tuple(universe_ids))
        return {"big": 3}

    subjects = [JobSubject(f"{u}{n}", u) for n in range(8) for u in ("big", "small")]
    worker = FakeWorker(subjects=subjects)
    runner = build_runner(stores, read_shares=read_shares)
    runner.register(worker)
    await runner.wait_until_idle()
    firsts = Counter(subject_id[:-1] for subject_id in worker.done[:8])
    assert firsts == {"big": 6, "small": 2}
    assert set(asked[0]) == {"big", "small"}
    await runner.close()


@pytest.mark.slow
async def test_work_that_waits_for_a_model_is_done_when_one_is_there(stores: Stores) -> None:
    is_there = False

    def work(subject_id: Id) -> int:
        if not is_there:
            raise RetryLater("No model answers.", seconds=1e9, whole_kind=True)
        return 0

    worker = FakeWorker(
        work, kind=JobKind.DOUBT, queue=MODEL_QUEUE, subjects=[JobSubject("s", "u", tokens=1)]
    )
    runner = build_runner(stores)
    runner.register(worker)
    await runner.wait_until_idle()
    assert runner.count_items_left("u") == 1, "it is queued, and not given up"
    is_there = True
    runner.retry_now(MODEL_QUEUE)
    await runner.wait_until_idle("u")
    while runner.count_items_left("u"):
        await runner.wait_until_idle("u")
    assert worker.done[-1] == "s"
    await runner.close()


async def test_failed_job_is_recorded_with_priority_and_tokens(stores: Stores) -> None:
    log = stores.log(Role.ORCHESTRATOR)
    store = JobStore(log, utc_now)
    await store.record_failure(JobKind.DOUBT, JobSubject("s", "u", tokens=700), 1, "no", None, priority=5)
    [job] = await log.jobs()
    assert (job.kind, job.universe_id, job.subject_id, job.priority, job.estimate) == (
        JobKind.DOUBT,
        "u",
        "s",
        5,
        700,
    )
