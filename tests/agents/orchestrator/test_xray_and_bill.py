"""The X-ray and the bill, built from what a real log keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.llm.budget import BUDGET_RULES, BudgetGuard
from agents.llm.llm_settings import BudgetSettings
from agents.personas.prompt_files import load_prompts
from agents.services.bill import BillReader
from agents.services.xray import XrayReader
from stores.authority import Role
from stores.errors import NotFound
from stores.records.llm import CallOutcome, FallbackStep, LlmCall, Money, Persona
from stores.records.play import MoveKind, Scene, Speaker, Story, Turn
from stores.records.workflow import ExchangeStep, Loop
from tests.contract import builders as make
from tests.contract.conftest import Truth, embedded

STEPS = (
    ExchangeStep(step="assemble", agent="Librarian", line="12 turns, 4 facts in view", ms=12),
    ExchangeStep(step="direct", agent="Director", state="skipped", line="off"),
    ExchangeStep(step="narrate", agent="Narrator", line="41 words", ms=4_200),
    ExchangeStep(step="extract", agent="Archivist", state="failed", line="Nobody answers there.", ms=900),
)
TODAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
YESTERDAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Told:
    """One scene in which the player acted, dice fell and the GM's answer was told."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.orchestrator = truth.log(Role.ORCHESTRATOR)
        self.narrator = truth.log(Role.NARRATOR)
        self.log = truth.log(Role.CONTEXT_ASSEMBLY)
        self.story: Story = make.story(title="The Lamp", budget=10_000)
        self.scene: Scene = make.scene(self.story)
        self.xrays = XrayReader(self.log, load_prompts)

    async def set_up(self) -> Told:
        await self.truth.canon(Role.CANON_KEEPER).commit(make.batch(universe=make.universe()))
        await self.orchestrator.put_story(self.story)
        await self.orchestrator.create_scene(self.scene)
        self.acted = make.turn(self.scene, None, "I force the door.")
        await self.orchestrator.append_turn(self.acted)
        self.rolled = self.answer("10 vs 9", self.acted, speaker=Speaker.ORACLE)
        await self.orchestrator.append_turn(self.rolled)
        self.sealed = make.resolution(self.rolled)
        await self.truth.log(Role.RESOLVER).seal(self.sealed)
        self.said = await self.tell("The hinges give.", self.rolled)
        return self

    def answer(self, text: str, after: Turn, **given: Any) -> Turn:
        return make.turn(self.scene, after, text, **{"exchange_id": self.acted.id} | given)

    async def tell(self, text: str, after: Turn, kind: MoveKind = MoveKind.APPEND, **given: Any) -> Turn:
        turn = self.answer(text, after, **{"speaker": Speaker.GM} | given)
        await self.narrator.append_gm_turn(turn, kind)
        return turn

    async def call(self, turn: Turn | None, **given: Any) -> LlmCall:
        call = make.call(self.scene, turn, **given)
        await self.narrator.record_call(call)
        return call

    async def ended(self, beat_id: str, steps: tuple[ExchangeStep, ...] = STEPS) -> None:
        move = make.transition(beat_id, 4, Loop.TURN, steps=steps)
        await self.orchestrator.record_transition(move)

    def bills(self, **budgets: float | None) -> BillReader:
        settings = BudgetSettings(**budgets)
        purse = BudgetGuard(self.log, lambda: settings, lambda: TODAY)
        return BillReader(self.log, self.truth.canon(Role.ORCHESTRATOR), purse, lambda: TODAY)


@pytest.fixture
async def told(tmp_path: Path) -> AsyncIterator[Told]:
    async with embedded(tmp_path) as truth:
        yield await Told(truth).set_up()


# --- the X-ray --------------------------------------------------------------------------------------


async def test_xray_has_steps_calls_and_the_sealed_result(told: Told) -> None:
    plan = await told.call(told.said, persona=Persona.ARCHIVIST, fallback_step=FallbackStep.NONE)
    tale = await told.call(told.said)
    await told.ended(told.acted.id)
    view = await told.xrays.read_xray(told.said.id)
    assert view.turn == told.said
    assert [(s.step, s.agent, s.state, s.summary, s.seconds) for s in view.steps] == [
        ("assemble", "Librarian", "done", "12 turns, 4 facts in view", 0.012),
        ("direct", "Director", "skipped", "off", 0.0),
        ("narrate", "Narrator", "done", "41 words", 4.2),
        ("extract", "Archivist", "failed", "Nobody answers there.", 0.9),
    ]
    assert [s.call_id for s in view.steps] == [None, None, tale.id, plan.id]
    assert view.calls == (plan, tale)
    assert view.resolution == told.sealed
    assert view.warnings == (
        "Archivist: Nobody answers there.",
        "Nothing could be read of what the archivist answered.",
    )


async def test_xray_what_an_exchange_asked_for_stands_with_its_other_turns_too(told: Told) -> None:
    tale = await told.call(told.said)
    await told.ended(told.acted.id)
    for turn in (told.acted, told.rolled):
        view = await told.xrays.read_xray(turn.id)
        assert view.calls == (tale,)
        assert len(view.steps) == 4


