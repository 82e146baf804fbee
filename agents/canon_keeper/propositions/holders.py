"""Says whom or what a phrase means: somebody named, something of theirs, or the one thing of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.propositions.clause_words import PERSON_NOUNS
from agents.canon_keeper.sentences.noun_phrases import POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

_DEFINITE: Final = frozenset({"the", "this", "that"})
_INDEFINITE: Final = frozenset(
    ["a", "an", "any", "some", "no", "every", "each", "all", "both", "another", "many", "few", "most", "nobody",
     "none", "either", "neither", "several", "one", "half", "other", "these", "those", "only", "other", "much"]
)  # fmt: skip
_OF_THEIRS: Final = frozenset({"of", "in", "at", "on", "to", "aboard", "over"})
"""What joins a noun to the name that says which one it is: `the door of the Rookery`."""
_SAME_AS_WHOLE: Final = frozenset(
    ["city", "town", "village", "hamlet", "port", "planet", "island", "isle", "kingdom", "land", "realm", "river",
     "castle", "fort", "forest", "valley", "house", "ship", "world", "moon", "colony", "station", "street", "interior",
     "inside", "inn", "tavern", "guild", "order", "tower", "bridge", "duchy", "county", "fortress", "temple", "abbey"]
)  # fmt: skip
"""Nouns after which `of` and a name say the name itself: `the town of Asher`, `the streets of Asher`."""
_BEFORE_NAMES: Final = (load_word_lists().titles - {"old", "young"}) | {"the", "corporal", "private"}
"""What may stand before a name and leaves it the same: `the old Dob` is somebody else than Dob."""
_PLACING: Final = frozenset(
    ["in", "on", "at", "aboard", "inside", "within", "over", "across", "through", "under", "from", "down"]
)
PHRASE_ENDS: Final = PREPOSITIONS - {"of"}
"""Prepositions before which the phrase ends that says whom or what is meant."""
_TIMES_BEHIND: Final = frozenset({"today", "tonight", "now", "again", "alone", "together"})
_PARTS_OF_PLACES: Final = frozenset(
    ["room", "wall", "window", "corner", "inch", "part", "stone", "house", "street", "floor", "deck", "hall",
     "corridor", "building", "brick", "timber", "plank", "page", "door", "roof", "level", "cabin", "machine",
     "lamp", "light"]
)  # fmt: skip
"""Parts of which what is said of all of them is said of the whole."""
_EVERY: Final = frozenset({"every", "each", "all"})
_SHORT_TIMES: Final = frozenset({"day", "night", "evening", "morning", "week"})
"""Times of which each is as the other; of winters and summers it is not so."""
_THIS: Final = frozenset({"last", "this", "that"})
_TIMES_TOLD: Final = _SHORT_TIMES | {"month", "year", "spring", "summer", "autumn", "winter", "afternoon"}
"""Times behind a place or an object: `slept at the Stag last night`."""
_AFTER_OBJECTS: Final = frozenset(
    ["away", "down", "up", "out", "off", "back", "again", "well", "alive", "dead", "guilty", "innocent", "himself",
     "herself", "themselves", "itself"]
)  # fmt: skip
"""What may stand behind an object and is no part of it: `threw the letter away`."""
_EMPTY_NOUNS: Final = frozenset(
    {"front", "back", "side", "top", "bottom", "part", "half", "rest", "edge", "way"}
)


class Holder(NamedTuple):
    """Whom or what something is said of: somebody named, and the noun of what is theirs."""

    entity: str
    noun: str
    is_person: bool


def holders_of(phrase: Sequence[Token], pronoun_id: str = "", owner: str = "") -> Iterator[Holder]:
    """Yield whom or what a phrase means; `owner` is who `his` means. A phrase for any one of a kind means nobody."""
    tokens = [t for t in phrase if t.word not in ("(", ")")]
    if not tokens:
        return
    words = [t.word for t in tokens]
    if "and" in words and words[0] != "both":
        at = words.index("and")
        parts = tokens[:at], tokens[at + 1 :]
        if all(part and part[-1].entity and len(part) <= 2 for part in parts):
            for part in parts:
                yield from holders_of(part, pronoun_id, owner)
        return
    if "of" in words[1:3] and words[words.index("of") - 1] in load_word_lists().measures:
        yield from holders_of(tokens[words.index("of") + 1 :], pronoun_id, owner)  # `one sip of the Draught`
        return
    if "," in words or "or" in words:
        return
    if len(tokens) == 1 and words[0] in ("he", "she", "it", "they") and pronoun_id:
        yield Holder(pronoun_id, "", is_person=words[0] != "it")
        return
    holder = _holder(tokens, owner)
    if holder is not None:
        yield holder


def objects_of(rest: Sequence[Token], owner: str = "") -> Iterator[Holder]:
    """Yield whom or what a verb is done to, of the words behind it."""
    end = next(
        (n for n, t in enumerate(rest) if t.word in PREPOSITIONS | {",", "to"} or _is_time(rest, n)),
        len(rest),
    )
    phrase = list(rest[:end])
    if (
        len(phrase) > 2
        and phrase[0].is_person
        and phrase[1].word in _DEFINITE | POSSESSIVES | {"a", "an", "no"}
    ):
        phrase, end = phrase[:1], 1  # `taught Merle the art of locks`
    while phrase and phrase[-1].word in _AFTER_OBJECTS:
        phrase.pop()
    if phrase and (phrase[0].entity or phrase[0].word in ("the", "his", "her", "their")):
        following = rest[end : end + 3]
        if following and following[0].word == "of" and len(phrase) == end:
            phrase = [*phrase, *following]
        yield from holders_of(phrase, "", owner)
        if (name := _with_name_behind(rest, end)) and phrase[-1:] and not phrase[-1].entity:
            yield from holders_of([*phrase, *name], "", owner)


def _is_time(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word begins what says when, behind a place or an object: `drinks at the Stag every night`."""
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    is_each = tokens[at].word in _EVERY and following in _SHORT_TIMES
    is_one = tokens[at].word in _THIS and following in _TIMES_TOLD
    return at > 0 and (tokens[at].word in _TIMES_BEHIND or is_each or is_one)


