"""Reads whom a marked clause has somebody speak to or fight, which takes them to be here: `@H@ asks @0@`. Pure.

So does who speaks to the hero: `@0@ tells @H@ where it is`.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose import cast_words as words
from agents.prose.clauses import UNREAL, WRITTEN_WORDS, MarkedClause, find_clauses
from agents.prose.phrases import PhrasePattern
from agents.prose.sentence_phrases import who_of
from agents.prose.verb_forms import PAST_VERB

_DEALS_WITH: Final = PhrasePattern(
    r"""
    START([ask tell promise warn threaten question thank beg order command assure inform interrupt interrogate
        remind answer bribe accuse confront scold greet insult challenge comfort console flatter blame praise reassure
        apologise apologize]|
        ([talk speak turn shout yell whisper nod bow wave swear mutter murmur listen]|[lie]) (\w+ly )?to|
        ([talk speak argue quarrel haggle bargain chat joke whisper drink eat dance fight]|
        [shake] hands|[sit] down) (\w+ly )?with|
        [shout yell smile wink glare scowl grin snarl growl laugh wave nod spit] (\w+ly )?at|
        [give] (my|his|her|their) word to|
        [attack fight assault ambush kick wound threaten disarm shoot kill slay murder behead execute assassinate
        strangle drown smother decapitate]|
        [lunge swing shoot fire stab slash strike aim hack] (\w+ly )?at) (?P<who>@[\d,]+@)
    """,
    {"START": rf"(?:\s*@[\dHW,]+@)?{words.ADVERBS}"},
    flags=re.IGNORECASE,
)
"""A clause that begins so; one without a subject goes on about the last: `and ask @0@`."""
_IN_COMPANY: Final = PhrasePattern(
    r"""
    \s*@[HW]@ADVERBS([go walk stroll wander march ride row sail hurry run creep sneak climb pace swim head]|
        [sit wait stay hide rest camp]) (ALONG )*(together )?((WAY ((the|an?|my|our|this|that|his|her|their) )?|
        (to|towards|into|onto|from) (the|an?|my|our|this|that|his|her|their) )(NOT_BOUND\w+ ){1,3})?(together )?with
        (?P<who>@[\d,]+@)(?!['’]| (far|way|left|long|gone|dead|still|asleep)\b)
    """,
    {
        "ADVERBS": words.ADVERBS,
        "ALONG": r"(?:[a-z]+ly|back|on|off|away|out|up|down|around|about|along|home|forth)",
        "WAY": r"(?:along|down|up|across|over|through|round|around|by|past|in|on|at|under|behind|beside|near)",
        "NOT_BOUND": rf"(?!(?:{words.FEELS}|{words.MEETING}|fed|sick|tired|with|touch|contact|love|league)\b)",
    },
)
"""The hero is on the way or stays somewhere with somebody: `@H@ walk back along the pier with @0@`."""
_GIVES: Final = PhrasePattern(
    r"\s*(@[HW]@ADVERBS|@[\d,]+@ADVERBS(?!PAST))[give hand offer pass show lend sell pay repay tip bribe]"
    r" (?P<who>@[\d,]+@)(?= (back\b|THING))",
    {"ADVERBS": words.ADVERBS, "THING": words.MONEY_OR_THING, "PAST": PAST_VERB.pattern},
)
"""Somebody is given a thing: by the hero, or by another now, as what others gave in the past may be long ago."""
_SPEAKS_TO_HERO: Final = PhrasePattern(
    r"""
    \s*(?P<who>@[\d,]+@)ADVERBS(?!PAST)([ask tell promise warn threaten question thank beg order assure inform
        answer remind bribe accuse confront scold greet insult challenge comfort console]|
        ([talk speak shout yell whisper nod bow wave mutter]|[lie]) (\w+ly )?to|
        [smile wink glare scowl grin snarl growl laugh] (\w+ly )?at) @[HW]@
    """,
    {"ADVERBS": words.ADVERBS, "PAST": PAST_VERB.pattern},
)
"""Somebody speaks to the hero now: `@0@ tells @H@ where it is`; who did so in the past may be remembered."""
_ACTS_ON_HERO: Final = PhrasePattern(
    r"""
    \s*(?P<who>@[\d,]+@)ADVERBS[receive welcome embrace hug kiss usher seat pay] @[HW]@
    \s*(?P<who2>@[\d,]+@)ADVERBS[give hand offer pass show lend sell pour] @[HW]@ (the|an?|my|his|her|their|back)\b
    """,
    {"ADVERBS": words.ADVERBS},
)
"""Somebody does to the hero what needs both of them here: `@0@ receives @H@`, `@0@ gave @H@ a key`."""
_FROM_AFAR: Final = re.compile(
    rf"\b{WRITTEN_WORDS}\b|\b(?:radio|phone|comm|comlink|intercom|screen|telegram|raven|post|mind|heart|head|thoughts?|"
    r"prayers?|silently|portrait|painting|picture|photograph|statue|ghost|spirit|grave|tomb|memory|hologram|recording|"
    r"magic|mirror|crystal)\b",
    re.IGNORECASE,
)
"""In such a sentence nobody need be here to be spoken to."""


_ASKED: Final = re.compile(r"\s+(?:if|whether|that|to)\b")
"""What is asked or told may be unreal, and the asking is not: `I ask @0@ if it would rain`."""


def find_dealt_with(clause: MarkedClause, sentence: str) -> str:
    """Return the mark of who speaks to the hero, is spoken to or fought in a clause; empty if nobody, or from afar."""
    text = _whole(clause)
    match = (
        _SPEAKS_TO_HERO.match(text)
        or _ACTS_ON_HERO.match(text)
        or _GIVES.match(text)
        or _match_deal(clause)
        or _IN_COMPANY.match(text)
    )
    return who_of(match).strip("@") if match and not _FROM_AFAR.search(sentence) else ""


def find_asked(sentence: str) -> str:
    """Return the mark of whom a sentence begins by asking or telling what may be unreal; empty if nobody."""
    clause = next(find_clauses(sentence), None)
    match = _match_deal(clause) if clause is not None and not UNREAL.search(clause.text) else None
    is_asked = match is not None and _ASKED.match(match.string, match.end()) is not None
    return match["who"].strip("@") if match and is_asked and not _FROM_AFAR.search(sentence) else ""


def _match_deal(clause: MarkedClause) -> re.Match[str] | None:
    return _DEALS_WITH.match(_whole(clause))


def _whole(clause: MarkedClause) -> str:
    return f" {clause.text.strip(' ¶')} {clause.report}"
