"""Says whether a text has what a question asks for: a number, a measure, a name, somebody or a reason. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.prose.names import find_names
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.asked_changes import tells_asked_change
from agents.search.normal_words import normalize_word, word_forms
from agents.search.question import ASKS_KIND, RecordQuestion

_ONE: Final = "".join(
    rf"(?<!\b{word} )" for word in ["the", "that", "this", "no", "any", "old", "new", "each"]
) + (r"one(?! of\b| another\b)")
"""As a number, not as somebody or something: `no one`, `one of the drivers`."""
_NUMBER: Final = (
    rf"(?:\d[\d,.]*|(?:{_ONE}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|(?:hundred|thousand|million|dozen)s?|half"
    r"|(?<!\bat )once|twice|both|none)\b"
    r"|an? (?:minute|hour|day|night|week|month|year|penny|coin|couple|pair)\b)"
)
_HAS_NUMBER: Final = re.compile(rf"\b{_NUMBER}", re.IGNORECASE)
_ASKS_COUNT: Final = re.compile(r"\bhow (?:many|much)(?: (?P<noun>[^\W_]+))?", re.IGNORECASE)
_ASKS_PRICE: Final = re.compile(
    r"^(?:and |but |so )?what (?:do|does|did) .+ cost\b|^(?:and |but |so )?what (?:is|was|are|were) the "
    r"(?:price|cost|toll|rent|fee|fare|wages?)\b",
    re.IGNORECASE,
)
_ASKS_MEASURE: Final = re.compile(
    r"\bhow (?P<measure>old|far|long|deep|high|tall|wide|big|large|heavy)\b", re.IGNORECASE
)
_ASKS_SUM: Final = re.compile(
    r"\bhow (?:big|large|high) (?:is|was|are|were) .*\b(?:reward|bounty|sum|debt|fine|bill|loan|bribe|price|ransom|fee"
    r"|wages?|rent|toll|dowry|pension|payment|prize|bid|share|inheritance)\b",
    re.IGNORECASE,
)
"""Of money it is asked how much it is: `How big was the reward?`."""
_ASKS_NUMBER_OF_ALL: Final = re.compile(
    r"\bhow (?:big|large) (?:is|was|are|were) .*\b(?:litter|family|crew|band|army|gang|club|crowd|household|fleet|herd"
    r"|flock|pack|council|garrison)\b",
    re.IGNORECASE,
)
"""Of many it is asked how many they are: `How big was the litter?`."""
_TIME_UNITS: Final = r"minutes?|hours?|days?|nights?|weeks?|months?|years?|winters?|summers?"
_SAYS_TIME: Final = re.compile(
    rf"\b(?:turn(?:s|ed)?|aged?) {_NUMBER}|{_NUMBER}[ -](?:{_TIME_UNITS})\b|{_NUMBER} o['’]clock\b",
    re.IGNORECASE,
)
"""Numbers of hours, days and years: no sum of money."""
_LENGTH_UNITS: Final = (
    r"foot|feet|fathoms?|yards?|paces?|steps?|spans?|inch(?:es)?|ells?|metres?|miles?|leagues?|furlongs?|hands?"
    r"|stones?|pounds?|men|knees?|waist|shoulders?|head"
)
_UNITS: Final = {
    "old": re.compile(
        rf"{_NUMBER}(?:[ -][^\W_]+)?[ -](?:years?|winters?|summers?|old)\b"
        rf"|\b(?:(?<!out )of|is|was|aged?|turns|turned|nearly|almost|about) {_NUMBER}"
        rf"|\b(?:he|she|it|they|I|you)['’](?:s|m|re) {_NUMBER}",
        re.IGNORECASE,
    ),
    "far": re.compile(rf"\b(?:{_LENGTH_UNITS}|{_TIME_UNITS}|ride|walk|away)\b", re.IGNORECASE),
    "long": re.compile(rf"\b(?:{_LENGTH_UNITS}|{_TIME_UNITS})\b", re.IGNORECASE),
}
"""Of what a number is a measure; sizes are lengths."""
_ASKS_AGE_NOW: Final = re.compile(r"\bhow old (?:is|are|am)\b", re.IGNORECASE)
_AGE_AT_A_TIME: Final = re.compile(
    r"\b(?:since|when|until|till|before|after) (?:(?:the|my|your|his|her) )?[^\W_]+ (?:was|were|turned)\b[^.;!?]*",
    re.IGNORECASE,
)
"""An age that somebody had: `since she was ten`."""
_SIZE_UNITS: Final = re.compile(
    rf"\b(?:{_LENGTH_UNITS})\b(?<!\bhand)(?<!\bhands)|\b{_NUMBER}(?: and a half)?[ -]hands?\b", re.IGNORECASE
)
"""Of a hand only so many hands: `one thing more: his hand was blue` measures nothing."""
_ASKS_NAME: Final = re.compile(
    r"^(?:what|which|who)\b.*\b(?:(?:sur|nick)?name|called|named|christened)\b", re.IGNORECASE
)
_NAMES_IT: Final = re.compile(
    r"\b(?:(?:sur|nick)?names?|named|call(?:ed|s)?(?! (?:out|for|back|on|upon|off|in)\b)|christen(?:s|ed)|known as)\b",
    re.IGNORECASE,
)
_ASKS_PART_OF_NAME: Final = re.compile(
    r"^(?:and |but |so )?what(?:['’]s| is| was) .*\b(?:(?:first|last|full|real|family|given|Christian) name|surname)\b",
    re.IGNORECASE,
)
_NAMES_PART: Final = re.compile(
    r"\b(?:(?:first|last|full|real|family|given|Christian) name|surname|named|called|christened)\b",
    re.IGNORECASE,
)
_ASKS_WHO: Final = re.compile(r"^(?:and |but |so )?(?:who|whom|whose)\b(?:['’]s\b)?", re.IGNORECASE)
SOMEBODY: Final = re.compile(
    r"\b(?:I|me|my|you|your|he|she|they|we|him|them|us|men|women|child|children|(?:wo)?man|lads?|boys?|girls?"
    r"|brothers?|sisters?|mother|father|sons?|daughters?|uncle|aunt|cousins?|wife|husband|strangers?|soldiers?|guards?"
    r"|riders?|thie(?:f|ves)|priests?|king|queen|lord|captain|nobody|no one|none)\b"
    r"|\b(?:mayor|steward|clerk|smith|farrier|miller|baker|butcher|farmer|merchant|sailor|fisherman|ferryman|innkeeper"
    r"|landlord|landlady|keeper|maid|servant|cook|doctor|healer|midwife|witch|wizard|monk|nun|abbot|abbess|bishop|judge"
    r"|sheriff|constable|watchman|sergeant|driver|hunter|shepherd|weaver|dyer|carpenter|mason|tailor|porter|messenger"
    r"|courier|spy|bandit|robber|outlaw|pirate|beggar|orphan|widow|bride|groom|prince|princess|duke|duchess|count"
    r"|countess|baron|knight|squire|scribe|teacher|apprentice|neighbour|prisoner|hermit|crone)s?\b",
    re.IGNORECASE,
)
_ASKS_WHY: Final = re.compile(r"^(?:and |but |so )?(?:why|what for|for what reason)\b", re.IGNORECASE)
_REASON: Final = re.compile(
    r"\b(?:because|since|so|for|as|by|after|lest|in order|when|too|reason|why|must|(?:had|has|have) to"
    r"|(?:could|would|can|will) ?(?:not|n['’]t|never)|cannot|afraid|fears?|feared|wants?|wanted)\b",
    re.IGNORECASE,
)
_ASKS_COLOUR: Final = re.compile(r"^(?:and |but |so )?(?:what|which) colou?r\b", re.IGNORECASE)
_COLOURS: Final = (
    r"black|white|gr[ea]y|red|blue|green|yellow|brown|orange|purple|violet|pink|gold(?:en)?|silver|copper|crimson"
    r"|scarlet|amber|ivory|russet|tawny|dun|roan|dark|pale"
)
_COLOUR: Final = re.compile(rf"\b(?:{_COLOURS}|colou?rs?|[a-z]+-colou?red)\b", re.IGNORECASE)
_ASKS_LOOKS: Final = re.compile(r"^(?:and |but |so )?what (?:do|does|did) .+ look like\b", re.IGNORECASE)
_LOOKS: Final = re.compile(
    r"\b(?:with|has|have|had|his|her) (?:(?:an?|the|very|no) )?(?:\w+ )?(?:hair|face|eyes? (?:is|are|was|were))\b"
    r"|\b(?:with|has|have|had) (?:an? )?\w+ eyes?\b"
    r"|\b(?:bearded|beard|moustache|scars?|scarred|tall|taller|gaunt|bald|tattoo(?:s|ed)?|freckled|freckles|stout|slender"
    r"|handsome|ugly|wrinkled|hunched|one-eyed|looks? like)\b"
    r"|\b(?:is|was|an?) (?:\w+ )?(?:fat|thin|lean|broad|beautiful)\b",
    re.IGNORECASE,
)
"""Words for how somebody looks; that they close their eyes says nothing of it."""
_THINGS: Final = (
    r"(?:rings?|swords?|knife|knives|daggers?|keys?|letters?|seals?|books?|boxe?s?|coins?|amulets?|necklaces?|collars?"
    r"|brooch|locket|chain|crown|cup|bottle|vial|flag|banner|badge|coat|cloak|hat|boots?|gloves?|scarf|dress|shield|bell"
    r"|lamp|lantern|map|statue|mask|door|boat|ship|cart|wagon|house|hut|tower|tattoo|burn|scar|mark|symbol|sign|seal"
    r"|button|pipe|staff|wand|orb|stone|gem|pistol|rifle|gun|bag|purse|chest|coffin|sail)"
)
_ASKS_LOOKS_OF_THING: Final = re.compile(
    rf"^(?:and |but |so )?what (?:do|does|did) (?:.+ )?{_THINGS} look like\b", re.IGNORECASE
)
_LOOKS_OF_THING: Final = re.compile(
    rf"\b(?:is|are|was|were|an?|the|its?|of) (?:\w+,? )?(?:{_COLOURS}|brass|bronze|iron|steel|wood(?:en)?"
    r"|stone|leather|bone|glass|round|square|long|short|tall|thin|thick|heavy|tiny|huge|carved|painted|engraved|plain)\b"
    r"|\b(?:in the shape of|shaped like|looks? like|carved (?:with|in|into)|painted (?:with|on|in)"
    r"|engraved|marked with)\b"
    r"|\bwith (?:an?|the) [\w-]+ (?:on|in) it\b",
    re.IGNORECASE,
)
"""Words for how a thing looks: its colour, what it is made of, or its shape."""
_ASKS_ORIGIN: Final = re.compile(
    r"^(?:and |but |so )?where (?:(?:do|does|did) .+ come from|(?:is|was|are|were) .+ from)[\s?.!]*$",
    re.IGNORECASE,
)
_ORIGIN: Final = re.compile(
    r"\b(?:came?|comes|coming|hails?|hailed|is|was|am|are|were|['’](?:s|m|re)|all the way|straight) from\b"
    r"|\b(?:born|bred|raised|native|grew up|grown up|brought up)\b|, from [A-ZÀ-Þ]",
    re.IGNORECASE,
)
_ASKS_SIDE: Final = re.compile(
    r"^(?:and |but |so )?(?:what|which) (?:hand|arm|leg|foot|eye|ear|knee|shoulder|side)\b", re.IGNORECASE
)
_SIDE: Final = re.compile(r"\b(?:left|right|both|other)\b", re.IGNORECASE)
_DETERMINERS: Final = r"(?:an?|the|my|your|our|his|her|their|[^\W_]+['’]s?)"
_WORD: Final = re.compile(r"[^\W_]+")
_CAPITALISED: Final = re.compile(r"\b[^\W\d_a-z][^\W_]+")
_ASKING_AUXILIARIES: Final = word_set(
    "did does do has have had is are was were will would must should can could may of"
)


def has_asked_thing(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has a number, a name, somebody or a reason, if the question asks for one and has it not.

    The number of what is counted stands beside it, and a measure has its unit.
    """
    asked = question.text
    if not tells_asked_change(asked, text):
        return False
    if _ASKS_SUM.search(asked):
        return _has_count("", text)
    if _ASKS_NUMBER_OF_ALL.search(asked):
        return _HAS_NUMBER.search(text) is not None
    if measure := _ASKS_MEASURE.search(asked):
        if _ASKS_AGE_NOW.search(asked):
            text = _AGE_AT_A_TIME.sub(" ", text)
        units = _UNITS.get(measure["measure"].casefold(), _SIZE_UNITS)
        return any(
            _HAS_NUMBER.search(sentence)
            and (unit := units.search(sentence)) is not None
            and not _names_only_others(question, f"{before} {sentence[: unit.start()]}")
            for before, sentence in _with_text_before(text)
        )
    if count := _ASKS_COUNT.search(asked):
        return _has_count(count["noun"] or "", text)
    if _ASKS_PRICE.match(asked):
        return _has_count("", text)
    if _ASKS_PART_OF_NAME.match(asked) and not _NAMES_PART.search(text):
        return False
    if _ASKS_NAME.match(asked):
        return _has_name(question, text)
    if _ASKS_WHO.match(asked):
        return names_somebody_else(question, text)
    if _ASKS_WHY.match(asked):
        return _REASON.search(text) is not None
    if kind := ASKS_KIND.match(asked):
        return _says_what_it_is(kind["one"], text)
    if _ASKS_COLOUR.match(asked):
        return _COLOUR.search(text) is not None
    if _ASKS_LOOKS.match(asked):
        looks = _LOOKS_OF_THING if _ASKS_LOOKS_OF_THING.match(asked) else _LOOKS
        return looks.search(text) is not None
    if _ASKS_ORIGIN.match(asked):
        return _ORIGIN.search(text) is not None
    if _ASKS_SIDE.match(asked):
        return _SIDE.search(text) is not None
    return True


