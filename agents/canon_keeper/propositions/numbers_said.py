"""Reads how old and how big somebody is, how many there are of something, and in which year it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.concepts import base_forms
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity, decade_of, quantity_at, unit_of
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

_GROUPS: Final = frozenset(
    {"crew", "garrison", "army", "band", "company", "congregation", "council", "population"}
)
_PARTS_OF_BODY: Final = frozenset(
    {"finger", "toe", "head", "arm", "leg", "eye", "tail", "wing", "horn", "thumb"}
)
_PARTS_WITH_E: Final = frozenset({"eye", "toe", "blade", "edge"})
"""Parts that end with `e`, which `two-bladed` has only once."""
_EVENT_VERBS: Final = frozenset({"be", "fight", "happen", "occur", "take", "hold", "fall", "come"})


def ages_and_sizes(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    if (
        len(base.doers) != 1
        or base.time is not ClauseTime.NOW
        or clause.verb not in ("be", "stand", "measure", "weigh")
    ):
        return
    qualifiers = [
        t.word for t in clause.helpers if t.word in ("yet", "only", "just", "nearly", "almost", "about")
    ]
    words = [*qualifiers, *(t.word for t in clause.rest)]
    holder = {"words": frozenset[str](), "others": frozenset[str](), "owners": frozenset[str](), "when": ""}
    for index, word in enumerate(words):
        decade = decade_of(word)
        if decade is not None and base.doers & base.people:
            if words[max(0, index - 3) : index - 1] == ["out", "of"]:
                decade = decade._replace(
                    least=decade.most + 1, most=decade.most + 6
                )  # `just out of his teens`
            yield value_proposition(base, "age", quantity=decade, **holder)
            return
        found = quantity_at(words, index)
        if found is None or (index and number_of(words[index - 1]) is not None):
            continue
        quantity, end = found
        following = words[end : end + 3]
        unit = unit_of(following[0]) if following else ""
        last = following[1] if len(following) > 1 else ""
        is_person = bool(base.doers & base.people)
        is_age = (unit == "year" and (last in ("old", "of") or following[1:2] == [])) or (
            is_person
            and not following
            and (index == 0 or words[index - 1] in ("of", "over", "under", "only", "just", "yet", "past"))
        )
        if is_age:
            yield value_proposition(base, "age", quantity=quantity._replace(unit="age"), **holder)
        elif unit and (last in ("tall", "high", "long", "wide", "deep") or clause.verb in ("stand", "weigh")):
            size = last if last in ("long", "wide", "deep") else "high"
            yield value_proposition(base, "size", quantity=quantity._replace(unit=f"{unit} {size}"), **holder)
        return


def counts(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield how many of what somebody or something has, or of what there are: `has ten guns`, `a three-masted ship`."""
    holders = base.doers | base.others | base.owners
    if (
        base.time is not ClauseTime.NOW
        or base.is_perfect
        or len(holders) != 1
        or _is_of_theirs(clause.subject)
    ):
        return
    if (quantity := _quantity_counted(clause)) is not None:
        yield value_proposition(
            base, "count", quantity=quantity, doers=holders, others=frozenset(), owners=frozenset(), words=frozenset()
        )  # fmt: skip


def _quantity_counted(clause: ClauseWords) -> Quantity | None:
    """Return how many a clause counts, with what it counts as the unit; None if it counts nothing, or in part only."""
    words, rest_words = [t.word for t in clause.subject], [t.word for t in clause.rest]
    if clause.verb == "be" and (compound := _compound(rest_words)):
        part, number = compound
        return Quantity(number, number, part, is_exact=True)
    if clause.verb == "number" and rest_words:
        start = 0 if number_of(rest_words[0]) is not None else 1
        if found := quantity_at(rest_words, start):
            group = next((singular(w) for w in words if singular(w) in _GROUPS), "")
            return found[0]._replace(unit=group, is_exact=True) if group else None
    if clause.verb in _GROUPS | {"man"}:
        crew = next((found for n in range(len(words)) if (found := quantity_at(words, n))), None)
        unit = "crew" if clause.verb == "man" else clause.verb
        return crew[0]._replace(unit=unit, is_exact=True) if crew else None
    return _quantity_of_things(clause, words, rest_words)


