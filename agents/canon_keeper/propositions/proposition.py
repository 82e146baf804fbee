"""What a clause says in terms of concepts: what it is about, of whom, affirmed or denied, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from agents.canon_keeper.propositions.quantities import Quantity

CLAUSE: Final = "clause"
"""The concept of what a clause says in its own words."""
ASPECT: Final = "aspect:"
"""What the concepts of aspects begin with, such as sight; the one term is the side that is said."""


class ClauseTime(StrEnum):
    """Of which time a clause speaks; `ALWAYS`: of all time until now."""

    NOW = "now"
    PAST = "past"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Proposition:
    """That a concept holds, or does not, of those named."""

    concept: str
    is_affirmed: bool
    terms: frozenset[str] = frozenset()
    """The words by which the concept is named."""
    special_terms: frozenset[str] = frozenset()
    """Those of them that name only one kind of it, such as `son` for a child."""
    is_denial: bool = False
    """Whether a word such as `not` denies it; else the contrary is a word of its own (`dead`)."""
    doers: frozenset[str] = frozenset()
    """Those named of whom it is said."""
    others: frozenset[str] = frozenset()
    """The others that are named."""
    owners: frozenset[str] = frozenset()
    """Those named only to say whose or of what somebody or something is: `Dob's house`."""
    people: frozenset[str] = frozenset()
    """Those of both who are somebody."""
    words: frozenset[str] = frozenset()
    """Whatever else it is about, in base forms."""
    general: str = ""
    """`person` or another noun if it is said of everybody or nobody of that kind."""
    excepted: frozenset[str] = frozenset()
    """Names and nouns of whom the contrary is said: `nobody but Fenn`, `only women`."""
    kinds: frozenset[str] = frozenset()
    """The kinds of people of whom it is said: `women`."""
    is_still: bool = False
    part: str = ""
    """`one` or `both`, of several."""
    time: ClauseTime = ClauseTime.NOW
    is_perfect: bool = False
    when: str = ""
    is_ability: bool = False
    is_change: bool = False
    """Whether it says that it has become so or has ceased."""
    quantity: Quantity | None = None
    thing: str = ""
    """Of what a value is: the coat of `Dana's only coat is red`."""
    is_passive: bool = False
    named: frozenset[str] = frozenset()
    """Every name in the statement."""
    is_symmetric: bool = False
    is_final: bool = False
    is_lasting: bool = False
    is_single: bool = False
    is_habit: bool = False
    is_loose: bool = False
    target: str = ""
    """The name that stands right behind the verb, or of whom a passive is said."""
    links: frozenset[tuple[str, str]] = frozenset()
    """Prepositions, each with the name right behind it."""
    is_plural: bool = False
    """Whether those of whom it is said are several, without names."""

    is_any: bool = False
    """Whether it is said of any one of its object: `can open any lock`."""
    is_former: bool = False
    """Whether it is told of a time long over: `once`, `then`, `was a small child`."""
    is_event: bool = False
    """Whether it tells what happened, and not how it is."""

    @property
    def value_of(self) -> str:
        """Of what it says a value, such as `age`; empty if it says none."""
        return self.concept.removeprefix("value:") if self.concept.startswith("value:") else ""

    @property
    def aspect(self) -> str:
        """Of which aspect it says a side, such as `sight`; empty if of none."""
        return self.concept.removeprefix(ASPECT) if self.concept.startswith(ASPECT) else ""

    def entities(self) -> frozenset[str]:
        return self.doers | self.others | self.owners


def value_proposition(base: Proposition, attribute: str, **changes: object) -> Proposition:
    return replace(base, concept=f"value:{attribute}", terms=frozenset({attribute}), **changes)  # type: ignore[arg-type]
