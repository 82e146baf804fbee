"""Whispers in prose: which words of it only some could hear. Pure.

Read are a whisper to somebody by name (or to you, and me): `I whisper to Bela: run`, `Bela whispers to Mara,
“...”`, `“...,” Bela whispers to Mara`, `Bela leans over to Mara and whispers that ...`. A whisper to nobody
in particular is a low voice, which everybody hears; one to `him` or `her` is heard by who whispers and by
the player's character alone: what is kept from too many does less harm than what is told to all. Source:
design/product.md, pain 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.prose.names import any_name_pattern
from agents.prose.speech import SAYS
from stores.records.ids import Id
from stores.records.play import Speaker

People = Mapping[Id, tuple[str, ...]]
"""Those who may be meant, each with the names that prose may call them."""

NOT_HEARD = "…"
"""Stands where words were whispered to others."""

_QUOTED = re.compile(r"[“«„]([^”»\n]*)[”»]?|(?<!\w)\"([^\"\n]*)(?:\"|$)", re.MULTILINE)
_VERB = r"whisper(?:s|ed|ing)?"
_PRONOUNS = r"(?:your?|me|my|us|him|his|hers?|them)"
_END = re.compile(r"[.!?…](?=\s|$)|\n|$")


@dataclass(frozen=True, slots=True)
class Whisper:
    """Words from `start` to `end` that `hearers` alone heard, besides `by` who whispered them (None: it does
    not say who)."""

    start: int
    end: int
    hearers: frozenset[Id]
    by: Id | None


def whispers(text: str, speaker: Speaker, name: str, people: People, pc_id: Id | None) -> list[Whisper]:
    """Return the whispers to somebody in what `speaker` (`name`, if it is an NPC) says, in its order."""
    if "whisper" not in text.casefold():
        return []
    found: list[Whisper] = []
    names = _names(people)
    to = re.compile(
        rf"\b{_VERB}\b(?P<mid>[^.!?…:\n“”\"«»]{{0,40}}?)(?:\b(?:to|in|into)\s+)"
        rf"(?P<who>{names}(?:\s*(?:,\s*and|,|and|&)\s*{names})*)(?:['’]s?\b)?(?:\s+ears?\b)?",
        re.IGNORECASE,
    )
    leans = re.compile(
        rf"\b(?:to|toward|towards|close to|over to)\s+(?P<who>{names})(?:['’]s?\b)?(?:\s+ears?)?"
        rf"[^.!?…:\n“”\"«»]{{0,30}}?\b{_VERB}\b(?P<mid>)",
        re.IGNORECASE,
    )
    quoted = {at for quote in _QUOTED.finditer(text) for at in range(*quote.span())}
    for match in sorted((*to.finditer(text), *leans.finditer(text)), key=lambda m: m.start()):
        if match.start() in quoted or any(w.start <= match.start() < w.end for w in found):
            continue
        by = _by(text, match, speaker, name, people, pc_id)
        hearers = _hearers(match["who"], speaker, by, people, pc_id)
        found += (Whisper(*span, hearers, by) for span in _words(text, match))
    return found


def heard(text: str, spoken: Iterable[Whisper], who: Id, pc_id: Id | None) -> str:
    """Return what of the text somebody heard who was there: whispers to others are left out."""
    for whisper in sorted(spoken, key=lambda w: w.start, reverse=True):
        unknown = not whisper.hearers or whisper.by is None
        if who in whisper.hearers or who == whisper.by or (unknown and who == pc_id):
            continue
        text = text[: whisper.start] + NOT_HEARD + text[whisper.end :]
    return text


def whispered_to(text: str, people: People, pc_id: Id | None) -> tuple[Id, ...]:
    """Return who alone hears what the player types: not empty only if all of it is a whisper to people who
    are known, from its first word on."""
    if not re.match(rf"\s*(?:I\s+)?(?:\w+ly\s+)?{_VERB}\b", text, re.IGNORECASE):
        return ()
    spoken = whispers(text, Speaker.PLAYER, "", people, pc_id)
    if not spoken or any(not w.hearers for w in spoken):
        return ()
    # What follows the whisper is an act that all can see, or words that all can hear.
    if re.search(r"\w", text[max(w.end for w in spoken) :]):
        return ()
    hearers = frozenset[Id]().union(*(w.hearers for w in spoken))
    return tuple(i for i in people if i in hearers and i != pc_id)


def _names(people: People) -> str:
    every = any_name_pattern(name for names in people.values() for name in names)
    return rf"(?:(?:the\s+)?{every}|\b{_PRONOUNS}\b)" if people else rf"(?:\b{_PRONOUNS}\b)"


def _by(
    text: str, match: re.Match[str], speaker: Speaker, name: str, people: People, pc_id: Id | None
) -> Id | None:
    """Return who whispers: whom the words before the verb name last, the player, a turn's own speaker."""
    sentence = re.split(r"[.!?…\n]\s", text[: match.start()])[-1]
    outside = _QUOTED.sub(" ", sentence)
    if speaker is Speaker.PLAYER:
        return pc_id
    if re.search(r"\byou(?:\s+\w+){0,6}\s*$", outside, re.IGNORECASE) and "your" not in outside[-12:]:
        return pc_id
    who = match["who"]
    places = [
        (found.end(), i)
        for i, names in people.items()
        for found in re.finditer(any_name_pattern(names), outside, re.IGNORECASE)
        if not re.fullmatch(any_name_pattern(names), who, re.IGNORECASE)
    ]
    behind = match["mid"] or ""
    places += [
        (10**6, i)
        for i, names in people.items()
        if behind and re.search(any_name_pattern(names), behind, re.IGNORECASE)
    ]
    if places:
        return max(places)[1]
    if speaker is Speaker.NPC:
        return next((i for i, names in people.items() if name in names), None)
    return None


