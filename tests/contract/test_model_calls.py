"""The contract of calls of a model, their cost, and the decision marks in turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from stores.authority import Role
from stores.errors import WriteDenied
from stores.ports import LlmSpending
from stores.queries import LlmCallQuery
from stores.records.llm import CallOutcome, FallbackStep, Money, Persona, RecordedSection
from stores.records.play import MoveKind, Scene, Story, Turn
from tests.contract import builders as make
from tests.contract.conftest import Truth

NIGHT = datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)
"""The last moment of a day."""


class Services:
    """One scene of one story, with the Narrator's handle and a reader's."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.orchestrator = truth.log(Role.ORCHESTRATOR)
        self.narrator = truth.log(Role.NARRATOR)
        self.reader = truth.log(Role.CONTEXT_ASSEMBLY)
        self.story: Story = make.story()
        self.scene: Scene = make.scene(self.story)

    async def set_up(self) -> Services:
        await self.orchestrator.put_story(self.story)
        await self.orchestrator.create_scene(self.scene)
        return self

    async def say(self, after: Turn | None = None, kind: MoveKind = MoveKind.APPEND) -> Turn:
        said = make.turn(self.scene, after)
        await self.orchestrator.append_turn(said, kind)
        return said

    async def call(self, *args: Any, **given: Any) -> Any:
        made = make.call(*args, **given)
        await self.narrator.record_call(made)
        return made


@pytest.fixture
async def services(truth: Truth) -> Services:
    return await Services(truth).set_up()


# --- calls ------------------------------------------------------------------------------------------


async def test_llm_call_round_trips(services: Services) -> None:
    said = await services.say()
    whole = await services.call(
        services.scene,
        said,
        persona=Persona.STEWARD,
        sections=(
            RecordedSection(name="rules", tokens=12, exact=True, stable=True, text="d20 – 20 dés, “roll” 🎲"),
            RecordedSection(name="lore", tokens=4_000, dropped="over budget"),
        ),
        tokens_cached=7,
        counted=True,
        cost=Money(micros=2**40),
        seconds=1.5,
        first_seconds=0.25,
        tries=3,
        fallback_step=FallbackStep.TEXT,
        outcome=CallOutcome.CUT,
        answer="…" * 100_000,
        result="two beats",
        error="The connection broke.",
    )
    assert await services.reader.llm_calls(LlmCallQuery(ids=[whole.id])) == [whole]


async def test_llm_call_recording_is_idempotent(services: Services) -> None:
    first = await services.call(services.scene)
    await services.narrator.record_call(first)
    await services.narrator.record_call(
        first.model_copy(update={"answer": "Another.", "cost": Money(micros=9)})
    )
    assert await services.reader.llm_calls() == [first]
    assert [spent.calls for spent in await services.reader.llm_spending()] == [1]


async def test_llm_calls_are_found_by_every_filter(services: Services) -> None:
    one = await services.say()
    two = await services.say(one)
    of_one = await services.call(services.scene, one)
    of_two = await services.call(services.scene, two)
    other_story = await services.call(make.scene(make.story()), at=make.now() + timedelta(days=1))
    nowhere = await services.call(universe_id=make.new_id())
    reader = services.reader
    assert await reader.llm_calls() == [of_one, of_two, other_story, nowhere]
    assert await reader.llm_calls(LlmCallQuery(turn_ids=[two.id, one.id, make.new_id()])) == [of_one, of_two]
    assert await reader.llm_calls(LlmCallQuery(run_id=two.exchange_id)) == [of_two]
    assert await reader.llm_calls(LlmCallQuery(scene_id=services.scene.id)) == [of_one, of_two]
    assert await reader.llm_calls(LlmCallQuery(story_id=other_story.story_id)) == [other_story]
    assert await reader.llm_calls(LlmCallQuery(universe_id=make.UNIVERSE)) == [of_one, of_two, other_story]
    assert await reader.llm_calls(LlmCallQuery(universe_id=make.UNIVERSE, last=2)) == [of_two, other_story]
    assert await reader.llm_calls(LlmCallQuery(scene_id=services.scene.id, since=of_two.at)) == [of_two]
    assert await reader.llm_calls(LlmCallQuery(ids=[of_one.id, nowhere.id], universe_id=make.UNIVERSE)) == [
        of_one
    ]


async def test_llm_calls_with_unmatched_filters_are_empty(services: Services) -> None:
    await services.call(services.scene)
    assert await services.reader.llm_calls(LlmCallQuery(ids=[])) == []
    assert await services.reader.llm_calls(LlmCallQuery(turn_ids=[])) == []
    assert await services.reader.llm_calls(LlmCallQuery(last=0)) == []


async def test_llm_call_counts_after_undo(services: Services) -> None:
    said = await services.say()
    paid = await services.call(services.scene, said)
    await services.orchestrator.move_head(services.scene.id, None, MoveKind.UNDO)
    assert await services.reader.llm_calls(LlmCallQuery(turn_ids=[said.id])) == [paid]
    assert [spent.micros for spent in await services.reader.llm_spending()] == [1_500]


