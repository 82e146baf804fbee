"""Reads from plain prose how much time passes: `Two days pass.`, `It is noon when we arrive.` Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.clauses import UNREAL
from agents.prose.names import any_name_pattern
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences

_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30, "forty": 40, "another": 1,
}  # fmt: skip
_DAYS: Final = {"week": 7, "fortnight": 14}
_LENGTH: Final = (
    rf"(?:(?:about|nearly|some|another|a full|a good)\s+)?(?P<number>{'|'.join(_NUMBERS)}|[0-9]{{1,3}})\s+"
    r"(?:(?!half|quarter)[a-z]+\s+)?(?P<unit>minute|hour|day|week|fortnight|month|season|year)s?"
)
_GOES_BY: Final = (
    r"(?:(?:pass|go|slip|drag|creep|fly)(?:es|s)?|passed|went|slipped|dragged|(?:has|have)\s+(?:passed|gone))"
    r"(?:\s+(?:by|on|over))?(?:\s+(?:[a-z]+ly|without\s+[a-z]+))?"
    r"(?=\s*(?:$|[.,;!]|\b(?:and|before|until|in|without)\b))"
)
_SEASON: Final = (
    r"(?:(?:then|and|so|at\s+last)\s+)?(?:(?:the|that)\s+)?(?:(?:long|hard|cold|hot|whole|short|mild|wet|dry)\s+)*"
    r"(?P<season>spring|summer|autumn|fall|winter)"
)
_SEASON_PASSES: Final = re.compile(
    rf"{_SEASON}\s+(?:{_GOES_BY}|(?:ends|ended|is\s+over|comes\s+to\s+an\s+end)(?=\s*(?:$|[.,;!])))",
    re.IGNORECASE,
)
_SEASON_COMES: Final = re.compile(
    rf"{_SEASON}\s+(?:(?:comes|came|arrives|arrived|begins|began|returns|returned|is\s+here)(?:\s+(?:at\s+last|again|round|[a-z]+ly))?"
    r"|has\s+(?:come|arrived|begun))(?=\s*(?:$|[.,;!]|and\b))",
    re.IGNORECASE,
)
_JOURNEY: Final = (
    r"(?:journey|ride|walk|trip|crossing|voyage|march|climb|descent|passage|trek|drive|search|work|"
    r"repair|road|way)"
)
_SPENDS: Final = (
    r"(?:walk|ride|rode|wait|travel|march|rest|sleep|slept|sail|row|search|work|hide|hid|climb|watch|stay|camp)"
    r"(?:s|ed|led)?"
)
_WHEREVER: Final = (
    r"(?:here|there|on|together|alone|(?:north|south|east|west)(?:east|west)?(?:wards?)?|(?:up|down)(?:river|stream|hill)|"
    r"(?:along|up|down|across|through|over)\s+the\s+\w+)"
)
_PASSES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:(?:then|and|so|at last|slowly|quickly)\s+)?{_LENGTH}\s+{_GOES_BY}",
        rf"(?:the|our|my|your)\s+(?:\w+\s+)?{_JOURNEY}"
        r"(?:\s+(?:to|down|up|over|across|through|back)\s+[\w\s'’-]{2,30}?)?\s+"
        rf"(?:takes|took|lasts|lasted)\s+(?:(?:us|me|you)\s+)?{_LENGTH}\b",
        rf"(?:.+[;,—–]\s*(?:and\s+|but\s+)?)?it\s+(?:takes|took)\s+(?:us|me|you)\s+{_LENGTH}(?=\s*(?:$|[.,;!])|\s+to\b)",
        rf"(?:I|we|you)\s+{_SPENDS}\s+(?:{_WHEREVER}\s+)?for\s+{_LENGTH}\b",
    )
)
_OPENS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:(?:it\s+is|it['’]s|and|then|only)\s+)?{_LENGTH}\s+(?:later|afterwards)\b",
        rf"after\s+{_LENGTH}(?=\s*,|\s+(?:I|we|you)\b|\s+of\s+\w+ing\b)",
    )
)
"""What opens a sentence: whatever follows, that time has passed."""
_PART: Final = (
    r"(?P<part>dawn|first\s+light|daybreak|morning|noon|midday|afternoon|dusk|evening|nightfall|sunset|sunrise|"
    r"midnight|night)"
)
_US: Final = r"(?:I|we|you)\b"
_ARRIVES: Final = (
    r"(?:(?:arrive|reach|return|enter)(?:s|es|d|ed)?|come|came|get|got|(?:go|went|rode|ride|walk(?:ed)?)\s+(?:back|home))"
    r"\b"
)
_RESTS: Final = (
    r"(?:sleeps?|slept|rest(?:s|ed)?|wait(?:s|ed)?|doze[sd]?|lies?|lay|hides?|hid|camp(?:s|ed)?|stay(?:s|ed)?|"
    r"shelter(?:s|ed)?|(?:keeps?|kept)\s+watch)\b"
)
_COMES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"it\s+(?:is|was)\s+(?:(?:already|nearly|past|long\s+past)\s+)?{_PART}\s+(?:when|as|before|by\s+the\s+time)\b",
        rf"(?:(?:on\s+)?the\s+(?:next|following)|next)\s+(?P<part>day|morning)\b(?:,|\s+(?:{_US}|(?:the|an?|it)\s|(?-i:[A-Z])))",
        rf"(?:later\s+)?(?:that|the\s+same)\s+(?P<part>night|evening|afternoon|morning)\b,?\s+"
        rf"(?:{_US}|it\s+\w+s\b|(?-i:[A-Z])[\w'’-]+\s+(?!(?:was|is)\b)\w+s\b)",
        rf"in\s+the\s+(?P<part>morning|evening|afternoon)(?:,|\s+(?:{_US}|the\s))",
        rf"at\s+(?:the\s+)?(?!night\b){_PART}(?:,|\s+{_US})",
        r"(?P<part>night|dusk|evening|dawn|morning)\s+(?:falls|fell|comes|came|breaks|broke)\b(?!\s+early)",
        rf"(?:I|we|you)\s+(?:[^.;?!]*\b(?:and|then)\s+)?{_ARRIVES}[^.;?!,]*\bat\s+{_PART}(?=\s*(?:$|[.,;!]))",
        rf"(?:I|we|you)\s+(?:[^.;?!]*\b(?:and|then)\s+)?{_RESTS}[^.;?!,]*\b(?:until|till)\s+(?:the\s+)?(?:next\s+)?{_PART}"
        r"(?=\s*(?:$|[.,;!]))",
    )
)
_DOES_LATER: Final = (
    rf"(?:(?:I|we|you)\s+(?:[a-z]+ly\s+)?(?:{_ARRIVES}|(?:wake|woke|awake|awoke|land|landed|find|found|stand|stood|go|went|walk|"
    r"walked|ride|rode|leave|left|step|stepped|crawl|crawled|climb|climbed|stumble|stumbled|meet|met|see|saw|sit|sat|look|"
    r"am|are|set|sail|sailed)\b)|(?-i:[A-Z])[\w'’-]+\s+(?:[a-z]+ly\s+)?(?:returns|arrives|wakes|comes|leaves|dies|is\s+back)\b)"
    r"(?:(?!\b(?:that|who|whom|which|what|whether|when|where|because|if|says?|said|tells?|told|had|to\s+be|which)\b)[^.;?!,])*?"
)
"""What is done when the time that the end of its sentence names has passed: `I wake on the beach two days later.`"""
_ENDS_LATER: Final = re.compile(
    rf"{_DOES_LATER}\s{_LENGTH}\s+(?:later|afterwards)(?=\s*(?:$|[.;!]))", re.IGNORECASE
)
_ENDS_NEXT: Final = re.compile(
    rf"{_DOES_LATER}(?<!\bof)(?<!\bfor)(?<!\buntil)(?<!\btill)(?<!\bby)(?<!\babout)(?<!\bbefore)\s(?:on\s+)?the\s+(?:next|following)\s+(?P<part>day|morning)(?=\s*(?:$|[.;!]))",
    re.IGNORECASE,
)
_DARKENS: Final = (
    (
        re.compile(
            r"(?:it|the\s+sky)\s+(?:is\s+)?(?:gets|got|grows|grew|getting|growing)\s+dark\b", re.IGNORECASE
        ),
        "to dusk",
    ),
    (re.compile(r"the\s+sun\s+(?:sets|goes\s+down|sinks|set|went\s+down|sank)\b", re.IGNORECASE), "to dusk"),
    (re.compile(r"the\s+sun\s+(?:rises|comes\s+up|rose|came\s+up)\b", re.IGNORECASE), "to dawn"),
    (
        re.compile(
            rf"(?:I|we|you)\s+(?:[^.;?!]*\b(?:and|then)\s+)?(?:{_RESTS}[^.;?!,]*\bfor\s+the\s+night\b|spen[dt]\s+the\s+night\b)",
            re.IGNORECASE,
        ),
        "to dawn",
    ),
)
"""What tells the time of day without its name, and the time."""
_JUMPS: Final = {
    "day": "+1 day", "morning": "to dawn", "first light": "to dawn", "daybreak": "to dawn", "dawn": "to dawn",
    "sunrise": "to dawn", "noon": "to noon", "midday": "to noon", "afternoon": "to afternoon", "dusk": "to dusk",
    "sunset": "to dusk", "evening": "to evening", "nightfall": "to night", "night": "to night",
    "midnight": "to midnight",
}  # fmt: skip
_NOT_SO: Final = re.compile(
    r"\?|¶|\b(?:not|never|no|will|shall|must|should|would|can|may|almost|promise\w*|plan\w*|hope\w*|want\w*|wish\w*|ago|"
    r"earlier|before\s+that|song|every|each|let|agree\w*|ask\w*|remember)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What denies, plans, repeats or recalls it."""
