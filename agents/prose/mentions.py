"""Marks who is meant in prose: names, titles and pronouns become numbered marks that patterns can read.

A marked sentence reads `@0@ opens the door and @H@ follows`: the number is a figure, `H` the hero, `W` the hero
with company (`we`), `A` everyone present but the hero. Several people in one place are one mark: `@0,2@`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from agents.prose.absence import find_absent
from agents.prose.auxiliary_names import AUXILIARY_NAMES, is_first_name
from agents.prose.death_phrases import may_tell_death
from agents.prose.names import EPITHETS, NON_NAME_WORDS
from agents.prose.pronoun_candidates import PronounCandidates
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.stranger_subjects import StrangerMention, find_called_person, find_strangers
from agents.prose.titles import HE_TITLES, SHE_TITLES, TITLES
from agents.prose.trades import is_trade
from agents.prose.unsaid_hero import begins_with_deed
from agents.prose.words import SHORT_TITLES, drop_title_stops, split_sentences

HERO: Final = "H"
COMPANY: Final = "W"
EVERYONE: Final = "A"

Gender = Literal["he", "she", ""]

_NO_ROLES: Final = EPITHETS | {"old", "young", "the", "saint"}
_OPENING_WORD_LIST: Final = (
    "later sometimes meanwhile eventually outside inside upstairs downstairs elsewhere afterwards soon often "
    "everywhere poor dear sadly oddly yesterday "
    "during despite hey hi hello goodbye welcome enough unlike whether whenever wherever instead down away back "
    "left right alone together too also minutes hours days ahead opposite exit enter"
)
_OPENING_WORDS: Final = frozenset(_OPENING_WORD_LIST.split())
"""What a sentence may begin with before a name, and no part of it."""
_NICKNAME_WORDS: Final = (
    "fat tall long short thin slim lame deaf dumb drunk drunken grim crazy brave good cruel dark wild mean sweet fair "
    "bald blue green grey gray brown golden silver iron quick slow silent strong stout kind wise proud sick dead "
    "bold bright cold sharp loud gentle honest cousin friend neighbour comrade fellow"
)
_NICKNAMES: Final = frozenset(_NICKNAME_WORDS.split())
"""What somebody may be called before the name: `Tall Tom`."""
_NO_FIRST_NAMES: Final = (
    TITLES
    | NON_NAME_WORDS
    | _NO_ROLES
    | _OPENING_WORDS
    | _NICKNAMES
    | frozenset(map(str.casefold, SHORT_TITLES))
)
_MIN_ADVERB_LENGTH: Final = 6
"""Letters of an adverb in `ly`; shorter words are names as well: Emily, Sally."""
_PLAIN_FORMS: Final = (
    (re.compile(r"\b(can)(?:not|['’]t)\b", re.I), "can not"),
    (re.compile(r"\bwon['’]t\b", re.I), "will not"),
    (re.compile(r"\b(\w+)n['’]t\b"), r"\1 not"),
    (re.compile(r"\b[Aa]ll\s+but(?=\s+[a-z]+(?:s|ed)\b)"), "nearly"),
    (re.compile(r"\bI['’]m\b"), "I am"),
    (re.compile(r"\b(you|we|they)['’]re\b", re.I), r"\1 are"),
    (re.compile(r"\b(I|you|we|they)['’]ve\b", re.I), r"\1 have"),
    (re.compile(r"\b(\w+)['’]ll\b"), r"\1 will"),
    (re.compile(r"\b(he|she|it|that|who)['’]s(?=\s+(?:(?:just|already|now)\s+)?been\b)", re.I), r"\1 has"),
    (re.compile(r"\b(he|she|it|that|there|who|here)['’]s\b", re.I), r"\1 is"),
    (re.compile(r"\b(I|you|we|they|he|she)['’]d\b", re.I), r"\1 would"),
)
_IS_AFTER_NAME: Final = re.compile(
    r"['’]s(?=\s+(?:here|gone|back|dead|asleep|in|at|out|away|not|coming|leaving|standing|waiting|sitting|"
    r"lying|kneeling|crouching|shivering|hiding|alive|awake|unconscious|"
    r"(?:bleeding|dying)(?=\s*(?:[.,;:!?—–]|$)|\s+(?:in|on|at|from|of|by|to|badly|here|now)\b))\b)"
)
_HAS_AFTER_NAME: Final = re.compile(r"['’]s(?=\s+(?:(?:just|already|now)\s+)?been\b)")
_OBJECT_HER: Final = (
    r"her(?=\s*(?:[,.;:!?—–-]|$)|\s+(?:in|out|off|away|to|into|up|down|along|aside|home|outside|from|with|at|by|"
    r"and|then|back|go|leave|stay|behind|inside|upstairs|downstairs|alone|through|over|where|that|what|about|who|"
    r"how|if|here|there|on|for|as|before|until|while|not|the|a|an|my|this)\b)"
    # What somebody is owed is a sum: `I owe her fifty dollars`, not `I owe her brother`.
    r"|(?<=\bowe )her(?=\s+(?:[0-9]|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|"
    r"several|some|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|\w+teen|hundred|dozen|money|nothing|everything)\b))"
)
_PRONOUNS: Final = (
    rf"(?P<hero>I|[Mm]e|[Mm]yself)\b|(?P<you>[Yy]ou|[Yy]ourself)\b|(?P<company>[Ww]e(?:\s+(?:two|three|all|both))?|[Uu]s|[Oo]urselves|[Tt]he\s+(?:two|three|four)\s+of\s+us|[Bb]oth\s+of\s+us|[Aa]ll\s+of\s+us)\b|"
    rf"(?P<he>[Hh]e|[Hh]im)\b|(?P<she>[Ss]he|{_OBJECT_HER})\b|"
    r"(?P<they>(?:[Tt]hey(?!\s+(?:have\s+|are\s+)?all\b|(?<=[^¶],\sthey)\s+say[.!\s]*$)|[Tt]hem)(?:\s+(?:all|both|two|three))?|[Bb]oth(?:\s+of\s+them)?|[Tt]he\s+(?:two|pair)"
    r"(?:\s+of\s+them)?)\b|"
    r"(?P<everyone>[Aa]ll(?=\s+(?:but|except|save)\b)|[Tt]hey(?=\s+(?:have\s+|are\s+)?all\b)|(?:[Ee]veryone|[Ee]verybody|[Aa]ll\s+(?:of\s+them|three|four|five|six)|"
    r"[Tt]he whole (?:company|crew|band|party))(?:\s+else)?|"
    r"[Tt]he (?:others|rest|other two)(?:\s+of them)?)\b"
)
_BEFORE_OTHER: Final = (
    r"(?:(?:old|young|little|poor)\s+|(?:his|her|their|my|our|your)\s+(?:[a-z]+\s+)?(?:brother|sister|son|daughter|wife"
    r"|husband|mother|father|uncle|aunt|cousin|friend|companion|apprentice|servant|squire)\s+)"
)
"""What somebody besides another is called before the name: `and old @1@`, `and her brother @1@`."""
_PEOPLE_WORDS: Final = (
    "men|women|children|people|folk|guards|soldiers|troops|riders|sailors|servants|brothers|sisters|sons|daughters|friends|"
    "villagers|townsfolk|monks|nuns|priests|bandits|robbers|thieves|raiders|strangers|merchants|guests|prisoners|hunters|"
    "fishermen|watchmen|workers|farmers|peasants|elders|orcs|goblins|[a-z]+men"
)
_STRANGERS: Final = re.compile(
    rf"\b(?:the|these|those|some|several|two|three|four|five|his|her|their|my|our|your|somebody's|@[\dH]+@'s)\s+(?:[a-z]+\s+)?"
    rf"(?:{_PEOPLE_WORDS})\b(?!\s*,?\s+(?:and\s+)?@)",
    re.IGNORECASE,
)
"""Several who have no names, and may be meant by `them` behind it."""
_GROUP_JOIN: Final = re.compile(
    rf"@([^@]+)@(?:\s*,?\s+and\s+{_BEFORE_OTHER}?|\s*,\s+|\s*&\s*)@([^@]+)@(?!\s*['’])"
)
_EXCEPTION: Final = re.compile(
    r"(@A@)\s*,?\s+(?:but|except(?:\s+for)?|save(?:\s+for)?|apart from)\s+@([\dA-Z,]+)@"
)
_APPOSITION: Final = re.compile(
    r"(@[^@]+@),\s+(?:an?|the|his|her|their|my|our|your|who|whose|[a-z]+ing|[a-z]+ed|still|dead|half|pale|white|red|"
    r"drunk|wet|furious|angry|breathless|bleeding|as)\b[^,@;:]{0,70},(?=\s)"
)
_NAME_AFTER: Final = re.compile(r" ([^\W\d_a-z][\w’'-]*)")
_NAME_BEFORE: Final = re.compile(r"(?<![\w’'-])([^\W\d_a-z][\w’'-]*) $")
_PLACE_BEFORE: Final = re.compile(
    r"\b(?:to|into|in|inside|at|from|near|towards?|outside|reach(?:es)?|enters?|leaves?)\s+(?:the\s+)?"
    r"[^\W\d_a-z][\w’'-]*\s+of\s+(?:the\s+)?$"
)
"""Before a name, what makes a place of it: `to the Abbey of Glass`."""
_WRITTEN: Final = re.compile(
    r"(\b(?:letter|note|message|telegram|scroll|inscription|diary|journal|poster|report|dispatch|rumou?r|news|word)\b"
    r"[^.!?:\n]{0,60}:) [^.!?\n]*"
)
"""What is written or reported, behind a colon: `A letter from Tam arrives: Dob is dead.`"""
_OPENING_COMPANY: Final = re.compile(
    r"^(?P<company>(?:Followed|Accompanied|Flanked|Trailed|Supported|Led)(?:\s+\w+ly)?\s+by\s+@[^@]+@(?=,)|"
    r"(?:(?:Together|Along)\s+)?[Ww]ith\s+@[\d,]+@(?:\s+(?:at|by)\s+(?:my|your|our)\s+side|\s+beside\s+@H@)?(?=,?\s+@[HW]@)|"
    r"(?:Taking|Bringing|Leading)\s+@[\d,]+@(?:\s+(?:along|with\s+@[HW]@))?(?=,\s+@[HW]@)),?\s+(?P<rest>.+?)"
    r"(?P<end>[.!…]*)$",
    re.DOTALL,
)
"""A sentence that begins with who comes along: `Followed by @1@, @0@ comes in`, `With @1@ @H@ ride out`."""
_INNER_COMPANY: Final = re.compile(
    r"(?P<who>@[^@]+@),\s+(?P<company>(?:followed|accompanied|flanked|trailed|supported|led)(?:\s+\w+ly)?\s+by\s+"
    r"@[^@]+@),\s+(?P<rest>[^,;.!?…]+)"
)
"""Who comes along, between who moves and the verb: `@0@, followed by @1@, comes in`."""
_HERE_TOO: Final = re.compile(
    r"^(?P<who>@\d+@) is here,? and (?:(?:is|so is) )?(?P<other>@\d+@)(?:,? (?:too|as well|also))?(?=[.!…]*$)"
)
"""Who is here, and who is besides: `@0@ is here, and @1@ too`."""
_REPEATED: Final = re.compile(r"@([^@]+)@,\s+@\1@,?")

_EPITHET: Final = re.compile(
    rf"(?P<before>^|[,;:—]\s*|\b(?:and|then)\s+)(?P<who>@\d+@)\s+(?:(?P=who)|the\s+(?:\w+\s+)?(?:{'|'.join(sorted(TITLES))}))"
    r"(?=,?\s+[a-z])"
)
"""Who does something, by their name and what they are: `Tom the miller`."""

_NEXT_DEED: Final = re.compile(r"(?:,|\s(?:and|then))\s+(?=(?:[a-z]+\s+){1,8}$)")
"""Where the last of several deeds begins, before a pronoun: `, and lead`."""
_SECOND_CLAUSE: Final = re.compile(
    r"@[^@]*[a-z](?:\s*[,;:—–]\s*(?:(?:and|but|so|then|while|as|when|until|because|since) )?"
    r"|\s(?:and|but|so|then|while|as|when|until|because|since) )"
    r"(?:(?:then|[a-z]+ly) )?@(?P<who>[^@]+)@ (?!with\b)[^@]*$"
)
"""Behind a clause about somebody, who is the subject of the next, up to a pronoun: `@0@ is cold, so @H@ give`."""
_AS_OBJECT: Final = re.compile(
    r"@[\d,]+@(?:'s\b|\s*[,@]|\s*$|\s+(?:by|at|in|on|to|with|from|into|up|down|out|off|over|aside|along|away|back|inside|"
    r"outside|and|then|the|an?|my)\b)"
)
"""Somebody to whom something is done, by what follows."""

_OWNED_BY: Final = re.compile(r"@[\dH]+@'s")
_PLAYER_OWNS: Final = re.compile(r"\b[Mm]y\b")
_HERO_OWNS: Final = re.compile(r"\b(?:[Mm]y|[Yy]our)\b")
_BODY: Final = r"(?=\s+(?:neck|throat|life|heart|skull|head|brains|breathing|soul|spirit|corpse)\b)"
_HE_OWNS: Final = re.compile(rf"\b[Hh]is\b{_BODY}")
_SHE_OWNS: Final = re.compile(rf"\b[Hh]er\b{_BODY}")
_HE_OR_SHE_OWNS: Final = re.compile(rf"\b(?:[Hh]is|[Hh]er)\b{_BODY}")

_TYPED_AT: Final = "\N{SMALL COMMERCIAL AT}"
"""Stands for an @ of the text, which would be read as a mark."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Somebody whom prose may name."""

    names: tuple[str, ...]
    """What means them and nobody else."""
    roles: tuple[str, ...] = ()
    """What they are, in lower case (`captain`), where nobody else is that."""
    gender: Gender = ""
    is_creature: bool = False
    """Whether it is no person: what is crushed is dead then."""
    called_nouns: frozenset[str] = frozenset()
    """By which words for anybody they may be called: `boy`."""


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence with marks for people."""

    text: str
    is_question: bool
    absent: frozenset[int] = frozenset()
    """Those of whom the sentence says that they are not here."""
    owned_text: str = ""
    """The sentence with `@0@'s` where `text` has somebody's; empty if it has nothing of anybody's."""
    unnamed: frozenset[int] = frozenset()
    """Those whom pronouns alone mean in it."""
    is_clear: bool = True
    """Whether none of its pronouns may mean somebody else."""


@dataclass
class MentionReader:
    """Marks the sentences of successive texts, and remembers whom they mentioned for the pronouns of the next."""

    figures: Sequence[Figure]
    hero_names: Sequence[str] = ()
    place_names: Collection[str] = ()
    """Names of places: a person's name within one means nobody, as `Glass` of the Glass Monks in the Abbey of Glass."""
    hero_gender: Gender = ""
    """By which pronoun the hero may be meant whom a text names; by none if it is empty."""
    _genders: dict[int, Gender] = field(default_factory=dict)
    _last_mentions: list[str] = field(default_factory=list)
    """Marks of the last sentence that had any, its subject first."""
    _last_group: str = ""
    _stranger_pronouns: set[str] = field(default_factory=set)
    """The pronouns that mean somebody who is not on record: `she` behind `An old woman kneels.`"""
    _stranger_genders: set[Gender] = field(default_factory=set)
    """Those of the last of them; empty if unclear."""
    _named_pronouns: set[str] = field(default_factory=set)
    """The pronouns that might mean somebody whom the text has named so far."""
    _called_nouns: dict[str, str] = field(default_factory=dict)
    """By pronoun the word for who was called nothing else since a name that fits: `boy` of `The boy hides.`"""
    _text_numbers: set[str] = field(default_factory=set)
    """The marks of those whom the text has named so far."""
    _met: Collection[int] | None = None

    def __post_init__(self) -> None:
        self._genders = {n: figure.gender for n, figure in enumerate(self.figures)}
        self._candidates = PronounCandidates(self._genders)
        patterns: list[tuple[str, str]] = []
        for n, figure in enumerate(self.figures):
            patterns += [(rf"(?:[Tt]he\s+)?{_flexible(name)}", str(n)) for name in figure.names]
            patterns += [
                (
                    rf"(?:[Tt]he|[Oo]ur|[Mm]y|[Tt]hat)\s+(?:(?:old|young|good|poor|big|little|tall|fat)\s+)?(?i:{re.escape(role)})",
                    str(n),
                )
                for role in figure.roles
            ]
            patterns += [(re.escape(role.capitalize()), str(n)) for role in figure.roles if role in TITLES]
        patterns += [(_flexible(name), HERO) for name in self.hero_names]
        patterns += [(rf"[Tt]he\s+{_flexible(plural)}", group) for plural, group in self._list_families()]
        patterns += [
            (rf"(?:[Tt]he\s+)?{_flexible(name)}", "") for name in self._list_places_named_like_people()
        ]
        patterns.sort(key=lambda pair: -len(pair[0]))
        self._marks = [mark for _, mark in patterns]
        names = "|".join(rf"(?P<n{i}>{pattern})" for i, (pattern, _) in enumerate(patterns))
        self._mention = re.compile(
            rf"(?<![\w@{_TYPED_AT}])(?:{names}{'|' if names else ''}{_PRONOUNS})(?![\w])"
        )

    @property
    def genders(self) -> Mapping[int, Gender]:
        """By which pronoun the figures may be meant, as far as it is known by now; by either where it is empty."""
        return self._genders

    def _list_places_named_like_people(self) -> Iterator[str]:
        """Yield the names of places in which somebody's name stands."""
        all_names = [*self.hero_names, *(name for figure in self.figures for name in figure.names)]
        names = set(map(str.casefold, all_names))
        for place_name in self.place_names:
            words = [re.sub(r"['’]s?$", "", word) for word in place_name.casefold().split()]
            if len(words) > 1 and not names.isdisjoint(words):
                yield place_name

    def _list_families(self) -> Iterator[tuple[str, str]]:
        """Yield the plural of every last name that several have, with the mark of them all."""
        members: dict[str, list[str]] = {}
        for n, figure in enumerate(self.figures):
            words = figure.names[0].split() if figure.names else []
            if len(words) > 1:
                members.setdefault(words[-1], []).append(str(n))
        yield from ((f"{name}s", ",".join(marks)) for name, marks in members.items() if len(marks) > 1)

    def read(self, text: str, *, is_gm: bool, met: Collection[int] | None = None) -> list[MarkedSentence]:
        """Return the sentences of a text with marks in place of people.

        `met` are those who are or were in the scene: nobody else is meant by `him` behind `the boy`, unless they are
        called so or named in the text. With None it may be anybody.
        """
        self._met, self._text_numbers = met, set()
        # Who was seen in the text before is still meant, unless somebody was named there who might be.
        self._stranger_pronouns &= self._stranger_genders - self._named_pronouns
        self._named_pronouns = set()
        self._candidates.begin_text()
        text = strip_speech(SINGLE_QUOTED.sub(" ¶ ", text.replace("@", _TYPED_AT)))
        text = _WRITTEN.sub(r"\1 ¶", text)
        text = re.sub(r"\b[Nn]ow\s+that\b", "once", text)
        text = drop_title_stops(text)
        for pattern, replacement in _PLAIN_FORMS:
            text = pattern.sub(replacement, text)
        return [self._mark(sentence, is_gm) for sentence in split_sentences(text)]

    def _mark(self, sentence: str, is_gm: bool) -> MarkedSentence:
        sentence_marks: list[str] = []
        owners = set[str]()
        parts: list[str] = []
        sure_parts: dict[int, str] = {}  # what stands for a pronoun that may mean others, by its position
        named, meant_by_pronouns = set[str](), set[str]()
        is_clear = True
        end = 0
        for match in self._mention.finditer(sentence):
            before = "".join([*parts, sentence[end : match.start()]])
            mark = self._resolve(match, sentence_marks, owners, before, is_gm)
            candidates = self._note_candidates(match, mark, before)
            if not mark:
                continue
            is_pronoun = match.lastgroup in ("he", "she", "they")
            if candidates and candidates != {mark}:
                is_clear = False
                (one, *others) = candidates
                is_sure = not others and one.isdecimal()
                sure_parts[len(parts) + 1] = f"@{one}@" if is_sure else match[0]
            (meant_by_pronouns if is_pronoun else named).update(filter(str.isdecimal, _split(mark)))
            self._text_numbers |= named
            parts.append(sentence[end : match.start()])
            end = match.end()
            tail = sentence[end:]
            if (_IS_AFTER_NAME.match(tail)) is not None:
                parts.append(f"@{mark}@ is")
                end += 2
            elif _HAS_AFTER_NAME.match(tail) is not None:
                parts.append(f"@{mark}@ has")
                end += 2
            elif re.match(r"['’](?:s\b)?", tail) and mark[0].isdecimal():
                parts.append(_owned_by(mark))
                end += len(re.match(r"['’](?:s\b)?", tail)[0])  # type: ignore[index]
                owners |= {mark} - {*sentence_marks}
                sentence_marks.append(mark)
            else:
                parts.append(f"@{mark}@")
                owners.discard(mark)
                sentence_marks.append(mark)
        whole = "".join([*parts, sentence[end:]])
        owned_text = self._mark_owners(whole, sentence_marks, is_gm)
        marked = _OWNED_BY.sub("somebody's", whole)
        if sure_parts and may_tell_death(whole):
            sure = "".join([*(sure_parts.get(n, part) for n, part in enumerate(parts)), sentence[end:]])
            owned_text = self._mark_owners(sure, sentence_marks, is_gm)
        else:
            sure = whole
        self._learn_gender(sentence, sentence_marks)
        self._note_strangers(marked, sentence_marks, named)
        self._candidates.end_sentence(marked)
        absent = find_absent(marked)  # before appositions go: `@1@, who is not here`
        marked = self._join_groups(marked)
        self._remember(marked, sentence_marks, owners)
        return MarkedSentence(
            marked if sure == whole else self._join_groups(_OWNED_BY.sub("somebody's", sure)),
            sentence.rstrip("”\"’' ").endswith("?"),
            absent,
            owned_text if _OWNED_BY.search(owned_text) else "",
            frozenset(map(int, meant_by_pronouns - named)),
            is_clear,
        )

    def _note_candidates(self, match: re.Match[str], mark: str, before: str) -> frozenset[str]:
        """Note whom a mention may mean, and return them all if it is a pronoun of one person."""
        gender = str(match.lastgroup)
        if gender in ("he", "she"):
            is_object = match[0].casefold() in ("him", "her")
            return self._candidates.note_pronoun(
                mark, gender, before, match.string[match.end() :], is_object=is_object
            )
        if mark == HERO and gender.startswith("n") and self.hero_gender:
            self._candidates.note_hero(mark, self.hero_gender)
        self._candidates.note_named(mark)
        return frozenset()

    def _mark_owners(self, marked: str, sentence_marks: Sequence[str], is_gm: bool) -> str:
        """Return a marked sentence with `@H@'s` for `my`, and so for `his` and `her` where that can mean but one."""
        marked = (_HERO_OWNS if is_gm else _PLAYER_OWNS).sub(_owned_by(HERO), marked)
        singles = list(dict.fromkeys(mark for mark in sentence_marks if mark.isdecimal()))
        candidates = singles or self._list_earlier(self._last_mentions[:1])
        if len(candidates) != 1 or (singles and marked.lstrip().startswith(f"@{singles[0]}@")):
            return marked  # `@0@ breaks her neck` is read of the subject, or may be of another's
        gender = self._genders[int(candidates[0])]
        if not singles and self._candidates.find_earlier(gender) - {candidates[0]}:
            return marked
        owns = {"he": _HE_OWNS, "she": _SHE_OWNS, "": _HE_OR_SHE_OWNS}[gender]
        return owns.sub(_owned_by(candidates[0]), marked)

    def _resolve(
        self,
        match: re.Match[str],
        sentence_marks: Sequence[str],
        owners: Collection[str],
        before: str,
        is_gm: bool,
    ) -> str:
        """Return the mark of a mention; empty if it is unclear whom it means. `before` is marked."""
        kind = str(match.lastgroup or "")
        if kind.startswith("n") and kind[1:].isdecimal():
            mark = self._marks[int(kind[1:])]
            return "" if mark.isdecimal() and _is_of_other_name(match, self.figures[int(mark)]) else mark
        match kind:
            case "hero":
                return HERO
            case "you":
                return HERO if is_gm else ""
            case "company":
                return COMPANY
            case "everyone":
                return EVERYONE
            case "they":
                singles = _list_members(sentence_marks, owners)
                if len(singles) > 1:
                    return ",".join(singles)
                is_of_strangers = "they" in self._stranger_pronouns or _STRANGERS.search(before)
                return "" if is_of_strangers else self._last_group
            case "he" | "she":
                is_object = match[0].casefold() in ("him", "her")
                return self._resolve_single(kind, sentence_marks, before, is_object=is_object)
        return ""

    def _resolve_single(
        self, gender: str, sentence_marks: Sequence[str], before: str, *, is_object: bool
    ) -> str:
        own_marks = list(sentence_marks)
        last_mentions = [] if self._means_stranger(gender, before, is_object) else self._last_mentions
        earlier = [*own_marks, *last_mentions]
        if is_object:  # hardly ever the subject of the same sentence
            clause = _SECOND_CLAUSE.search(before)
            subjects = [clause["who"]] if clause else own_marks
            is_of_hero = _is_hero_going_on(before)
            subject = [] if is_of_hero else [mark for mark in subjects if mark.isdecimal()][:1]
            others = [m for m in (*reversed(own_marks), *last_mentions) if m not in subject]
            earlier = [*others, *subject]
        for mark in earlier:
            if mark.isdecimal() and self._genders[int(mark)] in ("", gender):
                return "" if mark not in own_marks and self._means_called(gender, before, mark) else mark
        return ""

    def _means_called(self, gender: str, before: str, mark: str) -> bool:
        """Say whether a pronoun means who is called `the boy`, and not who was named before and was never here."""
        number = int(mark)
        if self._met is None or number in self._met or mark in self._text_numbers:
            return False
        called = find_called_person(before)
        noun = called.noun if called and called.gender in ("", gender) else self._called_nouns.get(gender, "")
        return bool(noun) and noun not in self.figures[number].called_nouns

    def _means_stranger(self, gender: str, before: str, is_object: bool) -> bool:
        """Say whether a pronoun that nobody in its sentence fits means somebody who is not on record."""
        if gender in self._stranger_pronouns:
            return True
        strangers = [] if is_object else find_strangers(before)  # whom `her` means, the subject is not
        return any(stranger.gender == gender for stranger in strangers)

    def _list_earlier(self, marks: Iterable[str]) -> list[str]:
        """Return the marks of those whom a pronoun may still mean, and no stranger."""
        return [
            mark
            for mark in marks
            if not mark.isdecimal() or self._list_pronouns(mark).isdisjoint(self._stranger_pronouns)
        ]

    def _list_pronouns(self, mark: str) -> set[str]:
        """Return the pronouns that might mean somebody."""
        gender = self._genders[int(mark)]
        return {gender} if gender else {"he", "she"}

    def _note_strangers(self, marked: str, sentence_marks: Sequence[str], named: Collection[str]) -> None:
        """Note whom of the sentence the pronouns of the next mean who is not on record."""
        names = {pronoun for mark in named for pronoun in self._list_pronouns(mark)}
        if len(named) > 1 or {EVERYONE, COMPANY} & set(sentence_marks):
            names.add("they")
        self._named_pronouns |= names
        self._stranger_pronouns -= names
        for pronoun in names:
            self._called_nouns.pop(pronoun, None)
        if (called := find_called_person(marked)) is not None:
            called_pronouns = {"he", "she"} if not called.gender else {str(called.gender)}
            self._called_nouns |= dict.fromkeys(called_pronouns - names, called.noun)
        strangers = find_strangers(marked)
        self._stranger_genders = {one.gender for one in strangers} or self._stranger_genders
        for stranger in strangers:
            self._stranger_pronouns |= self._list_pronouns_of(stranger, sentence_marks)

    def _list_pronouns_of(self, stranger: StrangerMention, sentence_marks: Sequence[str]) -> set[str]:
        """Return the pronouns that mean somebody of a sentence who is not on record."""
        pronouns: set[str] = {stranger.gender} if stranger.gender else {"he", "she"}
        if not (stranger.is_subject and stranger.gender):
            # `A guard greets @0@. She leaves.` may be of either: as if the guard were not there.
            singles = filter(str.isdecimal, sentence_marks)
            pronouns -= {pronoun for mark in singles for pronoun in self._list_pronouns(mark)}
        if not stranger.is_new:
            pronouns -= self._named_pronouns
        if stranger.is_subject and not stranger.gender and "they" not in self._named_pronouns:
            pronouns.add("they")  # `Somebody knocks. They come in.`
        return pronouns

    def _learn_gender(self, sentence: str, sentence_marks: Sequence[str]) -> None:
        mentioned = {mark for mark in sentence_marks if mark.isdecimal()}
        says_he = re.search(r"\b(?:he|him|his|himself)\b", sentence, re.I) is not None
        says_she = re.search(r"\b(?:she|her|hers|herself)\b", sentence, re.I) is not None
        if len(mentioned) == 1 and says_he is not says_she:
            number = int(next(iter(mentioned)))
            self._genders[number] = self._genders[number] or ("he" if says_he else "she")

    def _join_groups(self, marked: str) -> str:
        """Return the sentence with people who stand together as one mark, and without appositions."""
        marked = _HERE_TOO.sub(r"\g<who> and \g<other> are here", marked)
        marked = _OPENING_COMPANY.sub(_put_behind, marked)
        marked = _INNER_COMPANY.sub(r"\g<who> \g<rest>, \g<company>", marked)
        marked = _EPITHET.sub(r"\g<before>\g<who>", marked)
        marked = _REPEATED.sub(r"@\1@", _APPOSITION.sub(r"\1", marked))
        previous = ""
        while previous != marked:
            previous = marked
            marked = _GROUP_JOIN.sub(_join_match, marked)
        return _EXCEPTION.sub(lambda m: f"@A-{m[2]}@", marked)

    def _remember(self, marked: str, sentence_marks: Sequence[str], owners: Collection[str]) -> None:
        singles = [mark for mark in sentence_marks if mark.isdecimal()]
        if singles:
            self._last_mentions = list(dict.fromkeys((*singles, *self._last_mentions)))[:8]
        groups = [m for m in re.findall(r"@([\d,]+)@", marked) if "," in m]
        if groups:
            self._last_group = groups[0]
        elif EVERYONE in sentence_marks:
            self._last_group = EVERYONE
        elif len(members := _list_members(sentence_marks, owners)) > 1:
            self._last_group = ",".join(members)
        elif _STRANGERS.search(marked):
            self._last_group = ""


