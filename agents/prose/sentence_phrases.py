"""Turns of phrase that move people and do not begin with who moves: `in comes Vess`, `only Vess remains`."""

from __future__ import annotations

import re
from typing import Final

from agents.prose.cast_words import ADVERBS, BY_HAND, FEELS, GO, MEETING, SPEAKS
from agents.prose.phrases import PhrasePattern, phrases
from agents.prose.speech import SPOKE
from agents.prose.verb_forms import PAST_VERB

_WORDS: Final = {
    "PEOPLE": r"@[\d,]+@",
    "ANYBODY": r"@[^@]+@",
    "HERO": r"@(?:H|W)@",
    "HIM": r"(?:@[^@]+@|him|her|them)",
    "SPEAKS": rf"(?:{SPEAKS}|{SPOKE})",
    "WHERE": r"[^,@]{2,40}",
    "STANDS": phrases(
        """
        [come step stand walk stride appear rush run burst storm sit wait limp stagger stumble go stalk enter climb
            ride lean kneel crouch lie emerge strut saunter hurry sail slip trot march sweep loom shuffle]
        (is|are)
        """
    ),
    "NOT_WHO": r"(?!\s+(?:who|that|whom)\b)",
    "START": r"(?:^|[,;:—¶]\s*|\band\s+|\bthen\s+)",
}

