"""Splits a sentence into words, with the names of entities as one word each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final, NamedTuple

from agents.canon_keeper.sentences.word_lists import load_word_lists, singular
from agents.name_forms import is_capitalised
from agents.prose.auxiliary_names import is_first_name_among
from agents.prose.mentions import is_part_of_other_name
from agents.prose.names import NAME_PARTICLES, list_shorter_names
from agents.prose.titles import TITLES
from agents.prose.words import SHORT_TITLES, drop_title_stops
from stores.records.world import Entity, EntityKind

_PROPER_KINDS: Final = frozenset({EntityKind.CHARACTER, EntityKind.FACTION})
"""Kinds whose names are read only with their capitals: somebody may be called Will or Rose."""

_WORD: Final = re.compile(r"\d+|[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?|[.,;:!?—–()“”\"]")
_QUOTATION_MARK: Final = re.compile(r"[“«\"‘]|(?<!\w)'")
_NEGATIVE: Final = re.compile(
    r"^(is|are|was|were|do|does|did|has|have|had|could|would|should|must|might|need)n['’]t$"
)
_CONTRACTIONS: Final = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "ain't": ("is", "not"), "i'm": ("i", "am"), "let's": ("let", "us"),
}  # fmt: skip
_SUFFIXES: Final = {"'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_AFTER_HEAD: Final = frozenset({"of", "from", "with", "to"})
"""What follows the noun of a name: `purse of silver`, `man from the north`."""


_SMALL_WORDS: Final = frozenset(
    ["as", "at", "be", "by", "do", "go", "he", "if", "is", "it", "me", "my", "no", "on", "or", "so", "to", "up", "us",
     "we", "am", "oh", "ah"]
)  # fmt: skip
"""Words of two letters that are no short form of a name."""


class Token(NamedTuple):
    """A word: as written, in small letters, and the entity that it names."""

    text: str
    word: str
    entity: str = ""
    is_person: bool = False
    """Whether the entity is somebody, or a people."""


_MAX_RESTRICTED_BOOKS: Final = 16


@dataclass(frozen=True)
class NameBook:
    """The names by which entities are called, with short forms that only one of them has.

    Two books of the same names are equal, so that what was read by one holds for the other.
    """

    spellings: frozenset[tuple[tuple[str, ...], str, bool]]
    """Words of a name in small letters, whose it is, and whether only the spelling with capitals counts."""
    people: frozenset[str] = frozenset()
    """Characters and creatures."""
    places: frozenset[str] = frozenset()
    factions: frozenset[str] = frozenset()
    full_names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Names by whom they mean."""
    shared: Mapping[tuple[str, ...], frozenset[tuple[str, bool]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Short forms that several bear, with who does, and whether only the spelling with capitals counts."""
    _by_first_word: dict[str, list[tuple[tuple[str, ...], str, bool]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    _shared_by_first_word: dict[str, list[tuple[str, ...]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _restricted_books: dict[str, NameBook] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """The last books that `restricted_to` returned: each statement is read for its claims, concepts and words."""

    def __post_init__(self) -> None:
        for spelling in self.spellings:
            self._by_first_word.setdefault(_bare(spelling[0][0]), []).append(spelling)
        for spellings in self._by_first_word.values():
            spellings.sort(key=lambda spelling: (-len(spelling[0]), spelling[0]))
        for words in self.shared:
            self._shared_by_first_word.setdefault(_bare(words[0]), []).append(words)

    def __hash__(self) -> int:
        return hash(self.spellings)

    def restricted_to(self, text: str) -> NameBook:
        """Return the names of this book that stand in a text."""
        if (known := self._restricted_books.get(text)) is not None:
            return known
        words = _words_of(text)
        spellings = frozenset(
            s for word in words for s in self._by_first_word.get(word, ()) if words.issuperset(s[0])
        )
        if len(self._restricted_books) >= _MAX_RESTRICTED_BOOKS:
            self._restricted_books.clear()
        return self._restricted_books.setdefault(text, self._with_spellings(spellings))

    def settled_for(self, text: str, entity_ids: Collection[str]) -> NameBook:
        """Return a book by which a short form in a text that several bear means the only one of these who does.

        Whom `Ivo` meant is settled when it is said: another Ivo who becomes known later changes nothing.
        """
        if not self.shared or not entity_ids:
            return self
        words = _words_of(text)
        forms = (form for word in words for form in self._shared_by_first_word.get(word, ()))
        bearers = {
            form: [bearer for bearer in self.shared[form] if bearer[0] in entity_ids]
            for form in forms
            if words.issuperset(form)
        }
        if not bearers:
            return self
        book = self.restricted_to(text)
        named_ids = {entity_id for _, entity_id, _ in book.spellings}
        settled = frozenset(
            (form, *found[0])
            for form, found in bearers.items()
            if len(found) == 1 and found[0][0] not in named_ids
        )
        return self._with_spellings(book.spellings | settled) if settled else self

    def _with_spellings(self, spellings: frozenset[tuple[tuple[str, ...], str, bool]]) -> NameBook:
        ids = {entity_id for _, entity_id, _ in spellings}
        return NameBook(spellings, self.people & ids, self.places & ids, self.factions & ids, self.full_names)

    def match(self, tokens: list[Token], start: int) -> tuple[int, str] | None:
        """Return where the longest name that begins at `start` ends, and whose it is."""
        for words, entity_id, needs_capitals in self._by_first_word.get(_bare(tokens[start].word), ()):
            end = start + len(words)
            if end > len(tokens) or any(
                word
                not in (tokens[start + n].word, _bare(tokens[start + n].word) if n == len(words) - 1 else "")
                for n, word in enumerate(words)
            ):
                continue
            named = [
                t for t, word in zip(tokens[start:end], words, strict=True) if word not in NAME_PARTICLES
            ]
            if needs_capitals and not any(t.text[0].isupper() for t in named):
                continue
            if entity_id in self.people and self._is_of_another(tokens, start, end, entity_id):
                continue
            return end, entity_id
        return None

    def _is_of_another(self, tokens: list[Token], start: int, end: int, entity_id: str) -> bool:
        """Say whether the words are a part of a longer name than that of whom they would mean: `Corin Orrin`."""
        words = [_bare(token.word) for token in tokens[start:end]]
        is_owner = tokens[end - 1].word != words[-1]
        before = tokens[start - 1].text if start else ""
        after = tokens[end].text if end < len(tokens) and not is_owner else ""
        return is_part_of_other_name(
            words,
            [self.full_names.get(entity_id, "")],
            _capitalised(before),
            _capitalised(after),
            is_behind_name=is_first_name_among([token.text for token in tokens], start, end),
        )


def _capitalised(word: str) -> str:
    return word if word[:1].isupper() else ""


def build_name_book(entities: Iterable[Entity]) -> NameBook:
    """Return the names of the entities: full names, aliases, and parts that only one of them bears."""
    owners_by_words: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    partial_owners: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    spelled_small: set[tuple[str, ...]] = set()
    entities = list(entities)
    kind_by_id = {entity.id: entity.kind for entity in entities}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            words = _name_words(name)
            if not words:
                continue
            bare_words = words[1:] if words[0] in ("the", "a", "an") and words[1:] else words
            owners_by_words[words].add(entity.id)
            owners_by_words[bare_words].add(entity.id)
            if not is_capitalised(name):
                # The hooded stranger is meant, and not any hooded stranger.
                owners_by_words["the", *bare_words].add(entity.id)
                shorter_names = _list_shorter_small_names(bare_words)
                spelled_small |= shorter_names
                for part in shorter_names:
                    partial_owners[part].add(entity.id)
            if entity.kind is EntityKind.FACTION and words[-1].endswith("s"):
                owners_by_words[(*words[:-1], singular(words[-1]))].add(entity.id)
            for part in _parts_of(name, entity.kind):
                partial_owners[part].add(entity.id)
    shared_owners = dict[tuple[str, ...], set[str]]()
    for words, owners in partial_owners.items():
        if words not in owners_by_words:
            (owners_by_words if len(owners) == 1 else shared_owners)[words] = owners

    def needs_capitals(words: tuple[str, ...], owner: str) -> bool:
        return kind_by_id[owner] in _PROPER_KINDS and words not in spelled_small

    return NameBook(
        frozenset(
            (words, next(iter(owners)), needs_capitals(words, next(iter(owners))))
            for words, owners in owners_by_words.items()
            if len(owners) == 1
        ),
        frozenset(e.id for e in entities if e.kind in (EntityKind.CHARACTER, EntityKind.CREATURE)),
        frozenset(e.id for e in entities if e.kind is EntityKind.PLACE),
        frozenset(e.id for e in entities if e.kind is EntityKind.FACTION),
        {e.id: e.name for e in entities},
        {
            words: frozenset((owner, needs_capitals(words, owner)) for owner in owners)
            for words, owners in shared_owners.items()
        },
    )


def _list_shorter_small_names(words: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return what a name in small letters is for short: `the stranger`, `the purse` of a purse of silver."""
    head_length = next((n for n, word in enumerate(words) if n and word in _AFTER_HEAD), len(words))
    ends = {head_length, len(words)}
    return {("the", *words[start:end]) for end in ends for start in range(head_length)}


def _parts_of(name: str, kind: EntityKind) -> Iterable[tuple[str, ...]]:
    """Yield the short forms of a name: `Dob` and `Harrow`, `Captain Vess` and `Vess`, `the bell` for a Glass Bell.

    Old Mother Grice is `Mother Grice`, too.
    """
    words, titles = name.split(), load_word_lists().titles
    if len(words) < 2:
        return
    if kind in (EntityKind.CHARACTER, EntityKind.CREATURE):
        for word in words:
            bare = word.casefold().strip(".,")
            if (
                len(bare) > 1
                and bare not in _SMALL_WORDS
                and word[0].isupper()
                and bare not in titles
                and bare not in NAME_PARTICLES
            ):
                yield (bare,)
        if words[0].casefold() in titles | TITLES and len(words) > 2:
            yield (words[0].casefold(), words[-1].casefold())
            yield (words[0].casefold(), words[1].casefold())
        yield from map(_name_words, list_shorter_names(name))
    elif kind in (EntityKind.OBJECT, EntityKind.PLACE) and "of" not in (w.casefold() for w in words):
        yield ("the", words[-1].casefold())


def _name_words(name: str) -> tuple[str, ...]:
    return tuple(token.word for token in split_words(name))


@lru_cache(maxsize=20_000)
def _words_of(text: str) -> frozenset[str]:
    words = {token.word for token in split_words(text)}
    return frozenset(words | {_bare(word) for word in words})


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("'")


def unquote_values(text: str) -> str:
    """Return a text with a password, a name or the like as a word without its quotation marks.

    `The password is "grey heron"` has the word `grey-heron`. What else is quoted is said by somebody, or is not meant:
    `Dob is "dead"`.
    """
    if not _QUOTATION_MARK.search(text):
        return text

    def unquote(match: re.Match[str]) -> str:
        value = match["double"] or match["single"]
        return f"{match['before']}{value.replace(' ', '-')}{match['stop'] or match['stop2'] or ''}"

    return _compile_quoted_value().sub(unquote, text)


@cache
def _compile_quoted_value() -> re.Pattern[str]:
    nouns = "|".join(sorted(load_word_lists().one_valued))
    words = r"[\w'’-]+(?: [\w'’-]+){0,3}"
    return re.compile(
        rf"(?P<before>\b(?:(?:{nouns})(?: (?:of|for|to|at) [^.,;:\"“«]{{1,40}}?)? (?:is|was|are|were|becomes|became)"
        r"(?: (?:not|now|still|again|no longer))?|called|named) )"
        rf"(?:[“«\"](?P<double>{words})(?P<stop>[.,]?)[”»\"]|[‘'](?P<single>{words})(?P<stop2>[.,]?)[’'](?!\w))",
        re.IGNORECASE,
    )


def split_words(text: str) -> list[Token]:
    """Return the words and marks of a text; contractions are written out, and a quoted value is a word."""
    tokens: list[Token] = []
    for match in _WORD.finditer(drop_title_stops(unquote_values(text))):
        written = match[0].replace("’", "'")
        word = written.casefold()
        if negative := _NEGATIVE.match(word):
            tokens += [Token(negative[1], negative[1]), Token("not", "not")]
            continue
        if word in _CONTRACTIONS:
            tokens += [Token(part, part) for part in _CONTRACTIONS[word]]
            continue
        for suffix, instead in _SUFFIXES.items():
            if word.endswith(suffix) and len(word) > len(suffix):
                tokens += [Token(written[: -len(suffix)], word[: -len(suffix)]), Token(instead, instead)]
                break
        else:
            tokens.append(Token(written, word))
    return tokens


def read_tokens(text: str, names: NameBook) -> list[Token]:
    """Return the words of a sentence, each name as one word; `'s` stands apart."""
    plain_tokens, tokens = split_words(text), list[Token]()
    position = 0
    while position < len(plain_tokens):
        match = names.match(plain_tokens, position)
        if match is not None:
            end, entity_id = match
            written = " ".join(t.text for t in plain_tokens[position:end])
            last = plain_tokens[end - 1].word
            bare_text = written[: len(written) - (len(last) - len(_bare(last)))]
            is_person = entity_id in names.people or entity_id in names.factions
            if is_person and tokens and tokens[-1].text in SHORT_TITLES:
                tokens.pop()  # `Dr. Imre Vass` of Imre Vass
            tokens.append(Token(bare_text, f"@{entity_id}", entity_id, is_person))
            position = end
        else:
            token = plain_tokens[position]
            last, position = token.word, position + 1
            is_possessive = last != _bare(last) and len(last) > 2
            tokens.append(Token(token.text[: len(_bare(last))], _bare(last)) if is_possessive else token)
        if last != _bare(last) and len(last) > 2:
            before = tokens[-2].word if len(tokens) > 1 else ""
            is_verb = _bare(last) in _NEVER_OWNERS or (
                last.endswith("'s")
                and before not in _BEFORE_OWNER
                and _is_followed_by_complement(plain_tokens, position)
            )
            tokens.append(Token("is", "is") if is_verb else Token("'s", "'s"))
    return tokens


def _is_followed_by_complement(tokens: list[Token], position: int) -> bool:
    """Say whether `'s` stands for `is`: `Dob's in the chapel`, `the mirror's shattered`."""
    if position >= len(tokens):
        return False
    word = tokens[position].word
    if word in _AFTER_IS:
        return True
    following = tokens[position + 1].word if position + 1 < len(tokens) else "."
    readings = load_word_lists().readings_as_verb(word)
    is_state = word in load_word_lists().states or any(r.tag in ("part", "ing") for r in readings)
    return is_state and following in _AFTER_COMPLEMENT


_NEVER_OWNERS: Final = frozenset({"it", "he", "she", "that", "there", "here", "who", "what"})
"""Words whose `'s` stands for `is`."""
_BEFORE_OWNER: Final = frozenset({"in", "at", "on", "of", "by", "to", "from", "with", "for", "under"})
"""Words before a name whose `'s` can only say whose something is: `in Dob's keeping`."""
_AFTER_IS: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "no",
        "not",
        "in",
        "at",
        "on",
        "under",
        "near",
        "behind",
        "beneath",
        "still",
        "now",
        "never",
        "been",
        "gone",
        "here",
        "there",
        "nowhere",
        "already",
        "always",
        "also",
        "alive",
        "dead",
        "up",
        "down",
    ]
)
_AFTER_COMPLEMENT: Final = frozenset(
    [".", ",", ";", "!", "by", "in", "at", "on", "under", "to", "from", "with", "and", "but", "again", "now"]
)
