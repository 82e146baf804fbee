"""Suggests how likely a yes is, from the facts of canon that bear on the question, with the reasons.

The player decides. Deterministic and cautious: what is not understood, or not in canon, is even. The first
of these rules that gives a reason decides:

1. canon says it or rules it out (a rumour or a lie weighs less);
2. the dead do not act;
3. bonds between two make help or harm likely or unlikely;
4. a sentence of canon begins with the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from agents.canon_keeper.fact_readings import FactKey
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sheet_values import sheet_value_of
from agents.resolver.bonds import find_bonds
from agents.resolver.canon_answers import (
    ALIVE,
    LIKELIHOOD_BY_STANDING,
    CanonKnowledge,
    LikelihoodReason,
    find_reasons,
    question_claims,
)
from agents.resolver.oracle import Likelihood
from agents.resolver.oracle_question import (
    BE_VERBS,
    DO_VERBS,
    MODAL_VERBS,
    NEGATIVE_WORDS,
    POSSESSIVE,
    EntityMention,
    Lexicon,
    ParsedQuestion,
    stem,
)
from agents.resolver.phrasings import HARM, HEDGES, HELP, STATIVE
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.world import Entity

_ASKS_AMOUNT: Final = re.compile(
    r"\s*(?:at |for |by |in |of )?how\b(?! (?:does|do|did|is|are|was|can|could)\b)", re.IGNORECASE
)

MIN_BOND_WARMTH: Final = 2
"""Warmth (see `bonds`) from which liking or enmity makes help or harm likely."""

_HELP: Final = frozenset(map(stem, HELP))
_HARM: Final = frozenset(map(stem, HARM))
_STATIVE: Final = frozenset(map(stem, STATIVE))
_REVERSING_WORDS: Final = frozenset(map(stem, HEDGES | NEGATIVE_WORDS))


@dataclass(frozen=True, slots=True)
class LikelihoodSuggestion:
    likelihood: Likelihood
    reasons: tuple[LikelihoodReason, ...]
    is_fit: bool = True
    """Whether the question can be answered with yes or no as it is put; else the reasons say what it asks."""

    @property
    def text(self) -> str:
        """Return one line (`very unlikely: canon says otherwise: “Mara is in the inn.”`)."""
        return f"{self.likelihood}: {'; '.join(reason.text for reason in self.reasons)}"


def suggest_likelihood(
    question: str,
    entities: Iterable[Entity],
    facts: Iterable[Fact],
    catalogue: Catalogue,
    *,
    tick: int | None = None,
    pc_id: Id | None = None,
    place_id: Id | None = None,
) -> LikelihoodSuggestion:
    """Propose a likelihood for a yes/no question.

    `entities` are all that it may name, `facts` those of canon about them and about the places and factions
    they belong to; facts of other times are ignored. `tick` is now, in world time (minutes), `pc_id` whom
    the player plays, `place_id` where the scene is.
    """
    by_id = {entity.id: entity for entity in entities}
    lexicon = Lexicon(
        by_id.values(),
        pc_id=pc_id if pc_id in by_id else None,
        place_id=place_id if place_id in by_id else None,
    )
    parsed_question = lexicon.parse(question)
    if parsed_question.is_open:
        return _even_suggestion(_name_other_draw(question), is_fit=False)
    if parsed_question.has_alternatives:
        return _even_suggestion("it asks for one of two: ask for each", is_fit=False)
    if parsed_question.is_negative:
        return _even_suggestion("it is put in the negative: ask it the other way round", is_fit=False)
    knowledge = CanonKnowledge(by_id, list(facts), catalogue, tick)
    for rule in (
        _reasons_from_canon,
        _reasons_from_death,
        _reasons_from_bonds,
        partial(_reasons_from_wording, lexicon=lexicon),
    ):
        if reasons := tuple(rule(parsed_question, knowledge)):
            return LikelihoodSuggestion(_balance_reasons(reasons), reasons)
    return _even_suggestion("canon is silent")


def _name_other_draw(question: str) -> str:
    """Return that a question asks for more than yes or no, with the commands that answer such a one."""
    other_draw = (
        "/howmuch says how much" if _ASKS_AMOUNT.match(question) else "/spark gives words to build on"
    )
    return f"it asks for more than yes or no; {other_draw}"


def _even_suggestion(reason: str, *, is_fit: bool = True) -> LikelihoodSuggestion:
    return LikelihoodSuggestion(Likelihood.EVEN, (LikelihoodReason(reason, Likelihood.EVEN),), is_fit)


def _balance_reasons(reasons: Iterable[LikelihoodReason]) -> Likelihood:
    """Return the strongest likelihood; even, if reasons for and against are equally strong."""
    sorted_likelihoods = sorted(
        (reason.likelihood for reason in reasons), key=lambda likelihood: likelihood.rank
    )
    lowest, highest = sorted_likelihoods[0], sorted_likelihoods[-1]
    if highest.rank == -lowest.rank:
        return Likelihood.EVEN
    return highest if highest.rank > -lowest.rank else lowest


# --- the rules, in order ----------------------------------------------------------------------------


def _reasons_from_canon(question: ParsedQuestion, knowledge: CanonKnowledge) -> Iterator[LikelihoodReason]:
    for claim in question_claims(question, knowledge):
        yield from find_reasons(claim, question, knowledge)


def _reasons_from_death(question: ParsedQuestion, knowledge: CanonKnowledge) -> Iterator[LikelihoodReason]:
    actor, deed = _actor_and_deed(question)
    if actor is None or deed in _STATIVE:
        return
    life_facts = [
        (fact, reading) for fact, reading in knowledge.current_facts() if reading[:2] == (ALIVE, actor)
    ]
    for fact, reading in life_facts:
        if reading.value is False:
            yield LikelihoodReason(f"the dead do not act: “{fact.statement}”", Likelihood.IMPOSSIBLE, (fact,))
    entity = knowledge.entities[actor]
    if not life_facts and sheet_value_of(entity, FactKey(ALIVE, actor), knowledge.catalogue) is False:
        yield LikelihoodReason(
            f"the dead do not act: the sheet of {entity.name} says so", Likelihood.IMPOSSIBLE
        )


def _reasons_from_bonds(question: ParsedQuestion, knowledge: CanonKnowledge) -> Iterator[LikelihoodReason]:
    actor, deed = _actor_and_deed(question)
    towards = question.words[2] if len(question.words) > 2 else None
    if actor is None or not isinstance(towards, EntityMention) or deed not in _HELP | _HARM:
        return
    pair_bonds = find_bonds(actor, towards.entity_id, knowledge.facts, knowledge.catalogue, knowledge.tick)
    warmth = sum(bond.warmth for bond in pair_bonds)
    if abs(warmth) < MIN_BOND_WARMTH:
        return
    likelihood = Likelihood.LIKELY if (warmth > 0) is (deed in _HELP) else Likelihood.UNLIKELY
    for bond in pair_bonds:
        if (bond.warmth > 0) is (warmth > 0):
            yield LikelihoodReason(f"between them {bond.text}", likelihood, bond.facts)


def _reasons_from_wording(
    question: ParsedQuestion, knowledge: CanonKnowledge, lexicon: Lexicon
) -> Iterator[LikelihoodReason]:
    if len(question.words) < 2 or not question.mentions():
        return
    for fact, _ in knowledge.facts_of_time(question):
        statement = lexicon.parse(fact.statement)
        if (
            statement.words[: len(question.words)] == question.words
            and not set(map(stem, statement.all_words)) & _REVERSING_WORDS
        ):
            likelihood, attribution = LIKELIHOOD_BY_STANDING[fact.standing]
            # A sentence may go on to say when, or how far.
            likelihood = Likelihood.VERY_LIKELY if likelihood is Likelihood.CERTAIN else likelihood
            yield LikelihoodReason(f"{attribution}: “{fact.statement}”", likelihood, (fact,))


def _actor_and_deed(question: ParsedQuestion) -> tuple[Id | None, str]:
    """Return who would do what (as a stem); nobody, unless it is about a deed going on or to come."""
    words = question.words
    if len(words) < 2 or not isinstance(words[0], EntityMention) or not isinstance(words[1], str):
        return None, ""
    is_going_on = question.opening in BE_VERBS and words[1].endswith("ing")
    is_to_come = question.opening in MODAL_VERBS | DO_VERBS
    if question.is_past or words[1] == POSSESSIVE or not (is_going_on or is_to_come):
        return None, ""
    return words[0].entity_id, words[1]