def _list_members(sentence_marks: Sequence[str], owners: Collection[str]) -> list[str]:
    """Return the marks of those whom `they` may mean: not of who only has something, unless all have."""
    singles = list(dict.fromkeys(mark for mark in sentence_marks if mark.isdecimal()))
    return [mark for mark in singles if mark not in owners] or singles


def _is_hero_going_on(before: str) -> bool:
    """Say whether before a pronoun stands that the hero deals with others, and another verb: `@H@ take @0@ and lead`.

    Then the pronoun may mean these, which are not its subject.
    """
    next_deed = _NEXT_DEED.search(before)
    if next_deed is None:
        return False
    deed = before[: next_deed.start()]
    marks = list(re.finditer(r"@([^@]+)@", deed))
    return (
        len(marks) > 1
        and marks[0][1] in (HERO, COMPANY)
        and all(_AS_OBJECT.match(deed, mark.start()) for mark in marks[1:])
    )


def _owned_by(mark: str) -> str:
    return f"@{mark}@'s"


def _is_of_other_name(match: re.Match[str], figure: Figure) -> bool:
    """Say whether what matched one of somebody's names is a part of another's."""
    if " " not in match[0] and _PLACE_BEFORE.search(match.string, 0, match.start()):
        return True
    before = _NAME_BEFORE.search(match.string, 0, match.start())
    if before is not None and not match.string[: before.start()].strip() and begins_with_deed(match.string):
        before = None  # `Follow Vess.`
    after = _NAME_AFTER.match(match.string, match.end())
    words = match[0].split()
    return is_part_of_other_name(
        words,
        figure.names,
        before[1] if before is not None else "",
        after[1] if after is not None else "",
        is_behind_name=before is not None and is_first_name(match.string, before.start(), match.end()),
    )


