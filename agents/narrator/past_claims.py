"""Claims about a past between the player's character and somebody else: meetings and answers. Pure.

Whether the record holds them is for the caller to say; here is only what is claimed, as plainly as words can
claim it: what is denied, asked, supposed or told of others is none. Source: design/product.md, pain 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.prose.names import any_name_pattern
from agents.prose.words import split_sentences

_TIME: Final = re.compile(
    r"\b(?:yesterday|last (?:night|week|month|year|time|winter|summer|spring|autumn|fall)|the other "
    r"(?:day|night|week)|(?:days?|weeks?|months?|years?|nights?|winters?|summers?) (?:ago|back)|back then|"
    r"when (?:we|you|i) (?:last|first|met|were)|last we (?:met|spoke)|once before|all those years)\b",
    re.IGNORECASE,
)
_MEETING: Final = re.compile(
    r"\b(?:(?:last|first) time (?:we|you and i) (?:met|spoke|talked|saw)|"
    r"(?:when|since|the day|the night) (?:we|you and i) (?:last |first )?(?:met|spoke|talked|parted)|"
    r"the last time (?:i saw you|you saw me|you were here|you came)|last time (?:i saw you|you were "
    r"here|you came)|"
    r"(?:we|you and i)(?:['’]ve| have) met (?:before|once|already)|"
    r"(?:we|you and i) (?:met|spoke|talked) (?:once|before|yesterday|last|years ago|long ago|the other)|"
    r"(?:good|nice|glad|pleased|happy|strange|surprised) (?:it is )?to (?:see|meet|have) you "
    r"(?:here )?again|remember (?:when|the time|how) (?:we|you and i)|"
    r"i (?:last )?(?:met|saw|spoke (?:to|with)|talked (?:to|with)) (?:you|{who}) (?:yesterday|last|"
    r"once|before|"
    r"years ago|the other))\b".replace("{who}", r"(?-i:(?:[A-Z]\w+ ){0,2}[A-Z]\w+)"),
    re.IGNORECASE,
)
_AGAIN: Final = re.compile(r"^\W*(?:(?:ah|oh|well|so|not|what)\W+)?you again\b", re.IGNORECASE)
_GIVEN_WORD: Final = re.compile(
    r"\b(?:you|i) (?:once |already |yourself |myself )?(?:told|promised|warned|assured|swore to|"
    r"gave) (?:me|us|you)\b|"
    r"\b(?:as|like|what) (?:you|i) (?:once )?(?:said|told|promised|swore)\b|"
    r"\byou said (?:that )?you(?:['’]d| would|['’]ll| will)\b|"
    r"\b(?:your|my) (?:promise|oath|word) (?:to me|to you|of)\b",
    re.IGNORECASE,
)
_NOT_CLAIMED: Final = re.compile(
    r"\b(?:never|not|nobody|no one|nothing|none|if|as if|as though|unless|would have|could have|"
    r"should have|suppose|"
    r"pretend|imagine|wish|lie|lied|lying|claim|wrong|mistake[ns]?|confus\w*|someone else|stranger|whoever|"
    r"don['’]t know you|first time)\b|(?:did|have|has|had|was|were|is|do|does|could|would|are|ca)n['’]t\b",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"^\W*(?:have|has|had|did|do|does|were|was|are|is|could|can|what|who|where|when|why|how)\b", re.I
)
_REMEMBER: Final = re.compile(r"\b(?:don['’]t|do) you remember\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PastClaim:
    """`met`: a meeting, else words that were given; `timed`: of another day than this scene's."""

    sentence: str
    is_meeting: bool
    is_dated: bool


def find_past_claims(text: str) -> Iterator[PastClaim]:
    """Yield what somebody says, in the first and second person, of an earlier time with the other."""
    for sentence in split_sentences(text):
        statement = _REMEMBER.sub("remember", sentence)
        if _NOT_CLAIMED.search(statement) or (
            sentence.rstrip('”" ').endswith("?") and _QUESTION.match(statement)
        ):
            continue
        is_dated = _TIME.search(statement) is not None
        if match := _MEETING.search(statement) or _AGAIN.search(statement):
            yield PastClaim(sentence.strip(), True, is_dated or match is not None)
        elif _GIVEN_WORD.search(statement):
            yield PastClaim(sentence.strip(), False, is_dated)


def find_narrated_claims(text: str, names: Sequence[str]) -> Iterator[PastClaim]:
    """Yield what is told of an earlier time with one of these names: `as Tam told you yesterday`."""
    name_pattern = any_name_pattern(names)
    promise_pattern = re.compile(
        rf"{name_pattern}(?: had| once)* (?:told|promised|warned|assured|swore to|gave) (?:you|me)\b|"
        rf"(?:remind|reminds|reminding) {name_pattern} (?:of|that|about) (?:his|her|their|its|he|she|they|what)\b|"
        rf"{name_pattern}['’]s (?:promise|oath|word) to (?:you|me)\b|"
        rf"{name_pattern} (?:for|about|of) (?:what|that|which|the \w+) (?:he|she|they) (?:had |once )?"
        r"(?:told|promised|warned|assured|swore to|gave) (?:you|me)\b"
    )
    meeting_pattern = re.compile(
        rf"(?:last|first) time (?:you|i) (?:met|saw|spoke (?:to|with)) {name_pattern}|(?:you|i) met {name_pattern} "
        rf"(?:yesterday|last|once|before|years ago)|(?:when|since) (?:you|i) (?:last|first) (?:met|"
        rf"saw) {name_pattern}",
        re.IGNORECASE,
    )
    for sentence in split_sentences(text):
        if _NOT_CLAIMED.search(sentence) or sentence.rstrip().endswith("?"):
            continue
        is_dated = _TIME.search(sentence) is not None or "once" in sentence.casefold().split()
        if meeting_pattern.search(sentence):
            yield PastClaim(sentence.strip(), True, True)
        elif promise_pattern.search(sentence):
            yield PastClaim(sentence.strip(), False, is_dated)
