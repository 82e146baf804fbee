"""What one run of the turn graph stands on: the scene before the telling, its package, and what binds it.

Read once a run, and never kept: after a crash it is read again. Source: design/loops.md, "One turn".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.context_assembly.package import ContextPackage, Packages
from agents.orchestrator.turn_state import TurnState
from agents.personas.bound import Bound
from stores.ports import LogReader
from stores.records.ids import Clock, Id
from stores.records.play import Degree, Resolution, Speaker, Turn

REACH = 16
"""Turns back in which the words and rolls that are answered are looked for."""

_GM = (Speaker.GM, Speaker.NPC)

GroundOf = Callable[[TurnState], Awaitable["Ground"]]


@dataclass(frozen=True, slots=True)
class Ground:
    """`behind` is the turn that the telling follows (None: it is the first), `answers` the turns that it
    answers: words and rolls."""

    package: ContextPackage
    bound: Bound
    behind: Turn | None
    state: TurnState
    at: Clock

    def turn(self, turn_id: Id, text: str, take: int) -> Turn:
        """Return the GM's turn that tells `text`."""
        exchange = self.state.exchange
        behind, retake = self.behind, self.state.telling.kind == "retake"
        tick = behind.tick + 1 if behind is not None and not retake else exchange.tick
        return Turn(
            id=turn_id,
            scene_id=exchange.scene_id,
            parent_id=behind.id if behind else None,
            exchange_id=exchange.exchange_id,
            speaker=Speaker.GM,
            text=text,
            take=take,
            depth=behind.depth + 1 if behind else 0,
            tick=tick,
            seed=exchange.seed,
            created_at=self.at(),
        )


class Grounds:
    """Reads grounds. Stateless."""

    def __init__(self, log: LogReader, context: ContextAssembly, packages: Packages, clock: Clock) -> None:
        self._log = log
        self._context = context
        self._packages = packages
        self._clock = clock

    def for_run(self) -> GroundOf:
        """Return what reads the ground at the first call of a run, and gives the same one after."""
        found: list[Ground] = []

        async def ground_of(state: TurnState) -> Ground:
            if not found:
                found.append(await self._read(state))
            return found[0]

        return ground_of

    async def told(self, turn_id: Id) -> Turn | None:
        """Return the turn, if it was told."""
        return (await self._log.turns([turn_id])).get(turn_id)

    async def _read(self, state: TurnState) -> Ground:
        context, told = await gather(
            self._context.load(state.exchange.scene_id), self.told(state.telling.turn_id)
        )
        behind = await self._behind(state, context, told)
        answers = _answered(await self._line(context, behind), state)
        words = next((t.text for t in reversed(answers) if t.speaker is Speaker.PLAYER), "")
        results = await self._log.resolutions([t.id for t in answers])
        package = await self._packages.assemble(_before(context, behind), words)
        # What is told of stands in sections of its own; what comes after is what is told anew.
        own = {t.id for t in answers}
        line = package.narrative.line
        kept = tuple(t for t in line if behind and t.depth <= behind.depth and t.id not in own)
        package = replace(package, narrative=replace(package.narrative, line=kept))
        return Ground(package, self._bound(state, context, words, results), behind, state, self._clock)

    async def _behind(self, state: TurnState, context: SceneContext, told: Turn | None) -> Turn | None:
        """Return the turn that the telling follows: a retake's is fixed, else it is the end of the line;
        what a crash left told already does not count."""
        if state.telling.kind == "retake":
            parent = state.exchange.parent_id
            return await self._log.turn(parent) if parent else None
        if told is not None:
            return await self._log.turn(told.parent_id) if told.parent_id else None
        return context.head

    async def _line(self, context: SceneContext, behind: Turn | None) -> list[Turn]:
        if behind is None:
            return []
        start = max(0, behind.depth + 1 - REACH)
        return await self._log.line_slice(context.scene.id, start, behind.depth + 1 - start)

    def _bound(
        self, state: TurnState, context: SceneContext, words: str, results: Sequence[Resolution]
    ) -> Bound:
        """The result that was at stake binds in its degree; what else was rolled stands beside it."""
        staked = next((r for r in reversed(results) if r.degree is not Degree.NONE), None)
        chief = staked or (results[-1] if results else None)
        bound = Bound.by(context.story, words, chief)
        texts = [r.text for r in results if r.text]
        on = state.telling.kind in ("on", "retake") and not words and not results
        return replace(bound, result="\n".join(texts), note=state.telling.note, go_on=on)


def _answered(line: Sequence[Turn], state: TurnState) -> list[Turn]:
    """Return what is told of: the exchange's own turns, or (going on) all since the GM told last."""
    if state.telling.kind != "on":
        return [t for t in line if t.exchange_id == state.exchange.exchange_id and t.speaker not in _GM]
    open_: list[Turn] = []
    for turn in reversed(line):
        if turn.speaker in _GM:
            break
        open_.append(turn)
    return open_[::-1]


def _before(context: SceneContext, behind: Turn | None) -> SceneContext:
    """Return the scene as it stood before the telling: without what another take of it has staged."""
    if context.head is None or context.head == behind:
        return context
    gone = {context.head.id}
    staged = tuple(p for p in context.staged if p.turn_id not in gone)
    return replace(context, head=behind, last=behind, staged=staged)