def is_part_of_other_name(
    words: Sequence[str], names: Sequence[str], before: str, after: str, *, is_behind_name: bool = False
) -> bool:
    """Say whether a part of somebody's name stands in that of another: `Harrow` of Dob Harrow in `Wil Harrow`.

    So it is with `Hale` of Mr. Hale in `Mrs. Hale`, and with Captain Vess, and Vess, in `Wilma Vess`.
    `before` and `after` are the words around it that are written with a capital, empty if there is none; with
    `is_behind_name` the one before it is a first name, though it may be a verb elsewhere: `Will`.
    """
    if is_of_other_sex(before, names):
        return True
    part = [word.casefold() for word in words]
    longer_names = [name for name in map(_name_words, names) if len(name) > len(part)]
    is_last = bool(longer_names) and all(name[-len(part) :] == part for name in longer_names)
    if is_last and before and (is_behind_name or not is_no_first_name(before)):
        return True
    is_titled_name = not longer_names and any(_is_behind_title(part, name) for name in names)
    is_single_name = all(name.casefold().split() == part for name in names)
    is_surname = is_titled_name or (is_single_name and not _may_open_sentence(before))
    if is_surname and is_behind_name:
        return True
    if is_surname and before and not (is_no_first_name(before) or is_role(before.casefold())):
        return True
    if not after or after.casefold() in NON_NAME_WORDS:
        return False
    # `Harrow Hall`, `Dob Weaver`
    return bool(longer_names) or (part[-1] in TITLES and words[0][0].isupper())


