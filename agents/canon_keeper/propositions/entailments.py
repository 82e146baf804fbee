"""Finds the words of a clause that entail a side of an aspect: what somebody is, does, has, or what is done to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.aspects import (
    Aspect,
    AspectKind,
    ClausePart,
    Matter,
    load_aspects,
)
from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_words import PERSON_NOUNS
from agents.canon_keeper.propositions.entailed_lives import (
    Entailment,
    contents,
    dead_parents,
    living,
    seen_kin,
)
from agents.canon_keeper.propositions.holders import PHRASE_ENDS, Holder, holders_of, objects_of, places_of
from agents.canon_keeper.propositions.proposition import ClauseTime
from agents.canon_keeper.propositions.quantities import unit_of
from agents.canon_keeper.propositions.wording_matches import (
    WordForms,
    forms_of,
    match_verb,
    match_words,
    without_negations,
)
from agents.canon_keeper.sentences.comparison import OTHER_DEEDS_WITH_OBJECT
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, singular

_SKIPPED: Final = (
    ARTICLES | POSSESSIVES | {"any", "single", "very", "quite", "so", "himself", "herself", "own"}
)
"""Words that may stand between the words of a wording without counting."""
_PARTS: Final = frozenset(
    ["one", "some", "any", "many", "most", "all", "none", "each", "two", "three", "four", "kind", "sort", "type",
     "breed", "race", "last", "first", "only", "pair", "couple", "group", "band", "number", "slip", "mountain",
     "bear", "wisp", "hulk", "brute", "out", "full"]
)  # fmt: skip
"""Before `of`, what says only how much of what follows it is, or of what kind: `one of the women`."""
_BEING_VERBS: Final = frozenset({"be", "remain", "stay", "become"})
_HAVING_VERBS: Final = frozenset({"have", "own", "possess", "wear", "carry", "bear", "get"})
_GONE_OWNED: Final = frozenset(
    ["late", "former", "dead", "future", "first", "second", "third", "next", "ex", "would-be", "die", "bury", "kill",
     "murder", "drown", "hang", "grave", "ghost", "old", "foster", "adopt", "lose", "dream", "memory"]
)  # fmt: skip
"""Words by which somebody whose husband is named may have none."""
_FORMER: Final = frozenset({"late", "former", "dead", "future", "ex", "would-be"})
_FORMER_OR_SHAM: Final = _FORMER | {
    "toy",
    "model",
    "paper",
    "stuffed",
    "rocking",
    "imaginary",
    "fake",
    "pretend",
}
_BEHIND_ADJECTIVES: Final = frozenset(
    ["all", "every", "always", "again", "now", "the", "that", "and", "when", "until", "till", "for", "while"]
)
"""What may stand behind an adjective and is no noun: `left the window open until dawn`."""
_KEEPING_VERBS: Final = frozenset({"keep", "leave", "find"})
"""Verbs behind whose object stands what it is."""
_OF_THE_SKY: Final = frozenset(
    {"sky", "weather", "wind", "sun", "moon", "full moon", "rain", "night", "gale"}
)
_WEATHER: Final = frozenset({"sky", "wind", "moon"})
"""Aspects that, where no place is named, are told of wherever the story is."""
_PEOPLE_MEANT: Final = frozenset({"we", "i", "they", "you", "everyone", "everybody"})
_PARTICLES: Final = frozenset({"up", "down", "out", "off", "away"})
"""What may stand between a verb and its object: `tore up the letter`, and not `walked up the hill`."""
_DIMENSIONS: Final = frozenset({"deep", "long", "high", "wide", "tall", "old", "broad", "thick"})
_LIMITING: Final = frozenset({"too", "enough", "less", "little", "bit", "somewhat", "slightly", "partly"})
"""Words by which it is not plainly so."""
_TOO_MUCH: Final = frozenset(
    ["poor", "drunk", "weak", "frail", "ill", "sick", "lame", "blind", "deaf", "afraid", "frightened", "scared",
     "cowardly", "stupid", "lazy", "proud", "honest", "kind", "mean", "stingy", "broke", "hungry", "badly",
     "young", "old"]
)  # fmt: skip
_SPANS: Final = frozenset(
    ["year", "month", "week", "day", "century", "decade", "age", "hour", "generation", "long", "birth", "childhood",
     "war", "spring", "summer", "winter", "autumn", "night"]
)  # fmt: skip
_POPULACE: Final = frozenset({"people", "folk", "citizen", "townsfolk", "villager", "inhabitant", "resident"})
"""The people of a place, by whom what they do is told of the place."""
_ONLY_PART: Final = frozenset(
    {("part", "of"), ("half", "of"), ("some", "of"), ("most", "of"), ("half", "his"), ("half", "her")}
)
"""What is done to a part of something only: `paid part of the debt`."""
_ADVERBS: Final = frozenset({"hardly", "seldom", "rarely", "always", "still", "only"})
"""Adverbs before the verb with which a wording may begin."""
_OTHER_WITH_OBJECT: Final = OTHER_DEEDS_WITH_OBJECT | {
    "perish",
    "drown",
    "hang",
    "die",
    "starve",
    "rule",
    "surrender",
}


def entailments_of(context: ClauseContext) -> Iterator[Entailment]:
    """Yield what the words of a clause entail; nothing where it is in doubt what they deny."""
    clause = context.clause
    if context.negations > 1 or context.is_cut or clause.limit in ("than", "lest"):
        return
    subjects = tuple(holders_of(clause.subject, context.pronoun_id))
    if [t.word for t in clause.subject] == ["it"] and clause.tag == "be" and not subjects:
        subjects = tuple(_places(context))  # `It is dark in the Gallery`
    said = [
        t
        for t in clause.helpers
        if t.word.endswith("ly") or t.word in ("alive", "alone", "home", "away", "here")
    ]
    rest = _without_skipped([*(said if clause.tag == "be" else ()), *clause.rest])  # `is deadly`
    forms = [forms_of(t) for t in rest]
    helpers = {t.word for t in clause.helpers}
    for holder in subjects:
        yield from _being(context, holder, rest, forms)
        if not clause.is_passive:
            yield from _doing(context, holder, ClausePart.DOES, forms, helpers)
            yield from living(context, holder)
            yield from _having(context, holder, forms)
        else:
            yield from _doing(context, holder, ClausePart.DONE, forms, helpers)
    if not clause.is_passive:
        owner = subjects[0].entity if len(subjects) == 1 and not subjects[0].noun else ""
        particle = context.rest[0].word if context.rest and context.rest[0].word in _PARTICLES else ""
        for holder in objects_of(context.rest[1:] if particle else context.rest, owner):
            done = _doing(context, holder, ClausePart.DONE, forms, helpers)
            yield from (e for e in done if not particle or particle in e.wording.words)
        yield from _keeping(context, rest, owner)
        yield from seen_kin(context, owner)
    yield from dead_parents(context)
    yield from contents(context)
    if not context.base.general:
        yield from _happening(context, forms, helpers)
    yield from _owning(context, subjects)
    yield from _telling(context)


def _without_skipped(tokens: Sequence[Token]) -> list[Token]:
    return [t for t in tokens if t.word not in _SKIPPED]


def _being(
    context: ClauseContext, holder: Holder, rest: Sequence[Token], forms: Sequence[WordForms]
) -> Iterator[Entailment]:
    """Yield what the words behind `is` entail: `a blind man`, `in prison`, `locked`."""
    clause = context.clause
    is_being = clause.tag == "be" or clause.verb in _BEING_VERBS
    if not (is_being or clause.is_passive):
        return
    is_too_much = _is_too_much([*(t for t in clause.helpers if t.word == "too"), *rest])
    if not is_too_much and not _LIMITING.isdisjoint(t.word for t in rest):
        return
    is_compared = any(t.word == "than" for t in rest)
    zone = [frozenset({clause.word, clause.verb}), *forms] if clause.is_passive else list(forms)
    words = without_negations(zone) if context.is_denied else zone
    end = next((n for n, f in enumerate(words) if n and f & PHRASE_ENDS), max(len(words), 1))
    for index, word_forms in enumerate(words[: end + 1]):
        for form in sorted(word_forms):
            for wording in load_aspects().wordings(ClausePart.IS, form):
                is_phrase = wording.words[0] in PREPOSITIONS
                if not is_phrase and (index >= end or _is_of_other(words, index)):
                    continue
                if is_compared and "than" not in wording.words:
                    continue
                if form in _DIMENSIONS and index and any(unit_of(w) for w in words[index - 1]):
                    continue  # `ten feet deep`
                if wording.is_negative and not context.is_denied and "without" not in wording.words:
                    continue
                if (matched := match_words(wording.affirmed_words, words, index)) is not None:
                    is_narrowed = (
                        not is_phrase
                        and not is_too_much
                        and wording.aspect.matter is Matter.ANY
                        and _is_narrowed(words, index, wording.affirmed_words, is_person=holder.is_person)
                    )
                    yield Entailment(wording, holder, matched, is_narrowed)


def _is_too_much(rest: Sequence[Token]) -> bool:
    """Say whether somebody is what they are too much of: `too poor to buy shoes`, and not `too tall to hide`."""
    words = [t.word for t in rest]
    return words[:1] == ["too"] and words[2:3] == ["to"] and words[1] in _TOO_MUCH


def _is_of_other(forms: Sequence[WordForms], index: int) -> bool:
    """Say whether a noun behind `is` says whose somebody is: `my mother's friend`, `the friend of my mother`."""
    if forms[index + 1 : index + 2] and "'s" in forms[index + 1]:
        return True
    of = next((n for n in range(index) if "of" in forms[n]), None)
    return of is not None and of > 0 and forms[of - 1].isdisjoint(_PARTS)


def _is_narrowed(forms: Sequence[WordForms], index: int, words: Sequence[str], *, is_person: bool) -> bool:
    """Say whether what somebody is said to be is said in one respect: `deaf to advice`, `drunk with power`."""
    end = next((n for n in range(index, len(forms)) if words[-1] in forms[n]), index)
    at = next((n for n in range(end + 1, len(forms)) if forms[n] & PREPOSITIONS), None)
    if list(words) == ["free"] and forms[end + 1 : end + 2] and "of" in forms[end + 1]:
        return True  # `free of fear`
    if at is None or "of" in words:
        return False
    if forms[at] & {"for", "since"} and any(f & _SPANS for f in forms[at + 1 : at + 4]):
        return False  # `dark for years`
    if "in" in forms[at] and forms[at + 1 : at + 2] and "both" in forms[at + 1]:
        return False  # `blind in both eyes`
    if "in" in forms[at]:
        return any(not f.isdisjoint(load_word_lists().body_parts | {"ear"}) for f in forms[at + 1 : at + 3])
    return is_person or "to" not in forms[at]  # `full to the roof`


def _doing(
    context: ClauseContext,
    holder: Holder,
    clause_part: ClausePart,
    forms: Sequence[WordForms],
    helpers: set[str],
) -> Iterator[Entailment]:
    """Yield what the verb and the words behind it entail of who does it, or to whom it is done."""
    if _says_other_deed(context) or tuple(t.word for t in context.clause.rest[:2]) in _ONLY_PART:
        return
    clause = context.clause
    said = frozenset[str]().union(*forms)
    for wording in load_aspects().wordings(clause_part, clause.verb):
        if len(wording.affirmed_words) > 1 and wording.affirmed_words[1] not in said:
            continue
        if clause.tag == "ing" and wording.aspect.kind is AspectKind.FINAL:
            continue  # who is dying is not dead
        if len(wording.words) == 1 and clause_part is ClausePart.DOES and _has_other_object(context):
            continue
        matched = match_verb(wording.words, forms, helpers, is_denied=context.is_denied)
        if matched is not None:
            yield Entailment(wording, holder, matched | {clause.verb})
    for adverb in sorted(helpers & _ADVERBS):
        for wording in load_aspects().wordings(clause_part, adverb):
            if wording.words[1:2] != (clause.verb,):
                continue
            matched = match_verb(wording.words[1:], forms, helpers, is_denied=context.is_denied)
            if matched is not None:
                yield Entailment(wording, holder, matched | {clause.verb})


def _says_other_deed(context: ClauseContext) -> bool:
    """Say whether somebody lies somewhere, and does not lie."""
    clause = context.clause
    following = clause.rest[0].word if clause.rest else ""
    is_posture = following in PREPOSITIONS - {"to", "about"} or following in ("down", "there", "here")
    return (
        clause.verb == "lie"
        and clause.word != "lied"
        and is_posture
        and any(token.is_person for token in clause.subject[-1:])
    )


def _has_other_object(context: ClauseContext) -> bool:
    """Say whether a verb says something else of its object: who never runs may run an inn."""
    following = context.clause.rest[0] if context.clause.rest else None
    return (
        context.clause.verb in _OTHER_WITH_OBJECT
        and following is not None
        and following.word not in PREPOSITIONS
        and not following.word.endswith("ly")
    )


def _having(context: ClauseContext, holder: Holder, forms: Sequence[WordForms]) -> Iterator[Entailment]:
    if context.clause.verb not in _HAVING_VERBS:
        return
    is_denied = context.is_denied
    words = without_negations(forms) if is_denied else list(forms)
    for index, word_forms in enumerate(words[:5]):
        if word_forms & PREPOSITIONS:
            return
        if word_forms & _FORMER_OR_SHAM and not index:
            return
        for form in sorted(word_forms):
            for wording in load_aspects().wordings(ClausePart.HAS, form):
                if wording.is_negative is not is_denied:
                    continue
                if context.clause.verb in ("own", "possess") and wording.aspect.kind is AspectKind.PASSING:
                    continue  # who owns a sword may have left it at home
                if (matched := match_words(wording.affirmed_words, words, index)) is not None:
                    yield Entailment(wording, holder, matched | {context.clause.verb})


def _owning(context: ClauseContext, subjects: Sequence[Holder]) -> Iterator[Entailment]:
    """Yield what somebody has by whose it is called: `Ilsa's husband`, `with his parents`."""
    lemmas = frozenset(form for forms in context.lemmas for form in forms)
    people = [s for s in subjects if s.is_person and not s.noun]
    if context.base.general or context.base.part:
        return
    subject_end = len(context.clause.subject)
    tokens = [*context.clause.subject, *context.clause.rest]
    for index, token in enumerate(tokens[:-1]):
        is_own = token.word in ("his", "her", "their") and len(people) == 1 and index >= subject_end
        is_named = token.word == "'s" and index > 0 and bool(tokens[index - 1].entity)
        if not (is_own or is_named):
            continue
        owner = people[0] if is_own else Holder(tokens[index - 1].entity, "", tokens[index - 1].is_person)
        end = subject_end if index < subject_end else len(tokens)
        following = tokens[index + 1 : min(end, index + 5)]
        if any(t.word == "'s" for t in following[1:3]):
            continue  # `Vera's son's wife`
        forms = [forms_of(t) for t in following]
        for start in range(len(forms)):
            if forms[start] & PREPOSITIONS or following[start].entity:
                break
            yield from _owned(context, owner, forms, start, lemmas)
    for index in range(2, len(tokens) - 1):
        if tokens[index].word != "of" or not tokens[index + 1].entity or tokens[index + 1].is_person:
            continue
        at = next((n for n in range(index - 1, max(-1, index - 4), -1) if tokens[n].word == "the"), None)
        is_whole = index + 2 == len(tokens) or tokens[index + 2].word != "'s"
        if at is not None and is_whole:
            forms = [forms_of(t) for t in tokens[at + 1 : index]]
            place = Holder(tokens[index + 1].entity, "", is_person=False)
            for start in range(len(forms)):
                yield from _owned(context, place, forms, start, lemmas)


def _owned(
    context: ClauseContext,
    owner: Holder,
    forms: Sequence[WordForms],
    start: int,
    lemmas: frozenset[str],
) -> Iterator[Entailment]:
    for form in sorted(forms[start]):
        for wording in load_aspects().wordings(ClausePart.HAS, form):
            if wording.is_negative or not wording.aspect.has_by_possessive:
                continue
            if not _GONE_OWNED.isdisjoint(lemmas - set(wording.words)):
                continue
            if wording.aspect.kind is AspectKind.PASSING and context.base.time is not ClauseTime.NOW:
                continue
            if (matched := match_words(wording.words, forms, start)) is not None and not context.is_denied:
                yield Entailment(wording, owner, matched | lemmas)


def _places(context: ClauseContext) -> Iterator[Holder]:
    """Yield where it is done, whether that stands before or behind."""
    rest = context.rest if context.base.when.endswith("ago") else context.clause.rest
    return places_of([*context.clause.front, Token(",", ","), *rest])


def _keeping(context: ClauseContext, rest: Sequence[Token], owner: str) -> Iterator[Entailment]:
    """Yield what somebody keeps, leaves or finds something to be: `kept the window shut`, `found the safe empty`."""
    if context.clause.verb not in _KEEPING_VERBS or context.is_denied:
        return
    tokens = [t for t in context.clause.rest if t.word not in _SKIPPED - ARTICLES - POSSESSIVES]
    end = next((n for n, t in enumerate(tokens) if t.word in PREPOSITIONS | {",", "to"}), len(tokens))
    for at in range(1, min(end, 5)):
        wordings = [
            w for form in sorted(forms_of(tokens[at])) for w in load_aspects().wordings(ClausePart.IS, form)
        ]
        if not wordings or (at + 1 < end and not _is_adverbial(tokens, at + 1)):
            continue
        forms = [forms_of(t) for t in tokens[at:]]
        for holder in holders_of(tokens[:at], "", owner):
            for wording in wordings:
                matched = match_words(wording.affirmed_words, forms, 0)
                if matched is not None and not wording.is_negative:
                    yield Entailment(wording, holder, matched | {context.clause.verb})
        return


def _is_adverbial(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word behind an adjective says when or how, so that no noun follows the adjective."""
    return tokens[at].word in _BEHIND_ADJECTIVES


