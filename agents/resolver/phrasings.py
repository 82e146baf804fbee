"""More sentences for the catalogue's predicates, for reading questions.

The catalogue's own sentence for each predicate is read as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.predicates import Catalogue


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text` as a set."""
    return frozenset(text.split())


_NOUNS: Final = {
    "ally_of": ("ally", "friend"),
    "enemy_of": ("enemy", "foe", "rival"),
    "parent_of": ("parent", "mother", "father"),
    "child_of": ("child", "son", "daughter"),
    "sibling_of": ("sibling", "brother", "sister"),
    "married_to": ("husband", "wife", "spouse"),
}
"""Nouns for a relation, read as `X is a friend of Y`, `X is Y's friend`, `X and Y are friends`."""

_SENTENCES: Final = {
    "located_in": tuple(f"{{subject}} is {where} {{object}}" for where in ("at", "inside", "within", "on")),
    "owns": ("{subject} has {object}", "{subject} possesses {object}"),
    "owned_by": ("{subject} is {object}'s",),
    "member_of": ("{subject} belongs to {object}", "{subject} is one of {object}"),
    "rules_over": ("{subject} rules {object}", "{subject} is the ruler of {object}"),
    "serves": ("{subject} works for {object}", "{subject} is {object}'s servant"),
    "ally_of": (
        "{subject} is allied with {object}",
        "{subject} is friends with {object}",
        "{subject} is on {object}'s side",
    ),
    "enemy_of": ("{subject} is hostile to {object}",),
    "married_to": ("{subject} and {object} are married",),
}
_VALUES: Final = {
    "alive": (("{subject} is dead", "false"), ("{subject} is living", "true"), ("{subject} lives", "true"))
}

HELP: Final = word_set(
    "help aid assist protect save rescue defend trust warn shelter support forgive welcome obey join"
)
"""Verbs for what one does to another out of liking."""
HARM: Final = word_set("attack betray harm hurt kill murder rob threaten ambush cheat deceive fight poison")
"""Verbs for what one does to another out of enmity."""

STATIVE: Final = word_set("be own belong have hold lie rest remain stay seem look appear mean matter")
"""Verbs that are no deeds, and so may be said of the dead as well."""

HEDGES: Final = word_set("if unless until only may might would could nobody nothing lack deny refuse")
"""Words that change what a sentence says, so that its beginning alone proves nothing."""


def iter_phrasings(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Yield (predicate, sentence, value in words) for every sentence; the value may be empty."""
    for name, predicate in catalogue.predicates.items():
        if isinstance(predicate.statement, str):
            if predicate.statement:
                yield name, predicate.statement, ""
        else:
            yield from ((name, sentence, value) for value, sentence in predicate.statement.items())
        yield from ((name, sentence, "") for sentence in _SENTENCES.get(name, ()))
        yield from ((name, sentence, value) for sentence, value in _VALUES.get(name, ()))
        for noun in _NOUNS.get(name, ()):
            yield name, f"{{subject}} is a {noun} of {{object}}", ""
            yield name, f"{{subject}} is {{object}}'s {noun}", ""
            if predicate.symmetric:
                yield name, f"{{subject}} and {{object}} are {noun}s", ""