def _may_open_sentence(word: str) -> bool:
    """Say whether a word before a name is hardly a first name: `Taking Vess`, `Exhausted Vess`, `One-eyed Vess`."""
    return "-" in word or word.casefold().endswith(("ing", "ed"))


def _is_behind_title(part: Sequence[str], name: str) -> bool:
    """Say whether a name is a title and these words: `Captain Vess`; Tam of `Old Tam` may be a first name."""
    title, *rest = name.casefold().split()
    return title.rstrip(".") in TITLES - _NO_ROLES and rest == part


def read_surname(name: str) -> str:
    """Return the last of several words of somebody's name: `Vess` of Captain Vess; empty for Old Tam and The Miller."""
    words = name.split()
    while words and words[0].casefold() in _NO_ROLES:
        words = words[1:]
    return words[-1] if len(words) > 1 and words[-2][0].isupper() and words[-1][0].isupper() else ""


def is_of_other_sex(title: str, names: Sequence[str]) -> bool:
    """Say whether a title is a man's and the names are a woman's, or the other way round."""
    title = title.rstrip(".").casefold()
    titles = {name.split()[0].rstrip(".").casefold() for name in names if name.split()}
    return (title in HE_TITLES and not titles.isdisjoint(SHE_TITLES)) or (
        title in SHE_TITLES and not titles.isdisjoint(HE_TITLES)
    )


