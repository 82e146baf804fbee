"""Finds names in prose by rules, without a model: capitalised spans with honorifics and joining words.

A capital at the start of a sentence proves nothing: such a word is a name only if the text capitalises it
elsewhere too, if it speaks or acts as people do, or if a title precedes it. On the proper names of LitBank
these rules do better than a small trained model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.prose.auxiliary_names import is_first_name
from agents.prose.title_words import HE_TITLES, OFFICE_TITLES, SHE_TITLES
from agents.prose.words import SHORT_TITLES
from stores.records.world import Entity

MAX_NAME_WORDS: Final = 6
"""Words of one name."""
MAX_NAME_CHARS: Final = 80
"""Characters of one name."""

MAX_TEXT_CHARS: Final = 20_000
"""Characters of a text that are read."""

HONORIFICS: Final = frozenset(
    {
        *("mr", "mrs", "ms", "miss", "dr", "doctor", "sir", "dame", "lady", "lord", "madam", "master"),
        *(
            "mistress",
            "captain",
            "sergeant",
            "lieutenant",
            "colonel",
            "general",
            "major",
            "admiral",
            "father",
        ),
        *("mother", "brother", "sister", "uncle", "aunt", "king", "queen", "prince", "princess", "duke"),
        *(
            "duchess",
            "baron",
            "baroness",
            "count",
            "countess",
            "earl",
            "saint",
            "st",
            "professor",
            "reverend",
        ),
        *("bishop", "abbot", "abbess", "judge", "old", "young", "goodman", "goodwife", "magister", "warden"),
    }
)
"""Titles: part of a name when they precede one, and no name alone."""

_RANKS: Final = HE_TITLES | SHE_TITLES | OFFICE_TITLES

EPITHETS: Final = frozenset({"big", "little", "black", "red", "white", "lucky", "mad", "blind", "poor"})
"""What somebody may be called before the name, and may be left out."""

NON_NAME_WORDS: Final = frozenset(
    {
        *("i", "a", "an", "the", "and", "or", "but", "nor", "so", "yet", "for", "if", "then", "than", "that"),
        *("this", "these", "those", "there", "here", "where", "when", "while", "why", "what", "which", "who"),
        *("whom", "whose", "how", "he", "she", "it", "we", "you", "they", "me", "him", "her", "us", "them"),
        *("my", "your", "his", "its", "our", "their", "mine", "yours", "hers", "ours", "theirs", "as", "at"),
        *(
            "by",
            "from",
            "in",
            "into",
            "of",
            "off",
            "on",
            "onto",
            "out",
            "over",
            "under",
            "up",
            "upon",
            "with",
        ),
        *("without", "within", "through", "across", "after", "before", "behind", "beneath", "beside"),
        *("between", "beyond", "above", "below", "against", "along", "among", "around", "near", "past"),
        *("toward", "towards", "until", "till", "since", "though", "although", "because", "unless", "to"),
        *("no", "not", "yes", "oh", "ah", "well", "now", "once", "again", "still", "just", "only", "even"),
        *("all", "any", "both", "each", "every", "either", "neither", "some", "many", "more", "most", "much"),
        *("few", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first"),
        *("last", "next", "another", "other", "such", "same", "is", "are", "was", "were", "be", "been", "am"),
        *("do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "shall", "should"),
        *("may", "might", "must", "let", "look", "come", "go", "wait", "stop", "listen", "take", "give"),
        *("tell", "ask", "say", "see", "hear", "get", "keep", "leave", "run", "sit", "stand", "please"),
        *("thank", "thanks", "sorry", "hello", "good", "never", "always", "maybe", "perhaps", "today"),
        *("tonight", "tomorrow", "yesterday", "nobody", "nothing", "someone", "somebody", "something"),
        *("everyone", "everything", "anyone", "anything", "somewhere", "nowhere", "everywhere", "like"),
        *("whoever", "whatever", "whichever", "anybody", "everybody"),
        *("gm", "npc", "pc", "hp", "god", "gods", "ok", "okay", "dear", "damn", "hush", "aye", "nay"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "english"),
    }
)
"""Words that are no name when capitalised, and no part of one at the start of a sentence."""

NAME_PARTICLES: Final = frozenset({"the", "of", "and", "a", "an", "in", "de", "von", "van", "la", "le"})
"""Words inside names that do not stand for somebody alone."""


_JOINING_WORDS: Final = frozenset(
    {"of", "the", "de", "del", "della", "di", "da", "du", "la", "le", "von", "van", "der"}
)
"""Words that join the parts of one name."""

_NUMBERS_IN_NAMES: Final = frozenset(
    {"One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "First", "Last"}
)
"""Numbers that are a part of a name where they have a capital within a sentence."""

_PERSON_VERB: Final = re.compile(
    r"\s+(?:says?|said|asks?|asked|nods?|nodded|shakes?|shook|smiles?|smiled|laughs?|laughed|looks?|looked|"
    r"turns?|turned|steps?|stepped|stands?|stood|grins?|grinned|shrugs?|shrugged|sighs?|sighed|whispers?|"
    r"whispered|mutters?|muttered|shouts?|shouted|answers?|answered|replies|replied|points?|pointed|frowns?|"
    r"frowned|leans?|leaned|walks?|walked|draws?|drew|raises?|raised|stares?|stared|waits?|waited|kneels?|"
    r"knelt|hands?|handed|gives?|gave|takes?|took|tells?|told|calls?|called|comes?|came|goes|went|dies|died|"
    # Nobody but people does these.
    r"reads|writes|wrote|sings|sang|drinks|drank|eats|ate|sits|kneels|kisses|kissed|hates|hated|loves|loved|wants|wanted|"
    r"thinks|thought|knows|knew|owns|owned|owes|owed|promises|promised|steals|stole|lies to|hides|hid|sleeps|slept|"
    r"wakes|woke|grabs|grabbed|bows|bowed|tries to|tried to|pays|paid|buys|bought|sells|sold|marries|married)\b"
)
"""Verbs of people, after a name."""
DISTANCE: Final = (
    r"(?:(?:an?|half an?|one|two|three|four|five|six|seven|ten|some|several|many|a few)\s+"
    r"(?:hour|day|night|week|mile|league)s?\b(?!\s+(?:of|too)\b))"
)
"""How far something is: `half a day`, `two leagues`."""
_LIES_AWAY: Final = re.compile(
    rf"\s+(?:lies|lay|stands|stood|is|was)\s+(?:{DISTANCE}|(?:to the\s+)?(?:north|south|east|west)(?:wards?)?\b)"
)
"""Behind the name of a place: `Highgarth lies a day to the north`."""
_IS_KIN: Final = re.compile(
    r"\s+(?:is|was)\s+(?:my|your|his|her|our|their|[^\W\d_a-z][\w-]*['’]s)\s+(?:[a-z]+\s+|[a-z]+['’]s\s+)?"
    r"(?:mother|father|brother|sister|son|daughter|uncle|aunt|cousin|nephew|niece|wife|husband|grandmother|grandfather"
    r"|grandson|granddaughter|friend|servant|apprentice)\b(?!['’])"
)
"""Behind the name of somebody: `Corin is my elder brother`, `Corin is my mother's brother`."""
_PARTNER: Final = re.compile(
    r"\s+and\s+(?P<other>[^\W\d_a-z][\w’-]+)\s+(?:are|were|have|had|both|hate|love|fight|share)\b"
)
"""Behind who begins a sentence, with whom they are something: `Tam and Ume are enemies`."""
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_SENTENCE_BREAK = re.compile(r"[.!?…:;\n“”\"‘«»*_>(\[]|--|—|–")
"""Between two words: the second one begins a sentence or a speech."""
_WORD_GAP = re.compile(r"\s+|\.\s+")
"""Between two words of one name: a blank, or the full stop of a title (`Dr. Hale`)."""
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name in a text, from `start` to `end` (characters)."""

    name: str
    start: int
    end: int


