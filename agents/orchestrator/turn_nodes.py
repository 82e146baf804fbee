"""The nodes of the turn graph that a model serves, from `assemble` to `arbitrate`.

Each takes the state and returns it with what it added; done twice it is done once, because calls, turns and
proposals go by identifiers that the exchange fixes. A model that fails is told of and gone without: what it
would have done falls back to what needs none, and only the Narrator is missed. Source: design/loops.md, "One
turn"; LANGGRAPH_AGENTS, "LangGraph workflow".
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from agents.canon_keeper.house import ReadCatalogue
from agents.clean import clean
from agents.context_assembly.package import ContextPackage
from agents.messages import (
    EventBus,
    MemoriesRead,
    ProposalsChanged,
    StepMoved,
    TurnAppended,
    WordsCame,
    WordsDropped,
)
from agents.model.asking import Occasion
from agents.model.errors import ModelError
from agents.narrator.checks import Finding, against, check, note_for_rewrite, unfounded, wants_rewrite
from agents.narrator.decision_marks import marks_in, strip_markers
from agents.narrator.extract import Extraction
from agents.narrator.narrator import Narrator
from agents.orchestrator.arbiter import WAYS_OUT, best, offers, stuck
from agents.orchestrator.ground import Ground, GroundOf, Grounds
from agents.orchestrator.rolls import Rolls
from agents.orchestrator.telling import Nodes
from agents.orchestrator.turn_state import TurnState
from agents.orchestrator.voices import with_voices
from agents.personas.bound import Bound
from agents.personas.cast import Personas
from stores.errors import MonitorError
from stores.ports import MemoryLog
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import Step
from stores.records.memory import Summary
from stores.records.play import MoveKind, Turn

AGENTS = {
    "assemble": "Librarian",
    "direct": "Director",
    "validate": "Steward",
    "narrate": "Narrator",
    "critique": "Critic",
    "extract": "Archivist",
    "summarise": "Archivist",
    "stage": "Resolver",
    "arbitrate": "Orchestrator",
}
"""Who does each node, for the X-ray."""

BULLET = "bullet"
"""The kind of a summary that stands for one exchange."""

How = Literal["done", "skipped", "failed"]


class Done(NamedTuple):
    """What a node leaves: the state, whether it did anything, and one line on it."""

    state: TurnState
    how: How = "done"
    line: str = ""


class TurnNodes:
    """The nodes, bound to their agents. Stateless: what one run has assembled goes with the run."""

    def __init__(
        self,
        grounds: Grounds,
        personas: Personas,
        narrator: Narrator,
        extraction: Extraction,
        rolls: Rolls,
        memory: MemoryLog,
        catalogue: ReadCatalogue,
        clock: Clock,
        events: EventBus,
        *,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._grounds = grounds
        self._personas = personas
        self._narrator = narrator
        self._extraction = extraction
        self._rolls = rolls
        self._memory = memory
        self._catalogue = catalogue
        self._clock = clock
        self._events = events
        self._timer = timer

    def nodes(self) -> Nodes:
        """Return the nodes by name for one run, each timed, told of and put down for the X-ray."""
        grounds = self._grounds.for_run()
        table = {
            "assemble": self._assemble,
            "direct": self._direct,
            "validate": self._validate,
            "narrate": self._narrate,
            "critique": self._critique,
            "extract": self._extract,
            "summarise": self._summarise,
            "stage": self._stage,
            "arbitrate": self._arbitrate,
        }
        return {name: partial(self._step, name, node, grounds) for name, node in table.items()}

    async def _step(
        self,
        name: str,
        node: Callable[[TurnState, Ground], Awaitable[Done]],
        ground_of: GroundOf,
        state: TurnState,
    ) -> TurnState:
        self._moved(state, name, "running")
        began = self._timer()
        try:
            done = await node(state, await ground_of(state))
        except ModelError as error:
            done = Done(_with_failure(state, name, error), "failed", error.what)
        except MonitorError:
            raise  # a store's trouble: the checkpoint stays, and the step is done again
        except Exception:
            # A fault of ours in one step must not cost the exchange: what was typed, rolled and told stands.
            logging.getLogger("monitor").exception("The step %s of the telling failed.", name)
            done = Done(_with_fault(state, name), "failed", "a fault of MONITOR's own, see monitor.log")
        ms = round((self._timer() - began) * 1_000)
        step = Step(step=name, agent=AGENTS[name], state=done.how, line=done.line, ms=ms)
        self._moved(state, name, done.how, done.line)
        return done.state.model_copy(update={"steps": (*done.state.steps, step)})

    # --- before a word is told -----------------------------------------------------------------------

    async def _assemble(self, state: TurnState, ground: Ground) -> Done:
        points = await self._personas.librarian.digest(
            ground.package, ground.bound.words, _occasion(state, ground)
        )
        package = ground.package
        recalled = [m.id for memories in package.recalled.memories.values() for m in memories]
        if recalled:
            self._events.publish(MemoriesRead(tuple(recalled), package.scene.tick))
        line = f"{len(package.narrative.line)} turns, {len(package.canonical.facts)} facts in view"
        line += "".join(f"; {told}" for told in _found_again(package))
        self._tell_of_memories(package)
        return Done(state.model_copy(update={"evidence": points}), "done", line)

    async def _direct(self, state: TurnState, ground: Ground) -> Done:
        plan = await self._personas.director.plan(
            ground.package, ground.bound.words, _occasion(state, ground)
        )
        if plan is None:
            return Done(state, "skipped", "off")
        update = {"beats": plan.beats, "assumptions": plan.assumptions}
        return Done(state.model_copy(update=update), "done", plan.in_short())

    async def _validate(self, state: TurnState, ground: Ground) -> Done:
        """What needs no model always; the Steward on top."""
        known = unfounded(ground.bound.words, ground.package)
        try:
            warnings = await self._personas.steward.weigh(
                ground.package, ground.bound, _occasion(state, ground), known
            )
        except ModelError as error:
            state, warnings = _with_failure(state, "validate", error), known
        told = (*state.told, *(f"⚠ {warning}" for warning in warnings))
        line = f"{len(warnings)} {'warning' if len(warnings) == 1 else 'warnings'}" if warnings else "clear"
        return Done(state.model_copy(update={"warnings": warnings, "told": told}), "done", line)

    # --- the telling ---------------------------------------------------------------------------------

    async def _narrate(self, state: TurnState, ground: Ground) -> Done:
        occasion = _occasion(state, ground)
        voiced = await with_voices(self._personas.character, state, ground, occasion)
        if voiced is None:
            return Done(state, "skipped", "stopped before a word came")
        state = voiced
        try:
            told = await self._tell(state, ground, self._bound(state, ground), state.telling.turn_id, nth=1)
        except ModelError as error:
            return Done(_with_failure(state, "narrate", error), "failed", error.what)
        if told is None:
            return Done(state, "skipped", "stopped before a word came")
        turn = ground.turn(state.telling.turn_id, told.text, state.telling.take)
        kind = MoveKind.TAKE if state.telling.kind == "retake" else MoveKind.APPEND
        await self._show(turn, told.raw, kind, ground)
        update = {"told_id": turn.id, "text": turn.text, "whole": told.whole, "why": told.why}
        if not told.whole:
            line = f"The telling ended early: {told.why}. What came is kept; Ctrl+R tells it again."
            update["told"] = (*state.told, line)
        count = len(turn.text.split())
        line = f"{count} words{'' if told.whole else ', cut off'}"
        return Done(state.model_copy(update=update), "done", line)

    async def _critique(self, state: TurnState, ground: Ground) -> Done:
        """Cheap checks always, the Critic if it is on; at most one rewrite, shown as another take."""
        if state.told_id is None or not state.whole:
            return Done(state, "skipped", "nothing whole was told")
        bound = self._bound(state, ground)
        held = against(ground.package, bound)
        findings = check(state.text, held)
        note = note_for_rewrite(findings)
        if not wants_rewrite(findings):
            judged = await self._personas.critic.judge(
                state.text, ground.package, bound, _occasion(state, ground)
            )
            note = judged.note if judged.rewrite else ""
        if not note:
            return Done(_with_findings(state, findings), "done", _found(findings))
        again = replace(bound, draft=state.text, note=note)
        turn_id = derived("turn", "rewrite", state.telling.turn_id)
        told = await self._tell(state, ground, again, turn_id, nth=2)
        if told is None or not told.whole:
            self._events.publish(WordsDropped(state.exchange.scene_id, turn_id))
            return Done(_with_findings(state, findings), "failed", "the rewrite was not told to its end")
        turn = ground.turn(turn_id, told.text, state.telling.take + 1)
        await self._show(turn, told.raw, MoveKind.TAKE, ground)
        left = check(turn.text, held)
        why = "; ".join(dict.fromkeys(f.reason for f in findings)) or note
        state = state.model_copy(update={"told_id": turn.id, "text": turn.text})
        line = f"Told again: {why} (← shows the first take)"
        state = state.model_copy(update={"told": (*state.told, line)})
        return Done(_with_findings(state, left), "done", f"rewritten: {why}")

    # --- what comes of it ----------------------------------------------------------------------------

    async def _extract(self, state: TurnState, ground: Ground) -> Done:
        if state.told_id is None:
            return Done(state, "skipped", "nothing was told")
        turn = await self._grounds.told(state.told_id)
        assert turn is not None
        failed: ModelError | None = None
        changes, bullet = None, ""
        try:
            recorded = await self._personas.archivist.record(
                turn.text, ground.package, self._bound(state, ground), _occasion(state, ground)
            )
            changes, bullet = recorded.changes, recorded.summary
        except ModelError as error:
            failed, state = error, _with_failure(state, "extract", error)
        catalogue = await self._catalogue(ground.package.scene.universe.id)
        extracted = await self._extraction.of(turn, changes, ground.package, catalogue)
        update = {"proposals": extracted.proposals, "bullet": bullet}
        how: How = "failed" if failed else "done"
        return Done(state.model_copy(update=update), how, extracted.in_short())

    async def _summarise(self, state: TurnState, ground: Ground) -> Done:
        if state.told_id is None or not state.bullet:
            return Done(state, "skipped", "nothing to sum up")
        summary = Summary(
            id=derived("summary", BULLET, state.told_id),
            scene_id=state.exchange.scene_id,
            kind=BULLET,
            text=state.bullet,
            first_turn=state.exchange.exchange_id,
            last_turn=state.told_id,
            created_at=self._clock(),
        )
        await self._memory.put_summaries([summary])
        return Done(state, "done", state.bullet)

    async def _stage(self, state: TurnState, ground: Ground) -> Done:
        if not state.proposals:
            return Done(state, "skipped", "nothing to stage")
        await self._rolls.stage(state.proposals)
        scene = ground.package.scene
        self._events.publish(ProposalsChanged(scene.universe.id, scene.scene.id))
        count = len(state.proposals)
        line = f"{count} {'proposal' if count == 1 else 'proposals'} wait for you"
        return Done(state, "done", line)

    async def _arbitrate(self, state: TurnState, ground: Ground) -> Done:
        """Weigh what could come next, and offer it; say so when play goes nowhere."""
        if state.told_id is None:
            return Done(state, "skipped", "nothing was told")
        offer = best(list(offers(ground.package, ground.bound.words, state.text, ground.bound.degree)))
        lines = [offer.line] if offer else []
        turn = await self._grounds.told(state.told_id)
        line = (*ground.package.narrative.line, *((turn,) if turn else ()))
        if not state.proposals and (pattern := stuck(line, ground.package)):
            lines.append(f"Going in circles: {pattern}. {'; '.join(WAYS_OUT)}.")
        update = {"offer": offer.command if offer else "", "told": (*state.told, *lines)}
        how = f"{offer.command} ({offer.score} of 100)" if offer else "go on"
        return Done(state.model_copy(update=update), "done", how)

    # --- inside --------------------------------------------------------------------------------------

    def _tell_of_memories(self, package: ContextPackage) -> None:
        """What those present remember is put before a model now: to be recalled strengthens a memory."""
        present = (package.memories_of(person.entity.id) for person in package.present())
        if ids := tuple(memory.id for memories in present for memory in memories):
            self._events.publish(MemoriesRead(ids, package.scene.tick))

    def _bound(self, state: TurnState, ground: Ground) -> Bound:
        """What binds the Narrator: the ground, and what the nodes before have added."""
        return replace(
            ground.bound,
            opens=ground.behind is None,
            warnings=state.warnings,
            beats=state.beats,
            assumptions=state.assumptions,
            evidence=state.evidence,
            voices=state.voices,
        )

    async def _tell(
        self, state: TurnState, ground: Ground, bound: Bound, turn_id: Id, *, nth: int
    ) -> _Telling | None:
        """Stream the prose; None if it was stopped before a word came."""
        scene_id = state.exchange.scene_id
        occasion = replace(_occasion(state, ground), nth=nth, turn_id=turn_id)

        def hear(words: str) -> None:
            self._events.publish(WordsCame(scene_id, turn_id, words))

        try:
            told = await self._personas.narrator.tell(ground.package, bound, hear, occasion)
        except ModelError:
            self._events.publish(WordsDropped(scene_id, turn_id))
            raise
        text = strip_markers(clean(told.text))
        if not text:
            self._events.publish(WordsDropped(scene_id, turn_id))
            return None
        return _Telling(text, told.text, told.whole, told.why)

    async def _show(self, turn: Turn, raw: str, kind: MoveKind, ground: Ground) -> None:
        """The words are in the log before anything is made of them."""
        await self._narrator.tell(turn, kind)
        await self._narrator.mark(marks_in(raw, turn, ground.package.scene.universe.id))
        self._events.publish(TurnAppended(turn))

    def _moved(
        self,
        state: TurnState,
        name: str,
        how: Literal["running", "done", "skipped", "failed"],
        line: str = "",
    ) -> None:
        exchange = state.exchange
        self._events.publish(StepMoved(exchange.scene_id, exchange.beat_id, name, how, line))


class _Telling(NamedTuple):
    """`text` as it is stored, `raw` as it came."""

    text: str
    raw: str
    whole: bool
    why: str


def _occasion(state: TurnState, ground: Ground) -> Occasion:
    scene = ground.package.scene
    return Occasion(
        scene.universe.id, scene.story.id, scene.scene.id, state.exchange.beat_id, state.telling.turn_id
    )


def _found_again(package: ContextPackage) -> Iterator[str]:
    """Yield what was found again, and what was not, for the X-ray."""
    recalled = package.recalled
    memories = sum(len(own) for own in recalled.memories.values())
    counts = (
        (len(recalled.scenes), "turn of earlier play", "turns of earlier play"),
        (len(recalled.facts), "fact found again", "facts found again"),
        (memories, "memory", "memories"),
        (len(recalled.rules), "rule", "rules"),
    )
    yield from (f"{count} {one if count == 1 else many}" for count, one, many in counts if count)
    if package.stale:
        yield "STALE: an older package"
    yield from (out.why for out in package.left_out)


def _with_failure(state: TurnState, name: str, error: ModelError) -> TurnState:
    """Tell the player of a failure. What only helps says so in a line; the Narrator's says what to do."""
    if name == "narrate":
        line = f"Nothing was told: {error}"
    else:
        line = f"The {AGENTS[name]} had no answer, and was gone without: {error.what}"
    return state if line in state.told else state.model_copy(update={"told": (*state.told, line)})


def _with_fault(state: TurnState, name: str) -> TurnState:
    line = f"A fault of MONITOR's own kept the {AGENTS[name]} from its part (monitor.log). All else stands."
    return state.model_copy(update={"told": (*state.told, line)})


def _with_findings(state: TurnState, findings: Sequence[Finding]) -> TurnState:
    lines = tuple(f"⚠ {finding.reason}" for finding in findings)
    return state.model_copy(update={"told": (*state.told, *lines)}) if lines else state


def _found(findings: Sequence[Finding]) -> str:
    return "; ".join(f.reason for f in findings) or "nothing amiss"