def _quantity_of_things(
    clause: ClauseWords, words: Sequence[str], rest_words: Sequence[str]
) -> Quantity | None:
    """Return how many things somebody has or there are: `has ten guns`, `There are no more than two exits`."""
    is_closed = "no more" in " ".join([*words, *rest_words]) or "only" in words
    has_things = clause.verb in ("have", "carry") or list(words) == ["there"]
    counted = rest_words if has_things else words
    first = next((n for n in range(len(counted)) if quantity_at(counted, n)), None)
    if first is None or (found := quantity_at(counted, first)) is None:
        return None
    quantity, end = found
    if clause.verb == "have" and (part := _part_of_body(counted[end:])):
        return quantity._replace(unit=part, is_exact=True)
    group = next((w for w in counted[max(0, first - 3) : first] if w in _GROUPS), "")
    if group and counted[first - 1] == "of":
        return quantity._replace(unit=group, is_exact=True)
    stop = next(
        (n for n in range(end, len(counted)) if counted[n] in PREPOSITIONS | {"of", "and", ","}),
        len(counted),
    )
    behind = [t for t in clause.rest[stop + 1 :] if t.word != "the"]
    is_narrowed = (
        stop < len(counted)
        and counted[stop] in PREPOSITIONS
        and (list(words) != ["there"] or len(behind) > 1)
    )
    if stop < len(counted) and (counted[stop] == "of" or is_narrowed):
        return None  # `one sword in his hand`, `two guards at the gate of Saltmere`
    nouns = counted[end:stop]
    is_thing = (
        bool(nouns) and singular(nouns[-1]) not in load_word_lists().body_parts and not unit_of(nouns[-1])
    )
    if not is_thing or not (has_things or is_closed):
        return None
    unit = " ".join([*nouns[:-1], singular(nouns[-1])])
    return quantity._replace(unit=unit, is_exact=quantity.is_exact or is_closed)


def _compound(words: Sequence[str]) -> tuple[str, int] | None:
    """Return which parts and how many of them `a three-masted ship` has."""
    for word in words[:4]:
        number, _, part = word.partition("-")
        if part.endswith("ed") and (count := number_of(number)) is not None:
            stem = part.removesuffix("ed")
            return (
                f"{stem}e" if f"{stem}e" in _PARTS_WITH_E else stem[:-1] if stem[-2:] == "gg" else stem
            ), count
    return None


def _part_of_body(words: Sequence[str]) -> str:
    """Return the part of a body of which `has ten fingers` says how many there are in all."""
    part = singular(words[0]) if words else ""
    if part not in _PARTS_OF_BODY:
        return ""
    is_whole = len(words) == 1 or words[1] in ("like", "altogether") or list(words[1:3]) == ["in", "all"]
    return part if is_whole else ""


def _is_of_theirs(subject: Sequence[Token]) -> bool:
    """Say whether it is said of something of a thing's, and not of the thing: `The Heron's sister has ten guns`."""
    words = [t.word for t in subject]
    at = words.index("'s") if "'s" in words else 0
    return (
        at > 0 and bool(subject[at - 1].entity) and not subject[at - 1].is_person and words[-1] not in _GROUPS
    )


def years(clause: ClauseWords, base: Proposition, tokens: Sequence[Token]) -> Iterator[Proposition]:
    """Yield in which year something happened, if the clause names one year: `The bridge fell in 1402`."""
    numbers = [t.word for t in tokens if t.word.isdecimal() and len(t.word) in (3, 4)]
    if len(numbers) != 1 or not base.entities():
        return
    nouns = frozenset(
        singular(t.word) for t in tokens
        if not t.entity and t.word.isalpha() and len(t.word) > 3
        and not base_forms(t.word) & ({"year", "there", "that", "this"} | PREPOSITIONS | _EVENT_VERBS)
        and t.word not in ("were", "been", "have")
    )  # fmt: skip
    position = [t.word for t in tokens].index(numbers[0])
    is_year = "year" in [t.word for t in tokens] or (position and tokens[position - 1].word == "in")
    if is_year:
        year = int(numbers[0])
        yield value_proposition(
            base, "year", quantity=Quantity(year, year, "year", is_exact=True), doers=base.entities(),
            others=frozenset(), owners=frozenset(), words=nouns, time=ClauseTime.PAST, when="",
        )  # fmt: skip
