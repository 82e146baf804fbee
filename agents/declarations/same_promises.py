"""Finds an open promise that says the same as a new one in other words, or nearly the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import SUBJECT
from agents.prose.names import names_of
from agents.prose.words import stem
from stores.records.canon import AssertFact, Fact
from stores.records.ids import Id
from stores.records.world import Entity, fold_name

_DEED_GROUPS: Final = (
    "bring return give deliver hand fetch carry restore",
    "mend repair fix",
    "help aid assist",
    "protect guard defend",
    "kill slay murder",
    "come visit",
    "tell say inform",
    "pay repay",
)
"""Verbs that promise the same."""
_COMMON_DEED: Final = {stem(verb): group.split()[0] for group in _DEED_GROUPS for verb in group.split()}
_SMALL_WORD_LIST: Final = (
    "a an the i me my you your he him his she her hers it its we us our they them their promise promises promised "
    "swear swears swore sworn vow vows vowed will shall would that this these to of and for with from in on at by back "
    "again soon one day ll d have get am is be owed word somebody else"
)
_SMALL_WORDS: Final = frozenset(_SMALL_WORD_LIST.split())
_NOT: Final = frozenset({"not", "never", "no", "nobody", "nothing", "t"})
ALIKE_SHARE: Final = 0.5
"""Share of the words of two promises by which they may be one."""


class SamePromise(NamedTuple):
    """An open promise that may be the new one in other words."""

    fact: Fact
    is_certain: bool
    """Whether the new one says nothing that it does not say, and is to nobody else."""
    is_equal: bool = False
    """Whether neither says more than the other, nor is to others."""


def find_same_promise(
    promise: AssertFact, open_promises: Iterable[Fact], people: Collection[Entity]
) -> SamePromise | None:
    """Return the open promise of the same people that says what a new one says, or nearly so; None if there is none."""
    own_words = _deed_words(promise.statement, people)
    alike: Fact | None = None
    for fact in open_promises:
        if _promiser_of(fact) != _promiser_of(promise) or not _may_be_to_same(fact, promise, people):
            continue
        words = _deed_words(fact.statement, people)
        if not own_words or (own_words & _NOT) != (words & _NOT):
            continue
        if own_words <= words and _promisees_of(promise, people) <= _promisees_of(fact, people):
            is_equal = own_words == words and _promisees_of(promise, people) == _promisees_of(fact, people)
            return SamePromise(fact, is_certain=True, is_equal=is_equal)
        shared = own_words & words
        if own_words <= words or (len(shared) > 1 and len(shared) >= ALIKE_SHARE * len(own_words | words)):
            alike = fact
    return SamePromise(alike, is_certain=False) if alike is not None else None


def _promiser_of(fact: Fact | AssertFact) -> Id | None:
    """Return who promises; in a declared sentence that is whom it names first."""
    subjects = [i.entity_id for i in fact.involves if i.role == SUBJECT]
    return next(iter([*subjects, *(i.entity_id for i in fact.involves)]), None)


def _may_be_to_same(one: Fact, other: AssertFact, people: Collection[Entity]) -> bool:
    """Say whether one promise may be made to all to whom the other is; who is promised something may not be said."""
    promisees = [_promisees_of(fact, people) for fact in (one, other)]
    return not all(promisees) or promisees[0] >= promisees[1]


def _promisees_of(fact: Fact | AssertFact, people: Collection[Entity]) -> set[Id]:
    people_ids = {person.id for person in people}
    return people_ids.intersection(i.entity_id for i in fact.involves) - {_promiser_of(fact)}


def _deed_words(statement: str, people: Collection[Entity]) -> frozenset[str]:
    """Return what is promised in a statement: its words but for small ones and the names of people."""
    names = {word for person in people for name in names_of(person) for word in fold_name(name).split()}
    words = re.findall(r"[^\W_]+", statement.casefold())
    stems = (
        stem(word) for word in words if word not in _SMALL_WORDS | names and (len(word) > 1 or word == "t")
    )
    return frozenset(_COMMON_DEED.get(one, one) for one in stems)
