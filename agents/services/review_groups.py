"""Groups the proposals of a document by entity or by page, and counts what was decided in each group. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.proposal_subjects import named_entities
from agents.proposals.decisions import gm_decision
from agents.proposals.kinds import describe_kind, kinds_of
from agents.views.ingest_views import ReviewGroup, ReviewOrder
from stores.records.canon import CreateEntity, EvidenceKind, MergeEntities
from stores.records.ids import Id
from stores.records.workflow import ProposedChange, Verdict
from stores.records.world import fold_name

NO_ENTITY: Final = "the document itself"
"""The group of proposals that name nobody."""


@dataclass(slots=True)
class ProposalGroup:
    """The proposals of one group, with the chunks that they quote."""

    key: str
    title: str
    proposals: list[ProposedChange] = field(default_factory=list)
    chunk_ids: set[Id] = field(default_factory=set)

    def add(self, proposal: ProposedChange) -> None:
        self.proposals.append(proposal)
        self.chunk_ids |= {e.ref_id for e in proposal.evidence if e.kind is EvidenceKind.CHUNK}


def group_proposals(
    proposals: Iterable[ProposedChange], order: ReviewOrder, names: Mapping[Id, str]
) -> list[ProposalGroup]:
    """Return the groups of the proposals; `names` are those of the entities that they are about."""
    groups: dict[str, ProposalGroup] = {}
    for proposal in proposals:
        key = group_key_of(proposal, order)
        page_title = f"page {key}" if key else "no page"
        title = names.get(key, NO_ENTITY) if order is ReviewOrder.ENTITY else page_title
        groups.setdefault(key, ProposalGroup(key, title)).add(proposal)
    return [*groups.values()]


def rank_groups(groups: Iterable[ReviewGroup], order: ReviewOrder) -> tuple[ReviewGroup, ...]:
    """Return entities by use, and pages by number.

    Those in play come first, then those that the document describes, then those that it only names; the most often
    named first.
    """
    if order is ReviewOrder.ENTITY:
        return tuple(sorted(groups, key=_rank_of_entity))
    return tuple(sorted(groups, key=lambda g: (g.first_page is None, g.first_page or 0)))


def _rank_of_entity(group: ReviewGroup) -> tuple[bool, bool, bool, int, int, str]:
    return (
        not group.is_in_play,
        group.key == "",
        not group.is_described,
        -group.chunk_count,
        -group.count,
        group.title,
    )


def group_key_of(proposal: ProposedChange, order: ReviewOrder) -> str:
    """Return the key of the group that a proposal stands in."""
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


def count_verdicts(proposals: Iterable[ProposedChange]) -> Mapping[Verdict | None, int]:
    """Return how many of the proposals have each verdict of the GM."""
    decisions = map(gm_decision, proposals)
    return Counter(decision.verdict if decision else None for decision in decisions)


def view_group(
    group: ProposalGroup, used_names: Collection[str], anchor_counts: Mapping[str, int]
) -> ReviewGroup:
    """Return a group as a screen shows it; `used_names` are canon's, without case."""
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
        is_described=any(map(_says_something, group.proposals)),
        first_page=min(pages, default=None),
        kinds=frozenset(_kind_of(p) for p in group.proposals),
    )


def _says_something(proposal: ProposedChange) -> bool:
    """Return whether it is more than a name: a description, numbers, a fact, a relation."""
    match proposal.change:
        case CreateEntity() as creation:
            return bool(creation.description or creation.numbers)
        case MergeEntities():
            return False
        case _:
            return True


def _kind_of(proposal: ProposedChange) -> str:
    """Return of what kind it is, as its row calls it: `creature` of whom it brings, else `fact`, `merge` ..."""
    change = proposal.change
    return (
        change.entity_kind.value
        if isinstance(change, CreateEntity)
        else describe_kind(kinds_of(proposal)[-1])
    )
