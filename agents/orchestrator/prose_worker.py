"""Has the Archivist read the prose that the GM wrote, beside play: what it changes beyond what plain rules found.

A background worker whose subjects are scenes that the player has opened and not ended. What was read is on record as
calls, each with its turn; what none answers for is read, so that prose written while no model was there waits for one.
A narration of which the Archivist gave no answer is such prose, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import Event, HeadMoved, LoopStateChanged
from agents.jobs.worker import MODEL_QUEUE, JobSubject, RetryLater
from agents.llm.call_context import CallContext
from agents.llm.errors import ABSENT_MODEL_ERRORS, BudgetExhausted, ModelError
from agents.loop_transitions import LoopTransitions
from agents.narrator.change_extraction import ChangeExtractor
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.exchange import Exchange, NarrationPlan
from agents.orchestrator.narration.inputs import NarrationInputLoader
from agents.orchestrator.narration.state import NarrationState, read_exchange
from agents.orchestrator.narration.steps import EXCHANGE_SUMMARY_KIND
from agents.personas.personas import Archivist, ArchivistRecord
from agents.proposals.proposals import Proposals
from stores.ports import LogReader, MemoryLog
from stores.queries import LlmCallQuery, ProposalQuery
from stores.records.canon import AssertFact, CreateEntity, normalize_statement
from stores.records.ids import Clock, Id, derive_id
from stores.records.jobs import JobKind
from stores.records.llm import CallOutcome, Persona
from stores.records.memory import Summary
from stores.records.play import Scene, Speaker, Turn
from stores.records.workflow import Loop, ProposedChange

PROSE_PRIORITY: Final = 8
MAX_TURNS_BACK: Final = 60
"""The last turns of a scene among which prose is looked for."""
MIN_WORDS: Final = 4
"""Words of the shortest prose that a model is asked about."""
_EXCHANGE_OVER: Final = "persisted"
"""The state of the loop of an exchange whose steps are all done."""
PROSE_TOKENS: Final = 3_000
"""Tokens that the question about one turn takes, with the record and the answer."""
_BUDGET_SECONDS: Final = 600.0
_ANSWERED: Final = (CallOutcome.DONE, CallOutcome.STOPPED)
"""How a call ended about whose turn no model is asked again unasked."""
_ABSENT_SECONDS: Final = 300.0
"""Wait before a model that did not answer is asked again."""


@dataclass(slots=True)
class ProseWorker:
    """Reads the GM's prose of a scene, one turn at a time; see `agents.jobs.worker.Worker`."""

    log: LogReader
    summaries: MemoryLog
    contexts: SceneContextLoader
    input_loader: NarrationInputLoader
    archivist: Archivist
    extraction: ChangeExtractor
    proposals: Proposals
    dispatcher: Dispatcher
    loops: LoopTransitions
    read_catalogue: ReadCatalogue
    clock: Clock
    is_on: Callable[[], bool]
    read_bundled_prose: Callable[[], Collection[str]]
    """Returns the turns that worlds begin with: nobody typed them, and what they tell is canon."""
    _opened_scenes: dict[Id, Id] = field(default_factory=dict)
    """The universe of each scene that was opened or played since the start."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One turn is read at a time: a later one is read with what the one before proposed."""
    _is_model_away: bool = False
    """Whether the model did not answer when it was asked last."""
    _unanswered: set[Id] = field(default_factory=set)
    """Turns of which nothing came back: they are not asked about again until the next start."""

    kind = JobKind.EXTRACT
    queue = MODEL_QUEUE
    priority = PROSE_PRIORITY

    def note_opened(self, scene: Scene) -> JobSubject:
        """Return the scene as a subject, which it stays: a model is paid for a scene only once the player opened it."""
        self._opened_scenes[scene.id] = scene.universe_id
        return _subject(scene.id, scene.universe_id)

    async def subjects(self) -> Collection[JobSubject]:
        """Return the scenes that were opened; those of which a model was missing are among them."""
        if not self.is_on():
            return []
        self._is_model_away = False  # something was set: it may be there again
        return [_subject(scene_id, universe_id) for scene_id, universe_id in self._opened_scenes.items()]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        match event:
            case LoopStateChanged(transition=move) if (
                move.loop is Loop.TURN and move.target == _EXCHANGE_OVER
            ):
                turn = (await self.log.turns([move.subject_id])).get(move.subject_id)
                scene_id = turn.scene_id if turn is not None else None
            case HeadMoved(scene_id):
                pass
            case _:
                scene_id = None
        if scene_id is None:
            return ()
        subject = self.note_opened(await self.log.scene(scene_id))
        return [subject] if self.is_on() else ()

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Return nothing: the calls on record say what was read."""
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        """Have the oldest prose read that no model has read, and return how much is left."""
        if not self.is_on():
            return 0
        async with self._lock:
            unread = await self._find_unread(subject_id)
            if not unread:
                return 0
            try:
                await self._read(unread[0])
            except BudgetExhausted as error:
                # Of this universe: the work of others goes on.
                raise RetryLater(str(error), seconds=_BUDGET_SECONDS) from error
            except ABSENT_MODEL_ERRORS as error:
                self._is_model_away = True
                raise RetryLater(error.what, seconds=_ABSENT_SECONDS, whole_kind=True) from error
            except ModelError:
                # The call is on record with its error, and plain rules have read the prose.
                self._unanswered.add(unread[0].id)
            self._is_model_away = False
            return len(unread) - 1

    async def read_all(self, scene_id: Id) -> None:
        """Read all that the scene awaits now, as its end needs it; what no model answers for waits on."""
        with suppress(RetryLater):
            while not self._is_model_away and await self.reconcile(scene_id):
                pass

    async def count_waiting(self, scene_ids: Collection[Id]) -> int:
        """Return how many turns of scenes wait for a model, while none reads them."""
        if self.is_on():
            return 0
        return sum([len(await self._find_unread(scene_id)) for scene_id in scene_ids])

    # --- inside --------------------------------------------------------------------------------------

    async def _find_unread(self, scene_id: Id) -> list[Turn]:
        """Return the GM's turns on the line that no model has read, the oldest first; none of a scene that is over."""
        if await self.loops.read_state(Loop.SCENE, scene_id) != "active":
            return []
        turns = [
            turn
            for turn in await self.log.line_tail(scene_id, MAX_TURNS_BACK)
            if turn.speaker is Speaker.GM
            and len(turn.text.split()) >= MIN_WORDS
            and turn.id not in self._unanswered
        ]
        turns = await self._select_played(turns)
        if turns:
            bundled = set(await asyncio.to_thread(self.read_bundled_prose))
            turns = [turn for turn in turns if turn.text not in bundled]
        if not turns:
            return []
        # What is being narrated is read by its own steps.
        read_ids = await self._find_unfinished_exchanges(scene_id) | await self._find_read_exchanges(scene_id)
        return [turn for turn in turns if turn.exchange_id not in read_ids]

    async def _select_played(self, turns: Sequence[Turn]) -> list[Turn]:
        """Leave out what was not played here, as imported logs, which have a review of their own."""
        run_ids = {run_id for turn in turns for run_id in (turn.id, turn.exchange_id)}
        states = await self.log.loop_states(Loop.TURN, run_ids) if run_ids else {}
        return [turn for turn in turns if turn.id in states or turn.exchange_id in states]

    async def _find_unfinished_exchanges(self, scene_id: Id) -> set[Id]:
        exchange_ids: set[Id] = set()
        for checkpoint in await self.log.checkpoints(scene_id):
            with suppress(ValueError):  # of another version: whoever finishes the exchange says so
                exchange_ids.add(read_exchange(checkpoint).exchange_id)
        return exchange_ids

    async def _find_read_exchanges(self, scene_id: Id) -> set[Id]:
        """Return the exchanges of which the Archivist has answered, or was stopped by the player.

        A draft that was read may be reworded since. What a branch has from the line that it left was paid for there,
        and its calls stay there: the sum of an exchange, which came with the answer, comes along.
        """
        calls = await self.log.llm_calls(LlmCallQuery(scene_id=scene_id))
        turn_ids = {
            call.turn_id
            for call in calls
            if call.persona is Persona.ARCHIVIST and call.outcome in _ANSWERED and call.turn_id
        }
        turns = await self.log.turns(turn_ids) if turn_ids else {}
        summed_up = {
            summary.first_turn
            for summary in await self.log.summaries(scene_id)
            if summary.kind == EXCHANGE_SUMMARY_KIND and summary.first_turn
        }
        return summed_up | {turn.exchange_id for turn in turns.values()}

    async def _read(self, turn: Turn) -> None:
        """Have a turn read, which takes a model's time, and then propose what it changes. Raises ModelError."""
        state = _build_state(turn)
        narration_input = await self.input_loader.loader_for_run()(state)
        scene = narration_input.package.scene
        catalogue = await self.read_catalogue(scene.universe.id)
        context = CallContext(
            scene.universe.id,
            scene.story.id,
            turn.scene_id,
            run_id=state.exchange.run_id,
            turn_id=turn.id,
            is_beside_play=True,
        )
        record = await self.archivist.record(
            turn.text, narration_input.package, narration_input.brief, catalogue, context
        )
        async with self.dispatcher.exclusive():
            if not await self.log.on_line(turn.scene_id, [turn.id]):
                return
            await self._write_summary(turn, record)
            if record.changes is None:
                return  # no answer that could be used; plain rules have read the prose
            context_now = await self.contexts.load_context(turn.scene_id)
            # What the same words, and later ones, have proposed since is not proposed again.
            package = narration_input.package
            package = replace(package, scene=replace(scene, staged_proposals=context_now.staged_proposals))
            extraction = await self.extraction.extract(
                turn, record.changes, package, catalogue, narration_input.words_turn
            )
            await self.proposals.stage(await self._select_new(extraction.proposals, turn, context_now))

    async def _write_summary(self, turn: Turn, record: ArchivistRecord) -> None:
        if record.summary:
            summary = Summary(
                id=derive_id("summary", EXCHANGE_SUMMARY_KIND, turn.id),
                scene_id=turn.scene_id,
                kind=EXCHANGE_SUMMARY_KIND,
                text=record.summary,
                first_turn=turn.exchange_id,
                last_turn=turn.id,
                created_at=self.clock(),
            )
            await self.summaries.put_summaries([summary])

    async def _select_new(
        self, proposals: Sequence[ProposedChange], turn: Turn, context: SceneContext
    ) -> list[ProposedChange]:
        """Leave out what was decided on already, and where somebody was before play moved on."""
        earlier = await self.log.proposals(ProposalQuery(scene_id=turn.scene_id))
        earlier_keys = {_key_of(p) for p in earlier}
        has_moved = context.has_moved_since(turn)
        return [p for p in proposals if _key_of(p) not in earlier_keys and not (has_moved and _says_where(p))]