def _with_name_behind(tokens: Sequence[Token], at: int) -> list[Token]:
    """Return `at Redford` behind `the bridge`, if no other word follows but a time; else nothing."""
    if at + 1 >= len(tokens) or tokens[at].word not in _OF_THEIRS - {"of", "to"}:
        return []
    end = at + 1
    while end < len(tokens) and tokens[end].text[:1].isupper() and not tokens[end].is_person:
        end += 1
    is_end = end == len(tokens) or tokens[end].word in PREPOSITIONS | {",", "every", "each"}
    return list(tokens[at:end]) if is_end and end > at + 1 else []


def places_of(tokens: Sequence[Token]) -> Iterator[Holder]:
    """Yield where something is, of the words that say so."""
    for index, token in enumerate(tokens):
        if token.word not in _PLACING:
            continue
        end = next(
            (
                n
                for n in range(index + 1, len(tokens))
                if tokens[n].word in PHRASE_ENDS | {","} or _is_time(tokens, n)
            ),
            len(tokens),
        )
        yield from holders_of(tokens[index + 1 : end])


def _holder(tokens: Sequence[Token], owner: str) -> Holder | None:
    words = [t.word for t in tokens]
    if whole := _whole_of_parts(tokens):
        return whole
    if words[0] in _INDEFINITE or number_of(words[0]) is not None:
        return None
    names = [n for n, t in enumerate(tokens) if t.entity]
    if not names:
        own = words[0] in POSSESSIVES and bool(owner)
        if not own and words[0] not in _DEFINITE:
            return None
        if words[0] == "the" and (noun := _noun_of_unknown(tokens)):
            return Holder("", noun, is_person=False)
        noun = _noun(words[1:])
        return Holder(owner if own else "", noun, _is_for_person(noun)) if noun else None
    at = names[0]
    if len(names) > 1:
        return None
    named = tokens[at]
    is_whole = words[0] == "the" and words[1:at] in (["whole"], ["entire"]) and not named.is_person
    if at + 1 == len(tokens) and (_BEFORE_NAMES.issuperset(words[:at]) or is_whole):
        return Holder(named.entity, "", named.is_person)
    if at + 1 < len(tokens) and words[at + 1] == "'s":
        noun = _noun(words[at + 2 :])
        return Holder(named.entity, noun, _is_for_person(noun)) if noun else None
    if at + 1 == len(tokens) and words[0] in _DEFINITE:
        join = next((n for n, w in enumerate(words[:at]) if w in _OF_THEIRS), None)
        if join is None or any(w not in ("the",) for w in words[join + 1 : at]):
            return None
        noun = _noun(words[1:join])
        if noun in _SAME_AS_WHOLE:
            return Holder(named.entity, "", named.is_person)
        return Holder(named.entity, noun, _is_for_person(noun)) if noun else None
    return None


def _whole_of_parts(tokens: Sequence[Token]) -> Holder | None:
    """Return of what every part is meant: of `every room of Hobb Manor` the manor."""
    words = [t.word for t in tokens if t.word not in ("the", "single", "last")]
    if len(words) < 4 or words[0] not in _EVERY or singular(words[1]) not in _PARTS_OF_PLACES:
        return None
    named = tokens[-1]
    is_plain = words[2] in _OF_THEIRS - {"to"} and len(words) == 4
    return (
        Holder(named.entity, "", is_person=False)
        if is_plain and named.entity and not named.is_person
        else None
    )


def _noun_of_unknown(tokens: Sequence[Token]) -> str:
    """Return the noun and the name of nobody known behind it: `bridge at redford`; nothing if there is none."""
    join = next((n for n, t in enumerate(tokens) if t.word in _OF_THEIRS), None)
    if join is None or join + 1 == len(tokens) or not all(t.text[:1].isupper() for t in tokens[join + 1 :]):
        return ""
    noun = _noun([t.word for t in tokens[1:join]])
    is_for_person = _is_for_person(noun) if noun else True
    return "" if is_for_person else " ".join([noun, *(t.word for t in tokens[join:])])


def _noun(words: Sequence[str]) -> str:
    """Return the noun of a phrase with its adjectives; nothing if it is no plain one."""
    if not words or not all(w.replace("-", "").isalpha() for w in words) or len(words) > 4:
        return ""
    if words[-1] in PREPOSITIONS or "of" in words or not _INDEFINITE.isdisjoint(words[:-1]):
        return ""
    head = singular(words[-1])
    if head in _EMPTY_NOUNS and len(words) == 1:
        return ""
    return " ".join([*words[:-1], head])


def _is_for_person(noun: str) -> bool:
    head = noun.split()[-1] if noun else ""
    return head in PERSON_NOUNS or head in load_word_lists().kin
