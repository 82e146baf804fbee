"""Documents: what they would cost, reading them in, their review, and taking them back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from agents.ingest.document_chunks import select_present, select_unanswered
from agents.ingest.documents.formats import MediaType
from agents.ingest.ingest_worker import MAX_TITLE_LENGTH
from agents.ingest.ladder.ladder_metrics import LadderMetrics
from agents.ingest.ports import OriginalStore, PageRenderer
from agents.ingest.source_recorder import SourceRecorder
from agents.proposals.decisions import count_undecided, count_waiting, gm_decision
from agents.sanitize import clean
from agents.search.search_port import RecordSearch, SearchScope
from agents.services.entity_cards import EntityCardReader
from agents.services.ingest_estimates import DocumentEstimator, read_original_file
from agents.services.review_groups import page_of
from agents.services.review_reader import ReviewReader
from agents.services.source_review import SourceReview
from agents.services.source_withdrawal import SourceWithdrawal
from agents.story_outline import NewUniverse
from agents.typed_text import one_line
from agents.views.gate_views import CommitReport
from agents.views.ingest_views import (
    AcceptableProposals,
    EditionView,
    GroupDecisionCounts,
    IngestEstimate,
    IngestProgress,
    PageView,
    Passage,
    ReviewOrder,
    ReviewRows,
    ReviewView,
    SourceHit,
    SourceListView,
    SourceView,
    WithdrawalView,
)
from agents.views.proposal_views import UndoneDecision
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import FactStatus
from stores.records.ids import Clock, Id, derive_id
from stores.records.jobs import Job
from stores.records.sources import (
    READING_STATES,
    TAKEN_BACK_STATES,
    LadderStage,
    Source,
    SourceState,
)
from stores.records.workflow import ProposalStatus, Verdict
from stores.records.world import EntityStatus, Universe

CreateUniverse = Callable[[NewUniverse], Awaitable[Universe]]

SavePagePicture = Callable[[str, int, bytes], Awaitable[str]]
"""Writes the picture of a page (title of the document, number, PNG) to a file, and returns its path."""

PICTURE_WIDTH: Final = 1_600
"""Pixels of a page's picture: small print can be read."""
MAX_SEARCHED: Final = 200
"""Passages of a universe that a search within one document looks through, the best first."""
MAX_PAGE_PROPOSALS: Final = 50


