"""The review of a document's proposals: grouped, ranked by use, read a few at a time, and committed on decision.

What is undecided waits: "later" is the default, and nothing of a document reaches the gates of play.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.proposal_subjects import named_entities
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_reports import publish_commit
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.decisions import gm_decision
from agents.proposals.kinds import describe_kind, kinds_of
from agents.views.ingest_views import (
    AcceptableProposals,
    GroupDecisionCounts,
    ReviewGroup,
    ReviewOrder,
    ReviewRow,
    ReviewRows,
    ReviewView,
)
from agents.views.play_views import CommitReport, LeftOpen, ProposalView
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity, EvidenceKind, MergeEntities
from stores.records.ids import Clock, Id
from stores.records.sources import TAKEN_BACK_STATES, Source
from stores.records.workflow import OPEN_STATUSES, Decision, ProposalStatus, ProposedChange, Verdict
from stores.records.world import fold_name

NO_ENTITY: Final = "the document itself"
"""The group of proposals that name nobody."""

_SETTLING_VERDICTS: Final = (Verdict.ACCEPT, Verdict.REJECT, Verdict.FLAVOUR)
"""Verdicts that a commit closes a proposal over."""

_CLOSED_STATUSES: Final = (ProposalStatus.ACCEPTED, ProposalStatus.REJECTED)
_UNWRITABLE: Final = "unwritable"
"""The check that finds what cannot be written yet."""


@dataclass(slots=True)
class _Group:
    key: str
    title: str
    proposals: list[ProposedChange] = field(default_factory=list)
    chunk_ids: set[Id] = field(default_factory=set)

    def add(self, proposal: ProposedChange) -> None:
        self.proposals.append(proposal)
        self.chunk_ids |= {e.ref_id for e in proposal.evidence if e.kind is EvidenceKind.CHUNK}


class SourceReview:
    """Shows and decides the proposals of documents. Raises InputError and StoreError."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        keeper: CanonKeeper,
        views: SceneViewBuilder,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._views = views
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    async def read_review(self, source_id: Id, order: ReviewOrder, *, is_closed: bool = False) -> ReviewView:
        """Return the groups of what is open: first what is in play, then what is named most often.

        With `is_closed` those of what commits have closed.
        """
        source = await self._log.source(source_id)
        groups = await self._group(source, order, is_closed)
        used_names = await self._read_used_names(source.universe_id)
        anchor_counts = await self._log.snippet_anchors(source.id, source.edition)
        view_groups = [_view_group(group, used_names, anchor_counts) for group in groups.values()]
        if order is ReviewOrder.ENTITY:
            view_groups.sort(key=lambda g: (not g.is_in_play, g.key == "", -g.chunk_count, -g.count, g.title))
        else:
            view_groups.sort(key=lambda g: (g.first_page is None, g.first_page or 0))
        return ReviewView(source, order, tuple(view_groups), is_closed)

    async def read_rows(
        self,
        source_id: Id,
        group_key: str,
        order: ReviewOrder,
        *,
        offset: int = 0,
        limit: int = 50,
        is_closed: bool = False,
    ) -> ReviewRows:
        """Return some rows of a group, as a gate would draw them; no others are assessed."""
        source = await self._log.source(source_id)
        proposals = await self._read_groups(source, [group_key], order, is_closed=is_closed)
        shown = proposals[offset : offset + limit]
        views = await self._explain_needs(source, await self.build_rows(shown))
        page_labels = await self._read_labels(source, shown)
        rows = tuple(
            ReviewRow(_as_undecided(view), page, page_labels.get(page or 0, ""))
            for view in views
            for page in (page_of(view.proposal),)
        )
        return ReviewRows(rows, offset, len(proposals))

    async def decide(self, proposal_ids: Collection[Id], verdict: Verdict | None) -> None:
        """Set a verdict; None removes it. Accepting also accepts the undecided entities that are named."""
        async with self._dispatcher.exclusive():
            await self._decide(proposal_ids, verdict)

    async def find_acceptable(
        self, source_id: Id, group_keys: Collection[str], order: ReviewOrder
    ) -> AcceptableProposals:
        """Return what is undecided in groups and can be accepted unseen: no merge, and in no conflict."""
        source = await self._log.source(source_id)
        undecided = [p for p in await self._read_groups(source, group_keys, order) if gm_decision(p) is None]
        # Whom a proposal names may stand in another group: without them it would seem to be about nobody.
        needed = (await self._log.proposals_by_id(await self._find_needed(undecided))).values()
        decisions = await self._keeper.assess([*undecided, *(p for p in needed if p not in undecided)])
        ids = tuple(
            p.id
            for p in undecided
            if not isinstance(p.change, MergeEntities) and decisions[p.id].mark in ("accept", "defer")
        )
        return AcceptableProposals(ids, left_count=len(undecided) - len(ids))

    async def accept_named(self, proposal_ids: Collection[Id]) -> None:
        """Accept the undecided entities that these proposals name, as they were edited."""
        async with self._dispatcher.exclusive():
            needed_ids = await self._find_needed((await self._log.proposals_by_id(proposal_ids)).values())
            await self._decide(needed_ids, Verdict.ACCEPT)

    async def decide_groups(
        self, source_id: Id, group_keys: Collection[str], verdict: Verdict | None, order: ReviewOrder
    ) -> GroupDecisionCounts:
        """Set a verdict on what is undecided in groups, or (None) take all verdicts back.

        Merges and what meets a conflict are accepted one by one alone: nobody looks at each row of a group.
        """
        source = await self._log.source(source_id)
        async with self._dispatcher.exclusive():
            concerned = [
                p
                for p in await self._read_groups(source, group_keys, order)
                if (gm_decision(p) is None) is (verdict is not None)
            ]
            left_ids: set[Id] = set()
            if verdict is Verdict.ACCEPT:
                left_ids = {p.id for p in concerned if isinstance(p.change, MergeEntities)}
                left_ids |= await self._find_held([p for p in concerned if p.id not in left_ids])
            await self._decide([p.id for p in concerned if p.id not in left_ids], verdict)
        return GroupDecisionCounts(len(concerned) - len(left_ids), len(left_ids))

    async def commit(self, source_id: Id) -> CommitReport:
        """Write what is accepted and close what is rejected; the rest waits.

        What was accepted and meets a conflict waits for a ruling on it, and what is protected is never changed: many
        are accepted at once, and nobody looked at each.
        """
        source = await self._log.source(source_id)
        async with self._dispatcher.exclusive():
            decided = [p for p in await self.read_open(source) if is_settled(p)]
            if not decided:
                raise InputError(
                    "Nothing is decided.",
                    kept="All of it waits in the review.",
                    todo="Accept or reject something first.",
                )
            held_ids = await self._find_held(
                [p for p in decided if (d := gm_decision(p)) is not None and d.verdict is Verdict.ACCEPT]
            )
            await self._keeper.restore_decisions(dict.fromkeys(held_ids))
            report = await self._keeper.commit(
                [p for p in decided if p.id not in held_ids],
                reason=f"review of {source.title}",
                universe_id=source.universe_id,
                undecided="leave",
            )
        publish_commit(self._events, source.universe_id, None, report)
        return replace(
            report,
            held_count=len(held_ids),
            left_open=LeftOpen(conflict_count=len(held_ids)),
        )

    async def build_rows(self, proposals: Sequence[ProposedChange]) -> tuple[ProposalView, ...]:
        """Return the proposals as a gate would draw them, by the names of those who are only proposed, too."""
        return await self._views.build_proposal_rows(proposals, await self._read_creations(proposals))

    async def read_open(self, source: Source) -> list[ProposedChange]:
        """Return what no commit has closed and the present edition says: what only an earlier one said is gone."""
        if source.state in TAKEN_BACK_STATES:
            return []
        proposals = await self._log.proposals(ProposalQuery(source_id=source.id, statuses=OPEN_STATUSES))
        if source.edition == 1:
            return proposals
        snippets = await self._log.snippets_by_id({e.ref_id for p in proposals for e in p.evidence})
        present_ids = {i for i, snippet in snippets.items() if snippet.edition == source.edition}
        return [p for p in proposals if not p.evidence or any(e.ref_id in present_ids for e in p.evidence)]

    # --- inside --------------------------------------------------------------------------------------

    async def _decide(self, proposal_ids: Collection[Id], verdict: Verdict | None) -> None:
        if not proposal_ids:
            return
        proposals = await self._log.proposals_by_id(proposal_ids)
        ids = [*proposal_ids]
        if verdict is Verdict.ACCEPT:
            ids += await self._find_needed(proposals.values())
        decision = Decision(verdict=verdict, by="gm", at=self._clock()) if verdict else None
        await self._keeper.decide(dict.fromkeys(ids), decision)
        for universe_id in {p.universe_id for p in proposals.values()}:
            self._events.publish(ProposalsChanged(universe_id, None))

    async def _find_held(self, proposals: Sequence[ProposedChange]) -> set[Id]:
        """Return the proposals that no commit may write: they meet a conflict, or something protected."""
        policy_decisions = await self._keeper.assess(proposals) if proposals else {}
        return {
            p.id
            for p in proposals
            if policy_decisions[p.id].mark == "hold"
            or (policy_decisions[p.id].mark == "reject" and not policy_decisions[p.id].by_rule)
        }

    async def _find_needed(self, proposals: Iterable[ProposedChange]) -> list[Id]:
        """Return the undecided proposals that create what these name."""
        return [p.id for p in await self._read_creations(proposals) if gm_decision(p) is None]

    async def _read_creations(self, proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
        """Return the open proposals of the same documents that create what these name."""
        needed_by_source: defaultdict[Id, set[Id]] = defaultdict(set)
        for proposal in proposals:
            if proposal.source_id is not None:
                needed_by_source[proposal.source_id] |= named_entities(proposal.change)
        needed_creations: list[ProposedChange] = []
        for source_id, entity_ids in needed_by_source.items():
            if not entity_ids:
                continue
            creations = await self._log.proposals(
                ProposalQuery(source_id=source_id, statuses=OPEN_STATUSES, kind="create_entity")
            )
            needed_creations += [
                p
                for p in creations
                if isinstance(p.change, CreateEntity) and p.change.entity_id in entity_ids
            ]
        return needed_creations

    async def _explain_needs(self, source: Source, views: Sequence[ProposalView]) -> Sequence[ProposalView]:
        """Return rows that only need somebody accepted first without a conflict, and with whom they need."""
        if not any(_is_only_unwritable(view) for view in views):
            return views
        creations = await self._log.proposals(
            ProposalQuery(source_id=source.id, statuses=OPEN_STATUSES, kind="create_entity")
        )
        creation_by_entity = {p.change.entity_id: p for p in creations if isinstance(p.change, CreateEntity)}
        return [
            _with_needs(view, creation_by_entity) if _is_only_unwritable(view) else view for view in views
        ]

    async def _read_closed(self, source: Source) -> list[ProposedChange]:
        """Return what a commit has closed, accepted or rejected."""
        return await self._log.proposals(ProposalQuery(source_id=source.id, statuses=_CLOSED_STATUSES))

    async def _group(self, source: Source, order: ReviewOrder, is_closed: bool) -> dict[str, _Group]:
        proposals = await (self._read_closed(source) if is_closed else self.read_open(source))
        groups: dict[str, _Group] = {}
        names = await self._read_names(proposals) if order is ReviewOrder.ENTITY else {}
        for proposal in proposals:
            key = _key_of(proposal, order)
            page_title = f"page {key}" if key else "no page"
            title = names.get(key, NO_ENTITY) if order is ReviewOrder.ENTITY else page_title
            groups.setdefault(key, _Group(key, title)).add(proposal)
        return groups

    async def _read_groups(
        self, source: Source, group_keys: Collection[str], order: ReviewOrder, *, is_closed: bool = False
    ) -> list[ProposedChange]:
        keys = set(group_keys)
        proposals = await (self._read_closed(source) if is_closed else self.read_open(source))
        return [p for p in proposals if _key_of(p, order) in keys]

    async def _read_names(self, proposals: Sequence[ProposedChange]) -> dict[Id, str]:
        """Return the names of those that the proposals are about: of canon, and of what is proposed with them."""
        subject_ids = {subject_of(p) for p in proposals} - {""}
        canonical = await self._canon.entities_by_id(subject_ids)
        proposed = {
            p.change.entity_id: p.change.name for p in proposals if isinstance(p.change, CreateEntity)
        }
        return proposed | {i: entity.name for i, entity in canonical.items()}

    async def _read_used_names(self, universe_id: Id) -> set[str]:
        """Return the names, without case, that canon has: what of a document is about those is in play."""
        return {folded for folded, _ in await self._canon.folded_names(universe_id)}

    async def _read_labels(self, source: Source, proposals: Iterable[ProposedChange]) -> dict[int, str]:
        numbers = {page for p in proposals if (page := page_of(p)) is not None}
        pages = await self._log.source_pages(source.id, source.edition, numbers=numbers)
        return {page.number: page.label for page in pages if page.label}


def _key_of(proposal: ProposedChange, order: ReviewOrder) -> str:
    return subject_of(proposal) if order is ReviewOrder.ENTITY else str(page_of(proposal) or "")


def subject_of(proposal: ProposedChange) -> str:
    """Return the entity that a proposal is first about; empty if it is about none."""
    change = proposal.change
    if isinstance(change, CreateEntity):
        return change.entity_id
    involved = [i.entity_id for i in getattr(change, "involves", ())]
    return next(iter(involved), "") or next(iter(sorted(named_entities(change))), "")


def page_of(proposal: ProposedChange) -> int | None:
    """Return the page that a proposal rests on first."""
    return next((e.page for e in proposal.evidence if e.page is not None), None)


def is_settled(proposal: ProposedChange) -> bool:
    """Return whether the next commit of the review closes the proposal."""
    decision = gm_decision(proposal)
    return decision is not None and decision.verdict in _SETTLING_VERDICTS


def _as_undecided(view: ProposalView) -> ProposalView:
    """Return the row with the mark of what a commit of the review does: it accepts nothing that is undecided."""
    return replace(view, mark="defer") if view.verdict is None and view.mark == "accept" else view


def _is_only_unwritable(view: ProposalView) -> bool:
    """Return whether a row has no conflict but that it cannot be written yet."""
    return bool(view.conflicts) and all(c.check_name == _UNWRITABLE for c in view.conflicts)


def _with_needs(view: ProposalView, creation_by_entity: Mapping[Id, ProposedChange]) -> ProposalView:
    """Return the row with the names of those whom it needs, in place of a conflict; as it is if it needs nobody."""
    needed = [p for i in sorted(named_entities(view.proposal.change)) if (p := creation_by_entity.get(i))]
    if not needed:
        return view
    names = ", ".join(p.change.name for p in needed if isinstance(p.change, CreateEntity))
    is_accepted_with_it = all(gm_decision(p) is None for p in needed)
    title = view.title if is_accepted_with_it else f"needs {names}: accept that first · {view.title}"
    reason = (
        f"Accepting it accepts {names}, too." if is_accepted_with_it else f"Needs {names}: accept that first."
    )
    return replace(view, conflicts=(), mark="defer", title=title, reasons=(reason,))


def count_verdicts(proposals: Iterable[ProposedChange]) -> Mapping[Verdict | None, int]:
    """Return how many of the proposals have each verdict of the GM."""
    counts: defaultdict[Verdict | None, int] = defaultdict(int)
    for proposal in proposals:
        decision = gm_decision(proposal)
        counts[decision.verdict if decision else None] += 1
    return counts


def _view_group(group: _Group, used_names: Collection[str], anchor_counts: Mapping[str, int]) -> ReviewGroup:
    counts = count_verdicts(group.proposals)
    pages = [page for p in group.proposals if (page := page_of(p)) is not None]
    return ReviewGroup(
        key=group.key,
        title=group.title,
        count=len(group.proposals),
        accepted_count=counts[Verdict.ACCEPT],
        rejected_count=counts[Verdict.REJECT] + counts[Verdict.FLAVOUR],
        later_count=counts[Verdict.DEFER],
        # A proposal does not quote every chunk that names its subject.
        chunk_count=max(len(group.chunk_ids), anchor_counts.get(group.title, 0)),
        is_in_play=fold_name(group.title) in used_names,
        first_page=min(pages, default=None),
        kinds=frozenset(_kind_of(p) for p in group.proposals),
    )


def _kind_of(proposal: ProposedChange) -> str:
    """Return of what kind it is, as its row calls it: `creature` of whom it brings, else `fact`, `merge` ..."""
    change = proposal.change
    return (
        change.entity_kind.value
        if isinstance(change, CreateEntity)
        else describe_kind(kinds_of(proposal)[-1])
    )
