"""Reads the names of a text: where they stand, whose they are, and of what kind and sex."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.names.name_aliases import KnownName, choose_main_name, join_aliases
from agents.ingest.names.name_evidence import count_evidence
from agents.ingest.names.name_kinds import (
    KindVotes,
    best_kind,
    count_pronouns,
    count_votes,
    sex_by_pronouns,
    vote_on_kind,
)
from agents.ingest.names.name_parts import split_name
from agents.ingest.names.name_spans import CapitalisedName, find_capitalised_names
from agents.ingest.names.name_words import NameWords, Sex, load_name_words
from agents.ingest.names.text_tokens import TextToken, read_text_tokens
from stores.records.world import ACTORS, EntityKind

_NICKNAME: Final = re.compile(
    r"(?<!\w)([^\W\d_][\w'’-]{1,20}) [\"“‘'(]([^\W\d_][\w'’ -]{0,20}[\w])[\"”’')] ([^\W\d_][\w'’-]{1,20})"
)
"""`William "Bill" Hark`."""
_ALIAS_GAP: Final = re.compile(
    r"(?:,|,?\s+(?:who\s+)?(?:was|is|were))?\s+(?:(?:also|better|otherwise|generally|commonly|once|always)\s+)*"
    r"(?:known(?:\s+to\s+\w+(?:\s+\w+)?)?\s+as|nicknamed|alias|aka|a\.k\.a\.?|surnamed|dubbed)\s+(?:the\s+|old\s+)?[\"“‘']?"
    r"|(?:,|,?\s+(?:who\s+)?(?:was|is|were))\s+(?:(?:also|sometimes|generally|commonly|always)\s+)*"
    r"(?:called|styled|named)\s+(?:the\s+|old\s+)?[\"“‘']?"
    r"|,?\s+(?:whom\s+|that\s+)(?:\w+\s+){1,3}(?:called|named|nicknamed)\s+(?:the\s+|old\s+)?[\"“‘']?"
    r"|,\s+or\s+"
)
_MAX_ALIAS_GAP: Final = 60
_TITLE_PAGE_WORDS: Final = 150
_CERTAIN_VOTES: Final = 10
_TITLED_VOTES: Final = 120
"""Votes from which a name is somebody's by its title or first name."""
_FEW_PLACE_VOTES: Final = 40
"""Votes up to which a surname of this text is no place: somebody stood `at Ashby's`."""
_ESTATES: Final = frozenset(
    [
        "park",
        "hall",
        "house",
        "abbey",
        "castle",
        "manor",
        "court",
        "priory",
        "grange",
        "keep",
        "towers",
        "city",
        "village",
    ]
)
"""Words that are left off the names of places: `Netherfield Park`."""
_PLACE_HEADS: Final = frozenset(["port", "castle", "mount", "fort", "lake", "cape", "camp"])
"""Words that are left off before the names of places: `Port Cassini`."""
_JOINED_PLACE: Final = re.compile(r"(\w{3,})-(?:under|upon|on|by|in|le|super|next|over)-.+")
"""`Thornby-under-Hill`, which is Thornby to its people."""


@dataclass(frozen=True, slots=True)
class NamedOne:
    """Somebody or something with all its names."""

    name: str
    kind: EntityKind
    aliases: tuple[str, ...]
    sex: Sex | None
    name_keys: tuple[str, ...]
    is_certain_kind: bool = True
    """Whether something in the text tells its kind."""
    is_author: bool = False
    """Whether it is whom the title page names, who is nobody of the story."""

    @property
    def can_speak(self) -> bool:
        return self.kind in ACTORS and self.is_certain_kind and not self.is_author


@dataclass(frozen=True, slots=True)
class NamedText:
    text: str
    tokens: list[TextToken]
    spans: list[CapitalisedName]
    owners: list[int]
    """For each span the index of whose name it is, in `named`."""
    named: list[NamedOne]


def read_named_text(text: str) -> NamedText:
    """Read the names of a text."""
    words = load_name_words()
    tokens = read_text_tokens(text)
    nicknames = list(_find_nicknames(text))
    evidence = count_evidence(tokens, words)
    for nickname in nicknames:
        # Whoever has a nickname in the middle is somebody, whatever the words are.
        evidence.titled.update((*nickname.full_key.split(), nickname.nickname_key))
    spans = find_capitalised_names(text, tokens, evidence)
    spans = _cover_nicknames(spans, nicknames, tokens)
    keys = [" ".join(_name_keys(text, span, tokens)) for span in spans]
    texts = _choose_spellings(text, spans, keys, tokens)
    votes = count_votes(tokens, spans, keys, words)
    for key in texts:
        votes[key] += vote_on_kind(key.split(), words)
    groups = _group_names(
        tokens, spans, keys, texts, votes, words, _explicit_pairs(text, spans, keys, nicknames)
    )
    owner_of = {key: index for index, one in enumerate(groups) for key in one.name_keys}
    return NamedText(text, tokens, spans, [owner_of[key] for key in keys], groups)


