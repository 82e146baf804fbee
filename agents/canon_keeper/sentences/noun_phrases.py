"""Reads noun phrases: `the glass bell`, `Dob's elder sister`, `no one but Vess`, `three sons of the king`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

NOBODY_WORDS: Final = frozenset({"nobody", "none", "nothing", "no-one", "noone"})
_EVERYBODY_WORDS: Final = frozenset({"everybody", "everyone", "everything"})
_ANYBODY_WORDS: Final = frozenset({"anybody", "anyone", "anything"})
_SOMEBODY_WORDS: Final = frozenset({"somebody", "someone", "something"})
PRONOUNS: Final = frozenset({"he", "she", "it", "they", "him", "her", "them", "i", "me", "you", "we", "us"})
SUBJECT_PRONOUNS: Final = frozenset({"he", "she", "it", "they", "i", "you", "we"})
POSSESSIVES: Final = frozenset({"his", "her", "its", "their", "my", "your", "our"})
REFLEXIVES: Final = frozenset({"himself", "herself", "itself", "themselves"})
ARTICLES: Final = frozenset({"the", "a", "an"})
_DETERMINERS: Final = frozenset({"this", "that", "these", "those", "some", "such", "another", "other", "own"})
_EXCEPTIONS: Final = frozenset({"but", "except", "save", "besides", "outside", "beyond"})
PREPOSITIONS: Final = frozenset(
    [
        "in",
        "at",
        "on",
        "under",
        "beneath",
        "behind",
        "near",
        "inside",
        "within",
        "above",
        "below",
        "beside",
        "by",
        "with",
        "to",
        "from",
        "into",
        "onto",
        "over",
        "across",
        "through",
        "against",
        "among",
        "amongst",
        "between",
        "for",
        "about",
        "around",
        "along",
        "off",
        "out",
        "up",
        "down",
        "towards",
        "toward",
        "outside",
        "beyond",
        "upon",
        "without",
        "underneath",
        "atop",
        "aboard",
        "throughout",
        "past",
        "via",
        "per",
        "beyond",
        "like",
        "than",
        "as",
        "amid",
        "opposite",
        "alongside",
    ]
)
_PERSON_WORDS: Final = frozenset(
    [
        "person",
        "man",
        "woman",
        "boy",
        "girl",
        "child",
        "son",
        "daughter",
        "brother",
        "sister",
        "mother",
        "father",
        "wife",
        "husband",
        "friend",
        "stranger",
        "king",
        "queen",
        "lord",
        "lady",
        "captain",
        "servant",
        "guard",
        "soldier",
        "people",
        "somebody",
        "someone",
        "thief",
        "priest",
    ]
)
_INTENSIFIERS: Final = frozenset(
    ["very", "quite", "rather", "truly", "really", "most", "too", "so", "such", "entirely", "wholly"]
)


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Who or what a phrase means.

    `determiner` is `the`, `a`, `no`, `every`, `any`, `some`, a possessive (`own`) or nothing.
    """

    entity: str = ""
    head: str = ""
    modifiers: frozenset[str] = frozenset()
    determiner: str = ""
    number: int | None = None
    is_only: bool = False
    owner: NounPhrase | None = None
    of: NounPhrase | None = None
    excepted: NounPhrase | None = None
    within: NounPhrase | None = None
    """The phrase behind a preposition after it: Rigg in `the tallest man in Rigg`."""
    is_plural: bool = False
    is_person: bool = False
    """Whether it names somebody."""

    @property
    def is_nobody(self) -> bool:
        return self.determiner == "no"

    @property
    def is_everybody(self) -> bool:
        return self.determiner == "every"

    @property
    def is_general(self) -> bool:
        """Whether it means any of its kind: of persons, everybody."""
        return self.determiner in ("no", "every", "any")

    @property
    def is_person_word(self) -> bool:
        return self.head == "person"

    def entities(self) -> frozenset[str]:
        """Return every entity that the phrase names, as itself or along the way."""
        parts = (self.owner, self.of, self.excepted, self.within)
        inner = [part.entities() for part in parts if part is not None]
        return frozenset({self.entity} - {""}).union(*inner)

    def words(self) -> str:
        """Return the phrase in plain words, but for the names of entities."""
        owner = f"{self.owner.words()}'s " if self.owner else ""
        own = " ".join([*sorted(self.modifiers), self.head]).strip()
        return f"{owner}{self.entity or own}{f' of {self.of.words()}' if self.of else ''}".strip()


