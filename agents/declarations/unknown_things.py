"""Finds things of which words tell what lasts and that nobody has made known: `I hand Wenna the rope`. Pure.

Some are in what changes hands, is stolen or lost, others in what would be a fact if they were known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.vocabulary import load_nouns_for_things
from agents.canon_keeper.sentences.lasting_statements import LastingStatementReader
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens
from agents.declarations.amounts import COUNT, is_amount
from agents.declarations.coordinated_clauses import split_clauses
from agents.declarations.handovers import Handover
from agents.declarations.lasting_facts import guess_entity, split_parts
from agents.declarations.unknown_names import UnknownName
from agents.prose.called_names import find_called
from agents.prose.cast_words import SITE_NOUN
from agents.prose.hero_name import as_first_person, name_hero
from agents.prose.phrases import PhrasePattern
from agents.prose.stranger_subjects import is_person_noun
from stores.records.world import ACTORS, Entity, EntityKind

_WHERE_IT_IS: Final = re.compile(r" (?:by|in|at|on|near|beside|under|behind|beneath|from|to|for)\b.*")
_GIVEN_WITHOUT_THING_WORDS: Final = (
    "hand hands arm arms nod smile grin look glance glare stare wink kiss hug embrace shrug bow wave shove "
    "push kick slap punch pat squeeze start fright chance choice time moment minute day night answer reply "
    "word words name names news warning advice order orders command signal sign truth idea hint lesson "
    "speech song story toast blessing thanks greeting promise credit courage hope life death lead way path "
    "road turn turns place places seat seats side sides position cover aim stand stock notice care "
    "charge control pleasure pity breath bath rest nap bite sip drink swig step steps stairs corner lift "
    "ride trail scent pace trick blame blow risk bet test oath vow opportunity liberty leave head eyes eye "
    "shoulder sleeve wrist elbow waist stairway walk watch job shift bait detour swing shot guess "
    "number cue hit hold count inventory damage trust faith weight ear foot feet finger fingers knee back "
    "face cheek mind subject act pretence matter guard gaze voice point lot fight half flank tug sake"
)
_GIVEN_WITHOUT_THING: Final = frozenset(_GIVEN_WITHOUT_THING_WORDS.split())
"""What somebody gives, takes or throws without handing over a thing."""


_OPENING_THING: Final = re.compile(
    r"The (?P<thing>[a-z][a-z'’-]+(?: [a-z][a-z'’-]+){1,2}?) (?:is|was|has|belongs|hangs|lies|stands|are)\b"
)
"""A thing of at least two words that a sentence begins with: `The glass bell is cracked`."""
_SAYS_WHERE: Final = re.compile(r"\b(?:is|was|lies|lay|are) (?:in|inside|within|under|beneath) the\b")
"""Where something is that nobody named: `The old man is in the kitchen` makes nothing worth a name."""
_INNER_THING: Final = re.compile(
    r"(?:(?<= )the|\b[^\W\d_a-z][\w-]*['’]s|(?<= )owns (?P<another>an?))"
    r" (?=(?P<words>[a-z][a-z'’-]+(?: [a-z][a-z'’-]+){0,2}))"
)
"""What a sentence says something of, with the words that may be its name: `stole the silver bowl in`, `Dob's cart`.

