"""Makes proposals of what the ladder found in a document's chunks. Nothing of it is canon before it is decided on.

Identifiers follow from the document and what is said, so that a chunk that is read again, and another chunk that says
the same, give the same proposals; each chunk adds its evidence to them.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.ingest.findings import Finding, Observation
from agents.ingest.ladder.chunk_context import ChunkOutcome, DroppedFinding, chunk_evidence
from agents.ingest.ladder.tool_door import locate_quote
from agents.ingest.source_changes import SourceChange, SourceSite, find_changes, predicates_by_words
from agents.ingest.source_names import SourceNames, find_lookalikes
from agents.ingest.structure.document_names import DocumentName, find_introduced_names
from agents.proposals.proposals import ProposalSite, build_proposal
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import (
    Authority,
    CreateEntity,
    Evidence,
    MergeEntities,
    Payload,
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id, derive_id
from stores.records.sources import Snippet, Source
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import EntityKind

log = logging.getLogger("monitor.ingest")

MAX_EVIDENCE: Final = 20
"""Places in a document that one proposal quotes; the rest would only say it again."""

MAX_ALIASES: Final = 20
MAX_LOOKALIKES: Final = 200
"""Pairs of names that may be one, of one document."""


@dataclass(frozen=True, slots=True)
class ChunkProposals:
    """What one chunk proposes, and what could not be proposed of it."""

    proposals: tuple[ProposedChange, ...]
    dropped: tuple[DroppedFinding, ...] = ()
    """Tables at fault, with the line and what to do."""


@dataclass(slots=True)
class _ProposingSource:
    """A document that is read, with what is proposed of it so far."""

    source: Source
    site: SourceSite
    staged: dict[Id, ProposedChange] = field(default_factory=dict)
    ids_by_chunk: dict[Id, set[Id]] = field(default_factory=dict)
    """The proposals that rest on each chunk."""

    def take_in(self, proposals: Iterable[ProposedChange]) -> None:
        for proposal in proposals:
            self.staged[proposal.id] = proposal
            for evidence in proposal.evidence:
                self.ids_by_chunk.setdefault(evidence.ref_id, set()).add(proposal.id)


class SourceProposer:
    """Makes the proposals of documents, one chunk after another. Reads the stores, and writes nothing."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        read_catalogue: ReadCatalogue,
        document_names: Sequence[DocumentName],
    ) -> None:
        """Propose by these names of the document; what it calls one thing by two of them is one."""
        self._canon = canon
        self._log = log
        self._read_catalogue = read_catalogue
        self._document_names = document_names
        self._proposing: _ProposingSource | None = None

    async def propose(self, source: Source, outcome: ChunkOutcome) -> tuple[ProposedChange, ...]:
        """Return what is to be stored for one chunk: new proposals, and undecided ones that it changes."""
        proposing = await self._open(source)
        chunk_id = outcome.evidence.record.ref_id
        built = build_chunk_proposals(outcome, proposing.site)
        for dropped in built.dropped:
            log.warning("[ingest] chunk %d proposals: %s", outcome.chunk.ordinal, dropped.reason)
        proposals = built.proposals
        ids = {*proposing.ids_by_chunk.get(chunk_id, ()), *(proposal.id for proposal in proposals)}
        concerned = {i: proposing.staged[i] for i in ids if i in proposing.staged}
        changed = replace_chunk_proposals(chunk_id, proposals, concerned)
        proposing.take_in(changed)
        return changed

    async def propose_merges(self, source: Source, snippets: Sequence[Snippet]) -> tuple[ProposedChange, ...]:
        """Return merges of what may be one by its names, which only the whole document tells."""
        proposing = await self._open(source)
        self._proposing = None
        introduced_names = find_introduced_names(snippet.text for snippet in snippets)
        return build_lookalike_proposals(proposing.staged.values(), proposing.site, introduced_names)

    async def _open(self, source: Source) -> _ProposingSource:
        """Return the document as it is gone on with, or begin it with what is stored of it."""
        proposing = self._proposing
        is_same = proposing is not None and (proposing.source.id, proposing.source.edition) == (
            source.id,
            source.edition,
        )
        if proposing is None or not is_same:
            proposing = _ProposingSource(source, await self._read_site(source))
            query = ProposalQuery(universe_id=source.universe_id, source_id=source.id)
            proposing.take_in(await self._log.proposals(query))
            self._proposing = proposing
        return proposing

    async def _read_site(self, source: Source) -> SourceSite:
        catalogue = await self._read_catalogue(source.universe_id)
        entities = await self._canon.entities(source.universe_id)
        clusters = [(name.name, *name.aliases) for name in self._document_names]
        return SourceSite(
            source.universe_id,
            source.id,
            source.recorded_at,
            SourceNames.create(source.id, entities, clusters),
            catalogue,
            predicates_by_words(catalogue),
        )


def build_chunk_proposals(outcome: ChunkOutcome, site: SourceSite) -> ChunkProposals:
    """Return the proposals of one chunk, each once, with the words of the chunk as their evidence. Pure."""
    proposals: dict[Id, ProposedChange] = {}
    dropped: list[DroppedFinding] = []
    for finding in outcome.findings:
        try:
            changes = list(find_changes(finding, site))
        except InputError as error:
            dropped.append(DroppedFinding(finding, str(error)))
            continue
        for change in changes:
            evidence = _evidence_of(finding, outcome)
            proposal = _build(change, evidence, Authority.SOURCE, site)
            earlier = proposals.get(proposal.id)
            proposals[proposal.id] = merge_proposals(earlier, proposal) if earlier else proposal
    return ChunkProposals(tuple(proposals.values()), tuple(dropped))