def find_names(text: str) -> tuple[str, ...]:
    """Return the names in a text, each once, in order of appearance."""
    return tuple(dict.fromkeys(span.name for span in find_name_spans(text)))


def find_name_spans(text: str) -> list[NameSpan]:
    """Return every place where a name stands."""
    text = text[:MAX_TEXT_CHARS]
    runs = list(_find_runs(text))
    certain_words = {word.casefold() for run in runs for word in _certain_words(run)}
    return [span for run in runs if (span := _build_name_span(text, run, certain_words)) is not None]


def has_title(name: str) -> bool:
    """Return whether a name begins with a title."""
    return _is_title(name.partition(" ")[0])


@dataclass(frozen=True, slots=True)
class _CapitalisedRun:
    """Capitalised words that stand together."""

    word_matches: list[re.Match[str]]
    opens_sentence: bool
    """Whether the first word begins a sentence."""


def _find_runs(text: str) -> Iterator[_CapitalisedRun]:
    run_words: list[re.Match[str]] = []
    opens_sentence, end = True, 0
    pending_joins: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        gap_text = text[end : word.start()]
        begins_sentence = end == 0 or _SENTENCE_BREAK.search(gap_text) is not None
        follows_title = bool(run_words) and _is_title(f"{run_words[-1][0]}.") and gap_text.strip() == "."
        is_separate = not _WORD_GAP.fullmatch(gap_text) or (begins_sentence and not follows_title)
        end = word.end()
        if run_words and (
            is_separate
            or len(run_words) + len(pending_joins) >= MAX_NAME_WORDS
            or _POSSESSIVE.search(run_words[-1][0])
        ):
            yield _CapitalisedRun(run_words, opens_sentence)
            run_words, pending_joins = [], []
        if word[0][0].isupper():
            if not run_words:
                opens_sentence = begins_sentence
            run_words += [*pending_joins, word]
            pending_joins = []
        elif run_words and word[0] in _JOINING_WORDS and len(pending_joins) < 2:
            pending_joins.append(word)
        elif run_words:
            yield _CapitalisedRun(run_words, opens_sentence)
            run_words, pending_joins = [], []
    if run_words:
        yield _CapitalisedRun(run_words, opens_sentence)


