"""Short recaps read from the record: "previously on" when a story is opened, and what a session brought.

Pure and deterministic; no model has a hand in it, so nothing stands in a recap that is not on record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.commitments import closed_statement
from agents.sanitize import clean
from agents.world_time.calendar import format_tick
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.clocks import BOXES_PER_TRACK, ProgressClock
from stores.records.ids import Id
from stores.records.play import Degree, Resolution, Scene, Speaker, Turn
from stores.records.story_journal import Thread
from stores.records.world import Calendar

WIDTH: Final = 160
"""Characters in a line, at most."""
SCENES: Final = 2
"""Scenes that "previously on" looks back on, and open matters that it names."""
SESSION_SCENES: Final = 4
BRIEF: Final = 32
"""Characters of an open matter where several stand in a line."""
NAMED: Final = 3
"""Facts that a session's recap names; the others are counted."""

_TELLING: Final = (
    FactKind.EVENT,
    FactKind.COMMITMENT,
    FactKind.CHANGE,
    FactKind.ENCOUNTER,
    FactKind.RELATION,
    FactKind.ASSERTION,
    FactKind.STATE,
    FactKind.ATTRIBUTE,
    FactKind.AXIOM,
)
"""Kinds of fact, from what one would tell first to what one would not."""
_SENTENCE_END: Final = re.compile(r"""(?<=[.!?…])\s+|(?<=[.!?…]["'”’)])\s+""")


@dataclass(frozen=True, slots=True)
class RecapScene:
    """A scene, what it made canon, and the name of its place."""

    scene: Scene
    outcomes: Sequence[Fact] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class StorySoFar:
    """What "previously on" is made of.

    `scenes` oldest first, the last is where play stands; `last` are the last turns of its line, oldest
    first; `now` is the world time (tick). Closed commitments, threads and clocks may be among the others.
    """

    calendar: Calendar
    scenes: Sequence[RecapScene]
    now: int
    commitments: Sequence[Fact] = ()
    threads: Sequence[Thread] = ()
    clocks: Sequence[ProgressClock] = ()
    last: Sequence[Turn] = ()
    hero: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """What was played from one opening to the next: world time `began` to `ended` (ticks).

    `facts` became canon in it, `paid_off` are the commitments that it closed, `commitments` all that
    the story has.
    """

    calendar: Calendar
    began: int
    ended: int
    scenes: Sequence[RecapScene] = ()
    turns: Sequence[Turn] = ()
    resolutions: Sequence[Resolution] = ()
    facts: Sequence[Fact] = ()
    paid_off: Sequence[Fact] = ()
    commitments: Sequence[Fact] = ()


# --- previously on ----------------------------------------------------------------------------------


def previously_on(story: StorySoFar) -> tuple[str, ...]:
    """Return three to six short lines (fewer when there is less to tell): what came of the last scenes,
    where play stands, the last words, and what is open."""
    told = [line for part in story.scenes[:-1] if (line := _came_of(part))]
    matters = open_matters(story.commitments, story.threads, story.calendar)
    play = (*_where(story), *_last_words(story.last, story.hero))
    lines = [*told[-SCENES:], *play, *_named(matters), *_running(story.clocks)]
    return tuple(map(shortened, lines))


def in_short(story: StorySoFar) -> tuple[str, ...]:
    """Return one line of what came last, and one of what is open; fewer when there is less to tell."""
    told = [line for part in story.scenes[:-1] if (line := _came_of(part))]
    matters = open_matters(story.commitments, story.threads, story.calendar, ages=False)
    names = " · ".join(shortened(matter.rstrip("."), BRIEF) for matter in matters[:NAMED])
    open_line = [f"{len(matters)} open: {names}"] if matters else []
    return tuple(map(shortened, (*told[-1:], *open_line, *_running(story.clocks))))


def open_matters(
    commitments: Iterable[Fact], threads: Iterable[Thread], calendar: Calendar, *, ages: bool = True
) -> tuple[str, ...]:
    """Return what is open, in words and with its age: the heaviest first, of these commitments first, then
    threads, the oldest first."""
    held = list(threads)
    weights = {thread.fact_id: thread.weight for thread in held if thread.fact_id}
    still = sorted(filter(_is_open, commitments), key=_age)
    shown = {fact.id for fact in still}
    loose = sorted(
        (t for t in held if t.is_open and t.fact_id not in shown), key=lambda t: (t.since or 0, t.name, t.id)
    )
    matters = [
        *((weights.get(fact.id, 1), fact.valid_from, fact.statement) for fact in still),
        *((thread.weight, thread.since, thread.name) for thread in loose),
    ]
    matters.sort(key=lambda matter: -matter[0])
    return tuple(_since(tick if ages else None, words, calendar) for _, tick, words in matters)


def _came_of(part: RecapScene) -> str:
    made = " ".join(fact.statement for fact in telling(part.outcomes)[:2])
    outcome = _plain(part.scene.summary) or _plain(made)
    return f"{_title(part.scene)}: {outcome}" if outcome else ""


def _where(story: StorySoFar) -> Iterator[str]:
    for part in story.scenes[-1:]:
        when = format_tick(story.calendar, story.now)
        place, goal = _plain(part.place), _plain(part.scene.goal)
        where = f"Now: {when}, {place}. " if place else f"Now: {when}. "
        yield f"{where}{_title(part.scene)}: {goal}" if goal else f"{where}{_title(part.scene)}"


