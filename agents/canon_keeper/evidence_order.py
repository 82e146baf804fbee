"""Orders evidence, the best first, and says which turns a statement rests on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from agents.prose.supporting_words import supports_statement
from stores.records.canon import Evidence, EvidenceKind, normalize_statement


def sort_evidence(evidence: Sequence[Evidence], statement: str) -> list[Evidence]:
    """Return the evidence of a statement, the best first.

    What was rolled or read comes first, then the very words of the statement, what was declared in others, turns
    whose words support it, and other turns; the scene that it came up in says least.
    """
    return sorted(evidence, key=lambda e: _evidence_rank(e, statement))


def select_supporting(evidence: Iterable[Evidence], statement: str) -> list[Evidence]:
    """Return the evidence that are rolls or words of turns which support the statement.

    What was declared by command rests on the command, and on a turn beside it only if the turn's words say as much;
    everything else rests on the words that it was read from.
    """
    pieces = list(evidence)
    is_declared = any(e.kind is EvidenceKind.MANUAL for e in pieces)
    return [
        e
        for e in pieces
        if e.kind is EvidenceKind.RESOLUTION
        or (e.kind is EvidenceKind.TURN and (not is_declared or supports_statement(e.quote, statement)))
    ]


def _evidence_rank(piece: Evidence, statement: str) -> int:
    match piece.kind:
        case EvidenceKind.RESOLUTION | EvidenceKind.CHUNK:
            return 0
        case EvidenceKind.MANUAL | EvidenceKind.TURN if _is_statement(piece.quote, statement):
            return 1
        case EvidenceKind.MANUAL:
            return 2 if piece.quote else 5
        case EvidenceKind.TURN:
            return 3 if supports_statement(piece.quote, statement) else 4
        case EvidenceKind.SCENE:
            return 6
        case _:
            assert_never(piece.kind)


def _is_statement(quote: str, statement: str) -> bool:
    return normalize_statement(quote) == normalize_statement(statement)
