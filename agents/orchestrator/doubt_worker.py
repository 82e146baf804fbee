"""Has a model look at each new sentence that is proposed, behind play: what it doubts is shown as a warning.

A background worker whose subjects are gates: a scene's, or its universe's. Each sentence is asked about once; after a
restart the answers on record are read again, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.model_doubts import ModelDoubt, ModelDoubts, fact_of_sentence, sentence_of
from agents.canon_keeper.proposal_subjects import named_entities
from agents.events import Event, EventBus, ProposalsChanged
from agents.jobs.worker import MODEL_QUEUE, JobSubject, RetryLater
from agents.llm.call_context import CallContext
from agents.llm.errors import ABSENT_MODEL_ERRORS, BudgetExhausted, ModelError
from agents.personas.sentence_doubts import SentenceDoubter
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery, ProposalQuery
from stores.records.canon import AssertFact, FactKind
from stores.records.ids import Id, derive_id
from stores.records.jobs import JobKind
from stores.records.workflow import WAITING_STATUSES, ProposedChange

DOUBT_PRIORITY: Final = 5
MAX_SENTENCES_SENT: Final = 20
MAX_NAMES: Final = 3
"""Names of a sentence about which the record is read."""
SENTENCE_TOKENS: Final = 1_200
"""Tokens that the question about one sentence takes, with the record and the answer."""
_EVENTS_IN_PLAY: Final = frozenset({FactKind.ASSERTION, FactKind.COMMITMENT, FactKind.ENCOUNTER})
"""Kinds of what happened as it was narrated: that somebody said a thing stands, however false the thing is."""
_BUDGET_SECONDS: Final = 600.0
_ABSENT_SECONDS: Final = 300.0
"""Wait before a model that did not answer is asked again."""


@dataclass(slots=True)
class DoubtWorker:
    """Asks about the open sentences of a gate, one at a time; see `agents.jobs.worker.Worker`."""

    log: LogReader
    canon: CanonReader
    doubter: SentenceDoubter
    doubts: ModelDoubts
    events: EventBus
    is_on: Callable[[], bool]
    _unanswered: set[tuple[Id, str]] = field(default_factory=set)
    """Sentences of which nothing came back: they are not asked about again until the next start."""

    kind = JobKind.DOUBT
    queue = MODEL_QUEUE
    priority = DOUBT_PRIORITY

    async def subjects(self) -> Collection[JobSubject]:
        """Return every gate at which something waits."""
        if not self.is_on():
            return []
        waiting = await self.log.proposals(ProposalQuery(statuses=WAITING_STATUSES))
        gates = dict.fromkeys((p.scene_id or p.universe_id, p.universe_id) for p in waiting)
        return [JobSubject(gate_id, universe_id, tokens=SENTENCE_TOKENS) for gate_id, universe_id in gates]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        if isinstance(event, ProposalsChanged) and self.is_on():
            gate_id = event.scene_id or event.universe_id
            return [JobSubject(gate_id, event.universe_id, tokens=SENTENCE_TOKENS)]
        return []

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Return nothing: what a doubt is read from is the record of its call."""
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        """Ask about one sentence of the gate, and return how many are left."""
        if not self.is_on():
            return 0
        waiting = await self._waiting_at(subject_id)
        due = [p for p in waiting if self._is_due(p)]
        if not due:
            return 0
        proposal = due[0]
        try:
            await self._look_at(proposal, waiting)
        except BudgetExhausted as error:
            # Of this universe: the work of others goes on.
            raise RetryLater(str(error), seconds=_BUDGET_SECONDS) from error
        except ABSENT_MODEL_ERRORS as error:
            raise RetryLater(error.what, seconds=_ABSENT_SECONDS, whole_kind=True) from error
        except ModelError:
            # The call is on record with its error; a sentence that nothing was said of is no doubtful one.
            self._unanswered.add((proposal.id, sentence_of(proposal)))
        return len(due) - 1

    async def _waiting_at(self, gate_id: Id) -> list[ProposedChange]:
        of_scene = await self.log.proposals(ProposalQuery(scene_id=gate_id, statuses=WAITING_STATUSES))
        if of_scene:
            return of_scene
        of_universe = await self.log.proposals(ProposalQuery(universe_id=gate_id, statuses=WAITING_STATUSES))
        return [p for p in of_universe if p.scene_id is None]

    def _is_due(self, proposal: ProposedChange) -> bool:
        sentence, change = sentence_of(proposal), proposal.change
        if isinstance(change, AssertFact) and change.fact_kind in _EVENTS_IN_PLAY:
            return False
        is_asked = self.doubts.is_checked(proposal) or (proposal.id, sentence) in self._unanswered
        return bool(sentence and named_entities(change)) and not is_asked

    async def _look_at(self, proposal: ProposedChange, waiting: Sequence[ProposedChange]) -> None:
        record = await self._read_record(proposal, waiting)
        doubts: list[ModelDoubt] = []
        if record:
            context = CallContext(
                proposal.universe_id,
                proposal.story_id,
                proposal.scene_id,
                run_id=derive_id("doubts", proposal.id, sentence_of(proposal)),
            )
            found = await self.doubter.find_doubts(sentence_of(proposal), list(record), context)
            doubts = [record[text]._replace(why=why) for text, why in found if text in record]
        self.doubts.put(proposal, doubts)
        if doubts:
            self.events.publish(ProposalsChanged(proposal.universe_id, proposal.scene_id))

    async def _read_record(
        self, proposal: ProposedChange, waiting: Sequence[ProposedChange]
    ) -> dict[str, ModelDoubt]:
        """Return the newest sentences of canon, and of what waits beside it, about those that the sentence names."""
        names = sorted(named_entities(proposal.change))[:MAX_NAMES]
        rivals: dict[str, ModelDoubt] = {}
        for other in reversed(waiting):
            if other.id != proposal.id and sentence_of(other) and named_entities(other.change) & set(names):
                rivals.setdefault(
                    _line(sentence_of(other)), ModelDoubt(fact_of_sentence(other), is_with_proposal=True)
                )
        query = FactsAboutQuery(newest=MAX_SENTENCES_SENT)
        facts = [fact for name in names for fact in await self.canon.facts_about(name, query)]
        for fact in sorted(facts, key=lambda f: f.recorded_at, reverse=True):
            rivals.setdefault(_line(fact.statement), ModelDoubt(fact))
        rivals.pop(_line(sentence_of(proposal)), None)
        return dict(list(rivals.items())[:MAX_SENTENCES_SENT])


def _line(statement: str) -> str:
    return " ".join(statement.split())[:300]
