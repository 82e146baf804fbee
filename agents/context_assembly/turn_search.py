"""Turns found again: what the indexes gave, the turns beside it, and a second look along names.

The second look is what a graph of mentions would give, and costs nothing to keep: names in the first hits are
searched for, so that who was only named in the answer to one half of a question leads to the other.
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.cues import Cues, words
from agents.context_assembly.fusion import normalised, ranked
from agents.context_assembly.linking import Linked
from agents.context_assembly.recall_port import Within
from agents.context_assembly.standing import is_over
from agents.context_assembly.turn_ranking import (
    By,
    Told,
    Weights,
    add_cues,
    beside,
    own_words,
    prefer_later,
)
from agents.importers.log_times import describe_said_time, parse_time
from agents.prose.names import names_in
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader, TextIndex
from stores.records.ids import Id
from stores.records.play import Speaker

READ: Final = 5
LEAST_READ: Final = 60
MOST_READ: Final = 140
"""Turns that are read and weighed for each one wanted: the best of what the indexes gave together."""
FIRST: Final = 5
"""Hits whose names are looked for in the second look."""
BRIDGES: Final = 6
AGAIN: Final = 30
"""Hits of the second look."""
STALE: Final = 0.4
"""What is left of a turn that bears out only what is over, where it is asked how it is now."""
CHECKED: Final = 40
"""Turns at the top of which is looked up what rests on them."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What each way gives to each turn; `lost` were found and are not on the line."""

    by: By
    lost: int = 0


class TurnSearch:
    """Ranks turns. Stateless and read-only."""

    def __init__(self, canon: CanonReader, log: LogReader, index: TextIndex, weights: Weights) -> None:
        self._canon = canon
        self._log = log
        self._index = index
        self._weights = weights

    async def rank(
        self, question: str, cues: Cues, items: By, linked: Linked, within: Within, k: int
    ) -> Ranked:
        """Return turns that may answer, many more than the `k` that are wanted, with what each way of looking
        gives to them. Raises StoreError."""
        weights = self._weights
        items = {id: items[id] for id in ranked(items)[: min(MOST_READ, max(LEAST_READ, READ * k))]}
        told = await self._told((*items, *linked.turns), within)
        by = own_words(beside(items, told, weights), told, cues, weights)
        for id, share in linked.turns.items():
            if id in told:
                _add(by, id, "graph", weights.graph * share)
        add_cues(by, told, cues, await self._on_the_day(told, cues), weights)
        if weights.bridge:
            await self._again(question, cues, by, told, linked, within)
        if cues.present:
            await self._less_if_over(by, linked)
        prefer_later(by, told, cues, weights)
        lost = sum(1 for id in items if id not in told)
        return Ranked(by, lost)

    async def _on_the_day(self, told: Mapping[Id, Told], cues: Cues) -> set[Id]:
        """Return the turns that were said on a day that the question names, as far as their log tells."""
        if not cues.days:
            return set()
        scene_ids = {one.turn.scene_id for one in told.values() if one.turn.ref}
        scenes = await self._log.scenes_by_id(scene_ids)
        found: set[Id] = set()
        for id, one in told.items():
            scene = scenes.get(one.turn.scene_id)
            _, moment = parse_time(describe_said_time(one.turn, scene)) if scene else ("", None)
            if moment is not None and any(day.meets(moment) for day in cues.days):
                found.add(id)
        return found

    async def _told(self, ids: Iterable[Id], within: Within) -> dict[Id, Told]:
        """Read the turns, as far as they are on the line and where is looked."""
        turns = await self._log.turns(list(dict.fromkeys(ids)))
        standing, heroes = await gather(
            self._log.on_line(within.scene_id, turns) if turns else _none(),
            self._heroes({t.scene_id for t in turns.values() if t.speaker is Speaker.PLAYER and not t.name}),
        )
        return {
            id: Told.of(turn, turn.name or heroes.get(turn.scene_id, ""))
            for id, turn in turns.items()
            if id in standing
        }

    async def _heroes(self, scene_ids: Collection[Id]) -> dict[Id, str]:
        """Return who speaks where a player's turn names nobody: the player's character of its story."""
        if not scene_ids:
            return {}
        scenes = await self._log.scenes_by_id(scene_ids)
        stories = {scene.id: scene.story_id for scene in scenes.values()}
        heroes: dict[Id, str] = {}
        for story_id in set(stories.values()):
            try:
                pc_id = (await self._log.story(story_id)).pc_id
                if pc_id:
                    heroes[story_id] = (await self._canon.entity(pc_id)).name
            except NotFound:
                continue  # proposed, and not in canon yet: the turn has no name to go by
        return {scene_id: heroes.get(story_id, "") for scene_id, story_id in stories.items()}

    async def _again(
        self,
        question: str,
        cues: Cues,
        by: By,
        told: dict[Id, Told],
        linked: Linked,
        within: Within,
    ) -> None:
        """Look a second time, for what the first hits name."""
        first = [told[id] for id in ranked(by)[:FIRST]]
        bridges = _bridges(first, cues, linked)
        if not bridges:
            return
        scope = {"universe": within.universe_id}
        scope |= {"story": within.story_id} if within.story_id else {}
        scope |= {"scene": within.scene_id} if within.scene_id else {}
        # Without the question's own words, which were searched for: the rare ones cost little.
        wanted = " ".join((*bridges, *names_in(question)))
        hits = await self._index.search("turns", wanted, k=AGAIN, scope=scope)
        new = [hit.id for hit in hits if hit.id not in told]
        told |= {id: one for id, one in (await self._told(new, within)).items() if id not in told}
        for id, score in normalised(hits).items():
            if id in told:
                _add(by, id, "graph", self._weights.bridge * score)

    async def _less_if_over(self, by: By, linked: Linked) -> None:
        """Lower the turns that bear out only what is over."""
        top = ranked(by)[:CHECKED]
        over = set(linked.over)
        resting = await self._canon.supported_by(top) if top else []
        facts = await self._canon.facts_by_id({subject for _, subject in resting}) if resting else {}
        stands = {turn for turn, subject in resting if subject in facts and not is_over(facts[subject])}
        over |= {turn for turn, subject in resting if subject in facts} - stands
        for id in over.intersection(by):
            by[id] = {way: score * STALE for way, score in by[id].items()}


def _bridges(first: Sequence[Told], cues: Cues, linked: Linked) -> list[str]:
    """Return names in the first hits that the question does not have, and those that canon leads on to."""
    names = Counter(
        name for one in first for name in names_in(one.turn.text) if not cues.spoken.intersection(words(name))
    )
    chosen = (*linked.bridges[:3], *(name for name, _ in names.most_common(4)))
    return list(dict.fromkeys(chosen))[:BRIDGES]


def _add(by: By, id: Id, way: str, score: float) -> None:
    found = by.setdefault(id, {})
    found[way] = found.get(way, 0.0) + score


async def _none() -> set[Id]:
    return set()
