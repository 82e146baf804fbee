"""Finds words of the player's that only some, or nobody, could hear: thoughts, and words said in confidence.

`I think to myself: ...` is heard by nobody; `I tell Bela, so low that nobody else hears, ...` by Bela alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.memory_manager.whispers import NamesById
from agents.prose.confidences import IN_PRIVATE
from agents.prose.names import any_name_pattern
from agents.prose.speech import strip_speech
from stores.records.ids import Id

_THOUGHT: Final = re.compile(
    r"\s*(?:(?:I|you)\s+(?:\w+ly\s+)?(?:think\s+(?:to\s+(?:my|your)self|about|of|that\b|back|it\b|[:,])|think\s+(?=\w)|wonder|remember|recall|realise|"
    r"realize|imagine|dream|suspect|tell\s+(?:my|your)self|say\s+(?:nothing\s+)?to\s+(?:my|your)self|keep\s+(?:it|this|that)\s+to\s+(?:my|your)self|"
    r"decide\s+(?:to\s+say\s+nothing|not\s+to\s+tell)|pray\s+(?:silently|in\s+silence))\b|(?:silently|inwardly|in\s+my\s+head|to\s+myself)\b,?)",
    re.IGNORECASE,
)
_TO_ONESELF: Final = re.compile(
    r"\s*I\s+(?:\w+ly\s+)?(?:mutter|murmur|whisper|say|swear|curse|mumble|hum|think|add)\b[^.!?“”\"¶]{0,30}\b(?:to\s+myself|under\s+my\s+breath)\b|"
    r".*¶\s*,?\s*I\s+(?:\w+ly\s+)?(?:mutter|murmur|whisper|say|swear|curse|mumble|think|add)\b[^.!?“”\"¶]{0,30}\b(?:to\s+myself|under\s+my\s+breath)\b",
    re.IGNORECASE,
)
_THOUGHT_AFTER: Final = re.compile(
    r",\s+I\s+(?:think|wonder|muse|realise|realize)(?:\s+to\s+myself)?\s*[.!]?\s*$", re.IGNORECASE
)
_PRIVATELY: Final = re.compile(
    rf"\b(?:{IN_PRIVATE}|(?:so|too)\s+(?:low|soft|quiet)(?:ly)?\s+(?:that\s+)?(?:only|no\s?body|no\s+one|none|for|the\s+others)|"
    r"so\s+that\s+(?:only|no\s?body|no\s+one|none)|where\s+(?:no\s?body|no\s+one|none)\b[^.]{0,20}\bhears?|"
    r"(?:no\s?body|no\s+one)\s+else\s+(?:can\s+)?hears?|confid(?:e|ed|ing)|"
    r"in\s+(?:thieves['’]?\s+)?(?:cant|sign\s+language|code))\b",
    re.IGNORECASE,
)
_ADDRESSES: Final = (
    r"(?:tell|say|murmur|mutter|breathe|whisper|confide|speak|talk|ask|answer|admit|confess|show|lean|hiss|mouth|explain|take|draw|pull|"
    r"warn|inform|remind|assure|promise|swear|let)\b"
)


def find_private_hearers(text: str, names_by_id: NamesById, pc_id: Id | None) -> tuple[Id, ...]:
    """Return who alone hears a line of the player's; empty if everybody present does.

    The player character alone stands for words that nobody else hears.
    """
    unspoken_text = strip_speech(text)
    is_inner = "¶" not in unspoken_text and _is_thought(unspoken_text)
    if pc_id is not None and (is_inner or _TO_ONESELF.match(unspoken_text)):
        return (pc_id,)
    if _PRIVATELY.search(unspoken_text) is None:
        return ()
    hearers = [
        i
        for i, names in names_by_id.items()
        if i != pc_id
        and (match := _build_address_pattern(names).search(unspoken_text)) is not None
        and not _PRIVATELY.search(match["words_before"])
    ]
    return tuple(hearers[:1]) if len(hearers) == 1 else ()


def _build_address_pattern(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(
        rf"\bI\s+(?:\w+ly\s+)?{_ADDRESSES}(?P<words_before>[^.!?“”\"]{{0,60}}?){any_name_pattern(names)}"
    )


def _is_thought(text: str) -> bool:
    is_one_sentence = re.search(r"[.!?]\s+\w", text.strip()) is None
    return is_one_sentence and (_THOUGHT.match(text) is not None or _THOUGHT_AFTER.search(text) is not None)
