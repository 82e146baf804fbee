"""How likely canon makes it: a question against the facts that bear on it, with the reasons.

A suggestion and no more: the player decides. Deterministic, and conservative: what is not understood, or
of which canon does not speak, is even. The first of these that has something to say decides:

1. canon says it or rules it out (a rumour or a lie says less);
2. the dead do not act;
3. what stands between two makes help or harm likely or not;
4. a sentence of canon begins with the very words.

Source: design/product.md, "Solo procedures"; design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.bearing import borne
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import Slot
from agents.resolver.bonds import bonds
from agents.resolver.oracle import Likelihood
from agents.resolver.phrasings import HARM, HEDGES, HELP, STATIVE
from agents.resolver.question import BE, DO, MODAL, NEGATIVE, POSSESSIVE, Lexicon, Mention, Question, stem
from agents.resolver.verdicts import ALIVE, BY_STANDING, Known, Reason, claims_of, verdicts
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.world import Entity

__all__ = ["Reason", "Suggestion", "suggest"]

MATTERS_FROM: Final = 2
"""Warmth (see `bonds`) from which liking or enmity makes help or harm likely."""

_HELP: Final = frozenset(map(stem, HELP))
_HARM: Final = frozenset(map(stem, HARM))
_STATIVE: Final = frozenset(map(stem, STATIVE))
_TURNING: Final = frozenset(map(stem, HEDGES | NEGATIVE))


@dataclass(frozen=True, slots=True)
class Suggestion:
    likelihood: Likelihood
    reasons: tuple[Reason, ...]

    @property
    def text(self) -> str:
        """One line, such as `very unlikely: canon says otherwise: “Mara is in the inn.”`"""
        return f"{self.likelihood}: {'; '.join(reason.text for reason in self.reasons)}"


def suggest(
    question: str,
    entities: Iterable[Entity],
    facts: Iterable[Fact],
    catalogue: Catalogue,
    *,
    tick: int | None = None,
    me: Id | None = None,
    here: Id | None = None,
) -> Suggestion:
    """Propose a likelihood for a yes/no question.

    `entities` are all that it may name, `facts` what canon has of them and of the places and factions
    they belong to; those that are not of the time are passed over. `tick` is now in world time (minutes),
    `me` whom the player plays, `here` where the scene is.
    """
    by_id = {entity.id: entity for entity in entities}
    lexicon = Lexicon(by_id.values(), me=me if me in by_id else None, here=here if here in by_id else None)
    asked = lexicon.read(question)
    if asked.is_open:
        return _even("it asks for more than yes or no")
    if asked.is_negative:
        return _even("it is put in the negative: ask it the other way round")
    known = Known(by_id, list(facts), catalogue, tick)
    for rule in (_canon_says, _the_dead, _bonds, lambda a, k: _very_words(a, k, lexicon)):
        if reasons := tuple(rule(asked, known)):
            return Suggestion(_balance(reasons), reasons)
    return _even("canon is silent")


def _even(why: str) -> Suggestion:
    return Suggestion(Likelihood.EVEN, (Reason(why, Likelihood.EVEN),))


def _balance(reasons: Iterable[Reason]) -> Likelihood:
    """Return the most decided likelihood; even, if as much is said against it."""
    ranked = sorted((reason.likelihood for reason in reasons), key=lambda likelihood: likelihood.rank)
    lowest, highest = ranked[0], ranked[-1]
    if highest.rank == -lowest.rank:
        return Likelihood.EVEN
    return highest if highest.rank > -lowest.rank else lowest


# --- the rules, in order ----------------------------------------------------------------------------


def _canon_says(asked: Question, known: Known) -> Iterator[Reason]:
    for claim in claims_of(asked, known):
        yield from verdicts(claim, asked, known)


def _the_dead(asked: Question, known: Known) -> Iterator[Reason]:
    actor, deed = _actor_and_deed(asked)
    if actor is None or deed in _STATIVE:
        return
    said = [(fact, reading) for fact, reading in known.now() if reading[:2] == (ALIVE, actor)]
    for fact, reading in said:
        if reading.value is False:
            yield Reason(f"the dead do not act: “{fact.statement}”", Likelihood.IMPOSSIBLE, (fact,))
    entity = known.entities[actor]
    if not said and borne(entity, Slot(ALIVE, actor), known.catalogue) is False:
        yield Reason(f"the dead do not act: the sheet of {entity.name} says so", Likelihood.IMPOSSIBLE)


def _bonds(asked: Question, known: Known) -> Iterator[Reason]:
    actor, deed = _actor_and_deed(asked)
    towards = asked.words[2] if len(asked.words) > 2 else None
    if actor is None or not isinstance(towards, Mention) or deed not in _HELP | _HARM:
        return
    between = bonds(actor, towards.entity_id, known.facts, known.catalogue, known.tick)
    warmth = sum(bond.warmth for bond in between)
    if abs(warmth) < MATTERS_FROM:
        return
    likelihood = Likelihood.LIKELY if (warmth > 0) is (deed in _HELP) else Likelihood.UNLIKELY
    for bond in between:
        if (bond.warmth > 0) is (warmth > 0):
            yield Reason(f"between them {bond.text}", likelihood, bond.facts)


def _very_words(asked: Question, known: Known, lexicon: Lexicon) -> Iterator[Reason]:
    if len(asked.words) < 2 or not asked.mentions():
        return
    for fact, _ in known.of_the_time(asked):
        told = lexicon.read(fact.statement)
        if told.words[: len(asked.words)] == asked.words and not set(map(stem, told.raw)) & _TURNING:
            likelihood, who_says = BY_STANDING[fact.standing]
            # A sentence may go on to say when, or how far.
            likelihood = Likelihood.VERY_LIKELY if likelihood is Likelihood.CERTAIN else likelihood
            yield Reason(f"{who_says}: “{fact.statement}”", likelihood, (fact,))


def _actor_and_deed(asked: Question) -> tuple[Id | None, str]:
    """Return who would do what (in stems); nobody, unless it is about a deed going on or to come."""
    words = asked.words
    if len(words) < 2 or not isinstance(words[0], Mention) or not isinstance(words[1], str):
        return None, ""
    going_on = asked.opening in BE and words[1].endswith("ing")
    to_come = asked.opening in MODAL | DO
    if asked.is_past or words[1] == POSSESSIVE or not (going_on or to_come):
        return None, ""
    return words[0].entity_id, words[1]
