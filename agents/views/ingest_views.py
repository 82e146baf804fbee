"""Values that the Ingest screens and `monitor ingest` draw: estimates, progress, sources, reviews, pages.

Plain values without a handle; read them again after an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, assert_never

from agents.views.card_views import FactView
from agents.views.proposal_views import ProposalView
from stores.records.ids import Id
from stores.records.sources import LadderStage, Source, SourceState
from stores.records.workflow import Verdict
from stores.records.world import Entity, Universe

# --- before anything is stored or paid --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentPreview:
    """What one file holds, and what reading it in would take."""

    path: str
    title: str
    media_type: str
    page_count: int
    chunk_count: int
    token_count: int
    """Tokens that a model would be sent and would answer, if one is asked."""

    micros: int | None
    """Millionths of a US dollar; 0 without a model, None if the price is unknown."""

    seconds: float
    is_estimated: bool = False
    """Whether the counts are estimated from some of its pages."""

    notes: tuple[str, ...] = ()
    """What reading leaves out and why, in sentences; of the pages that were looked at."""

    same_as: str = ""
    """Title of a document of the universe with the same bytes: it is not read again."""

    picture_count: int = 0
    """Pages that are pictures without text; nothing of them is in the other counts."""

    picture_micros: int | None = 0
    """What it costs to have the model read these; None if its price is unknown."""

    @property
    def has_text(self) -> bool:
        """Whether there is anything to read but pictures of pages."""
        return self.chunk_count > 0


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that is not read, and the reason: it ends the sentence “It is not read: ”."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestEstimate:
    """What a file, a folder or a vault would bring. Nothing is stored yet."""

    documents: tuple[DocumentPreview, ...]
    skipped: tuple[UnreadFile, ...] = ()
    is_vault: bool = False
    """Whether the folder is an Obsidian vault."""
    model: str = ""
    """The model that would be asked; empty: none is set."""
    sees_pictures: bool = False
    """Whether that model may be shown pages that are pictures without text."""

    @property
    def picture_count(self) -> int:
        return sum(document.picture_count for document in self.documents)

    @property
    def picture_micros(self) -> int | None:
        """Return what it costs to have the pictures of pages read; None if a price is unknown."""
        return _sum_of_known(document.picture_micros for document in self.documents)

    @property
    def page_count(self) -> int:
        return sum(document.page_count for document in self.documents)

    @property
    def token_count(self) -> int:
        return sum(document.token_count for document in self.documents)

    @property
    def micros(self) -> int | None:
        """Return the cost of all; None if a price is unknown."""
        return _sum_of_known(document.micros for document in self.documents)

    @property
    def seconds(self) -> float:
        return sum(document.seconds for document in self.documents)


def _sum_of_known(costs: Iterable[int | None]) -> int | None:
    listed = list(costs)
    return None if None in listed else sum(cost or 0 for cost in listed)


# --- sources ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far a document is."""

    source_id: Id
    universe_id: Id
    title: str
    state: SourceState
    page_count: int | None
    """None until that is known."""

    pages_read: int

    chunk_count: int | None
    """None until all chunks are stored."""

    served_count: int = 0
    """Chunks that were processed."""

    by_stage: tuple[tuple[LadderStage, int], ...] = ()
    """How many chunks each stage of the ladder served, in the order of the stages."""

    proposal_count: int = 0
    uses_model: bool = False
    """Whether a model is asked about each of its chunks."""

    waits_for_model: bool = False
    """Whether it waits for a model that is not set up or does not answer; `error` says which."""

    pictures_left: int = 0
    """Pages that a model has yet to read from their pictures."""

    error: str = ""

    @property
    def is_running(self) -> bool:
        return self.state in (SourceState.WAITING, SourceState.READING)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A document of a universe, and what rests on it."""

    source: Source
    progress: IngestProgress
    open_count: int
    """Proposals over which no commit has closed."""

    decided_count: int
    """How many of these have a verdict that a commit would close over, or are left for later."""

    accepted_count: int
    """Proposals that a commit has accepted: one may be a name or a number of somebody whom canon has already."""

    rejected_count: int
    """Proposals that a commit has rejected."""

    fact_count: int
    """Facts in canon that have evidence from it."""

    entity_count: int

    @property
    def state(self) -> SourceState:
        return self.source.state


@dataclass(frozen=True, slots=True)
class SourceListView:
    """The documents of a universe, newest first."""

    universe: Universe
    sources: tuple[SourceView, ...]


# --- review -----------------------------------------------------------------------------------------


class ReviewOrder(StrEnum):
    """What the proposals of a document are grouped by."""

    ENTITY = "entity"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """The open proposals about one entity, or of one page; ranked by use."""

    key: str
    title: str
    count: int
    accepted_count: int = 0
    """Of these, how many are accepted and wait for the commit."""

    rejected_count: int = 0
    later_count: int = 0
    """How many were left for later by the GM's word; what is undecided is left for later anyway."""

    chunk_count: int = 0
    """Chunks that name it: how often it is named."""

    is_in_play: bool = False
    """Whether canon or a story in play has it already."""

    is_described: bool = False
    """Whether the document says something of it: a description, numbers, facts."""

    first_page: int | None = None
    kinds: frozenset[str] = frozenset()
    """What its proposals are, in words: `creature`, `fact`."""

    def matches_words(self, words: Iterable[str]) -> bool:
        """Return whether the title, or the kind of a proposal, has every one of these words."""
        text = " ".join((self.title, *self.kinds)).casefold()
        return all(word in text for word in words)

    @property
    def undecided_count(self) -> int:
        return self.count - self.accepted_count - self.rejected_count - self.later_count

    def with_verdict(self, verdict: Verdict | None) -> ReviewGroup:
        """Return the group after what is undecided in it got this verdict; None takes all verdicts back."""
        match verdict:
            case None | Verdict.UNDO:
                return replace(self, accepted_count=0, rejected_count=0, later_count=0)
            case Verdict.ACCEPT:
                return replace(self, accepted_count=self.accepted_count + self.undecided_count)
            case Verdict.REJECT | Verdict.FLAVOUR:
                return replace(self, rejected_count=self.rejected_count + self.undecided_count)
            case Verdict.DEFER:
                return replace(self, later_count=self.later_count + self.undecided_count)
            case _:
                assert_never(verdict)


