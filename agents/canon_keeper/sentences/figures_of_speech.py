"""Finds figures of speech, whose words claim nothing of what they say elsewhere: `dead tired`, `reads the sky`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

_HIS: Final = r"(?:his|her|their|my|your|its)"
_TRIGGER: Final = re.compile(
    r"\b(?:dead|death|die[sd]?|dying|kill\w*|bur(?:y|ied|ies)|drown\w*|hang\w*|hung|starv\w*|life|lives|perish\w*|slain|slay\w*|slaughter\w*|murder\w*|surviv\w*|fell|fall\w*|body)\b",
    re.IGNORECASE,
)


class FigureOfSpeech(NamedTuple):
    """What a figure of speech does not claim: relations of claims (with all that they begin), and concepts."""

    pattern: re.Pattern[str]
    relations: tuple[str, ...]
    concepts: tuple[str, ...]


def _figure(pattern: str, relations: str, concepts: str) -> FigureOfSpeech:
    return FigureOfSpeech(
        re.compile(pattern, re.IGNORECASE), tuple(relations.split()), tuple(concepts.split())
    )


_DEATH: Final = FigureOfSpeech(
    re.compile(
        rf"""\b(?:
    dead[ ](?:tired|asleep|drunk|broke|set|serious|wrong|right|certain|sure|easy|calm|quiet|silent|still|slow|straight|
        ahead|keen|scared|beat|ringer|shot|weight|on[ ]{_HIS}[ ]feet|to[ ]|inside|in[ ]the[ ](?:eyes|water)|in[ ]law|
        in[ ]name|for[ ](?:an?|some)[ ](?:hour|minute|moment|while|night|day))
    |(?:half|nearly|almost|as[ ]good[ ]as|next[ ]to|near|more)[ -]dead
    |(?:an?|the|{_HIS}|some|these|those|no|other)[ ]dead[ ](?!or[ ]|and[ ])[a-z]+
    |(?:from|among|of|with|to|like|than|for)[ ]the[ ]dead
    |dying
    |(?:bored|scared|frightened|worried|worked|tired|tickled|loved|sick|talked|teased)[ ](?:\w+[ ])?to[ ]death
    |die[sd]?[ ](?:of|from|with)[ ](?:laugh\w+|boredom|shame|embarrassment|curiosity|envy|longing|impatience|delight)
    |die[sd]?[ ](?:a[ ]little|inside|on[ ](?:the[ ])?stage|every|each|laughing|once[ ]and|down|out|away|for[ ]an?[ ])
    |kill\w*[ ](?:with[ ]kindness|time|the[ ](?:mood|hours|time|lights?|noise)|laughing|{_HIS}self[ ]laughing)
    |(?:in|into|under)[ ](?:paperwork|papers?|work|books|debts?|thought|tears|guilt|snow[ ]to[ ]{_HIS})
    |hang\w*[ ](?:up|on|back|around|about)|hung[ ](?:up|on|back|around|about|over)|in[ ]effigy
    |drown\w*[ ](?:{_HIS}[ ](?:sorrows?|grief|fears?)|out|the[ ]noise)
    |{_HIS}[ ]life(?:'s|[ ]savings|[ ]story|[ ]work)
    |fak\w+[ ]{_HIS}[ ](?:own[ ])?death|plays?[ ]dead|played[ ]dead|playing[ ]dead
    |starv\w+[ ](?:him|her)self|starving
    |(?:thought|presumed|believed|feared|supposed|declared|pronounced|reported)[ ](?:to[ ]be[ ])?dead
    |lives?[ ]on[ ]in|lived[ ]on[ ]in|surviv\w+[ ](?:for|until|till)
    |(?:cheat|escap|defi|defy)\w*[ ]death
    |(?:see|sees|saw|seen|watch\w*|hear\w*|heard|let|help\w*|ma[dk]e|makes)[ ][\w' ]*[ ]die
    |by[ ](?:the|{_HIS})[ ](?:thumbs|heels|feet|ankles|hair)
    |(?:dug|pulled|carried|cut|brought|fished)[ ](?:out|home|back|down|free|up|alive)
    |(?:in|with|by|at)[ ](?:the[ ])?(?:compliments|wit|words|praise|critics|reviews|cards|dice|chess|kindness)
    )""",
        re.IGNORECASE | re.VERBOSE,
    ),
    ("alive", "death", "verb:die", "verb:kill"),
    ("alive", "violent death", "killer", "value:fate"),
)
"""Words of death that tell of none, or of none that is certain."""
_FIGURES: Final = (
    _figure(
        r"\b(?:reads?|reading|read) (?:the |his |her |their )?(?:sky|faces?|minds?|hearts?|lips|palms?|signs?|tracks?|"
        r"stars|cards|room|thoughts|waves|wind|weather|omens|bones|dreams)\b",
        "verb:read verb:see",
        "read see clause",
    ),
    _figure(r"\bsw[iau]m\w* in (?:gold|money|coin|debt|tears|luck)\b", "verb:swim", "swim clause"),
    _figure(
        r"\bdr[iau]nk\w* (?:\w+ ){0,3}?(?:water|milk|tea|juice|broth|blood|coffee)\b", "", "drink clause"
    ),
    _figure(r"\b(?:rich|poor) (?:at|in|with)\b", "state:wealth", "rich"),
    _figure(
        r"\b(?:an?|the|his|her|their) (?:rich|poor|wealthy) (?!man|woman|lady|lord|merchant|widow|person)[a-z]+",
        "state:wealth",
        "rich",
    ),
    _figure(
        r"\b(?:love|hate|trust|fear)\w* (?:the )?(?:way|sound|sight|smell|idea|thought|how)\b",
        "verb:love verb:hate verb:trust verb:fear",
        "love trust afraid",
    ),
    _figure(
        r"\bmarried to (?:his|her|their|the) (?:work|job|sea|ship|craft|duty|books?|church|trade|crown|law)\b"
        r"|\bmarr(?:y|ies|ied) (?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)? and (?-i:[A-Z])",
        "married_to state:marriage verb:marry verb:wed",
        "married wedlock clause",
    ),
    _figure(r"\bstarv\w* for\b", "", "hunger"),
    _figure(r"\b(?:fear(?:s|ed)?|afraid|frightened) for\b", "verb:fear", "afraid"),
    _figure(
        r"\b(?:lies|lie|lay|lain|lying) (?:asleep|awake|abed|still|sick|ill|down|there|here|low)\b",
        "verb:lie",
        "lie",
    ),
    _figure(
        r"\b(?:has|have|had|with) (?:no|a|an|any|his|her) (?:\w+ )?"
        r"(?:heart|head|stomach|nerve|spine|soul|shame|patience)\b",
        "has count:",
        "",
    ),
    _figure(
        r"\bf(?:ights?|ought|ighting) for (?:breath|air|words|time|his|her)\b", "verb:fight", "fight clause"
    ),
    _figure(r"\bhunt\w* for\b", "verb:hunt", "clause"),
    _figure(r"\bgambl\w* with (?:his|her|their) (?:life|lives|luck)\b", "verb:gamble", "gamble clause"),
    _figure(
        r"\br[io]d(?:es?|ing|den) (?:in|on) (?:the |a |an )?(?:\w+ )?(?:wagon|cart|carriage|boat|coach|sled|ship)\b",
        "verb:ride",
        "ride clause",
    ),
    _figure(
        r"\blos(?:e|es|t|ing) (?:his|her|their) (?!duel|battle|fight|war|game|match|bet|race)", "", "win"
    ),
    _figure(
        r"\bpa(?:y|ys|id|ying) (?:attention|heed|respects?|court|a visit|no heed)\b", "verb:pay", "pay clause"
    ),
    _figure(r"\bbeyond the grave\b", "verb: rules_over serves lives_in", "alive disband"),
    _figure(
        r"\blike an? (?:bachelor|widow|widower|child|king|queen|priest|monk|lord|beggar|dead)",
        "state: is",
        "married",
    ),
    _figure(r"\beyes? (?:on|for|open)\b", "", "eyes"),
    _figure(
        r"\bfull of (?:holes|himself|herself|beans|surprises|questions|doubts?|fear|hope|life)\b",
        "state:filling",
        "filling empty",
    ),
    _figure(r"\bnot know that\b", "knows met verb:know", "know meet clause"),
)


@lru_cache(maxsize=20_000)
def find_figures(sentence: str) -> tuple[FigureOfSpeech, ...]:
    """Return the figures of speech of a sentence."""
    is_of_death = _TRIGGER.search(sentence) is not None and _DEATH.pattern.search(sentence) is not None
    return (
        *((_DEATH,) if is_of_death else ()),
        *(figure for figure in _FIGURES if figure.pattern.search(sentence) is not None),
    )


def claims_relation(figures: tuple[FigureOfSpeech, ...], relation: str) -> bool:
    """Say whether a relation is claimed beside figures of speech."""
    return not any(relation.startswith(figure.relations) for figure in figures if figure.relations)


def says_concept(figures: tuple[FigureOfSpeech, ...], concept: str) -> bool:
    """Say whether a concept is spoken of beside figures of speech."""
    return not any(concept in figure.concepts for figure in figures)
