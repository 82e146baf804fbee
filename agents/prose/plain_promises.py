"""Reads promises in plain prose (`I promise Edda to bring it back`; `"I swear it will be paid," I tell Silas`).

A promise that somebody is said to make (`Perrin swears to you that he will never steal`) is one too, in words of
the GM. What somebody swears to be true (`I swear that I never took it`) is none: a promise is about what will be.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.name_forms import is_capitalised
from agents.prose.hero_words import (
    FirstPersonSentence,
    find_hero_sentences,
    split_plain_sentences,
    split_speeches,
)
from agents.prose.mentions import is_role
from agents.prose.plain_decisions import is_made_now
from agents.prose.speech import find_speaker, find_speeches, strip_speech
from agents.prose.words import SHORT_TITLE_PATTERN

MAX_PROMISE_WORDS: Final = 300
"""Characters of what is promised."""


@dataclass(frozen=True, slots=True)
class PlainPromise:
    """What is promised, in the words used."""

    words: str
    quote: str
    promiser: str = ""
    """Who promises, as named; empty: the hero."""
    named_promisees: tuple[str, ...] = ()
    """Names to whom it may be promised, the most likely first."""
    addressee: str = ""
    """The name beside `promise`, whether or not anybody is known by it."""
    is_to_listener: bool = False
    """Whether it is said to whoever listens (`I promise you ...`)."""
    is_reported: bool = False
    """Whether the prose tells of it in its own words, in which `me` and `you` are the hero."""


_NO_NAME = r"(?:I|You|He|She|It|We|They|My|And|But|So|Then|Now|No|Yes|Well|That|This)"
_NAME = rf"(?:(?!{_NO_NAME}\b){SHORT_TITLE_PATTERN}[A-Z][\w'’-]*(?:\s+(?:of\s+|the\s+)?[A-Z][\w'’-]*){{0,3}})"
_NAME_PATTERN: Final = re.compile(rf"\b{_NAME}")
_VOCATIVE: Final = re.compile(rf"(?:^|,\s+)(?P<name>(?:my (?:dear |old )?)?{_NAME})(?=,|$)")
_NO_NAME_BEHIND = r"(?!\s+(?!I\b)[A-Z])"  # `I promise Gil Oakum will get it` is nothing to Gil
_NOT_OF_HERS = r"(?!\s+(?!that\b|never\b|not\b)\w+\s+that\b)"  # `to her memory that` is not to her
_TO = (
    rf"(?P<to>[Yy]ou(?: all| both)?|him|her{_NOT_OF_HERS}|them"
    rf"|(?!I\b){_NAME}\b(?<!['’]s)(?!['’]){_NO_NAME_BEHIND})"
)
_TO_HERO_TOO = _TO.replace("P<to>", "P<to>me|")
_GIVEN_TO_HERO_TOO = _TO.replace("P<to>", "P<given>me|")
_VERB = r"(?:(?:do|hereby|solemnly|also|now|here and now)\s+)?(?:[Pp]romise|[Ss]wear|[Vv]ow|[Pp]ledge)"
_OWNED = (
    rf"(?:to\s+(?:[Tt]he|[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur)\s|(?:to\s+)?{_NAME}['’]?(?<=['’]s|s['’])\s)"
)
"""Somebody or something by whose it is: `to Osric's memory`. No name says to whom it is promised, then."""
_ADJUNCT = (
    rf"(?:\s+(?:(?:on|by|over|before|upon)\s+|{_OWNED})[^,]{{1,40}}?"
    r"(?=,|\s+that\b|\s+to\b|\s+never\b|\s+I(?:\s+will|\s+shall|['’]ll|\s+won['’]t)\b))?"
)
_CLAUSE = (
    r"(?:that\s+)?(?P<clause>(?:[^,;]{1,60}?)(?:\b|(?=['’]))(?:will|shall|['’]ll|won['’]t)\b.+)"
    # `swears to me that the well is poisoned` is to somebody, and no deed.
    r"|(?P<infinitive>(?:never\s+|not\s+)?to\s+(?!(?:me|you|him|her|them|us|[A-Z][\w'’-]*)\b).+)"
)
_THING = r"|(?P<thing>(?:a|an|the|my|your|his|her|their|our|half|all|no|one|two|three|four|five|six|ten|[0-9]+)\s+.+)"
_PROMISES: Final = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rf"\bI\s+(?:[Pp]romise)\s+{_TO}\s+(?:{_CLAUSE}{_THING})",
        rf"\bI\s+{_VERB}(?:\s+(?:to\s+)?{_TO}\b)?{_ADJUNCT}(?:,\s+{_NAME})?\s*,?\s+(?:{_CLAUSE})",
        rf"\bI\s+(?:hereby\s+)?give\s+{_TO}\s+my\s+(?:solemn\s+)?(?:word|oath|promise)\s*[,:]?\s+(?:{_CLAUSE})",
        rf"\bI\s+give\s+my\s+(?:word|oath|promise)\s+to\s+{_TO}\s*[,:]?\s+(?:{_CLAUSE})",
        rf"\b{_TO}\s+ha(?:ve|s)\s+my\s+(?:word|oath|promise)\s*[,:]?\s+(?:{_CLAUSE})",
    )
)
_PAST_CLAUSE = _CLAUSE.replace("(?:will|", "(?:will|would|")
_PROMISED_IN_PAST: Final = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"(?:^|[,;:]\s*|\band\s+|\bthen\s+)I\s+(?:\w+ly\s+)?(?:promised|swore|vowed|pledged)"
        rf"(?:\s+(?:to\s+)?{_TO}\b)?{_ADJUNCT}\s*,?\s+(?:{_PAST_CLAUSE})",
        rf"(?:^|[,;:]\s*|\band\s+|\bthen\s+)I\s+gave\s+{_TO}\s+my\s+(?:solemn\s+)?(?:word|oath|promise)\s*[,:]?\s+"
        rf"(?:{_PAST_CLAUSE})",
    )
)
"""A promise of a story that is told in the past: `I promised Edda to bring it back`."""
_PERFECT: Final = re.compile(r"\bI(?:\s+have|['’]ve)\b(?!\s+to\b)", re.IGNORECASE)
"""What is told from the present, beside which a promise in the past was made before: `..., and I have failed her`."""
_BEFORE_NOW: Final = re.compile(
    r"\b(?:once|already|long|back\s+then|always|earlier|before|when|as)\b", re.IGNORECASE
)
"""What says of words in the past that they are no part of the story now."""
_PROMISED_AFTER: Final = re.compile(
    r"^(?P<clause>[^?]*?(?:\b|(?=['’]))(?:will|shall|['’]ll|won['’]t)\b[^?]*?),\s+(?:and\s+)?(?:that\s+|this\s+|so\s+)?"
    rf"(?:I\s+(?:promise|swear|vow)(?:\s+(?:to\s+)?{_TO})?(?:\s+(?:that|it|this))?"
    r"|you\s+have\s+my\s+(?:word|oath)(?:\s+on\s+(?:it|that))?)$",
    re.DOTALL,
)
"""`You shall have a boat, I promise you that`."""
_PROMISED_BY: Final = re.compile(
    rf"^(?:(?:And|Then|But|So|Now),?\s+)?(?P<who>{_NAME})(?:,\s+[^,]{{1,40}},)?\s+(?:\w+ly\s+)?(?:(?:promise[sd]|swears|swore|vow(?:s|ed))"
    rf"(?:\s+(?:to\s+)?{_TO_HERO_TOO}\b)?{_ADJUNCT}|(?:gives|gave)\s+{_GIVEN_TO_HERO_TOO}\s+(?:his|her|their)\s+(?:word|oath))"
    rf"\s*,?\s+(?:{_PAST_CLAUSE})",
    re.DOTALL,
)
_NO_DEED: Final = (
    r"(?!(?:says|tells|thinks|claims|hopes|hears|dreams|remembers|recalls|asks|wonders|wishes|wants|seems|plans|fears|knows|"
    r"imagines|believes|pretends|refuses|sings|reads|writes)\b)"
)
_PROMISED_BESIDE: Final = re.compile(
    rf"^(?P<who>{_NAME})\s+{_NO_DEED}[a-z]+s\b(?!\s+(?:not|never)\b)[^,;:?¶]{{0,60}}?,?\s+and\s+(?:then\s+)?(?:\w+ly\s+)?"
    rf"(?:promises|swears|vows)(?:\s+(?:to\s+)?{_TO_HERO_TOO}\b)?\s*,?\s+(?:{_CLAUSE})",
    re.DOTALL,
)
"""`Dob thanks me and promises me to wait`: another deed stands before the promise."""
_PROMISED_THING: Final = re.compile(
    rf"^(?:(?:And|Then|But|So|Now),?\s+)?(?P<who>{_NAME})\s+"
    rf"(?:{_NO_DEED}[a-z]+s\b(?!\s+(?:not|never)\b)[^,;:?¶]{{0,60}}?,?\s+and\s+(?:then\s+)?)?(?:\w+ly\s+)?promises\s+"
    rf"{_TO_HERO_TOO}\s+(?P<thing>(?!no\b|the\s+(?:world|moon|stars)\b|a\s+(?:lot|great\s+deal|beating|thrashing)\b)"
    r"(?:a|an|the|my|your|his|her|their|our|half|all|one|two|three|four|five|six|seven|eight|nine|ten|twenty|[0-9]+|"
    r"free|safe|good|fresh|new|double|food|shelter|gold|silver|money|help|work|passage|land)\s+.+|"
    r"(?:food|shelter|gold|silver|money|help|work|passage|land)$)",
    re.DOTALL,
)
"""`Dob promises me free ale for life`: what somebody is to have."""
_HERO_AS_YOU: Final = re.compile(r"^You(?=\s)")
"""The hero in words of the GM, as the subject of a sentence."""
_BESIDE_VERB: Final = re.compile(
    r"(?:^(?:(?:And|Then|But|So|Now),?\s+)?"
    r"|\b(?:promise[sd]?|swears?|swore|vow(?:s|ed)?|pledged?|word|oath|gives?|gave|tell|told|assured?)\s+(?:to\s+)?"
    r"|\b(?:say|said|whisper|call|shout|answer)\s+to\s+)"
    r"(?=(?P<who>(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur|[Hh]is|[Hh]er)((?:\s+[a-z][\w-]*){1,3})))"
)
"""Where a promise may have who makes it, or to whom, by what they are: `the old miller`."""
_ADDRESSED: Final = re.compile(
    rf"\bI\s+(?:\w+ly\s+)?(?:(?:tell|promise|assure|told|promised|assured)|(?:say|said|whisper|swear|call|shout|answer)\s+to)\s+(?P<to>{_NAME})"
)


def find_promises_of_player(
    text: str, people_names: Sequence[Sequence[str]] = ()
) -> tuple[PlainPromise, ...]:
    """Return what the hero promises in a line of the player's, and what others are said to promise in it.

    `people_names` are those who are known, each by names with the full one first.
    """
    known_names = _fold_small_names(people_names)
    return tuple(
        replace(promise, quote=sentence.written or promise.quote)
        for sentence in find_hero_sentences(text)
        for promise in (*_read_first_person(sentence, known_names), *_read_narrated(sentence, known_names))
    )


def find_promises_of_gm(text: str, people_names: Sequence[Sequence[str]]) -> tuple[PlainPromise, ...]:
    """Return what people and the hero (`I`, `you`) promise in words of the GM.

    `people_names` are those who may speak, each by names with the full one first.
    """
    promises, known_names = list[PlainPromise](), _fold_small_names(people_names)
    for sentence in split_plain_sentences(strip_speech(text)):
        of_hero = _HERO_AS_YOU.sub("I", sentence)
        promises += (
            replace(promise, quote=sentence)
            for promise in _read_first_person(FirstPersonSentence(of_hero), known_names)
        )
        promises += _read_third_person(sentence, known_names)
    for speech in find_speeches(text):
        spoken = [promise for s in split_speeches([speech]) for promise in _read_first_person(s, known_names)]
        speaker = find_speaker(speech, people_names) if spoken else None
        if speaker is not None:
            promises += (replace(promise, promiser=people_names[speaker][0]) for promise in spoken)
    return tuple(promises)


def _fold_small_names(people_names: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the names in small letters that people have besides an article, without it: `hooded stranger`."""
    return frozenset(
        _drop_article(name)
        for names in people_names
        for name in names
        if " " in name and not is_capitalised(name)
    )