@dataclass(frozen=True, slots=True)
class IngestService:
    """Reads documents in and shows what they gave. Raises `stores.errors.MonitorError` with words for the player."""

    log: LogReader
    canon: CanonReader
    recorder: SourceRecorder
    originals: OriginalStore
    estimator: DocumentEstimator
    review_reader: ReviewReader
    review: SourceReview
    withdrawal: SourceWithdrawal
    page_renderer: PageRenderer
    save_page_picture: SavePagePicture
    ladder_metrics: LadderMetrics
    """How chunks were served since the program was opened."""
    record_search: RecordSearch
    entity_cards: EntityCardReader
    create_universe: CreateUniverse
    list_poisoned: Callable[[], Collection[Job]]
    """Returns the background jobs that failed too often."""
    clock: Clock

    # --- reading in ----------------------------------------------------------------------------------

    async def preview(self, path: str, universe_id: Id | None = None) -> IngestEstimate:
        """Return what a file, a folder or a vault would bring and cost. Nothing is stored or paid."""
        return await self.estimator.preview(path, universe_id)

    async def start(
        self,
        path: str,
        universe_id: Id | None = None,
        *,
        new_universe: str = "",
        uses_model: bool = False,
        reads_pictures: bool = False,
    ) -> tuple[IngestProgress, ...]:
        """Keep the documents at the path, and have them read in the background; return how far each is.

        Without a universe one is created, named `new_universe` or after the document. A document that the universe
        has already is not read again, unless the model is to read its pictures (`reads_pictures`) and has not; one
        that was withdrawn comes back.
        """
        documents = (await self.estimator.list_documents(path)).documents
        if universe_id is None:
            name = new_universe or await self.estimator.read_title(path)
            universe_id = (await self.create_universe(NewUniverse(name))).id
        sources = [
            await self._start_document(
                universe_id,
                listed.name,
                await read_original_file(listed.path),
                uses_model=uses_model,
                reads_pictures=reads_pictures,
            )
            for listed in documents
        ]
        return tuple([await self._read_one_progress(source) for source in sources])

    async def start_text(self, name: str, text: str, universe_id: Id | None = None) -> IngestProgress:
        """Keep a text as a document of this name, and have it read; without a universe one is created of that name."""
        name = one_line(clean(name))[:MAX_TITLE_LENGTH]
        if not name:
            raise InputError("The text has no name.", kept="Nothing was stored.", todo="Type one.")
        if not text.strip():
            raise InputError("There is no text.", kept="Nothing was stored.", todo="Copy it again.")
        # JSON is YAML: whatever stands in the name, it is the title.
        data = f"---\ntitle: {json.dumps(name, ensure_ascii=False)}\n---\n\n{text}".encode()
        if universe_id is None:
            universe_id = (await self.create_universe(NewUniverse(name))).id
        return await self._read_one_progress(await self._start_document(universe_id, f"{name}.md", data))

    async def read_progress(self, universe_id: Id) -> tuple[IngestProgress, ...]:
        """Return how far the documents are that are not done, and not taken back."""
        over = (SourceState.DONE, *TAKEN_BACK_STATES)
        sources = [s for s in await self.log.sources(universe_id) if s.state not in over]
        return tuple([await self._read_one_progress(source) for source in sources])

    async def pause(self, source_id: Id) -> IngestProgress:
        """Stop reading a document; what was read is kept."""
        return await self._change_state(source_id, READING_STATES, SourceState.PAUSED)

    async def resume(self, source_id: Id) -> IngestProgress:
        """Go on with a document that was paused or has failed, or bring one back that was taken back."""
        source = await self.log.source(source_id)
        if source.state in TAKEN_BACK_STATES:
            return await self._read_one_progress(await self.withdrawal.bring_back(source_id))
        return await self._change_state(
            source_id, (SourceState.PAUSED, SourceState.FAILED), SourceState.WAITING
        )

    async def cancel(self, source_id: Id) -> IngestProgress:
        """Stop reading a document for good: its text leaves the search, and what it proposed is closed."""
        source = await self.log.source(source_id)
        if source.state is SourceState.DONE:
            raise InputError(
                f"“{source.title}” is read already.", kept="Nothing was changed.", todo="Withdraw it instead."
            )
        await self.withdrawal.withdraw(source_id, SourceState.CANCELLED)
        return await self._read_one_progress(await self.log.source(source_id))

    async def enrich(self, source_id: Id) -> IngestProgress:
        """Have the model asked about the chunks that none was asked about, or that it left to plain rules."""

        def ask_model(source: Source) -> Source:
            _require_state(source, (*READING_STATES, SourceState.DONE))
            return source.model_copy(update={"uses_model": True, "state": SourceState.READING, "error": ""})

        source = await self.log.source(source_id)
        ask_model(source)
        unanswered = select_unanswered(source, await self.log.snippets(source_id))
        if unanswered:
            await self.recorder.put_snippets(
                [s.model_copy(update={"asked_model": False}) for s in unanswered]
            )
        return await self._read_one_progress(await self.recorder.change_source(source_id, ask_model))

    async def read_without_model(self, source_id: Id) -> IngestProgress:
        """Have the rest of a document read by plain rules alone: what waits for a model waits no longer."""

        def ask_no_model(source: Source) -> Source:
            _require_state(source, READING_STATES)
            without_model = {"uses_model": False, "reads_pictures": False, "picture_pages": (), "error": ""}
            return source.model_copy(update=without_model)

        return await self._read_one_progress(await self.recorder.change_source(source_id, ask_no_model))

    # --- sources -------------------------------------------------------------------------------------

    async def list_sources(self, universe_id: Id) -> SourceListView:
        """Return the documents of a universe with what rests on each, newest first."""
        universe = await self.canon.universe(universe_id)
        sources = [s for s in await self.log.sources(universe_id) if s.is_document]
        return SourceListView(universe, tuple([await self._view_source(s) for s in reversed(sources)]))

    async def search(self, source_id: Id, words: str, limit: int = 20) -> tuple[SourceHit, ...]:
        """Return the passages of one document that are nearest to the words."""
        question = " ".join(clean(words).split())
        if not question:
            raise InputError("There is nothing to search for.", todo="Type a word that stands in it.")
        source = await self.log.source(source_id)
        present = {s.id: s for s in select_present(source, await self.log.snippets(source_id))}
        results = await self.record_search.search(
            "snippets", question, SearchScope(source.universe_id), k=MAX_SEARCHED
        )
        hits = [hit for hit in results.hits if hit.id in present][:limit]
        pages = await self.log.source_pages(
            source_id,
            source.edition,
            numbers={page for hit in hits if (page := present[hit.id].page) is not None},
        )
        labels = {page.number: page.label for page in pages}
        return tuple(
            SourceHit(Passage(s.id, s.page, s.text), labels.get(s.page or 0, ""), hit.score)
            for hit in hits
            for s in (present[hit.id],)
        )

    async def read_page(self, source_id: Id, number: int) -> PageView:
        """Return a page's text, and what rests on it in canon and at the review."""
        source = await self.log.source(source_id)
        pages = await self.log.source_pages(source_id, source.edition, numbers=[number])
        if not pages:
            raise InputError(
                f"“{source.title}” has no page {number}.", todo=f"It has {source.page_count or 0} pages."
            )
        subject_ids = {i for i, piece in await self.canon.evidence_from(source_id) if piece.page == number}
        facts = (await self.canon.facts_by_id(subject_ids)).values()
        entities = (await self.canon.entities_by_id(subject_ids)).values()
        on_page = [p for p in await self.review_reader.read_open(source) if page_of(p) == number]
        calendar = (await self.canon.universe(source.universe_id)).calendar
        return PageView(
            source=source,
            number=number,
            label=pages[0].label,
            text=pages[0].text,
            transcribed_by=pages[0].transcribed_by,
            facts=tuple(
                await self.entity_cards.build_fact_views(
                    [fact for fact in facts if fact.status is FactStatus.CANONICAL], calendar
                )
            ),
            entities=tuple(e for e in entities if e.status is EntityStatus.CANONICAL),
            proposals=await self.review_reader.build_rows(on_page[:MAX_PAGE_PROPOSALS]),
        )

    async def export_page(self, source_id: Id, number: int) -> str:
        """Write a page of a PDF, as it is printed, to a picture; return the file's path."""
        source, picture = await self._render_page(source_id, number, PICTURE_WIDTH, "Nothing was written.")
        return await self.save_page_picture(source.title, number, picture)

    async def read_page_picture(self, source_id: Id, number: int, max_width: int, max_height: int) -> bytes:
        """Return a page of a PDF, as it is printed, as a picture (PNG) that fits into so many pixels."""
        _, picture = await self._render_page(source_id, number, max_width, "Its text is here.", max_height)
        return picture

    async def _render_page(
        self, source_id: Id, number: int, width: int, kept: str, max_height: int = 0
    ) -> tuple[Source, bytes]:
        source = await self.log.source(source_id)
        if source.media_type != MediaType.PDF:
            raise InputError(f"“{source.title}” is no PDF: its pages have no look of their own.", kept=kept)
        if not source.object_key:
            raise InputError(f"The original of “{source.title}” was not kept.", kept=kept)
        original = await self.originals.get("originals", source.object_key)
        return source, await self.page_renderer.render_page(
            original, source.file_name, number, width, max_height
        )

    # --- review --------------------------------------------------------------------------------------

    async def read_review(
        self, source_id: Id, order: ReviewOrder = ReviewOrder.ENTITY, *, is_closed: bool = False
    ) -> ReviewView:
        return await self.review_reader.read_review(source_id, order, is_closed=is_closed)

    async def read_rows(
        self,
        source_id: Id,
        group_key: str,
        order: ReviewOrder = ReviewOrder.ENTITY,
        *,
        offset: int = 0,
        limit: int = 50,
        is_closed: bool = False,
    ) -> ReviewRows:
        return await self.review_reader.read_rows(
            source_id, group_key, order, offset=offset, limit=limit, is_closed=is_closed
        )

    async def find_acceptable(
        self, source_id: Id, group_keys: Collection[str], order: ReviewOrder = ReviewOrder.ENTITY
    ) -> AcceptableProposals:
        """Return what is undecided in groups and can be accepted unseen: no merge, and in no conflict."""
        return await self.review.find_acceptable(source_id, group_keys, order)

    async def find_undecided(
        self, source_id: Id, group_keys: Collection[str], order: ReviewOrder = ReviewOrder.ENTITY
    ) -> tuple[Id, ...]:
        """Return what is undecided in groups: all of it can be rejected at once."""
        return await self.review.find_undecided(source_id, group_keys, order)

    async def undo_last_decision(self, source_id: Id) -> UndoneDecision:
        """Undo what was decided last of the document, and is not committed."""
        return await self.review.undo_last_decision(source_id)

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        before_storing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Set a verdict; None removes it. Accepting a fact also accepts the undecided entities that it names.

        `before_storing` is awaited once it is this decision's turn: what is asked for later waits for both.
        """
        await self.review.decide(proposal_ids, verdict, before_storing=before_storing)

    async def accept_named(self, proposal_ids: Collection[Id]) -> None:
        """Accept the undecided entities that these proposals name: after an edit they may be others."""
        await self.review.accept_named(proposal_ids)

    async def decide_groups(
        self,
        source_id: Id,
        group_keys: Collection[str],
        verdict: Verdict | None,
        order: ReviewOrder = ReviewOrder.ENTITY,
    ) -> GroupDecisionCounts:
        """Decide what is undecided in groups, or (None) make all of it undecided."""
        return await self.review.decide_groups(source_id, group_keys, verdict, order)

    async def commit(self, source_id: Id) -> CommitReport:
        """Write what is accepted and close what is rejected; the rest waits."""
        return await self.review.commit(source_id)

    # --- taking back, and other editions -------------------------------------------------------------

    async def preview_withdrawal(self, source_id: Id) -> WithdrawalView:
        return await self.withdrawal.preview(source_id)

    async def withdraw(self, source_id: Id) -> tuple[str, ...]:
        """Take a document back; return lines for the reader. `resume` brings it back."""
        source = await self.log.source(source_id)
        if source.state in TAKEN_BACK_STATES:
            raise InputError(
                f"“{source.title}” is {source.state.value} already.", kept="Nothing was changed."
            )
        return await self.withdrawal.withdraw(source_id)

    async def preview_edition(self, source_id: Id, path: str) -> EditionView:
        """Return how another edition of the document differs from the present one. Nothing is stored."""
        source = await self.log.source(source_id)
        edition = await self.estimator.read_whole(path)
        return await self.withdrawal.compare_edition(source, edition.chunks, edition.summary.notes)

    async def ingest_edition(self, source_id: Id, path: str) -> IngestProgress:
        """Have another edition take the place of the present one: what both have keeps what rests on it."""
        listed = (await self.estimator.list_documents(path)).documents[0]
        key = await self.originals.put("originals", await read_original_file(listed.path))

        def replace_edition(source: Source) -> Source:
            _require_state(source, (SourceState.DONE, SourceState.FAILED, SourceState.PAUSED))
            if key == source.object_key:
                raise InputError(
                    "That is the same edition: its bytes are the same.", kept="Nothing was changed."
                )
            return source.model_copy(
                update={
                    "object_key": key,
                    "earlier_object_keys": (*source.earlier_object_keys, source.object_key),
                    "file_name": PurePath(path).name,
                    "edition": source.edition + 1,
                    "page_count": None,
                    "pages_read": 0,
                    "picture_pages": (),
                    "chunk_count": None,
                    "state": SourceState.WAITING,
                    "error": "",
                }
            )

        return await self._read_one_progress(await self.recorder.change_source(source_id, replace_edition))

    # --- inside --------------------------------------------------------------------------------------

    async def _start_document(
        self,
        universe_id: Id,
        name: str,
        data: bytes,
        *,
        uses_model: bool = False,
        reads_pictures: bool = False,
    ) -> Source:
        key = await self.originals.put("originals", data)
        source_id = derive_id("document", universe_id, key)
        stored = (await self.log.sources_by_id([source_id])).get(source_id)
        if stored is not None and stored.state in TAKEN_BACK_STATES:
            return await self.withdrawal.bring_back(source_id)
        if stored is not None:
            return await self._read_pictures_of(stored) if reads_pictures else stored
        source = Source(
            id=source_id,
            universe_id=universe_id,
            title=one_line(clean(PurePath(name).stem))[:MAX_TITLE_LENGTH],
            object_key=key,
            file_name=name,
            state=SourceState.WAITING,
            uses_model=uses_model,
            reads_pictures=reads_pictures,
            recorded_at=self.clock(),
        )
        await self.recorder.add_source(source)
        return source

    async def _read_pictures_of(self, stored: Source) -> Source:
        """Have a document read again that was read without its pictures of pages: what it has already stays."""

        def read_again(source: Source) -> Source:
            if source.reads_pictures:
                return source
            return source.model_copy(
                update={
                    "reads_pictures": True,
                    "state": SourceState.WAITING,
                    "chunk_count": None,
                    "error": "",
                }
            )

        return await self.recorder.change_source(stored.id, read_again)

    async def _change_state(
        self, source_id: Id, from_states: Collection[SourceState], state: SourceState
    ) -> IngestProgress:
        def change(source: Source) -> Source:
            _require_state(source, from_states)
            return source.model_copy(update={"state": state, "error": ""})

        return await self._read_one_progress(await self.recorder.change_source(source_id, change))

    async def _read_one_progress(self, source: Source) -> IngestProgress:
        served_by = await self.log.snippet_stages(source.id, source.edition)
        counts = (await self.log.proposal_counts([source.id]))[source.id]
        return IngestProgress(
            source_id=source.id,
            universe_id=source.universe_id,
            title=source.title,
            state=source.state,
            page_count=source.page_count,
            pages_read=source.pages_read,
            chunk_count=source.chunk_count,
            served_count=sum(count for stage, count in served_by.items() if stage is not None),
            by_stage=tuple((stage, served_by.get(stage, 0)) for stage in LadderStage),
            proposal_count=sum(counts.values()),
            uses_model=source.uses_model,
            waits_for_model=source.state in READING_STATES
            and bool(source.error)
            and (source.uses_model or bool(source.picture_pages)),
            pictures_left=len(source.picture_pages),
            error=source.error or self._describe_poisoned(source.id),
        )

    def _describe_poisoned(self, source_id: Id) -> str:
        """Return why reading the document was given up, and what to do; empty if it was not."""
        errors = (job.error for job in self.list_poisoned() if job.subject_id == source_id)
        return next((f"Reading stopped: {error} r on System tries it again." for error in errors), "")

    async def _view_source(self, source: Source) -> SourceView:
        counts = (await self.log.proposal_counts([source.id]))[source.id]
        open_count, undecided_count = count_waiting(counts), count_undecided(counts)
        if source.edition > 1:  # what only an earlier edition says is gone
            open_proposals = await self.review_reader.read_open(source)
            open_count = len(open_proposals)
            undecided_count = sum(gm_decision(proposal) is None for proposal in open_proposals)
        subject_ids = {i for i, _ in await self.canon.evidence_from(source.id)}
        facts = (await self.canon.facts_by_id(subject_ids)).values()
        entities = (await self.canon.entities_by_id(subject_ids)).values()
        return SourceView(
            source=source,
            progress=await self._read_one_progress(source),
            open_count=open_count,
            decided_count=open_count - undecided_count,
            accepted_count=sum(n for (s, _), n in counts.items() if s is ProposalStatus.ACCEPTED),
            rejected_count=sum(n for (s, _), n in counts.items() if s is ProposalStatus.REJECTED),
            fact_count=sum(fact.status is FactStatus.CANONICAL for fact in facts),
            entity_count=sum(entity.status is EntityStatus.CANONICAL for entity in entities),
        )


def _require_state(source: Source, states: Collection[SourceState]) -> None:
    if source.state not in states:
        raise InputError(
            f"“{source.title}” is {source.state.value}.",
            kept="Nothing was changed.",
            todo="Look at the list of documents again.",
        )
