"""Reads that somebody is not where they were any more: `Corm is gone`, `Corm rides off`. Pure.

What is only meant, feared, supposed, asked or denied is none.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose.clauses import UNREAL
from agents.prose.death_phrases import is_not_done
from agents.prose.phrases import PhrasePattern
from agents.prose.words import split_sentences
from agents.search.marked_names import MARK, mark_names

WORDS_OF_DEPARTURE: Final = "gone left leaves flees vanished missing away returns back"
"""Words of lines on who left, or came back."""
_DEPARTS: Final = PhrasePattern(
    r"""
    @0@ BEENgoneAFTER
    @0@ BEEN(is|was) (still )?(missing|away|absent)AFTER
    @0@ BEEN(is|was) nowhere\b
    @0@ BEEN(is|was) (not|no longer) (here|there|in|at|on|inside|under|among|with (us|me|you))\b
    @0@ BEEN[leave](AFTER| (town|early|alone|together|us|me|you)\b| (the|this|that|our|my|his|her|[A-Z]\w+) ?(\w+)?END)
    @0@ BEEN[depart vanish disappear escape flee]\b
    @0@ BEEN[slip sneak creep run ride walk go sail drive march hurry storm stride wander travel set] (away|off|out|
        home|abroad|ashore)\b
    @0@ BEEN[go ride sail travel walk run hurry march drive] (back )?(to|for|into) (the )?[A-Z]
    \b(no|not a) (sign|trace) of @0@AFTER
    @0@['’]s (bed|bunk|cot|cell|chair|seat|room|place) (is|was|lies|stands) empty\b
    """,
    {
        "BEEN": r"(?:(?:has|have|had|is|was|now|already|also|then|just|long|soon|finally|since|\w+ly)\s+)*",
        "AFTER": r"(?=\s*(?:$|[.,;:!…—–]|(?:from|with|without|by|and|but|before|when|to|into|in|at|on|again|for|too|"
        r"now|this|that|since|away|off|home|out)\b))",
        "END": r"(?=\s*(?:$|[.,;:!…—–]))",
    },
)
_SUPPOSED: Final = re.compile(
    r"\b(?:fears?|feared|thinks?|thought|believes?|believed|guess\w*|suppos\w+|claims?|claimed|pretends?|says?|said|until|"
    r"before|whenever|once|as soon as)\b",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(r"^(?:He|She|They)\b")


def tells_departure(name_words: frozenset[str], text: str) -> bool:
    """Say whether a text tells that somebody left where they were; their name is given by its words in normal form."""
    is_about_them = False
    for sentence in split_sentences(text.replace("@", " ")):
        marked = mark_names(sentence, [name_words])
        if is_about_them:
            # `Corm nods. He leaves.`
            marked = _PRONOUN.sub("@0@", marked)
        is_unreal = UNREAL.search(marked) is not None or marked.rstrip("”\"’' ").endswith("?")
        for match in () if is_unreal else _DEPARTS.finditer(marked):
            before = marked[: match.start()]
            if not (_SUPPOSED.search(before) or is_not_done(MARK.sub("", before))):
                return True
        is_about_them = marked.lstrip().startswith("@0@")
    return False
