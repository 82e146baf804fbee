"""Tells what a name is the name of, from its words and from what stands beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from agents.ingest.names.name_spans import CapitalisedName
from agents.ingest.names.name_words import NameWords, Sex
from agents.ingest.names.text_tokens import TextToken
from stores.records.world import EntityKind

KindVotes = dict[str, Counter[EntityKind]]

_PRONOUN_REACH: Final = 14
"""Words after a name within which a pronoun is taken to mean it."""
_MALE_PRONOUNS: Final = frozenset({"he", "him", "his", "himself"})
_FEMALE_PRONOUNS: Final = frozenset({"she", "her", "hers", "herself"})
_INSIDE: Final = frozenset({"in", "at", "near", "throughout", "reach", "reached", "outside", "across"})
_TIED: Final = frozenset(
    {
        "apprenticed",
        "betrothed",
        "cruel",
        "devoted",
        "engaged",
        "faithful",
        "grateful",
        "hostile",
        "indebted",
        "kind",
        "loyal",
        "married",
        "opposed",
        "promised",
        "related",
        "spoke",
        "speaks",
        "sworn",
        "talked",
        "talks",
        "wed",
        "wedded",
    }
)
"""What somebody is or does `to` somebody: what `Osric is married to` is no place."""
_MIN_PRONOUNS: Final = 3
_CLEARLY_MORE: Final = 3


def vote_on_kind(keys: Sequence[str], words: NameWords) -> Counter[EntityKind]:
    """Return what the words of a name say of its kind."""
    votes: Counter[EntityKind] = Counter()
    first, last = keys[0], keys[-1]
    head = next((keys[index - 1] for index, key in enumerate(keys) if key in ("of", "the") and index), last)
    if len(keys) > 1 and first in ("st", "saint"):
        votes[EntityKind.CHARACTER] += 10
        votes[EntityKind.PLACE] += 10
    elif len(keys) > 1 and first in words.titles and (first not in words.never_alone or head == last):
        votes[EntityKind.CHARACTER] += 400 if head not in words.place_words else 100
    elif first in words.titles:
        votes[EntityKind.CHARACTER] += 120
    for word in {head, last} if head != last else {last}:
        weight = 40 if len(keys) == 1 or first in words.first_names else 300 if word == head else 80
        if word in words.place_words:
            votes[EntityKind.PLACE] += weight
        if word in words.faction_words:
            votes[EntityKind.FACTION] += weight + 20
        if word in words.object_words:
            votes[EntityKind.OBJECT] += weight + 10
        if word in words.concept_words:
            votes[EntityKind.CONCEPT] += weight + 10
        if word in words.creature_words and first not in words.first_names:
            votes[EntityKind.CREATURE] += 30
    if first in words.place_first_words and len(keys) > 1:
        votes[EntityKind.PLACE] += 300
    if " ".join(keys) in words.known_places:
        votes[EntityKind.PLACE] += 120
    elif (
        len(keys) == 1
        and len(last) > 6
        and last.endswith(words.place_endings)
        and last not in words.first_names
    ):
        votes[EntityKind.PLACE] += 20
    if first in words.first_names and first not in words.known_places:
        votes[EntityKind.CHARACTER] += 80 if len(keys) == 1 else 120
    return votes


def count_votes(
    tokens: Sequence[TextToken], spans: Iterable[CapitalisedName], keys: Sequence[str], words: NameWords
) -> KindVotes:
    """Return for each name what the words beside its mentions say of its kind."""
    votes: KindVotes = defaultdict(Counter)
    for span, key in zip(spans, keys, strict=True):
        before = tokens[span.first - 1] if span.first else None
        second_before = tokens[span.first - 2] if span.first > 1 else None
        after = tokens[span.last] if span.last < len(tokens) else None
        last = tokens[span.last - 1]
        name_votes = votes[key]
        if before is not None and tokens[span.first].gap.isspace():
            preposition = before.key if before.key != "the" or second_before is None else second_before.key
            if before.key == "to" and second_before is not None and second_before.key in _TIED:
                name_votes[EntityKind.CHARACTER] += 20
            elif preposition in words.place_prepositions and not before.is_capitalised:
                name_votes[EntityKind.PLACE] += 20 if preposition in _INSIDE else 4
            speech = second_before if before.key == "the" else before
            if speech is not None and speech.key in words.speech_verbs and not last.is_possessive:
                name_votes[EntityKind.CHARACTER] += 20
            if before.key in words.ship_cues or before.key == "aboard":
                name_votes[EntityKind.OBJECT] += 40
            elif before.key == "the" and span.last - span.first == 1:
                name_votes[EntityKind.OBJECT] += 4
            if before.key in ("and", "or"):
                name_votes[EntityKind.CHARACTER] += 2
            if (
                before.key == "the"
                and len(last.key) > 3
                and last.key.endswith("s")
                and span.last - span.first == 1
            ):
                name_votes[EntityKind.FACTION] += 15
        if after is not None and after.gap.isspace():
            if last.is_possessive:
                name_votes[EntityKind.CHARACTER] += 5
            elif after.key in words.person_verbs:
                name_votes[EntityKind.CHARACTER] += 10
    return votes


def best_kind(votes: Counter[EntityKind]) -> EntityKind:
    """Return the kind that most speaks for; somebody, where nothing speaks for anything."""
    if not votes:
        return EntityKind.CHARACTER
    return max(votes, key=lambda kind: (votes[kind], kind is EntityKind.CHARACTER))


def count_pronouns(
    tokens: Sequence[TextToken], spans: Sequence[CapitalisedName], keys: Sequence[str]
) -> dict[str, Counter[Sex]]:
    """Return for each name how often `he` or `she` follows it before another name does."""
    counts: dict[str, Counter[Sex]] = defaultdict(Counter)
    for number, (span, key) in enumerate(zip(spans, keys, strict=True)):
        limit = min(len(tokens), span.last + _PRONOUN_REACH)
        if number + 1 < len(spans):
            limit = min(limit, spans[number + 1].first)
        for index in range(span.last, limit):
            word = tokens[index].key
            if word in _MALE_PRONOUNS:
                counts[key][Sex.MALE] += 1
                break
            if word in _FEMALE_PRONOUNS:
                counts[key][Sex.FEMALE] += 1
                break
    return counts


def sex_by_pronouns(counts: Counter[Sex]) -> Sex | None:
    """Return the sex that most pronouns tell, if they are clear."""
    male, female = counts[Sex.MALE], counts[Sex.FEMALE]
    if max(male, female) < _MIN_PRONOUNS or max(male, female) < _CLEARLY_MORE * min(male, female):
        return None
    return Sex.MALE if male > female else Sex.FEMALE
