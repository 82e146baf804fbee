"""Reads which sides of aspects a clause entails: who reads sees, who is a widow has no husband."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.aspects import NEGATING, Aspect, AspectKind
from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_words import PERSON
from agents.canon_keeper.propositions.entailed_lives import Entailment
from agents.canon_keeper.propositions.entailments import entailments_of
from agents.canon_keeper.propositions.holders import Holder
from agents.canon_keeper.propositions.proposition import ASPECT, ClauseTime, Proposition

_NOBODY: Final = frozenset({"nothing", "nobody", "none"})
_NOBODY_MEANT: Final = frozenset({"nobody", "none", "one", "no-one"})
"""Words of a wording that is denied of everybody."""
_IDLE: Final = frozenset({"career", "lifetime", "existence", "history", "day", "memory"})
"""Words that only say for how long."""
_ANYBODY: Final = frozenset({"man", "woman", "member", "fellow"})
"""More nouns that mean just somebody."""


def read_aspects(context: ClauseContext) -> Iterator[Proposition]:
    """Yield the sides of aspects that a clause entails; nothing where it entails two sides of one."""
    entailments = [
        e for e in entailments_of(context) if _is_of_kind(e.wording.aspect, e.holder) and _is_said(context, e)
    ]
    by_aspect: dict[tuple[str, Holder], list[Entailment]] = {}
    for entailment in entailments:
        by_aspect.setdefault((entailment.wording.aspect.name, entailment.holder), []).append(entailment)
    for found in by_aspect.values():
        longest = max(found, key=lambda e: len(e.wording.words))
        if len({e.wording.side for e in found if len(e.wording.words) == len(longest.wording.words)}) == 1:
            yield from _proposition(context, longest)


def _says_no_longer(context: ClauseContext) -> bool:
    words = " ".join(context.words)
    return any(phrase in f" {words} " for phrase in (" longer ", " anymore ", " any more "))


def _is_of_kind(aspect: Aspect, holder: Holder) -> bool:
    return aspect.of == "any" or holder.is_person is (aspect.of == "person")


def _is_said(context: ClauseContext, entailment: Entailment) -> bool:
    """Say whether the words are said of the side, and not denied of another way to it; who is no singer may speak."""
    wording = entailment.wording
    if not (_NOBODY & set(wording.words)) <= set(context.words):
        return False  # who is not afraid of Tess may be afraid of something
    if not context.is_denied or wording.is_negative:
        return True
    if not wording.stands_for_side or context.base.time is ClauseTime.PAST:
        return False
    return wording.aspect.kind is not AspectKind.FINAL


def _proposition(context: ClauseContext, entailment: Entailment) -> Iterator[Proposition]:
    wording, holder, base = entailment.wording, entailment.holder, context.base
    aspect = wording.aspect
    is_denied = context.is_denied and not wording.is_negative
    time = base.time
    denying = (
        NEGATING - {"without"} if aspect.kind is AspectKind.PASSING else NEGATING
    )  # `escaped without a scratch`
    if wording.is_negative and time is ClauseTime.PAST and not denying.isdisjoint(wording.words[1:]):
        time = ClauseTime.ALWAYS  # `bowed to no man`
    if wording.words[0] == "die" and aspect.kind is AspectKind.LASTING and time is ClauseTime.PAST:
        time = ClauseTime.ALWAYS  # `died childless`
    if base.is_ability and aspect.kind is not AspectKind.LASTING:
        return
    words = frozenset(PERSON if word in _ANYBODY else word for word in context.content)
    if not _NOBODY_MEANT.isdisjoint(wording.words):
        words -= {PERSON}
    idle = _IDLE if words.isdisjoint(_IDLE) else _IDLE | {"whole", "entire", "long"}
    named_behind = frozenset(t.entity for t in context.clause.rest if t.entity) - base.owners
    yield replace(
        base,
        concept=f"{ASPECT}{aspect.name}",
        is_affirmed=not is_denied,
        is_denial=context.is_denied,
        terms=frozenset({wording.side}),
        special_terms=frozenset({" ".join(wording.words)}),
        doers=frozenset({holder.entity}) - {""},
        others=(base.doers | base.others | named_behind) - {holder.entity},
        owners=base.owners - {holder.entity},
        thing=holder.noun,
        words=words - entailment.words - idle - set(holder.noun.split()),
        when="" if set(base.when.split()) & set(wording.words) else base.when,
        time=time,
        is_change=base.is_change and (not context.is_denied or _says_no_longer(context)),
        is_loose=entailment.is_narrowed,
        is_event=base.is_event and context.clause.tag != "ing",
        general="",
    )