def _happening(context: ClauseContext, forms: Sequence[WordForms], helpers: set[str]) -> Iterator[Entailment]:
    """Yield what it entails of a place that something is done there."""
    wordings = load_aspects().wordings(ClausePart.AT, context.clause.verb)
    subject = context.clause.subject
    is_by_people = any(t.is_person or singular(t.word) in PERSON_NOUNS | _PEOPLE_MEANT for t in subject)
    if not wordings or context.clause.is_passive or not is_by_people:
        return
    for holder in _places(context):
        for wording in wordings:
            if (
                matched := match_verb(wording.words, forms, helpers, is_denied=context.is_denied)
            ) is not None:
                yield Entailment(wording, holder, matched | {context.clause.verb})


def _telling(context: ClauseContext) -> Iterator[Entailment]:
    """Yield what the words of the whole clause entail of the one who is named, or of the place."""
    tokens = [t for t in context.tokens if t.word not in _SKIPPED - {"any"}]
    forms = [forms_of(t) for t in tokens]
    for index, word_forms in enumerate(forms):
        for form in sorted(word_forms):
            for wording in load_aspects().wordings(ClausePart.TOLD, form):
                if wording.is_negative is not context.is_denied:
                    continue
                kept = without_negations(forms[index:]) if wording.is_negative else forms[index:]
                if (matched := match_words(wording.affirmed_words, kept, 0)) is None:
                    continue
                for holder in _told_of(context, wording.aspect):
                    yield Entailment(wording, holder, matched | {context.clause.verb})


def _told_of(context: ClauseContext, aspect: Aspect) -> Iterator[Holder]:
    base = context.base
    if aspect.of == "person":
        people = base.people & (base.doers | base.owners | base.others)
        if len(people) == 1:
            yield Holder(next(iter(people)), "", is_person=True)
        return
    found = [*holders_of(context.clause.subject), *objects_of(context.rest), *_places(context)]
    is_of_sky = all(h.noun in _OF_THE_SKY for h in found) and not any(t.entity for t in context.tokens)
    if aspect.name in _WEATHER and is_of_sky:
        yield Holder("", "weather", is_person=False)  # `It rained all day`
    found = [Holder(h.entity, "", is_person=False) if h.entity and h.noun in _POPULACE else h for h in found]
    yield from (h for h in dict.fromkeys(found) if not h.is_person)
