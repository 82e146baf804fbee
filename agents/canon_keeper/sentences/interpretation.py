"""Turns clauses into claims: which relation of the catalogue, which state or which deed a verb stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.being import BeingReader
from agents.canon_keeper.sentences.claims import AFTER_THAT, ALIVE, Claim, ClaimTime
from agents.canon_keeper.sentences.clause_parts import DEATHS
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.deeds import DeedReader
from agents.canon_keeper.sentences.implications import implied_claims
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.passives import PassiveReader
from agents.canon_keeper.sentences.tokens import NameBook
from agents.canon_keeper.sentences.word_lists import WordLists

_GROWN: Final = frozenset({"hair", "beard", "moustache", "tail"})
_HIS: Final = frozenset({"his", "her", "their", "its"})
AGE_WORDS: Final = frozenset(
    [
        "younger",
        "youngest",
        "elder",
        "eldest",
        "older",
        "oldest",
        "little",
        "small",
        "big",
        "only",
        "twin",
        "young",
    ]
)
"""What tells one of several relatives from the others: `his elder sister`."""
_WITH_THE_DEAD: Final = frozenset(
    {"mourn", "miss", "bury", "avenge", "remember", "lose", "grieve", "dream", "want", "be", "deny", "disown"}
)
"""What one does also with a relative who lives no more, or who is none."""


class Interpreter:
    """Turns clauses into claims."""

    def __init__(self, lists: WordLists, names: NameBook) -> None:
        self._lists = lists
        self._being = BeingReader(lists, names)
        self._deeds = DeedReader(lists, names, self._being)
        self._passives = PassiveReader(lists, names, self._being)

    def claims_of(self, clause: Clause) -> list[Claim]:
        """Return what a clause claims. Words that are not understood claim nothing."""
        subject = clause.subject
        if subject.head == "*it" and clause.verb in self._lists.weather:
            clause = replace(clause, subject=NounPhrase(head="it", determiner="the"))
            subject = clause.subject
        if subject.head.startswith("*") or (not subject.entity and not subject.head):
            return []
        if any(token.word.startswith("~") for token in clause.tail[:1]):
            return []
        if clause.negation and "alone" in clause.adverbs:
            return []  # who never goes alone goes with somebody
        claims = [*self._claims(clause), *self._presupposed(clause)]
        finished = [c for c in (self._finish(claim, clause) for claim in claims) if c is not None]
        return [*finished, *implied_claims(finished, self._lists)]

    def _finish(self, claim: Claim, clause: Clause) -> Claim | None:
        """Add what the clause says of every claim: denied or not, when, and of whom only."""
        adverbs = clause.adverbs
        is_affirmed = claim.is_affirmed if not clause.negation else not claim.is_affirmed
        is_death = claim.relation == ALIVE and claim.value == "false" and is_affirmed
        subject = claim.subject
        time = claim.time if claim.time is not ClaimTime.NOW else _time(clause, claim)
        if clause.verb == "become" and clause.tense == "perfect":
            time = ClaimTime.NOW  # what somebody has become they are
        if (clause.negation == "never" and time is not ClaimTime.NOW) or (
            clause.negation == "never" and not claim.is_state
        ):
            time = ClaimTime.ALWAYS
        if clause.negation == "never" and claim.is_state:
            time = ClaimTime.ALWAYS
        is_only = claim.is_only_subject or subject.is_only or ("only" in adverbs and not clause.tail)
        if subject.is_nobody:
            if subject.excepted is not None:
                subject, is_only = subject.excepted, True
            else:
                subject, is_affirmed = replace(subject, determiner="any"), not is_affirmed
        thing = claim.object
        if thing is not None and thing.is_nobody:
            if thing.excepted is not None:
                claim = replace(claim, object=thing.excepted, is_only_object=True)
            else:
                claim = replace(claim, object=replace(thing, determiner="any"))
                is_affirmed = not is_affirmed
        if is_only and not is_affirmed:
            return None
        is_plain = not clause.negation and not claim.subject.is_general and not clause.can
        if claim.is_change and not is_plain and claim.time is ClaimTime.NOW and clause.verb != "die":
            return None  # what only follows from a deed does not follow from its denial
        is_gone = claim.relation == "state:existence" and claim.is_change and is_affirmed
        if (is_death or is_gone) and clause.tense != "now":
            time = ClaimTime.NOW
        is_change = (
            claim.is_change
            or not adverbs.isdisjoint(("now", "again"))
            or clause.negation == "no longer"
            or "anymore" in adverbs
            or clause.verb == "become"
        )
        if clause.is_cleft:
            is_only = True
        # What was so after a theft `years ago` is not so from now on.
        clause_when = clause.when or ("ago" if claim.when == AFTER_THAT and "ago" in adverbs else "")
        return replace(
            claim,
            subject=replace(subject, is_only=False),
            is_affirmed=is_affirmed,
            time=time,
            when="" if is_death and not claim.when else " ".join(f"{claim.when} {clause_when}".split()),
            is_only_subject=is_only,
            is_only_object=claim.is_only_object or (claim.object is not None and claim.object.is_only),
            is_ability=clause.can,
            is_change=is_change,
            is_lasting="still" in adverbs,
            classes=clause.classes if "*pair" not in adverbs else (),
        )

    def _presupposed(self, clause: Clause) -> Iterator[Claim]:
        """Read what is taken for granted: `both of Mungo's eyes`, `Griselda's husband waits`, `with her sister`."""
        subject = clause.subject
        yield from self._relatives_behind_verb(clause)
        owner = subject.owner or subject.of
        if owner is None or clause.tense == "past":
            return
        is_affirmed = not clause.negation
        # `Three rooms of the Swan` may be three of ten; `Ombra's three wells` are all.
        is_whole = subject.owner is not None or subject.determiner in ("the", "own")
        if subject.number is not None and subject.head and is_whole:
            yield Claim(
                f"count:{subject.head}", owner, replace(subject, owner=None, of=None), number=subject.number,
                is_only_object=True, is_affirmed=is_affirmed,
            )  # fmt: skip
        is_dead = any(t.word in ("dead", "died", "grave", "buried") for t in clause.tail) or clause.verb in (
            *DEATHS, "bury", "kill",
        )  # fmt: skip
        if is_dead and subject.head in self._lists.kin:
            return
        if (
            subject.head
            and (
                not subject.modifiers or (subject.head in self._lists.kin and subject.modifiers <= AGE_WORDS)
            )
            and (subject.owner is not None or owner.entity)
            and is_affirmed
        ):
            yield Claim("has", owner, NounPhrase(head=subject.head, determiner="a"))
        if (
            self._lists.kin.get(subject.head) == "spouse"
            and not subject.modifiers
            & {
                "late",
                "dead",
                "former",
            }
            and not is_dead
        ):
            yield Claim("state:marriage", owner, value="0:married", is_affirmed=is_affirmed)

    def _relatives_behind_verb(self, clause: Clause) -> Iterator[Claim]:
        """Read that somebody who lives with her sister has one."""
        if clause.tense != "now" or clause.negation or clause.can or clause.verb in _WITH_THE_DEAD:
            return
        for position, token in enumerate(clause.tail):
            before = clause.tail[position - 1] if position else None
            if before is None or before.word not in _HIS or not clause.subject.entity:
                continue
            following = next((t for t in clause.tail[position : position + 4] if t.word in _GROWN), None)
            ends = [t.word for t in clause.tail[position : position + 3]]
            if "'s" in ends:
                continue  # who combs her daughter's hair may have none
            if following is not None and following.word in _GROWN:
                yield Claim("has", clause.subject, NounPhrase(head=following.word, determiner="a"))
            if token.word in self._lists.kin:
                yield Claim("has", clause.subject, NounPhrase(head=token.word, determiner="a"))

    def _claims(self, clause: Clause) -> Iterator[Claim]:
        if clause.form == "be":
            yield from self._being.claims(clause)
        elif clause.form == "have":
            yield from self._deeds.having_claims(clause)
        elif clause.is_passive:
            yield from self._passives.claims(clause)
        else:
            yield from self._deeds.claims(clause)


def _time(clause: Clause, claim: Claim) -> ClaimTime:
    if clause.tense == "past":
        return ClaimTime.PAST
    if clause.tense == "perfect":
        return (
            ClaimTime.NOW
            if clause.form == "be"
            and not clause.is_passive
            and claim.relation.startswith(("state:", "is", "alive"))
            else ClaimTime.PAST
        )
    return ClaimTime.NOW


def read_state_words(words: str, lists: WordLists) -> list[tuple[str, str]]:
    """Return the relation and value of a tag: `wounded`, `in debt`, `drunk`."""
    tag = " ".join(words.casefold().split())
    if places := lists.states.get(tag):
        return [(f"state:{dimension}", f"{side}:{tag}") for dimension, side in places]
    return [("is", tag)]
