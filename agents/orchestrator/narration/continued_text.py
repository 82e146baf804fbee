"""Continues a narration that was cut off: what the Narrator is told, and how its words are joined to the others."""

from __future__ import annotations

import re
from typing import Final

MAX_QUOTED_WORDS: Final = 12
"""The last words of a cut narration that the Narrator is shown to go on from."""

MAX_REPEATED_WORDS: Final = 60
"""Words at the beginning of the rest among which a repetition of what was narrated is looked for."""
MIN_REPEATED_WORDS: Final = 3
"""Fewer words than these may stand twice by chance after a whole sentence, unless they are all that was narrated."""
MIN_REPEATED_IN_SENTENCE: Final = 2
"""The same in the middle of a sentence, which hardly goes on with the words it was cut off after."""

_LETTERS = re.compile(r"[^\W_]+")
_ELLIPSIS = re.compile(r"\s*(?:…|\.{3,})\s*")
_SENTENCE_END = re.compile(r"[.!?…][’”\"')\]]*$")
_JOINED = re.compile(r"[,.;:!?…’”)\]]")


def continuation_note(text: str, wish: str) -> str:
    """Return what the Narrator is asked for: the rest of `text`, which is the last narration, and the GM's wish."""
    last_words = " ".join(text.split()[-MAX_QUOTED_WORDS:])
    note = (
        "Your last narration was cut off in the middle; it stands at the end of the last turns. Go on with it from "
        "where it breaks off and bring it to its end. Repeat nothing of it: begin with the very next word. "
        f"It breaks off after: “{last_words}”"
    )
    return f"{note}\n{wish}" if wish else note


def join_continuation(text: str, rest: str) -> str:
    """Return a cut narration and its rest as one, without what the rest repeats of it.

    A word that was cut in two and begins the rest whole stands there once.
    """
    text = text.rstrip()
    rest_begins_paragraph = rest.lstrip(" ").startswith("\n\n")
    rest = _ELLIPSIS.sub("", rest, count=1) if _ELLIPSIS.match(rest) else rest.strip()
    rest = _without_repetition(text, rest)
    if not text or not rest:
        return text or rest
    head, _, last_word = text.rpartition(" ")
    first_word = rest.split(maxsplit=1)[0]
    if (
        last_word.isalpha()
        and len(first_word) > len(last_word) > 1
        and first_word.casefold().startswith(last_word.casefold())
    ):
        return f"{head} {rest}".lstrip()
    if rest_begins_paragraph:
        return f"{text}\n\n{rest}"
    return f"{text}{rest}" if _JOINED.match(rest) else f"{text} {rest}"


def _without_repetition(text: str, rest: str) -> str:
    """Return the rest after the longest beginning of it that `text` ends in, word by word."""
    said = [m.group().casefold() for m in _LETTERS.finditer(text)]
    words = list(_LETTERS.finditer(rest))[:MAX_REPEATED_WORDS]
    new = [m.group().casefold() for m in words]
    is_whole_sentence = bool(_SENTENCE_END.search(text))
    min_count = MIN_REPEATED_WORDS if is_whole_sentence else MIN_REPEATED_IN_SENTENCE
    for count in range(min(len(said), len(new)), 0, -1):
        if (count >= min_count or count == len(said)) and said[-count:] == new[:count]:
            # The signs after the last word may stand in both.
            return rest[words[count - 1].end() :].lstrip(" " if text[-1].isalnum() else " ,.;:!?…’”)]")
    return rest
