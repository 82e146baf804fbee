"""Reads by whose hand somebody died: their own, another's, or nobody's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import names_meant
from agents.canon_keeper.propositions.concepts import base_forms
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, REFLEXIVES

HAND_IN_DEATH: Final = "hand in death"
"""The value of by whose hand somebody died."""
_OWN: Final = "own hand"
_OTHER: Final = "another's hand"
_NOBODY: Final = "no hand"
_KILLING_ONESELF: Final = frozenset(
    {"kill", "hang", "drown", "poison", "shoot", "stab", "strangle", "immolate"}
)
_MURDERING: Final = frozenset(
    ["murder", "slay", "assassinate", "execute", "behead", "lynch", "strangle", "throttle", "butcher", "massacre",
     "crucify", "decapitate", "guillotine"]
)  # fmt: skip
"""Verbs that of whoever is the object say that another killed them."""
_TO_DEATH: Final = frozenset({"stab", "beat", "club", "bludgeon", "hack", "stone", "put", "torture", "whip"})
_BY_NATURE: Final = frozenset(
    ["age", "fever", "plague", "pox", "consumption", "illness", "sickness", "disease", "cholera", "typhus", "cancer",
     "pneumonia", "influenza", "smallpox", "leprosy", "stroke", "accident", "childbirth", "cold", "infection"]
)  # fmt: skip
_NATURAL_PHRASES: Final = (
    "in sleep", "of natural cause", "of heart attack", "of heart failure", "of broken heart", "peacefully",
    "in peace", "in bed", "of old age", "of weak heart",
)  # fmt: skip
_SCAFFOLDS: Final = frozenset({"gallows", "scaffold", "stake", "block", "guillotine", "gallow"})
_BATTLES: Final = frozenset({"battle", "action", "combat", "duel", "fight", "war", "ambush", "skirmish"})


def read_deaths(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield by whose hand somebody named died, where the clause says so."""
    if base.time is not ClauseTime.PAST or base.is_ability or base.general:
        return
    rest = [t.word for t in clause.rest]
    is_active = not clause.is_passive and bool(base.target) and not REFLEXIVES & set(rest[:1])
    victims = (frozenset({base.target}) if is_active else names_meant(clause.subject)) & base.people
    if len(victims) != 1:
        return
    hand = _hand(clause, rest, is_active=is_active, by_people=base.doers & base.people)
    if hand:
        yield value_proposition(
            base, HAND_IN_DEATH, doers=victims, others=frozenset(), owners=frozenset(), words=frozenset({hand}),
            when="", thing="",
        )  # fmt: skip


def _hand(clause: ClauseWords, rest: Sequence[str], *, is_active: bool, by_people: frozenset[str]) -> str:
    verb, plain = (
        clause.verb,
        [w for w in rest if w not in ("the", "a", "an", "his", "her", "their", "own", "very")],
    )
    text = f" {' '.join(plain)} "
    forms = frozenset(form for word in plain for form in base_forms(word))
    if REFLEXIVES & set(rest[:1]):
        is_whole = len(rest) == 1 or rest[1] in PREPOSITIONS
        return _OWN if verb in _KILLING_ONESELF and is_whole else ""
    if (verb == "take" and plain == ["life"] and not is_active) or (
        verb == "commit" and plain == ["suicide"]
    ):
        return _OWN
    if verb in ("die", "pass") and not is_active:
        if "by hand" in text and not by_people:
            return _OWN
        is_natural = any(f" {' '.join(base)} " in _based(plain) for base in map(str.split, _NATURAL_PHRASES))
        is_ill = bool(forms & _BY_NATURE) and bool({"of", "in", "from"} & set(plain))
        if is_natural or is_ill:
            return _NOBODY
        if verb == "die" and plain[:1] in (["on"], ["at"]) and forms & _SCAFFOLDS:
            return _OTHER
        return _OTHER if verb == "die" and plain[:1] == ["in"] and forms & (_BATTLES - {"war"}) else ""
    if (
        verb == "fall"
        and not clause.is_passive
        and plain[:1] in (["in"], ["at"])
        and forms & (_BATTLES - {"war"})
    ):
        return _OTHER
    if not (clause.is_passive or is_active):
        return ""
    is_killed = verb == "kill" and (bool(by_people) or (clause.is_passive and bool(forms & _BATTLES)))
    is_deadly = verb in _TO_DEATH and "to death" in text
    is_shot = verb in ("shoot", "strike") and plain[-1:] == ["dead"]
    if verb == "kill" and forms & _BY_NATURE and not by_people:
        return _NOBODY
    return _OTHER if verb in _MURDERING or is_killed or is_deadly or is_shot else ""


def _based(words: Sequence[str]) -> str:
    return f" {' '.join(min(base_forms(w), key=len) for w in words)} "
