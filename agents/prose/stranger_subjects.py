"""Finds in a marked sentence somebody who is not on record, and whom a pronoun behind it may mean. Pure.

`An old woman kneels at the altar.` has a woman as its subject: `she` in the next sentence is that woman, and not who
was named before.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from agents.prose.titles import HE_TITLES, SHE_TITLES, TITLES
from agents.prose.trades import is_trade
from agents.prose.verb_forms import IRREGULAR_VERBS, PAST_VERB

_SHE_WORDS: Final = (
    "woman girl lady lass maid daughter wife grandmother grandma niece bride crone hag matron priestess waitress "
    "barmaid seamstress laundress milkmaid dairymaid midwife nun witch actress sorceress governess hostess heiress"
)
_HE_WORDS: Final = (
    "man boy lad gentleman fellow bloke chap monk friar son husband grandfather grandpa nephew bridegroom butler "
    "stableboy ploughboy bellboy cabbie cowboy"
)
_ANY_WORDS: Final = (
    "stranger person figure child youth newcomer traveller traveler visitor guest somebody someone teenager orphan "
    "urchin wanderer drunkard drunk customer passenger prisoner intruder survivor victim neighbour neighbor cousin"
)
_SHE_NOUNS: Final = frozenset(_SHE_WORDS.split()) | SHE_TITLES
_HE_NOUNS: Final = frozenset(_HE_WORDS.split()) | HE_TITLES
_ANY_NOUNS: Final = frozenset(_ANY_WORDS.split())
_NO_PERSONS: Final = frozenset({"page", "canon", "counsel", "major", "general", "mate"})
"""Titles that are things, too."""
_ANAPHORIC_WORDS: Final = (
    "woman girl lady lass man boy lad gentleman fellow bloke chap figure person child youth"
)
_ANAPHORIC_NOUNS: Final = frozenset(_ANAPHORIC_WORDS.split())
"""With `the`, these are what anybody is called who was named before."""
_OTHER_WORDS: Final = (
    "a an the and or but of to in on at by with from for his her their my your our its that this who is was as "
    "than like"
)
_NO_ADJECTIVES: Final = frozenset(_OTHER_WORDS.split())
_ARTICLE: Final = re.compile(
    r"\b(?:(?P<article>an?|another|one|some|the|this|that|his|her|their|my|our|somebody's)\s+|(?=(?:somebody|someone)\b))",
    re.IGNORECASE,
)
_NOUN: Final = re.compile(r"([a-z][a-z’-]*)(?P<voice>['’]s\s+(?:voice|face|head)\b)?", re.IGNORECASE)
_GOES_ON: Final = re.compile(
    r"\s*(?:[,.;:!?…—–]|$)|\s+(?:(?:in|with|at|on|from|by|behind|beside|near|who|whose|of|and|to|as|into|through|whom|"
    rf"is|was|has|had|up|before|under|dressed)\b|[a-z]+(?:s|ly|ing)\b|{PAST_VERB.pattern})"
)
"""What stands behind somebody, and not behind the first half of `guard tower`."""
_GROUP: Final = re.compile(
    r"\b(?:(?P<one>one|another)\s+of\s+(?:the|these|those|my|our|your|his|her|their)|two|three|four|five|six|several|many|"
    r"(?:a\s+)?few|(?:a\s+)?(?:couple|pair|group|crowd|band|handful)\s+of)\s+",
    re.IGNORECASE,
)
"""Before several people: `two women`, `one of the guards`."""
_PLURAL_VERBS: Final = (
    "are were appear approach arrive burst carry climb cross dance enter follow hurry join jump laugh look march pass "
    "rush shout step stroll talk turn wait walk wander watch whisper"
)
_GO_ON_TOGETHER: Final = re.compile(
    rf"\s+(?:{'|'.join(sorted({*_PLURAL_VERBS.split(), *IRREGULAR_VERBS}))})\b"
)
"""What stands behind the last of several people besides, who do something together: `two men and a girl come in`."""
_IS_LAST: Final = re.compile(r"\band\s+$")
_PLURAL_GOES_ON: Final = re.compile(r"\s*(?:[,.;:!?…—–]|$)|\s+[a-z]")
_PLURALS: Final = {"women": "woman", "men": "man", "children": "child", "wives": "wife", "thieves": "thief"}
_PLURAL_END: Final = re.compile(r"(?:women|men|children|wives|thieves)$")
_TOLD_APART: Final = re.compile(
    r"\s+(?:(?:by|near|at|behind|beside|opposite|from)\s+(?:the|an?|that)\s+(?!(?:same|head|centre|center)\b)\w"
    r"|in\s+(?:the\s+(?:corner|doorway|shadows?|back|next|other)\b|grey|gray|black|white|red|green|blue|brown|rags|furs|armour|armor)"
    r"|with\s+(?:the|an?)\s+\w|who\b(?!\s+@))",
    re.IGNORECASE,
)
"""What tells somebody from others, so that nobody who was named is meant: `the old woman by the fire`."""
_JOIN: Final = re.compile(r"(?:,?\s+and\s+|,\s+)$")
"""Between people who do something together: `two men and a girl`."""
_SPACE: Final = re.compile(r",?\s+")
_MAX_WORDS: Final = 4
"""Words behind the article, with the noun."""
_OPENING: Final = re.compile(
    r"\s*(?:(?:and|but|then|suddenly|now|meanwhile|outside|inside|there|here|[a-z]+ly)\b,?\s*)*"
    r"(?:(?:at|in|on|by|behind|beside|under|near|before|after|as|when|while|through|from|across|outside|inside|over|"
    r"with|for|one|that|this|later|next|out|up|down|between|against|among|beyond|above|below|around|beneath)\b"
    r"[^;:.!?]{0,70}?(?:,\s*|\s(?:[a-z]+s|stood|sat|knelt|came|lay|went|ran|rode)\s+))?"
    r"(?:there\s+(?:is|was|[a-z]+s|stood|sat|came|lay)\s+)?$",
    re.IGNORECASE,
)
"""What may stand before the subject: `At the altar,`, `Through the door comes`, `There is`."""
_ONLY_COMPARED: Final = re.compile(r"\b(?:like|as|than|not|never|of|without|no|nor)\s+$", re.IGNORECASE)
_NOBODY_DOES: Final = re.compile(r"\b(?:nobody|no\s+one)\b[^,;:.!?]*$", re.IGNORECASE)
"""Before somebody to whom nothing happens: `nobody would search a child`."""
_IS_NAMED: Final = re.compile(r"(?:^|[,;:—–-]|\b(?:is|was|be|being|named|called|and|as))\s*@\d+@")
"""Who is named by the name, and not told from somebody known: `a girl, @1@,`, `the rider turns out to be @1@`."""


class CalledPerson(NamedTuple):
    """Somebody who is called by what anybody may be, and who may have been named before: `the boy`."""

    noun: str
    gender: Literal["he", "she", ""]


class StrangerMention(NamedTuple):
    """Somebody in a sentence who is not on record."""

    gender: Literal["he", "she", ""]
    """The pronoun by which they are meant; empty if it may be any."""
    is_subject: bool
    """Whether the sentence tells what they do."""
    is_new: bool
    """Whether the words tell of somebody who was not named before: `a guard`, not `the guard` or `somebody`."""
    is_group: bool = False
    """Whether it is one of several: `two guards`, `one of the guards`."""


def find_strangers(marked: str) -> list[StrangerMention]:
    """Return all who in a marked sentence are not on record: `Two men and a girl come in`. The subject is first."""
    subjects, others = list[StrangerMention](), list[StrangerMention]()
    subject_ends = set[int]()
    for start, end, stranger in sorted((*_find_groups(marked), *_find_singles(marked))):
        join = _JOIN.search(marked, 0, start)
        is_joined = join is not None and join.start() in subject_ends
        if stranger.is_subject or is_joined:
            subject_ends.add(end)
        if stranger.is_group and stranger.is_subject:
            subjects.append(stranger)
        elif stranger.is_subject or is_joined or stranger.is_new:
            others.append(stranger._replace(is_subject=stranger.is_subject or is_joined))
    return [*subjects, *others]


def _find_singles(marked: str) -> list[tuple[int, int, StrangerMention]]:
    """Return where single people stand who are not on record, and who they are."""
    found = list[tuple[int, int, StrangerMention]]()
    for match in _ARTICLE.finditer(marked):
        article = (match["article"] or "").casefold()
        is_new = article in ("a", "an", "another", "one")
        is_last = _IS_LAST.search(marked, 0, match.start()) is not None
        person = _find_person(marked, match.end(), is_last=is_last)
        if (
            person is None
            or _ONLY_COMPARED.search(marked, 0, match.start())
            or _NOBODY_DOES.search(marked, 0, match.start())
        ):
            continue
        noun = person[1].casefold()
        is_told_apart = _TOLD_APART.match(marked, person.end()) is not None
        if article in ("the", "this", "that") and noun in _ANAPHORIC_NOUNS and not is_told_apart:
            continue
        is_named = _IS_NAMED.search(marked, person.end()) is not None
        is_subject = _OPENING.match(marked, 0, match.start()) is not None and not is_named
        found.append((match.start(), person.end(), StrangerMention(_read_gender(noun), is_subject, is_new)))
    return found


def find_called_person(marked: str) -> CalledPerson | None:
    """Return who is called `the boy` or `that old woman` last in a marked sentence; None if nobody is."""
    called = None
    for match in _ARTICLE.finditer(marked):
        person = _find_person(marked, match.end())
        if person is not None and (match["article"] or "").casefold() in ("the", "this", "that"):
            noun = person[1].casefold()
            called = CalledPerson(noun, _read_gender(noun)) if noun in _ANAPHORIC_NOUNS else called
    return called


def read_called_nouns(description: str) -> frozenset[str]:
    """Return which of the words by which anybody may be called a description has: `boy` of `a boy of ten`."""
    return _ANAPHORIC_NOUNS.intersection(re.findall(r"[a-z]+", description.casefold()))


def is_person_noun(noun: str) -> bool:
    """Say whether a noun is of a person, and hardly of a thing: `girl`, `priest`; not `figure`."""
    return noun != "figure" and _is_person(noun)


def is_person_at(marked: str, start: int) -> bool:
    """Say whether the words behind an article are of somebody who is not on record: `boy`, `old thief`."""
    return _find_person(marked, start) is not None


def _find_groups(marked: str) -> list[tuple[int, int, StrangerMention]]:
    """Return where several people stand who do something, and who is meant by a pronoun behind them."""
    found = list[tuple[int, int, StrangerMention]]()
    for match in _GROUP.finditer(marked):
        person = _find_person(marked, match.end(), is_plural=True)
        if person is None or _ONLY_COMPARED.search(marked, 0, match.start()):
            continue
        is_subject = _OPENING.match(marked, 0, match.start()) is not None
        if _IS_NAMED.search(marked, person.end()) is None:
            gender = _read_gender(_singular(person[1].casefold()))
            is_new = is_subject and match["one"] is not None
            stranger = StrangerMention(gender, is_subject, is_new, is_group=True)
            found.append((match.start(), person.end(), stranger))
    return found


def _find_person(
    marked: str, start: int, *, is_plural: bool = False, is_last: bool = False
) -> re.Match[str] | None:
    """Return the noun for a person, or for several, of the words behind an article; None if they have none.

    `is_last`: the person is the last of several who do something together.
    """
    goes_on = _PLURAL_GOES_ON if is_plural else _GOES_ON
    position = start
    for _ in range(_MAX_WORDS):
        noun = _NOUN.match(marked, position)
        if noun is None or noun[1].casefold() in _NO_ADJECTIVES:
            return None
        word = noun[1].casefold()
        goes_on_here = goes_on.match(marked, noun.end()) or (
            is_last and _GO_ON_TOGETHER.match(marked, noun.end())
        )
        if _is_person(_singular(word) if is_plural else word) and goes_on_here:
            return noun
        space = _SPACE.match(marked, noun.end())
        if space is None:
            return None
        position = space.end()
    return None


def _singular(noun: str) -> str:
    """Return what one of several is: `lady` of `ladies`; empty if the noun is not of several."""
    if match := _PLURAL_END.search(noun):
        return noun[: match.start()] + _PLURALS[match[0]]
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-1] if noun.endswith("s") else ""


def _is_person(noun: str) -> bool:
    is_known = (
        noun in _SHE_NOUNS or noun in _HE_NOUNS or noun in _ANY_NOUNS or noun in TITLES or is_trade(noun)
    )
    return is_known and noun not in _NO_PERSONS


def _read_gender(noun: str) -> Literal["he", "she", ""]:
    if noun in _SHE_NOUNS or noun.endswith(("woman", "wife", "mistress", "maid")):
        return "she"
    if noun in _HE_NOUNS or noun.endswith(("man", "master")):
        return "he"
    return ""
