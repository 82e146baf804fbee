"""Reads of two people which is the older, and since when they know each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, singular

AGE_ORDER: Final = "age order"
"""The value of which of two people is the older."""
SAME_AGE: Final = "#same"
BY_YEARS: Final = "#years"
"""Beside who is the older: by years, as twins are not."""
TWINS: Final = "#twins"
FIRST_MEETING: Final = "first meeting"
"""The value of how long two people know each other: `long` or `recent`."""
_OLDER: Final = frozenset({"older", "elder", "big", "senior"})
_YOUNGER: Final = frozenset({"younger", "little", "baby", "kid", "small"})
_BIRTH_NOUNS: Final = frozenset({"twin", "triplet"})
_ELDERS: Final = frozenset(
    ["father", "mother", "parent", "grandfather", "grandmother", "grandparent", "great-grandfather",
     "great-grandmother"]
)  # fmt: skip
"""Kin who are older by years; an uncle may be younger than his niece."""
_YOUNGERS: Final = frozenset(
    {"son", "daughter", "child", "grandson", "granddaughter", "grandchild", "great-grandson"}
)
_SAME_AGE_PHRASES: Final = (
    ("same", "age"),
    ("equally", "old"),
    ("exactly", "as", "old"),
    ("equal", "in", "age"),
)
_LONG_TIES: Final = frozenset({"childhood", "old", "oldest", "lifelong", "boyhood", "girlhood"})
_FRIENDS: Final = frozenset(
    {"friend", "playmate", "acquaintance", "schoolfriend", "schoolmate", "sweetheart"}
)
_SHARED_YOUTH: Final = (
    ("grow", "up", "with"), ("go", "to", "school", "with"), ("be", "at", "school", "with"),
    ("grow", "up", "together"), ("go", "to", "school", "together"), ("be", "at", "school", "together"),
    ("go", "way", "back"), ("share", "childhood"),
)  # fmt: skip
_LONG_UNITS: Final = frozenset({"year", "decade", "month", "age", "lifetime"})
_MEETING_VERBS: Final = frozenset({"meet", "see", "encounter"})


def read_people_compared(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield which of two people is the older, and whether they know each other long or have only just met."""
    if not is_denied and base.time is not ClauseTime.ALWAYS:
        yield from _age_order(clause, base)
    yield from read_meetings(clause, base, is_denied=is_denied)


def is_other_age_order(one: Proposition, other: Proposition) -> bool:
    """Say whether two cannot both be so; of twins one may be older by minutes."""
    older, other_older = one.words & one.doers, other.words & other.doers
    if older and other_older:
        return older != other_older
    if bool(older) is bool(other_older):
        return False
    same, ordered = (other, one) if older else (one, other)
    return TWINS not in same.words or BY_YEARS in ordered.words


# --- age ------------------------------------------------------------------------------------------------


