"""Finds what prose tells in a frame and not as what happens: a dream, a memory, a picture, a song, a tale told.

A frame opens with a sentence that has somebody dream, remember, look into a picture or begin a tale, and holds for the
sentences after it in the paragraph until the words come back to the present. A picture that hangs on the wall, a story
that is only spoken of and somebody else's sleep open none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.names import any_name_pattern
from agents.prose.phrases import PhrasePattern
from agents.prose.speech import SPEAKS
from agents.prose.verb_forms import PAST_VERB
from agents.prose.words import split_paragraphs, split_sentences

_WORDS: Final = {
    "HERO": r"(?:\b(?:you|I|we)\b|@[HW]@)",
    "ADVERBLY": r"(?:(?:[a-z]+ly|then|soon|finally|at\s+last|still|now)\s+)?",
    "PICTURE": r"(?:picture|photograph|photo|portrait|painting|engraving|drawing|tapestry|fresco|mural|mosaic)",
    "TALE": r"(?:song|ballad|lay|saga|tale|story|legend|fable|play|poem)",
    "THE": r"(?:the|a|an|your|my|our|his|her|their|this|that|some)",
}
_DREAM_OR_PICTURE: Final = PhrasePattern(
    r"""
    HERO ADVERBLY([dream sleep doze]|[drift nod] off|[fall] (fast )?asleep)\b
    HERO ADVERBLY[have] (a|the same) (\w+ )?(dream|nightmare|vision)\b
    \bin THE (\w+ )?(dreams?|nightmares?|visions?|sleep)\b
    ^\W*(THE|it is THE|this is THE) (\w+ ){0,2}?(dream|nightmare|vision)\b
    \bin THE (\w+ )?PICTURE\b
    (^|\b(it|this|that|here|there) is )\W*THE (\w+ ){0,2}?PICTURE ([show depict]|(is|was) of)\b
    \b(it|this|that|here|there) is THE (\w+ ){0,2}?PICTURE\b
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
_MEMORY: Final = PhrasePattern(
    r"""
    \bin THE (\w+ )?(memory|memories)\b
    \b(memory|memories) ([come rise return surface flood well])\b
    \bthat was (the|in|before|when|how)\b
    \b(years|winters|summers|long) ago\b
    \bback then\b
    HERO ADVERBLY[remember recall] (how|when|what|where|that|him|her|them|his|her|their|@[\d,]+@|(?-i:[A-Z]))
    HERO ADVERBLY[remember recall] THE (\w+ )?(last|first|day|night|time|evening|morning|winter|summer|spring|autumn|
        year|face|voice|smile|sound|smell)\b
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
"""What is told in the past behind it was then; what is told in the present happens now."""
_TALE: Final = PhrasePattern(
    r"""
    \bin THE (\w+ )?TALE\b
    ^\W*THE (\w+ )?TALE ([go tell sing begin end]|has it|is about|is of|was of)\b
    \b[tell sing recite begin read hum] ((you|me|us|him|her|them|@[^@]+@|[A-Z]\w+) )?THE (\w+ ){0,2}?TALE
        (of|about|how|in which|that)\b
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
_FRAME_ENDS: Final = PhrasePattern(
    r"""
    \b(wakes?|woke|awake|waking|now|here and now|at last)\b
    \b(next|in the) morning\b
    \b(dream|song|ballad|tale|story|play|memory|vision|nightmare) ([end fade break]|is over|was over)\b
    HERO ADVERBLY[put lay set] (it|the PICTURE|him|her) (down|away|back)\b
    HERO ADVERBLY([look] (up|away)|[turn] away|[shake] (it|that) off)\b
    """,
    _WORDS,
    flags=re.IGNORECASE,
)


_TELLS_NOW: Final = re.compile(
    rf"\b(?:is|are|has|have|am|{SPEAKS})\b|(?:@[^@]+@|\b(?:[Hh]e|[Ss]he|[Ii]t|[A-Z][\w'’-]+))\s+(?:[a-z]+ly\s+)?[a-z]+s\b"
    r"|\b(?:you|I|we|they)\s+(?:[a-z]+ly\s+)?(?!" + PAST_VERB.pattern + r")[a-z]+\b"
)


def is_framed(text_before: str, sentence: str, names: Sequence[str] = ()) -> bool:
    """Return whether what stands before a sentence in its paragraph opens a frame and does not close it.

    Who has one of the `names` and tells a tale speaks in the present between its sentences.
    """
    opened_at = max((match.end() for match in _DREAM_OR_PICTURE.finditer(text_before)), default=-1)
    if not _TELLS_NOW.search(sentence):
        opened_at = max([opened_at, *(match.end() for match in _MEMORY.finditer(text_before))])
    for match in _TALE.finditer(text_before):
        telling = split_sentences(text_before[: match.end()])[-1:]
        is_teller = names and telling and re.search(any_name_pattern(names), telling[0])
        if not is_teller:
            opened_at = max(opened_at, match.end())
    return opened_at >= 0 and _FRAME_ENDS.search(text_before, opened_at) is None


def find_framed_sentences(text: str) -> frozenset[int]:
    """Return the positions of the sentences of a text that stand in a frame which an earlier one opens."""
    if not any(frame.search(text) for frame in (_DREAM_OR_PICTURE, _MEMORY, _TALE)):
        return frozenset()
    framed, position = set[int](), 0
    for paragraph in split_paragraphs(text):
        sentences = split_sentences(paragraph)
        framed |= {
            position + number
            for number, sentence in enumerate(sentences)
            if is_framed(" ".join(sentences[:number]), sentence) and not _FRAME_ENDS.search(sentence)
        }
        position += len(sentences)
    return frozenset(framed)
