"""Finds things that change hands and that nobody has made known: `I hand Wenna the rope`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens
from agents.declarations.handovers import Handover
from agents.prose.called_names import find_called
from stores.records.world import ACTORS, Entity

_WHERE_IT_IS: Final = re.compile(r" (?:by|in|at|on|near|beside|under|behind|beneath|from|to)\b.*")
_GIVEN_WITHOUT_THING_WORDS: Final = (
    "hand hands arm arms nod smile grin look glance glare stare wink kiss hug embrace shrug bow wave shove "
    "push kick slap punch pat squeeze start fright chance choice time moment minute day night answer reply "
    "word words name names news warning advice order orders command signal sign truth idea hint lesson "
    "speech song story toast blessing thanks greeting promise credit courage hope life death lead way path "
    "road turn turns place places seat seats side sides position cover aim stand stock note notice care "
    "charge control pleasure pity breath bath rest nap bite sip drink swig step steps stairs corner lift "
    "ride trail scent pace trick blame blow risk bet test oath vow opportunity liberty leave head eyes eye "
    "shoulder sleeve wrist elbow waist stairway walk watch job shift bait reins detour swing shot guess "
    "number cue hit hold count inventory damage trust faith weight ear foot feet finger fingers knee back "
    "face cheek mind subject act pretence matter guard gaze voice point case lot fight half flank tug sake"
)
_GIVEN_WITHOUT_THING: Final = frozenset(_GIVEN_WITHOUT_THING_WORDS.split())
"""What somebody gives, takes or throws without handing over a thing."""


def find_unknown_handed_things(handovers: Iterable[Handover], entities: Sequence[Entity]) -> list[str]:
    """Return the things that change hands and that nobody has made known: `rope`; not the smile that somebody gives."""
    known_names = build_name_book(entities)
    # `gave up the ghost` gives nobody a ghost, and a seat by the fire is where somebody sits.
    names = (
        _WHERE_IT_IS.sub("", h.thing_name)
        for h in handovers
        if h.thing_name and _goes_to_another(h, entities)
    )
    return [
        name
        for name in names
        if name.split()[-1] not in _GIVEN_WITHOUT_THING and not _is_known_thing(name, known_names)
    ]


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
    return is_person and (bool(handover.holder_before) or holders[0] not in actors)


def _is_known_thing(name: str, known_names: NameBook) -> bool:
    """Say whether words mean a thing that is known, by its whole name or for short: `the letter`."""
    return any(token.entity and not token.is_person for token in read_tokens(f"the {name}", known_names))
