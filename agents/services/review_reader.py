"""Reads the review of a document: groups that are ranked by use, the rows of one, and what a proposal needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.proposal_subjects import named_entities
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.decisions import gm_decision
from agents.services.review_groups import (
    group_key_of,
    group_proposals,
    page_of,
    rank_groups,
    subject_of,
    view_group,
)
from agents.views.ingest_views import ReviewOrder, ReviewRow, ReviewRows, ReviewView
from agents.views.proposal_views import ProposalView
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.sources import TAKEN_BACK_STATES, Source
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, ProposedChange

_CLOSED_STATUSES: Final = (ProposalStatus.ACCEPTED, ProposalStatus.REJECTED)
_UNWRITABLE: Final = "unwritable"
"""The check that finds what cannot be written yet."""


class ReviewReader:
    """Reads what the documents of a universe propose."""

    def __init__(self, log: LogReader, canon: CanonReader, views: SceneViewBuilder) -> None:
        self._log = log
        self._canon = canon
        self._views = views

    async def read_review(self, source_id: Id, order: ReviewOrder, *, is_closed: bool = False) -> ReviewView:
        """Return the groups of what is open: first what is in play, then what is named most often.

        With `is_closed` those of what commits have closed.
        """
        source = await self._log.source(source_id)
        proposals = await self._read_proposals(source, is_closed=is_closed)
        names = await self._read_names(proposals) if order is ReviewOrder.ENTITY else {}
        used_names = await self._read_used_names(source.universe_id)
        anchor_counts = await self._log.snippet_anchors(source.id, source.edition)
        groups = [
            view_group(group, used_names, anchor_counts) for group in group_proposals(proposals, order, names)
        ]
        return ReviewView(source, order, rank_groups(groups, order), is_closed)

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
        proposals = await self.read_groups(source, [group_key], order, is_closed=is_closed)
        shown = proposals[offset : offset + limit]
        views = await self._explain_needs(source, await self.build_rows(shown))
        page_labels = await self._read_labels(source, shown)
        rows = tuple(
            ReviewRow(_as_undecided(view), page, page_labels.get(page or 0, ""))
            for view in views
            for page in (page_of(view.proposal),)
        )
        return ReviewRows(rows, offset, len(proposals))

    async def read_groups(
        self, source: Source, group_keys: Collection[str], order: ReviewOrder, *, is_closed: bool = False
    ) -> list[ProposedChange]:
        """Return the proposals of groups."""
        keys = set(group_keys)
        proposals = await self._read_proposals(source, is_closed=is_closed)
        return [p for p in proposals if group_key_of(p, order) in keys]

    async def build_rows(self, proposals: Sequence[ProposedChange]) -> tuple[ProposalView, ...]:
        """Return the proposals as a gate would draw them, by the names of those who are only proposed, too."""
        return await self._views.build_proposal_rows(proposals, await self.read_creations(proposals))

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

    async def read_creations(self, proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
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

    # --- inside --------------------------------------------------------------------------------------

    async def _read_proposals(self, source: Source, *, is_closed: bool) -> list[ProposedChange]:
        """Return what is open or, with `is_closed`, what a commit has closed, accepted or rejected."""
        if is_closed:
            return await self._log.proposals(ProposalQuery(source_id=source.id, statuses=_CLOSED_STATUSES))
        return await self.read_open(source)

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
