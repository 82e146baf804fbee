"""Reads what a narration starts from: the scene before it, its context package, and the sealed results.

Read once for each run and never stored: after a crash it is read again.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.memory_manager.attendance import is_oracle_answer
from agents.orchestrator.narration.state import NarrationState, read_unrecorded_state
from agents.personas.narrator_brief import NarratorBrief
from agents.rewordings import find_wordings, reword_turns
from stores.ports import LogReader
from stores.records.ids import Clock, Id
from stores.records.play import GM_SPEAKERS, Degree, Resolution, Speaker, Turn

MAX_LOOKBACK = 16
"""Turns back in which the words and rolls that the narration answers are looked for."""


ReadNarrationInput = Callable[[NarrationState], Awaitable["NarrationInput"]]


@dataclass(frozen=True, slots=True)
class NarrationInput:
    """What a narration is made from.

    `previous_turn` is the turn that it follows; None if it is the first.
    """

    package: ContextPackage
    brief: NarratorBrief
    previous_turn: Turn | None
    state: NarrationState
    clock: Clock
    words_turn: Turn | None = None
    """The player's words that the narration answers."""
    cut_turn: Turn | None = None
    """The turn that was cut off, and that the narration goes on with."""

    @property
    def is_opening(self) -> bool:
        """Whether nothing of the scene is told yet: time may have passed, and dice may have been thrown."""
        turns = self.package.narrative.recent_turns
        return all(turn.speaker in (Speaker.SYSTEM, Speaker.ORACLE) for turn in turns)

    def build_gm_turn(self, turn_id: Id, text: str, take: int) -> Turn:
        """Return the GM turn with this text."""
        exchange = self.state.exchange
        previous_turn = self.previous_turn
        tick = exchange.tick
        if previous_turn is not None and not self.state.narration.is_take:
            tick = max(tick, previous_turn.tick + 1)
        return Turn(
            id=turn_id,
            scene_id=exchange.scene_id,
            parent_id=previous_turn.id if previous_turn else None,
            exchange_id=exchange.exchange_id,
            speaker=Speaker.GM,
            text=text,
            take=take,
            depth=previous_turn.depth + 1 if previous_turn else 0,
            tick=tick,
            seed=exchange.seed,
            created_at=self.clock(),
        )


