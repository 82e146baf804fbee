"""Reads of whom something is said that is so of one: who leads, made or got it; and a name, a marriage, a death."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import names_meant, phrase_after
from agents.canon_keeper.propositions.concepts import base_forms, load_concepts
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, singular

_LEADING_VERBS: Final = frozenset({"run", "head", "lead", "command", "rule", "govern"})
_MAKING_VERBS: Final = frozenset(
    {"build", "forge", "carve", "paint", "construct", "erect", "raise", "weave", "dig"}
)
_PEOPLES: Final = frozenset(
    ["dwarf", "elf", "giant", "human", "man", "goblin", "orc", "gnome", "troll", "monk", "nun", "roman", "demon", "god",
     "witch", "dragon", "halfling", "fairy", "faerie", "angel", "alien"]
)  # fmt: skip
"""Peoples of whom none is a kind of another."""
_DONE_BY_ONE: Final = frozenset(
    ["write", "forge", "make", "build", "paint", "carve", "invent", "compose", "design", "found", "weave", "kill",
     "murder", "steal", "translate", "sculpt", "poison", "shoot", "father"]
)  # fmt: skip
"""Verbs of what only one can have done to a thing."""
_PASSING_ON: Final = frozenset(
    {"sell", "give", "leave", "bequeath", "hand", "lend", "pawn", "send", "promise"}
)
_NAMING_VERBS: Final = frozenset({"call", "name"})
_FATES: Final = {
    "water": "drown",
    "fire": "burn fire blaze",
    "illness": "fever plague pox consumption illness sickness cholera typhus",
    "rope": "hang",
    "hands": "strangle throttle smother suffocate",
    "poison": "poison",
    "axe": "behead decapitate",
    "hunger": "starve starvation hunger",
    "cold": "freeze",
    "old age": "age",
    "childbirth": "childbirth",
    "fall": "push hurl",
    "battle": "battle combat",
    "arrow": "arrow bolt",
    "bullet": "bullet gunshot",
}
_FATE_OF_WORD: Final = {word: fate for fate, words in _FATES.items() for word in words.split()}
_DYING_VERBS: Final = frozenset({"die", "perish", "kill"})
_CAUSES: Final = frozenset({"of", "in", "from", "by"})


def read_people(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield the one of whom an affirmed clause says so, and what somebody has one of: a name, a spouse, a death."""
    yield from _leaders(clause, base)
    yield from _making_peoples(clause, base)
    yield from _fates(clause, base)
    if base.is_ability or base.is_change:
        return
    if base.time is ClauseTime.NOW:
        yield from _names(clause, base)
        yield from _spouses(clause, base)
        yield from _commanders(clause, base)
    else:
        yield from _makers(clause, base)
        yield from _receivers(clause, base)


