"""Reads what has one value: where somebody is from, how old, how many, of which colour, made of what, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.concepts import base_forms
from agents.canon_keeper.propositions.proposition import Proposition, Span
from agents.canon_keeper.propositions.quantities import Quantity, decade_of, quantity_at, unit_of
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

_WAYS: Final = {
    "buy": "bought", "purchase": "bought", "steal": "stolen", "inherit": "inherited", "win": "won", "find": "found",
    "forge": "made", "gift": "given", "present": "given", "heirloom": "inherited",
}  # fmt: skip
"""Verbs and nouns by which somebody comes to have a thing."""
_DEATHS: Final = frozenset(
    {"hang", "drown", "behead", "poison", "strangle", "starve", "stab", "decapitate", "smother"}
)
_EVENT_VERBS: Final = frozenset({"be", "fight", "happen", "occur", "take", "hold", "fall", "come"})
_GROUPS: Final = frozenset(
    {"crew", "garrison", "army", "band", "company", "congregation", "council", "population"}
)
_ABOUT_PLACE: Final = PREPOSITIONS - {
    "by",
    "with",
    "for",
    "about",
    "against",
    "from",
    "to",
    "into",
    "through",
    "as",
    "like",
    "than",
}
_RESTING_VERBS: Final = frozenset(
    {"be", "lie", "stand", "sit", "stay", "spend", "rest", "hang", "remain", "sleep", "wait", "hide"}
)
_SMALL_NUMBERS: Final = frozenset({"hundred", "thousand", "dozen"})


def read_values(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield what the clause says of one value; of what is denied nothing but where somebody grew up."""
    if base.general or base.part:
        return
    tokens = [*clause.front, *clause.subject, *clause.helpers, Token(clause.verb, clause.verb), *clause.rest]
    words = [t.word for t in tokens]
    if is_denied and not {"more", "yet"} & set(words):
        return
    yield from _ages_and_sizes(clause, base)
    yield from _counts(clause, base)
    if is_denied:
        return
    yield from _years(clause, base, tokens)
    yield from _origins(clause, base)
    yield from _ways(clause, base)
    yield from _deaths(clause, base)
    yield from _looks(clause, base)
    yield from _places(clause, base)


def _value(base: Proposition, attribute: str, **changes: object) -> Proposition:
    return replace(base, concept=f"value:{attribute}", terms=frozenset({attribute}), **changes)  # type: ignore[arg-type]


