"""`/clock` and `/track`: started, moved, set, stopped.

Every act is a proposal that moves the clock at once on this timeline, is withdrawn with its turn, and becomes
canon at the gate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.clock_faces import format_clock, format_track
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.name_matching import match_names
from agents.resolver.clock_changes import clock_change
from agents.solo.story_journal import NOTHING_CHANGED, StoryJournal
from agents.typed_text import did_you_mean, fold_name, one_line
from stores.errors import InputError
from stores.records.canon import AdvanceClock
from stores.records.clocks import TRACK_TICKS, Pace, ProgressClock
from stores.records.ids import Id

MAX_CLOCK_NAME: Final = 80
MAX_CLOCK_SIZE: Final = 100
CLOCK_USAGE: Final = (
    "/clock NAME 6 starts one, /clock NAME +1 moves it, /clock NAME = 3 sets it, "
    "/clock NAME per scene 1 moves it each scene, /clock NAME stop ends it."
)
TRACK_USAGE: Final = (
    "/track NAME starts one (brisk, steady, slow or epic after the name), /track 1 mark makes progress, "
    "/track 1 roll finishes it, /track 1 stop drops it."
)
_PER_SCENE_PATTERN: Final = r"per\s+scene\s+(?P<per>[+-]?\d{1,4}|off)"
_START_PATTERN: Final = re.compile(r"(?P<name>.+?)\s+(?P<size>\d{1,9})", re.DOTALL)
_START_AUTOMATIC_PATTERN: Final = re.compile(
    rf"{_START_PATTERN.pattern}\s+{_PER_SCENE_PATTERN}", re.I | re.DOTALL
)
_AUTOMATIC_PATTERN: Final = re.compile(rf"(?P<name>.+?)\s+{_PER_SCENE_PATTERN}", re.I | re.DOTALL)
_MOVE_PATTERN: Final = re.compile(r"(?P<name>.+?)\s+(?P<by>[+-]\s*\d{1,9})", re.DOTALL)
_SET_PATTERN: Final = re.compile(r"(?P<name>.+?)\s*=\s*(?P<to>\d{1,9})", re.DOTALL)
_STOP_PATTERN: Final = re.compile(r"(?P<name>.+?)\s+(?:stop|end|close)", re.I | re.DOTALL)
_TRACK_COMMAND: Final = re.compile(
    r"(?P<name>.+?)\s+(?P<verb>mark|roll|stop|end|close)(?:\s+(?P<times>[+-]?\d{1,4}))?", re.I | re.DOTALL
)


class ClockService:
    """Moves clocks and tracks, which are in canon and staged on the timeline."""

    def __init__(
        self, journal: StoryJournal, agenda_reader: StoryAgendaReader, declarations: DeclarationService
    ) -> None:
        self._journal = journal
        self._agenda_reader = agenda_reader
        self._declarations = declarations

    # --- clocks --------------------------------------------------------------------------------------

    async def list_clocks(self, context: SceneContext) -> tuple[str, ...]:
        """Return the running clocks as lines."""
        open_clocks = (await self._agenda_reader.read_agenda(context)).open_clocks
        return tuple(
            f"{number}. {format_clock_line(clock)}" for number, clock in enumerate(open_clocks, start=1)
        )

    async def apply_clock_command(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed after `/clock`; return lines on it. Raises InputError."""
        context = await self._journal.load_open_scene(scene_id)
        clocks = [c for c in (await self._agenda_reader.read_agenda(context)).clocks if not c.is_track]
        text = argument.strip()
        if match := _START_AUTOMATIC_PATTERN.fullmatch(text):
            return await self._start_clock(context, clocks, match["name"], int(match["size"]), match["per"])
        if match := _AUTOMATIC_PATTERN.fullmatch(text):
            clock = _require_open_clock(clocks, match["name"])
            return await self._propose_change(
                context, clock, clock_change(clock, per_scene=_parse_per_scene(match["per"]))
            )
        if match := _MOVE_PATTERN.fullmatch(text):
            clock = _require_open_clock(clocks, match["name"])
            steps = _limit_steps(int(re.sub(r"\s", "", match["by"])))
            if clock.moved_to(clock.filled + steps) == clock:
                limit_word = "full" if steps > 0 else "empty"
                raise InputError(
                    f"{clock.name} is {limit_word} already.", kept=NOTHING_CHANGED, todo=CLOCK_USAGE
                )
            return await self._propose_change(context, clock, clock_change(clock, by=steps))
        if match := _SET_PATTERN.fullmatch(text):
            clock = _require_open_clock(clocks, match["name"])
            target = int(match["to"])
            if target > clock.size:
                raise InputError(
                    f"{clock.name} has {clock.size} steps and cannot stand at {target:,}.",
                    kept=NOTHING_CHANGED,
                    todo=f"/clock {clock.name} = {clock.size} fills it.",
                )
            return await self._propose_change(context, clock, clock_change(clock, to=target))
        if match := _STOP_PATTERN.fullmatch(text):
            clock = _require_open_clock(clocks, match["name"])
            return await self._propose_change(context, clock, clock_change(clock, is_closed=True))
        if match := _START_PATTERN.fullmatch(text):
            return await self._start_clock(context, clocks, match["name"], int(match["size"]), "off")
        return (format_clock_line(_require_open_clock(clocks, text)), CLOCK_USAGE)

    async def _start_clock(
        self,
        context: SceneContext,
        clocks: Sequence[ProgressClock],
        typed_name: str,
        size: int,
        per_scene_text: str,
    ) -> tuple[str, ...]:
        name = _parse_clock_name(typed_name, "/clock Tide 6")
        existing_clock = _find_clock(clocks, name)
        if existing_clock is not None and not existing_clock.closed:
            raise InputError(
                f"{existing_clock.name} runs already: {format_clock(existing_clock)}.",
                kept=NOTHING_CHANGED,
                todo=f"/clock {existing_clock.name} = 0 sets it back; /clock {existing_clock.name} stop ends it.",
            )
        if not 1 <= size <= MAX_CLOCK_SIZE:
            raise InputError(
                f"A clock of {size:,} steps would never end."
                if size
                else "A clock of no steps is over at once.",
                kept=NOTHING_CHANGED,
                todo=f"It has 1 to {MAX_CLOCK_SIZE}, most often 4, 6 or 8.",
            )
        name = existing_clock.name if existing_clock else name
        change = AdvanceClock(
            clock=name, by=0, size=size, per_scene=_parse_per_scene(per_scene_text), closed=False
        )
        return await self._propose_change(context, existing_clock, change)

    # --- tracks --------------------------------------------------------------------------------------

    async def list_tracks(self, context: SceneContext) -> tuple[str, ...]:
        """Return the open tracks as lines."""
        open_tracks = (await self._agenda_reader.read_agenda(context)).open_tracks
        return tuple(
            f"{number}. {format_clock_line(track)}" for number, track in enumerate(open_tracks, start=1)
        )

    async def apply_track_command(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed after `/track`, except for the roll. Raises InputError."""
        context = await self._journal.load_open_scene(scene_id)
        tracks = [c for c in (await self._agenda_reader.read_agenda(context)).clocks if c.is_track]
        match = _TRACK_COMMAND.fullmatch(argument.strip())
        if match is None:
            named_track = _find_clock(tracks, argument.strip())
            if named_track is not None and not named_track.closed:
                return (format_clock_line(named_track), TRACK_USAGE)
            return await self._start_track(context, tracks, argument.strip())
        track = _require_open_clock(tracks, match["name"], "track")
        if match["verb"].casefold() != "mark":
            return await self._propose_change(context, track, clock_change(track, is_closed=True))
        change = clock_change(track, by=_limit_steps(int(match["times"] or 1)))
        if change.after(track) == track:
            limit_message = "All ten boxes are full" if change.by > 0 else "Nothing would be marked"
            raise InputError(f"{limit_message}.", kept=NOTHING_CHANGED, todo="/track 1 roll finishes it.")
        return await self._propose_change(context, track, change)

    async def find_open_track(self, context: SceneContext, typed_name: str) -> ProgressClock:
        """Return the open track of that name or number. Raises InputError if there is none."""
        return _require_open_clock(
            (await self._agenda_reader.read_agenda(context)).open_tracks, typed_name, "track"
        )

    async def _start_track(
        self, context: SceneContext, tracks: Sequence[ProgressClock], typed_name: str
    ) -> tuple[str, ...]:
        name_part, _, pace_word = typed_name.rpartition(" ")
        paces = {pace.value: pace for pace in Pace}
        pace = paces.get(pace_word.casefold()) if name_part else None
        name = _parse_clock_name(name_part if pace else typed_name, "/track Find the bell slow")
        if name.isdecimal():
            raise InputError(f"There is no track {name}.", kept=NOTHING_CHANGED, todo=TRACK_USAGE)
        existing_track = _find_clock(tracks, name)
        if existing_track is not None and not existing_track.closed:
            raise InputError(
                f"{existing_track.name} runs already: {format_track(existing_track)}.",
                kept=NOTHING_CHANGED,
                todo=TRACK_USAGE,
            )
        change = AdvanceClock(
            clock=existing_track.name if existing_track else name,
            by=0,
            size=TRACK_TICKS,
            closed=False,
            pace=pace or Pace.STEADY,
        )
        return await self._propose_change(context, existing_track, change)

    # --- inside --------------------------------------------------------------------------------------

    async def _propose_change(
        self, context: SceneContext, clock_before: ProgressClock | None, change: AdvanceClock
    ) -> tuple[str, ...]:
        clock_after = change.after(clock_before)
        if clock_after == clock_before:
            raise InputError(f"{clock_after.name} is so already.", kept=NOTHING_CHANGED)
        description = format_clock_line(clock_after)
        await self._declarations.stage_change(context, change, description)
        return (description,)


def format_clock_line(clock: ProgressClock) -> str:
    """Return `Tide ●●○○○○ 2/6, 1 each scene`."""
    if clock.is_track:
        progress_text, pace_text = format_track(clock), f", {clock.pace}"
    else:
        progress_text = format_clock(clock)
        pace_text = f", {clock.per_scene:+d} each scene" if clock.per_scene else ""
    ending_text = (
        "" if not clock.closed else ", struck" if clock.is_full and not clock.is_track else ", stopped"
    )
    return f"{clock.name} {progress_text}{pace_text if not clock.closed else ''}{ending_text}"


def _find_clock(clocks: Sequence[ProgressClock], typed_name: str) -> ProgressClock | None:
    """Return the clock of that name, or the running clock of that number."""
    folded_name = fold_name(typed_name)
    named_clock = next((c for c in clocks if fold_name(c.name) == folded_name), None)
    open_clocks = [c for c in clocks if not c.closed]
    if (
        named_clock is None
        and folded_name.isdecimal()
        and len(folded_name) < 4
        and 1 <= int(folded_name) <= len(open_clocks)
    ):
        return open_clocks[int(folded_name) - 1]
    return named_clock


def _require_open_clock(
    clocks: Sequence[ProgressClock], typed_name: str, noun: str = "clock"
) -> ProgressClock:
    """Return the running clock of that name, of that beginning of a name, or of that number. Raises InputError."""
    clock = _find_clock(clocks, typed_name)
    if clock is None:
        open_names = [(c.name, c.name) for c in clocks if not c.closed]
        matching_names = match_names(typed_name, open_names)
        if len(matching_names) > 1:
            raise InputError(
                f"{one_line(typed_name)[:60]!r} could be any of: {', '.join(matching_names)}.",
                kept=NOTHING_CHANGED,
                todo="Type more of the name.",
            )
        clock = next((c for c in clocks if c.name in matching_names and not c.closed), None)
    usage = TRACK_USAGE if noun == "track" else CLOCK_USAGE
    if clock is None:
        suggestion = did_you_mean(typed_name, [c.name for c in clocks if not c.closed])
        raise InputError(
            f"There is no {noun} {one_line(typed_name)[:60]!r}.",
            kept=NOTHING_CHANGED,
            todo=suggestion or usage,
        )
    if clock.closed:
        ending_text = "has struck" if clock.is_full and noun == "clock" else "was stopped"
        restart_command = f"/clock {clock.name} {clock.size}" if noun == "clock" else f"/track {clock.name}"
        raise InputError(
            f"{clock.name} {ending_text}.", kept=NOTHING_CHANGED, todo=f"{restart_command} starts it again."
        )
    return clock


def _parse_clock_name(typed_name: str, example: str) -> str:
    name = one_line(typed_name).strip(' "“”')
    if not name:
        raise InputError("It needs a name.", kept=NOTHING_CHANGED, todo=f"As in: {example}")
    if len(name) > MAX_CLOCK_NAME:
        raise InputError(
            f"That name has {len(name)} characters; {MAX_CLOCK_NAME} is the most.", kept=NOTHING_CHANGED
        )
    return name


def _parse_per_scene(typed_number: str) -> int:
    steps_per_scene = 0 if typed_number.casefold() == "off" else int(typed_number)
    if abs(steps_per_scene) > MAX_CLOCK_SIZE:
        raise InputError(
            f"{steps_per_scene:+,d} each scene is too much.",
            kept=NOTHING_CHANGED,
            todo=f"{MAX_CLOCK_SIZE} is the most.",
        )
    return steps_per_scene


def _limit_steps(steps: int) -> int:
    return max(-MAX_CLOCK_SIZE, min(MAX_CLOCK_SIZE, steps))
