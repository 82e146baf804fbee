"""Reads how many survived what befell a ship or a place: `Everyone aboard perished`, `is the only survivor of`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import number_of

SURVIVORS: Final = "survivors"
"""The value of how many survived; its word is who did, if a name is said."""
_EVERYBODY: Final = frozenset({"everyone", "everybody", "all"})
_ABOARD: Final = frozenset({"aboard", "on", "in", "at", "of", "from", "inside"})
_DYING: Final = frozenset({"die", "perish", "drown"})
_KILLED: Final = frozenset({"kill", "lose", "slay", "massacre", "drown"})
_ONLY: Final = frozenset({"only", "sole", "lone", "single"})
_SEVERAL: Final = frozenset({"several", "some", "many", "few", "dozens", "hundreds"})
_EVENTS: Final = frozenset(
    ["wreck", "sinking", "crash", "fall", "massacre", "siege", "loss", "burning", "destruction", "fire", "raid",
     "attack", "ruin", "end", "collapse", "battle"]
)  # fmt: skip


def read_survivors(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield how many survived something that has a name."""
    if base.is_ability or base.is_change:
        return
    subject = [t.word for t in clause.subject if t.word != "the"]
    rest = [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    who = clause.subject[0].entity if len(clause.subject) == 1 and clause.subject[0].is_person else ""
    is_dead = (clause.verb in _KILLED if clause.is_passive else clause.verb in _DYING) or (
        clause.verb == "be" and words == ["dead"]
    )
    if is_dead and subject[:1] and subject[0] in _EVERYBODY and not is_denied:
        if (len(rest) == 0 or clause.verb == "be") and (place := _place_behind(clause.subject)):
            yield _survivors(base, place, Quantity(0, 0, SURVIVORS))
    elif clause.verb == "survive" and not clause.is_passive:
        place = _survived(rest)
        if place and subject[:1] and subject[0] in ("nobody", "none"):
            yield _survivors(base, place, Quantity(0, 0, SURVIVORS))
        elif place and not is_denied:
            yield from _who_survived(base, place, subject, who)
    elif clause.verb == "be" and who and not is_denied and "survivor" in words:
        at = words.index("survivor")
        if place := _place_of(rest[at + 1 :]):
            most = 1 if _ONLY & set(words[:at]) else float("inf")
            yield _survivors(base, place, Quantity(1, most, SURVIVORS), who)


def are_other_survivors(one: Proposition, other: Proposition) -> bool:
    """Say whether two numbers of survivors exclude each other, or somebody else is said to be the only one."""
    if one.quantity is None or other.quantity is None:
        return False
    is_other_name = bool(one.words and other.words) and one.words != other.words
    is_sole = 1 in (one.quantity.most, other.quantity.most)
    return one.quantity.excludes(other.quantity) or (is_other_name and is_sole)


def _who_survived(base: Proposition, place: str, subject: Sequence[str], who: str) -> Iterator[Proposition]:
    number = number_of(subject[0]) if subject else None
    if who:
        yield _survivors(base, place, Quantity(1, float("inf"), SURVIVORS), who)
    elif number is not None and len(subject) == 2:
        yield _survivors(base, place, Quantity(number, number, SURVIVORS))
    elif subject[:1] and subject[0] in _SEVERAL:
        yield _survivors(base, place, Quantity(2, float("inf"), SURVIVORS))


def _survivors(base: Proposition, place: str, quantity: Quantity, who: str = "") -> Proposition:
    return value_proposition(
        replace(base, general="", part=""), SURVIVORS, doers=frozenset({place}), others=frozenset(),
        owners=frozenset(), thing="", words=frozenset({who}) - {""}, quantity=quantity, when="", is_event=False,
        is_affirmed=True, is_denial=False,
    )  # fmt: skip


def _place_behind(phrase: Sequence[Token]) -> str:
    """Return the name of `everyone aboard the Heron`, `all on board the Heron`."""
    tokens = [t for t in phrase if t.word not in ("the", "board", "those", "hands", "people")]
    return _place_of(tokens[1:])


def _survived(rest: Sequence[Token]) -> str:
    """Return the name of `survived the Heron`, `survived the wreck of the Heron`, `survived aboard the Heron`."""
    if len(rest) == 1:
        return rest[0].entity if not rest[0].is_person else ""
    if rest and rest[0].word in _EVENTS:
        return _place_of(rest[1:])
    return _place_of(rest)


def _place_of(tokens: Sequence[Token]) -> str:
    is_one = len(tokens) == 2 and tokens[0].word in _ABOARD and not tokens[1].is_person
    return tokens[1].entity if is_one else ""