def _ages_and_sizes(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    if (
        len(base.doers) != 1
        or base.span is not Span.NOW
        or clause.verb not in ("be", "stand", "measure", "weigh")
    ):
        return
    words = [t.word for t in clause.rest]
    holder = {"words": frozenset[str](), "others": frozenset[str](), "owners": frozenset[str]()}
    for index, word in enumerate(words):
        decade = decade_of(word)
        if decade is not None and base.doers & base.people:
            yield _value(base, "age", quantity=decade, **holder)
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
            yield _value(base, "age", quantity=quantity._replace(unit="age"), **holder)
        elif unit and (last in ("tall", "high", "long", "wide", "deep") or clause.verb in ("stand", "weigh")):
            size = last if last in ("long", "wide", "deep") else "high"
            yield _value(base, "size", quantity=quantity._replace(unit=f"{unit} {size}"), **holder)
        return


def _counts(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    if base.span is not Span.NOW or base.is_perfect:
        return
    subject, rest = list(clause.subject), list(clause.rest)
    words, rest_words = [t.word for t in subject], [t.word for t in rest]
    holders = base.doers | base.others | base.owners
    if len(holders) != 1:
        return
    holder = {
        "doers": holders,
        "others": frozenset[str](),
        "owners": frozenset[str](),
        "words": frozenset[str](),
    }
    is_closed = "no more" in " ".join([*words, *rest_words]) or "only" in words
    if clause.verb == "number" and (
        found := quantity_at(rest_words, 0 if number_of(rest_words[0]) is not None else 1)
        if rest_words
        else None
    ):
        noun = next((singular(w) for w in words if singular(w) in _GROUPS), "")
        if noun:
            yield _value(base, "count", quantity=found[0]._replace(unit=noun, is_exact=True), **holder)
        return
    if clause.verb in _GROUPS | {"man"}:
        for index in range(len(words)):
            if found := quantity_at(words, index):
                unit = "crew" if clause.verb == "man" else clause.verb
                yield _value(base, "count", quantity=found[0]._replace(unit=unit, is_exact=True), **holder)
                return
        return
    if clause.verb in ("have", "carry") or words == ["there"]:
        counted, is_said = rest_words, True
    else:
        counted, is_said = words, is_closed
    for index in range(len(counted)):
        found = quantity_at(counted, index)
        if found is None:
            continue
        quantity, end = found
        group = next((w for w in counted[max(0, index - 3) : index] if w in _GROUPS), "")
        if group and counted[index - 1] == "of":
            yield _value(base, "count", quantity=quantity._replace(unit=group, is_exact=True), **holder)
            return
        stop = next(
            (n for n in range(end, len(counted)) if counted[n] in PREPOSITIONS | {"of", "and", ","}),
            len(counted),
        )
        if stop < len(counted) and counted[stop] == "of":
            return
        nouns = counted[end:stop]
        if nouns and singular(nouns[-1]) in load_word_lists().body_parts:
            return
        if nouns and is_said and not unit_of(nouns[-1]):
            unit = " ".join([*nouns[:-1], singular(nouns[-1])])
            yield _value(
                base,
                "count",
                quantity=quantity._replace(unit=unit, is_exact=quantity.is_exact or is_closed),
                **holder,
            )
        return


def _years(clause: ClauseWords, base: Proposition, tokens: Sequence[Token]) -> Iterator[Proposition]:
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
        yield _value(
            base, "year", quantity=Quantity(year, year, "year", is_exact=True), doers=base.entities(),
            others=frozenset(), owners=frozenset(), words=nouns, span=Span.PAST, when="",
        )  # fmt: skip


def _origins(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    words = [t.word for t in clause.rest]
    who = _subject_names(clause)
    if len(who) != 1 or not who <= base.people:
        return
    first = words[0] if words else ""
    is_from = (clause.verb in ("come", "hail", "be", "originate") and first == "from") or "native" in words[
        :3
    ]
    is_birth = clause.verb == "bear" and clause.is_passive and first in ("in", "on", "at", "aboard")
    is_raised = (
        (clause.verb == "raise" and clause.is_passive) or (clause.verb == "grow" and first == "up")
        or (clause.verb == "live" and "all" in words and "life" in words)
        or (clause.verb == "spend" and "childhood" in words)
    )  # fmt: skip
    places = [t.entity for t in clause.rest[:8] if t.entity and not t.is_person]
    if places and "far" not in words and (is_from or is_birth or is_raised) and base.span is not None:
        birthplace = frozenset(places[:1])
        yield _value(
            base, "raised" if is_raised else "origin", doers=who, others=birthplace, owners=frozenset(),
            words=frozenset(), span=Span.PAST, when="",
        )  # fmt: skip


def _deaths(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how somebody died: `was hanged`, `drowned`."""
    victim = _subject_names(clause) & base.people
    is_intransitive = clause.verb in ("drown", "starve") and not base.others
    if (
        len(victim) == 1
        and clause.verb in _DEATHS
        and (clause.is_passive or is_intransitive)
        and base.span is Span.PAST
    ):
        yield _value(
            base,
            "death",
            doers=victim,
            others=frozenset(),
            owners=frozenset(),
            words=frozenset({clause.verb}),
            when="",
        )


def _ways(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `bought the revolver` and `the revolver was a present to Lila`: how somebody came to have it."""
    things = (base.others | base.doers | base.owners) - base.people
    if base.span is not Span.PAST or base.when or len(things) != 1:
        return
    forms = base_forms(clause.verb)
    way = next((_WAYS[f] for f in forms if f in _WAYS), "")
    who = base.doers & base.people
    if clause.verb in ("give", "get", "receive"):
        is_given = clause.is_passive or (clause.verb != "give" and "from" in [t.word for t in clause.rest])
        way = "given" if is_given else ""
        who = _subject_names(clause) & base.people
    if clause.verb == "be":
        way = next(
            (
                _WAYS[w]
                for w in (singular(t.word) for t in clause.rest)
                if w in ("gift", "present", "heirloom")
            ),
            "",
        )
        who = next(
            (
                frozenset({clause.rest[n + 1].entity})
                for n, t in enumerate(clause.rest[:-1])
                if t.word in ("to", "for") and clause.rest[n + 1].is_person
            ),
            frozenset(),
        )
    if way and len(who) == 1 and (things & base.others or clause.verb == "be" or clause.is_passive):
        yield _value(base, "way", doers=who, others=things, owners=frozenset(), words=frozenset({way}))


def _looks(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read colour and material of a thing, or of the one thing of its kind that somebody has."""
    lists = load_word_lists()
    if base.span is not Span.NOW:
        return
    subject, rest = [t.word for t in clause.subject], [t.word for t in clause.rest]
    for group in ("colour", "material"):
        members = lists.exclusive_groups[group]
        named = {w for w in rest if w in members}
        is_of_material = not {"solid", "pure", "of"}.isdisjoint(rest)
        if len(named) != 1 or (
            bool(named & lists.exclusive_groups["colour"]) is (group == "material") and not is_of_material
        ):
            continue
        holders = base.doers | base.others | base.owners
        if len(holders) != 1:
            continue
        holder = {"doers": holders, "others": frozenset[str](), "owners": frozenset[str]()}
        if clause.verb in ("be", "make") and (clause.verb == "be" or clause.is_passive):
            nouns = [
                singular(w)
                for w, t in zip(subject, clause.subject, strict=True)
                if not t.entity
                and w.isalpha()
                and w not in ARTICLES | POSSESSIVES | {"only", "one", "of", "very"}
            ]
            is_plain = len(rest) <= 3 and (
                len(nouns) == 1 or (not nouns and clause.subject[-1].entity and not holders & base.people)
            )
            if is_plain and (
                len(nouns) != 1
                or "only" in subject
                or nouns[0] in lists.body_parts | {"door", "roof", "wall", "gate"}
            ):
                yield _value(base, group, words=frozenset(named), thing="".join(nouns), **holder)
        elif clause.verb in ("have", "own") and {"one", "only"} & set(rest) and not clause.is_passive:
            index = next(n for n, w in enumerate(rest) if w in ("one", "only"))
            nouns = [
                singular(w)
                for w in rest[index + 1 :]
                if w.isalpha() and w not in members | ARTICLES | {"only", "one"}
            ]
            if nouns:
                yield _value(base, group, words=frozenset(named), thing=nouns[0], **holder)


def _places(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read where somebody or something was for a time that is named: `has been under the chapel since the war`."""
    who = _subject_names(clause)
    text = [t.word for t in (*clause.front, *clause.rest)]
    if len(who) != 1 or clause.verb not in _RESTING_VERBS or (clause.tag == "part" and clause.is_passive):
        return
    times = _named_times(text)
    if not times:
        return
    tokens = list(clause.rest)
    for index, token in enumerate(tokens[:-1]):
        if token.word not in _ABOUT_PLACE or token.word in ("since", "until"):
            continue
        end = next(
            (
                n
                for n in range(index + 1, len(tokens))
                if tokens[n].word in PREPOSITIONS | {"since", "until", ","}
            ),
            len(tokens),
        )
        phrase = tokens[index + 1 : end]
        if any(t.word in load_word_lists().time_nouns for t in phrase):
            continue
        names = frozenset(t.entity for t in phrase if t.entity)
        nouns = frozenset({singular(phrase[-1].word)}) if phrase and not phrase[-1].entity else frozenset()
        if names or nouns:
            yield _value(
                base,
                "place",
                doers=who,
                others=names,
                owners=frozenset(),
                words=nouns,
                when=" ".join(sorted(times)),
                span=Span.PAST,
            )
            return


def _named_times(words: Sequence[str]) -> frozenset[str]:
    """Return what names the time: the war of `since the war`, the night and the fire of `on the night of the fire`."""
    for index, word in enumerate(words[:-1]):
        if word == "since":
            return frozenset(
                {
                    "since",
                    words[min(index + 2, len(words) - 1)]
                    if words[index + 1] in ARTICLES
                    else words[index + 1],
                }
            )
        if (
            word in ("night", "day", "morning", "evening", "hour")
            and words[index + 1] == "of"
            and index + 2 < len(words)
        ):
            following = [w for w in words[index + 2 : index + 4] if w not in ARTICLES]
            return frozenset({word, *following[:1]})
    return frozenset()


def _subject_names(clause: ClauseWords) -> frozenset[str]:
    tokens = clause.subject
    return frozenset(
        t.entity
        for n, t in enumerate(tokens)
        if t.entity and (n + 1 == len(tokens) or tokens[n + 1].word != "'s")
    )