def _certain_words(run: _CapitalisedRun) -> Iterator[str]:
    """Yield the words that are capitalised for their own sake, and not because a sentence begins."""
    for word in run.word_matches[1 if run.opens_sentence else 0 :]:
        bare_word = _POSSESSIVE.sub("", word[0])
        if (
            bare_word[0].isupper()
            and bare_word.casefold() not in NON_NAME_WORDS
            and not _is_shouted(bare_word)
        ):
            yield bare_word


def _build_name_span(text: str, run: _CapitalisedRun, certain_words: set[str]) -> NameSpan | None:
    word_matches = list(run.word_matches)
    if (
        run.opens_sentence
        and len(word_matches) > 1
        and not _begins_with_first_name(text, word_matches)
        and (_is_plain(word_matches[0][0]) or word_matches[0][0].endswith("ly"))
    ):
        word_matches, opens_sentence = word_matches[1:], False
    else:
        opens_sentence = run.opens_sentence
    while word_matches and (_is_plain(word_matches[0][0]) or word_matches[0][0] in _JOINING_WORDS):
        if not opens_sentence and len(word_matches) > 1 and word_matches[0][0] in _NUMBERS_IN_NAMES:
            break  # `the Three Pins`
        if _begins_with_first_name(text, word_matches):
            break
        word_matches = word_matches[1:]
    while word_matches and _is_plain(word_matches[-1][0]):
        if len(word_matches) > 1 and word_matches[-1][0] in _NUMBERS_IN_NAMES:
            break  # `Pier Nine`
        word_matches = word_matches[:-1]
    bare_words = [_POSSESSIVE.sub("", w[0]) for w in word_matches]
    if not word_matches or all(w.casefold() in HONORIFICS or _is_shouted(w) for w in bare_words):
        return None
    if opens_sentence and len(word_matches) == 1 and bare_words[0].casefold() not in certain_words:
        is_possessive = _POSSESSIVE.search(word_matches[0][0]) is not None and len(bare_words[0]) > 2
        word_end = word_matches[0].end()
        acts = _PERSON_VERB.match(text, word_end) or _has_partner(text, word_end)
        is_described = _LIES_AWAY.match(text, word_end) or _IS_KIN.match(text, word_end)
        if not (acts or is_described or is_possessive) or bare_words[0].casefold().endswith(("ing", "ly")):
            return None
    start, end = word_matches[0].start(), word_matches[-1].start() + len(bare_words[-1])
    name = " ".join(text[start:end].split())
    return NameSpan(name, start, end) if len(name) <= MAX_NAME_CHARS else None


