"""Finds and ranks turns: index hits, the turns beside them, and a second search along names.

The second search replaces a graph of mentions, which would have to be stored: names in the first hits are
searched for, so that a name in the answer to one half of a question leads to the other half.
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.indexer.day_words import calendar_day_words, world_day_word
from agents.prose.names import find_names
from agents.search.graph_linking import GraphLinks
from agents.search.question_cues import QuestionCues, split_words
from agents.search.result_validity import is_ended
from agents.search.scene_turns import SceneTurnFinder
from agents.search.score_fusion import normalise_scores, rank_ids
from agents.search.search_port import SearchScope
from agents.search.turn_ranking import (
    RankingWeights,
    TurnCandidate,
    WayScoresById,
    add_cue_scores,
    add_length_scores,
    boost_later_turns,
    score_own_words,
    spread_to_neighbours,
)
from agents.world_time.log_times import describe_said_time, parse_time
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader, TextIndex
from stores.records.ids import Id
from stores.records.play import Speaker

READ_PER_RESULT: Final = 5
MIN_TURNS_READ: Final = 60
MAX_TURNS_READ: Final = 140
"""Limits on the turns that are read and ranked, of the best hits by all indexes."""
FIRST_HITS: Final = 5
"""Hits whose names are searched for in the second search."""
MAX_BRIDGES: Final = 6
SECOND_SEARCH_HITS: Final = 30
"""Hits that are read in the second search."""
MAX_DAY_HITS: Final = 100
"""Turns of the days that a question names, which are ranked beside what was found by words and meaning."""
ENDED_ONLY_SHARE: Final = 0.4
"""Factor on turns that are evidence of ended facts only, when the question asks about the present."""
MAX_TURNS_CHECKED: Final = 40
"""Top turns that are checked for the facts that rest on them."""


@dataclass(frozen=True, slots=True)
class TurnRanking:
    """The score of each turn by way of searching."""

    way_scores: WayScoresById
    lost_count: int = 0
    """Turns that the index found and that are not on the line any more."""
    candidates: Mapping[Id, TurnCandidate] = field(default_factory=dict)
    """The turns that were ranked."""
    is_led_by_canon: bool = False
    """Whether canon led to some of them."""


@dataclass(frozen=True, slots=True)
class TurnSearch:
    """Finds and ranks the turns that may answer a question."""

    canon: CanonReader
    log: LogReader
    index: TextIndex
    weights: RankingWeights

    async def rank_turns(
        self,
        question: str,
        cues: QuestionCues,
        item_scores: WayScoresById,
        graph_links: GraphLinks,
        search_scope: SearchScope,
        k: int,
    ) -> TurnRanking:
        """Return many more turns than the `k` that are wanted, each with its score by way of searching.

        Raises StoreError.
        """
        weights = self.weights
        item_scores = {
            id: item_scores[id]
            for id in rank_ids(item_scores)[: min(MAX_TURNS_READ, max(MIN_TURNS_READ, READ_PER_RESULT * k))]
        }
        day_turn_ids, scene_shares = await gather(
            self._search_named_days(cues, search_scope),
            SceneTurnFinder(self.log, self.index).find_turns(question, cues, search_scope),
        )
        for id in (*day_turn_ids, *scene_shares):
            item_scores.setdefault(id, {})
        candidates = await self._read_candidates((*item_scores, *graph_links.turn_shares), search_scope)
        scored_turns = score_own_words(
            spread_to_neighbours(item_scores, candidates, weights), candidates, cues, weights
        )
        for id, share in graph_links.turn_shares.items():
            if id in candidates:
                _add_score(scored_turns, id, "graph", weights.graph * share)
        for id, share in scene_shares.items():
            if id in candidates:
                _add_score(scored_turns, id, "graph", weights.scene * share)
        ids_on_named_days = day_turn_ids | await self._turns_on_named_days(candidates, cues)
        add_cue_scores(scored_turns, candidates, cues, ids_on_named_days, weights)
        if weights.bridge:
            await self._search_along_names(
                question, cues, scored_turns, candidates, graph_links, search_scope
            )
        if cues.asks_about_present:
            await self._lower_turns_of_ended_facts(scored_turns, graph_links)
        boost_later_turns(scored_turns, candidates, cues, weights)
        add_length_scores(scored_turns, candidates, weights)
        lost_count = sum(1 for id in item_scores if id not in candidates)
        return TurnRanking(scored_turns, lost_count, candidates, bool(graph_links.turn_shares))

    async def _search_named_days(self, cues: QuestionCues, search_scope: SearchScope) -> set[Id]:
        """Return turns of the days that the question names, and turns that tell of them."""
        day_words = [
            calendar_day_words(day.year, day.month, day.day)[0] for day in cues.dates if day.month and day.day
        ]
        day_words += [world_day_word(number) for number in cues.world_days]
        if not day_words:
            return set()
        hits = await self.index.search(
            "turns", " ".join(day_words), k=MAX_DAY_HITS, scope=_index_scope(search_scope)
        )
        return {hit.id for hit in hits}

    async def _turns_on_named_days(
        self, candidates: Mapping[Id, TurnCandidate], cues: QuestionCues
    ) -> set[Id]:
        """Return the turns that were said on a date that the question names, as far as their log gives dates."""
        if not cues.dates:
            return set()
        scene_ids = {one.turn.scene_id for one in candidates.values() if one.turn.ref}
        scenes = await self.log.scenes_by_id(scene_ids)
        matching_ids: set[Id] = set()
        for id, one in candidates.items():
            scene = scenes.get(one.turn.scene_id)
            _, moment = parse_time(describe_said_time(one.turn, scene)) if scene else ("", None)
            if moment is not None and any(day.includes(moment) for day in cues.dates):
                matching_ids.add(id)
        return matching_ids

    async def _read_candidates(self, ids: Iterable[Id], search_scope: SearchScope) -> dict[Id, TurnCandidate]:
        """Read the turns that are on the line and within the scope."""
        turns = await self.log.turns(list(dict.fromkeys(ids)))
        ids_on_line, pc_names = await gather(
            self.log.on_line(search_scope.scene_id, turns) if turns else _no_ids(),
            self._read_pc_names(
                {t.scene_id for t in turns.values() if t.speaker is Speaker.PLAYER and not t.name}
            ),
        )
        return {
            id: TurnCandidate.from_turn(turn, turn.name or pc_names.get(turn.scene_id, ""))
            for id, turn in turns.items()
            if id in ids_on_line
        }

    async def _read_pc_names(self, scene_ids: Collection[Id]) -> dict[Id, str]:
        """Return the player character's name by scene, for player turns that name nobody."""
        if not scene_ids:
            return {}
        scenes = await self.log.scenes_by_id(scene_ids)
        story_by_scene = {scene.id: scene.story_id for scene in scenes.values()}
        pc_name_by_story: dict[Id, str] = {}
        for story_id in set(story_by_scene.values()):
            try:
                pc_id = (await self.log.story(story_id)).pc_id
                if pc_id:
                    pc_name_by_story[story_id] = (await self.canon.entity(pc_id)).name
            except NotFound:
                continue  # only proposed so far, not in canon: its turns have no speaker's name
        return {scene_id: pc_name_by_story.get(story_id, "") for scene_id, story_id in story_by_scene.items()}

    async def _search_along_names(
        self,
        question: str,
        cues: QuestionCues,
        scored_turns: WayScoresById,
        candidates: dict[Id, TurnCandidate],
        graph_links: GraphLinks,
        search_scope: SearchScope,
    ) -> None:
        """Search a second time, for the names in the first hits."""
        first_candidates = [candidates[id] for id in rank_ids(scored_turns)[:FIRST_HITS]]
        bridge_names = _list_bridge_names(first_candidates, cues, graph_links)
        if not bridge_names:
            return
        # Without the question's own words, which were searched already; rare words make a fast search.
        query_text = " ".join((*bridge_names, *find_names(question)))
        hits = await self.index.search(
            "turns", query_text, k=SECOND_SEARCH_HITS, scope=_index_scope(search_scope)
        )
        new_ids = [hit.id for hit in hits if hit.id not in candidates]
        candidates |= {
            id: one
            for id, one in (await self._read_candidates(new_ids, search_scope)).items()
            if id not in candidates
        }
        for id, score in normalise_scores(hits).items():
            if id in candidates:
                _add_score(scored_turns, id, "graph", self.weights.bridge * score)

    async def _lower_turns_of_ended_facts(self, scored_turns: WayScoresById, graph_links: GraphLinks) -> None:
        """Lower the turns that are evidence of ended facts only."""
        top_ids = rank_ids(scored_turns)[:MAX_TURNS_CHECKED]
        ended_only_ids = set(graph_links.ended_only_turn_ids)
        supports = await self.canon.supported_by(top_ids) if top_ids else []
        facts = await self.canon.facts_by_id({subject for _, subject in supports}) if supports else {}
        current_ids = {
            turn for turn, subject in supports if subject in facts and not is_ended(facts[subject])
        }
        ended_only_ids |= {turn for turn, subject in supports if subject in facts} - current_ids
        for id in ended_only_ids.intersection(scored_turns):
            scored_turns[id] = {way: score * ENDED_ONLY_SHARE for way, score in scored_turns[id].items()}


def _list_bridge_names(
    first_candidates: Sequence[TurnCandidate], cues: QuestionCues, graph_links: GraphLinks
) -> list[str]:
    """Return the names in the first hits that the question does not have, and those that canon leads on to."""
    name_counts = Counter(
        name
        for one in first_candidates
        for name in find_names(one.turn.text)
        if not cues.words.intersection(split_words(name))
    )
    bridge_names = (*graph_links.bridge_names[:3], *(name for name, _ in name_counts.most_common(4)))
    return list(dict.fromkeys(bridge_names))[:MAX_BRIDGES]


def _add_score(scored_turns: WayScoresById, id: Id, way: str, score: float) -> None:
    turn_scores = scored_turns.setdefault(id, {})
    turn_scores[way] = turn_scores.get(way, 0.0) + score


def _index_scope(search_scope: SearchScope) -> dict[str, str]:
    scope = {"universe": search_scope.universe_id}
    scope |= {"story": search_scope.story_id} if search_scope.story_id else {}
    return scope | ({"scene": search_scope.scene_id} if search_scope.scene_id else {})


async def _no_ids() -> set[Id]:
    return set()
