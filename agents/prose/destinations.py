"""Reads from what the hero does in marked prose (`agents/prose/mentions.py`) to which known place they go.

Only going that arrives counts: `go to`, `run back to`, `climb down into`, `enter`; not `towards`, and not its door.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from agents.prose.cast_words import GO, SITE_NOUN
from agents.prose.phrases import PhrasePattern, phrases
from agents.prose.words import drop_title_stops

_WAY_BY_NAME: Final = (
    r"(?:the\s+)?(?:[A-Z][\w'’-]*\s+){1,3}"
    r"(?:Street|Road|Lane|Alley|Avenue|Row|Way|Square|Bridge|Hill|Green|Quay|Canal|River|Creek|Stairs|Steps)\b"
)
"""A street, a square or a bridge by its name: `Main Street`."""
_NAMED_WAY: Final = rf"(?:@\d+@|{_WAY_BY_NAME})"
"""The same, which may have been taken for somebody by name."""
ALONG_WAY: Final = (
    r"(?:down|up|along|across|through|over|by|past|out\s+of)\s+"
    rf"(?:(?:the|a|my|our)\s+(?:\w+\s+)??\w+|{_NAMED_WAY})"
)
"""A way that somebody goes: `along the shore`."""
WAY_TAKEN: Final = (
    "(?:"
    + phrases("[climb descend ascend mount scale take follow cross]")
    + r"\s+(?:the|a|my|our)\s+(?:\w+\s+){0,2}?"
    r"(?:stairs?|staircase|stairway|stairwell|steps|ladders?|rungs|ropes?|gangway|gangplank|companionway|hatchway|"
    r"ramp|roads?|paths?|footpath|towpath|trails?|tracks?|(?:foot)?prints|spoor|lane|street|alley|highway|causeway|tunnel|passage|passageway|"
    r"corridor|hallway|shaft|bridge|river|stream|canal|brook|creek|coast|shore|beach|ridge|slope|hill|hillside|"
    r"cliffs?|ferry|boat|coach|train|tram|lift|elevator)(?:\s+(?:in|of|on)\s+(?:the|an?|my|his|her|their)\s+\w+)?"
    rf"|{phrases('[cross]')}\s+{_NAMED_WAY}|{phrases('[take follow]')}\s+{_WAY_BY_NAME}"
    rf"|{phrases('[cross]')}\s+(?:the|a|my|our)\s+(?:\w+\s+){{0,2}}?"
    r"(?:yard|courtyard|square|plaza|market|marketplace|green|park|garden|orchard|field|fields|meadow|moor|marsh|common|"
    r"clearing|hall|lobby|deck|harbour|harbor|bay|lake|ice|valley|ravine|dunes|sands|snow|plain|desert)"
    ")"
)
"""A way, or what goes it, that somebody takes: `climb the stairs`; what follows it says where to."""
_DIRECTION: Final = (
    r"(?:back|down|up|over|across|out|on|off|away|along|straight|right|home|again|together|alone|first|around|"
    r"onwards?|inland|ashore|overland|up-?river|down-?river|up-?stream|down-?stream|(?:north|south)?-?(?:north|south|east|west)"
    r"(?:wards?)?|all\s+(?:the\s+)?(?:day|night|morning|afternoon|evening|way)|hard|fast|late|early|"
    r"for\s+(?:an?|two|three|four|five|some|several|a\s+few|many)\s+(?:hours?|days?|nights?|miles?|leagues?)|"
    r"by\s+(?:boat|ship|ferry|barge|coach|cart|train|tram|road|river|sea|night|moonlight)|"
    rf"[a-z]+ly|{ALONG_WAY}|"
    r"(?:together\s+)?with\s+@[^@]+@(?:(?:\s*,\s*|\s+and\s+)@[^@]+@)*)"
)
_GOES_THERE: Final = PhrasePattern(
    r"""
    VERB(?: DIRECTION){0,3} (to|into|inside|onto|for|aboard|on board)
    VERB(?: DIRECTION){0,2} (out|up|down|over|back) (on|upon|in)
    [make find work] (my|our|your|his|her|their) way(?: DIRECTION){0,3} (to|into|inside|onto)
    [follow chase pursue tail shadow trail track accompany take lead bring guide drag carry escort] @[^@]+@(?:
        DIRECTION){0,3} (to|into|inside|onto)
    [follow chase pursue tail shadow trail track accompany take lead bring guide drag carry escort] @[^@]+@
        (out|up|down|over|back) (on|upon|in)
    WAY_TAKEN(?: DIRECTION){0,3} (to|into|inside|onto)
    [arrive](?: back)? (at|in)
    [enter reach visit board]
    """,
    {
        "VERB": rf"(?:(?:am|is|are)\s+(?:going|walking|riding|heading|running|returning)|{GO}|"
        + phrases(
            "[travel journey hike trek venture descend ascend return come get set leave depart make retreat flee "
            "withdraw escape continue proceed]"
        )
        + ")",
        "DIRECTION": _DIRECTION,
        "WAY_TAKEN": WAY_TAKEN,
    },
)
_AFTER_NAME: Final = (
    r"(?=\s*(?:$|[.,;:!?…—–¶])|\s+(?:with|and|to|in|at|by|alone|again|on|before|after|where|for|as|while|then|without|via|"
    r"through|now|together|first|once|instead|too|but|because|so|when|until|from|over|across|along|past|under|quickly|"
    r"quietly|slowly|this|that\s+(?:evening|night|morning|afternoon)|myself|herself|himself|ourselves)\b|\s+@)"
)


_ARTICLE: Final = r"(?:[Tt]he|[Mm]y|[Oo]ur|[Tt]his|[Tt]hat)"
_SITE: Final = re.compile(rf"\s+[Tt]he\s+(?P<name>(?:[\w'’-]+\s+){{0,2}}?(?i:{SITE_NOUN})){_AFTER_NAME}")


_KIND_FIRST: Final = re.compile(
    rf"(?P<kind>(?i:{SITE_NOUN}))\s+(?:of\s.+"
    r"|(?:(?:[Nn]o\.?|[Nn]umber)\s+)?(?:\d+|[IVX]+|[A-Z]|(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)))"
    r"|(?P<fort>(?i:castle|fort|camp))\s+(?!(?i:street|road|lane|square|hill|gate|inn|yard|green|row|wall|fire)s?$)[A-Z][\w'’-]+"
)
"""The name of a place that begins with what it is: `Pier Nine`, `Ruins of Karth`, `Fort Hallam`; not `Mill Lane`."""


class DestinationReader:
    """Reads which of some places a predicate of the hero's leads to."""

    def __init__(self, places: Sequence[Sequence[str]], here_names: Iterable[str] = ()) -> None:
        """`places` are the names of each place; of several of one name none is meant. `here_names` are those of here.

        The last word of a longer name means the place as it is written, with its capital, and so does what kind of
        place it says first: `Pier Nine`. `The inn` means the Gull Inn, and `the pier` Pier Nine, too, if no other is
        known; `the kettle` is not the Tin Kettle. A single word without `the` means a place only with its capital: who
        goes to forge a sword goes to no Forge.
        """
        here_words = {word.casefold() for name in here_names for word in short_names(name)}
        whole_names = _number_unique(
            (_without_article(n), i) for i, names in enumerate(places) for n in names
        )
        numbered_words = [
            (word, i)
            for i, names in enumerate(places)
            for word in {w for n in map(_without_article, names) if " " in n for w in short_names(n)}
        ]
        last_words = _number_unique(numbered_words)
        self._numbers = {name.casefold(): n for name, n in whole_names.items()}
        for word, number in last_words.items():
            self._numbers.setdefault(word.casefold(), number)
        written = _any_of((*whole_names, *last_words))
        site_words = _any_of(
            word
            for word in last_words
            if re.fullmatch(SITE_NOUN, word.casefold()) and word.casefold() not in here_words
        )
        several_words = _any_of(name for name in whole_names if " " in name)
        single_words = _any_of(name for name in whole_names if " " not in name)
        self._place = re.compile(
            rf"\s+(?:(?:{_ARTICLE}|an?)\s+)?(?P<written>{written}){_AFTER_NAME}"
            rf"|\s+(?:{_ARTICLE}\s+)?(?P<several>(?i:{several_words})){_AFTER_NAME}"
            rf"|\s+{_ARTICLE}\s+(?P<single>(?i:{single_words})){_AFTER_NAME}"
            rf"|\s+[Tt]he\s+(?P<site>(?i:{site_words})){_AFTER_NAME}"
        )

    def find_destination(self, predicate: str) -> int | None:
        """Return the number of the place that somebody goes to, by what stands behind them; None if to none."""
        going = _GOES_THERE.match(predicate)
        if going is None:
            return None
        place = self._place.match(predicate, going.end())
        return None if place is None else self._numbers[place[str(place.lastgroup)].casefold()]

    def find_unknown_site(self, predicate: str) -> str:
        """Return what is none of these by name, and somebody goes to: `old pier`; empty if to none.

        It may be what several of these are called for short: `pier`.
        """
        going = _GOES_THERE.match(predicate)
        if going is None or self._place.match(predicate, going.end()):
            return ""
        site = _SITE.match(predicate, going.end())
        return site["name"] if site else ""


def short_names(name: str) -> tuple[str, ...]:
    """Return what a place is called for short: the last word of its name, and of `Pier Nine` the kind of place."""
    words = name.split()
    match = _KIND_FIRST.fullmatch(_without_article(name))
    kinds = filter(None, (match["kind"], match["fort"])) if match else ()
    return tuple(dict.fromkeys((words[-1], *kinds))) if words else ()


def _number_unique(numbered_names: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the names that only one place has, with its number."""
    names = [(name, number) for name, number in dict.fromkeys(numbered_names) if name]
    counts = Counter(folded for folded, _ in {(name.casefold(), number) for name, number in names})
    return {name: number for name, number in names if counts[name.casefold()] == 1}


def _without_article(name: str) -> str:
    """Return a name as marked prose has it, without `the` before it."""
    return " ".join(re.sub(r"^the\s+", "", drop_title_stops(name.strip()), flags=re.IGNORECASE).split())


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern of any of the names, the longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"