def find_text_before_measure(question: RecordQuestion, text: str) -> str:
    """Return what stands before the first number of a text, if a measure is asked for; else nothing."""
    number = _HAS_NUMBER.search(text) if _ASKS_MEASURE.search(question.text) else None
    return text[: number.start()] if number else ""


def names_somebody_else(question: RecordQuestion, text: str) -> bool:
    """Say whether a text speaks of anybody whom the question does not name."""
    asked_forms = word_forms(question.text)
    is_somebody = any(not word_forms(match[0]) <= asked_forms for match in SOMEBODY.finditer(text))
    return is_somebody or bool(_other_names(question, text))


def names_anybody_else(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has a name that the question has not."""
    return bool(_other_names(question, text))


def _with_text_before(text: str) -> list[tuple[str, str]]:
    """Return the sentences of a text, each with what stands before it."""
    sentences = split_sentences(text)
    return [(" ".join(sentences[:n]), sentence) for n, sentence in enumerate(sentences)]


def _names_only_others(question: RecordQuestion, text: str) -> bool:
    """Say whether the names in a text are others than those of a question: `Pell bows. He is` is not on Biscuit."""
    forms = word_forms(text)
    return (
        bool(question.names)
        and not any(name.is_in(text, forms) for name in question.names)
        and bool(_other_names(question, text))
    )


def _says_what_it_is(word: str, text: str) -> bool:
    """Say whether a text says what that of the name is: `the Petrel is a cutter`, `a cutter called the Petrel`."""
    one = re.escape(word)
    return (
        re.search(
            rf"\b{one}(?:,| is| was| are| were)(?: still| really| only)? {_DETERMINERS} [^\W_]"
            rf"|\b{_DETERMINERS}(?: [^\W_]+){{1,3}},? (?:called|named) (?:the )?(?:[^\W_]+ )?{one}\b",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def _has_count(noun: str, text: str) -> bool:
    """Say whether a text has a number, beside what is counted if it names that; a sum of money is no time."""
    is_sum = not noun or noun.casefold() in _ASKING_AUXILIARIES
    stem = normalize_word(noun.casefold())
    counted_words = {w for w in _WORD.findall(text) if normalize_word(w.casefold()) == stem}
    if counted_words and not is_sum:
        counted = "|".join(sorted(map(re.escape, counted_words)))
        number_before = rf"{_NUMBER}(?:[\s-]+[^\W_]+){{0,3}}?[\s-]+(?:{counted})"
        number_after = rf"(?:{counted})[\s,:;-]+(?:\w+[\s,:;-]+){{0,2}}?{_NUMBER}"
        return re.search(rf"\b(?:{number_before}|{number_after})", text, re.IGNORECASE) is not None
    return _HAS_NUMBER.search(_SAYS_TIME.sub(" ", text) if is_sum else text) is not None


def _has_name(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has a name that the question has not, and says that it is one, or has the thing beside it."""
    names = _other_names(question, text)
    if not names:
        return False
    if _NAMES_IT.search(text):
        return True
    thing_words = "|".join(sorted(map(re.escape, question.content_words)))
    if not thing_words:
        return True
    return any(
        re.search(
            rf"\b(?:{thing_words})\w*,? (?:(?:is|was) )?(?:the )?{re.escape(name)}"
            rf"|{re.escape(name)},? (?:the |an? )?(?:{thing_words})",
            text,
        )
        for name in names
    )


def _other_names(question: RecordQuestion, text: str) -> list[str]:
    asked_forms = word_forms(question.text)
    names = [
        *find_names(text),
        *(w for w in _CAPITALISED.findall(text) if w.casefold() in question.known_name_words),
    ]
    return [name for name in names if not word_forms(name) <= asked_forms]
