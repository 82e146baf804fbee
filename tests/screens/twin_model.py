"""The twin's side of `desk.model`: a model that says what it is told to, piece by piece, and its books.

It tells in the pieces of `script`; a piece `HOLD` waits there until `go` is set or the words are stopped.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from agents.events import LlmCallRecorded, StepStateChanged, TextDiscarded, TextStreamed
from agents.llm.budget import BUDGET_RULES
from agents.llm.errors import ModelCut
from agents.personas.outputs import StoryIdea
from agents.views.llm_views import (
    BillRow,
    BillView,
    BudgetView,
    ExchangeStepView,
    LlmSetupView,
    LlmTrialView,
    PersonaView,
    XrayView,
)
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.llm import CallOutcome, FallbackStep, LlmCall, Money, Persona, RecordedSection
from stores.records.play import Turn

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk

HOLD = "\0hold"
"""A piece of a script: nothing comes until the test says so."""

SCRIPT = ("The tide ", "answers ", "before ", "anyone else does.")

IDEA = StoryIdea(
    title="What the Sea Is Owed",
    theme="debt",
    tone="grim",
    lines_and_veils="Line: gore",
    hero_name="Sel Arrow",
    hero_description="keeps the light and owes the sea",
    scene_title="The lamp is out",
    scene_goal="Light it again",
    place="Cold Light",
    people=("Father Ode: knows the price", "Wren Arrow: her daughter"),
    places=("The Stair: two hundred steps", "Cold Light: the tower"),
)

DOES = {
    Persona.DIRECTOR: "plans the beats of a turn before it is told",
    Persona.NARRATOR: "tells what happens, bound by dice and canon",
    Persona.ARCHIVIST: "proposes what the telling changed, with quotes",
}


class TwinModel:
    def __init__(self, services: TwinDesk) -> None:
        self._services = services
        self.is_on = False
        self.script: tuple[str, ...] = SCRIPT
        self.speaker = ""
        self.dropped_first = ""
        self.go = asyncio.Event()
        self.stopped = asyncio.Event()
        self.streaming = False
        self.spent = 40_000
        self.priced = True
        self.called: list[LlmCall] = []
        self.idea = IDEA
        self.idea_waits = False
        self.budgets: tuple[BudgetView, ...] = (
            BudgetView(
                "story", "The Drowned Bell", 41_200, 50_000, services.story_id, "background personas wait"
            ),
            BudgetView("universe", "Salt Coast", 120_000, None, services.universe.id),
            BudgetView("day", "today, 2025-03-01", 41_200, 2_000_000),
        )
        self.set_up = _house("")

    # --- telling -----------------------------------------------------------------------------------

    async def tell(self, scene_id: Id, turn_id: Id) -> tuple[str, bool]:
        """Stream the script as the turn of that id; returns the words kept, and whether they were stopped."""
        events, beat = self._services.events, f"beat {turn_id}"
        self.stopped.clear()
        for step in ("assemble", "resolve"):
            events.publish(StepStateChanged(scene_id, beat, step, "running"))
            events.publish(StepStateChanged(scene_id, beat, step, "done"))
        events.publish(StepStateChanged(scene_id, beat, "narrate", "running"))
        if self.dropped_first:
            events.publish(TextStreamed(scene_id, turn_id, self.dropped_first, self.speaker))
            events.publish(TextDiscarded(scene_id, turn_id))
        said = ""
        for piece in self.script:
            if piece == HOLD:
                self.streaming = bool(said)
                await self._held()
                if self.stopped.is_set():
                    break
                continue
            said += piece
            events.publish(TextStreamed(scene_id, turn_id, piece, self.speaker))
            await asyncio.sleep(0)
        self.streaming = False
        events.publish(StepStateChanged(scene_id, beat, "narrate", "done"))
        self.spent += 1_000
        events.publish(LlmCallRecorded("call", self._services.story_id))
        return said, self.stopped.is_set()

    async def suggest_story(
        self, universe_id: Id | None, typed_idea: str, *, world_description: str = ""
    ) -> StoryIdea:
        self._services._call("imagine", universe_id, typed_idea, world_description)
        if self.idea_waits:
            self.streaming = True
            await self._held()
            self.streaming = False
            if self.stopped.is_set():
                self.stopped.clear()
                raise ModelCut("You stopped it.", kept="The form is as it was.")
        return self.idea

    async def _held(self) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self.go, self.stopped)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        self.go.clear()

    def stop_streaming(self, scene_id: Id | None) -> bool:
        self._services.calls.append(("stop", (scene_id,)))
        if self.streaming:
            self.stopped.set()
        return self.streaming

    # --- what it did -------------------------------------------------------------------------------

    async def start_process(self) -> None:
        self._services._call("warm")

    async def read_xray(self, turn_id: Id) -> XrayView:
        self._services._call("xray", turn_id)
        turn, resolution = self._services.turn(turn_id)
        if not self.is_on:
            return XrayView(turn, (), (), resolution)
        calls = calls_of(turn, self._services.story_id)
        steps = (
            ExchangeStepView("assemble", "Librarian", "done", "6 sections, 1 dropped", 0.012),
            ExchangeStepView("direct", "Director", "skipped", "switched off"),
            ExchangeStepView("resolve", "Resolver", "done", "2d6+1 = 10 vs 9, success", 0.001),
            ExchangeStepView("narrate", "Narrator", "done", "41 words", 4.2, calls[0].id),
            ExchangeStepView("extract", "Archivist", "failed", "no answer could be read", 1.3, calls[1].id),
        )
        warnings = ("Father Ode is in the tower by canon, and speaks here.",)
        return XrayView(turn, steps, calls, resolution, warnings)

    async def read_bill(self, *, story_id: Id | None = None) -> BillView:
        self._services._call("bill", story_id)
        if not self.called:
            budgets = tuple(replace(b, spent=0, limitation="") for b in self.budgets)
            return BillView((), (), (), (), (), budgets, BUDGET_RULES)
        turn_id = self.called[0].turn_id
        return BillView(
            by_call=tuple(self.called),
            by_turn=(BillRow("turn 4 · Nobody answers. Far below, water", 2, 4_100, 180, 1_400, 1, turn_id),),
            by_persona=(
                BillRow("narrator", 31, 96_000, 7_400, 38_200, 0),
                BillRow("archivist", 30, 51_000, 2_100, 3_000, 30),
            ),
            by_story=(BillRow("The Drowned Bell", 61, 147_000, 9_500, 41_200, 30, self._services.story_id),),
            by_day=(BillRow("2025-03-01", 61, 147_000, 9_500, 41_200, 30),),
            budgets=self.budgets,
            limitation_rules=BUDGET_RULES,
        )

    async def read_story_cost(self, story_id: Id) -> tuple[int, bool]:
        return self.spent, self.priced

    async def set_budget(self, scope: str, micros: int | None, *, subject: Id | None = None) -> BillView:
        self._services._call("set_budget", scope, micros, subject)
        self.budgets = tuple(
            replace(b, limit=micros, limitation="") if b.scope == scope else b for b in self.budgets
        )
        return await self.read_bill()

    # --- how it is set up --------------------------------------------------------------------------

    async def read_setup(self) -> LlmSetupView:
        self._services._call("house")
        return self.set_up

    async def choose_model(self, *, model: str, api_base: str = "") -> LlmSetupView:
        self._services._call("choose", model, api_base)
        if model and "/" not in model:
            raise InputError(
                f"No provider goes by {model}.",
                kept="The model is as it was.",
                todo=f"Did you mean openai/{model}?",
            )
        self.is_on = bool(model)
        self.set_up = replace(_house(model), api_base=api_base)
        return self.set_up

    async def set_fallbacks(self, models: tuple[str, ...]) -> LlmSetupView:
        self._services._call("set_fallbacks", models)
        self.set_up = replace(self.set_up, fallbacks=models)
        return self.set_up

    async def set_persona(
        self,
        persona: Persona,
        *,
        on: bool | None = None,
        model: str | None = None,
        temperature: float | None = None,
    ) -> LlmSetupView:
        self._services._call("set_persona", persona, on, model, temperature)

        def changed(view: PersonaView) -> PersonaView:
            return replace(
                view,
                on=view.on if on is None else on,
                own_model=view.own_model if model is None else model,
                model=view.model if model is None else model or self.set_up.model,
                temperature=view.temperature if temperature is None else temperature,
            )

        personas = tuple(changed(p) if p.persona is persona else p for p in self.set_up.personas)
        self.set_up = replace(self.set_up, personas=personas)
        return self.set_up

    async def set_key(self, key: str) -> LlmSetupView:
        self._services._call("set_key", len(key))
        self.set_up = replace(self.set_up, key="keyring")
        return self.set_up

    async def test_model(self, model: str = "", *, api_base: str = "") -> LlmTrialView:
        self._services._call("try_out", model, api_base)
        return LlmTrialView(
            model=model or self.set_up.model,
            words="The lantern is lit and the tide is out.",
            first_seconds=0.4,
            seconds=1.2,
            tokens_in=31,
            tokens_out=11,
            counted=True,
            micros=42,
            priced=self.priced,
            takes_schema=True,
            per_turn=1_900 if self.priced else None,
        )


def _house(model: str) -> LlmSetupView:
    def persona(who: Persona, on: bool, temperature: float, needs: str = "") -> PersonaView:
        return PersonaView(who, on, "", model, temperature, 700, DOES[who], needs)

    return LlmSetupView(
        model=model,
        api_base="",
        fallbacks=(),
        seconds=60,
        personas=(
            persona(Persona.DIRECTOR, False, 0.6),
            persona(Persona.NARRATOR, True, 0.8),
            persona(Persona.ARCHIVIST, True, 0.1),
        ),
        key="missing: set OPENAI_API_KEY" if model.startswith("openai/") else "not needed",
        file="settings.toml",
        state="ready" if model else "off",
    )


def calls_of(turn: Turn, story_id: Id) -> tuple[LlmCall, ...]:
    """Two calls that a turn took: the Narrator's, and the Archivist's that could not be read."""
    told = LlmCall(
        id="call-narrator",
        universe_id="universe",
        story_id=story_id,
        scene_id=turn.scene_id,
        turn_id=turn.id,
        persona=Persona.NARRATOR,
        model="openai/gpt-4o-mini",
        sections=(
            RecordedSection(
                name="rules", tokens=410, exact=True, stable=True, text="You tell what happens.\n" * 40
            ),
            RecordedSection(
                name="canon", tokens=1_240, exact=True, stable=True, text="The bell hangs in the tower."
            ),
            RecordedSection(name="sealed result", tokens=38, exact=True, text="2d6+1 = 10 vs 9: success."),
            RecordedSection(
                name="old turns", tokens=2_600, exact=True, dropped="over the window by 2,100 tokens"
            ),
        ),
        tokens_in=2_960,
        tokens_out=58,
        tokens_cached=1_650,
        counted=True,
        cost=Money(micros=1_400),
        seconds=4.2,
        first_seconds=0.8,
        outcome=CallOutcome.STOPPED,
        answer=turn.text,
        result="41 words",
        at=turn.created_at,
    )
    read = LlmCall(
        id="call-archivist",
        universe_id="universe",
        story_id=story_id,
        scene_id=turn.scene_id,
        turn_id=turn.id,
        persona=Persona.ARCHIVIST,
        model="ollama/qwen2.5:0.5b",
        sections=(RecordedSection(name="prose", tokens=64, text=turn.text),),
        tokens_in=1_140,
        tokens_out=122,
        cost=Money(known=False),
        seconds=1.3,
        tries=2,
        fallback_step=FallbackStep.NONE,
        outcome=CallOutcome.DONE,
        answer='{"proposals": [ [bold red]oops',
        result="no answer could be read",
        at=turn.created_at,
    )
    return told, read
