"""Finds whether somebody speaks, acts or enters in prose: cautiously, and only in the scene's present.

A body may lie there, a ghost may nod, somebody may be remembered or come back: none of that counts as an act.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.frames import is_framed
from agents.prose.names import HONORIFICS, any_name_pattern
from agents.prose.speech import SAYS, SPEAKS, find_speeches, is_spoken_by, strip_speech
from agents.prose.words import split_paragraphs, split_sentences

_ACTS = (
    r"(?:nods?|shakes|shrugs|grins|smiles|frowns|winks|walks|strides|steps|runs|turns|kneels|leans|"
    r"points|waves|"
    r"laughs|sighs|coughs|spits|draws|raises|lifts|grabs|grips|hands|offers|throws|pours|pulls|"
    r"pushes|reaches|"
    r"follows|leads|joins|sits down|stands up|gets up|climbs|watches|listens|waits|glances|"
    r"hesitates|gestures|"
    r"bows|drinks|eats|sings|strikes|attacks|swings|lunges|parries|kisses|tells|gives you|takes "
    r"your|looks up|"
    r"looks at|stares at you|opens|closes|picks up)"
)
_UNREAL_ACTORS = (
    r"ghosts?|spirit|spectre|shade|wraith|corpse|body|bones|skeleton|undead|risen|zombie|revenant|grave|statue|"
    r"portrait|painting|picture|letter|voice in your (?:head|mind)|memory|memories|remember\w*|recall\w*|"
    r"dream\w*|vision|imagin\w*|echo\w*"
)
_UNREAL_VOICE: Final = re.compile(
    r"\b(?:ghosts?|spirit|spectre|shade|wraith|voice in your (?:head|mind)|memory|memories|only a dream|vision|"
    r"imagin\w*|echo\w*|(?:read\w*|the|his|her|this) letter (?:says|reads|said|begins)|"
    r"read\w* (?:the|his|her|my|your) letter)\b",
    re.IGNORECASE,
)
"""What a sentence beside it says that words were: a memory, a dream, an echo; not what only stands or lies there."""
_UNREAL_MANNER: Final = re.compile(
    r"(?:\b(?:used to|years ago|long ago|back then|as though|as if|somewhere|elsewhere|never again|or so|"
    r"in (?:the|your|my|his|her) (?:\w+ )?(?:dreams?|memory|memories|mind|head|letter|picture|portrait|painting|"
    r"photograph|song|story|tale))|"
    rf"^\s*(?:or )?(?:the|a|an) (?:\w+ )?(?:{_UNREAL_ACTORS}))\b",
    re.IGNORECASE,
)
"""Behind who says something and a comma: that they do not say it now."""
_NOT_NOW = re.compile(
    rf"\b(?:{_UNREAL_ACTORS}|think\w*|thought|wonder\w*|once|used to|had|years ago|long ago|"
    r"back then|last (?:night|week|year|time|summer|winter)|yesterday|every|always|usually|often|if|"
    r"would|could|"
    r"might|may|perhaps|maybe|as though|as if|somewhere|elsewhere|meanwhile|far (?:away|off)|never again|"
    r"no longer|not|would have|like|story|stories|tale|song|puppet|mask|disguis\w*|impostor|"
    r"name[ds]?)\b|n't\b|\?",
    re.IGNORECASE,
)
_RESTS: Final = frozenset(
    ["is", "was", "has", "does", "lies", "rests", "remains", "hangs", "floats", "sprawls", "slumps", "stares", "sags",
     "sits", "stands", "leans", "kneels", "sleeps", "seems", "appears", "haunts", "belongs", "owns", "owes",
     "deserves", "needs", "means", "looms", "counts", "dies", "decays", "rots", "smells", "stinks", "bleeds",
     "drifts", "sinks", "dangles", "stays", "feels", "looks", "matters", "leaves", "makes", "knows"]
)  # fmt: skip
"""Verbs of which a body, or somebody dead in what is left of them, may be the subject."""
_POSTURES: Final = frozenset({"sits", "stands", "leans", "kneels"})
"""Postures of a body, too; who sits and does something else besides is alive."""
_HOLDS_ITSELF_UP: Final = re.compile(
    r"(?:stands|kneels|sits\s+up)(?:\s+(?:up|there|here|still|silently|alone|upright|waiting|again))*"
    r"(?:\s*(?:[,.;:!?…—–]|$)|\s+(?:in|at|by|on|near|beside|before|behind|outside|inside|next\s+to|under|with|and)\b"
    r"(?!\s+(?:\w+\s+){0,2}(?:way|need|debt|list|records?|books?|page|register|history|canon|name|law|opposition)\b))"
)
"""A verb and its place by which somebody is on their feet or knees, or sits up, as no body does of itself."""
_PROPPED: Final = re.compile(
    r"\b(?:propped|tied|bound|nailed|lashed|strapped|chained|pinned|roped|impaled|held|stuffed|embalmed|mummified|mounted|"
    r"frozen|petrified|dead|lifeless|stiff|cold|wax|stone|bronze|marble|coffin|upright\s+in)\b",
    re.IGNORECASE,
)
"""What says that a body is held where it stands or kneels."""
_RESTING: Final = frozenset(
    ["lying", "resting", "hanging", "floating", "sleeping", "bleeding", "rotting", "sitting", "being"]
)
_COMES = (
    r"(?:enters?|returns?|comes?|arrives?|appears?|steps? (?:in|out|up|through|from|into)|walks? in|emerges?|"
    r"is back|has come|bursts? in|slips? in|climbs? in|rejoins?|catches up|wakes?|is here|stands? "
    r"(?:in|at|by)|"
    r"entered|returned|came|arrived|appeared|emerged|stepped (?:in|out|up|through|from|into))"
)


_BEYOND = (
    r"(?:outside|from (?:without|beyond|under|behind|below the|the (?:street|yard|road|lane|quay|other side))|"
    r"through the (?:\w+ )?(?:door|wall|window|shutters?|hatch|floor|planks|grating|keyhole)|on the other side|"
    r"over the (?:wire|line|radio|telephone|phone))"
)
_OUTSIDE: Final = re.compile(rf"\b{_BEYOND}\b", re.IGNORECASE)
"""Where a voice comes from that is heard in a scene and whose owner is not in it."""
_HEARD = r"\b(?:voices?|somebody|someone|knock\w*)\b"
_VOICE_OUTSIDE: Final = re.compile(
    rf"{_HEARD}[^.!?]*\b{_BEYOND}\b|\b{_BEYOND}\b[^.!?]*{_HEARD}", re.IGNORECASE
)
"""A sentence before the words that says who is heard from there: `A voice comes through the wall.`"""
_GOES_ON: Final = re.compile(r",|\band\b")
_SENTENCE_STARTS: Final = re.compile(r"(?<=[.!?…])\s+")


def find_spoken_words(text: str, names: Sequence[str], *, is_near: bool = False) -> str:
    """Return words that the prose has one of these names say now; empty if none.

    With `is_near`, what is heard from outside does not count.
    """
    for speech in find_speeches(text):
        if not is_spoken_by(speech, names):
            continue
        # Only the sentence of the attribution: what is outside or long ago beside it may be anything else.
        text_before = strip_speech(speech.paragraph[max(0, speech.start - 60) : speech.start])
        text_after = strip_speech(speech.paragraph[speech.end :][:60])
        said_after, manner = [*_GOES_ON.split(_SENTENCE_STARTS.split(text_after)[0], 1), ""][:2]
        said = f"{_SENTENCE_STARTS.split(text_before)[-1]} ¶ {said_after}"
        attribution = f"{said},{manner}"
        if is_framed(strip_speech(speech.paragraph[: speech.start]), attribution, names):
            continue
        subordinate_clause = re.search(
            rf"\b(?:as|what|like|how|when|where|than|of|because|that)\s+{any_name_pattern(names)}",
            attribution,
        )
        is_outside = _OUTSIDE.search(attribution) or _VOICE_OUTSIDE.search(text_before)
        if is_near and is_outside:
            continue
        is_now = (
            _NOT_NOW.search(said) is None
            and _UNREAL_MANNER.search(manner) is None
            and _UNREAL_VOICE.search(f"{text_before} ¶ {text_after}") is None
        )
        if subordinate_clause is None and is_now:
            return speech.spoken_text or speech.paragraph
    return ""


def find_act(text: str, names: Sequence[str]) -> str:
    """Return the sentence in which one of these names acts now; empty if none."""
    name_pattern = any_name_pattern(names)
    verb = rf"{name_pattern}(?:,[^,]{{1,40}},)?\s+(?:\w+ly\s+)?(?:{_ACTS}|{SPEAKS})\b"
    sentences = (
        (sentence, " ".join(sentences[:n]))
        for paragraph in split_paragraphs(text)
        for sentences in [split_sentences(strip_speech(paragraph))]
        for n, sentence in enumerate(sentences)
    )
    for sentence, sentences_before in sentences:
        match = re.search(verb, sentence)
        if match is None or _NOT_NOW.search(sentence) or is_framed(sentences_before, sentence, names):
            continue
        text_before = sentence[: match.start()].rstrip()
        if re.search(
            rf"\b(?:{SAYS}|thinks?|claims?|swears?|believes?|hopes?|tells? you)(?: that)?$", text_before
        ):
            continue  # reported by somebody else
        if re.search(
            r"\b(?:of|than|as|what|how|where|when|who|that|which|because|before|after|until|to|for|with)$",
            text_before,
        ):
            continue
        return sentence
    return ""


_GIVEN_WORDS: Final = re.compile(
    r"\s+(?:(?:me|you|him|her|us|them)\s+)?(?:the|an?|his|her|their|my|your|our)\s+(?:\w+\s+)?"
    r"(?:names?|letters?|pictures?|portraits?|songs?|story|stories|tales?|masks?)\b"
)
"""What the living whisper, sing or hand over, and what the dead are in if they do nothing: `the name of the ship`."""


_NEXT_PART: Final = re.compile(r"\s*(?:[:;—–]|,\s+(?:and|but|then|so)\b)\s+")


def find_act_of_living(text: str, names: Sequence[str]) -> str:
    """Return the sentence in which one of these names does something now that no body does; empty if none.

    It begins the sentence or a part of it.
    """
    titles = "|".join(sorted(HONORIFICS))
    beginning = re.compile(
        rf"(?:(?i:and|but|then|now|so)\s+)?(?:(?i:{titles})\.?\s+)?{any_name_pattern(names)}"
        r"(?:,[^,]{1,60},)?\s+(?:[a-z]+ly\s+|again\s+|also\s+|just\s+)?"
        r"(?:is\s+(?P<doing>[a-z]+ing)|(?P<verb>[a-z]+s))\b(?P<rest>.*)",
        re.DOTALL,
    )
    for sentence in split_sentences(strip_speech(text)):
        # `It was only a joke: Dorrit gets up again.`
        starts = (0, *(match.end() for match in _NEXT_PART.finditer(sentence)))
        match = next(filter(None, (beginning.match(sentence, start) for start in starts)), None)
        if match is None or _NOT_NOW.search(sentence[: match.start("rest")] + _without_object(match["rest"])):
            continue
        verb, doing = match["verb"] or "", match["doing"] or ""
        goes_on = (
            re.search(r"(?:,|\band)\s+(?!(?:is|has|was|his|its|this|as|always)\b)[a-z]+s\b", match["rest"])
            is not None
        )
        is_up = _HOLDS_ITSELF_UP.match(f"{verb}{match['rest']}") and not _PROPPED.search(sentence)
        if (doing and doing not in _RESTING) or (
            verb and (verb not in _RESTS or is_up or (verb in _POSTURES and goes_on))
        ):
            return sentence
    return ""


def _without_object(rest: str) -> str:
    """Return what stands behind a verb without the words or the picture that it is done with."""
    given = _GIVEN_WORDS.match(rest)
    return rest[given.end() :] if given else rest


def enters_scene(text: str, names: Sequence[str]) -> bool:
    """Return whether the prose brings one of these names into the scene."""
    return (
        re.search(rf"{any_name_pattern(names)}(?:,[^,]{{1,60}},)?\s+(?:\w+ly\s+)?{_COMES}\b", text)
        is not None
    )
