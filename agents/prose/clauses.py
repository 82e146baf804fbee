"""Splits marked sentences into clauses, and says which of them tell what happens now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.prose.cast_words import ADVERBS, ENTERS, LEAVES
from agents.prose.phrases import PhrasePattern

UNREAL: Final = PhrasePattern(
    r"""
    \b(if|unless|suppose|supposing|imagin\w+|dream\w*|remember\w*|recall\w*|used to|would|could|might)\b
    \b(perhaps|maybe|presumably|probably|possibly)\b
    \b(when|once|as soon as)\b.*\bwill\b
    \b(legend|rumou?rs?|they say|people say|word is|it is said)\b
    \b(story|stories|tales?|talk|gossip|word) (go|goes)\b(?! on\b)
    \bin [^\s,]+['’]s (\w+ )?(story|stories|tales?|songs?|ballads?|dreams?|play|poem)\b
    \bin (my|your|his|her|a|the|somebody's) (\w+ )?(dreams?|visions?|nightmares?|story|stories|tales?|memory|
        memories|mind)\b
    \bin (my|your|his|her|a|the|somebody's) (\w+ )?(portrait|painting|picture|photograph|play|songs?|ballads?|saga|
        book|legends?)\b
    \b(years|days?|weeks?|months?|hours?|long) ago\b
    \b(once upon|yesterday|tomorrow|tonight|always|usually|often|sometimes|as (if|though))\b
    \b(last|next) time\b
    \b(last|(?<!the\s)next) (week|year|month|summer|winter|spring|autumn)\b
    \blast (night|day|morning)\b
    (?<!the\s)(?<!^)\bnext (night|day|morning)\b
    \bevery (day|night|morning|evening|week|year|time|sunday)\b
    """,
    flags=re.IGNORECASE,
)
"""A sentence with one of these moves nobody."""

MEANWHILE: Final = re.compile(
    r",?\s+while\s+(?:I|you|he|she|they|we|it|the|my|his|her|[^\W\d_a-z][\w'’-]*)\s[^,;]*$|,\s+who\s[^,;]*$"
)
"""What is told besides at the end of a sentence: `while I look at the mule`, `who threw a knife`."""

_WRITINGS: Final = r"(?:letters?|notes?|messages?)"
WRITTEN_WORDS: Final = (
    rf"(?:(?:in|by|through) (?:(?:an?|the|this|that|my|your|his|her|their|somebody's) )?(?:\w+ )?{_WRITINGS}"
    rf"|{_WRITINGS} (?:from|says?|said|reads?|tells?|told|begins?|began)"
    rf"|(?:writ\w+|wrote|sends?|sent|reads?|posts?|posted|dictat\w+) (?:\S+ ){{0,4}}{_WRITINGS})"
)
"""Somebody speaks in writing; a letter that is handed over is a thing like any other."""

ELSEWHERE: Final = PhrasePattern(
    r"""
    \bWRITTEN\b
    \b(meanwhile|elsewhere|far (away|off)|miles away|on the other side|somewhere|at home|upstairs|downstairs|
        outside)\b
    \bacross (town|the (city|river|sea|water|bay|valley|street|border))\b
    \bback (at|in|home)\b
    \bat (that|this|the same) (very )?(moment|time|hour)\b
    \bin (another|the (city|capital|distance))\b
    \bnext door\b
    \b(over|on) the (radio|phone|comm|intercom|screen|line|other end)\b
    \b(portrait|painting|photograph|statue|ghost|spirit|recording|hologram)\b
    \bfrom (below|above|outside|afar)\b
    \bthrough the (door|wall|window|keyhole)\b
    """,
    {"WRITTEN": WRITTEN_WORDS},
    flags=re.IGNORECASE,
)
"""What somebody does in such a sentence, they may do elsewhere."""

CLEARLY_ELSEWHERE: Final = re.compile(r"\b(?:meanwhile|elsewhere|miles\s+away|far\s+away)\b", re.IGNORECASE)

_REPORT_WORD: Final = (
    r"(?:says?|said|tells?|told|thinks?|thought|believes?|knows?|knew|hears?|heard|swears?|claims?|hopes?|wonders?|"
    r"wish(?:es)?|fears?|asks?|asked|explains?|admits?|insists?|warns?|writes?|wrote|reads?|promises?|"
    r"expects?|doubts?|"
    r"guess(?:es)?|suspects?|learns?|learnt|understands?|notes?|mentions?|announces?|reports?|replies|"
    r"answers?|whispers?|"
    r"mutters?|murmurs?|shouts?|describes?|pretends?|denies|wants?|needs?|begs?|"
    r"orders?(?!\s+@[^@]+@\s+(?:out|off|away|home|from)\b)|commands?|urges?|forbids?|"
    r"lets?\s+slip|reminds?|suggests?|proposes?|decides?|plans?|intends?|waits?\s+for|watch(?:es)?\s+for|"
    r"looks?\s+for|"
    r"sure|certain|afraid|glad|news|story|according)"
)
_REPORTS: Final = PhrasePattern(
    r"""
    \bREPORT\b(OBJECT)? (@[^@]+@ )?(to [a-z]+|about|of)\b
    \bREPORT\b(OBJECT)?\s*,? (that|where|who|whom|what|how|why|when|whether|which|if)\b
    \bREPORT\b(OBJECT)? (?=@)
    """,
    {
        "REPORT": _REPORT_WORD,
        "OBJECT": r"\s+(?:to\s+)?(?:@[^@]+@|him|her|them|somebody|nobody|everybody|the\s+\w+)",
    },
)
"""What is told, asked, thought or wanted; all that follows in the sentence is not said to happen."""

_INTRODUCES: Final = re.compile(rf"\b{_REPORT_WORD}\s*$", re.IGNORECASE)
"""The end of a clause before a colon, behind which the words are somebody's."""
_PREPOSITION: Final = (
    r"(?:across|again|along|alone|and|around|as|at|by|down|for|from|in|into|of|off|on|onto|or|out|over|past|round|through"
    r"|to|towards?|under|up|with|without)"
)
"""What follows a name that is no subject: `I go after @1@ with a lantern`."""
_CLAUSE_BREAK: Final = re.compile(
    r"(\s*[;:—–]\s*(?:and\s+|but\s+|then\s+)?|\s*,\s+(?:and\s+then\s+|and\s+|but\s+|then\s+|so\s+|yet\s+)?|"
    r"\s+(?:and\s+then|and|but|then|while|as|when|once|because|since|so\s+that|so|for\s+fear|in\s+case|lest|though|"
    rf"although|whereas)\s+|\s+(?:after|before|until|till)\s+(?=@[^@]+@\s+(?!{_PREPOSITION}\b)[a-z])|\s+-\s+)"
)
_NEW_MAIN_CLAUSE: Final = re.compile(r"^(?:,\s*)?(?:and\s+then|but\s+then|then)\b|^;")
_NOT_SAID_TO_HAPPEN: Final = (
    *(
        "before",
        "until",
        "till",
        "because",
        "since",
        "so that",
        "in case",
        "lest",
        "for fear",
        "though",
        "although",
    ),
)
"""A clause behind one of these words does not say what happens now."""


_GESTURE: Final = PhrasePattern(
    r"""
    \W*(and |then )?(?P<who>@\d+@) ([a-z]+ly )?([ask] (@[^@]+@ )?about\b|[drink sip eat swallow finish empty nod wave
        smile grin bow wink shrug sigh laugh kiss hug embrace thank turn glance curtsy salute pause hesitate frown
        spit cough])(\s(?!not\b|never\b)[^,;:.!?¶]{1,60})?$
    """
)
"""What somebody does by the way before they go, as they do then: `@1@ nods to @H@`."""
_TELLER: Final = (
    r"(?:@[^@HW]+@|he|she|(?:the|an?|my|his|her) [a-z]+(?: [a-z]+)?|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*)"
)
_TELLS: Final = r"(?:says|said|claims|claimed|tells|told|swears|insists|thinks|believes)"
_TOLD_BY: Final = re.compile(
    rf"^[^¶?]*[^¶?\s,],(?P<teller>\s+(?:{_TELLS} {_TELLER}|(?:or )?so {_TELLER} {_TELLS}|{_TELLER} {_TELLS})"
    r"(?: (?:me|us|you|@[^@]+@))?[\s.!]*)$"
)


def leave_told_words(sentence: str) -> str:
    """Return only the end of a marked sentence that says who tells it (`@0@ drinks, says the innkeeper`).

    Any other sentence is returned as it is. Words in quotation marks are none of the sentence.
    """
    match = _TOLD_BY.match(sentence)
    return match["teller"] if match else sentence


_OPENING_MARK: Final = re.compile(r"\s*(?:(?:And|But|Then),? )?@[\d,]+@(?= and |, )")
_UNMARKED_COMPANY: Final = re.compile(
    r"(?:(?:,? and|,) (?:his|her|their|my|our|your|the|an?|some|several|two|three|four|five) [a-z]+(?: [a-z]+)?)+"
)
_WORD_START: Final = re.compile(r" (?=[a-z])")
_ADVERBS: Final = re.compile(ADVERBS)


def drop_unmarked_company(sentence: str) -> str:
    """Return a marked sentence without those who have no mark and come or go with who begins it.

    `@0@ and his brother come in` is `@0@ come in`.
    """
    mark = _OPENING_MARK.match(sentence)
    if mark is None:
        return sentence
    for word in _WORD_START.finditer(sentence, mark.end()):
        is_company = _UNMARKED_COMPANY.fullmatch(sentence, mark.end(), word.start())
        if is_company and _come_or_go(sentence, word.start()):
            return sentence[: mark.end()] + sentence[word.start() :]
    return sentence


def _come_or_go(sentence: str, start: int) -> bool:
    """Say whether several come or leave by what stands there."""
    adverbs = _ADVERBS.match(sentence, start)
    start = adverbs.end() if adverbs else start
    move = ENTERS.match(sentence, start) or LEAVES.match(sentence, start)
    return move is not None and not move[0].split()[0].endswith("s")


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """A clause that tells what happens now."""

    text: str
    opener: str
    """The word that joins it to what stands before; empty for the first."""
    report: str = ""
    """What stands behind it in the clause, where that tells, asks or wants something: `ask @0@ about it`."""


_COMMA_BEFORE_DEAD: Final = re.compile(
    r",(?=\s+(?:(?:stone\s+)?dead|lifeless|unconscious|senseless)\s*(?:$|[.,;!?…]))", re.IGNORECASE
)
"""In `Osric falls, dead.` the comma ends no clause."""


def find_clauses(sentence: str) -> Iterator[MarkedClause]:
    """Yield the clauses of a marked sentence that tell what happens now.

    Left out is what is told, asked, thought or wanted, and what has not happened yet.
    """
    parts = _CLAUSE_BREAK.split(_COMMA_BEFORE_DEAD.sub(" ", sentence))
    is_reported, reported_at = False, -1
    for position in range(0, len(parts), 2):
        text = parts[position]
        separator = parts[position - 1] if position else ""
        opener = re.sub(r"[^a-z ]", "", separator.casefold()).strip()
        if is_reported and (_NEW_MAIN_CLAUSE.match(separator.strip()) or opener in ("and then", "then")):
            is_reported = False
        report = _REPORTS.search(text)
        told_text = text if report is None else text[: report.start()] + " ¶"
        goes_on = opener in _NOT_SAID_TO_HAPPEN and _goes_on_after(parts[:position], opener, text)
        if goes_on and reported_at == position - 2:
            is_reported = False  # `@1@ asks about @0@ before she leaves`
        is_to_come = opener in _NOT_SAID_TO_HAPPEN and not goes_on
        if (report or told_text.strip()) and not is_reported and not is_to_come:
            yield MarkedClause(told_text, opener, text[report.start() :] if report else "")
        is_quoted = position + 1 < len(parts) and ":" in parts[position + 1] and _INTRODUCES.search(text)
        if not is_reported and (report is not None or is_quoted):
            is_reported, reported_at = True, position


def _goes_on_after(parts_before: Sequence[str], opener: str, text: str) -> bool:
    """Say whether somebody nods, drinks or asks about a thing before the deed of the clause, which they do then."""
    if opener != "before":
        return False
    gesture = _GESTURE.match(parts_before[-2])
    return gesture is not None and text.lstrip().startswith(gesture["who"])