def _last_words(turns: Sequence[Turn], hero: str) -> Iterator[str]:
    """Yield the player's last words, and how the answer to them ended."""
    said = next((t for t in reversed(turns) if t.speaker is Speaker.PLAYER), None)
    later = turns[turns.index(said) + 1 :] if said else turns
    answer = next((t for t in reversed(later) if t.speaker in (Speaker.GM, Speaker.NPC)), None)
    answer = answer or next((t for t in reversed(later) if t.speaker is Speaker.ORACLE), None)
    who = shortened(hero, 40) or "You"
    match said, answer:
        case None, None:
            return
        case Turn(), Turn():
            half = (WIDTH - len(who) - 12) // 2
            yield f"Last: {who}: {shortened(said.text, half)} — {ending(answer.text, half)}"
        case Turn(), None:
            yield f"Last: {who}: {said.text}"
        case None, Turn():
            yield f"Last: {ending(answer.text, WIDTH - 6)}"


def _named(matters: Sequence[str]) -> Iterator[str]:
    shown = matters[:SCENES]
    more = len(matters) - len(shown)
    for n, matter in enumerate(shown, start=1):
        tail = f" (and {more} more)" if more and n == len(shown) else ""
        yield f"Open: {shortened(matter, WIDTH - 6 - len(tail))}{tail}"


def _running(clocks: Sequence[ProgressClock]) -> Iterator[str]:
    """Yield how the open clocks and tracks stand, in a line."""
    shown = ", ".join(f"{c.name} {_far(c)}" for c in clocks if not c.closed)
    if shown:
        yield f"Clocks: {shown}"


def _far(clock: ProgressClock) -> str:
    return f"{clock.boxes}/{BOXES_PER_TRACK}" if clock.is_track else f"{clock.filled}/{clock.size}"


# --- a session --------------------------------------------------------------------------------------


def session_recap(session: Session) -> tuple[str, ...]:
    """Return what a session brought, a short line each: play, scenes, rolls, canon, what is open."""
    return tuple(map(shortened, _session_lines(session)))


def _session_lines(session: Session) -> Iterator[str]:
    exchanges = len({turn.exchange_id for turn in session.turns})
    began, ended = (format_tick(session.calendar, tick) for tick in (session.began, session.ended))
    time = began if began == ended else f"{began} to {ended}"
    yield f"Played: {_count(exchanges, 'exchange')} in {_count(len(session.scenes), 'scene')}. {time}."
    told = [line for part in session.scenes if (line := _came_of(part))]
    yield from told[-SESSION_SCENES:]
    if session.resolutions:
        degrees = Counter(resolution.degree for resolution in session.resolutions)
        shares = ", ".join(f"{degrees[d]} {d}" for d in Degree if degrees[d] and d is not Degree.NONE)
        yield f"Rolled: {_count(len(session.resolutions), 'time')}" + (f" ({shares})." if shares else ".")
    if session.facts:
        named = " ".join(fact.statement for fact in telling(session.facts)[:NAMED])
        more = len(session.facts) - NAMED
        tail = f" (and {more} more)" if more > 0 else ""
        yield f"New in canon: {shortened(named, WIDTH - 14 - len(tail))}{tail}"
    for fact in session.paid_off[:NAMED]:
        yield closed_statement(fact)
    yield from _named(open_matters(session.commitments, (), session.calendar))


# --- words ------------------------------------------------------------------------------------------


def telling(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts in the order one would tell them: by kind, then as they came."""
    return sorted(facts, key=lambda fact: _TELLING.index(fact.kind))


def shortened(text: str, width: int = WIDTH) -> str:
    """Return `text` as one line of at most `width` characters, cut behind a word."""
    line = _plain(text)
    if len(line) <= width:
        return line
    head, _, _ = line[:width].rpartition(" ")
    return f"{(head if len(head) >= width // 2 else line[: width - 1]).rstrip(' ,;:')}…"


def ending(text: str, width: int) -> str:
    """Return the last sentences of `text` that fit into `width` characters; at least (part of) one."""
    sentences = _SENTENCE_END.split(_plain(text))
    kept = sentences[-1]
    for sentence in reversed(sentences[:-1]):
        if len(sentence) + 1 + len(kept) > width:
            break
        kept = f"{sentence} {kept}"
    return shortened(kept, width)


def _plain(text: str) -> str:
    return " ".join(clean(text).split())


def _title(scene: Scene) -> str:
    name, title = f"Scene {scene.order}", _plain(scene.title)
    return name if title in ("", name) else f'{name} "{title}"'


def _is_open(fact: Fact) -> bool:
    canonical = fact.status is FactStatus.CANONICAL and fact.valid_to is None
    return fact.kind is FactKind.COMMITMENT and canonical and not fact.closed


def _age(fact: Fact) -> tuple[bool, int, Id]:
    return fact.valid_from is not None, fact.valid_from or 0, fact.id


def _since(tick: int | None, words: str, calendar: Calendar) -> str:
    return words if tick is None else f"{words.rstrip('.')} (since {format_tick(calendar, tick)})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
