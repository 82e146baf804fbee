"""Reads what a clause says besides its verb: what there is, whose relatives there are, who is with whom, who lives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_words import content_words, is_content, phrase_after, word_of
from agents.canon_keeper.propositions.concepts import base_forms, load_concepts
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.sentences.interpretation import AGE_WORDS
from agents.canon_keeper.sentences.noun_phrases import ARTICLES
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import number_of

_KINSHIPS: Final = frozenset({"child", "sibling", "married"})
_NOTHING: Final[frozenset[str]] = frozenset()
_NOWADAYS: Final = ("these days", "nowadays", "still", "every", "to this day")
_USING_VERBS: Final = frozenset(
    ["open", "read", "ring", "play", "wear", "wield", "board", "sail", "steer", "light", "fire", "close", "lock"]
)  # fmt: skip
_TRAVELLING_VERBS: Final = frozenset(
    {"sail", "row", "ferry", "travel", "take", "cross", "steer", "carry", "ride"}
)
_WORKING_VERBS: Final = frozenset(
    ["sail", "nose", "glide", "ring", "toll", "chime", "strike", "fire", "dock", "anchor", "moor", "race", "come",
     "arrive", "leave", "approach", "carry", "grind", "tick", "swing", "put", "set", "slip", "steam", "run", "ferry",
     "cross", "open", "close"]
)  # fmt: skip
"""What a thing does only while it is whole."""
_WAYS_ACROSS: Final = frozenset({"across", "over", "aboard", "through"})
_NO_DEEDS: Final = frozenset(
    {
        "be",
        "have",
        "lie",
        "rest",
        "haunt",
        "stand",
        "hang",
        "walk",
        "appear",
        "owe",
        "belong",
        "mean",
        "matter",
        "deserve",
    }
)
"""Verbs that are said of the dead as well."""


def presupposed_propositions(context: ClauseContext) -> Iterator[Proposition]:
    """Yield what a clause says of what there is and takes for granted."""
    yield from _existence(context)
    yield from _relatives(context)
    if context.is_denied or context.base.general:
        return
    if not context.base.when:
        yield from _parts_named(context)
    yield from _company(context)
    yield from _use(context)
    yield from _living(context)


def _existence(context: ClauseContext) -> Iterator[Proposition]:
    """Read that there is something somewhere, or nothing of its kind: `There is no lighthouse on Gull Island`."""
    clause, base = context.clause, context.base
    if not base.entities():
        return
    rest = [t.word for t in clause.rest]
    is_there = [t.word for t in clause.subject] == ["there"] and clause.verb == "be"
    is_kind = (
        clause.tag == "be"
        and rest[:1] in (["a"], ["an"])
        and len(base.entities()) > 1
        and not context.is_denied
    )
    is_lacked = (
        clause.verb == "have" and context.is_denied and not base.people and rest[:1] in (["no"], ["any"])
    )
    words = content_words(context.tokens, context.lemmas, set())
    if words and (is_there or is_kind or is_lacked):
        yield replace(
            base, concept="existence", is_affirmed=not context.is_denied, is_denial=context.is_denied, words=words,
            is_symmetric=True, terms=frozenset({"be"}), doers=base.entities(), others=_NOTHING, owners=_NOTHING,
            general="",
        )  # fmt: skip


def _relatives(context: ClauseContext) -> Iterator[Proposition]:
    """Read the relatives that are taken for granted: `Arlo's sister runs the tollhouse`, `is Lord Ansel's son`."""
    tokens = list(context.clause.subject)
    if context.clause.tag == "be" and not context.is_denied:
        tokens += context.clause.rest
    for index, token in enumerate(tokens[:-2]):
        if not (token.is_person and tokens[index + 1].word == "'s"):
            continue
        noun = next((t for t in tokens[index + 2 : index + 4] if t.word not in AGE_WORDS), tokens[index + 2])
        for mention in load_concepts().mentions([base_forms(noun.word)]):
            if (
                mention.concept.name in _KINSHIPS
                and mention.is_positive
                and mention.phrase[0] not in ("widow", "bride")
            ):
                term = frozenset({mention.phrase[0]})
                yield replace(
                    context.base, concept=mention.concept.name, is_affirmed=True, is_denial=False, time=ClauseTime.NOW,
                    when="", doers=frozenset({token.entity}), others=_NOTHING, owners=_NOTHING, words=_NOTHING,
                    terms=term, special_terms=term, is_event=False, is_lasting=mention.concept.is_lasting, target="",
                )  # fmt: skip


def _parts_named(context: ClauseContext) -> Iterator[Proposition]:
    """Read what is named as a part of something: `a window of the Tower`."""
    tokens = [*context.clause.subject, Token("|", "|"), *context.rest]
    for index in range(2, len(tokens) - 1):
        following = [t for t in tokens[index + 1 : index + 3] if t.word not in ARTICLES]
        noun = tokens[index - 1]
        forms = base_forms(noun.word)
        is_counted = tokens[index - 2].word in ARTICLES or number_of(tokens[index - 2].word) is not None
        if tokens[index].word not in ("of", "in", "at", "on") or not following or not is_counted:
            continue
        whole = following[0]
        if whole.entity and not whole.is_person and is_content(noun, forms):
            yield replace(
                context.base, concept="existence", is_symmetric=True, terms=frozenset({"be"}),
                words=frozenset({word_of(forms)}), doers=frozenset({whole.entity}), others=_NOTHING, owners=_NOTHING,
                is_event=False, target="", time=ClauseTime.NOW,
            )  # fmt: skip


def _company(context: ClauseContext) -> Iterator[Proposition]:
    """Read with whom somebody does it: neither of them is alone."""
    base = context.base
    companions = frozenset(t.entity for t in phrase_after(context.rest, "with") if t.is_person)
    if not companions:
        return
    words = content_words(context.tokens, context.lemmas, set())
    for somebody in (base.doers, companions):
        yield replace(
            base, concept="alone", terms=frozenset({"with"}), words=words, doers=somebody,
            others=base.others - companions,
        )  # fmt: skip


def _use(context: ClauseContext) -> Iterator[Proposition]:
    """Read that a thing is whole that is used, crossed or at work now: `opens the Blue Ledger`."""
    clause, base = context.clause, context.base
    if base.time is not ClauseTime.NOW or base.is_ability or clause.tag not in ("s", "base", "ing"):
        return
    ways = _WAYS_ACROSS | ({"in", "aboard", "on"} if clause.verb in _TRAVELLING_VERBS else _NOTHING)
    used = {t.entity for way in ways for t in phrase_after(context.rest, way) if t.entity}
    if clause.verb in _USING_VERBS:
        used.add(base.target)
    if clause.verb in _WORKING_VERBS:
        used |= base.doers
    for thing in sorted(used - base.people - {""}):
        yield replace(
            base, concept="usable", terms=frozenset({clause.verb}), words=_NOTHING, doers=frozenset({thing}),
            others=_NOTHING, owners=_NOTHING, is_event=False, is_change=False, target="", part="", when="",
        )  # fmt: skip


def _living(context: ClauseContext) -> Iterator[Proposition]:
    """Read that somebody is alive, and a faction still there, who does something nowadays."""
    clause, base = context.clause, context.base
    text = f" {' '.join(context.plain_words)} "
    is_nowadays = any(f" {words} " in text for words in _NOWADAYS)
    is_deed = clause.tag in ("s", "base", "ing") and clause.verb not in _NO_DEEDS
    people = base.doers & base.people
    if is_nowadays and is_deed and people and base.time is ClauseTime.NOW:
        for concept in ("alive", "disband"):
            yield replace(
                base,
                concept=concept,
                terms=frozenset({clause.verb}),
                doers=people,
                is_final=concept == "alive",
            )
