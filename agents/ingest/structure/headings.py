"""Reads headings: which of them name something of the world or the rules, and what they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.ingest.names.name_kinds import best_kind, vote_on_kind
from agents.ingest.names.name_words import load_name_words
from stores.records.world import EntityKind

MAX_TITLE_WORDS: Final = 7
_NUMBERED: Final = re.compile(
    r"(?:chapter|part|book|section|appendix|step|table|figure|act|scene|level|tier|day|session|example|page|volume|"
    r"lesson|stage|area|room|module|episode|canto)\s+(?:[ivxlcdm]+|\d+|[a-z]|one|two|three|four|five|six|seven|eight|"
    r"nine|ten|eleven|twelve)\b[\s.:–—-]*",
    re.IGNORECASE,
)
_LEADING_NUMBER: Final = re.compile(r"(?:\d+[.)]?|[ivxlcdm]+[.)]|[A-Z]?\d+[.:])\s+", re.IGNORECASE)
_NO_TITLES: Final = frozenset(
    [
        *(
            "introduction",
            "index",
            "contents",
            "table of contents",
            "preface",
            "foreword",
            "afterword",
            "credits",
        ),
        *(
            "glossary",
            "license",
            "licence",
            "legal",
            "legal information",
            "appendix",
            "overview",
            "summary",
            "notes",
        ),
        *(
            "acknowledgements",
            "acknowledgments",
            "dedication",
            "copyright",
            "goal",
            "goals",
            "premise",
            "pitch",
            "short version",
            "session",
            "sessions",
            "session notes",
            "secrets",
            "safety tools",
            "prologue",
            "epilogue",
            "bibliography",
        ),
        *("references", "errata", "changelog", "about", "about the author", "about this book", "how to play"),
        *(
            "how to use this book",
            "using this book",
            "getting started",
            "background",
            "description",
            "actions",
        ),
        *(
            "reactions",
            "legendary actions",
            "bonus actions",
            "traits",
            "features",
            "special abilities",
            "abilities",
        ),
        *(
            "skills",
            "senses",
            "languages",
            "statistics",
            "stats",
            "treasure",
            "tactics",
            "lore",
            "hooks",
            "encounters",
        ),
        *(
            "random encounters",
            "rumours",
            "rumors",
            "examples",
            "example",
            "options",
            "variants",
            "variant",
            "other",
        ),
        *("general", "miscellaneous", "special", "the basics", "basics", "terms", "definitions", "key terms"),
        *(
            "tables",
            "maps",
            "map",
            "player handout",
            "handouts",
            "notes for the gm",
            "gm notes",
            "conclusion",
        ),
        *(
            "art",
            "artists",
            "writing",
            "editing",
            "playtesters",
            "thanks",
            "special thanks",
            "open game license",
        ),
        "str dex con int wis cha",
        *("cast", "characters", "places", "locations", "factions", "items", "monsters", "people", "timeline"),
    ]
)
"""Headings of documents as such, in lower case."""
_DICE: Final = re.compile(r"(?<!\w)\d{0,2}d(?:\d{1,3}|%)(?!\w)", re.IGNORECASE)
"""In the title of a table to roll on."""
_QUESTION_WORDS: Final = frozenset(
    {"what", "how", "why", "when", "where", "who", "which", "can", "do", "does", "is", "are"}
)


def name_in_heading(title: str) -> str:
    """Return what a heading names; empty for one that only divides the document."""
    name = (
        _NUMBERED.sub("", title.strip(), count=1).strip() if _NUMBERED.match(title.strip()) else title.strip()
    )
    name = _LEADING_NUMBER.sub("", name, count=1).strip(" .:–—-*_")
    words = name.split()
    if not words or len(words) > MAX_TITLE_WORDS or not any(char.isalpha() for char in name):
        return ""
    if name.casefold().removeprefix("the ") in _NO_TITLES or _DICE.search(name) or _is_common_phrase(words):
        return ""
    if name[-1] in "?!" or words[0].casefold() in _QUESTION_WORDS:
        return ""
    if len(name) < 2 or (len(words) > 1 and _is_gerund(words[0].casefold())):
        return ""  # what is done: `Casting a Spell`
    return name.title() if name.isupper() and len(name) > 3 else name


def _is_common_phrase(words: Sequence[str]) -> bool:
    """Return whether a heading is written as a sentence is, in common words that name no place: `House rules`."""
    lists = load_name_words()
    keys = [word.casefold().strip(".,'’") for word in words]
    is_sentence = len(words) > 1 and not any(word[0].isupper() for word in words[1:])
    return (
        is_sentence
        and all(not key or lists.is_common(key) for key in keys)
        and keys[-1] not in lists.place_words | lists.object_words | lists.faction_words | lists.person_nouns
    )


def _is_gerund(word: str) -> bool:
    lists = load_name_words()
    stem = word.removesuffix("ing")
    is_verb = lists.is_common(stem) or lists.is_common(f"{stem}e") or lists.is_common(stem[:-1])
    return stem != word and len(stem) > 2 and is_verb and word not in lists.object_words | lists.place_words


def kind_of_title(title: str, known_kinds: dict[str, EntityKind]) -> EntityKind:
    """Return the kind of what a heading or a term names: a known one, or what its words tell, else a concept."""
    key = title.casefold()
    if key in known_kinds:
        return known_kinds[key]
    keys = [word.strip(".,'’") for word in key.split()]
    keys = [word for word in keys if word] or [key]
    if keys[0] in ("the", "a", "an") and len(keys) > 1:
        keys = keys[1:]
    votes = vote_on_kind(keys, load_name_words())
    return best_kind(votes) if votes else EntityKind.CONCEPT
