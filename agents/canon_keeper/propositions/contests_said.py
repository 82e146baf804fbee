"""Reads who won a contest: `Nora won the race`, `The race was won by Nora`, `Nora is the winner of the race`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import phrase_after
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token

_CONTESTS: Final = frozenset(
    ["contest", "race", "tournament", "tourney", "duel", "election", "competition", "match", "final", "joust", "derby",
     "regatta", "auction", "championship", "lottery", "raffle", "bout"]
)  # fmt: skip
_FIRST_PRIZES: Final = (["first", "place"], ["first", "prize"])
_WINNERS: Final = frozenset({"winner", "champion", "victor"})


def read_winners(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield who won a contest of which there is one; each contest has one winner."""
    if base.is_ability or base.is_change or base.when or base.general:
        return
    rest = [t for t in clause.rest if t.word != "the"]
    prize = [t.word for t in rest[:3]]
    if clause.verb == "win" and base.time is ClauseTime.PAST and prize[:2] not in _FIRST_PRIZES:
        winner = phrase_after(clause.rest, "by") if clause.is_passive else list(clause.subject)
        contest = list(clause.subject) if clause.is_passive else list(clause.rest)
    elif (
        clause.verb in ("take", "win")
        and prize[:2] in _FIRST_PRIZES
        and prize[2:] in (["in"], ["at"])
        and base.time is ClauseTime.PAST
        and not clause.is_passive
    ):
        winner, contest = list(clause.subject), phrase_after(clause.rest, prize[2])
    elif (
        clause.verb in ("come", "finish")
        and prize[:2] in (["first", "in"], ["first", "at"])
        and base.time is ClauseTime.PAST
    ):
        winner, contest = list(clause.subject), phrase_after(clause.rest, prize[1])
    elif clause.verb == "be" and len(rest) > 2 and rest[0].word in _WINNERS and rest[1].word == "of":
        winner, contest = list(clause.subject), list(clause.rest[clause.rest.index(rest[1]) + 1 :])
    else:
        return
    winner = [t for t in winner if t.word != "the"]
    if len(winner) == 1 and winner[0].entity and _is_contest(contest):
        yield from value_of_thing(base, "winner", contest, winner[0].entity)


def _is_contest(phrase: Sequence[Token]) -> bool:
    """Say whether a phrase names one contest, and nothing in it or of it."""
    words = [t.word for t in phrase]
    is_named = bool(phrase) and phrase[-1].text.casefold().split()[-1] in _CONTESTS
    return is_named and not any(w in PREPOSITIONS | {",", "and", "of"} for w in words)
