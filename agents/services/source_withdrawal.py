"""Takes a document back, with its consequences shown first, and compares another edition with the present one."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agents.canon_keeper.keeper import CanonKeeper
from agents.events import EventBus, ProposalsChanged
from agents.ingest.document_chunks import build_snippets, select_present
from agents.ingest.documents.document import Chunk
from agents.ingest.source_recorder import SourceRecorder
from agents.orchestrator.dispatcher import Dispatcher
from agents.proposals.decisions import is_undone
from agents.services.entity_cards import EntityCardReader
from agents.services.manual_edits import Edit, ManualEdits, read_present_tick
from agents.services.story_uses import StoryUses, name_stories, read_story_uses
from agents.views.card_views import FactView
from agents.views.ingest_views import EditionView, Passage, WithdrawalView
from agents.views.world_views import describe_waiting
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import Authority, Evidence, Fact, FactStatus, RetconFact
from stores.records.ids import Clock, Id
from stores.records.sources import READING_STATES, TAKEN_BACK_STATES, Snippet, Source, SourceState
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import Entity, EntityStatus


@dataclass(frozen=True, slots=True)
class _Resting:
    """What in canon rests on a document (or on some of its chunks), and what of it would rest on nothing else."""

    losing_facts: tuple[Fact, ...]
    losing_entities: tuple[Entity, ...]
    """Without those that play met, or that a fact which stays is about."""
    kept_count: int
    used_by: StoryUses
    """The stories that use what is losing: its retraction is the GM's to accept."""