def _hearers(who: str, speaker: Speaker, by: Id | None, people: People, pc_id: Id | None) -> frozenset[Id]:
    hearers = {i for i, names in people.items() if re.search(any_name_pattern(names), who, re.IGNORECASE)}
    words = set(re.findall(r"\w+", who.casefold()))
    if pc_id and speaker is not Speaker.PLAYER and words & {"you", "your", "me", "my"}:
        hearers.add(pc_id)
    return frozenset(hearers - {by})


def _words(text: str, match: re.Match[str]) -> Sequence[tuple[int, int]]:
    """Return where the whispered words stand: the quotes beside the verb, or what follows it."""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    end = len(text) if end < 0 else end
    quotes = [(m.start(), m.end()) for m in _QUOTED.finditer(text, start, end)]
    behind = [q for q in quotes if q[0] >= match.end()]
    before = [q for q in quotes if q[1] <= match.start()]
    spans: list[tuple[int, int]] = []
    if before and not re.search(r"[.!?…\n]\s", text[before[-1][1] : match.start()]):
        spans.append(before[-1])
    if behind and not re.search(r"[.!?…]\s", text[match.end() : behind[0][0]]):
        spans.append(behind[0])
    if spans:
        last = max(span[1] for span in spans)
        for quote in behind:
            if quote[0] < last:
                continue
            between = text[last : quote[0]].replace(match[0], "") + text[quote[1] : end][:40]
            if re.search(rf"\b(?:{SAYS})\b", between, re.IGNORECASE):
                break  # somebody else's words
            spans.append(quote)
            last = quote[1]
        return spans
    rest = text[match.end() : end]
    if colon := re.match(r"\s*:\s*", rest):
        return [(match.end() + colon.end(), end)] if rest[colon.end() :].strip() else []
    if joined := re.match(r"\s*,?\s*(?:that|about|of|where|who|what|how|why|when)\b\s*", rest):
        stop = _END.search(rest, joined.end())
        return [(match.end() + joined.start(), match.end() + (stop.start() if stop else len(rest)))]
    return []
