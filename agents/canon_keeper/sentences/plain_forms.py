"""Says a sentence in its plain form: `Tam died without ever learning it` as `Tam died and did never learn it`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import WordLists, load_word_lists, number_of

_FORMED_WORDS: Final = frozenset(
    {"will", "world", "earth", "sun", "without", "when", "that", "who", "born", "brother", "sister", "wife"}
)
"""Words without one of which a sentence is as it is."""
_WORLDWIDE: Final = (
    ("in", "this", "world"), ("in", "the", "whole", "world"), ("in", "all", "the", "world"), ("on", "this", "earth"),
    ("under", "the", "sun"), ("on", "the", "face", "of", "the", "earth"), ("on", "god", "'s", "earth"),
)  # fmt: skip
"""What says nothing of its own beside `nobody`, `nothing` and `no`."""
_DENYING: Final = frozenset({"no", "nobody", "nothing", "none", "not", "never"})
_BEFORE_NOUN: Final = (
    ARTICLES | POSSESSIVES | {"'s", "free", "last", "by", "own", "good", "ill", "iron", "of"}
)
_DYING: Final = frozenset({"died", "perished"})
_PAIRS_OF_KIN: Final[dict[tuple[str, ...], str]] = {
    ("brother", "and", "sister"): "siblings", ("sister", "and", "brother"): "siblings",
    ("husband", "and", "wife"): "married", ("man", "and", "wife"): "married",
}  # fmt: skip
_ONLY_ONE: Final = frozenset({"one", "person", "man", "woman", "girl", "boy", "member", "survivor"})


def say_in_plain_form(tokens: Sequence[Token], lists: WordLists) -> Sequence[Token]:
    """Return the words with a plain form for those that say the same in a roundabout way."""
    words = [t.word for t in tokens]
    if "from" in words[-3:-1] and (reordered := _with_teller_first(tokens, words)):
        return reordered
    if words[:1] == ["no"] and "," in words[2:5] and "is" in words[4:8]:
        at = words.index(",")
        if tokens[at + 1].is_person and words[at + 2] == "is":
            return tokens[at + 1 :]  # `No mortal, Elowen is a goddess`
    if _FORMED_WORDS.isdisjoint(words):
        return tokens
    if len(words) > 4 and words[-1] == ".":
        words = words[:-1]
    if (kin := _PAIRS_OF_KIN.get(tuple(words[-3:]))) and words[-4] in ("are", "were") and "and" in words[:-4]:
        return [*tokens[: len(words) - 3], *_plain(kin)]
    plain = _with_age_order(_with_time_last(_with_only_one(list(tokens))))
    plain = _without_world(plain) if not _DENYING.isdisjoint(words) else plain
    return _with_denied_deed(_with_noun_will(plain), lists)


def _with_noun_will(tokens: list[Token]) -> list[Token]:
    """Return `will` as a noun where it is one: `of her own free will`, `by will`, `his last will`."""
    return [
        t._replace(word="testament") if t.word == "will" and n and tokens[n - 1].word in _BEFORE_NOUN else t
        for n, t in enumerate(tokens)
    ]


def _without_world(tokens: list[Token]) -> list[Token]:
    words = [t.word for t in tokens]
    for phrase in _WORLDWIDE:
        for index in range(len(words) - len(phrase)):
            if tuple(words[index : index + len(phrase)]) == phrase:
                return [*tokens[:index], *tokens[index + len(phrase) :]]
    return tokens


def _with_denied_deed(tokens: list[Token], lists: WordLists) -> list[Token]:
    """Return `died and did never pay` for `died without paying` and `died without ever paying`."""
    words = [t.word for t in tokens]
    if "without" not in words or _DYING.isdisjoint(words):
        return tokens
    at = words.index("without")
    start = at + 2 if words[at + 1 : at + 2] == ["ever"] else at + 1
    doing = (
        next((r.lemma for r in lists.readings_as_verb(words[start]) if r.tag == "ing"), "")
        if words[start:]
        else ""
    )
    if not doing or _DYING.isdisjoint(words[:at]):
        return tokens
    return [*tokens[:at], *_plain("and", "did", "never", doing), *tokens[start + 1 :]]


def _with_time_last(tokens: list[Token]) -> list[Token]:
    """Return `the ship sailed on a Friday` for `It was on a Friday that the ship sailed`."""
    words = [t.word for t in tokens]
    if words[:1] != ["it"] or words[1:2] not in (["is"], ["was"]):
        return tokens
    joint = next((n for n, w in enumerate(words[:8]) if n > 2 and w in ("when", "that")), None)
    if joint is None:
        return tokens
    focus = tokens[2:joint]
    time_nouns = load_word_lists().time_nouns | load_word_lists().exclusive_groups["weekday"]
    if any(t.entity for t in focus) or time_nouns.isdisjoint(t.word for t in focus):
        return tokens
    if {"not", "never", "still", "already", "only", "before", "after", "time"} & set(words[2:joint]):
        return tokens
    main_clause = [t for t in tokens[joint + 1 :] if t.word != "."]
    joined = focus if focus[0].word in ("on", "in", "at") else [Token("on", "on"), *focus]
    return [*main_clause, *joined]


def _with_age_order(tokens: list[Token]) -> list[Token]:
    """Return `Ida is six years older than Ivo` for `Ida was already six when Ivo was born`."""
    words = [t.word for t in tokens if t.word != "."]
    people = [t for t in tokens if t.is_person]
    if "born" not in words or len(people) != 2 or tokens[0] is not people[0]:
        return tokens
    if words[1] == "was" and words[-4:-3] == ["when"] and words[-2:] == ["was", "born"]:
        plain = [w for w in words[2:-4] if w not in ("already", "only", "just", "years", "year", "old")]
        if words[-3] == people[1].word and len(plain) == 1 and number_of(plain[0]) is not None:
            return [people[0], *_plain("is"), *_plain(plain[0], "years", "older", "than"), people[1]]
    is_of_both = words[1:2] == ["and"] and words[3:5] == ["were", "born"]
    if is_of_both and words[5:] in (["in", "the", "same", "year"], ["on", "the", "same", "day"]):
        return [*tokens[:3], *_plain("are", "of", "the", "same", "year")]
    measure = words[3:-2]
    is_counted = len(measure) == 2 and measure[1] in ("year", "years") and words[1:3] == ["was", "born"]
    if is_counted and words[-2] in ("after", "before") and words[-1] == people[1].word:
        order = "older" if words[-2] == "before" else "younger"
        return [people[0], *_plain("is", *measure, order, "than"), people[1]]
    return tokens


def _plain(*words: str) -> list[Token]:
    return [Token(word, word) for word in words]


def _with_teller_first(tokens: Sequence[Token], words: Sequence[str]) -> list[Token]:
    """Return `Odette told everyone about the trapdoor` for `Everyone heard about the trapdoor from Odette`."""
    heard = next((n for n, w in enumerate(words) if n and w in ("heard", "learned", "learnt")), None)
    end = len(words) - 1 - words[::-1].index("from")
    if heard is None or words[heard + 1] not in ("about", "of") or not tokens[end + 1].is_person:
        return []
    if {"not", "never", "and", ","} & set(words) or (words[end + 2 :] not in ([], ["."])):
        return []
    return [tokens[end + 1], *_plain("told"), *tokens[:heard], *_plain("about"), *tokens[heard + 2 : end]]


def _with_only_one(tokens: list[Token]) -> list[Token]:
    """Return `Tam missed the feast` for `Tam was the only one of the crew who missed the feast`."""
    words = [t.word for t in tokens]
    if len(words) < 6 or words[2:4] != ["the", "only"] or words[1] not in ("is", "was"):
        return tokens
    who = next((n for n, w in enumerate(words[:11]) if w == "who"), None)
    if who is None or words[5] != "of" or not tokens[0].is_person or words[4] not in _ONLY_ONE:
        return tokens
    return [tokens[0], *tokens[who + 1 :]]