def is_no_first_name(word: str) -> bool:
    """Say whether a word before a name is a title, an owner or begins the sentence: `Captain Orrin`, `Later Orrin`."""
    folded = word.rstrip(".").casefold()
    if folded.endswith(("'s", "’s")):
        return True
    is_adverb = folded.endswith("ly") and len(folded) >= _MIN_ADVERB_LENGTH
    return folded in _NO_FIRST_NAMES or is_adverb


def may_be_first_name(word: str) -> bool:
    """Say whether a word before a name is a first name, also one that is spelled like a verb: `Will Karr`."""
    return word in AUXILIARY_NAMES or not is_no_first_name(word)


def _name_words(name: str) -> list[str]:
    """Return the words of a name without titles before it."""
    words = name.casefold().split()
    while len(words) > 1 and (words[0].rstrip(".") in TITLES or words[0] in _NO_ROLES):
        words = words[1:]
    return words


def is_role(word: str) -> bool:
    """Say whether a word in small letters says what somebody is: a title, or a trade."""
    return word in TITLES or is_trade(word)


def read_roles(name: str, description: str = "") -> tuple[str, ...]:
    """Return what somebody is by name and description, in lower case: `Captain Vess: a smith` is captain and smith."""
    words = name.split()
    title = words[0].rstrip(".").casefold() if len(words) > 1 else ""
    roles = [title] if len(title) > 2 and title not in _NO_ROLES else []
    match = re.match(r"(?:an?|the|our|his|her)?\s*(?:\w+\s+)?([a-z][a-z’'-]{2,})\b", description.strip())
    if match is not None and is_role(match[1]):
        roles.append(match[1])
    roles += ["lordship"] if title == "lord" else ["ladyship"] if title == "lady" else []
    return tuple(dict.fromkeys(roles))


