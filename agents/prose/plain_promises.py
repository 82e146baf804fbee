"""Reads promises in plain prose (`I promise Edda to bring it back`; `"I swear it will be paid," I tell Silas`).

A promise that somebody is said to make (`Perrin swears to you that he will never steal`) is one too, in words of
the GM. What somebody swears to be true (`I swear that I never took it`) is none: a promise is about what will be.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.prose.hero_words import (
    FirstPersonSentence,
    find_hero_sentences,
    split_plain_sentences,
    split_speeches,
)
from agents.prose.plain_decisions import is_made_now
from agents.prose.promise_names import (
    NAME,
    NAMES,
    NAMES_AND_PRONOUN,
    REPORTED_LIST,
    fold_long_names,
    has_pronoun,
    put_name_for_you,
    write_as_name,
)
from agents.prose.speech import find_speaker, find_speeches, strip_speech
from agents.prose.stranger_subjects import find_strangers

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
    """To whom it may be promised, the most likely first: one name, or several as the words list them."""
    addressee: str = ""
    """The name beside `promise`, whether or not anybody is known by it."""
    is_to_listener: bool = False
    """Whether it is said to whoever listens (`I promise you ...`)."""
    is_reported: bool = False
    """Whether the prose tells of it in its own words, in which `me` and `you` are the hero."""


_NAME_PATTERN: Final = re.compile(rf"\b{NAMES}")
_VOCATIVE: Final = re.compile(rf"(?:^|,\s+)(?P<name>(?:my (?:dear |old )?)?{NAMES})(?=,|$)")
# `I promise Gil Oakum will get it` is nothing to Gil, and neither is `I promise Gil and the smith will`.
_NO_NAME_BEHIND = r"(?!\s+(?!I\b)[A-Z]|\s+and\s+(?!I\b))"
_NOT_OF_HERS = r"(?!\s+(?!that\b|never\b|not\b)\w+\s+that\b)"  # `to her memory that` is not to her
_TO = (
    rf"(?P<to>(?:{NAMES_AND_PRONOUN})\b(?<!['’]s)(?!['’]){_NO_NAME_BEHIND}"
    rf"|(?:[Yy]ou(?: all| both)?|him|her{_NOT_OF_HERS}|them)(?!\s+and\b)"
    rf"|(?!I\b){NAMES}\b(?<!['’]s)(?!['’]){_NO_NAME_BEHIND})"
)
_GIVEN = _TO.replace("P<to>", "P<given>")
_TO_SEVERAL = rf"{REPORTED_LIST}\b(?<!['’]s)(?!['’]){_NO_NAME_BEHIND}"
_TO_HERO_TOO = _TO.replace("P<to>", rf"P<to>{_TO_SEVERAL}|me(?!\s+and\b)|")
_GIVEN_TO_HERO_TOO = _TO_HERO_TOO.replace("P<to>", "P<given>")
_VERB = r"(?:(?:do|hereby|solemnly|also|now|here and now)\s+)?(?:[Pp]romise|[Ss]wear|[Vv]ow|[Pp]ledge)"
_OWNED = rf"(?:to\s+(?:[Tt]he|[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur)\s|(?:to\s+)?{NAME}['’]?(?<=['’]s|s['’])\s)"
"""Somebody or something by whose it is: `to Osric's memory`. No name says to whom it is promised, then."""
_ADJUNCT = (
    rf"(?:\s+(?:(?:on|by|over|before|upon)\s+|{_OWNED})[^,]{{1,40}}?"
    r"(?=,|\s+that\b|\s+to\b|\s+never\b|\s+I(?:\s+will|\s+shall|['’]ll|\s+won['’]t)\b))?"
)
_CLAUSE = (
    r"(?:that\s+)?(?P<clause>(?:(?<=\bthat\s)(?:if|unless|once|when|whenever|should)\s+[^,;]{1,90},\s+)?(?:[^,;]{1,60}?)(?:\b|(?=['’]))(?:will|shall|['’]ll|won['’]t)\b.+)"
    # `swears to me that the well is poisoned` is to somebody, and no deed.
    r"|(?P<infinitive>(?:never\s+|not\s+)?to\s+(?!(?:me|you|him|his|her|them|their|us|our|my|your|the|an?|[A-Z][\w'’-]*)\b).+)"
)
_THING = r"|(?P<thing>(?:a|an|the|my|your|his|her|their|our|half|all|no|one|two|three|four|five|six|ten|[0-9]+)\s+.+)"
_PROMISES: Final = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rf"\bI\s+(?:[Pp]romise)\s+{_TO}\s+(?:{_CLAUSE}{_THING})",
        rf"\bI\s+{_VERB}(?:\s+(?:it\s+(?=to\s))?(?:to\s+)?{_TO}\b)?{_ADJUNCT}(?:,\s+{NAME})?\s*[,:]?\s+(?:{_CLAUSE})",
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
_NO_WILL = r"(?!\b(?:will|shall)\b|['’]ll\b|\bwon['’]t)"
_TELLING = (
    rf"(?:(?:And|Then|But|So|Now),?\s+)?I\s+(?:(?:{_NO_WILL}[^,;:]){{1,60}}?\s+and\s+)?(?:\w+ly\s+)?"
    r"(?:(?:tell|assure)|(?:say|swear|promise|whisper|call|shout|answer|reply|murmur|add)(?:\s+to(?=\s))?)\b"
)
_OPINION = (
    rf"(?:{_NO_WILL}(?!\b(?:who|that|what|whatever)\b)[^,;:]){{1,40}}?"
    r"\b(?:tells?|says?|promises?|swears?|claims?|hopes?|thinks?|believes?|knows?|fears?|suppose|guess)\s"
)
"""The beginning of what somebody says or holds to be so (`Osk says he will come`): nothing that the hero promises."""
_PROMISED_AFTER: Final = re.compile(
    rf"^(?>(?:{_TELLING}(?:\s+{_GIVEN}\b(?!['’]))?(?:\s+(?:{_NO_WILL}[^,;:]){{1,40}}?(?=\s+that\b))?\s*[,:]?\s+(?:that,?\s+)?)?)"
    rf"(?!{_OPINION}){_NO_WILL}"
    r"(?P<clause>[^?]*?(?:\b|(?=['’]))(?:will|shall|['’]ll|won['’]t)\b[^?]*?),\s+(?:and\s+)?(?:that\s+|this\s+|so\s+)?"
    rf"(?:I\s+(?:promise|swear|vow)(?:\s+(?:to\s+)?{_TO})?(?:\s+(?:that|it|this))?"
    r"|you\s+have\s+my\s+(?:word|oath)(?:\s+on\s+(?:it|that))?)$",
    re.DOTALL,
)
"""`You shall have a boat, I promise you that`; `I tell Edda that I will be back, I swear it`."""
_SWORN_AFTER: Final = re.compile(r",\s+(?:and\s+)?I\s+(?:promise|swear|vow)(?:\s+(?:you|it|this|that))*$")
"""What only says again that it is promised: `I promise Edda that I will wait, I swear it`."""
_NEXT_DEED: Final = re.compile(
    r",\s+(?:and|but|so)\s+(?:then\s+)?I\s+(?!(?:will|shall|won|would|never|am|can|must|may|might|could|should)\b)"
    r"(?:[a-z]+ly\s+)?[a-z]+\b.*$",
    re.DOTALL,
)
"""What the hero does beside promising: `I promise Edda I'll wait, and I tell her to hide`."""
_WITH_LISTENER: Final = re.compile(
    r"(?:to\s+)?(?P<who>[^,;:]{1,40}?)\s*,?\s+that,?\s+(?P<rest>(?:(?:(?:the|my|your|his|her|our|their|no)\s+)?\w+)"
    r"(?:\s+|(?=['’]))(?:will|shall|['’]ll|won['’]t)\b.*)",
    re.DOTALL,
)
"""What is promised behind somebody whom no name tells apart (`I promise everyone that I will wait`)."""
_WILL: Final = re.compile(r"\b(?:will|shall|won['’]t)\b|['’]ll\b")
_LISTENER: Final = re.compile(r"(?:[Tt]he|[Hh]is|[Hh]er|[Tt]heir|an?|everyone|everybody|all|both|each)\b")
_PROMISED_BY: Final = re.compile(
    rf"^(?:(?:And|Then|But|So|Now),?\s+)?(?P<who>{NAME})(?:,\s+[^,]{{1,40}},)?\s+(?:\w+ly\s+)?(?:(?:promise[sd]|swears|swore|vow(?:s|ed))"
    rf"(?:\s+(?:to\s+)?{_TO_HERO_TOO}\b)?{_ADJUNCT}|(?:gives|gave)\s+{_GIVEN_TO_HERO_TOO}\s+(?:his|her|their)\s+(?:word|oath))"
    rf"\s*,?\s+(?:{_PAST_CLAUSE})",
    re.DOTALL,
)
_NO_DEED: Final = (
    r"(?!(?:says|tells|thinks|claims|hopes|hears|dreams|remembers|recalls|asks|wonders|wishes|wants|seems|plans|fears|knows|"
    r"imagines|believes|pretends|refuses|sings|reads|writes)\b)"
)
_NO_DEED_OF_HERO: Final = (
    "am|was|have|had|do|did|can|cannot|could|will|would|shall|should|may|might|must|say|tell|think|claim|hope|hear|"
    "dream|remember|recall|ask|wonder|wish|want|seem|plan|fear|know|imagine|believe|pretend|refuse|sing|read|write|"
    "watch|see|let|make|help|beg|order|need|try|never|almost|nearly|intend|decide|forget|won|don|didn|shan|couldn|"
    "wouldn|shouldn|hate|love|like"
)
_NO_LIST_OF_DEEDS: Final = (
    r"(?:not|never|nobody|nothing|no|if|whether|that|who|what|how|when|as|while|until|before|after|"
    r"to\s+(?!(?:the|an?|my|his|her|their|our|your|him|them|me|you|[A-Z][\w'’-]*)\b)[a-z]+)"
)
"""What stands within a deed and may have others do what follows: `tell Dob to go home and promise her a boat`."""
_PROMISED_BESIDE: Final = re.compile(
    rf"^(?P<who>{NAME})\s+{_NO_DEED}[a-z]+s\b(?!\s+(?:not|never)\b)[^,;:?¶]{{0,60}}?,?\s+and\s+(?:then\s+)?(?:\w+ly\s+)?"
    rf"(?:promises|swears|vows)(?:\s+(?:to\s+)?{_TO_HERO_TOO}\b)?\s*,?\s+(?:{_CLAUSE})",
    re.DOTALL,
)
"""`Dob thanks me and promises me to wait`: another deed stands before the promise."""
_MORE_DEEDS: Final = (
    rf"(?:,\s+(?!(?:{_NO_DEED_OF_HERO}|I|he|she|it|they|we|you|and|but|or|so|who|which|with|the|an?|my|his|her|their|your|[a-z]+ing)\b)"
    rf"[a-z]+\b(?:(?!\s{_NO_LIST_OF_DEEDS}\b)[^,;:?¶]){{0,60}}?){{0,2}}"
)
"""Other deeds between the first and the promise: `I close his eyes, take his glove, and swear ...`."""
_PROMISED_BY_PRONOUN: Final = re.compile(
    rf"(?:,?\s+and|,|;)\s+(?:then\s+)?(?:he|she)\s+(?:{_NO_DEED}[a-z]+s\b(?!\s+(?:not|never)\b)[^,;:?¶]{{0,60}}?,?\s+and\s+)?"
    rf"(?:\w+ly\s+)?(?:promises|swears|vows)(?:\s+(?:to\s+)?{_TO_HERO_TOO}\b)?\s*,?\s+(?:{_CLAUSE})",
    re.DOTALL,
)
"""`I give Dob the lantern and he promises to wait`: whoever is named before it promises, if it is only one."""
_NAMES_ONE: Final = re.compile(
    rf"(?:(?!\b(?:he|she|him|her|they|them|if)\b)(?!{NAME})[^?¶])*(?P<who>{NAME})(?!['’]s?\b)"
    rf"(?:(?!\b(?:he|she|him|her|they|them|if)\b)(?!\b{NAME})[^?¶])*",
    re.DOTALL,
)
_IS_NO_NAME: Final = re.compile(r"['’]|^(?:If|When|Unless|Once|While|Whenever)\b")
"""Words with a capital that stand for nobody who promises: `If Harl`, `Harl's`."""
_DEED_BY_HERO: Final = (
    rf"^(?:(?:And|Then|But|So|Now),?\s+)?I\s+(?:\w+ly\s+|then\s+)?(?!(?:{_NO_DEED_OF_HERO})\b)[a-z]+\b"
    rf"(?:(?!\s{_NO_LIST_OF_DEEDS}\b)[^,;:?¶]){{0,60}}?{_MORE_DEEDS},?\s+and\s+(?:then\s+)?(?:\w+ly\s+)?"
)
_PROMISED_BESIDE_BY_HERO: Final = tuple(
    re.compile(_DEED_BY_HERO + promise, re.DOTALL)
    for promise in (
        rf"promise\s+{_TO}\s+(?:{_CLAUSE}{_THING})",
        rf"(?:promise|swear|vow|pledge)(?:\s+(?:to\s+)?{_TO}\b)?{_ADJUNCT}\s*,?\s+(?:{_CLAUSE})",
    )
)
"""`I give Dob the lantern and promise Nan a boat`: another deed of the hero's stands before the promise."""
_PROMISED_THING: Final = re.compile(
    rf"^(?:(?:And|Then|But|So|Now),?\s+)?(?P<who>{NAME})\s+"
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
_ADDRESSED: Final = re.compile(
    rf"\bI\s+(?:\w+ly\s+)?(?:(?:tell|promise|assure|told|promised|assured)|(?:say|said|whisper|swear|call|shout|answer)\s+to)\s+(?P<to>{NAMES})"
)
_TOLD_SO: Final = re.compile(rf"{_ADDRESSED.pattern}\s*[,:]?\s+(?:that\s+)?$")
"""Before a promise: `I tell Edda that I promise to wait`."""


def find_promises_of_player(
    text: str, people_names: Sequence[Sequence[str]] = ()
) -> tuple[PlainPromise, ...]:
    """Return what the hero promises in a line of the player's, and what others are said to promise in it.

    `people_names` are those who are known, each by names with the full one first.
    """
    known_names = fold_long_names(people_names)
    return tuple(
        replace(promise, quote=sentence.written or promise.quote)
        for sentence in find_hero_sentences(text)
        for promise in (*_read_first_person(sentence, known_names), *_read_narrated(sentence, known_names))
    )


def find_promises_of_gm(text: str, people_names: Sequence[Sequence[str]]) -> tuple[PlainPromise, ...]:
    """Return what people and the hero (`I`, `you`) promise in words of the GM.

    `people_names` are those who may speak, each by names with the full one first.
    """
    promises, known_names = list[PlainPromise](), fold_long_names(people_names)
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


def _read_first_person(sentence: FirstPersonSentence, known_names: Collection[str]) -> Iterator[PlainPromise]:
    written = sentence.text.rstrip(' .!,…"”')
    text = write_as_name(written, known_names)
    match = next((m for pattern in _PROMISES if (m := pattern.search(text))), None)
    match = match or _PROMISED_AFTER.search(text)
    if match is None and not sentence.is_spoken:
        match = next((m for pattern in _PROMISED_BESIDE_BY_HERO if (m := pattern.search(text))), None)
    if match is None and not sentence.is_spoken and not (_BEFORE_NOW.search(text) or _PERFECT.search(text)):
        match = next((m for pattern in _PROMISED_IN_PAST if (m := pattern.search(text))), None)
    if match is None or not is_made_now(sentence.text, match.start()):
        return
    vocatives = _find_vocatives(text) if sentence.is_spoken else ()
    group = "given" if match.groupdict().get("given") else "to"
    to = _as_written(match, group, written)
    addressed = _ADDRESSED.search(write_as_name(sentence.attribution, known_names)) or _TOLD_SO.search(
        text[: match.start()]
    )
    is_named = _names_anybody(to, match, group)
    if has_pronoun(to) and (names := (*((addressed["to"],) if addressed else ()), *vocatives)):
        to = put_name_for_you(to, names[0])
    named = (
        *((to,) if is_named else ()),
        *vocatives,
        *((addressed["to"],) if addressed else ()),
    )
    words, listener = _drop_listener(_promised_words(match, vocatives, written), match)
    if words:
        is_to_listener = not is_named and bool(to or sentence.is_spoken)
        addressee = to if is_named else "" if to else listener
        named = named or ((addressee,) if addressee else ())
        yield PlainPromise(words, sentence.text, "", named, addressee, is_to_listener)


def _drop_listener(words: str, match: re.Match[str]) -> tuple[str, str]:
    """Return what is promised without who stands before its `that`, and who that is, if it is somebody."""
    has_that = re.search(r"\bthat,?\s+$", match.string[: match.start("clause")]) is not None
    listener = None if has_that or not match["clause"] else _WITH_LISTENER.fullmatch(words)
    # `The boat that I will build will float` is what is promised.
    if listener is None or len(_WILL.findall(words)) > 1:
        return words, ""
    return listener["rest"], listener["who"] if _LISTENER.match(listener["who"]) else ""


def _read_narrated(sentence: FirstPersonSentence, known_names: Collection[str]) -> Iterator[PlainPromise]:
    """Yield what somebody is said to promise in a sentence that nobody speaks."""
    if not sentence.is_spoken:
        yield from _read_third_person(sentence.text, known_names)


def _read_third_person(sentence: str, known_names: Collection[str]) -> Iterator[PlainPromise]:
    written = sentence.rstrip(" .!,…")
    text = write_as_name(written, known_names)
    patterns = (_PROMISED_BY, _PROMISED_BESIDE, _PROMISED_THING)
    match = next((m for pattern in patterns if (m := pattern.search(text))), None)
    promiser = _as_written(match, "who", written) if match else ""
    if match is None and (match := _PROMISED_BY_PRONOUN.search(text)):
        promiser = _find_only_name(text[: match.start()])
    if match is None or not promiser or not is_made_now(sentence, 0) or _is_of_earlier(match):
        return
    group = "to" if match["to"] else "given"
    to = _as_written(match, group, written)
    is_named = _names_anybody(to, match, group)
    if words := _promised_words(match, (), written):
        yield PlainPromise(
            words,
            sentence,
            promiser,
            (to,) if is_named else (),
            to if is_named else "",
            to == "me" or to.casefold().startswith("you"),
            is_reported=True,
        )


def _find_only_name(text: str) -> str:
    """Return the only name in a text that tells of nobody else; empty if there is none."""
    match = _NAMES_ONE.fullmatch(text)
    is_only_one = match is not None and not _IS_NO_NAME.search(match["who"]) and not find_strangers(text)
    return match["who"] if match and is_only_one else ""


def _names_anybody(to: str, match: re.Match[str], group: str) -> bool:
    """Say whether those to whom it is promised have a name, at least one of them."""
    return bool(to) and (has_pronoun(to) or _NAME_PATTERN.match(match[group]) is not None)


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
    words = _SWORN_AFTER.sub("", " ".join(re.split(r"[;¶]", words)[0].split()).strip(" ,.!"))
    words = _NEXT_DEED.sub("", words)
    for name in vocatives:
        words = words.removesuffix(f", {name}").removeprefix(f"{name}, ")
    return words if 2 < len(words) <= MAX_PROMISE_WORDS else ""
