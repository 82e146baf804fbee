"""Reads what one clause says: which concepts, in which words of its own, and what it takes for granted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.aspect_reader import read_aspects
from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_words import (
    DENYING_VERBS,
    LIGHT_WORDS,
    NEGATIONS,
    PERSON_NOUNS,
    content_words,
    names_meant,
    phrase_after,
)
from agents.canon_keeper.propositions.concepts import Mention, load_concepts
from agents.canon_keeper.propositions.people_compared import read_meetings
from agents.canon_keeper.propositions.presuppositions import presupposed_propositions
from agents.canon_keeper.propositions.proposition import CLAUSE, Proposition
from agents.canon_keeper.propositions.values import read_values
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS

_DEADLY: Final = frozenset({"alive", "spared", "violent death"})
"""Concepts of which `not` before a verb says nothing: whom somebody did not kill may be dead."""
_FATES: Final = frozenset({"drown", "starve", "hang", "choke", "suffocate"})
"""Verbs that without an object befall their subject."""
_WALKING_VERBS: Final = frozenset(
    ["walk", "step", "run", "stride", "ride", "crawl", "swim", "march", "climb", "leap", "jump", "wade", "creep",
     "hop", "stroll", "stalk", "limp", "stumble", "wander", "go", "come", "pass", "drive", "fly", "sail", "row"]
)  # fmt: skip
"""Who does it across something crosses it."""
_KINSHIPS: Final = frozenset({"child", "sibling"})
_THE_PEOPLE: Final = frozenset(
    {"dead", "sick", "poor", "rich", "blind", "deaf", "hungry", "wounded", "living"}
)
_OWNING_VERBS: Final = frozenset({"own", "possess", "sell", "buy", "forge", "want"})
"""Who owns a weapon need not have it with them."""
_TRAITS: Final = frozenset({"loyal", "believer", "rich", "guilt", "human", "priest"})
"""Concepts whose nouns say what somebody is."""
_POSTURE_PREPOSITIONS: Final = frozenset(
    {"in", "on", "under", "at", "beneath", "behind", "down", "beside", "within", "near"}
)


def propositions_of(context: ClauseContext) -> Iterator[Proposition]:
    """Yield what a clause says; nothing where it is in doubt what it denies."""
    if context.is_doubtful:
        if context.negations == 1:
            yield from read_meetings(context.clause, context.base, is_denied=context.is_denied)
        return
    if not context.is_approximate:
        for proposition in _of_concepts(context):
            yield proposition
            if context.is_sole and proposition.is_affirmed and proposition.doers:
                yield replace(
                    proposition, is_affirmed=False, is_denial=True, general="person", excepted=proposition.doers,
                    doers=frozenset(),
                )  # fmt: skip
        yield from _in_own_words(context)
        yield from presupposed_propositions(context)
        yield from read_aspects(context)
    yield from read_values(context.clause, context.base, is_denied=context.is_denied)


def _of_concepts(context: ClauseContext) -> Iterator[Proposition]:
    mentions = [
        m
        for m in load_concepts().mentions(context.lemmas)
        if not (_is_posture(context, m) or _is_of_another(context, m))
    ]
    for concept in dict.fromkeys(m.concept for m in mentions):
        of_concept = [m for m in mentions if m.concept is concept]
        if len({m.is_positive for m in of_concept}) > 1:
            # `a changeling behind a human face`: what comes first counts.
            end = _first_phrase_end(context)
            of_concept = [m for m in of_concept if m.positions[-1] < end]
        is_clear = len({m.is_positive for m in of_concept}) == 1
        if is_clear and not _is_misplaced(context, of_concept):
            yield from _proposition(context, of_concept)


def _is_posture(context: ClauseContext, mention: Mention) -> bool:
    """Say whether somebody lies in bed, and does not lie."""
    after = [t.word for t in context.tokens[mention.positions[-1] + 1 :]][:1]
    return mention.phrase == ("lie",) and bool(after) and after[0] in _POSTURE_PREPOSITIONS


def _is_of_another(context: ClauseContext, mention: Mention) -> bool:
    """Say whether a noun for somebody stands behind a preposition: who works for the owner is not the owner."""
    start = mention.positions[0]
    is_trait = mention.concept.is_habit or mention.concept.name in _TRAITS
    if (
        is_trait
        and mention.phrase[0] in PERSON_NOUNS
        and start > context.verb_at
        and context.clause.tag != "be"
    ):
        return True  # who dislikes liars is none
    if start > context.verb_at + 1 and context.clause.tag != "be" and context.tokens[start - 1].word == "the":
        is_last = start + 1 == len(context.tokens) or context.tokens[start + 1].word in PREPOSITIONS | {","}
        if is_last and mention.phrase[0] in _THE_PEOPLE:
            return True  # who buries the dead is not dead
    if len(mention.phrase) > 1 or start <= context.verb_at or mention.phrase[0] not in PERSON_NOUNS:
        return False
    before = [
        t.word for t in context.tokens[context.verb_at + 1 : start] if t.word not in ARTICLES | POSSESSIVES
    ]
    return bool(before) and before[-1] in ("for", "from", "by", "to", "against", "about", "under")


def _is_misplaced(context: ClauseContext, mentions: Sequence[Mention]) -> bool:
    """Say whether the words say nothing of the concept here."""
    concept, is_denied = mentions[0].concept, context.is_denied
    is_of_object = any("^" in m.marks for m in mentions)
    if (concept.is_lexical and is_denied) or (concept.name in _DEADLY and is_denied and is_of_object):
        return True
    if concept.name == "armed" and context.clause.verb in _OWNING_VERBS:
        return True
    if concept.name in _KINSHIPS and context.clause.tag == "be":
        # `is a child` says what somebody is, and not what they have.
        return not context.is_denied and any(
            m.phrase in (("child",), ("sibling",)) or "*" in m.marks for m in mentions
        )
    if concept.is_skill and not mentions[0].is_positive:
        # `deaf to flattery`, `mute with rage`, `deaf in one ear`
        after = [t.word for t in context.tokens[mentions[0].positions[-1] + 1 :]][:2]
        return after[:1] in (["to"], ["with"], ["by"], ["for"]) or after == ["in", "one"]
    if concept.name == "alive" and not is_of_object:
        if "dead to" in " ".join(context.words):
            return True  # the world
        subject = [t for t in context.clause.subject if t.entity]
        return bool(subject) and not any(t.is_person for t in subject)
    return False


def _proposition(context: ClauseContext, mentions: Sequence[Mention]) -> Iterator[Proposition]:
    base, concept = context.base, mentions[0].concept
    doers, others = base.doers, base.others
    marks = "".join(m.marks for m in mentions)
    if "^" in marks:
        objects = others & base.people
        if context.clause.is_passive:
            objects = names_meant(context.clause.subject)
        is_fate = context.clause.verb in _FATES and (not context.rest or context.rest[0].word in PREPOSITIONS)
        if not objects and not (is_fate or (context.clause.is_passive and not doers)):
            return
        if objects:
            doers, others = objects, (others | doers) - objects
    if "~" in marks:
        doers, others = others & base.people, doers | (others - base.people)
    if "%" in marks:
        doers, others = names_meant(phrase_after(context.rest, "for")), doers | others
    # `an apprentice of Ganz`, `Ganz's apprentice`: he is one of the two.
    others |= _attached_names(context, mentions) - doers
    is_positive = mentions[0].is_positive
    is_denied = context.is_denied and not any(NEGATIONS & set(m.phrase) for m in mentions)
    yield replace(
        base,
        concept=concept.name,
        is_affirmed=is_positive is not is_denied,
        is_denial=is_denied,
        terms=frozenset(" ".join(m.phrase) for m in mentions),
        special_terms=frozenset(" ".join(m.phrase) for m in mentions if "*" in m.marks),
        doers=doers,
        others=others - doers,
        owners=base.owners - others,
        words=frozenset()
        if concept.name == "violent death" and doers
        else content_words(context.tokens, context.lemmas, {n for m in mentions for n in m.positions}),
        is_symmetric=concept.is_symmetric,
        is_final=concept.is_final,
        is_lasting=concept.is_lasting,
        is_single=concept.is_single,
        is_habit=concept.is_habit,
        is_loose=concept.is_loose,
        is_ability=base.is_ability or (concept.is_skill and not is_positive),
    )


def _attached_names(context: ClauseContext, mentions: Sequence[Mention]) -> frozenset[str]:
    """Return whose or of whom the concept is said to be."""
    tokens, names = context.tokens, set[str]()
    for mention in mentions:
        after = [t for t in tokens[mention.positions[-1] + 1 :] if t.word not in ARTICLES]
        if mention.phrase[-1] == "of" and after:
            names.add(after[0].entity)
        if len(after) > 1 and after[0].word == "of" and not (len(after) > 2 and after[2].word == "'s"):
            names.add(after[1].entity)
        start = mention.positions[0]
        if start > 1 and tokens[start - 1].word == "'s":
            names.add(tokens[start - 2].entity)
    return frozenset(names - {""})


def _first_phrase_end(context: ClauseContext) -> int:
    """Return where the first phrase behind the verb ends."""
    tokens, start = context.tokens, context.verb_at + 2
    return next((n for n in range(start, len(tokens)) if tokens[n].word in PREPOSITIONS), len(tokens))


def _in_own_words(context: ClauseContext) -> Iterator[Proposition]:
    """Yield what the clause says of its verb, for another that uses the same words."""
    clause = context.clause
    if clause.tag == "be" or clause.verb in LIGHT_WORDS | DENYING_VERBS:
        return
    yield replace(
        context.base,
        concept=CLAUSE,
        terms=frozenset({clause.verb}),
        is_affirmed=not context.is_denied,
        is_denial=context.is_denied,
        words=content_words(context.tokens, context.lemmas, {context.verb_at}) | {clause.verb},
    )
    rest = [t.word for t in context.rest]
    if clause.verb in _WALKING_VERBS and not {"across", "over"}.isdisjoint(rest[:2]):
        yield replace(
            context.base, concept=CLAUSE, terms=frozenset({"cross"}), is_affirmed=not context.is_denied,
            is_denial=context.is_denied,
            words=content_words(context.tokens, context.lemmas, {context.verb_at}) | {"cross"},
        )  # fmt: skip