def same_thing(one: NounPhrase | None, other: NounPhrase | None) -> bool:
    """Say whether two phrases surely mean the same."""
    if one is None or other is None:
        return one is other
    if one.entity or other.entity:
        return one.entity == other.entity
    if one.head != other.head or not one.head:
        return False
    if one.determiner == "another" or other.determiner == "another":
        return False
    if one.within is not None and other.within is not None and not same_thing(one.within, other.within):
        return False
    for a, b in ((one.owner, other.owner), (one.of, other.of)):
        if (a is None) is not (b is None) or (a is not None and not same_thing(a, b)):
            return _same_by_owner_and_of(one, other)
    return one.modifiers == other.modifiers


def _same_by_owner_and_of(one: NounPhrase, other: NounPhrase) -> bool:
    """`Dob's boat` is `the boat of Dob`."""
    one_owner, other_owner = one.owner or one.of, other.owner or other.of
    if one_owner is None or other_owner is None:
        return False
    return same_thing(one_owner, other_owner) and one.modifiers == other.modifiers


def includes(general: NounPhrase | None, special: NounPhrase | None) -> bool:
    """Say whether what is said of `general` (`a horse`, `anybody`, `anything`) covers `special`."""
    if general is None:
        return True
    if special is None:
        return False
    if same_thing(general, special):
        return True
    if general.excepted is not None and same_thing(general.excepted, special):
        return False
    if general.head in ("person", "thing") and general.is_general and general.within is None:
        is_meant = general.head == "thing" or special.is_person or special.head in _PERSON_WORDS
        return special.determiner != "no" and is_meant
    is_of_kind = general.determiner in ("a", "any", "no", "every") or (
        general.is_plural and not general.determiner
    )
    if not (is_of_kind and not general.entity and general.head == special.head and general.head):
        return False
    if special.entity:
        return not general.modifiers and general.owner is None and general.of is None
    owner_fits = general.owner is None or (
        special.owner is not None and same_thing(general.owner, special.owner)
    )
    of_fits = general.of is None or (special.of is not None and same_thing(general.of, special.of))
    return owner_fits and of_fits and general.modifiers <= special.modifiers


def read_noun_phrase(tokens: Sequence[Token], pronoun: NounPhrase | None = None) -> NounPhrase | None:
    """Read tokens as one noun phrase; `pronoun` is whom `he`, `it` and `his` mean."""
    words = [t.word for t in tokens]
    while tokens and words[0] in ("both", "just", "even", "indeed", "merely"):
        if words[:2] == ["both", "of"]:
            inner = read_noun_phrase(tokens[2:], pronoun)
            return None if inner is None else replace(inner, number=2)
        tokens, words = tokens[1:], words[1:]
    if not tokens:
        return None
    if words[0] == "only":
        inner = read_noun_phrase(tokens[1:], pronoun)
        return None if inner is None else replace(inner, is_only=True)
    if words[-1] in ("alone", "himself", "herself", "itself") and len(words) > 1:
        inner = read_noun_phrase(tokens[:-1], pronoun)
        return None if inner is None else replace(inner, is_only=inner.is_only or words[-1] == "alone")
    if quantified := _read_quantified(tokens, words, pronoun):
        return quantified
    if len(words) == 1 and words[0] in PRONOUNS | REFLEXIVES | {"myself", "yourself"}:
        return pronoun if pronoun is not None else NounPhrase(head=f"*{words[0]}")
    return _read_plain(tokens, words, pronoun)


def _read_quantified(
    tokens: Sequence[Token], words: list[str], pronoun: NounPhrase | None
) -> NounPhrase | None:
    if words[:2] == ["no", "one"] or (len(words) > 1 and words[:2] == ["no", "body"]):
        return _with_exception(NounPhrase(head="person", determiner="no"), tokens[2:], pronoun)
    head = "thing" if words[0].endswith("thing") else "person"
    for group, determiner in (
        (NOBODY_WORDS, "no"), (_EVERYBODY_WORDS, "every"), (_ANYBODY_WORDS, "any"), (_SOMEBODY_WORDS, "some"),
    ):  # fmt: skip
        if words[0] in group:
            return _with_exception(NounPhrase(head=head, determiner=determiner), tokens[1:], pronoun)
    quantifiers = {"no": "no", "every": "every", "each": "every", "all": "every", "any": "any"}
    if words[0] in quantifiers and len(words) > 1:
        rest = tokens[2:] if words[1] in ("of", "the") else tokens[1:]
        if words[0] == "all" and len(words) > 2 and words[1:3] == ["of", "the"]:
            rest = tokens[3:]
        inner = read_noun_phrase(rest, pronoun)
        if inner is not None and inner.entity:
            return NounPhrase(head="person", determiner=quantifiers[words[0]], within=inner)
        if (
            inner is not None
            and words[0] == "no"
            and inner.head in ("soul", "mortal", "body")
            and not inner.modifiers
        ):
            inner = replace(inner, head="person")
        return None if inner is None else replace(inner, determiner=quantifiers[words[0]])
    if words[0] in ("those", "they") and len(words) > 1 and words[1] in ("of", "in", "who", "with"):
        inner = read_noun_phrase(tokens[2:], pronoun)
        return None if inner is None else NounPhrase(head="person", determiner="every", within=inner)
    return None


