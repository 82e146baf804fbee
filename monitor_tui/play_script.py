"""Plays a script of typed lines without a screen, through the same services as the screens.

docs/play-scripts.md has the format: a header of `name: value` lines, a line of dashes, then one line for each
line typed on the Scene screen; `#` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from agents.events import Event, TurnAppended
from agents.services.services import Services
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.typed_numbers import split_trailing_numbers
from stores.errors import InputError, MonitorError
from stores.records.ids import Id
from stores.records.play import (
    GM_SPEAKERS,
    CriticalCommitMode,
    DiceRoller,
    StoryMode,
    TensionMode,
    Turn,
)
from stores.records.world import Entity

OptionType = TypeVar("OptionType", StoryMode, CriticalCommitMode, DiceRoller, TensionMode)
_HEADER_LINE = re.compile(r"(\w+)\s*:\s*(.*)")
_HEADER_KEYS = frozenset(
    [
        "universe",
        "pc",
        "story",
        "scene",
        "place",
        "goal",
        "cast",
        "critical",
        "mode",
        "theme",
        "tone",
        "lines",
        "constraints",
        "system",
        "dice",
        "tension",
        "tick",
    ]
)


@dataclass(frozen=True, slots=True)
class PlayScript:
    """A header, and lines with their numbers in the file."""

    header: dict[str, str]
    lines: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class ScriptResult:
    """The result of a script: where play is, the reply to each line, and what stopped it."""

    universe_id: Id = ""
    story_id: Id = ""
    scene_id: Id = ""
    replies: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""


def read_script(text: str) -> PlayScript:
    """Read a script. Raises InputError that names the line that is wrong."""
    header: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    in_header = True
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if in_header and set(line) == {"-"} and len(line) >= 3:
            in_header = False
        elif in_header:
            _parse_header_line(header, number, line)
        else:
            lines.append((number, line))
    if in_header:
        raise InputError(
            "The script has no line of dashes after its header.",
            todo="See docs/play-scripts.md for the format.",
        )
    return PlayScript(header, tuple(lines))


async def play_script(services: Services, script: PlayScript, *, keep_going: bool = False) -> ScriptResult:
    """Play a script.

    A line that fails is reported and ends the script, unless `keep_going`; what was played before it stays
    played.
    """
    script_result = ScriptResult()
    await _open_story(services, script.header, script_result)
    narrated_turns: list[Turn] = []
    unsubscribe = services.events.subscribe(partial(_collect_narrated, narrated_turns))
    try:
        await _play_lines(services, script, script_result, narrated_turns, keep_going=keep_going)
    finally:
        unsubscribe()
    return script_result


async def _play_lines(
    services: Services,
    script: PlayScript,
    script_result: ScriptResult,
    narrated_turns: list[Turn],
    *,
    keep_going: bool,
) -> None:
    for number, line in script.lines:
        narrated_turns.clear()
        try:
            reply = await services.play.submit(script_result.scene_id, line)
        except MonitorError as error:
            script_result.replies.append(
                {"line": number, "typed": line, "error": str(error), "code": error.code}
            )
            script_result.error = script_result.error or f"line {number}: {error}"
            if not keep_going:
                break
            continue
        reply_record = {"line": number, "typed": line, "kind": reply.kind, "says": list(reply.lines)}
        if prompt_text := reply.prompt_text or reply.suggested_line:
            reply_record["prompt"] = prompt_text
        # The GM's own words stand in the line that was typed; a model's do not.
        if narrated_texts := [turn.text for turn in narrated_turns if turn.text not in line]:
            reply_record["tells"] = narrated_texts
        script_result.replies.append(reply_record)
        if reply.goto == "scene" and reply.subject:
            script_result.scene_id = reply.subject


def _collect_narrated(narrated_turns: list[Turn], event: Event) -> None:
    """Collect what is narrated while a line is played."""
    if isinstance(event, TurnAppended) and event.turn.speaker in GM_SPEAKERS:
        narrated_turns.append(event.turn)


async def _open_story(services: Services, header: dict[str, str], script_result: ScriptResult) -> None:
    """Find or make what the header names, and open the scene."""
    script_result.universe_id = await _find_or_create_universe(services, header.get("universe", "sample"))
    name = header.get("story", "")
    for card in await services.stories.stories():
        has_same_title = card.story.title.casefold() == name.casefold()
        if has_same_title and card.universe.id == script_result.universe_id and card.state == "active":
            script_result.story_id, script_result.scene_id = (
                card.story.id,
                await services.stories.resume(card.story.id),
            )
            return
    outline = await _build_outline(services, header, script_result.universe_id)
    script_result.scene_id = await services.stories.start_story(outline)
    script_result.story_id = (await services.play.scene(script_result.scene_id)).story.id


async def _find_or_create_universe(services: Services, name: str) -> Id:
    if name.casefold() == "sample":
        return (await services.stories.add_sample()).id
    for universe in await services.stories.universes():
        if universe.name.casefold() == name.casefold():
            return universe.id
    return (await services.stories.create_universe(NewUniverse(name=name))).id


async def _build_outline(services: Services, header: dict[str, str], universe_id: Id) -> StoryOutline:
    characters = await services.stories.characters(universe_id)
    tick = header.get("tick", "480")
    if not re.fullmatch(r"-?\d{1,12}", tick):
        raise InputError(f"tick: {tick!r} is not a whole number of minutes.")
    return StoryOutline(
        universe_id=universe_id,
        title=header.get("story", "A story"),
        pc=_parse_player_character(header.get("pc", ""), characters),
        theme=header.get("theme", ""),
        tone=header.get("tone", ""),
        constraints=header.get("constraints", ""),
        lines_and_veils=header.get("lines", ""),
        mode=_parse_option(StoryMode, header, "mode", StoryMode.COPILOT),
        critical=_parse_option(CriticalCommitMode, header, "critical", CriticalCommitMode.ASK),
        system=await _find_system_id(services, header.get("system", "")),
        dice=_parse_option(DiceRoller, header, "dice", DiceRoller.PROGRAM),
        tension_mode=_parse_option(TensionMode, header, "tension", TensionMode.BEND),
        scene_title=header.get("scene", "Scene 1"),
        scene_goal=header.get("goal", ""),
        place=header.get("place") or None,
        cast=tuple(
            _find_character(n.strip(), characters).id for n in header.get("cast", "").split(",") if n.strip()
        ),
        tick=int(tick),
    )


async def _find_system_id(services: Services, name: str) -> str:
    usable_systems = [pack for pack in await services.stories.systems() if pack.id]
    for pack in usable_systems:
        if name.casefold() in (pack.id.casefold(), pack.name.casefold()):
            return pack.id
    return name  # the services say what is wrong with it


def _parse_player_character(text: str, characters: list[Entity]) -> Id | NewCharacter | None:
    """Read `Mara`, or `Mara (hp 10, might 1)` for someone new."""
    if not text:
        return next((e.id for e in characters if e.is_pc), None)
    name, numbers = split_trailing_numbers(text)
    for entity in characters:
        if name.casefold() in (entity.name.casefold(), *(a.casefold() for a in entity.aliases)):
            return entity.id
    return NewCharacter(name=name, numbers=numbers)


def _find_character(name: str, characters: list[Entity]) -> Entity:
    for entity in characters:
        if name.casefold() in (entity.name.casefold(), *(a.casefold() for a in entity.aliases)):
            return entity
    raise InputError(
        f"cast: there is no {name!r} in this universe.", todo="Add them with /npc in the script."
    )


def _parse_option(
    kind: type[OptionType], header: dict[str, str], key: str, default: OptionType
) -> OptionType:
    value = header.get(key, default.value).casefold()
    if value not in {member.value for member in kind}:
        raise InputError(f"{key}: {value!r} is not one of {', '.join(m.value for m in kind)}.")
    return kind(value)


def _parse_header_line(header: dict[str, str], number: int, line: str) -> None:
    header_match = _HEADER_LINE.fullmatch(line)
    if header_match is None or header_match[1].casefold() not in _HEADER_KEYS:
        raise InputError(
            f"line {number}: {line[:60]!r} is not a header line.",
            todo=f"A header has {', '.join(sorted(_HEADER_KEYS))}, each with a colon; then a line of dashes.",
        )
    header[header_match[1].casefold()] = header_match[2].strip()
