"""`/clock` and `/track`: what comes nearer, and what is worked at; started, moved, set, stopped.

Every act is a proposal that moves the clock at once on this line, goes with its turn, and becomes canon at
the gate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.clock_faces import format_clock, format_track
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.resolver.clocks import clock_change
from agents.resolver.typed_text import did_you_mean, fold_name, one_line
from agents.solo.story_journal import KEPT, Books
from stores.errors import InputError
from stores.records.canon import AdvanceClock
from stores.records.clocks import TRACK_TICKS, Pace, ProgressClock
from stores.records.ids import Id

MAX_NAME: Final = 80
MAX_SIZE: Final = 100
CLOCK_WAYS: Final = (
    "/clock Tide 6 starts one, /clock Tide +1 moves it, /clock Tide = 3 sets it, "
    "/clock Tide per scene 1 lets it go by itself, /clock Tide stop ends it."
)
TRACK_WAYS: Final = (
    "/track Find the bell starts one (brisk, steady, slow or epic behind the name), /track 1 mark works at "
    "it, /track 1 roll finishes it, /track 1 stop drops it."
)
_PER_SCENE: Final = r"per\s+scene\s+(?P<per>[+-]?\d{1,4}|off)"
_START: Final = re.compile(r"(?P<name>.+?)\s+(?P<size>\d{1,9})", re.DOTALL)
_START_GOING: Final = re.compile(rf"{_START.pattern}\s+{_PER_SCENE}", re.I | re.DOTALL)
_GOES: Final = re.compile(rf"(?P<name>.+?)\s+{_PER_SCENE}", re.I | re.DOTALL)
_MOVE: Final = re.compile(r"(?P<name>.+?)\s+(?P<by>[+-]\s*\d{1,9})", re.DOTALL)
_SET: Final = re.compile(r"(?P<name>.+?)\s*=\s*(?P<to>\d{1,9})", re.DOTALL)
_STOP: Final = re.compile(r"(?P<name>.+?)\s+(?:stop|end|close)", re.I | re.DOTALL)
_TRACK_ACT: Final = re.compile(
    r"(?P<name>.+?)\s+(?P<verb>mark|roll|stop|end|close)(?:\s+(?P<times>[+-]?\d{1,4}))?", re.I | re.DOTALL
)


class Clocks:
    """Moves clocks and tracks. Stateless: they are in canon, and staged on the line."""

    def __init__(self, books: Books, agendas: StoryAgendaReader, declarations: DeclarationService) -> None:
        self._books = books
        self._agendas = agendas
        self._declarations = declarations

    # --- clocks --------------------------------------------------------------------------------------

    async def list(self, context: SceneContext) -> tuple[str, ...]:
        """Return the clocks that run, as lines."""
        running = (await self._agendas.read_agenda(context)).open_clocks
        return tuple(f"{number}. {clock_line(clock)}" for number, clock in enumerate(running, start=1))

    async def act(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed behind `/clock`; returns what came of it. Raises InputError."""
        context = await self._books.opened(scene_id)
        clocks = [c for c in (await self._agendas.read_agenda(context)).clocks if not c.is_track]
        text = argument.strip()
        if found := _START_GOING.fullmatch(text):
            return await self._start(context, clocks, found["name"], int(found["size"]), found["per"])
        if found := _GOES.fullmatch(text):
            clock = _running(clocks, found["name"])
            return await self._stage(context, clock, clock_change(clock, per_scene=_per_scene(found["per"])))
        if found := _MOVE.fullmatch(text):
            clock = _running(clocks, found["name"])
            by = _bounded(int(re.sub(r"\s", "", found["by"])))
            if clock.moved_to(clock.filled + by) == clock:
                edge = "full" if by > 0 else "empty"
                raise InputError(f"{clock.name} is {edge} already.", kept=KEPT, todo=CLOCK_WAYS)
            return await self._stage(context, clock, clock_change(clock, by=by))
        if found := _SET.fullmatch(text):
            clock = _running(clocks, found["name"])
            to = int(found["to"])
            if to > clock.size:
                raise InputError(
                    f"{clock.name} has {clock.size} steps and cannot stand at {to:,}.",
                    kept=KEPT,
                    todo=f"/clock {clock.name} = {clock.size} fills it.",
                )
            return await self._stage(context, clock, clock_change(clock, to=to))
        if found := _STOP.fullmatch(text):
            clock = _running(clocks, found["name"])
            return await self._stage(context, clock, clock_change(clock, is_closed=True))
        if found := _START.fullmatch(text):
            return await self._start(context, clocks, found["name"], int(found["size"]), "off")
        return (clock_line(_running(clocks, text)), CLOCK_WAYS)

    async def _start(
        self, context: SceneContext, clocks: Sequence[ProgressClock], words: str, size: int, per: str
    ) -> tuple[str, ...]:
        name = _name(words, "/clock Tide 6")
        known = _find(clocks, name)
        if known is not None and not known.closed:
            raise InputError(
                f"{known.name} runs already: {format_clock(known)}.",
                kept=KEPT,
                todo=f"/clock {known.name} = 0 sets it back; /clock {known.name} stop ends it.",
            )
        if not 1 <= size <= MAX_SIZE:
            raise InputError(
                f"A clock of {size:,} steps would never end."
                if size
                else "A clock of no steps is over at once.",
                kept=KEPT,
                todo=f"It has 1 to {MAX_SIZE}, most often 4, 6 or 8.",
            )
        name = known.name if known else name
        change = AdvanceClock(clock=name, by=0, size=size, per_scene=_per_scene(per), closed=False)
        return await self._stage(context, known, change)

    # --- tracks --------------------------------------------------------------------------------------

    async def tracks(self, context: SceneContext) -> tuple[str, ...]:
        """Return the tracks that are worked at, as lines."""
        open_ones = (await self._agendas.read_agenda(context)).open_tracks
        return tuple(f"{number}. {clock_line(track)}" for number, track in enumerate(open_ones, start=1))

    async def act_on_track(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed behind `/track`, but for the roll. Raises InputError."""
        context = await self._books.opened(scene_id)
        tracks = [c for c in (await self._agendas.read_agenda(context)).clocks if c.is_track]
        found = _TRACK_ACT.fullmatch(argument.strip())
        if found is None:
            named = _find(tracks, argument.strip())
            if named is not None and not named.closed:
                return (clock_line(named), TRACK_WAYS)
            return await self._start_track(context, tracks, argument.strip())
        track = _running(tracks, found["name"], "track")
        if found["verb"].casefold() != "mark":
            return await self._stage(context, track, clock_change(track, is_closed=True))
        change = clock_change(track, by=_bounded(int(found["times"] or 1)))
        if change.after(track) == track:
            edge = "All ten boxes are full" if change.by > 0 else "Nothing would be marked"
            raise InputError(f"{edge}.", kept=KEPT, todo="/track 1 roll finishes it.")
        return await self._stage(context, track, change)

    async def to_finish(self, context: SceneContext, words: str) -> ProgressClock:
        """Return the open track that is meant. Raises InputError if there is none."""
        return _running((await self._agendas.read_agenda(context)).open_tracks, words, "track")

    async def _start_track(
        self, context: SceneContext, tracks: Sequence[ProgressClock], words: str
    ) -> tuple[str, ...]:
        head, _, last = words.rpartition(" ")
        paces = {pace.value: pace for pace in Pace}
        pace = paces.get(last.casefold()) if head else None
        name = _name(head if pace else words, "/track Find the bell slow")
        if name.isdecimal():
            raise InputError(f"There is no track {name}.", kept=KEPT, todo=TRACK_WAYS)
        known = _find(tracks, name)
        if known is not None and not known.closed:
            raise InputError(
                f"{known.name} is worked at already: {format_track(known)}.", kept=KEPT, todo=TRACK_WAYS
            )
        change = AdvanceClock(
            clock=known.name if known else name,
            by=0,
            size=TRACK_TICKS,
            closed=False,
            pace=pace or Pace.STEADY,
        )
        return await self._stage(context, known, change)

    # --- inside --------------------------------------------------------------------------------------

    async def _stage(
        self, context: SceneContext, before: ProgressClock | None, change: AdvanceClock
    ) -> tuple[str, ...]:
        after = change.after(before)
        if after == before:
            raise InputError(f"{after.name} is so already.", kept=KEPT)
        line = clock_line(after)
        await self._declarations.stage_change(context, change, line)
        return (line,)


def clock_line(clock: ProgressClock) -> str:
    """Return `Tide ●●○○○○ 2/6, 1 each scene`."""
    if clock.is_track:
        shown, goes = format_track(clock), f", {clock.pace}"
    else:
        shown = format_clock(clock)
        goes = f", {clock.per_scene:+d} each scene" if clock.per_scene else ""
    ends = "" if not clock.closed else ", struck" if clock.is_full and not clock.is_track else ", stopped"
    return f"{clock.name} {shown}{goes if not clock.closed else ''}{ends}"


def _find(clocks: Sequence[ProgressClock], words: str) -> ProgressClock | None:
    """Return the clock of that name, or with that number among those that run."""
    wanted = fold_name(words)
    named = next((c for c in clocks if fold_name(c.name) == wanted), None)
    running = [c for c in clocks if not c.closed]
    if named is None and wanted.isdecimal() and len(wanted) < 4 and 1 <= int(wanted) <= len(running):
        return running[int(wanted) - 1]
    return named


def _running(clocks: Sequence[ProgressClock], words: str, what: str = "clock") -> ProgressClock:
    """Return the clock that is meant and runs. Raises InputError."""
    clock = _find(clocks, words)
    ways = TRACK_WAYS if what == "track" else CLOCK_WAYS
    if clock is None:
        near = did_you_mean(words, [c.name for c in clocks if not c.closed])
        raise InputError(f"There is no {what} {one_line(words)[:60]!r}.", kept=KEPT, todo=near or ways)
    if clock.closed:
        over = "has struck" if clock.is_full and what == "clock" else "was stopped"
        start = f"/clock {clock.name} {clock.size}" if what == "clock" else f"/track {clock.name}"
        raise InputError(f"{clock.name} {over}.", kept=KEPT, todo=f"{start} starts it anew.")
    return clock


def _name(words: str, example: str) -> str:
    name = one_line(words).strip(' "“”')
    if not name:
        raise InputError("It needs a name.", kept=KEPT, todo=f"As in: {example}")
    if len(name) > MAX_NAME:
        raise InputError(f"That name has {len(name)} characters; {MAX_NAME} is the most.", kept=KEPT)
    return name


def _per_scene(words: str) -> int:
    per = 0 if words.casefold() == "off" else int(words)
    if abs(per) > MAX_SIZE:
        raise InputError(f"{per:+,d} each scene is too much.", kept=KEPT, todo=f"{MAX_SIZE} is the most.")
    return per


def _bounded(steps: int) -> int:
    return max(-MAX_SIZE, min(MAX_SIZE, steps))
