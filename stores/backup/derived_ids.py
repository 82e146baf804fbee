"""Which identifiers of a campaign are made of others of it, and how: what a retry makes again.

Found by trying: a derivation counts only if what it makes is what is there. What is not found (nobody makes
it a second time) is mapped like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from stores.backup.campaign_copy import Derivation
from stores.records.base import Record
from stores.records.canon import Evidence, EvidenceKind, Fact, RetconFact, Supersession
from stores.records.ids import Id, derive_id
from stores.records.memory import Memory, Summary
from stores.records.play import Resolution, Scene
from stores.records.sources import Snippet
from stores.records.workflow import Canonization, ProposedChange, Ruling

Read = Callable[[str], Iterable[Record]]
"""Gives the campaign's records of a collection."""

Kin = Callable[[Read], Iterable[Derivation]]

MOST_OF_A_TURN = 100
"""Proposals of one roll that are looked for."""

_READ = (
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
    "snippets",
)


def kin(read: Read) -> Iterator[Derivation]:
    """Return how identifiers of these records may be made of others."""
    of_universe = [universe.id for universe in read("universes")]  # type: ignore[attr-defined]
    proposal_of: dict[Id, Id] = {}
    for collection in _READ:
        for record in read(collection):
            match record:
                case Evidence():
                    yield from _evidence(record, of_universe)
                case Fact(proposal_id=str(proposal_id)):
                    proposal_of[record.id] = proposal_id
                    yield _of("fact", proposal_id)
                case Supersession(newer_id=newer, older_id=older) if newer in proposal_of:
                    yield _of("fact", proposal_of[newer], older)
                case Scene():
                    yield Derivation(_next_scene, (record.id,))
                    yield _of("evidence", EvidenceKind.SCENE, record.id, fixed=1)
                case Resolution():
                    yield _of("resolution", record.turn_id)
                    yield _of("evidence", EvidenceKind.RESOLUTION, record.id, fixed=1)
                case ProposedChange():
                    yield from _proposal(record, of_universe)
                case Canonization():
                    for piece in record.batch.evidence:
                        yield from _evidence(piece, of_universe)
                    for fact in record.batch.facts:
                        if fact.proposal_id:
                            yield _of("fact", fact.proposal_id)
                case Ruling():
                    yield Derivation(_ruling, (record.universe_id, *record.pair))
                case Memory(corrects=str(corrected)):
                    yield _of("memory", "misremembered", corrected, fixed=1)
                case Summary(last_turn=str(last_turn)):
                    yield _of("summary", record.kind, last_turn, fixed=1)
                case Snippet():
                    yield Derivation(partial(_chunk, record.ordinal), (record.source_id,))


def _proposal(proposal: ProposedChange, of_universe: list[Id]) -> Iterator[Derivation]:
    yield _of("fact", proposal.id)
    yield _of("fact", "first value", proposal.id, fixed=1)
    yield _of("evidence", EvidenceKind.MANUAL, proposal.id, fixed=1)
    for piece in proposal.evidence:
        yield from _evidence(piece, of_universe)
    if proposal.turn_id:
        yield _of("evidence", EvidenceKind.TURN, proposal.turn_id, fixed=1)
        for index in range(MOST_OF_A_TURN if _is_derived(proposal.id) else 0):
            if derive_id("proposal", proposal.turn_id, index) == proposal.id:
                yield Derivation(partial(_of_roll, index), (proposal.turn_id,))
                break
    if proposal.unless_turn and isinstance(proposal.payload, RetconFact):
        yield _of("proposal", "undone", proposal.unless_turn, proposal.payload.fact_id, fixed=1)


def _evidence(piece: Evidence, of_universe: list[Id]) -> Iterator[Derivation]:
    if not _is_derived(piece.id):
        return
    yield _of("evidence", piece.kind, piece.ref_id, fixed=1)
    for universe_id in of_universe:
        yield Derivation(partial(_by_hand, piece.quote), (universe_id,))


def _is_derived(id: Id) -> bool:
    """Tell by its version whether an identifier is made of something: most of a campaign's are not."""
    return id[14:15] == "5"


def _of(kind: str, *parts: str, fixed: int = 0) -> Derivation:
    """What `derived(kind, *parts)` makes: the first `fixed` parts are words, and the others identifiers."""
    return Derivation(partial(derive_id, kind, *parts[:fixed]), parts[fixed:])


def _next_scene(before: Id) -> Id:
    return derive_id("scene", before, "next")


def _of_roll(index: int, turn_id: Id) -> Id:
    return derive_id("proposal", turn_id, index)


def _by_hand(quote: str, universe_id: Id) -> Id:
    return derive_id("evidence", EvidenceKind.MANUAL, universe_id, quote)


def _chunk(ordinal: int, source_id: Id) -> Id:
    return derive_id("chunk", source_id, ordinal)


def _ruling(universe_id: Id, one: str, other: str) -> Id:
    return derive_id("ruling", universe_id, *sorted((one, other)))