async def test_xray_take_has_its_own_xray(told: Told) -> None:
    first = await told.call(told.said)
    await told.ended(told.acted.id)
    again = await told.tell("The hinges whisper.", told.rolled, MoveKind.TAKE, take=2)
    second = await told.call(again, run_id=again.id)
    await told.ended(again.id, STEPS[2:3])
    assert (await told.xrays.read_xray(told.said.id)).calls == (first,)
    view = await told.xrays.read_xray(again.id)
    assert view.calls == (second,)
    assert [step.step for step in view.steps] == ["narrate"]
    assert view.resolution == told.sealed


async def test_xray_what_the_gm_told_by_hand_shows_no_calls_of_the_take_before(told: Told) -> None:
    await told.call(told.said)
    await told.ended(told.acted.id)
    by_hand = await told.tell("Nothing gives.", told.rolled, MoveKind.TAKE, take=2)
    view = await told.xrays.read_xray(by_hand.id)
    assert (view.calls, view.steps, view.warnings) == ((), (), ())


async def test_xray_what_was_cut_off_or_refused_is_warned_of(told: Told) -> None:
    await told.call(told.said, outcome=CallOutcome.CUT, error="The connection broke")
    await told.call(told.said, persona=Persona.CRITIC, outcome=CallOutcome.REFUSED)
    assert (await told.xrays.read_xray(told.said.id)).warnings == (
        "The narrator was cut off: The connection broke. What had come was kept.",
        "The critic was refused: the model declined.",
    )


async def test_xray_there_is_no_xray_of_no_turn(told: Told) -> None:
    with pytest.raises(NotFound):
        await told.xrays.read_xray("nobody")


# --- the bill ---------------------------------------------------------------------------------------


async def test_xray_bill_is_summed_five_ways(told: Told) -> None:
    await told.call(told.said, micros=1_500, at=YESTERDAY)
    await told.call(told.said, micros=500, persona=Persona.ARCHIVIST, at=TODAY)
    await told.call(None, cost=Money(known=False), at=TODAY)
    bill = await told.bills().read_bill()
    assert len(bill.by_call) == 3
    assert [(r.label, r.call_count, r.micros, r.unpriced_count, r.subject) for r in bill.by_turn] == [
        ("no turn: tests, questions to the GM, unused narration", 1, 0, 1, None),
        ("turn 3 · The hinges give.", 2, 2_000, 0, told.said.id),
    ]
    assert [(r.label, r.call_count, r.micros) for r in bill.by_persona] == [
        ("narrator", 2, 1_500),
        ("archivist", 1, 500),
    ]
    assert [(r.label, r.subject, r.tokens_in, r.micros) for r in bill.by_story] == [
        ("The Lamp", told.story.id, 3_000, 2_000)
    ]
    assert [(r.label, r.micros) for r in bill.by_day] == [("2026-03-02", 500), ("2026-03-01", 1_500)]
    assert bill.limitation_rules == BUDGET_RULES


async def test_budgets_of_the_story_its_world_and_the_day_stand_with_what_is_spent(told: Told) -> None:
    await told.call(told.said, micros=8_500, at=YESTERDAY)
    await told.call(told.said, micros=500, at=TODAY)
    bill = await told.bills(day=2.0).read_bill(story_id=told.story.id)
    assert [(b.scope, b.label, b.spent, b.limit, b.subject) for b in bill.budgets] == [
        ("story", "The Lamp", 9_000, 10_000, told.story.id),
        ("universe", "The Salt Coast", 9_000, None, make.UNIVERSE),
        ("day", "today, 2026-03-02", 500, 2_000_000, None),
    ]
    assert bill.budgets[0].limitation
    assert not bill.budgets[1].limitation


async def test_xray_without_a_limit_what_is_spent_is_said_all_the_same(told: Told) -> None:
    await told.call(told.said, micros=700, at=TODAY)
    bill = await told.bills().read_bill()
    assert [(b.scope, b.spent, b.limit) for b in bill.budgets] == [
        ("universe", 700, None),
        ("day", 700, None),
    ]


async def test_xray_another_storys_calls_are_on_its_own_bill(told: Told) -> None:
    other = make.story(title="Another")
    await told.orchestrator.put_story(other)
    await told.call(None, story_id=other.id, micros=900, at=TODAY)
    mine = await told.call(told.said, at=TODAY)
    bill = await told.bills().read_bill(story_id=told.story.id)
    assert bill.by_call == (mine,)
    assert {row.label for row in bill.by_story} == {"The Lamp", "Another"}
    assert await told.bills().read_story_cost(told.story.id) == (1_500, True)


async def test_xray_cost_says_when_a_price_is_unknown(told: Told) -> None:
    assert await told.bills().read_story_cost(told.story.id) == (0, True)
    await told.call(told.said, cost=Money(known=False))
    assert await told.bills().read_story_cost(told.story.id) == (0, False)