class SourceWithdrawal:
    """Withdraws documents. Canon changes only at the gate: what loses its evidence is proposed for retraction."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        keeper: CanonKeeper,
        recorder: SourceRecorder,
        entity_cards: EntityCardReader,
        manual_edits: ManualEdits,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._recorder = recorder
        self._entity_cards = entity_cards
        self._manual_edits = manual_edits
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    async def preview(self, source_id: Id) -> WithdrawalView:
        """Return what withdrawing the document would do. Nothing is changed."""
        source = await self._log.source(source_id)
        resting = await self._read_resting(source)
        counts = (await self._log.proposal_counts([source_id]))[source_id]
        snippets = select_present(source, await self._log.snippets(source_id))
        return WithdrawalView(
            source=source,
            losing_facts=await self._view_facts(source, resting.losing_facts),
            losing_entities=resting.losing_entities,
            used_by=resting.used_by,
            kept_count=resting.kept_count,
            open_count=sum(count for (status, _), count in counts.items() if status in OPEN_STATUSES),
            snippet_count=len(snippets),
        )

    async def withdraw(self, source_id: Id, state: SourceState = SourceState.WITHDRAWN) -> tuple[str, ...]:
        """Take the document back: its text leaves the search, its open proposals count as not proposed.

        What rests on it alone is proposed for retraction at the universe's gate. Returns lines for the reader.
        """
        # The state comes last: what a crash cuts off before it is done again, once it is asked for again.
        source = await self._recorder.change_source(source_id, _stop_reading)
        resting = await self._read_resting(source)
        waiting_count = await self._propose_retractions(source, resting)
        async with self._dispatcher.exclusive():
            open_proposals = await self._log.proposals(
                ProposalQuery(source_id=source_id, statuses=OPEN_STATUSES)
            )
            await self._keeper.undo_proposals(open_proposals, self._clock())
        await self._recorder.change_source(source_id, lambda s: s.model_copy(update={"state": state}))
        self._events.publish(ProposalsChanged(source.universe_id, None))
        lines = [f"“{source.title}” is {state.value}: its text is no longer searched."]
        if open_proposals:
            lines.append(f"{len(open_proposals):,} of its proposals are closed.")
        if waiting_count:
            lines.append(
                f"{len(resting.losing_facts) + len(resting.losing_entities):,} that rest on it alone are proposed "
                f"for retraction. {describe_waiting(waiting_count)}"
            )
        if resting.used_by:
            titles = dict.fromkeys(title for titles in resting.used_by.values() for title in titles)
            lines.append(
                f"{len(resting.used_by):,} of these stay unless you accept it: used in {name_stories(titles)}."
            )
        return tuple(lines)

    async def bring_back(self, source_id: Id) -> Source:
        """Undo a withdrawal: the text is searched, and what was closed by it is proposed again.

        The retractions that it proposed, and that no commit has written, are proposed no longer.
        """
        withdrawn = await self._log.source(source_id)
        async with self._dispatcher.exclusive():
            proposals = await self._log.proposals(ProposalQuery(source_id=source_id))
            await self._keeper.redo_proposals([p for p in proposals if is_undone(p)])
            await self._keeper.undo_proposals(await self._read_retractions(withdrawn), self._clock())

        def reopen(source: Source) -> Source:
            is_whole = source.chunk_count is not None
            snippets_state = SourceState.READING if is_whole else SourceState.WAITING
            return source.model_copy(update={"state": snippets_state, "error": ""})

        source = await self._recorder.change_source(source_id, reopen)
        self._events.publish(ProposalsChanged(source.universe_id, None))
        return source

    async def compare_edition(
        self, source: Source, chunks: Sequence[Chunk], notes: tuple[str, ...]
    ) -> EditionView:
        """Return what the chunks of another edition have that the present one has not, and the reverse."""
        stored = select_present(source, await self._log.snippets(source.id))
        next_edition = source.model_copy(update={"edition": source.edition + 1})
        following = build_snippets(next_edition, chunks, stored)
        stored_ids, following_ids = {s.id for s in stored}, {s.id for s in following}
        gone = [s for s in stored if s.id not in following_ids]
        resting = await self._read_resting(source, only_chunk_ids={s.id for s in gone})
        return EditionView(
            source=source,
            kept_count=len(stored_ids & following_ids),
            new_passages=tuple(_passage(s) for s in following if s.id not in stored_ids),
            gone_passages=tuple(_passage(s) for s in gone),
            losing_facts=await self._view_facts(source, resting.losing_facts),
            notes=notes,
        )

    # --- inside --------------------------------------------------------------------------------------

    async def _read_resting(
        self, source: Source, *, only_chunk_ids: Collection[Id] | None = None
    ) -> _Resting:
        """Return what rests on the document, or on these of its chunks."""
        pairs = await self._canon.evidence_from(source.id)
        subject_ids = {
            subject_id
            for subject_id, piece in pairs
            if only_chunk_ids is None or piece.ref_id in only_chunk_ids
        }
        facts, entities, evidence, sources = await gather(
            self._canon.facts_by_id(subject_ids),
            self._canon.entities_by_id(subject_ids),
            self._canon.evidence_of_all(subject_ids),
            self._log.sources(source.universe_id),
        )
        gone_source_ids = {s.id for s in sources if s.state in TAKEN_BACK_STATES}
        if only_chunk_ids is None:
            gone_source_ids.add(source.id)

        def is_lost(piece: Evidence) -> bool:
            return piece.source_id in gone_source_ids or piece.ref_id in (only_chunk_ids or ())

        losing_ids = {i for i in subject_ids if all(map(is_lost, evidence[i]))}
        standing_facts = [f for f in facts.values() if f.status is FactStatus.CANONICAL]
        standing_entities = [e for e in entities.values() if e.status is EntityStatus.CANONICAL]
        losing_facts = tuple(f for f in standing_facts if f.id in losing_ids)
        losing_entities = tuple(
            [
                e
                for e in standing_entities
                if e.id in losing_ids and not await self._is_used(e, {f.id for f in losing_facts})
            ]
        )
        kept_count = len(standing_facts) + len(standing_entities) - len(losing_facts) - len(losing_entities)
        used_by = await read_story_uses(self._log, source.universe_id, losing_entities, losing_facts)
        losing_ids = {f.id for f in losing_facts} | {e.id for e in losing_entities}
        return _Resting(
            losing_facts,
            losing_entities,
            kept_count,
            {id: titles for id, titles in used_by.items() if id in losing_ids},
        )

    async def _is_used(self, entity: Entity, losing_fact_ids: Collection[Id]) -> bool:
        """Return whether play met the entity, or a fact that stays is about it."""
        facts = await self._canon.facts_about(entity.id)
        return any(f.id not in losing_fact_ids for f in facts) or bool(
            await self._canon.appearances(entity.id)
        )

    async def _propose_retractions(self, source: Source, resting: _Resting) -> int:
        """Propose to retract what rests on nothing else; return how many changes wait at the gate then."""
        edits = [
            *(_retraction(f.id, f.statement, source, resting.used_by) for f in resting.losing_facts),
            *(_retraction(e.id, e.name, source, resting.used_by) for e in resting.losing_entities),
        ]
        waiting = await self._manual_edits.list_waiting_changes(source.universe_id)
        edits = [edit for edit in edits if edit.change not in waiting]
        if not edits:
            return 0
        tick = await read_present_tick(self._log, source.universe_id)
        return (await self._manual_edits.stage_edits(source.universe_id, edits, tick=tick)).waiting

    async def _read_retractions(self, source: Source) -> list[ProposedChange]:
        """Return the open proposals to retract what rests on the document that its withdrawal made."""
        subject_ids = {subject_id for subject_id, _ in await self._canon.evidence_from(source.id)}
        waiting = await self._log.proposals(
            ProposalQuery(universe_id=source.universe_id, statuses=OPEN_STATUSES, kind="retcon_fact")
        )
        return [
            p
            for p in waiting
            if isinstance(p.payload, RetconFact)
            and p.payload.fact_id in subject_ids
            and any(e.quote.startswith(_retraction_words(source)) for e in p.evidence)
        ]

    async def _view_facts(self, source: Source, facts: Sequence[Fact]) -> tuple[FactView, ...]:
        calendar = (await self._canon.universe(source.universe_id)).calendar
        return tuple(await self._entity_cards.build_fact_views(facts, calendar))


def _stop_reading(source: Source) -> Source:
    is_read = source.state in READING_STATES
    return source.model_copy(update={"state": SourceState.PAUSED}) if is_read else source


def _retraction(subject_id: Id, text: str, source: Source, used_by: StoryUses) -> Edit:
    """Return the retraction of what rests on the document; of what a story uses it is nobody's word yet.

    That the document goes does not say that what was played is to go: the GM accepts it, or it stays.
    """
    titles = used_by.get(subject_id, ())
    words = f"{_retraction_words(source)}{text}"
    if not titles:
        return Edit(RetconFact(fact_id=subject_id), words)
    return Edit(
        RetconFact(fact_id=subject_id),
        f"{words} (stays unless you accept it: used in {name_stories(titles)})",
        authority=Authority.SYSTEM,
    )


def _retraction_words(source: Source) -> str:
    return f"Without “{source.title}”, never true: "


def _passage(snippet: Snippet) -> Passage:
    return Passage(snippet.id, snippet.page, snippet.text)
