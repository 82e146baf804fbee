"""Says verbs that mean no more than `is` in that word: `turned out to be a fake`, `towers over Silas`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.sentences.tokens import Token

_REVEALING: Final = {
    "turned": ("out", "to", "be"), "turns": ("out", "to", "be"), "proved": ("to", "be"), "proves": ("to", "be"),
}  # fmt: skip
"""Verbs, each with the words behind it by which it says what somebody or something is."""
_MEASURED_BY: Final = {
    "towers": "taller", "towered": "taller", "dwarfs": "bigger", "dwarfed": "bigger", "outweighs": "heavier",
    "outruns": "faster",
}  # fmt: skip
"""Verbs that compare two, each with the adjective that does so."""
_NOT_SO: Final = frozenset({"never", "not", "almost", "nearly"})


def say_plain_verbs(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the words of a sentence with `is` for the verbs that mean no more."""
    at = next((n for n, t in enumerate(tokens) if t.word in _READERS), None)
    if not at:
        return tokens
    found = _READERS[tokens[at].word](tokens, at)
    if found is None:
        return tokens
    words, end = found
    return [*tokens[:at], *(Token(word, word) for word in words), *tokens[end:]]


def _proved_to_be(tokens: Sequence[Token], at: int) -> tuple[list[str], int] | None:
    """Return what is said for `turned out to be`; what turned out to be so is so."""
    carrier = _REVEALING[tokens[at].word]
    end = at + 1 + len(carrier)
    if tuple(t.word for t in tokens[at + 1 : end]) != carrier or tokens[at - 1].word in _NOT_SO:
        return None
    return ["is"], end


def _towers_over(tokens: Sequence[Token], at: int) -> tuple[list[str], int] | None:
    """Return what is said for `towers over`, if the name of somebody or something follows."""
    end = at + 1
    if tokens[at].word.startswith("tower"):
        if end >= len(tokens) or tokens[end].word not in ("over", "above"):
            return None
        end += 1
    is_owner = end + 1 < len(tokens) and tokens[end + 1].word == "'s"
    if end >= len(tokens) or not tokens[end].entity or is_owner or tokens[at - 1].word in _NOT_SO:
        return None
    return ["was" if tokens[at].word.endswith("ed") else "is", _MEASURED_BY[tokens[at].word], "than"], end


def _came_into_world(tokens: Sequence[Token], at: int) -> tuple[list[str], int] | None:
    """Return what is said for `came into the world`."""
    if [t.word for t in tokens[at + 1 : at + 4]] != ["into", "the", "world"]:
        return None
    return ["was", "born"], at + 4


def _said_yes(tokens: Sequence[Token], at: int) -> tuple[list[str], int] | None:
    """Return what is said for `said yes to` and `said no to`."""
    answer = [t.word for t in tokens[at + 1 : at + 3]]
    if answer not in (["yes", "to"], ["no", "to"]) or tokens[at - 1].word in _NOT_SO:
        return None
    return ["accepted" if answer[0] == "yes" else "refused"], at + 3


_READERS: Final = {
    **dict.fromkeys(_REVEALING, _proved_to_be),
    **dict.fromkeys(_MEASURED_BY, _towers_over),
    "came": _came_into_world,
    "said": _said_yes,
}
"""What reads a verb that stands for a plain one, by its form."""