def _name_keys(text: str, span: CapitalisedName, tokens: Sequence[TextToken]) -> list[str]:
    if any(mark in text[span.start : span.end] for mark in '"“‘('):
        return [tokens[span.first].key, tokens[span.last - 1].key]
    return [token.key for token in tokens[span.first : span.last]]


def _choose_spellings(
    text: str, spans: Sequence[CapitalisedName], keys: Sequence[str], tokens: Sequence[TextToken]
) -> dict[str, str]:
    """Return for each name the way in which it is mostly written, rather not in capitals."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for span, key in zip(spans, keys, strict=True):
        written = " ".join(text[span.start : span.end].split())
        if len(key.split()) < span.last - span.first:
            written = f"{tokens[span.first].word} {tokens[span.last - 1].word}"
        spellings[key][written] += 1
    return {
        key: _lower_shouting(
            min(counts, key=lambda written: (_is_shouting(written), -counts[written], written))
        )
        for key, counts in spellings.items()
    }


def _is_shouting(name: str) -> bool:
    return (
        name.isupper()
        and len(name) > 1
        and "." not in name.rstrip(".").replace("MR.", "").replace("MRS.", "")
    )


def _lower_shouting(name: str) -> str:
    """Return a name that is only ever written in capitals as others are: `FITZWILLIAM DARCY`."""
    if not _is_shouting(name):
        return name
    return " ".join(
        word.capitalize() if len(word) > 3 or word.endswith(".") else word.title() for word in name.split()
    )


# --- nicknames ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Nickname:
    start: int
    end: int
    full_key: str
    nickname_key: str


def _find_nicknames(text: str) -> Iterator[_Nickname]:
    for match in _NICKNAME.finditer(text):
        if match[1][0].isupper() and match[2][0].isupper() and match[3][0].isupper():
            yield _Nickname(
                match.start(), match.end(3), f"{match[1]} {match[3]}".casefold(), match[2].casefold()
            )


def _cover_nicknames(
    spans: list[CapitalisedName], nicknames: Sequence[_Nickname], tokens: Sequence[TextToken]
) -> list[CapitalisedName]:
    """Return the spans with one for each full name that has a nickname inside."""
    if not nicknames:
        return spans
    index_at = {token.start: index for index, token in enumerate(tokens)}
    covered = list(spans)
    for nickname in nicknames:
        inside = [span for span in covered if span.start < nickname.end and nickname.start < span.end]
        if len(inside) < 2 or inside[0].start > nickname.start or nickname.start not in index_at:
            continue  # its parts are no names here
        last = max(inside, key=lambda span: span.end)
        whole = CapitalisedName(inside[0].first, last.last, inside[0].start, last.end, inside[0].has_article)
        covered = [span for span in covered if span not in inside]
        covered.append(whole)
    return sorted(covered, key=lambda span: span.start)


def _explicit_pairs(
    text: str, spans: Sequence[CapitalisedName], keys: Sequence[str], nicknames: Sequence[_Nickname]
) -> list[tuple[str, str]]:
    """Return the names of which the text says that they are one's."""
    pairs = [(nickname.full_key, nickname.nickname_key) for nickname in nicknames]
    for index in range(len(spans) - 1):
        start, end = spans[index].end, spans[index + 1].start
        if 3 <= end - start <= _MAX_ALIAS_GAP and _ALIAS_GAP.fullmatch(text[start:end]):
            pairs.append((keys[index], keys[index + 1]))
    return pairs


# --- groups -------------------------------------------------------------------------------------


