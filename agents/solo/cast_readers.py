"""Prepares what reads a turn for its cast: whom its words may mean, the places, and the turns before it."""

from __future__ import annotations

import re
from asyncio import gather
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.prose.cast_reader import CastReader
from agents.prose.mentions import Figure, is_role
from agents.prose.names import NON_NAME_WORDS
from agents.solo.cast_figures import (
    build_figures,
    read_hero_gender,
    read_hero_names,
    select_people,
    without_roles,
)
from stores.ports import CanonReader, LogReader
from stores.records.play import Speaker, Turn
from stores.records.world import Entity, EntityKind

MAX_SEARCHED_WORDS: Final = 12
"""Words of one text that are looked up among the names of canon."""
MAX_SAME_WORD: Final = 20
"""Characters of canon with one word in their name that are read."""
EARLIER_TURNS: Final = 3
"""Turns before, which say whom a pronoun means."""
MAX_PLACES: Final = 200
"""Places of a universe whose names are known as elsewhere."""
MAX_EXCHANGE_TURNS: Final = 6
"""Last turns among which those of the last exchange are looked for."""
STORY_SPEAKERS: Final = (Speaker.PLAYER, Speaker.GM, Speaker.NPC)
"""Speakers whose turns tell the story."""
_CAPITALISED_WORD: Final = re.compile(r"\b[^\W\d_a-z][\w-]{2,}")
_ROLE_PHRASE: Final = re.compile(r"\b(?:[Tt]he|[Oo]ur|[Mm]y|[Tt]hat)\s+(\w+)(?:\s+([a-z]{3,}))?\b")
"""What may say who somebody is: `the captain`, `the old captain`."""


class CastReaders:
    """Prepares readers of the cast for turns: with the people, the places and the turns before.

    The caller holds the session lock.
    """

    def __init__(self, log: LogReader, canon: CanonReader) -> None:
        self._log = log
        self._canon = canon

    async def prepare_reader(
        self,
        context: SceneContext,
        people: Sequence[Entity],
        places: Sequence[Entity],
        *,
        before: Turn,
        strangers: Sequence[Figure] = (),
    ) -> CastReader:
        """Return a reader that has passed over the turns before, for the people and, behind them, the strangers."""
        here_names = {context.place.name, *context.place.aliases} if context.place else set()
        other_names = [name for p in places for name in (p.name, *p.aliases) if name not in here_names]
        reader = CastReader(
            [*without_roles(build_figures(people), strangers), *strangers],
            read_hero_names(context),
            other_names,
            here_names,
            [(p.name, *p.aliases) for p in other_places(context, places)],
            read_hero_gender(context),
        )
        for turn in await self.read_turns_before(context, before):
            reader.pass_over(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        return reader

    async def list_people(self, context: SceneContext, text: str) -> list[Entity]:
        """Return whom the text may mean, but for the hero."""
        return select_people(context, await self.list_named(context, text))

    async def list_named(self, context: SceneContext, text: str) -> list[Entity]:
        """Return what the text may mean: all of the scene, and all of canon whose names it has words of."""
        universe_id = context.universe.id
        capitalised = (w for w in _CAPITALISED_WORD.findall(text) if w.casefold() not in NON_NAME_WORDS)
        roles = (w for phrase in _ROLE_PHRASE.findall(text) for w in phrase if w and is_role(w))
        searched_words = list(dict.fromkeys(w.casefold() for w in (*capitalised, *roles)))[
            :MAX_SEARCHED_WORDS
        ]
        matches = await gather(
            *(self._canon.entities(universe_id, search=w, limit=MAX_SAME_WORD) for w in searched_words)
        )
        named = {e.id: e for e in (*context.entities.values(), *chain.from_iterable(matches))}
        return [e for e in named.values() if not e.merged_into]

    async def list_places(self, context: SceneContext) -> list[Entity]:
        """Return the places of canon, and those that are proposed in the scene."""
        canon_places = await self._canon.entities(
            context.universe.id, kind=EntityKind.PLACE, limit=MAX_PLACES
        )
        staged_places = (e for e in context.entities.values() if e.kind is EntityKind.PLACE)
        return list({e.id: e for e in (*canon_places, *staged_places) if not e.merged_into}.values())

    async def read_turns_before(self, context: SceneContext, turn: Turn) -> list[Turn]:
        """Return the turns of the story before a turn that say whom its pronouns mean."""
        start = max(0, turn.depth - EARLIER_TURNS)
        turns = await self._log.line_slice(context.scene.id, start, turn.depth - start)
        return [one for one in turns if one.speaker in STORY_SPEAKERS]

    async def read_last_exchange(self, context: SceneContext) -> list[Turn]:
        turn = context.last_play_turn
        if turn is None:
            return []
        turns = await self._log.line_tail(context.scene.id, MAX_EXCHANGE_TURNS)
        return [t for t in turns if t.exchange_id == turn.exchange_id and t.speaker in STORY_SPEAKERS]


def other_places(context: SceneContext, places: Iterable[Entity]) -> list[Entity]:
    """Return the places that the scene is not in."""
    return [p for p in places if context.place is None or p.id != context.place.id]