def _leaders(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read who leads something now: `Clare runs the hospital`, `The hospital is run by Blaise`."""
    is_kept = clause.verb == "keep" and any(
        t.entity and not t.is_person for t in (*clause.subject, *clause.rest)
    )
    if not (clause.verb in _LEADING_VERBS or is_kept) or base.time is not ClauseTime.NOW or base.is_ability:
        return
    if clause.is_passive:
        leaders, led = names_meant(phrase_after(clause.rest, "by")), clause.subject
    else:
        leaders, led = names_meant(clause.subject), clause.rest
    leaders &= base.people
    words = {t.word for t in (*clause.helpers, *clause.rest)}
    is_whole = not any(t.word in PREPOSITIONS - {"by", "of"} or t.word in (",", "and") for t in clause.rest)
    if len(leaders) == 1 and is_whole and not words & {"now", "once", "together"}:
        yield from value_of_thing(base, "leader", led, next(iter(leaders)))


def _commanders(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read who leads something: `is in command of the Petrel`, `is under the command of Dunne`."""
    words = [t.word for t in clause.rest if t.word != "the"]
    names = [t for t in clause.rest if t.entity]
    if clause.verb != "be" or len(names) != 1 or len(clause.subject) > 2 or not clause.subject[-1].entity:
        return
    subject, named = clause.subject[-1], names[0]
    if words[:3] in (["in", "command", "of"], ["in", "charge", "of"]) or words[:2] in (
        ["leader", "of"],
        ["head", "of"],
    ):
        leader, led = subject, named
    elif words[:3] == ["under", "command", "of"]:
        leader, led = named, subject
    else:
        return
    if leader.is_person and not led.is_person:
        yield from value_of_thing(base, "leader", [led], leader.entity)


def _making_peoples(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read which people made something: `Dwarves built the temple`."""
    if clause.verb not in _MAKING_VERBS or base.time is not ClauseTime.PAST:
        return
    makers, made = (
        (phrase_after(clause.rest, "by"), clause.subject)
        if clause.is_passive
        else (clause.subject, clause.rest)
    )
    nouns = {singular(t.word) for t in makers if not t.entity} - ARTICLES
    is_whole = clause.is_passive or not any(t.word in PREPOSITIONS - {"of"} for t in made)
    if len(nouns) == 1 and nouns <= _PEOPLES and is_whole:
        yield from value_of_thing(base, "maker", made, next(iter(nouns)))


def _makers(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read who made or killed what has no name: `The letter was written by Pell`."""
    if clause.verb not in _DONE_BY_ONE or base.when:
        return
    makers, made = (
        (phrase_after(clause.rest, "by"), list(clause.subject))
        if clause.is_passive
        else (list(clause.subject), _first_phrase(clause.rest))
    )
    names = names_meant(makers)
    if len(names) == 1 and len(makers) <= 2 and not any(t.entity for t in made):
        verb = "kill" if clause.verb == "murder" else clause.verb
        yield from value_of_thing(base, f"{verb} by", made, next(iter(names)))


def _first_phrase(tokens: Sequence[Token]) -> list[Token]:
    end = next((n for n, t in enumerate(tokens) if t.word in PREPOSITIONS | {","}), len(tokens))
    return list(tokens[:end])


def _receivers(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read who was sold or left the whole of something: `sold all his cattle to the army`."""
    if clause.verb not in _PASSING_ON or base.when or len(base.doers) != 1:
        return
    words = [t.word for t in clause.rest]
    if "to" not in words:
        return
    at = words.index("to")
    given, receiver = list(clause.rest[:at]), list(clause.rest[at + 1 :])
    if not given or not receiver or not (given[0].word in ("the", "all") or given[0].entity):
        return
    name = receiver[-1].entity or singular(receiver[-1].word)
    is_one = receiver[-1].entity or receiver[0].word == "the"
    nouns = sorted(
        t.entity or singular(t.word)
        for t in given
        if t.entity or (t.word.isalpha() and t.word not in ("the", "all", "his", "her", "their", "of"))
    )
    if is_one and nouns and len(receiver) <= 3:
        yield value_proposition(
            base, f"{clause.verb} to", doers=base.doers, others=frozenset(), owners=frozenset(), thing=" ".join(nouns),
            words=frozenset({name}),
        )  # fmt: skip


def _names(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how somebody is called who is known by what they are: `The innkeeper of Dunmoor is called Bess`."""
    is_called = clause.verb in _NAMING_VERBS and clause.is_passive
    subject = list(clause.subject)
    if clause.verb == "be" and subject and subject[-1].word == "name":
        subject = (
            subject[:-2] if len(subject) > 2 and subject[-2].word in ("'s", "real", "true") else subject[:-1]
        )
        is_called = bool(subject)
        if subject and subject[-1].word == "'s":
            subject = subject[:-1]
    rest = clause.rest[1:] if [t.word for t in clause.rest[:1]] == ["the"] else clause.rest
    if is_called and len(rest) == 1 and rest[0].word not in load_word_lists().qualities:
        named = rest[0]
        yield from value_of_thing(base, "called", subject, named.entity or named.word)


def _spouses(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read to whom somebody is married: `is married to Ash`, `is Ash's wife`."""
    rest = clause.rest
    words = [t.word for t in rest]
    if len(clause.subject) != 1 or not clause.subject[0].is_person:
        return
    who = clause.subject[0].entity
    if clause.verb == "marry" and clause.is_passive and words[:1] == ["to"] and len(rest) == 2:
        spouse = rest[1]
    elif (
        clause.verb == "be"
        and len(rest) == 3
        and words[1] == "'s"
        and load_word_lists().kin.get(words[2]) == "spouse"
    ):
        spouse = rest[0]
    else:
        return
    if spouse.is_person and not {"once", "formerly"} & {t.word for t in clause.helpers}:
        for one, other in ((who, spouse.entity), (spouse.entity, who)):
            yield value_proposition(
                base,
                "spouse",
                doers=frozenset({one}),
                others=frozenset(),
                owners=frozenset(),
                words=frozenset({other}),
            )


def _fates(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read what somebody died of: of a fever, in the fire, by wolves."""
    if base.time is not ClauseTime.PAST:
        return
    own = [t.word for t in clause.rest]
    is_own_hand = own[:1] in (["himself"], ["herself"])
    is_active = not clause.is_passive and bool(base.target) and not is_own_hand
    victims = (frozenset({base.target}) if is_active else names_meant(clause.subject)) & base.people
    if len(victims) != 1:
        return
    fate = _FATE_OF_WORD.get(clause.verb, "")
    is_deadly = clause.verb in (
        "drown",
        "hang",
        "strangle",
        "throttle",
        "smother",
        "behead",
        "decapitate",
        "starve",
    )
    if clause.verb == "hang" and not (clause.is_passive or is_own_hand or is_active):
        return
    is_killed = bool(fate) and (is_deadly or "death" in own)
    if clause.verb in _DYING_VERBS:
        causes = [t for word in sorted(_CAUSES) for t in phrase_after(clause.rest, word)]
        causes += [t for t in clause.subject if is_active]
        words = frozenset(form for t in causes if not t.entity for form in base_forms(t.word))
        animals = [w for w in sorted(words) if w in load_concepts().kinds_of("beast")]
        fates = {_FATE_OF_WORD[w] for w in words if w in _FATE_OF_WORD}
        fate = next(iter(fates)) if len(fates) == 1 else (animals[0] if len(animals) == 1 else "")
        is_killed = bool(fate)
    if is_killed:
        yield value_proposition(
            base,
            "fate",
            doers=victims,
            others=frozenset(),
            owners=frozenset(),
            words=frozenset({fate}),
            when="",
            thing="",
        )
