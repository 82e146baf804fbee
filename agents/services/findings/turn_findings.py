"""Finds turns of the transcript that bear on a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.prose.speech import strip_speech
from agents.search.asked_deeds import asks_only_what_was_said
from agents.search.asked_events import AskedEvent, EventRelation, find_event_scene, read_asked_event
from agents.search.asked_shares import Rarity, measure_rarity
from agents.search.asked_ties import may_name_relative, names_tied_one, read_asked_tie
from agents.search.belief_questions import asks_who_knows, find_believers
from agents.search.commitment_questions import asks_for_commitment, is_made_in_reverse
from agents.search.compared_texts import phrase_as_asked
from agents.search.death_questions import (
    asks_about_death,
    asks_for_all_deaths,
    find_asked_killers,
    tells_asked_death,
    tells_of_death,
)
from agents.search.place_questions import (
    asks_where_hero_is,
    read_sought_one,
    tells_only_coming,
    tells_whereabouts,
)
from agents.search.question import (
    QuestionMatch,
    RecordQuestion,
    counts_as_about_speaker,
    find_visited_places,
    remove_what_is_asked,
)
from agents.search.question_cues import read_cues
from agents.search.search_port import SearchHit
from agents.search.swapped_roles import is_told_in_reverse
from agents.search.told_debts import is_owed_by_others
from agents.search.told_departures import WORDS_OF_DEPARTURE, tells_departure
from agents.search.turn_answers import match_turn, speaks_of_deed
from agents.search.turn_ranking import turn_time_order
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import MAX_SCORE, RankedFinding, put_newest_first, similarity_of
from agents.services.rejected_quotes import QuotesByTurn, mark_rejected, read_rejected_quotes
from agents.services.result_formatter import ResultFormatter
from agents.world_time.log_times import find_said_day
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.play import Scene, Speaker, Turn

MAX_HITS: Final = 20
MAX_PLACE_OF_ANSWER: Final = 6
"""A turn that answers is among so many of the best that were found."""
MAX_BEARING: Final = 5
"""Turns that are shown beside one that answers."""
_BELOW: Final = 0.01
"""By how much of a score they come after it."""
TURNS_OF_CONTEXT: Final = 3
"""Turns before one that may say of whom it tells."""
NO_MATCH: Final = QuestionMatch(0.0, 0.0, is_match=False)
_SAYS_YOU: Final = re.compile(r"\b(?:you|your)\b", re.IGNORECASE)


class TurnFinder:
    """Finds turns of play that bear on a question."""

    def __init__(self, log: LogReader, result_formatter: ResultFormatter) -> None:
        self._log = log
        self._result_formatter = result_formatter

    async def find_turns(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return turns found by search, and whether they bear on the question; to one on now, the newest first.

        What the player has rejected at the gate says nothing. If an event says when, and no turn says so itself, the
        turns of that time answer. Raises StoreError.
        """
        hits = await search.find("turns", MAX_HITS)
        departure = await self._find_departure(hits, search)
        if departure is not None and departure.id not in {hit.id for hit in hits}:
            hits = [*hits, SearchHit(departure.id, 0.0, {})]
        ranked_findings = await self._rank_turns(search.question, hits, search, departure)
        event = read_asked_event(search.question)
        if event is None or any(ranked.is_match for ranked in ranked_findings):
            return ranked_findings
        hits_of_time = await self._find_hits_of_time(event, hits, search)
        findings_of_time = await self._rank_turns(event.other_question, hits_of_time, search)
        return findings_of_time if any(ranked.is_match for ranked in findings_of_time) else ranked_findings

    async def _find_departure(self, hits: Sequence[SearchHit], search: QuestionSearch) -> Turn | None:
        """Return the turn by which somebody sought left, if no later one says where they are."""
        question, sought = search.question, read_sought_one(search.question)
        if sought is None or not sought.is_name or sought.owner_words or asks_where_hero_is(question):
            return None
        query = " ".join((*sorted(sought.words), WORDS_OF_DEPARTURE))
        found = await search.record_search.search_by_words("turns", query, search.scope, k=MAX_HITS)
        turns = await self._log.turns({hit.id for hit in (*hits, *found.hits)})
        rejected_quotes = await read_rejected_quotes(self._log, search.scope.universe_id, turns)
        texts = {
            turn: _read_text(question, turn, rejected_quotes.get(turn.id, ()))
            for turn in turns.values()
            if turn.speaker is not Speaker.SYSTEM
        }
        departures = [turn for turn, text in texts.items() if tells_departure(sought.words, text)]
        newest = max(departures, key=turn_time_order, default=None)
        if newest is None or any(
            turn_time_order(turn) > turn_time_order(newest)
            for turn, text in texts.items()
            if turn not in departures and tells_whereabouts(sought, text)
        ):
            return None
        return newest

    async def _find_hits_of_time(
        self, event: AskedEvent, hits: Sequence[SearchHit], search: QuestionSearch
    ) -> list[SearchHit]:
        """Return the turns on the matter that were said when an event was, or before or after it, the best first."""
        telling = await search.record_search.search_by_words("turns", event.words, search.scope, k=MAX_HITS)
        turns = await self._log.turns({hit.id for hit in (*hits, *telling.hits)})
        event_turns = find_event_scene([turn for turn in turns.values() if event.is_told_in(turn.text)])
        if not event_turns:
            return []
        scene_id = event_turns[0].scene_id if event.relation is EventRelation.DURING else None
        scope = replace(search.scope, scene_id=scene_id)
        hits_of_time = await replace(search, question=event.other_question, scope=scope).find(
            "turns", MAX_HITS
        )
        turns = await self._log.turns([hit.id for hit in hits_of_time])
        return [hit for hit in hits_of_time if hit.id in turns and event.includes(turns[hit.id], event_turns)]

    async def _rank_turns(
        self,
        question: RecordQuestion,
        hits: Sequence[SearchHit],
        search: QuestionSearch,
        departure: Turn | None = None,
    ) -> list[RankedFinding]:
        turns = await self._log.turns([hit.id for hit in hits])
        earlier_turns = await self._read_earlier_turns(turns.values())
        read_ids = {*turns, *(earlier.id for before in earlier_turns.values() for earlier in before)}
        rejected_quotes = await read_rejected_quotes(self._log, search.scope.universe_id, read_ids)
        found = [
            (hit, turn)
            for hit in hits
            if (turn := turns.get(hit.id)) is not None and turn.speaker is not Speaker.SYSTEM
        ]
        scenes = await self._log.scenes_by_id({turn.scene_id for _, turn in found})
        visited_ids = find_visited_places(question)
        place_ids = {
            scene.id: visited_ids.intersection(filter(None, (scene.opening_place_id, scene.place_id)))
            for scene in scenes.values()
        }
        rarity = measure_rarity(question, [turn.text for _, turn in found])
        hero_name = _find_hero_name([turn for _, turn in found])
        matches = [
            _match_turn(
                question,
                turn,
                earlier_turns.get(turn.id, ()),
                rejected_quotes,
                place_ids.get(turn.scene_id, frozenset()),
                rarity,
                hero_name,
            )
            if _is_of_asked_days(question, turn, scenes.get(turn.scene_id))
            else NO_MATCH
            for _, turn in found
        ]
        findings = await self._result_formatter.format_turns([turn for _, turn in found])
        ranked_findings = [
            RankedFinding(
                replace(
                    mark_rejected(finding, rejected_quotes),
                    score=hit.score + MAX_SCORE * match.is_answer,
                    near=similarity_of(hit, match),
                ),
                match.is_answer
                or (match.is_match and (place < MAX_PLACE_OF_ANSWER or match.says_all))
                or (departure is not None and hit.id == departure.id),
                match.is_answer,
                is_departure=departure is not None and hit.id == departure.id,
            )
            for place, ((hit, _), finding, match) in enumerate(zip(found, findings, matches, strict=True))
        ]
        asks_where = read_sought_one(question) is not None
        if asks_where or read_cues(question.text).asks_about_now:
            newest_first = put_newest_first(ranked_findings, [turn for _, turn in found])
            ranked_findings = [replace(r, is_answer=asks_where and r.is_match) for r in newest_first]
        if _asks_for_one_thing(question):
            return ranked_findings
        touching_ids = {
            turn.id
            for (_, turn), match in zip(found, matches, strict=True)
            if match.touches(question)
            and speaks_of_deed(question, turn.text)
            and not _tells_in_reverse(question, turn, turn.text, hero_name)
        }
        return _add_bearing(ranked_findings, touching_ids)

    async def _read_earlier_turns(self, turns: Collection[Turn]) -> dict[Id, tuple[Turn, ...]]:
        """Return the turns before each of these, the last first."""
        turns_by_id = {turn.id: turn for turn in turns}
        for _ in range(TURNS_OF_CONTEXT):
            parent_ids = {t.parent_id for t in turns_by_id.values() if t.parent_id} - turns_by_id.keys()
            if not parent_ids:
                break
            turns_by_id |= await self._log.turns(parent_ids)
        return {turn.id: _list_earlier_turns(turn, turns_by_id) for turn in turns}