class GroupDecisionCounts(NamedTuple):
    """What became of the proposals of groups that were decided as a whole."""

    decided_count: int
    left_count: int
    """How many are decided one by one alone: merges, and what meets a conflict or something protected."""

    left_lines: tuple[str, ...] = ()
    """The first of these, each with why."""


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All groups of a document's review. Rows are read a page at a time: `IngestService.read_rows`."""

    source: Source
    order: ReviewOrder
    groups: tuple[ReviewGroup, ...]
    is_closed: bool = False
    """Whether it is of what commits have closed, and not of what is open."""

    @property
    def open_count(self) -> int:
        return sum(group.count for group in self.groups)

    @property
    def accepted_count(self) -> int:
        return sum(group.accepted_count for group in self.groups)

    @property
    def undecided_count(self) -> int:
        return sum(group.undecided_count for group in self.groups)


@dataclass(frozen=True, slots=True)
class AcceptableProposals:
    """Undecided proposals of a review that can be accepted unseen."""

    ids: tuple[Id, ...]
    left_count: int
    """Undecided ones beside them: merges, conflicts, and what is protected."""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One proposal of a document, as the gate would draw it, with where it stands."""

    view: ProposalView
    page: int | None
    label: str
    """What the document calls the page; empty for its number."""

    @property
    def verdict(self) -> Verdict | None:
        return self.view.verdict


@dataclass(frozen=True, slots=True)
class ReviewRows:
    """Some rows of a group."""

    rows: tuple[ReviewRow, ...]
    offset: int
    total: int


# --- withdrawing, editions, pages -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WithdrawalView:
    """What withdrawing a document would do."""

    source: Source
    losing_facts: tuple[FactView, ...]
    """Facts whose only evidence it is: they would be proposed for retraction at the universe's gate."""

    losing_entities: tuple[Entity, ...]
    """Likewise the entities, without those that play met or that a fact which stays is about."""

    used_by: Mapping[Id, tuple[str, ...]]
    """Titles of the stories that use what would lose its evidence: that stays unless its retraction is accepted."""

    kept_count: int
    """Facts and entities that have other evidence, and stay."""

    open_count: int
    """Open proposals, which would be closed."""

    snippet_count: int
    """Passages that would leave the search."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a document with their page."""

    snippet_id: Id
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class EditionView:
    """What another edition of a document has that the present one has not, and the reverse."""

    source: Source
    kept_count: int
    """Passages that both have."""

    new_passages: tuple[Passage, ...]
    gone_passages: tuple[Passage, ...]
    losing_facts: tuple[FactView, ...]
    """Facts whose only evidence is among what is gone."""

    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceHit:
    """A passage that a search within a document found."""

    passage: Passage
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class PageView:
    """A page, and what it made true."""

    source: Source
    number: int
    label: str
    text: str
    facts: tuple[FactView, ...]
    entities: tuple[Entity, ...]
    proposals: tuple[ProposalView, ...]
    """Open ones that rest on it."""
    transcribed_by: str = ""
    """The model that read it from its picture; empty: its text is the document's own."""
