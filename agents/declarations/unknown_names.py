"""Finds the names in a text that mean nobody and nothing that is known, and guesses what each is the name of. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.propositions.vocabulary import load_nouns_for_things
from agents.canon_keeper.sentences.tokens import Token, build_name_book, read_tokens
from agents.canon_keeper.sentences.word_lists import load_word_lists
from agents.declarations.handed_names import is_handed_thing, split_handed_names
from agents.declarations.lasting_facts import guess_entity
from agents.declarations.said_in_passing import find_kin_of_hero
from agents.prose.called_names import find_called
from agents.prose.cast_words import SITE_NOUN
from agents.prose.lone_names import begins_sentence, is_surely_name
from agents.prose.mentions import may_be_first_name
from agents.prose.names import DISTANCE, NameSpan, find_name_spans, has_title
from agents.prose.speech import strip_speech
from agents.prose.trades import is_trade
from agents.prose.unsaid_hero import skip_deed
from stores.records.world import Entity, EntityKind, fold_name

MAX_UNKNOWN_NAMES: Final = 6
"""Unknown names of one text that are told of."""
_TIMES: Final = (
    "january february march april may june july august september october november december michaelmas christmas "
    "easter yule yuletide candlemas lammas martinmas midsummer midwinter halloween pentecost whitsun lent advent "
    "spring summer autumn winter"
)
_NO_NAMES: Final = frozenset(_TIMES.split())
"""Times of the year, which have a capital and are nobody and nowhere."""
_PLACE_WORD: Final = re.compile(
    rf"(?:{SITE_NOUN}|(?:ferry|crossing|landing|hall|gate|keep|house|road|street|lane|square|wood|ford|bay|hill|hills|mountains?|moors?|river|lake"
    r"|isles?|islands?|sea|coast|valley|pass|port|haven|heath|heights?|cross|spire|hold|wall|arms|steading|stead|kingdom"
    r"|duchy|empire|barony|sheds?|yards?|cellars?|gardens?|stairs|tunnels?|fens?|marshes|falls)\b)$",
    re.IGNORECASE,
)
_BEFORE_PLACE: Final = re.compile(
    r"\b(?:(?:In|At|Inside|Outside|Near|Beyond|Across)(?= the )"
    r"|in|at|into|inside|outside|near|reach(?:es|ed)?|towards?|leav(?:e|es|ing)|across|throughout|beyond"
    r"|(?:north|south|east|west|city|town|village|lord|lady|road|way|back|down|up|on|path|trail) (?:of|to)"
    r"|(?:ferry|boat|ship|barge|train|coach|cart|bus|gates?|port|bridge|passage) (?:of|to)"
    r"|(?:set|sets|setting) (?:out|off|sail|course) for"
    r"|(?:leave|leaves|left|head|heads|headed|heading|make|makes|made|bound|sail|sails|depart|departs|departed) for"
    r"|(?:go|goes|went|walk|walks|walked|ride|rides|rode|travel|travels|travelled|come|comes|came|return|returns|returned"
    r"|sail|sails|sailed|row|rows|rowed|drive|drives|drove|fly|flies|flew|march|marches|marched|hike|hikes|hiked"
    r"|trek|treks|trekked|journeys?|journeyed|cross|crosses|crossed|climbs?|climbed|descends?|descended"
    r"|continues?|continued|flees?|fled|moves?|moved)(?: [a-z]+){0,4} to) (?:the |The )?$"
)
"""What stands right before the name of a place."""
_AT_SOMEBODY: Final = re.compile(
    r"\b(?:look|glanc|star|glar|smil|grin|laugh|nod|wav|wink|shout|yell|snarl|point|aim|frown|scowl|squint|peer|gaz|snap"
    r"|bark|swear|swore|scream|hiss|growl|spit|spat|sneer|leer|lung|swing|swung|throw|threw|shoot|shot)"
    r"(?:e|s|es|ed|ing)?(?: [a-z]+){0,2} at $"
)
"""What stands right before the name of somebody, though `at` does: `looks up at Dob`, `throws a stone at Dob`."""
_ORIGIN: Final = re.compile(
    r"(?P<who>(?:[\w'’-]+ ){1,6})"
    r"(?:is|are|am|was|were|comes?|came|hails?|hailed) (?:all the way |back )?from (?:the |The )?$"
)
"""What stands before where somebody is from; a letter is from somebody."""
_AFTER_PLACE: Final = (
    rf"(?: (?:burn(?:s|ed|t) down|lies\b|lay\b)| (?:is|was|stands|stood) {DISTANCE}"
    rf"| (?:is|was) (?:an?|the) (?:[a-z]+ ){{0,3}}{SITE_NOUN})"
)
"""What is said right behind the name of a place."""
_OFFICE: Final = re.compile(r"\b(?P<office>[a-z-]+) of $")
"""What somebody is right before of where they are it: `the smith of Harrow`."""
_LOCAL_TRADES: Final = frozenset({"smith", "priest", "baker", "miller", "butcher", "hangman", "elder"})
_OF_SOMEBODY: Final = frozenset(
    {"killer", "murderer", "thief", "owner", "heir", "author", "squire", "bodyguard", "master", "mistress"}
)
"""What somebody is of another, and not of a place."""
_TOPIC: Final = re.compile(
    r"\b(?:about|(?:hear|hears|heard|tell|tells|told|talk|talks|talked|speak|speaks|spoke|think|thinks|thought|dream"
    r"|dreams|know|knows|knew|news|word|tidings|tales?|stor(?:y|ies)|rumou?rs?)"
    r"(?: (?:me|you|him|her|us|them|more|much|[^\W\d_a-z][\w'’-]*)){0,2} of) $"
)
"""What stands right before the name of somebody or of a place alike: `ask her about Harrow`."""
_TELLS: Final = re.compile(r"\b(?:tell|tells|told|inform|informs|informed|warn|warns|warned) $")
_SAYS_WHO: Final = re.compile(r"['’]|,? (?:who|whose)\b")
"""What stands right behind a name and tells that it is somebody's."""
_BEFORE_OWNED: Final = re.compile(r"\b(?:owns|owned|own)(?: (?:the|both))? $")
"""What stands right before the name of what somebody owns."""
_AFTER_OWNED: Final = re.compile(r" (?:is|was) owned by\b")
_OWNS_NEXT: Final = re.compile(r"(?:['’]s|['’]) ")
"""Between somebody's name and what is named after them."""


