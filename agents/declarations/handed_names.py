"""Tells the name of who is given something from that of the thing behind it: `I hand Gil Oakum Oathkeeper`. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from agents.prose.called_names import find_called
from agents.prose.giving import GIVING_VERBS
from agents.prose.names import NameSpan
from stores.records.world import ACTORS, Entity, EntityKind, fold_name

_GIVES: Final = (
    rf"\b(?:{'|'.join(form for forms in GIVING_VERBS for form in forms.split())})(?: back| over)? "
)
_BEFORE_RECEIVER: Final = re.compile(rf"{_GIVES}$")
_BEFORE_THING: Final = re.compile(
    rf"(?:{_GIVES}(?:me|you|him|her|us|them) |\b(?:wield|unsheathe|sheathe|brandish|swing)(?:s|d|ed|ing)? )$"
)
_BEHIND_THING: Final = re.compile(r"(?! (?:the|an?|my|your|his|her|their|our|this|that|some|two|three)\b)")
"""Where no thing follows: the name before it may be that of the thing."""
_TO_SOMEBODY: Final = re.compile(r"(?: back| over)? to (?:me|you|him|her|us|them|[^\W\d_a-z])")


def split_receiver(words: str, people_names: Collection[str]) -> tuple[str, str] | None:
    """Return the longest name of somebody that words begin with, and the rest; None if either is missing."""
    folded_names = {fold_name(name) for name in people_names}
    parts = words.split()
    for count in range(len(parts) - 1, 0, -1):
        if fold_name(" ".join(parts[:count])) in folded_names:
            return " ".join(parts[:count]), " ".join(parts[count:])
    return None


def split_handed_names(spans: Sequence[NameSpan], text: str, known: Sequence[Entity]) -> Iterator[NameSpan]:
    """Yield the names, those of who is given something and of the thing as two: one of them must be known."""
    for span in spans:
        length = _find_receiver_length(span, text, known)
        if not length:
            yield span
            continue
        receiver = span.name[:length].rstrip()
        yield NameSpan(receiver, span.start, span.start + len(receiver))
        yield NameSpan(span.name[length:], span.start + length, span.end)


def is_handed_thing(start: int, end: int, text: str, spans: Sequence[NameSpan]) -> bool:
    """Say whether the name from `start` to `end` is that of what somebody gives or wields."""
    before = text[max(0, start - 60) : start]
    if _BEFORE_THING.search(before):
        return True
    if _BEFORE_RECEIVER.search(before):
        return _TO_SOMEBODY.match(text, end) is not None
    receiver = next((s for s in spans if s.end + 1 == start), None)
    return receiver is not None and _is_given(receiver.start, end, text)


def _find_receiver_length(span: NameSpan, text: str, known: Sequence[Entity]) -> int:
    """Return how many characters of a name are that of who is given what the rest of it names; 0 if they are one."""
    is_whole_name = span.end - span.start == len(span.name)
    if " " not in span.name or not is_whole_name or not _is_given(span.start, span.end, text):
        return 0
    if find_called(span.name, known):
        return 0
    lengths = [match.end() for match in re.finditer(" ", span.name)][::-1]
    for length in lengths:
        if any(e.kind in ACTORS for e in find_called(span.name[: length - 1], known)):
            return length
    things = {fold_name(name) for e in known if e.kind is EntityKind.OBJECT for name in (e.name, *e.aliases)}
    return next((length for length in lengths[::-1] if fold_name(span.name[length:]) in things), 0)


def _is_given(start: int, end: int, text: str) -> bool:
    """Say whether the names from `start` to `end` stand behind a verb of giving, and no other thing behind them."""
    is_behind_verb = _BEFORE_RECEIVER.search(text[max(0, start - 60) : start]) is not None
    return is_behind_verb and _BEHIND_THING.match(text, end) is not None