def _with_exception(
    phrase: NounPhrase, rest: Sequence[Token], pronoun: NounPhrase | None
) -> NounPhrase | None:
    words = [t.word for t in rest]
    if not rest or words == ["else"] or words == ["at", "all"] or words == ["ever"]:
        return phrase
    if words[:2] == ["other", "than"]:
        words, rest = words[1:], rest[1:]
    if words[0] in ("than", *_EXCEPTIONS):
        excepted = read_noun_phrase(rest[1:], pronoun)
        if words[0] in ("outside", "beyond"):
            return replace(phrase, within=NounPhrase(head="outside", of=excepted))
        return None if excepted is None else replace(phrase, excepted=excepted)
    inner = read_noun_phrase(rest[1:], pronoun) if len(rest) > 1 else None
    return replace(phrase, within=inner or NounPhrase(head=" ".join(words)))


def _read_plain(tokens: Sequence[Token], words: list[str], pronoun: NounPhrase | None) -> NounPhrase | None:
    of_phrase: NounPhrase | None = None
    within: NounPhrase | None = None
    for index, word in enumerate(words):
        if index and (word == "of" or (word in PREPOSITIONS and word not in ("like", "than", "as"))):
            rest = read_noun_phrase(tokens[index + 1 :], pronoun)
            if word == "of":
                of_phrase = rest
                if rest is None:
                    return None
            else:
                within = rest
            tokens, words = tokens[:index], words[:index]
            break
    owner: NounPhrase | None = None
    if "'s" in words:
        index = len(words) - 1 - words[::-1].index("'s")
        owner = read_noun_phrase(tokens[:index], pronoun)
        tokens, words = tokens[index + 1 :], words[index + 1 :]
        if owner is None or not tokens:
            return None
    determiner, number, is_only = "own" if owner else "", None, False
    if words[:3] == ["one", "and", "only"]:
        is_only, tokens, words = True, tokens[3:], words[3:]
    if words[-1:] == ["left"] and len(words) > 1 and "single" in words:
        tokens, words = tokens[:-1], words[:-1]
    modifiers: list[str] = []
    while tokens:
        word = words[0]
        if word in ARTICLES and not tokens[0].entity:
            determiner = determiner or ("the" if word == "the" else "a")
        elif word in POSSESSIVES and len(words) > 1:
            determiner, owner = "own", pronoun if pronoun is not None else NounPhrase(head=f"*{word}")
        elif word == "other" and len(words) > 1 and determiner in ("the", "own"):
            determiner = "another"
        elif word in _DETERMINERS and len(words) > 1:
            determiner = determiner or (
                "another" if word in ("another", "other") else "the" if word != "some" else "some"
            )
        elif word in ("only", "sole"):
            is_only = True
        elif word == "single" and len(words) > 1:
            pass
        elif word == "hundred" and determiner == "a":
            number = 100
        elif (value := number_of(word)) is not None and len(words) > 1:
            number = value
        elif word in _INTENSIFIERS and len(words) > 1:
            pass
        else:
            break
        tokens, words = tokens[1:], words[1:]
    if not tokens:
        return None
    named_at = next((n for n, t in enumerate(tokens) if t.entity), None)
    if named_at is not None and len(tokens) > named_at + 2 and words[named_at + 1] in ("the", "of"):
        tokens, words = tokens[: named_at + 1], words[: named_at + 1]  # `Grak the ogre`
    if any(t.entity for t in tokens):
        named = tokens[-1]
        if not named.entity:
            # `the Tinkers' Guild promise`: a name before a noun only qualifies it.
            modifiers = words[:-1]
            head = singular(words[-1])
            return NounPhrase(
                "", head, frozenset(modifiers), determiner, number, is_only, owner, of_phrase, None, within
            )
        kind = named.text.split()[-1].casefold()
        return NounPhrase(
            named.entity, kind, frozenset(), determiner if determiner in ("a", "no", "every") else "", number, is_only,
            None, None, None, within or of_phrase, is_person=named.is_person,
        )  # fmt: skip
    if of_phrase is not None and singular(words[-1]) in load_word_lists().measures and of_phrase.head:
        return replace(of_phrase, determiner="a")
    if any(not w[0].isalnum() for w in words):
        return None
    modifiers = words[:-1]
    head = singular(words[-1])
    return NounPhrase(
        "", head, frozenset(modifiers), determiner, number, is_only, owner, of_phrase, None, within,
        is_plural=head != words[-1],
    )  # fmt: skip