_TITLES_OF_PLACES: Final = frozenset({"old", "young", "saint", "st"})
"""What places are called, too: `Old Ferry`, `Saint Bride Abbey`."""


class UnknownName(NamedTuple):
    """A name that nobody and nothing has, and what it may be the name of."""

    name: str
    kind: EntityKind
    is_here: bool = False
    """Whether the words have them in the scene."""
    description: str = ""
    """What the words say that they are: `the miller`."""
    may_be_place: bool = False
    """Whether it may as well be the name of a place, as far as the words tell."""
    is_gone_to: bool = False
    """Whether the hero goes there: they do not arrive while it is not known."""
    may_be_earlier: bool = False
    """Whether it may be short for what an earlier line names: `the purse`, of a purse of silver."""


def find_unknown(text: str, known: Sequence[Entity], other_words: Collection[str] = ()) -> list[UnknownName]:
    """Return the names in a text that none of those known has, each once; `other_words` are no names."""
    no_names = _NO_NAMES | {fold_name(word) for word in other_words}
    spans = find_known_spans(text, known)
    names = [
        name
        for name in dict.fromkeys(span.name for span in spans)
        if fold_name(name) not in no_names and is_surely_name(name, spans, text)
    ]
    if not names:
        return []
    book = build_name_book(known)
    unknown = [
        name
        for name in names
        if any(map(_is_of_unknown, read_tokens(name, book)))
        and not find_called(name, known)
        and not _is_office(name, known)
    ]
    full_names = [expand_name(name, unknown) for name in unknown]
    told_text = strip_speech(text)
    return [
        UnknownName(
            name,
            kind,
            description=find_kin_of_hero(name, told_text) if kind is EntityKind.CHARACTER else "",
            may_be_place=kind is EntityKind.CHARACTER and _is_mere_topic(name, text),
            is_gone_to=kind is EntityKind.PLACE and _is_gone_to(name, text),
        )
        for name in list(dict.fromkeys(full_names))[:MAX_UNKNOWN_NAMES]
        for kind in [_guess_kind(name, text, spans)]
    ]


def _is_gone_to(name: str, text: str) -> bool:
    """Say whether words of the first person lead to a place, as in `I go into the Tar Shed with Osk`."""
    return (
        re.search(rf"\b(?:I|[Ww]e)\b[^.!?;]*?\b(?:in)?to (?:[Tt]he )?{re.escape(name)}\b", text) is not None
    )


def find_known_spans(text: str, known: Sequence[Entity]) -> list[NameSpan]:
    """Return where names stand in a text: `Bram's Mill` is one, who is given something and the thing are two."""
    spans = [_without_deed(span, text) for span in find_name_spans(text)]
    spans = list(split_handed_names(_join_owned_names(spans, text), text, known))
    return [part for span in spans for part in _split_told(span, text, known)]


def _split_told(span: NameSpan, text: str, known: Sequence[Entity]) -> tuple[NameSpan, ...]:
    """Return who is told and whom it is about as two, if both are known: `I tell Abena Lowe is a deserter`."""
    first, _, rest = span.name.partition(" ")
    is_told = rest and _TELLS.search(text, max(0, span.start - 20), span.start)
    if not is_told or not find_called(first, known) or not find_called(rest, known):
        return (span,)
    rest_start = span.end - len(rest)
    return NameSpan(first, span.start, span.start + len(first)), NameSpan(rest, rest_start, span.end)


def _without_deed(span: NameSpan, text: str) -> NameSpan:
    """Return a name that begins a sentence without what is done to them: `Vess` of `Attack Vess`."""
    start = span.start + (skip_deed(span.name) if begins_sentence(text, span.start) else 0)
    return NameSpan(text[start : span.end], start, span.end) if start > span.start else span


