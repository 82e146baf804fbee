"""Reads the colour of somebody's hair and eyes, and by how many words that may be said: dark hair is black or brown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.word_lists import number_of

COLOUR_OF: Final = "colour of "
"""What the values begin with; their words are the colours that are left open."""
_HAIR: Final = {
    "black": {"black"}, "raven": {"black"}, "dark": {"black", "brown"}, "brown": {"brown", "auburn"},
    "brunette": {"brown", "black"}, "brunet": {"brown", "black"}, "chestnut": {"brown", "auburn"},
    "blond": {"blond"}, "blonde": {"blond"}, "fair": {"blond"}, "golden": {"blond"}, "flaxen": {"blond"},
    "red": {"red", "auburn"}, "ginger": {"red"}, "auburn": {"red", "auburn", "brown"}, "copper": {"red", "auburn"},
    "redhead": {"red", "auburn"}, "grey": {"grey", "white"}, "gray": {"grey", "white"}, "silver": {"grey", "white"},
    "white": {"grey", "white"}, "green": {"green"}, "blue": {"blue"}, "purple": {"purple"}, "pink": {"pink"},
}  # fmt: skip
_EYES: Final = {
    "blue": {"blue"}, "green": {"green"}, "brown": {"brown"}, "black": {"black"}, "dark": {"brown", "black"},
    "grey": {"grey"}, "gray": {"grey"}, "hazel": {"hazel", "brown", "green"}, "amber": {"amber"}, "violet": {"violet"},
    "red": {"red"}, "yellow": {"yellow", "amber"}, "golden": {"amber", "yellow"},
}  # fmt: skip
_IDLE: Final = frozenset(
    ["long", "short", "thick", "curly", "straight", "wavy", "thin", "bright", "pale", "light", "deep", "very", "his",
     "her", "the", "a", "an", "beautiful", "piercing", "cold", "large", "big", "small", "shaggy", "tangled",
     "two", "both", "of", "all", "sea", "icy", "steel", "warm", "tired", "sharp", "kind",
     "father", "mother", "'s", "naturally", "curling"]
)  # fmt: skip
_AGES: Final = frozenset(
    [
        "man",
        "woman",
        "girl",
        "boy",
        "child",
        "lad",
        "lass",
        "youth",
        "fellow",
        "beauty",
        "person",
        "lady",
        "stranger",
    ]
)
_WIGS: Final = frozenset({"wig", "dye", "dyed", "hood"})


def read_hair(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield the colours that a clause says somebody's hair or eyes have now."""
    if base.time is not ClauseTime.NOW or base.is_change or base.when or clause.is_passive or base.general:
        return
    subject, rest = [t.word for t in clause.subject], [t.word for t in clause.rest]
    if subject[:2] == ["both", "of"]:
        subject = subject[2:]
    people = [t.entity for t in clause.subject if t.is_person]
    if len(people) != 1 or _WIGS & {*subject, *rest}:
        return
    for part, noun, colours in (("hair", "hair", _HAIR), ("eyes", "eyes", _EYES)):
        said = _colours(clause, subject, rest, noun, colours)
        if said:
            yield value_proposition(
                base, f"{COLOUR_OF}{part}", doers=frozenset(people), others=frozenset(), owners=frozenset(), thing="",
                words=frozenset(said), is_event=False,
            )  # fmt: skip


def _colours(
    clause: ClauseWords, subject: Sequence[str], rest: Sequence[str], noun: str, colours: dict[str, set[str]]
) -> set[str]:
    if subject[1:] == ["'s", noun]:  # `Anne's hair is black`
        words = [w for w in rest if w not in _IDLE] if clause.verb == "be" else []
        return colours.get(words[0], set()) if len(words) == 1 else set()
    if len(subject) != 1:
        return set()
    if clause.verb == "have" and noun in rest:  # `Anne has long black hair`
        at = rest.index(noun)
        words = [w for w in rest[:at] if w not in _IDLE]
        is_whole = at + 1 == len(rest) or rest[at + 1] in (",", "and")
        return colours.get(words[0], set()) if len(words) == 1 and is_whole else set()
    if clause.verb != "be":
        return set()
    ending = "-haired" if noun == "hair" else "-eyed"
    compound = next((w.removesuffix(ending) for w in rest if w.endswith(ending)), "")
    if compound:  # `Anne is a dark-haired girl`
        return colours.get(compound, set())
    words = [w for w in rest if w not in _IDLE | _AGES]
    is_noun = len(words) == 1 and words[0] in ("blond", "blonde", "brunette", "brunet", "redhead")
    return colours.get(words[0], set()) if is_noun and not any(number_of(w) for w in rest) else set()