What somebody owns is told of as one of its kind: `owns a tin drum`.
"""


_ALL_AROUND: Final = frozenset(
    {"town", "city", "village", "market", "camp", "woods", "forest", "beach", "shore", "island"}
)
"""Places in which a scene may be, and that nobody then calls by a name: `Only Dob can save the town`."""

_HANDS_OVER: Final = PhrasePattern(
    r"""
    (?:[a-z]+ly )?[give hand pass pay slip toss lend take steal lose win spend get receive borrow collect earn]
        (?:(?:back|over) )?(?:[\w'’-]+ ){0,4}?(?P<determiner>(?:an? )?COUNT|the|my|his|her|their|some|all)
        (?P<words>[a-z-]+(?: [a-z-]+){0,2})
    """,
    {"COUNT": COUNT},
)
"""What follows who hands it over: `quickly gives Dagny two silver pennies`."""


def find_unknown_things(text: str, known: Sequence[Entity], hero_name: str = "") -> list[UnknownName]:
    """Return what a text would state a lasting fact about if it were known: `glass bell`, or the place `Crypt`.

    `my` and `your` are the hero's, if there is one.
    """
    names = build_name_book(known)
    reader = LastingStatementReader(names)
    unknown_things = []
    for sentence, _ in split_parts(text):
        sentence = name_hero(as_first_person(sentence), hero_name)
        candidates = [c for c in _list_candidates(sentence) if not is_amount(c.name)]
        if not candidates or _SAYS_WHERE.search(sentence) or reader.states_fact(sentence):
            continue
        unknown_things += [
            c for c in candidates if _would_state(sentence, c, known) and not _is_known_thing(c.name, names)
        ]
    return unknown_things


def _would_state(sentence: str, candidate: UnknownName, known: Sequence[Entity]) -> bool:
    """Say whether a sentence states a lasting fact once the candidate is known."""
    entities = [*known, guess_entity(candidate.name, candidate.kind)]
    reader = LastingStatementReader(build_name_book(entities))
    return any(map(reader.states_fact, (sentence, *(c.sentence for c in split_clauses(sentence)))))


def _list_candidates(sentence: str) -> Iterator[UnknownName]:
    """Yield what a sentence begins with, or else what has a noun for things or places behind `the` or `owns a`."""
    if match := _OPENING_THING.match(sentence):
        yield UnknownName(match["thing"], EntityKind.OBJECT, may_be_earlier=True)
        return
    for match in _INNER_THING.finditer(sentence):
        words = match["words"].split()
        for count, word in enumerate(words, start=1):
            name, following = " ".join(words[:count]), words[count : count + 1]
            if _is_noun_for_thing(word) and not any(map(_is_noun_for_thing, following)):
                yield UnknownName(name, EntityKind.OBJECT, may_be_earlier=not match["another"])
                break
            if re.fullmatch(SITE_NOUN, word) and word not in _ALL_AROUND:
                yield UnknownName(name.title(), EntityKind.PLACE)
                break


def _is_noun_for_thing(word: str) -> bool:
    nouns = load_nouns_for_things()
    return (word in nouns or word.removesuffix("s") in nouns) and word not in _GIVEN_WITHOUT_THING


def find_unknown_handed_things(
    handovers: Iterable[Handover], entities: Sequence[Entity]
) -> list[UnknownName]:
    """Return the things that change hands and that nobody has made known: `rope`; not the smile that somebody gives."""
    known_names = build_name_book(entities)
    # `gave up the ghost` gives nobody a ghost, and a seat by the fire is where somebody sits.
    things = (
        UnknownName(_WHERE_IT_IS.sub("", h.thing_name), EntityKind.OBJECT, may_be_earlier=not _is_another(h))
        for h in handovers
        if h.thing_name and (_goes_to_another(h, entities) or _is_taken_away(h, entities))
    )
    return [
        thing
        for thing in things
        if thing.name.split()[-1] not in _GIVEN_WITHOUT_THING
        and not is_person_noun(thing.name.split()[-1].casefold())
        and not is_amount(thing.name)
        and not _is_known_thing(thing.name, known_names)
    ]


def _is_another(handover: Handover) -> bool:
    """Say whether the words tell of the thing as of one that nobody told of before: `a purse`."""
    thing = re.escape(handover.thing_name)
    return (
        re.search(rf"\b(?:an?|another|some) {thing}\b", handover.statement.quote, re.IGNORECASE) is not None
    )


def may_be_one(name: str, other_name: str) -> bool:
    """Say whether one name may be short for the other: `key` of a silver key, `purse` of a purse of silver."""
    return name != other_name and (_is_short_for(name, other_name) or _is_short_for(other_name, name))


def _is_short_for(name: str, longer_name: str) -> bool:
    names = build_name_book([guess_entity(longer_name, EntityKind.OBJECT)])
    return all(token.entity for token in read_tokens(f"the {name}", names))


def _goes_to_another(handover: Handover, entities: Sequence[Entity]) -> bool:
    """Say whether somebody known has the thing of another then: who takes their own cap hands nothing over."""
    holder_name, is_had, _ = handover.statement.sentence.partition(" has ")
    holders = find_called(holder_name, entities) if is_had else []
    actors = (
        find_called(handover.actor_name, entities)
        if handover.actor_name
        else [e for e in entities if e.is_pc]
    )
    is_person = len(holders) == 1 and holders[0].kind in ACTORS
    if handover.is_by_stranger and not _is_noun_for_thing(
        _WHERE_IT_IS.sub("", handover.thing_name).split()[-1]
    ):
        return False  # `The sight gives me the shivers`
    return is_person and (bool(handover.holder_before) or holders[0] not in actors)


def _is_taken_away(handover: Handover, entities: Sequence[Entity]) -> bool:
    """Say whether somebody known, or the hero, steals, loses or gives a stranger what is a thing by its noun."""
    is_by_known = not handover.actor_name or len(find_called(handover.actor_name, entities)) == 1
    holder_name, is_had, _ = handover.statement.sentence.partition(" has ")
    is_with_stranger = bool(is_had) and re.match(r"(?:an?|the) ", holder_name) is not None
    is_theft = handover.is_by_stranger and handover.is_gone
    return (
        (handover.is_gone or is_with_stranger)
        and (is_by_known or is_theft)
        and _is_noun_for_thing(handover.thing_name.split()[-1])
    )


def _is_known_thing(name: str, known_names: NameBook) -> bool:
    """Say whether words mean a thing that is known, by its whole name or for short: `the letter`."""
    return any(token.entity and not token.is_person for token in read_tokens(f"the {name}", known_names))


def hands_over_amount(predicate: str) -> bool:
    """Say whether, by what follows who does it, money or a number of things, which has no name, changes hands."""
    match = _HANDS_OVER.match(predicate)
    if match is None:
        return False
    words = match["words"].split()
    is_counted = is_amount(f"{match['determiner'].removeprefix('a ')} thing")
    return any(is_amount(word) or (is_counted and _is_noun_for_thing(word)) for word in words)
