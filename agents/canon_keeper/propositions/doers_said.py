"""Reads whether a man or a woman did what one does, and which of two killed the other: `A nun founded the order`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import phrase_after
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists

_MALE: Final = load_word_lists().men | {
    "monk", "gentleman", "lad", "priest", "friar", "abbot", "baron", "waiter", "nobleman", "knight",
}  # fmt: skip
_FEMALE: Final = load_word_lists().women | {
    "nun", "lass", "priestess", "abbess", "baroness", "waitress", "noblewoman", "witch", "goddess", "maid", "midwife",
    "countess",
}  # fmt: skip
_DOER_OF_VERB: Final = {
    "found": "founder", "establish": "founder", "kill": "killer", "murder": "killer", "slay": "killer",
    "write": "author", "build": "builder", "paint": "painter", "invent": "inventor", "design": "designer",
    "discover": "discoverer", "forge": "maker", "make": "maker", "compose": "composer", "steal": "thief",
    "poison": "poisoner", "own": "owner", "lead": "leader", "run": "leader", "head": "leader", "rule": "ruler",
    "govern": "ruler", "captain": "captain", "command": "commander", "pilot": "pilot", "carve": "carver",
}  # fmt: skip
"""What somebody is called who does what only one does."""
_SAME_DOERS: Final = {
    "murderer": "killer", "slayer": "killer", "assassin": "killer", "writer": "author", "architect": "builder",
    "creator": "maker", "head": "leader", "boss": "leader", "chief": "leader",
}  # fmt: skip
_DOERS: Final = frozenset(_DOER_OF_VERB.values()) | frozenset(
    ["mayor", "sheriff", "innkeeper", "landlord", "blacksmith", "doctor", "priest", "teacher", "heir", "judge", "cook",
     "ferryman", "chieftain", "guildmaster", "director", "manager", "president", "keeper", "guardian", "messenger"]
)  # fmt: skip
_OFFICES: Final = _DOERS - {
    "killer", "thief", "author", "founder", "builder", "inventor", "discoverer", "poisoner",
}  # fmt: skip
"""Doers that another may be today than a year ago, of whom only what is so now is compared."""
_AGES: Final = frozenset(
    {"young", "old", "elderly", "poor", "rich", "tall", "strange", "single", "certain", "great"}
)
KILLER_OF_TWO: Final = "killer of two"
"""The value of which of two killed the other."""
_KILLING: Final = frozenset(
    {"kill", "murder", "slay", "behead", "assassinate", "execute", "strangle", "butcher"}
)


def read_doers(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield whether a man or a woman did what one does, and which of two killed the other."""
    if base.is_ability or base.is_change or base.when:
        return
    yield from _sexes(clause, base)
    yield from _killers(clause, base)


def _killers(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `Osric killed Tam`, `Tam was slain by Osric`: then Tam did not kill Osric."""
    if clause.verb not in _KILLING or base.time is not ClauseTime.PAST or base.general or base.part:
        return
    victims = frozenset({base.target}) & base.people
    killers = base.doers & base.people - victims
    if len(victims) == 1 and len(killers) == 1:
        yield value_proposition(
            base, KILLER_OF_TWO, doers=victims | killers, others=frozenset(), owners=frozenset(), words=killers,
            when="", thing="",
        )  # fmt: skip


def _sexes(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `A woman founded the order`, `The founder of the order was a man called Aron`."""
    if clause.verb == "be" and not clause.is_passive:
        doer, thing = _doer_named(clause.subject)
        sex = _sex(clause.rest)
    elif doer := _DOER_OF_VERB.get(clause.verb, ""):
        who = phrase_after(clause.rest, "by") if clause.is_passive else list(clause.subject)
        thing = list(clause.subject) if clause.is_passive else _first_phrase(clause.rest)
        sex = _sex(who)
    else:
        return
    is_now = base.time is ClauseTime.NOW
    if not (doer and sex and thing) or (doer in _OFFICES) is not is_now:
        return
    for proposition in value_of_thing(base, f"sex of {doer}", thing, sex):
        yield value_proposition(proposition, proposition.value_of, when="", is_event=False)


def _doer_named(phrase: Sequence[Token]) -> tuple[str, list[Token]]:
    """Return what somebody is to a thing: of `the founder of the order`, `the order's founder`."""
    words = [t.word for t in phrase]
    if words[:1] == ["the"] and words[2:3] == ["of"]:
        noun, thing = words[1], list(phrase[3:])
    elif words[-2:-1] == ["'s"]:
        noun, thing = words[-1], list(phrase[:-2])
    else:
        return "", []
    noun = _SAME_DOERS.get(noun, noun)
    return (noun, thing) if noun in _DOERS else ("", [])


def _sex(phrase: Sequence[Token]) -> str:
    """Return `male` or `female` of `a man called Aron`; nothing of more than one, or of `a woman's brother`."""
    words = [t.word for t in phrase]
    if words[:1] not in (["a"], ["an"]) or "'s" in words:
        return ""
    noun = next((w for w in words[1:] if w not in _AGES), "")
    return "male" if noun in _MALE else "female" if noun in _FEMALE else ""


def _first_phrase(tokens: Sequence[Token]) -> list[Token]:
    end = next((n for n, t in enumerate(tokens) if t.word in PREPOSITIONS | {","}), len(tokens))
    following = tokens[end : end + 1]
    if following and following[0].word == "of":
        end = next(
            (n for n in range(end + 1, len(tokens)) if tokens[n].word in PREPOSITIONS | {","}), len(tokens)
        )
    return list(tokens[:end])