def _group_names(
    tokens: Sequence[TextToken],
    spans: Sequence[CapitalisedName],
    keys: Sequence[str],
    texts: dict[str, str],
    votes: KindVotes,
    words: NameWords,
    explicit_pairs: Sequence[tuple[str, str]],
) -> list[NamedOne]:
    counts = Counter(keys)
    kinds = _choose_kinds(texts, votes, words)
    pronouns = count_pronouns(tokens, spans, keys)
    people = [
        KnownName(key, split_name(key.split(), words), counts[key], sex_by_pronouns(pronouns[key]))
        for key in texts
        if kinds[key] in ACTORS
    ]
    authors = {
        key for span, key in zip(spans, keys, strict=True) if _is_author(tokens, span) and counts[key] == 1
    }
    groups: list[NamedOne] = []
    for group in (
        *join_aliases([name for name in people if name.text not in authors], explicit_pairs, words),
        *([name] for name in people if name.text in authors),
    ):
        main = choose_main_name(group, words)
        ordered = sorted(group, key=lambda name: (-name.count, name.text))
        group_votes: Counter[EntityKind] = sum((votes[name.text] for name in group), Counter())
        kind = best_kind(group_votes)
        sex = next((name.parts.sex for name in ordered if name.parts.sex), None)
        groups.append(
            NamedOne(
                texts[main.text],
                kind if kind in ACTORS else kinds[main.text],
                tuple(dict.fromkeys(texts[name.text] for name in ordered if name is not main)),
                sex or sex_by_pronouns(sum((pronouns[name.text] for name in group), Counter())),
                tuple(name.text for name in ordered),
                max(group_votes.values(), default=0) >= _CERTAIN_VOTES,
                main.text in authors,
            )
        )
    groups += _group_places([key for key in texts if kinds[key] not in ACTORS], kinds, texts, counts, words)
    return groups


def _is_author(tokens: Sequence[TextToken], span: CapitalisedName) -> bool:
    """Return whether the name stands on the title page as who wrote it: nobody of the story."""
    return 0 < span.first < _TITLE_PAGE_WORDS and tokens[span.first - 1].key == "by"


def _choose_kinds(keys: Iterable[str], votes: KindVotes, words: NameWords) -> dict[str, EntityKind]:
    """Return the kind of each name; one of which nothing is told is somebody's only if its words may be."""
    kinds = {key: best_kind(votes[key]) for key in keys}
    is_certain = {key: max(votes[key].values(), default=0) >= _CERTAIN_VOTES for key in kinds}
    person_words = {
        word for key, kind in kinds.items() if kind in ACTORS and is_certain[key] for word in key.split()
    }
    bearer_words = {
        word for key in kinds if votes[key][EntityKind.CHARACTER] >= _TITLED_VOTES for word in key.split()
    }
    for key, kind in kinds.items():
        if kind is EntityKind.PLACE and votes[key][kind] < (
            _TITLED_VOTES if " " in key else _FEW_PLACE_VOTES
        ):
            if bearer_words.issuperset(key.split()):
                kinds[key] = EntityKind.CHARACTER
        elif kind in ACTORS and not is_certain[key]:
            key_words = key.split()
            is_bearer = len(key_words) == 1 and key in person_words
            if not is_bearer and any(words.is_common(word) for word in key_words):
                kinds[key] = EntityKind.CONCEPT
    whole_names: dict[str, list[str]] = defaultdict(list)
    for key in kinds:
        whole_names[key.rpartition(" ")[2]].append(key)
    for last, (first_name, *other_names) in whole_names.items():
        # `the Institute` is the Harlan Institute, if the text has no other.
        if last in kinds and len(other_names) == 1 and words.is_common(last):
            kinds[last] = kinds[first_name if other_names[0] == last else other_names[0]]
    return kinds


def _place_stem(key: str) -> str:
    """Return what a place of this name is called for short; empty if it is called by the whole of it."""
    if joined := _JOINED_PLACE.fullmatch(key):
        return joined[1]
    first, _, rest = key.partition(" ")
    if first in _PLACE_HEADS:
        return rest
    stem, _, last = key.rpartition(" ")
    return stem if last in _ESTATES else ""


def _group_places(
    keys: Sequence[str],
    kinds: dict[str, EntityKind],
    texts: dict[str, str],
    counts: Counter[str],
    words: NameWords,
) -> list[NamedOne]:
    """Return what is nobody, with `Netherfield` and `Netherfield Park` as one if there is no other Netherfield."""
    longer: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        stem = _place_stem(key)
        is_place = EntityKind.PLACE in (kinds.get(stem), kinds[key])
        if stem in keys and is_place and stem not in words.known_places:
            longer[stem].append(key)
    short_of = {forms[0]: stem for stem, forms in longer.items() if len(forms) == 1}
    members: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        members[short_of.get(key, key)].append(key)
    groups: list[NamedOne] = []
    for group in members.values():
        main = max(group, key=lambda key: (len(key.split()), counts[key]))
        aliases = tuple(texts[key] for key in group if key != main)
        groups.append(NamedOne(texts[main], kinds[main], aliases, None, tuple(group)))
    return groups