def _begins_with_first_name(text: str, word_matches: Sequence[re.Match[str]]) -> bool:
    """Say whether a name of several words begins with Will or May, and not with a verb: `Will Karr comes in.`."""
    return len(word_matches) > 1 and is_first_name(text, word_matches[0].start(), word_matches[-1].end())


def _has_partner(text: str, end: int) -> bool:
    """Say whether a word is joined with a name, and the two are or have something: `Tam and Ume are enemies`."""
    match = _PARTNER.match(text, end)
    return match is not None and not _is_plain(match["other"])


def _is_plain(word: str) -> bool:
    bare_word = word.replace("’", "'").partition("'")[0]
    return bare_word.casefold() in NON_NAME_WORDS or word.casefold() in NON_NAME_WORDS


def _is_shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def names_of(entity: Entity) -> tuple[str, ...]:
    """Return what prose may call somebody: name, aliases, and the parts of the name that stand for it.

    A title stands with each part: Lady Isolde Marr is Isolde, Marr, Lady Isolde and Lady Marr. What precedes the name
    may be left out: Old Mother Grice is Mother Grice, too.
    """
    words = entity.name.split()
    parts = [
        word
        for word in words
        if len(word) > 2
        and word[0].isupper()
        and not _is_title(word)
        and word.casefold() not in NAME_PARTICLES
    ]
    is_titled = len(words) > 2 and words[0][0].isupper() and _is_any_title(words[0])
    own_parts = parts[1:] if parts[:1] == words[:1] else parts
    is_titled = is_titled and bool(own_parts)
    titled_parts = [f"{words[0]} {part}" for part in (own_parts[0], own_parts[-1])] if is_titled else []
    shorter_names = list_shorter_names(entity.name)
    return tuple(dict.fromkeys((entity.name, *entity.aliases, *shorter_names, *titled_parts, *parts)))


def list_shorter_names(name: str) -> list[str]:
    """Return a name of several words without the titles before it, one after the other, while two words are left."""
    words, names = name.split(), list[str]()
    while (
        len(words) > 2
        and words[0][0].isupper()
        and (_is_any_title(words[0]) or words[0].casefold() in EPITHETS)
    ):
        words = words[1:]
        if words[0][0].isupper():
            names.append(" ".join(words))
    return names


def _is_title(word: str) -> bool:
    bare_word = word.removesuffix(".")
    return bare_word.casefold() in HONORIFICS or (bare_word != word and bare_word in SHORT_TITLES)


def _is_any_title(word: str) -> bool:
    """Return whether a word before a name is a title, also of a trade or of kin: `Sheriff`, `Widow`."""
    return _is_title(word) or word.casefold() in _RANKS


def any_name_pattern(names: Iterable[str]) -> str:
    """Return a pattern that matches any of the names as whole words, the longest first."""
    ordered = sorted({name for name in names if name.strip()}, key=len, reverse=True)
    return "(?:" + "|".join(rf"\b{re.escape(name)}\b" for name in ordered) + ")" if ordered else r"(?!)"
