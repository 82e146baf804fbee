"""Reads how somebody came to have a thing: bought, stolen, inherited, won, found, made, or given to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import names_meant, phrase_after
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token

_WAYS: Final = {
    "buy": "bought", "purchase": "bought", "steal": "stolen", "swipe": "stolen", "pinch": "stolen", "filch": "stolen",
    "pilfer": "stolen", "nick": "stolen", "inherit": "inherited", "win": "won", "find": "found", "discover": "found",
    "unearth": "found", "forge": "made", "make": "made", "carve": "made", "sew": "made", "knit": "made",
}  # fmt: skip
"""Verbs of whoever comes to have a thing."""
_WAYS_OF_RECEIVERS: Final = {
    "give": "given", "present": "given", "donate": "given", "sell": "bought", "bequeath": "inherited",
}  # fmt: skip
"""Verbs of whoever gives it away."""
_NOUNS: Final = {
    "gift": "given", "present": "given", "heirloom": "inherited", "inheritance": "inherited", "testament": "inherited",
    "legacy": "inherited", "prize": "won", "cards": "won", "dice": "won", "bet": "won", "wager": "won", "raffle": "won",
    "lottery": "won",
}  # fmt: skip
"""Nouns behind the verb that say the way: `got it as a present`, `got it at cards`."""
_ROBBING: Final = frozenset({"rob", "cheat", "swindle", "strip", "relieve"})
_GETTING: Final = frozenset({"get", "receive", "acquire", "obtain"})
_COMING: Final = frozenset({"come", "pass", "descend"})
_PARTICLES: Final = frozenset({"up", "out", "down", "off"})
_STOLEN: Final = "stolen"
_FOUND_AND_GIVEN: Final = frozenset({"found", "given"})


class _Gain(NamedTuple):
    """Who came to have which thing by which way, and from whom."""

    who: frozenset[str]
    things: frozenset[str]
    way: str
    givers: frozenset[str] = frozenset()


def read_ways(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield `bought the revolver`, `was robbed of it` and `it was a present to Lila`, of things with a name."""
    if base.time is not ClauseTime.PAST or base.when or base.is_ability:
        return
    gain = _gain(clause, base)
    if gain is None:
        return
    who, things = gain.who & base.people, gain.things - base.people
    if gain.way and len(who) == 1 and len(things) == 1:
        givers = (gain.givers | names_meant(phrase_after(clause.rest, "from"))) & base.people - who
        yield value_proposition(
            base, "way", doers=who, others=things, owners=givers, words=frozenset({gain.way}), thing=""
        )


def are_other_ways(one: Proposition, other: Proposition) -> bool:
    """Say whether somebody came to have a thing in two ways; what was stolen once may have been sold since.

    What somebody found, and left where it was, may be given to them later.
    """
    if one.words | other.words == _FOUND_AND_GIVEN:
        return False
    is_from_same = one.owners == other.owners or bool(one.owners & other.owners)
    may_be_twice = _STOLEN in one.words | other.words and not is_from_same
    return one.others == other.others and one.words != other.words and not may_be_twice


def _gain(clause: ClauseWords, base: Proposition) -> _Gain | None:
    rest, subject = list(clause.rest), names_meant(clause.subject)
    if rest and rest[0].word in _PARTICLES:
        rest = rest[1:]
    direct, way_named = _direct_names(rest), _way_named(rest)
    receivers = _last_name_behind(rest, "to")
    verb = clause.verb
    if verb == "be":
        nouns = [t.word for t in rest if t.word in ("gift", "present", "heirloom")]
        who = receivers or _last_name_behind(rest, "for")
        return _Gain(who, subject, _NOUNS[nouns[0]]) if nouns else None
    if verb in _ROBBING:
        robbed = subject if clause.is_passive else direct
        robber = base.doers if not clause.is_passive else names_meant(phrase_after(rest, "by"))
        return _Gain(robber, _last_name_behind(rest, "of"), _STOLEN, robbed)
    if verb == "pay" and not clause.is_passive:
        return _Gain(subject, _last_name_behind(rest, "for"), "bought")
    if verb in _COMING and not clause.is_passive:
        return _Gain(receivers, subject, way_named if way_named == "inherited" else "")
    if verb in _GETTING and not clause.is_passive:
        has_giver = bool(phrase_after(rest, "from"))
        return _Gain(subject, direct, way_named or ("given" if has_giver else ""))
    if verb in _WAYS_OF_RECEIVERS or (verb == "leave" and way_named == "inherited"):
        return _given(clause, base, rest, way_named or _WAYS_OF_RECEIVERS.get(verb, ""))
    if way := _WAYS.get(verb, ""):
        if clause.is_passive:
            return _Gain(names_meant(phrase_after(rest, "by")), subject, way)
        return _Gain(subject, direct, way)
    if verb == "hand" and clause.is_passive and clause.rest[:1] and clause.rest[0].word == "down":
        return _Gain(receivers, subject, "inherited")
    return None


def _given(clause: ClauseWords, base: Proposition, rest: Sequence[Token], way: str) -> _Gain:
    """Read `A gave B the bell`, `A gave the bell to her nephew B`, `B was given the bell`."""
    direct, receivers = _direct_names(rest), _last_name_behind(rest, "to")
    if clause.is_passive:
        subject = names_meant(clause.subject)
        if subject & base.people:
            return _Gain(subject, direct, way, names_meant(phrase_after(rest, "by")))
        return _Gain(receivers, subject, way, names_meant(phrase_after(rest, "by")))
    return _Gain(receivers or direct & base.people, direct - base.people, way, base.doers)


def _direct_names(rest: Sequence[Token]) -> frozenset[str]:
    """Return the names before the first preposition; none of what is theirs: of `Tam's brother` nobody."""
    end = next((n for n, t in enumerate(rest) if t.word in PREPOSITIONS | {",", "of", "to"}), len(rest))
    return names_meant(rest[:end]) if end and not (rest[:1] and rest[0].word == "to") else frozenset()


def _last_name_behind(rest: Sequence[Token], word: str) -> frozenset[str]:
    """Return the name with which the phrase behind a preposition ends: Colm of `to her nephew Colm`."""
    words = [t.word for t in rest]
    if word not in words:
        return frozenset()
    start = words.index(word) + 1
    end = next((n for n in range(start, len(words)) if words[n] in PREPOSITIONS | {",", "of"}), len(words))
    phrase = rest[start:end]
    is_owner = (end < len(words) and words[end] == "'s") or "'s" in words[start:end]
    return frozenset({phrase[-1].entity}) - {""} if phrase and not is_owner else frozenset()


def _way_named(rest: Sequence[Token]) -> str:
    """Return the way that a noun behind a preposition names: `by will`, `as a gift`, `at cards`."""
    words = [t.word for t in rest]
    start = next((n for n, w in enumerate(words) if w in PREPOSITIONS | {"as"}), len(words))
    return next((_NOUNS[w] for w in words[start:] if w in _NOUNS), "")