def merge_proposals(earlier: ProposedChange, later: ProposedChange) -> ProposedChange:
    """Return one proposal of two with the same identifier: the earlier with what the later one adds.

    It takes the evidence of both, and of an entity the names, numbers and description that it lacks.
    """
    evidence = {e.id: e for e in (*earlier.evidence, *later.evidence)}
    return earlier.model_copy(
        update={
            "payload": _merge_payloads(earlier.payload, later.payload),
            "evidence": tuple(evidence.values())[:MAX_EVIDENCE],
        }
    )


def merge_with_staged(
    proposals: Iterable[ProposedChange], staged: Mapping[Id, ProposedChange]
) -> tuple[ProposedChange, ...]:
    """Return what is to be stored of new proposals beside those that are staged already.

    One that somebody decided stays as it is; one that nothing is added to is left out.
    """
    changed: list[ProposedChange] = []
    for proposal in proposals:
        earlier = staged.get(proposal.id)
        if earlier is None:
            changed.append(proposal)
        elif is_replaceable(earlier):
            merged = merge_proposals(earlier, proposal)
            if merged != earlier:
                changed.append(merged)
    return tuple(changed)


def replace_chunk_proposals(
    chunk_id: Id,
    proposals: Iterable[ProposedChange],
    staged: Mapping[Id, ProposedChange],
) -> tuple[ProposedChange, ...]:
    """Return what is to be stored once a chunk was read again: `proposals` take the place of its undecided ones.

    What the new reading does not find loses the chunk's evidence; what rests on nothing else stays with half the
    confidence, which no commit accepts by itself. What somebody decided stays.
    """
    new_by_id = {proposal.id: proposal for proposal in proposals}
    without_chunk = dict(staged)
    unsupported: list[ProposedChange] = []
    for proposal in staged.values():
        if not is_replaceable(proposal) or all(e.ref_id != chunk_id for e in proposal.evidence):
            continue
        other_evidence = tuple(e for e in proposal.evidence if e.ref_id != chunk_id)
        without_chunk[proposal.id] = proposal.model_copy(update={"evidence": other_evidence})
        if proposal.id in new_by_id:
            if not other_evidence:
                # Nothing but this chunk said it: the new reading says all of it.
                without_chunk[proposal.id] = new_by_id[proposal.id].model_copy(update={"evidence": ()})
        else:
            unsupported.append(without_chunk[proposal.id])
    return (*unsupported, *merge_with_staged(new_by_id.values(), without_chunk))


def is_replaceable(proposal: ProposedChange) -> bool:
    """Return whether a new reading may change a proposal: nobody has decided on it, and no commit closed over it."""
    return proposal.status is ProposalStatus.PENDING and proposal.decision is None


def build_lookalike_proposals(
    staged: Iterable[ProposedChange], site: SourceSite, introduced_names: Collection[str] = ()
) -> tuple[ProposedChange, ...]:
    """Return merges of proposed things that may be one by their names, for somebody to decide on.

    What the document introduces by a heading, a definition or a description is somebody of its own.
    """
    created = {p.payload.name: p for p in staged if isinstance(p.payload, CreateEntity) and is_replaceable(p)}
    kinds = (
        (name, p.payload.entity_kind) for name, p in created.items() if isinstance(p.payload, CreateEntity)
    )
    merges = []
    described_names = {
        name for name, p in created.items() if isinstance(p.payload, CreateEntity) and p.payload.description
    }
    for pair in find_lookalikes(kinds, described_names.union(introduced_names)):
        kept, absorbed = created[pair.longer], created[pair.shorter]
        kept_id, absorbed_id = site.names.find(pair.longer).id, site.names.find(pair.shorter).id
        merge = MergeEntities(kept_id=kept_id, absorbed_id=absorbed_id)
        evidence = (*kept.evidence[:1], *absorbed.evidence[:1])
        change = SourceChange(("merge", kept_id, absorbed_id), merge)
        merges.append(_build(change, evidence, Authority.SYSTEM, site))
        if len(merges) == MAX_LOOKALIKES:
            break
    return tuple(merges)


# --- evidence and records ---------------------------------------------------------------------------


def _evidence_of(finding: Finding, outcome: ChunkOutcome) -> tuple[Evidence, ...]:
    words = finding.text if isinstance(finding, Observation) else finding.quote
    span = locate_quote(words, outcome.chunk.text)
    record = outcome.evidence.record
    return (chunk_evidence(outcome.chunk, record.source_id or "", record.ref_id, span),)


def _build(
    change: SourceChange, evidence: Sequence[Evidence], authority: Authority, site: SourceSite
) -> ProposedChange:
    proposal = build_proposal(
        derive_id("source proposal", site.source_id, *change.key),
        change.change,
        evidence,
        authority,
        ProposalSite(site.universe_id),
        site.created_at,
    )
    return proposal.model_copy(update={"source_id": site.source_id})


def _merge_payloads(earlier: Payload, later: Payload) -> Payload:
    match earlier, later:
        case CreateEntity(), CreateEntity():
            is_vague = earlier.entity_kind is EntityKind.CONCEPT
            return earlier.model_copy(
                update={
                    "entity_kind": later.entity_kind if is_vague else earlier.entity_kind,
                    "aliases": _merge_names(earlier.aliases, later.aliases),
                    "description": earlier.description or later.description,
                    "numbers": {**later.numbers, **earlier.numbers},
                }
            )
        case UpdateEntity(aliases=tuple() as names), UpdateEntity(aliases=tuple() as more):
            return earlier.model_copy(update={"aliases": _merge_names(names, more)})
        case _:
            return earlier


def _merge_names(names: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    by_key: dict[str, str] = {}
    for name in (*names, *more):
        by_key.setdefault(normalize_statement(name), name)
    return tuple(by_key.values())[:MAX_ALIASES]
