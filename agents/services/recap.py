"""Builds the short recap "previously on" of a story. Pure.

Deterministic, and without a model, so that a recap holds only what is on record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.proposals.statements import as_sentence
from agents.prose.words import NO_TITLE_BEFORE
from agents.sanitize import clean
from agents.world_time.calendar import format_tick
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.clocks import BOXES_PER_TRACK, ProgressClock
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS, Scene, Speaker, Turn
from stores.records.story_journal import Thread
from stores.records.world import Calendar

MAX_LINE_WIDTH: Final = 160
"""Characters in a line."""
MAX_RECAP_ITEMS: Final = 2
"""Scenes that a recap looks back on, and open matters that it names."""
MAX_BRIEF_WIDTH: Final = 32
"""Characters of an open matter where a line names several."""
MAX_NAMED_FACTS: Final = 3
"""Open matters that a short recap names."""

_FACT_KIND_ORDER: Final = (
    FactKind.EVENT,
    FactKind.COMMITMENT,
    FactKind.CHANGE,
    FactKind.ENCOUNTER,
    FactKind.RELATION,
    FactKind.ASSERTION,
    FactKind.STATE,
    FactKind.ATTRIBUTE,
    FactKind.AXIOM,
    FactKind.LORE,
)
"""Kinds of fact, the most interesting first."""
_SENTENCE_END: Final = re.compile(rf"""(?<=[.!?…]){NO_TITLE_BEFORE}\s+|(?<=[.!?…]["'”’)])\s+""")


@dataclass(frozen=True, slots=True)
class RecapScene:
    """A scene, the facts it made canon, and the name of its place."""

    scene: Scene
    outcomes: Sequence[Fact] = ()
    place_name: str = ""


@dataclass(frozen=True, slots=True)
class RecapInput:
    """What a recap is made from.

    `scenes` are oldest first, the last is the one in play; `last_turns` are the last turns of its timeline,
    oldest first; `current_tick` is world time. Closed commitments, threads and clocks may be among the others.
    """

    calendar: Calendar
    scenes: Sequence[RecapScene]
    current_tick: int
    commitments: Sequence[Fact] = ()
    threads: Sequence[Thread] = ()
    clocks: Sequence[ProgressClock] = ()
    decisions: Sequence[str] = ()
    last_turns: Sequence[Turn] = ()
    hero_name: str = ""


# --- previously on ----------------------------------------------------------------------------------


def build_previously_lines(story: RecapInput) -> tuple[str, ...]:
    """Return three to seven short lines (fewer when there is less to say).

    They say what the last scenes changed, where play is, the last words, what is open and what is decided.
    """
    outcome_lines = [line for part in story.scenes[:-1] if (line := _describe_outcome(part))]
    open_texts = describe_open_matters(story.commitments, story.threads, story.calendar)
    play_lines = (*_describe_place(story), *_describe_last_words(story.last_turns, story.hero_name))
    lines = [
        *outcome_lines[-MAX_RECAP_ITEMS:],
        *play_lines,
        *_list_open_matters(open_texts),
        *_list_decisions(story.decisions),
        *_describe_clocks(story.clocks),
    ]
    return tuple(map(shorten_line, lines))


def build_short_recap(story: RecapInput) -> tuple[str, ...]:
    """Return one line on the last change and one on what is open; fewer when there is less to say."""
    outcome_lines = [line for part in story.scenes[:-1] if (line := _describe_outcome(part))]
    open_texts = describe_open_matters(story.commitments, story.threads, story.calendar, with_ages=False)
    open_names = " · ".join(
        shorten_line(matter.rstrip("."), MAX_BRIEF_WIDTH) for matter in open_texts[:MAX_NAMED_FACTS]
    )
    open_line = [f"{len(open_texts)} open: {open_names}"] if open_texts else []
    return tuple(map(shorten_line, (*outcome_lines[-1:], *open_line, *_describe_clocks(story.clocks))))


def describe_open_matters(
    commitments: Iterable[Fact], threads: Iterable[Thread], calendar: Calendar, *, with_ages: bool = True
) -> tuple[str, ...]:
    """Return what is open, in words and with its age, by weight.

    Of equal weight, commitments come before threads, and older ones before newer ones.
    """
    all_threads = list(threads)
    weights_by_fact = {thread.fact_id: thread.weight for thread in all_threads if thread.fact_id}
    open_commitments = sorted(filter(_is_open_commitment, commitments), key=_age_key)
    shown_ids = {fact.id for fact in open_commitments}
    unlinked_threads = sorted(
        (t for t in all_threads if t.is_open and t.fact_id not in shown_ids),
        key=lambda t: (t.since or 0, t.name, t.id),
    )
    matters = [
        *(
            (
                weights_by_fact.get(fact.id, 1),
                fact.valid_from,
                f"A secret: {fact.statement}" if fact.is_secret else fact.statement,
            )
            for fact in open_commitments
        ),
        *((thread.weight, thread.since, thread.name) for thread in unlinked_threads),
    ]
    matters.sort(key=lambda matter: -matter[0])
    return tuple(_add_start_time(tick if with_ages else None, text, calendar) for _, tick, text in matters)


def _describe_outcome(part: RecapScene) -> str:
    outcome_text = " ".join(
        f"A secret: {fact.statement}" if fact.is_secret else fact.statement
        for fact in sort_by_interest(part.outcomes)[:2]
    )
    outcome = _to_single_line(part.scene.summary) or _to_single_line(outcome_text)
    return f"{_scene_title(part.scene)}: {as_sentence(outcome)}" if outcome else ""


def _describe_place(story: RecapInput) -> Iterator[str]:
    for part in story.scenes[-1:]:
        time_text = format_tick(story.calendar, story.current_tick)
        place_name, goal = _to_single_line(part.place_name), _to_single_line(part.scene.goal)
        now_text = f"Now: {time_text}, {place_name}. " if place_name else f"Now: {time_text}. "
        title = _scene_title(part.scene)
        yield f"{now_text}{title}: {as_sentence(goal)}" if goal else f"{now_text}{title}."


def _describe_last_words(turns: Sequence[Turn], hero: str) -> Iterator[str]:
    """Yield the player's last words, and the end of the answer to them."""
    player_turn = next((t for t in reversed(turns) if t.speaker is Speaker.PLAYER), None)
    later_turns = turns[turns.index(player_turn) + 1 :] if player_turn else turns
    answer_turn = next((t for t in reversed(later_turns) if t.speaker in GM_SPEAKERS), None)
    answer_turn = answer_turn or next((t for t in reversed(later_turns) if t.speaker is Speaker.ORACLE), None)
    hero_name = shorten_line(hero, 40) or "You"
    match player_turn, answer_turn:
        case None, None:
            return
        case Turn(), Turn():
            half_width = (MAX_LINE_WIDTH - len(hero_name) - 12) // 2
            yield (
                f"Last: {hero_name}: {shorten_line(player_turn.text, half_width)} — "
                f"{last_sentences(answer_turn.text, half_width)}"
            )
        case Turn(), None:
            yield f"Last: {hero_name}: {player_turn.text}"
        case None, Turn():
            yield f"Last: {last_sentences(answer_turn.text, MAX_LINE_WIDTH - 6)}"


def _list_open_matters(matters: Sequence[str]) -> Iterator[str]:
    shown_matters = matters[:MAX_RECAP_ITEMS]
    omitted_count = len(matters) - len(shown_matters)
    for n, matter in enumerate(shown_matters, start=1):
        omitted_note = f" (and {omitted_count} more)" if omitted_count and n == len(shown_matters) else ""
        yield f"Open: {shorten_line(matter, MAX_LINE_WIDTH - 6 - len(omitted_note))}{omitted_note}"


def _list_decisions(decisions: Sequence[str]) -> Iterator[str]:
    """Yield a line on the last decision that holds."""
    omitted_count = len(decisions) - 1
    for decision in decisions[-1:]:
        omitted_note = f" (and {omitted_count} more)" if omitted_count else ""
        yield f"Decided: {shorten_line(decision, MAX_LINE_WIDTH - 9 - len(omitted_note))}{omitted_note}"


def _describe_clocks(clocks: Sequence[ProgressClock]) -> Iterator[str]:
    """Yield a line on the open clocks and tracks."""
    clocks_text = ", ".join(f"{c.name} {_describe_progress(c)}" for c in clocks if not c.closed)
    if clocks_text:
        yield f"Clocks: {clocks_text}"


def _describe_progress(clock: ProgressClock) -> str:
    return f"{clock.boxes}/{BOXES_PER_TRACK}" if clock.is_track else f"{clock.filled}/{clock.size}"


# --- words ------------------------------------------------------------------------------------------


def sort_by_interest(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts by kind, the most interesting first, then in their order."""
    return sorted(facts, key=lambda fact: _FACT_KIND_ORDER.index(fact.kind))


def shorten_line(text: str, width: int = MAX_LINE_WIDTH) -> str:
    """Return `text` as one line of at most `width` characters, cut after a word."""
    line = _to_single_line(text)
    if len(line) <= width:
        return line
    cut_text, _, _ = line[:width].rpartition(" ")
    return f"{(cut_text if len(cut_text) >= width // 2 else line[: width - 1]).rstrip(' ,;:')}…"


def last_sentences(text: str, width: int) -> str:
    """Return the last sentences of `text` that fit into `width` characters; at least part of one."""
    sentences = _SENTENCE_END.split(_to_single_line(text))
    ending_text = sentences[-1]
    for sentence in reversed(sentences[:-1]):
        if len(sentence) + 1 + len(ending_text) > width:
            break
        ending_text = f"{sentence} {ending_text}"
    return shorten_line(ending_text, width)


def _to_single_line(text: str) -> str:
    return " ".join(clean(text).split())


def _scene_title(scene: Scene) -> str:
    name, title = f"Scene {scene.order}", _to_single_line(scene.title)
    return name if title in ("", name) else f"{name} “{title}”"


def _is_open_commitment(fact: Fact) -> bool:
    canonical = fact.status is FactStatus.CANONICAL and fact.valid_to is None
    return fact.kind is FactKind.COMMITMENT and canonical and not fact.closed


def _age_key(fact: Fact) -> tuple[bool, int, Id]:
    return fact.valid_from is not None, fact.valid_from or 0, fact.id


def _add_start_time(tick: int | None, text: str, calendar: Calendar) -> str:
    return text if tick is None else f"{text.rstrip('.')} (since {format_tick(calendar, tick)})"