def _join_owned_names(spans: Sequence[NameSpan], text: str) -> list[NameSpan]:
    """Return the names with what is named after somebody as one: `Bram's Mill`."""
    joined = list[NameSpan]()
    for span in spans:
        owner = joined[-1] if joined else None
        gap = text[owner.end : span.start] if owner else ""
        if owner is not None and _OWNS_NEXT.fullmatch(gap) and not has_title(span.name):
            joined[-1] = NameSpan(text[owner.start : span.end], owner.start, span.end)
        else:
            joined.append(span)
    return joined


def _is_of_unknown(token: Token) -> bool:
    """Say whether a word of a name is of nobody known, and no mere title or `Poor` before one that is."""
    return not token.entity and token.text[0].isupper() and may_be_first_name(token.text)


def _is_office(name: str, known: Sequence[Entity]) -> bool:
    """Say whether a name is what somebody is of a place or people that is known: `Reeve of Kestermoor`."""
    office, _, where = name.rpartition(" of ")
    is_office = bool(office) and " " not in office and not _PLACE_WORD.search(office)
    return is_office and bool(find_called(where, known))


def expand_name(name: str, names: Iterable[str]) -> str:
    """Return the longer one of the names that this one is short for: `Dace Holloway` for `Dace`; itself if none is."""
    longer = [guess_entity(one, EntityKind.CHARACTER) for one in dict.fromkeys(names) if len(one) > len(name)]
    called = find_called(name, longer)
    return called[0].name if len(called) == 1 else name


def _guess_kind(name: str, text: str, spans: Sequence[NameSpan]) -> EntityKind:
    is_titled = has_title(name) and not _may_be_titled_place(name)
    if is_titled:
        return EntityKind.CHARACTER
    if _PLACE_WORD.search(name) or _PLACE_WORD.search(name.partition(" of ")[0]):
        return EntityKind.PLACE
    for match in _find_mentions(name, text):
        if is_handed_thing(match.start(), match.end(), text, spans):
            return EntityKind.OBJECT
        before = text[max(0, match.start() - 60) : match.start()]
        if _BEFORE_OWNED.search(before) or _AFTER_OWNED.match(text, match.end()):
            return EntityKind.OBJECT
        is_behind = _BEFORE_PLACE.search(before) is not None and not _AT_SOMEBODY.search(before)
        is_behind = is_behind or _is_origin(text[max(0, match.start() - 80) : match.start()])
        is_behind = is_behind or _is_of_office(before)
        if is_behind or re.match(_AFTER_PLACE, text[match.end() :]):
            return EntityKind.PLACE
        # `the Silver Bowl`, `Bram's Letter`; but Jack Bell is somebody.
        is_of_something = "’" in name or "'" in name or text[: match.start()].endswith((" the ", "The "))
        if is_of_something and name.split()[-1].casefold() in load_nouns_for_things():
            return EntityKind.OBJECT
    return EntityKind.CHARACTER


def is_place_with_article(name: str, text: str) -> bool:
    """Say whether a name is always written with `the` and says what kind of place it is: `I take the High Road`."""
    mentions = list(_find_mentions(name, text))
    return (
        bool(mentions)
        and _PLACE_WORD.search(name) is not None
        and all(text[: m.start()].casefold().endswith("the ") for m in mentions)
    )


def _find_mentions(name: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w’'-]){re.escape(name)}(?![\w’'-])", text)


def _is_of_office(before: str) -> bool:
    """Say whether words right before a name say that somebody has an office or a trade there."""
    match = _OFFICE.search(before)
    if match is None or match["office"] in _OF_SOMEBODY:
        return False
    office = match["office"]
    return office in _LOCAL_TRADES or office in load_word_lists().roles or is_trade(office)


def _is_mere_topic(name: str, text: str) -> bool:
    """Say whether the text only speaks of what has the name, a single word: `I ask her about Harrow`."""
    mentions = list(_find_mentions(name, text))
    is_single = " " not in name and bool(mentions)
    return is_single and all(
        _TOPIC.search(text[max(0, m.start() - 60) : m.start()]) and not _SAYS_WHO.match(text, m.end())
        for m in mentions
    )


def _is_origin(before: str) -> bool:
    """Say whether words right before a name say that somebody is from there, and not that a thing is of somebody."""
    origin = _ORIGIN.search(before)
    return origin is not None and load_nouns_for_things().isdisjoint(origin["who"].casefold().split())


def _may_be_titled_place(name: str) -> bool:
    """Say whether a name with a title may be that of a place: `Old Ferry`, not `Old Tam`."""
    title, _, rest = name.partition(" ")
    last_word = rest.split()[-1].casefold() if rest else ""
    is_noun = last_word in load_nouns_for_things() or _PLACE_WORD.search(last_word) is not None
    return title.rstrip(".").casefold() in _TITLES_OF_PLACES and is_noun