def read_called_role(name: str) -> str:
    """Return what somebody is who is called nothing else, in lower case: `miller` of The Miller; empty if they are."""
    first, _, rest = name.casefold().partition(" ")
    kind, _, role = rest.rpartition(" ")
    is_called_so = rest.isalpha() or (kind.isalpha() and is_role(role))  # `night watchman`
    return rest if first == "the" and is_called_so else ""


def read_gender(name: str, description: str = "") -> Gender:
    """Return what pronoun somebody has by title or description; empty if neither tells."""
    title = name.split()[0].rstrip(".").casefold() if name.split() else ""
    if title in HE_TITLES:
        return "he"
    if title in SHE_TITLES or re.search(r"dottir$|sdóttir$", name):
        return "she"
    says_he = re.search(r"\b(?:he|his|him|man|boy|son|brother|father|husband|king|lord)\b", description, re.I)
    says_she = re.search(
        r"\b(?:she|her|woman|girl|daughter|sister|mother|wife|queen|lady)\b", description, re.I
    )
    return "he" if says_he and not says_she else "she" if says_she and not says_he else ""


def _flexible(name: str) -> str:
    # The full stop of `Dr. Mora` is gone from the text.
    return r"\s+".join(re.escape(word.removesuffix(".")) for word in name.split())


def _put_behind(match: re.Match[str]) -> str:
    """Return a sentence with who comes along behind who moves, so that they do not look like one list."""
    company = match["company"]
    return f"{match['rest']}, {company[0].lower()}{company[1:]}{match['end']}"


def _join_match(match: re.Match[str]) -> str:
    """Return two marks as one, unless the second means the first again (`@1@, and @0,1@ go`)."""
    if set(_split(match[1])) & set(_split(match[2])):
        return match[0]
    return f"@{_join_marks(match[1], match[2])}@"


def _join_marks(first: str, second: str) -> str:
    return ",".join(dict.fromkeys((*_split(first), *_split(second))))


def _split(mark: str) -> Iterable[str]:
    return mark.split(",")
