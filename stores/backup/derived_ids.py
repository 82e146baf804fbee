"""Finds the identifiers of a campaign that are derived from others, and how.

Each possible derivation is tried, and counts only if its result is in the campaign. An identifier that is not found
is mapped like any other, as nothing derives it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from stores.backup.campaign_copy import IdDerivation
from stores.records.base import Record
from stores.records.canon import ChangeSecrecy, Evidence, EvidenceKind, Fact, RetconFact, Supersession
from stores.records.ids import Id, derive_id, derive_ordered_id
from stores.records.memory import Memory, Summary
from stores.records.play import Resolution, Scene
from stores.records.sources import Snippet, Source, SourcePage, derive_page_id, derive_snippet_id
from stores.records.workflow import Canonization, ProposedChange, Ruling

RecordsReader = Callable[[str], Iterable[Record]]
"""Returns the campaign's records of a collection."""

DerivationFinder = Callable[[RecordsReader], Iterable[IdDerivation]]

MAX_PROPOSALS_PER_TURN = 100
"""The most proposals of one roll that are tried."""

_COLLECTIONS = (
    "universes",
    "facts",
    "evidence",
    "supersessions",
    "scenes",
    "resolutions",
    "proposed_changes",
    "canonizations",
    "rulings",
    "memories",
    "summaries",
    "sources",
    "source_pages",
    "snippets",
)


def find_derivations(read_records: RecordsReader) -> Iterator[IdDerivation]:
    """Yield how identifiers of these records may be derived from others."""
    universe_ids = [universe.id for universe in read_records("universes")]  # type: ignore[attr-defined]
    proposal_by_fact: dict[Id, Id] = {}
    text_counts: Counter[tuple[Id, str]] = Counter()
    for collection in _COLLECTIONS:
        for record in read_records(collection):
            match record:
                case Evidence():
                    yield from _evidence_derivations(record, universe_ids)
                case Fact(proposal_id=str(proposal_id)):
                    proposal_by_fact[record.id] = proposal_id
                    yield from _fact_derivations(proposal_id)
                    yield _derivation("fact", "said otherwise", record.id, fixed_count=1)
                case Supersession(newer_id=newer, older_id=older) if newer in proposal_by_fact:
                    yield _derivation("fact", proposal_by_fact[newer], older)
                case Scene():
                    yield IdDerivation(_next_scene_id, (record.id,))
                    yield _derivation("evidence", EvidenceKind.SCENE, record.id, fixed_count=1)
                case Resolution():
                    yield _derivation("resolution", record.turn_id)
                    yield _derivation("evidence", EvidenceKind.RESOLUTION, record.id, fixed_count=1)
                case ProposedChange():
                    yield from _proposal_derivations(record, universe_ids)
                case Canonization():
                    for piece in record.batch.evidence:
                        yield from _evidence_derivations(piece, universe_ids)
                    for fact in record.batch.facts:
                        if fact.proposal_id:
                            yield from _fact_derivations(fact.proposal_id)
                case Ruling():
                    yield IdDerivation(_ruling_id, (record.universe_id, *record.pair))
                case Memory(corrects=str(corrected)):
                    yield _derivation("memory", "misremembered", corrected, fixed_count=1)
                case Summary(last_turn=str(last_turn)):
                    yield _derivation("summary", record.kind, last_turn, fixed_count=1)
                case Source(pictured_id=str(pictured_id)):
                    yield _derivation("picture", pictured_id)
                case Snippet():
                    yield IdDerivation(partial(_snippet_id, record.ordinal), (record.source_id,))
                    text_number = text_counts[record.source_id, record.text]
                    text_counts[record.source_id, record.text] += 1
                    yield IdDerivation(
                        partial(_text_snippet_id, record.text, text_number), (record.source_id,)
                    )
                case SourcePage():
                    yield IdDerivation(partial(_page_id, record.edition, record.number), (record.source_id,))


def _proposal_derivations(proposal: ProposedChange, universe_ids: list[Id]) -> Iterator[IdDerivation]:
    yield from _fact_derivations(proposal.id)
    yield _derivation("fact", "first value", proposal.id, fixed_count=1)
    yield _derivation("place", proposal.id)
    yield _derivation("evidence", EvidenceKind.MANUAL, proposal.id, fixed_count=1)
    yield IdDerivation(partial(derive_ordered_id, "evidence"), (proposal.id,))
    for piece in proposal.evidence:
        yield from _evidence_derivations(piece, universe_ids)
    if proposal.turn_id:
        yield _derivation("evidence", EvidenceKind.TURN, proposal.turn_id, fixed_count=1)
        yield _derivation("proposal", "arrival", proposal.turn_id, fixed_count=1)
        for index in range(MAX_PROPOSALS_PER_TURN if _is_derived(proposal.id) else 0):
            if derive_id("proposal", proposal.turn_id, index) == proposal.id:
                yield IdDerivation(partial(_roll_proposal_id, index), (proposal.turn_id,))
                break
    if proposal.unless_turn and isinstance(proposal.payload, RetconFact | ChangeSecrecy):
        undone_word = "undone" if isinstance(proposal.payload, RetconFact) else "undone secrecy"
        yield _derivation(
            "proposal", undone_word, proposal.unless_turn, proposal.payload.fact_id, fixed_count=1
        )


def _fact_derivations(proposal_id: Id) -> Iterator[IdDerivation]:
    """Yield how a fact's id may be derived from its proposal's, in this version and in earlier ones."""
    yield _derivation("fact", proposal_id)
    yield IdDerivation(partial(derive_ordered_id, "fact"), (proposal_id,))


def _evidence_derivations(piece: Evidence, universe_ids: list[Id]) -> Iterator[IdDerivation]:
    if not _is_derived(piece.id):
        return
    yield _derivation("evidence", piece.kind, piece.ref_id, fixed_count=1)
    for universe_id in universe_ids:
        yield IdDerivation(partial(_manual_evidence_id, piece.quote), (universe_id,))


def _is_derived(id: Id) -> bool:
    """Return, by its UUID version, whether an identifier is derived."""
    return id[14:15] == "5"


def _derivation(kind: str, *parts: str, fixed_count: int = 0) -> IdDerivation:
    """Return the derivation `derive_id(kind, *parts)`: the first `fixed_count` parts are no identifiers."""
    return IdDerivation(partial(derive_id, kind, *parts[:fixed_count]), parts[fixed_count:])


def _next_scene_id(previous_scene_id: Id) -> Id:
    return derive_id("scene", previous_scene_id, "next")


def _roll_proposal_id(index: int, turn_id: Id) -> Id:
    return derive_id("proposal", turn_id, index)


def _manual_evidence_id(quote: str, universe_id: Id) -> Id:
    return derive_id("evidence", EvidenceKind.MANUAL, universe_id, quote)


def _snippet_id(ordinal: int, source_id: Id) -> Id:
    return derive_id("chunk", source_id, ordinal)


def _text_snippet_id(text: str, text_number: int, source_id: Id) -> Id:
    return derive_snippet_id(source_id, text, text_number)


def _page_id(edition: int, number: int, source_id: Id) -> Id:
    return derive_page_id(source_id, edition, number)


def _ruling_id(universe_id: Id, one: str, other: str) -> Id:
    return derive_id("ruling", universe_id, *sorted((one, other)))