def _list_earlier_turns(turn: Turn, turns_by_id: Mapping[Id, Turn]) -> tuple[Turn, ...]:
    earlier_turns: list[Turn] = []
    parent = turns_by_id.get(turn.parent_id or "")
    while parent is not None and len(earlier_turns) < TURNS_OF_CONTEXT:
        earlier_turns.append(parent)
        parent = turns_by_id.get(parent.parent_id or "")
    return tuple(earlier_turns)


def _find_continued_text(turn: Turn, earlier_turns: Sequence[Turn]) -> str:
    """Return what the player did, of which the GM tells what came of it; empty if the turn is no such telling."""
    if turn.speaker is Speaker.PLAYER or not earlier_turns or earlier_turns[0].speaker is not Speaker.PLAYER:
        return ""
    return earlier_turns[0].text


def _find_hero_name(turns: Sequence[Turn]) -> str:
    """Return the name under which the player speaks, if it is one: whom `you` means in what the GM tells."""
    names = {turn.name for turn in turns if turn.speaker is Speaker.PLAYER and turn.name}
    return names.pop() if len(names) == 1 else ""


def _is_of_asked_days(question: RecordQuestion, turn: Turn, scene: Scene | None) -> bool:
    """Say whether a turn was played on a day that the question names, if it names any."""
    day = find_said_day(turn, scene) if question.dates else None
    return day is None or any(date.includes(day) for date in question.dates)