def _subject(scene_id: Id, universe_id: Id) -> JobSubject:
    return JobSubject(scene_id, universe_id, tokens=PROSE_TOKENS)


def _build_state(turn: Turn) -> NarrationState:
    """Return the state of a narration that is told already, in the GM's own words."""
    run_id = derive_id("prose", turn.id)
    exchange = Exchange(
        run_id=run_id,
        exchange_id=turn.exchange_id,
        scene_id=turn.scene_id,
        parent_id=turn.parent_id,
        depth=turn.depth,
        tick=turn.tick,
        seed=turn.seed,
        narration=NarrationPlan(kind="answer", turn_id=turn.id, take=turn.take),
    )
    return NarrationState(exchange=exchange, gm_turn_id=turn.id, narrated_text=turn.text)


def _key_of(proposal: ProposedChange) -> str:
    """Return what a proposal says: two that say the same are one, whoever proposed them."""
    match proposal.payload:
        case AssertFact(statement=statement):
            return normalize_statement(statement)
        case CreateEntity(name=name):
            return f"new: {normalize_name(name)}"
        case change:
            return change.model_dump_json()


def _says_where(proposal: ProposedChange) -> bool:
    change = proposal.payload
    return isinstance(change, AssertFact) and change.predicate == LOCATED_IN