class NarrationInputLoader:
    """Reads the scene before a narration, its context package, and the turns that it answers."""

    def __init__(
        self, log: LogReader, context: SceneContextLoader, packages: ContextPackageBuilder, clock: Clock
    ) -> None:
        self._log = log
        self._context = context
        self._packages = packages
        self._clock = clock

    def loader_for_run(self) -> ReadNarrationInput:
        """Return a function that reads the input at its first call in a run, and returns the same one afterwards."""
        loaded_inputs: list[NarrationInput] = []

        async def read_input(state: NarrationState) -> NarrationInput:
            if not loaded_inputs:
                loaded_inputs.append(await self._load_input(state))
            elif state.gm_turn_id is None and await self._was_recorded_since(loaded_inputs[0], state):
                # The record of the narration before has come before this one began: it is told with it.
                loaded_inputs[0] = await self._load_input(state)
            return loaded_inputs[0]

        return read_input

    async def find_turn(self, turn_id: Id) -> Turn | None:
        """Return the turn if it is in the log, else None."""
        return (await self._log.turns([turn_id])).get(turn_id)

    async def read_line_after(self, context: SceneContext, turn: Turn) -> list[Turn]:
        """Return the turns of the scene's line after one of them."""
        last_depth = context.head.depth if context.head else turn.depth
        return await self._log.line_slice(turn.scene_id, turn.depth + 1, last_depth - turn.depth)

    async def is_last_turn(self, turn: Turn) -> bool:
        return (await self._log.scene(turn.scene_id)).head == turn.id

    async def _was_recorded_since(self, narration_input: NarrationInput, state: NarrationState) -> bool:
        unrecorded = narration_input.package.unrecorded_narrations
        return bool(unrecorded) and unrecorded != await self._find_unrecorded(
            state, narration_input.previous_turn
        )

    async def _find_unrecorded(self, state: NarrationState, previous_turn: Turn | None) -> tuple[Turn, ...]:
        """Return the narrations before this one on its line whose changes are not recorded yet."""
        if previous_turn is None:
            return ()
        checkpoints = await self._log.checkpoints(state.exchange.scene_id)
        others = (read_unrecorded_state(c) for c in checkpoints if c.run_id != state.exchange.run_id)
        turn_ids = {other.gm_turn_id for other in others if other is not None and other.gm_turn_id}
        ids_on_line = await self._log.on_line(state.exchange.scene_id, turn_ids) if turn_ids else set()
        turns = (await self._log.turns(ids_on_line)).values() if ids_on_line else ()
        return tuple(
            sorted((t for t in turns if t.depth <= previous_turn.depth), key=lambda turn: turn.depth)
        )

    async def _load_input(self, state: NarrationState) -> NarrationInput:
        context, narrated_turn = await gather(
            self._context.load_context(state.exchange.scene_id), self.find_turn(state.narration.turn_id)
        )
        previous_turn = await self._find_previous_turn(state, context, narrated_turn)
        answered_turns = _select_answered_turns(await self._read_line(context, previous_turn), state)
        words_turn = next((t for t in reversed(answered_turns) if t.speaker is Speaker.PLAYER), None)
        words = words_turn.text if words_turn else ""
        results = await self._log.resolutions([t.id for t in answered_turns])
        package = await self._packages.build_package(
            await self._context.rewind(context, previous_turn), words
        )
        # The turns that are answered have sections of their own.
        answered_ids = {t.id for t in answered_turns}
        context_turns = tuple(t for t in package.narrative.recent_turns if t.id not in answered_ids)
        package = replace(
            package,
            narrative=replace(package.narrative, recent_turns=context_turns),
            unrecorded_narrations=await self._find_unrecorded(state, previous_turn),
        )
        brief = self._build_brief(state, context, words, results)
        if state.narration.kind == "retake" and narrated_turn is None and context.head is not None:
            (shown_head,) = reword_turns([context.head], find_wordings(context.story.entries))
            brief = replace(brief, draft=shown_head.text)
        cut_turn_id = state.narration.cut_turn_id
        cut_turn = await self._log.turn(cut_turn_id) if cut_turn_id else None
        return NarrationInput(package, brief, previous_turn, state, self._clock, words_turn, cut_turn)

    async def _find_previous_turn(
        self, state: NarrationState, context: SceneContext, narrated_turn: Turn | None
    ) -> Turn | None:
        """Return the turn that the narration follows.

        For another take it is fixed, else it is the end of the timeline; a turn that was appended before a crash
        does not count.
        """
        if state.narration.is_take:
            parent_id = state.exchange.parent_id
            return await self._log.turn(parent_id) if parent_id else None
        if narrated_turn is not None:
            return await self._log.turn(narrated_turn.parent_id) if narrated_turn.parent_id else None
        return context.head

    async def _read_line(self, context: SceneContext, previous_turn: Turn | None) -> list[Turn]:
        if previous_turn is None:
            return []
        start = max(0, previous_turn.depth + 1 - MAX_LOOKBACK)
        return await self._log.line_slice(context.scene.id, start, previous_turn.depth + 1 - start)

    def _build_brief(
        self, state: NarrationState, context: SceneContext, words: str, results: Sequence[Resolution]
    ) -> NarratorBrief:
        """Return the brief: the result at stake with its binding degree, and what else was rolled."""
        staked_result = next((r for r in reversed(results) if r.degree is not Degree.NONE), None)
        main_result = staked_result or (results[-1] if results else None)
        brief = NarratorBrief.from_story(context.story, words, main_result)
        texts = [f"Oracle: {r.text}" if is_oracle_answer(r.text) else r.text for r in results if r.text]
        is_continuation = state.narration.kind != "answer" and not words and not results
        return replace(
            brief, result="\n".join(texts), note=state.narration.note, is_continuation=is_continuation
        )


def _select_answered_turns(line_turns: Sequence[Turn], state: NarrationState) -> list[Turn]:
    """Return the turns to narrate: the exchange's own, or (going on) all since the last GM turn."""
    if state.narration.kind != "on":
        return [
            t
            for t in line_turns
            if t.exchange_id == state.exchange.exchange_id and t.speaker not in GM_SPEAKERS
        ]
    open_turns: list[Turn] = []
    for turn in reversed(line_turns):
        if turn.speaker in GM_SPEAKERS:
            break
        open_turns.append(turn)
    return open_turns[::-1]
