"""What claims of every kind need of a clause: phrases behind prepositions, whether it is denied, who is dead by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.sentences.claims import ALIVE, Claim, ClaimTime
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, NounPhrase, read_noun_phrase
from agents.canon_keeper.sentences.tokens import Token

PLACE_PREPOSITIONS: Final = frozenset(
    [
        "in",
        "at",
        "inside",
        "within",
        "on",
        "under",
        "beneath",
        "behind",
        "underneath",
        "atop",
        "aboard",
        "beside",
        "below",
        "above",
        "among",
        "underground",
    ]
)
DEATHS: Final = frozenset({"die", "perish", "drown", "starve", "suffocate"})


def read_adjuncts(tail: Sequence[Token], subject: NounPhrase) -> tuple[tuple[str, NounPhrase], ...]:
    """Read the phrases behind prepositions: `with a hammer`, `from the chapel`."""
    adjuncts: list[tuple[str, NounPhrase]] = []
    index = 0
    while index < len(tail):
        word = tail[index].word
        if word not in PREPOSITIONS:
            index += 1
            continue
        end = next(
            (n for n in range(index + 1, len(tail)) if tail[n].word in PREPOSITIONS and tail[n].word != "of"),
            len(tail),
        )
        phrase = read_noun_phrase(tail[index + 1 : end], subject)
        if phrase is not None and not (phrase.entity and phrase.entity == subject.entity):
            adjuncts.append(("in" if word in ("at", "inside", "within") else word, phrase))
        index = max(end, index + 1)
    return tuple(adjuncts)


def death_of(clause: Clause, whom: NounPhrase) -> Claim:
    """Return that somebody is dead since: told as it happens, it is a change."""
    return Claim(ALIVE, whom, value="false", is_change=not clause.when)


def is_plain(clause: Clause) -> bool:
    """Say whether a clause tells what happened, and to whom: what follows from that follows from no denial."""
    return not clause.negation and not clause.subject.is_general and not clause.can


def past_of(clause: Clause) -> ClaimTime:
    return ClaimTime.PAST if clause.tense != "now" else ClaimTime.NOW