_UNTIL: Final = re.compile(r"\buntil\b", re.IGNORECASE)


def find_time_jump(text: str, hero_names: Sequence[str] = ()) -> str:
    """Return the time that passes by a text, the last if there are several; empty if none does.

    `+2 days` and `to noon` are what `/time` takes. How long `+1 month`, `+2 years`, `+1 season` and `through winter`
    are, and whether `to spring` is to some day, a calendar says. Who is the hero by name is meant as by `I`.
    """
    if SINGLE_QUOTED.search(text):
        return ""
    if hero_names:
        text = re.sub(rf"{any_name_pattern(hero_names)}(?!['’])", "I", text)
    jumps = [_read_sentence(sentence) for sentence in split_sentences(strip_speech(text))]
    return next((jump for jump in reversed(jumps) if jump), "")


def _read_sentence(sentence: str) -> str:
    words = sentence.strip()
    opening = next((m for pattern in _OPENS if (m := pattern.match(words))), None)
    if opening and not words.endswith("?"):
        return "" if _NOT_SO.search(opening[0]) else _read_length(opening)
    if _NOT_SO.search(words) or UNREAL.search(words):
        return ""
    if later := _ENDS_LATER.match(words):
        return _read_length(later)
    for pattern in (*_COMES, _ENDS_NEXT):
        if moment := pattern.match(words):
            return _JUMPS[" ".join(moment["part"].casefold().split())]
    for pattern, jump in _DARKENS:
        if pattern.match(words):
            return jump
    if _UNTIL.search(words):
        return ""
    for pattern, word in ((_SEASON_PASSES, "through"), (_SEASON_COMES, "to")):
        if season := pattern.match(words):
            return f"{word} {season['season'].casefold().replace('fall', 'autumn')}"
    match = next((m for pattern in _PASSES if (m := pattern.match(words))), None)
    return _read_length(match) if match is not None else ""


def _read_length(match: re.Match[str]) -> str:
    """Return how much time the match of a length is, as `/time` takes it."""
    number = _NUMBERS.get(match["number"].casefold()) or int(match["number"])
    unit = match["unit"].casefold()
    if unit in _DAYS:
        number, unit = number * _DAYS[unit], "day"
    return f"+{number} {unit}{'s' if number != 1 else ''}"
