"""Reads that all of a group are dead, or some of it alive: `The whole crew perished`, `One of the crew survived`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import number_of, singular

_ALL_DEAD: Final = "all dead"
_SOME_ALIVE: Final = "some alive"
_DYING: Final = frozenset({"die", "perish", "drown", "starve"})
_KILLED: Final = frozenset(
    {"kill", "slay", "massacre", "murder", "execute", "hang", "slaughter", "behead", "butcher"}
)
_SURVIVING: Final = frozenset({"survive", "escape"})
_GETTING_OUT: Final = frozenset(
    [("make", "it"), ("get", "out"), ("come", "out"), ("get", "away"), ("pull", "through"), ("live", "through"),
     ("come", "through"), ("get", "through"), ("come", "home"), ("walk", "away"), ("crawl", "out")]
)  # fmt: skip
_EVERYBODY: Final = frozenset({"everyone", "everybody"})
_ABOARD: Final = frozenset({"aboard", "on", "in"})
_PEOPLE: Final = "people"
"""The group of everybody in or aboard something."""
_WHOLE: Final = frozenset({"whole", "entire"})
_SOME: Final = frozenset(
    {
        "some",
        "several",
        "few",
        "many",
        "half",
        "most",
        "one",
        "member",
        "members",
        "number",
        "handful",
        "couple",
        "dozen",
    }
)
_SURVIVORS: Final = frozenset({"survivor", "survivors"})
_GROUPS: Final = frozenset(
    {"crew", "garrison", "army", "family", "village", "town", "expedition", "party", "team", "patrol"}
)


def read_groups(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield whether all of a group are dead, or some of it alive; nothing of what is denied."""
    if base.is_ability or base.is_change or base.time is ClauseTime.ALWAYS:
        return
    rest = [t.word for t in clause.rest]
    is_dead = clause.verb in (_KILLED if clause.is_passive else _DYING) or (
        clause.tag == "be" and rest == ["dead"]
    )
    is_alive = (clause.verb in _SURVIVING and (not rest or rest[0] in ("in", "from", "to"))) or (
        (clause.verb, *rest[:1]) in _GETTING_OUT and (rest[:1] != ["out"] or "alive" in rest)
    )
    is_alive = is_alive or (
        (clause.tag == "be" and rest[-1:] == ["alive"]) or (clause.verb == "get" and rest == ["away"])
    )
    if is_dead and (group := _whole_group(clause.subject)):
        yield _fate(base, group, _ALL_DEAD)
    elif is_alive and (group := _some_of_group(clause.subject)):
        yield _fate(base, group, _SOME_ALIVE)
        if group[1]:
            yield _fate(base, (_PEOPLE, group[1]), _SOME_ALIVE)
    elif clause.verb == "be" and _SURVIVORS & set(rest) and any(t.is_person for t in clause.subject):
        at = next(n for n, w in enumerate(rest) if w in _SURVIVORS)
        if rest[at + 1 : at + 2] == ["of"] and (group := _group(clause.rest[at + 2 :])):
            yield _fate(base, group, _SOME_ALIVE)


def _fate(base: Proposition, group: tuple[str, frozenset[str]], fate: str) -> Proposition:
    noun, names = group
    return value_proposition(
        base, f"fate of {noun}", doers=names, others=frozenset(), owners=frozenset(), thing="",
        words=frozenset({fate}), when="", part="", general="", is_event=False,
    )  # fmt: skip


def _whole_group(subject: Sequence[Token]) -> tuple[str, frozenset[str]] | None:
    """Return the group of `the whole crew of the Heron`, `all the prisoners`; None of a part of it."""
    words = [t.word for t in subject]
    if words[:1] == ["the"] and words[1:2] and words[1] in _WHOLE:
        return _group([subject[0], *subject[2:]])
    plain = [t for t in subject if t.word != "the"]
    if len(plain) == 3 and words[0] in _EVERYBODY and plain[1].word in _ABOARD and plain[2].entity:
        return _PEOPLE, frozenset({plain[2].entity})
    if words[:2] == ["all", "the"] or words[:2] == ["all", "of"]:
        return _group(subject[1:] if words[1] == "the" else subject[2:])
    return None


def _some_of_group(subject: Sequence[Token]) -> tuple[str, frozenset[str]] | None:
    """Return the group of `one of the crew`, `two prisoners`, `a few of the prisoners`."""
    words = [t.word for t in subject if t.word not in ("a", "only", "just", "at", "least", "mere")]
    if not words or not (words[0] in _SOME or (number_of(words[0]) or 0) > 0):
        return None
    if words[1:2] == ["of"]:
        at = [t.word for t in subject].index("of")
        return _group(subject[at + 1 :])
    noun = singular(words[1]) if len(words) == 2 and words[1].isalpha() else ""
    return (noun, frozenset()) if noun else None


def _group(phrase: Sequence[Token]) -> tuple[str, frozenset[str]] | None:
    """Return the noun and whose it is: of `the crew of the Heron`, `the Heron's crew`, `the prisoners`."""
    tokens = [t for t in phrase if t.word != "the"]
    words = [t.word for t in tokens]
    names = frozenset(t.entity for t in tokens if t.entity)
    nouns = [
        w for t, w in zip(tokens, words, strict=True) if not t.entity and w not in ("'s", "of", "aboard")
    ]
    if len(nouns) != 1 or len(names) > 1 or any(w in PREPOSITIONS - {"aboard"} for w in nouns):
        return None
    noun = singular(nouns[0])
    is_group = noun in _GROUPS or noun != nouns[0]
    return (noun, names) if is_group and noun.isalpha() else None