# --- what was spent ---------------------------------------------------------------------------------


async def test_llm_spending_is_summed(services: Services) -> None:
    day = NIGHT.date().isoformat()
    for micros in (1_000, 250):
        await services.call(services.scene, micros=micros, at=NIGHT)
    await services.call(services.scene, cost=Money(known=False), at=NIGHT)
    await services.call(services.scene, persona=Persona.CRITIC, micros=1, at=NIGHT)
    await services.call(services.scene, model="provider/small", micros=2, at=NIGHT)
    await services.call(micros=2**50, at=NIGHT)
    await services.call(services.scene, micros=4, at=NIGHT + timedelta(microseconds=1))
    story, large = services.story.id, "provider/large"
    found = await services.reader.llm_spending()
    assert found == [
        LlmSpending(make.UNIVERSE, None, "narrator", large, day, 1, 1_000, 50, 2**50, 0),
        LlmSpending(make.UNIVERSE, story, "critic", large, day, 1, 1_000, 50, 1, 0),
        LlmSpending(make.UNIVERSE, story, "narrator", large, day, 3, 3_000, 150, 1_250, 1),
        LlmSpending(make.UNIVERSE, story, "narrator", "provider/small", day, 1, 1_000, 50, 2, 0),
        LlmSpending(make.UNIVERSE, story, "narrator", large, "2026-03-02", 1, 1_000, 50, 4, 0),
    ]
    assert all(type(number) is int for spent in found for number in spent[5:])


async def test_llm_spending_since_is_exact(services: Services) -> None:
    whole = NIGHT.replace(microsecond=0)
    for at in (whole, whole.replace(microsecond=500_000), NIGHT):
        await services.call(at=at)

    async def calls_since(since: datetime) -> int:
        return sum(spent.calls for spent in await services.reader.llm_spending(since=since))

    assert await calls_since(whole) == 3
    assert await calls_since(whole + timedelta(microseconds=1)) == 2
    assert await calls_since(NIGHT) == 1
    assert await calls_since(NIGHT + timedelta(microseconds=1)) == 0


async def test_llm_spending_day_is_utc(services: Services) -> None:
    east = timezone(timedelta(hours=5))
    made = await services.call(at=datetime(2026, 3, 2, 3, 0, tzinfo=east))
    assert [spent.day for spent in await services.reader.llm_spending()] == ["2026-03-01"]
    assert await services.reader.llm_calls(LlmCallQuery(since=datetime(2026, 3, 2, 3, 0, tzinfo=east))) == [
        made
    ]
    assert (
        await services.reader.llm_calls(LlmCallQuery(since=datetime(2026, 3, 1, 22, 0, 1, tzinfo=UTC))) == []
    )


async def test_llm_spending_is_empty_at_first(services: Services) -> None:
    assert await services.reader.llm_spending() == []
    assert await services.reader.llm_calls() == []


# --- decisions --------------------------------------------------------------------------------------


async def test_decision_marks_are_in_line_order(services: Services) -> None:
    one = await services.say()
    two = await services.say(one)
    later, first, second = make.mark(two, "later"), make.mark(one, "first"), make.mark(one, "second")
    await services.narrator.mark_decisions([later])
    await services.narrator.mark_decisions([first, second])
    await services.narrator.mark_decisions([first.model_copy(update={"text": "otherwise"})])
    await services.narrator.mark_decisions([])
    assert await services.reader.decision_marks(services.scene.id) == [first, second, later]
    assert await services.reader.decision_marks(make.new_id()) == []
    assert await services.reader.decision_marks(make.new_id(), services.scene.id) == [first, second, later]
    assert await services.reader.decision_marks() == []


async def test_decision_mark_counts_while_its_turn_is_on_the_line(services: Services) -> None:
    one = await services.say()
    two = await services.say(one)
    on_one, on_two = make.mark(one), make.mark(two)
    await services.narrator.mark_decisions([on_one, on_two])
    await services.orchestrator.move_head(services.scene.id, one.id, MoveKind.UNDO)
    assert await services.reader.decision_marks(services.scene.id) == [on_one]
    await services.say(one, MoveKind.BRANCH)
    assert await services.reader.decision_marks(services.scene.id) == [on_one]
    await services.orchestrator.move_head(services.scene.id, two.id, MoveKind.BRANCH)
    assert await services.reader.decision_marks(services.scene.id) == [on_one, on_two]


# --- who may write it -------------------------------------------------------------------------------


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.NARRATOR}))
async def test_llm_calls_are_recorded_by_the_narrator_only(services: Services, role: Role) -> None:
    said = await services.say()
    log = services.truth.log(role)
    with pytest.raises(WriteDenied):
        await log.record_call(make.call(services.scene))
    with pytest.raises(WriteDenied):
        await log.mark_decisions([make.mark(said)])
    assert await services.reader.llm_calls() == []
    assert await services.reader.decision_marks(services.scene.id) == []