def _drop_article(name: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", " ".join(name.casefold().split()))


def _write_as_name(text: str, known_names: Collection[str]) -> str:
    """Return a sentence with capitals for those who promise or are promised something in small letters.

    It is as long as it was: `I promise The Old Miller to wait`. Who is meant is known by name, or by what they are.
    """
    for match in _BESIDE_VERB.finditer(text):
        ends = [word.end() for word in re.finditer(r"\S+", match["who"])][:0:-1]
        end = next((end for end in ends if _is_somebody(match["who"][:end], known_names)), 0)
        start = match.start("who")
        text = f"{text[:start]}{match['who'][:end].title()}{text[start + end :]}"
    return text


def _is_somebody(words: str, known_names: Collection[str]) -> bool:
    return _drop_article(words) in known_names or is_role(words.split()[-1])


def _read_first_person(sentence: FirstPersonSentence, known_names: Collection[str]) -> Iterator[PlainPromise]:
    written = sentence.text.rstrip(' .!,…"”')
    text = _write_as_name(written, known_names)
    match = next((m for pattern in _PROMISES if (m := pattern.search(text))), None)
    match = match or _PROMISED_AFTER.search(text)
    if match is None and not sentence.is_spoken and not (_BEFORE_NOW.search(text) or _PERFECT.search(text)):
        match = next((m for pattern in _PROMISED_IN_PAST if (m := pattern.search(text))), None)
    if match is None or not is_made_now(sentence.text, match.start()):
        return
    to, vocatives = _as_written(match, "to", written), _find_vocatives(text) if sentence.is_spoken else ()
    addressed = _ADDRESSED.search(_write_as_name(sentence.attribution, known_names))
    is_named = bool(_NAME_PATTERN.match(match["to"] or ""))
    named = (
        *((to,) if is_named else ()),
        *vocatives,
        *((addressed["to"],) if addressed else ()),
    )
    words = _promised_words(match, vocatives, written)
    if words:
        is_to_listener = not is_named and bool(to or sentence.is_spoken)
        addressee = to if is_named else ""
        yield PlainPromise(words, sentence.text, "", named, addressee, is_to_listener)


def _read_narrated(sentence: FirstPersonSentence, known_names: Collection[str]) -> Iterator[PlainPromise]:
    """Yield what somebody is said to promise in a sentence that nobody speaks."""
    if not sentence.is_spoken:
        yield from _read_third_person(sentence.text, known_names)


def _read_third_person(sentence: str, known_names: Collection[str]) -> Iterator[PlainPromise]:
    written = sentence.rstrip(" .!,…")
    text = _write_as_name(written, known_names)
    patterns = (_PROMISED_BY, _PROMISED_BESIDE, _PROMISED_THING)
    match = next((m for pattern in patterns if (m := pattern.search(text))), None)
    if match is None or not is_made_now(sentence, 0) or _is_of_earlier(match):
        return
    group = "to" if match["to"] else "given"
    to = _as_written(match, group, written)
    is_named = bool(to) and _NAME_PATTERN.match(match[group]) is not None
    if words := _promised_words(match, (), written):
        yield PlainPromise(
            words,
            sentence,
            _as_written(match, "who", written),
            (to,) if is_named else (),
            to if is_named else "",
            to == "me" or to.casefold().startswith("you"),
            is_reported=True,
        )


def _as_written(match: re.Match[str], group: str, written: str) -> str:
    """Return a part of a sentence as it was written; empty if the sentence has it not."""
    return written[slice(*match.span(group))] if match.groupdict().get(group) else ""


def _is_of_earlier(match: re.Match[str]) -> bool:
    """Say whether a promise in the past was made before what the story tells: `Wenna promised to wait, once`."""
    is_in_past = re.search(r"\b(?:promised|swore|vowed|gave)\b", match[0]) is not None
    return is_in_past and _BEFORE_NOW.search(match[0]) is not None


def _find_vocatives(text: str) -> tuple[str, ...]:
    """Return who is addressed by name between commas: `Dagna, I give you my word`."""
    return tuple(match["name"].removeprefix("my ") for match in _VOCATIVE.finditer(text))


def _promised_words(match: re.Match[str], vocatives: Sequence[str], written: str) -> str:
    parts = (_as_written(match, group, written) for group in ("clause", "infinitive", "thing"))
    words = next(filter(None, parts), "")
    words = " ".join(re.split(r"[;¶]", words)[0].split()).strip(" ,.!")
    for name in vocatives:
        words = words.removesuffix(f", {name}").removeprefix(f"{name}, ")
    return words if 2 < len(words) <= MAX_PROMISE_WORDS else ""
