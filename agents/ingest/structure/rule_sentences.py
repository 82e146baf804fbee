"""Finds the sentences that say what must, cannot or never may be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agents.ingest.findings import FoundRule
from agents.ingest.structure.markdown_blocks import plain_text

MIN_RULE: Final = 20
MAX_RULE: Final = 400
_MODAL: Final = re.compile(
    r"\b(?:must(?:\s+(?:not|always|never))?|cannot|can\s?not|can['’]t|can\s+never|can\s+only|may\s+(?:not|never|only)|"
    r"(?:is|are)\s+(?:immune\s+to|(?:forbidden|required|bound|unable)\s+to|never)|never\s+(?:may|can)|"
    r"shall\s+(?:not|never))(?!\w)",
    re.IGNORECASE,
)
_ONLY: Final = re.compile(
    r"(?:^|\s)(?:only|no|none|nobody|nothing)\b[^,;:]{1,60}?\b(?:may|can|must|is allowed|are allowed)\b",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(
    r"^(?:an?\s|the\s|all\s|every\s|each\s|no\s)?[\w' ’-]{2,50}?\snever\s\w+", re.IGNORECASE
)
_READER: Final = re.compile(
    r"\b(?:you|players?|readers?|gms?|game masters?|we|one)\s+(?:\w+\s+)?"
    r"(?:must|have to|cannot|can['’]t|can\s?not|may not)\s+"
    r"(?:\w+ly\s+)?(?:read|know|remember|note|notice|keep|decide|consult|buy|own|print|download|understand|learn|"
    r"use this|agree|imagine|cover|stress|emphasi[sz]e|wait|help|go wrong|thank|say|tell you)\b",
    re.IGNORECASE,
)
_READING: Final = re.compile(
    r"\b(?:this|the)\s+(?:book|chapter|section|document|supplement|edition|page|pdf|rulebook|licen[sc]e|author|publisher)\b|"
    r"\b(?:copyright|trademark|permission|www\.|https?:)",
    re.IGNORECASE,
)
_ADVICE: Final = re.compile(
    r"^(?:if|when|whenever|unless|in case|should)\s+"
    r"(?:you|your (?:group|players|table)|players?|a player|the gm|the players?|one)\s+(?:\w+\s+)?"
    r"(?:want|wish|prefer|like|feel|find|need|are new|is new|would|plan|think|choose to play|have trouble)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|we|my|our|me|us|he|she|him)\b", re.IGNORECASE)
_TOLD: Final = re.compile(
    r"\b(?:had|was|were|could|would|did|said|seemed|might|became|found)\b|^they\b", re.IGNORECASE
)
"""What happens in a story, and holds for no longer."""
_SUBORDINATE: Final = re.compile(
    r"\b(?:that|which|who|whom|what|where|if|when|whenever|because|unless|although|though|while)\s+(?:[\w'’-]+\s+){0,4}$",
    re.IGNORECASE,
)
"""Before a modal verb: only a clause that the sentence depends on has it (`a target that you can't see`)."""
_PROCEDURE: Final = re.compile(
    r"\bDC\s?\d|\bsaving throws?\b|\bmust\s+(?:then\s+)?(?:roll|reroll|re-roll)\b", re.IGNORECASE
)
"""What the dice decide, which is no law of the world."""
_GUESS: Final = re.compile(
    r"\bmust\s+(?:have|be\s+(?:mistaken|joking|mad))\b|\bcan['’]?t\s+help\b|\bcannot\s+help\b", re.IGNORECASE
)
_LEANING: Final = re.compile(
    r"(?:(?:also|however|in addition|otherwise|then|so),?\s+)?"
    r"(?:it|they|its|their|this|these|that|those|such|neither|both|each of them)\b",
    re.IGNORECASE,
)
"""How a sentence begins that leans on the one before it."""
_QUOTED: Final = re.compile(
    r"“[^”\n]{0,2000}(?:”|$)|(?<!\w)\"[^\"\n]{0,2000}(?:\"|$)|(?<!\w)‘[^’\n]{0,500}[,.!?]’"
)
_SENTENCE: Final = re.compile(r"[^.!?\n][^.!?]*(?:[.!?](?=\S)[^.!?]*)*(?:[.!?]+[\"”’)*_]*|$)")
_ABBREVIATION_END: Final = re.compile(
    r"\b(?:mr|mrs|dr|st|ft|vs|etc|e\.g|i\.e|cf|no|vol|lb)\.$", re.IGNORECASE
)


def split_sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return where the sentences of a stretch of text stand, without the blanks around them."""
    position = start
    pending: int | None = None
    for match in _SENTENCE.finditer(text, position, end):
        first = match.start() if pending is None else pending
        if _ABBREVIATION_END.search(text, max(first, match.end() - 8), match.end()):
            pending = first
            continue
        pending = None
        yield from _trimmed(text, first, match.end())
    if pending is not None:
        yield from _trimmed(text, pending, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    words = text[start:end]
    if words.strip():
        yield start + len(words) - len(words.lstrip()), start + len(words.rstrip())


def read_rule(sentence: str, subject: str = "") -> FoundRule | None:
    """Return the rule that a sentence states: not advice to the reader, and not what somebody says.

    `subject` is what the section is headed. A sentence that says only `it` has it before its words; without one it
    says nothing by itself, and is no rule.
    """
    spoken_free = _QUOTED.sub(" ", sentence)
    statement = plain_text(sentence)
    if not MIN_RULE <= len(statement) <= MAX_RULE or statement.endswith("?"):
        return None
    words = plain_text(spoken_free)
    if not (_has_modal(words) or _ONLY.search(words) or _NEVER.match(words)) or _PROCEDURE.search(words):
        return None
    if _READER.search(words) or _READING.search(words) or _ADVICE.match(words) or _GUESS.search(words):
        return None
    if _FIRST_PERSON.search(words) or _TOLD.search(words) or not words[:1].isalnum():
        return None
    if _LEANING.match(words):
        return FoundRule(f"{subject}: {statement}", sentence) if subject else None
    return FoundRule(statement, sentence)


def _has_modal(words: str) -> bool:
    """Return whether the main clause says what must or cannot be."""
    return any(
        not _SUBORDINATE.search(words, max(0, m.start() - 60), m.start()) for m in _MODAL.finditer(words)
    )