GOES_OUT_INVERTED: Final = PhrasePattern(
    "START(out|off|away) STANDS (?P<who>PEOPLE)", _WORDS, flags=re.IGNORECASE
)
COMES_IN_INVERTED: Final = PhrasePattern(
    r"""
    START(in|here|there|next|((right|close) )?(behind|after|beside|with|next to) HIM)\s*,? STANDS (?P<who>PEOPLE)NOT_WHO
    START(behind (it|the WHERE|a WHERE)|from (behind|under|out of|the|
        a)\s*WHERE)\s*,? STANDS (?P<who2>PEOPLE)NOT_WHO
    START(through|out of|up|down|at|in|on|into|by|under) the WHERE\s*,? STANDS (?P<who3>PEOPLE)NOT_WHO
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
STAGE_EXIT: Final = PhrasePattern(r"^\s*(exit|exeunt) (?P<who>PEOPLE)", _WORDS, flags=re.IGNORECASE)
STAGE_ENTRANCE: Final = PhrasePattern(
    r"""
    ^\s*enter (?P<who>PEOPLE)
    HERO (is|are|was|were) (joined|met|greeted|welcomed|interrupted|overtaken) by (?P<who2>PEOPLE)
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
DOOR_CLOSES: Final = PhrasePattern(
    r"\b(door|doors|gate|hatch|curtain) ([a-z]+ )?([slam close shut]|[swing fall click] "
    r"shut) behind (?P<who>PEOPLE)",
    _WORDS,
)
"""Who is behind the door has left."""
WITH_GONE: Final = PhrasePattern(
    r"\bwith (?P<who>PEOPLE) (safely )?(gone|away|out of the (way|room|house)|off)\b",
    _WORDS,
    flags=re.IGNORECASE,
)
IT_IS: Final = PhrasePattern(
    r"""
    \b((it|there|this|that|here|stranger|newcomer|figure|visitor|rider|caller|intruder|guest) is|turns out to
        be)( none other than)?
        (?P<who>PEOPLE)(?!\s*(@|who|that|whom|whose|I\b|,?\s*(not|only)\b))
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
IT_IS_WHO: Final = PhrasePattern(r"\bit is (?P<who>PEOPLE) who ", _WORDS, flags=re.IGNORECASE)
DOOR_SHOWS: Final = PhrasePattern(
    r"""
    ^\s*(the|a) (\w+ )?(doors?|curtain|gate|hatch|flap|lift|crowd)\b[^@.]{0,40}\b(on|reveals?|shows?|admits?|reveal|
        show)
        (?P<who>PEOPLE)
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
SPEAKS_HERE: Final = PhrasePattern(
    r"""
    ¶\s*,?\s*SPEAKS (?P<who>PEOPLE)(?!\s*(to say|that\b))
    ^\s*(?P<who2>@\d+@)\s*:\s*¶
    """,
    _WORDS,
)
"""Somebody says words that are quoted."""
ONLY_LEFT: Final = PhrasePattern(
    r"""
    \bonly (?P<who>ANYBODY) ([stay remain linger]|(is|are|was|were) left|(is|are) still here)\b
    \buntil only (?P<who2>ANYBODY)
    \bnobody ((is|was) left|[remain stay]) (but|except) (?P<who3>ANYBODY)
    \b(room|hall|place|tavern|house|square|court|chamber|bar) (empties|emptied)\b
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
EXCEPTED: Final = PhrasePattern(
    r"\b(except|but|save|apart from|all but|other than)( for)? (?P<who>PEOPLE)(?! [a-z]+s\b)", _WORDS
)
"""Those whom a sentence excepts from what all do."""
AWAY_ABOARD: Final = PhrasePattern(
    r"""
    \b[pull sail roll drive leave depart move rattle lurch cast disappear vanish ride fly lift steam][^@;]{0,40}\b
        with (?P<who>PEOPLE) (aboard|on board|inside|in it|at the (wheel|helm|reins))\b
    """,
    _WORDS,
)
LEFT_WITHOUT: Final = PhrasePattern(
    r"""
    \b([leave sail depart drive lift ride go fly move roll carry steam]|[pull] (out|away)|[set cast] off)\b[^.;@]*\b
        without (?P<who>PEOPLE)
    """,
    _WORDS,
)
LED_AWAY: Final = PhrasePattern(
    r"""
    (?P<who>PEOPLE) (is|are|was|were) (\w+ly )?(arrested|seized|caught|captured|handcuffed|cuffed|bound|chained|
        disarmed|overpowered|apprehended|detained|tied up)( by [^.;,]{1,40}?)?,? and ((then|\w+ly) )?(led|taken|
        marched|dragged|carried|hauled|hustled|escorted|driven) (away|off|out|below|to (prison|jail|gaol|the (cells?|
        station|brig|dungeons?)))\b
    """,
    _WORDS,
)
"""Somebody is arrested and taken elsewhere."""
WAITED_OUT: Final = PhrasePattern(
    r"""
    HERO [wait] (until|till) (?P<who>ANYBODY) (?P<act>[^,;]+?)(,|;| (before|and|then)\b)
    HERO [wait] for (?P<who2>ANYBODY) to (?P<act2>[^,;]+?)(,|;| (before|and|then)\b)
    """,
    _WORDS,
)
"""The hero waits for something, and goes on when it has happened."""
_STRANGERS: Final = {
    "STRANGERS": r"(?:the|an?|two|three|four|some|several|his|her|their|my|our|somebody's)",
    "PAST": PAST_VERB.pattern,
}
STRANGERS_ACT: Final = PhrasePattern(
    r"([^@]*?\s)?(STRANGERS ([\w'’-]+ ){1,4}?|(somebody|someone|they|he|she|it(?! (takes?|took|brings?|brought))) )"
    r"([a-z]+ly )?"
    r"(?=[a-z]+ @)",
    _STRANGERS,
    flags=re.IGNORECASE,
)
"""Who is not on record does something to somebody who is: `two guards drag @1@ out`."""
NAMED_STRANGER_ACTS: Final = re.compile(
    rf"\s*(?P<name>[^\W\d_a-z][\w'’-]+(?:\s[^\W\d_a-z][\w'’-]+){{0,2}})\s(?:[a-z]+ly\s)?(?=(?:[a-z]+s|{PAST_VERB.pattern})\s@)"
)
"""Who is not on record, by a name or a bare noun, does something to somebody who is: `Wick kills @1@`."""
STRANGERS_DO: Final = PhrasePattern(
    r"\s*((and|then) )?STRANGERS ([\w'’-]+ ){1,3}?(PAST|[a-z]{2,}s\b)[^@]*$", _STRANGERS, flags=re.IGNORECASE
)
"""Who is not on record does something that goes on: `the flood came`, and in the next clause `killed @1@`."""
ALONE: Final = PhrasePattern(
    r"""
    @(H|W|H,[\d,]+)@ (is|am|are|was|were) ((now|finally|at last|all|quite|left) )?alone\b(?P<with>[^.;]*)
    \bleav(ing|es?) HERO (all )?(alone|by myself)\b(?P<with2>[^.;]*)
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
ATTACHED: Final = PhrasePattern(
    r"""
    \b(followed|accompanied|flanked|trailed|preceded|escorted|led|supported|joined)( \w+ly)? by (?P<who>PEOPLE)
    \b((together|along) )?(with|leading|dragging|carrying|supporting|bringing|taking|pulling|pushing|hauling|
        escorting)
        (?P<who2>PEOPLE)
    \bso (do(es)?|did) (?P<who4>PEOPLE)
    \b(behind|after|beside|with) HIM (?P<who5>PEOPLE)
    (?P<who3>PEOPLE) ((right|close|hard|just|not far) )?(behind|after|beside|alongside|in tow|on (his|her) (arm|
        heels)|at
        (his|her|their|my|our) (side|heels|shoulder|elbow)|(goes )?with PEOPLE)\b(?! (the|bars)\b)
    """,
    _WORDS,
)
"""Those who move with somebody who moves."""
LEAVING_BEHIND: Final = re.compile(r"\bleaving\s+(?P<who>@[\dA,-]+@)", re.IGNORECASE)
COMES_ALONG: Final = PhrasePattern(
    r"""
    (?P<who>ALL)(\s*,? [a-z]+ly)? GOES ((right|close|along) )?(with HERO|along|too|HERO|(after|behind|beside) @H@)
    (?P<who2>ALL)(\s*,? [a-z]+ly)? GOES ((right|close|along) )?(close|at (my|your|our)|pace|up with)\b
    (?P<who3>ALL)(\s*,? [a-z]+ly)? [follow]
    (with|taking|bringing|dragging|leading|carrying|supporting|alongside|beside) (?P<who4>ALL)
    (?P<who5>ALL) ((right|close|hard|just) )?(behind|beside|with|after) @H@
    (?P<who6>ALL) ((right|close|hard|just) )?(at|on) (my|your|our) (heels|side|shoulder|arm)\b
    """,
    {
        **_WORDS,
        "ALL": r"@[\d,A]+@",
        "GOES": phrases("[follow come walk go ride climb run trot tag accompany keep]"),
    },
)
"""Those who come along with the hero."""
DOOR_BEHIND_HERO: Final = PhrasePattern(
    r"[close shut lock bolt pull slam bar] the (\w+ )?(door|hatch|gate) (shut )?behind @H@"
)
CARRIES: Final = PhrasePattern(
    r"\b(carry|carries|carried|carrying|drag|drags|dragged|dragging|haul|hauls|hauled|hauling|lug|lugs|lugged|bear|"
    r"bears|bore|bearing|shoulder|shoulders|shouldered) (the body of )?(?P<who>@[\d,]+@)",
    _WORDS,
    flags=re.IGNORECASE,
)
"""Somebody who is carried, and so comes along even if dead."""
TAKES_AND_LEAVES: Final = re.compile(
    r"@[\d,]+@\s+(?:takes?|took|grabs?|grabbed|carries|carried|drags?|dragged|picks?\s+up|picked\s+up|seizes?|seized|"
    r"collects?|collected|fetches|fetched)\s+(?P<who>@[\d,]+@)"
    r"(?:\s+(?:up|along|by\s+the\s+\w+|with\s+(?:him|her|them)|(?:in|under)\s+(?:his|her|their)\s+arms?))?"
    r"\s+and\s+(?:then\s+)?(?:leaves?|left|goes|go|went|flees?|fled|(?:runs?|ran|walks?|walked|rides?|rode|slips?|slipped)"
    r"\s+(?:off|out|away))\s*(?:[.!,;]|$)",
    re.IGNORECASE,
)
"""Somebody leaves with another: `@0@ takes @1@ by the hand and leaves`; not `and leaves @2@`."""
TAKES_BY_HAND_AND_GOES: Final = PhrasePattern(
    r"""
    HERO( then)? [take grab seize catch] (?P<who>PEOPLE) BY_HAND,? and (then )?GO\b
    HERO( then)? [take grab seize catch] (?P<who2>PEOPLE)'s (hand|arm|wrist|elbow|sleeve),? and (then )?GO\b
    HERO( then)? [pick scoop lift gather sling] (up (?P<who3>PEOPLE)|(?P<who4>PEOPLE) (up|over my shoulder)),? and
        (then )?GO\b
    """,
    {**_WORDS, "GO": f"(?:{GO}|{phrases('[leave]')})", "BY_HAND": BY_HAND},
)
"""The hero goes with somebody: `@H@ take @0@ by the hand and go out`."""
GOES_WITHOUT: Final = PhrasePattern(r"\bwithout (?P<who>ANYBODY)", _WORDS, flags=re.IGNORECASE)
BY_ONESELF: Final = re.compile(
    r"\b(?:alone|by\s+(?:myself|yourself)|on\s+(?:my|your)\s+own)\b", re.IGNORECASE
)


_MOVES_ABOUT: Final = PhrasePattern(
    "(GO|[leave set travel return come enter arrive reach cross make take bring lead carry drag help accompany "
    "continue proceed follow depart get start journey wander trek board pass visit keep set stay remain])",
    {"GO": GO},
)
_CLAUSE_VERB: Final = re.compile(
    rf"\s*(?:@[^@]+@)?{ADVERBS}(?P<verb>(?!(?:am|is|are|was|were)\b)[a-z]+)\b(?!\s+@)"
)
_WITH: Final = re.compile(r"\b(?:with|alongside|beside)\s+$", re.IGNORECASE)
_BOUND_TO_WITH: Final = re.compile(
    rf"\b(?:{FEELS}(?:\s+(?:again|now|already|enough))?|fed\s+up|had\s+(?:it|enough|[a-z]+\s+of\s+it)|at\s+odds|in\s+love|"
    r"in\s+an?\s+(?:[a-z]+\s+)?(?:rage|temper|fury|huff|sulk)|"
    rf"(?:after|before|from|following|over)\s+(?:[a-z]+\s+){{0,3}}?{MEETING}|"
    r"(?:after|before|without|from|of)\s+(?:talking|speaking|arguing|quarrelling|fighting|drinking|eating|dealing|haggling|"
    r"bargaining))\s+with\s+$",
    re.IGNORECASE,
)
"""What takes a `with` that is of no company: `angry with`, `after a fight with`."""
_AT_SIDE: Final = re.compile(
    r"@[^@]+@\s+(?:(?:right|close|hard)\s+)?(?:(?:at|by|on)\s+(?:my|your|our|his|her|their)\s+(?:side|heels|arm|shoulder)|"
    r"in\s+tow|beside\s+@[HW]@|behind\s+@[HW]@)"
)
_NO_VERBS: Final = frozenset(
    {"with", "together", "along", "followed", "accompanied", "taking", "bringing", "leading"}
)
"""What a clause about company begins with that has no verb: `with @0@ at my side`."""
_TO_DEAL: Final = PhrasePattern(
    r"""
    \bto (talk|speak|chat|argue|quarrel|joke|whisper|drink|eat|dine|sup|dance|fight|spar|trade|barter|bargain|haggle|
        deal|negotiate|parley|confer|consult|meet|plead|reason|play|gamble|flirt|work|stay|sit|wait|live|lodge|share|spend|have|
        discuss|plan|train|practise|pray|sing|rest|sleep|celebrate|mourn)\b
    """
)


def is_company(clause: str, start: int) -> bool:
    """Say whether who is named behind `with` moves along, and is not spoken, fought or angry with: `speak with @0@`.

    `start` is where the mark of who is named begins in the clause.
    """
    if not _WITH.search(clause, 0, start):
        return True
    if _BOUND_TO_WITH.search(clause, 0, start) and not _AT_SIDE.match(clause, start):
        return False
    verb = _CLAUSE_VERB.match(f" {clause.lstrip()}", 0)
    is_of_deed = verb is not None and verb["verb"] not in _NO_VERBS and not _MOVES_ABOUT.match(verb["verb"])
    return not is_of_deed and not _TO_DEAL.search(clause, 0, start)


def who_of(match: re.Match[str]) -> str:
    """Return the mark of whom a pattern with several groups means; empty if none."""
    return next((v for k, v in match.groupdict().items() if k.startswith("who") and v), "").strip("@")