def _asks_for_one_thing(question: RecordQuestion) -> bool:
    """Say whether a question has a test of its own, which what only bears on the matter does not pass."""
    return (
        read_sought_one(question) is not None
        or asks_about_death(question)
        or asks_for_all_deaths(question)
        or bool(find_asked_killers(question))
        or asks_for_commitment(question)
        or asks_who_knows(question)
        or bool(find_believers(question))
        or asks_only_what_was_said(question)
        or read_asked_tie(question) is not None
    )


def _add_bearing(
    ranked_findings: Sequence[RankedFinding], touching_ids: Collection[Id]
) -> list[RankedFinding]:
    """Let the nearest turns on the matter stand below one that answers: what it tells of began or went on there."""
    lowest_score = min((r.finding.score for r in ranked_findings if r.is_match), default=None)
    if lowest_score is None:
        return list(ranked_findings)
    bearing = [
        r
        for r in ranked_findings
        if not r.is_match and not r.finding.rejected_quotes and r.finding.turn_id in touching_ids
    ][:MAX_BEARING]
    return [
        replace(
            ranked,
            is_match=True,
            finding=replace(ranked.finding, score=min(ranked.finding.score, lowest_score - _BELOW)),
        )
        if ranked in bearing
        else ranked
        for ranked in ranked_findings
    ]


