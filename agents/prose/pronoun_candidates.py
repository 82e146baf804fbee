"""Keeps whom a pronoun may mean, people who are not on record among them: a death is given to nobody in doubt. Pure.

`A stranger walks up to @0@. He is shot dead.` may be of either of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.prose.phrases import PhrasePattern
from agents.prose.stranger_subjects import find_strangers

_STRANGER: Final = "?"
"""Before the pronoun of somebody who is not on record; alone if it may be any."""
_MARK: Final = re.compile(r"@([^@]+)@")
_HARMED: Final = PhrasePattern(
    r"""
    [stab shoot strike hit cut slash hack beat club choke strangle crush trample wound kick punch throw push shove drown
        bite maul gore pierce poison burn catch impale cure heal save revive] @(?P<who>\d+)@
    through @(?P<who2>\d+)@
    """
)
"""Somebody is done harm to, or is not saved: a pronoun behind it that tells of a death means them."""
_GOES_ON_ABOUT: Final = re.compile(r"\W*@\d+@[^@]*\b(?:his|her|himself|herself)\b", re.IGNORECASE)
"""A sentence about one person, and what is theirs: `@0@ clutches his chest`."""
_FALLS: Final = PhrasePattern(
    r"@\d+@( finally| suddenly| then| just| slowly| silently| heavily)? [fall collapse crumple slump topple drop sink]"
    r"(\s*[,.;:!?…—–]|$|\s+(to|down|over|back|backwards?|forwards?|sideways|face|like|where|without|and|at|in|into|off|from)\b)"
)
"""Somebody falls, as the dying do: `@0@ falls to the floor`."""
_IS_HURT: Final = PhrasePattern(
    r"""
    @(?P<who>[^@]+)@ (is|was|lies|lay) ((now|still|already|\w+ly) )?(bleeding|wounded|hurt|dying|poisoned|
        choking)\b
    @(?P<who2>[^@]+)@ ([bleed]|[cough spit vomit] (up )?blood)\b
    """
)
"""Somebody is in a state of which one may die: who `is dying` behind it is the same."""
_DYING: Final = (
    r"(?:(?:['’]s|\s+is|\s+was|\s+lies|\s+lay)\s+(?:(?:now|still|already|clearly|slowly|surely)\s+)?"
    r"(?:dying|(?:bleeding|fading|slipping)\s+(?:out|away|fast)|bleeding\s+to\s+death)\b"
    r"(?!\s+(?:to|for|of\s+(?:laughter|shame|boredom|curiosity|thirst|hunger)|laughing)\b))"
)
_GOES_ON_DYING: Final = re.compile(_DYING)
_IS_DYING: Final = re.compile(rf"@(?P<who>[^@]+)@{_DYING}")
"""Somebody is dying: a pronoun behind it that tells of a death means them."""
_DIES: Final = re.compile(
    r"\s+(?:(?:then|finally|soon|\w+ly)\s+)?(?:dies|died|is\s+dead|passes\s+away|passed\s+away)\b"
)
_CLAUSE_SUBJECT: Final = re.compile(
    r"(?:^|[,;:—–]|\b(?:and|but|then|now|so|as|while|when|until|before|after|because)\b)\s*@(?P<who>[^@]+)@",
    re.IGNORECASE,
)
"""Somebody at the beginning of a clause, who does what it tells."""


@dataclass
class PronounCandidates:
    """Whom the pronouns of successive sentences may mean."""

    genders: Mapping[int, str]
    """The pronouns of the figures, empty where unknown."""
    _earlier: set[str] = field(default_factory=set)
    """Those of the last sentence that had any."""
    _strangers: set[str] = field(default_factory=set)
    """Those of the text who are not on record."""
    _is_settled: bool = False
    """Whether the last sentence was about one of them alone, or had harm done to one."""
    _hurt: list[set[str]] = field(default_factory=lambda: [set(), set()])
    """Those who bleed, are wounded or are dying by the text before, and by this one."""
    _dying: list[set[str]] = field(default_factory=lambda: [set(), set()])
    """Those of them who are dying."""
    _own_mentions: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    """The marks in the sentence that is read, in order, each with whom it may mean."""

    def begin_text(self) -> None:
        """Keep only those strangers of the last text with whom it ended."""
        self._strangers &= self._earlier
        self._hurt, self._dying = [self._hurt[1], set()], [self._dying[1], set()]

    def note_named(self, mark: str) -> None:
        """Note the mark of a name."""
        self._own_mentions += ((one, frozenset({one})) for one in mark.split(",") if one.isdecimal())

    def note_hero(self, mark: str, gender: str) -> None:
        """Note that the hero is named: a pronoun may mean them, and nobody else on record then."""
        self._own_mentions.append((mark, frozenset({_STRANGER + gender})))

    def note_pronoun(
        self, mark: str, gender: str, before: str, after: str, *, is_object: bool
    ) -> frozenset[str]:
        """Note a pronoun behind marked words and before others, and return all whom it may mean."""
        candidates = self._find_own(gender, before, is_object=is_object) or self.find_earlier(gender)
        if not is_object:
            pool = self._hurt if _GOES_ON_DYING.match(after) else self._dying if _DIES.match(after) else ()
            sufferers = candidates.intersection(set().union(*pool))
            candidates = sufferers if len(sufferers) == 1 else candidates
        self._own_mentions.append((mark, candidates))
        return candidates

    def find_earlier(self, gender: str) -> frozenset[str]:
        """Return whom of the sentences before a pronoun may mean; any pronoun if `gender` is empty."""
        pool = self._earlier if self._is_settled else self._earlier | self._strangers
        return self._select(pool, gender)

    def end_sentence(self, marked: str) -> None:
        """Remember whom the sentence mentions."""
        mentions, self._own_mentions = self._own_mentions, []
        own_strangers = {_STRANGER + stranger.gender for stranger in find_strangers(marked)}
        self._strangers |= own_strangers
        mentioned = own_strangers.union(*(candidates for _, candidates in mentions))
        if not mentioned:
            return
        self._hurt[1] |= _find_all_meant(_IS_HURT.compiled, marked, mentions)
        self._dying[1] |= (dying := _find_all_meant(_IS_DYING, marked, mentions))
        harmed = _find_harmed(marked, mentions) or dying
        others_hurt = self._hurt[0] | self._hurt[1]
        is_about_one = (
            len(mentioned) == 1
            and others_hurt <= mentioned
            and (_GOES_ON_ABOUT.match(marked) is not None or _FALLS.search(marked) is not None)
        )
        self._earlier = set(harmed) or mentioned | others_hurt
        self._is_settled = bool(harmed) or (is_about_one and not own_strangers)

    def _find_own(self, gender: str, before: str, *, is_object: bool) -> frozenset[str]:
        """Return whom a pronoun may mean who stands before it in its sentence."""
        mentions = self._own_mentions
        if not is_object and (harmed := self._select(_find_harmed(before, mentions), gender)):
            return harmed
        strangers = [one for one in find_strangers(before) if not (is_object and one.is_subject)]
        pool = {_STRANGER + stranger.gender for stranger in strangers}
        subjects = [match["who"] for match in _CLAUSE_SUBJECT.finditer(before)] if is_object else []
        pool.update(*(candidates for mark, candidates in mentions if mark not in subjects[-1:]))
        return self._select(pool, gender)

    def _select(self, pool: Iterable[str], gender: str) -> frozenset[str]:
        return frozenset(one for one in pool if not gender or self._read_gender(one) in ("", gender))

    def _read_gender(self, one: str) -> str:
        return self.genders[int(one)] if one.isdecimal() else one.removeprefix(_STRANGER)


def _find_harmed(marked: str, mentions: Iterable[tuple[str, frozenset[str]]]) -> frozenset[str]:
    """Return whom the last mark of marked words may mean, if these have harm done to them; nobody otherwise."""
    last_mark = next(reversed([*_MARK.finditer(marked)]), None)
    if last_mark is None or all(match.end() != last_mark.end() for match in _HARMED.finditer(marked)):
        return frozenset()
    return _find_meant(last_mark[1], mentions)


def _find_all_meant(
    pattern: re.Pattern[str], marked: str, mentions: Sequence[tuple[str, frozenset[str]]]
) -> set[str]:
    """Return those whom the marks that a pattern finds mean, if each may mean one alone."""
    meant = (_find_meant(next(filter(None, match.groups())), mentions) for match in pattern.finditer(marked))
    return {one for candidates in meant if len(candidates) == 1 for one in candidates}


def _find_meant(who: str, mentions: Iterable[tuple[str, frozenset[str]]]) -> frozenset[str]:
    """Return whom the last mention with a mark may mean."""
    return next((candidates for mark, candidates in reversed([*mentions]) if mark == who), frozenset())