def _age_order(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    if clause.verb != "be" or clause.is_passive:
        return
    subjects, rest = _people_of(clause.subject), [t for t in clause.rest if t.word not in ("the", "a")]
    words = [t.word for t in rest]
    behind = [t for t in rest if t.is_person]
    if len(subjects) == 2 and not behind:
        heads = {singular(word) for word in words[:2]}
        if heads & _BIRTH_NOUNS and len(words) <= 2:
            yield _order(base, subjects, {SAME_AGE, TWINS})
        elif words == ["of", "same", "year"]:
            yield _order(base, subjects, {SAME_AGE, TWINS})  # one may be older by months
        elif _says_same_age(words):
            yield _order(base, subjects, {SAME_AGE})
        return
    if len(subjects) != 1 or len(behind) != 1 or behind[0].entity in subjects:
        return
    who, other = subjects[0], behind[0].entity
    at = rest.index(behind[0])
    both = (who, other)
    if at + 1 == len(rest) and at and words[at - 1] == "than":
        is_older = "older" in words[:at]
        if not (is_older or "younger" in words[:at]) or not {"minute", "minutes", "hour", "hours"}.isdisjoint(
            words
        ):
            return
        by_years = {BY_YEARS} if "year" in map(singular, words[:at]) else set[str]()
        yield _order(base, both, {who if is_older else other, *by_years})
    elif (
        at + 1 == len(rest)
        and at > 1
        and words[at - 1] == "as"
        and (_says_same_age(words) or words[:2] == ["as", "old"])
    ):
        yield _order(base, both, {SAME_AGE})
    else:
        yield from _order_of_kin(base, both, _kin_phrase(words, at))


def _order_of_kin(base: Proposition, both: Sequence[str], kin: Sequence[str]) -> Iterator[Proposition]:
    """Yield which of two is the older by what the first is to the second: `older brother`, `father`, `twin`."""
    who, other = both
    if not kin or len(kin) > 3:
        return
    head, adjectives = singular(kin[-1]), set(kin[:-1])
    if head in _BIRTH_NOUNS or adjectives & _BIRTH_NOUNS:
        yield _order(base, both, {SAME_AGE, TWINS})
    elif head in ("brother", "sister", "sibling") and len(adjectives & (_OLDER | _YOUNGER)) == 1:
        yield _order(base, both, {who if adjectives & _OLDER else other})
    elif head in _ELDERS and not adjectives:
        yield _order(base, both, {who, BY_YEARS})
    elif head in _YOUNGERS and adjectives <= _OLDER | _YOUNGER | {"only", "eldest", "youngest", "oldest"}:
        yield _order(base, both, {other, BY_YEARS})


def _kin_phrase(words: Sequence[str], at: int) -> list[str]:
    """Return what somebody is to the other, of whom the name stands at `at`: `B's older brother`, `twin of B`."""
    if at == 0 and words[1:2] == ["'s"]:
        return list(words[2:])
    if at > 1 and words[at - 1] == "of" and at + 1 == len(words):
        return list(words[: at - 1])
    return []


def _says_same_age(words: Sequence[str]) -> bool:
    text = f" {' '.join(words)} "
    return any(f" {' '.join(phrase)} " in text for phrase in _SAME_AGE_PHRASES)


def _order(base: Proposition, both: Sequence[str], words: set[str]) -> Proposition:
    return value_proposition(
        base, AGE_ORDER, doers=frozenset(both), others=frozenset(), owners=frozenset(), words=frozenset(words),
        when="", thing="", time=ClauseTime.NOW, is_event=False, is_change=False,
    )  # fmt: skip


# --- how long two know each other -----------------------------------------------------------------------


def read_meetings(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield whether two know each other long (`since childhood`), or had not met before."""
    people = [*_people_of(clause.subject), *(t.entity for t in clause.rest if t.is_person)]
    if len(dict.fromkeys(people)) != 2 or any(t.word == "'s" for t in clause.subject):
        return
    both = tuple(dict.fromkeys(people))
    helpers, words = {t.word for t in clause.helpers}, [t.word for t in clause.rest]
    said = ""
    if is_denied:
        is_perfect = "had" in helpers and "never" in helpers
        is_of_both = clause.verb in _MEETING_VERBS and not any(t.word == "'s" for t in clause.rest)
        is_until = bool({"before", "until", "till"} & set(words)) or clause.limit in ("until", "before")
        behind = words[1:2]  # `had never seen her so angry before`
        if (
            is_perfect
            and is_of_both
            and is_until
            and (not behind or behind[0] in ("before", "until", "till"))
        ):
            said = "recent"
    elif _is_long(clause, words):
        said = "long"
    elif clause.verb == "meet" and "first" in helpers and {"today", "yesterday", "week"} & set(words):
        said = "recent"
    if said:
        yield value_proposition(
            base, FIRST_MEETING, doers=frozenset(both), others=frozenset(), owners=frozenset(),
            words=frozenset({said}), when="", thing="", time=ClauseTime.NOW, is_event=False, is_change=False,
        )  # fmt: skip


def _is_long(clause: ClauseWords, words: Sequence[str]) -> bool:
    if clause.verb == "know":
        has_since = clause.limit == "since" or "since" in words
        has_years = any(
            w == "for" and _LONG_UNITS & {singular(v) for v in words[n + 1 : n + 4]}
            for n, w in enumerate(words)
        )
        is_always = bool({"always"} & {t.word for t in clause.helpers}) or " all his life" in " ".join(words)
        return (has_since and _names_long_time(words)) or has_years or is_always
    said = [clause.verb, *words]
    if any(_stands_in(phrase, said) for phrase in _SHARED_YOUTH):
        return True
    nouns = {singular(w) for w in words}
    return clause.verb == "be" and bool(_LONG_TIES & set(words)) and bool(_FRIENDS & nouns)


def _names_long_time(words: Sequence[str]) -> bool:
    """Say whether `since` names a time of youth or years ago, and not this morning."""
    if "since" not in words:
        return True  # a clause follows: `since they were children`
    after = {singular(w) for w in words[words.index("since") + 1 :]}
    return bool(
        after & {"childhood", "school", "boyhood", "girlhood", "youth", "birth", "war", "year", "university"}
    )


def _stands_in(phrase: Sequence[str], words: Sequence[str]) -> bool:
    plain = [w for w in words if w not in ("the", "same", "a", "their")]
    return any(list(phrase) == plain[n : n + len(phrase)] for n in range(len(plain)))


def _people_of(tokens: Sequence[Token]) -> list[str]:
    """Return those named in `A` or `A and B`; nobody if it says more."""
    titles = load_word_lists().titles
    if any(not (t.is_person or t.word in ("and", "both", "the") or t.word in titles) for t in tokens):
        return []
    return [t.entity for t in tokens if t.is_person]