def _read_text(question: RecordQuestion, turn: Turn, rejected_quotes: Sequence[str]) -> str:
    """Return what a turn says, without questions and what was rejected, as it is compared with the question."""
    text = remove_what_is_asked(question, turn.text)
    return phrase_as_asked(question, _remove_quotes(text, rejected_quotes))


def _remove_quotes(text: str, quotes: Sequence[str]) -> str:
    for quote in quotes:
        text = text.replace(quote, " ")
    return text


def _tells_in_reverse(question: RecordQuestion, turn: Turn, text: str, hero_name: str = "") -> bool:
    """Say whether a turn tells what is asked the other way round, or of a debt of others; `I` is whoever speaks."""
    is_players = turn.speaker is Speaker.PLAYER
    if is_owed_by_others(question, text, is_players=is_players, hero_name=hero_name):
        return True
    if is_players:
        return is_told_in_reverse(question, text, question.hero_ids)
    return is_told_in_reverse(question, f"{turn.name}: {text}" if turn.name else text)


def _match_turn(
    question: RecordQuestion,
    turn: Turn,
    earlier_turns: Sequence[Turn],
    rejected_quotes: QuotesByTurn,
    place_ids: Collection[Id],
    rarity: Rarity,
    hero_name: str,
) -> QuestionMatch:
    """Match what a turn says, without questions and what was rejected, as an answer to the turn before it.

    What happens in a scene happens at its place (`place_ids`).
    """
    text = _read_text(question, turn, rejected_quotes.get(turn.id, ()))

    def phrase_earlier(earlier: Turn, earlier_text: str) -> str:
        return phrase_as_asked(question, _remove_quotes(earlier_text, rejected_quotes.get(earlier.id, ())))

    if turn.speaker is Speaker.GM:
        speaker_name = hero_name if _SAYS_YOU.search(text) else ""
    else:
        speaker_name = turn.name if counts_as_about_speaker(question, text) else ""
    turn_match = match_turn(
        question,
        text,
        speaker_name,
        [phrase_earlier(earlier, earlier.text) for earlier in earlier_turns],
        place_ids,
        rarity,
        continued_text=phrase_earlier(earlier_turns[0], _find_continued_text(turn, earlier_turns))
        if earlier_turns
        else "",
        goes_on=bool(earlier_turns) and turn.speaker is earlier_turns[0].speaker is Speaker.PLAYER,
    )
    is_match = turn_match.is_answer and not is_made_in_reverse(
        question, text, is_of_asker=turn.speaker is Speaker.PLAYER
    )
    is_match = is_match and not _tells_in_reverse(question, turn, text, hero_name)
    if asks_for_all_deaths(question):
        is_match = tells_of_death(question, text)
    else:
        is_match = is_match and tells_asked_death(question, text)
    if (sought := read_sought_one(question)) is not None:
        is_match = tells_whereabouts(sought, text) and not tells_only_coming(text)
    is_naming = False
    if (tie := read_asked_tie(question)) is not None:
        # `My brother`, in words that the GM has somebody say, is not the player's.
        told_text = strip_speech(text) if tie.is_of_asker and turn.speaker is Speaker.GM else text
        is_naming = names_tied_one(tie, f"{turn.name}: {told_text}" if turn.name else told_text)
        is_asked_before = bool(earlier_turns) and "?" in earlier_turns[0].text
        is_match = is_naming or (
            is_match and (not tie.is_relative or may_name_relative(question, text, is_asked=is_asked_before))
        )
    return replace(
        turn_match.match,
        is_match=is_match,
        is_answer=is_naming,
        says_all=turn_match.says_all and read_sought_one(question) is None,
    )
