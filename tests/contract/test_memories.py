"""The contract of memories found by their conditions, of archived logs, and of background jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stores.authority import Role
from stores.errors import WriteDenied
from stores.queries import MemoryQuery
from stores.records.jobs import Job, JobKind, JobState, derive_job_id
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Scene, Story
from tests.contract import builders as make
from tests.contract.conftest import Truth
from tests.examples import examples

# --- memories ---------------------------------------------------------------------------------------


async def test_memory_round_trips(truth: Truth) -> None:
    whole = make.memory(
        make.entity(),
        "“The stair” was wet – ü 🜂",
        scene_id=make.new_id(),
        turn_id=make.new_id(),
        linked_fact_id=make.new_id(),
        valence=-0.25,
        importance=1.0,
        source="told by Jon",
        how=MemoryOrigin.TOLD,
        told_by=make.new_id(),
        about=(make.new_id(), make.new_id()),
        tick=90,
        mistaken=True,
        corrects=make.new_id(),
        last_accessed=make.now(),
        access_count=3,
    )
    await truth.log(Role.MEMORY_MANAGER).put_memories([whole])
    assert await truth.log(Role.NARRATOR).memories(MemoryQuery(entity_id=whole.entity_id)) == [whole]


async def test_memory_replaced_keeps_its_order(truth: Truth) -> None:
    log, mara = truth.log(Role.MEMORY_MANAGER), make.entity()
    first, second = make.memory(mara, importance=0.2), make.memory(mara, importance=0.6, turn_id="t")
    await log.put_memories([first, second])
    changed = first.model_copy(update={"importance": 0.9, "linked_fact_id": "f"})
    await log.put_memories([changed])
    assert await log.memories(MemoryQuery(entity_id=mara.id)) == [changed, second]
    assert await log.memories(MemoryQuery(entity_id=mara.id, most_important=1)) == [changed]
    assert await log.memories(MemoryQuery(fact_id="f")) == [changed]
    assert await log.memories(MemoryQuery(entity_id=mara.id, last=1)) == [second]


async def test_memories_with_zero_limits_are_empty(truth: Truth) -> None:
    log, mara = truth.log(Role.MEMORY_MANAGER), make.entity()
    await log.put_memories([make.memory(mara)])
    nothing: dict[str, Any]
    for nothing in (
        {"ids": []},
        {"turn_ids": []},
        {"last": 0},
        {"most_important": 0},
        {"last": 3, "most_important": 0},
    ):
        assert await log.memories(MemoryQuery(**nothing)) == [], nothing
    assert await log.memories(MemoryQuery(entity_id="nobody")) == []
    assert len(await log.memories()) == 1


WHO, WHERE = [make.entity(), make.entity("Jon")], ["s1", "s2"]
_FEW = st.lists(st.sampled_from(["t1", "t2", "t3"]), max_size=2) | st.none()
_CONDITIONS = st.fixed_dictionaries(
    {
        "entity_id": st.none() | st.sampled_from([who.id for who in WHO]),
        "universe_id": st.none() | st.sampled_from([make.UNIVERSE, "another"]),
        "scene_id": st.none() | st.sampled_from(WHERE),
        "turn_ids": _FEW,
        "fact_id": st.none() | st.sampled_from(["f1", "f2"]),
        "places": st.none() | st.lists(st.integers(0, 9), max_size=6),
        "last": st.none() | st.integers(0, 4),
        "most_important": st.none() | st.integers(0, 4),
    }
)
_MEMORIES = st.lists(
    st.builds(
        make.memory,
        st.sampled_from(WHO),
        scene_id=st.none() | st.sampled_from(WHERE),
        turn_id=st.none() | st.sampled_from(["t1", "t2", "t3"]),
        linked_fact_id=st.none() | st.sampled_from(["f1", "f2"]),
        importance=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=10,
)


def as_a_list_would(memories: Sequence[Memory], asked: dict[str, Any]) -> list[Memory]:
    """Return what `LogReader.memories` promises, of memories in the order they were first stored."""
    found = [
        m
        for m in memories
        if all(
            asked[name] in (None, getattr(m, field))
            for name, field in (
                ("entity_id", "entity_id"),
                ("universe_id", "universe_id"),
                ("scene_id", "scene_id"),
                ("fact_id", "linked_fact_id"),
            )
        )
        and (asked["turn_ids"] is None or m.turn_id in asked["turn_ids"])
        and (asked["ids"] is None or m.id in asked["ids"])
    ]
    if asked["last"] is not None:
        found = found[len(found) - min(asked["last"], len(found)) :]
    if asked["most_important"] is not None:
        places = sorted(range(len(found)), key=lambda place: (-found[place].importance, -place))
        found = [found[place] for place in sorted(places[: asked["most_important"]])]
    return found


@settings(
    max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_MEMORIES, st.lists(_CONDITIONS, min_size=1, max_size=8))
async def test_memories_match_every_condition(
    truth: Truth, memories: list[Memory], questions: list[dict[str, Any]]
) -> None:
    log = truth.log(Role.MEMORY_MANAGER)
    # A world of its own for every example: what another one put is of others.
    names = {m.id: make.new_id() for m in memories} | {who.id: make.new_id() for who in WHO}
    world = make.new_id()
    names |= {name: f"{name} {world}" for name in ("t1", "t2", "t3", "f1", "f2", *WHERE)}
    names[make.UNIVERSE] = world

    def renamed(value: Any) -> Any:
        return [names[each] for each in value] if isinstance(value, list) else names.get(value, value)

    fields = ("id", "entity_id", "universe_id", "scene_id", "turn_id", "linked_fact_id")
    mine = [m.model_copy(update={f: renamed(getattr(m, f)) for f in fields}) for m in memories]
    await log.put_memories(mine)
    for question in questions:
        asked = {name: renamed(value) for name, value in question.items() if name != "places"}
        places = question["places"]
        asked["ids"] = None if places is None else [mine[p % len(mine)].id for p in places]
        named = ("entity_id", "universe_id", "scene_id", "turn_ids", "fact_id", "ids")
        if all(asked[name] is None for name in named):
            asked["universe_id"] = world
        assert await log.memories(MemoryQuery(**asked)) == as_a_list_would(mine, asked), asked


async def test_memories_most_important_are_found_among_many(truth: Truth) -> None:
    log, mara = truth.log(Role.MEMORY_MANAGER), make.entity()
    many = [make.memory(mara, f"{n}", importance=n % 100 / 100, turn_id=f"t{n}") for n in range(1_200)]
    await log.put_memories(many)
    assert await log.memories(MemoryQuery(entity_id=mara.id, last=3)) == many[-3:]
    assert await log.memories(MemoryQuery(entity_id=mara.id, most_important=2)) == [many[1_099], many[1_199]]
    assert await log.memories(MemoryQuery(turn_ids=[f"t{n}" for n in range(1_100)])) == many[:1_100]


# --- archived logs ----------------------------------------------------------------------------------


@pytest.fixture
async def scene(truth: Truth) -> Scene:
    log = truth.log(Role.ORCHESTRATOR)
    story: Story = make.story()
    await log.put_story(story)
    made = make.scene(story)
    await log.create_scene(made)
    return made


async def test_archived_logs_are_replaced_and_listed_oldest_first(truth: Truth, scene: Scene) -> None:
    log = truth.log(Role.ARCHIVIST)
    first = make.archived(scene, head="t9")
    other = make.archived(scene, id=make.new_id(), universe_id="another")
    await log.mark_archived(first)
    await log.mark_archived(other)
    again = first.model_copy(update={"head": None, "turns": 7, "object_key": "1" * 64})
    await log.mark_archived(again)
    reader = truth.log(Role.CONTEXT_ASSEMBLY)
    assert await reader.archived_logs() == [again, other]
    assert await reader.archived_logs(universe_id=scene.universe_id) == [again]
    assert await reader.archived_logs(universe_id="unheard of") == []


# --- jobs -------------------------------------------------------------------------------------------


async def test_job_is_replaced_by_put(truth: Truth) -> None:
    log = truth.log(Role.ORCHESTRATOR)
    first, second = make.job(), make.job(kind=JobKind.SUMMARISE)
    await log.put_job(first)
    await log.put_job(second)
    done = first.model_copy(
        update={
            "state": JobState.DONE,
            "cursor": "turn 9 · ü",
            "attempts": 2,
            "error": "No answer.",
            "lease": make.now() + timedelta(minutes=1),
        }
    )
    await log.put_job(done)
    assert await truth.log(Role.INDEXER).jobs() == [done, second]
    assert derive_job_id(first.kind, first.subject_id) == first.id


async def test_jobs_are_filtered_by_identifier_kind_and_state(truth: Truth) -> None:
    log = truth.log(Role.ORCHESTRATOR)
    jobs = [make.job(kind=kind, state=state) for kind in JobKind for state in JobState]
    for job in jobs:
        await log.put_job(job)
    waiting = (JobState.WAITING, JobState.RUNNING)
    assert await log.jobs(states=waiting) == [j for j in jobs if j.state in waiting]
    assert await log.jobs(kinds=[JobKind.INDEX]) == [j for j in jobs if j.kind is JobKind.INDEX]
    assert await log.jobs(kinds=[JobKind.INDEX], states=[JobState.DONE]) == [
        j for j in jobs if (j.kind, j.state) == (JobKind.INDEX, JobState.DONE)
    ]
    ids = [jobs[3].id, jobs[1].id, "unheard of"]
    assert await log.jobs(ids=ids) == [jobs[1], jobs[3]]
    assert await log.jobs(ids=ids, states=[jobs[1].state]) == [jobs[1]]
    nothing: dict[str, Any]
    for nothing in ({"ids": []}, {"kinds": []}, {"states": []}):
        assert await log.jobs(**nothing) == []


async def test_job_dropped_may_be_put_again(truth: Truth) -> None:
    log = truth.log(Role.ORCHESTRATOR)
    first, second = make.job(), make.job()
    for job in (first, second):
        await log.put_job(job)
    await log.drop_job(first.id)
    await log.drop_job(first.id)
    await log.drop_job("never there")
    assert await log.jobs() == [second]
    await log.put_job(first)
    assert await log.jobs() == [second, first]


async def test_jobs_and_turns_written_concurrently_are_all_kept(truth: Truth, scene: Scene) -> None:
    log = truth.log(Role.ORCHESTRATOR)
    jobs = [make.job() for _ in range(12)]
    said = make.turn(scene)
    await asyncio.gather(*(log.put_job(job) for job in jobs), log.append_turn(said))
    assert {job.id for job in await log.jobs()} == {job.id for job in jobs}
    assert await log.line_tail(scene.id, 5) == [said]


# --- who may ----------------------------------------------------------------------------------------


async def test_memories_are_written_by_granted_roles_only(truth: Truth, scene: Scene) -> None:
    kept: Job = make.job()
    memory, archived = make.memory(make.entity()), make.archived(scene)
    await truth.log(Role.ORCHESTRATOR).put_job(kept)
    for role in Role:
        log = truth.log(role)
        for owner, attempts in (
            (Role.ORCHESTRATOR, (log.put_job(make.job()), log.drop_job(kept.id))),
            (Role.MEMORY_MANAGER, (log.put_memories([memory]),)),
            (Role.ARCHIVIST, (log.mark_archived(archived),)),
        ):
            for attempt in attempts:
                if role is owner:
                    await attempt
                else:
                    with pytest.raises(WriteDenied):
                        await attempt
        assert len(await log.jobs()) == 1, role
    assert await log.memories() == [memory]
    assert await log.archived_logs() == [archived]
