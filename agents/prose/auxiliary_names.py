"""Tells the first names Will and May from the verbs that they are spelled like. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.verb_forms import PAST_VERB

AUXILIARY_NAMES: Final = frozenset({"Will", "May"})
"""First names that are verbs, too, as they are written within a sentence and at the beginning of one."""
_SENTENCE_BEGINS: Final = re.compile(r"(?:^|[.!?…:;“”\"‘«»*_>(\[\n—–])\s*$")
_OF_A_MONTH: Final = re.compile(
    r"\b(?:in|of|since|until|till|by|before|after|this|last|next|every|late|early|mid|from|to)\s+$",
    re.IGNORECASE,
)
_DOES: Final = re.compile(
    r"\s+(?:[a-z]+ly\s+)?(?!(?:always|perhaps|sometimes|afterwards|this|his|as|us)\b)"
    rf"(?:[a-z]+(?<!s)s\b|(?![a-z]*eed\b){PAST_VERB.pattern})"
)
"""Behind somebody's name: `Will Karr comes`, and not `May Karr rest` or `Will Karr come`."""
_ASKS: Final = re.compile(r"[^.!?…]*\?")


def is_first_name(text: str, start: int, name_end: int) -> bool:
    """Say whether the word at a place of a text, before a name that ends at `name_end`, is the name Will or May.

    It is within a sentence, where a verb has no capital, and at the beginning of one where what follows is what
    somebody does, and no question.
    """
    word = text[start : start + 4].rstrip()
    if word not in AUXILIARY_NAMES:
        return False
    if not _SENTENCE_BEGINS.search(text, 0, start):
        return word == "Will" or not _OF_A_MONTH.search(text, 0, start)
    return _DOES.match(text, name_end) is not None and not _ASKS.match(text, name_end)


def is_first_name_among(words: Sequence[str], start: int, end: int) -> bool:
    """Say whether the word before those from `start` to `end` of a sentence is the name Will or May."""
    if not start or words[start - 1] not in AUXILIARY_NAMES:
        return False
    before, name = " ".join(words[: start - 1]), " ".join(words[start - 1 : end])
    name_start = len(before) + bool(before)
    return is_first_name(" ".join(words), name_start, name_start + len(name))
