"""Playing a script of typed lines without a screen, through the same desk as the screens.

The format is told in docs/play-scripts.md: a header of `name: value` lines, a line of dashes, then one
line for each line typed on the Scene screen; `#` begins a comment.
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
from stores.records.play import Critical, DiceBy, Speaker, StoryMode, TensionMode, Turn
from stores.records.world import Entity

T = TypeVar("T", StoryMode, Critical, DiceBy, TensionMode)
_HEADER = re.compile(r"(\w+)\s*:\s*(.*)")
_KEYS = frozenset(
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
class Script:
    """A header, and lines with their numbers in the file."""

    header: dict[str, str]
    lines: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Played:
    """What came of a script: where play stands, what each line answered, what stopped it."""

    universe_id: Id = ""
    story_id: Id = ""
    scene_id: Id = ""
    replies: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""


def read_script(text: str) -> Script:
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
            _read_header(header, number, line)
        else:
            lines.append((number, line))
    if in_header:
        raise InputError(
            "The script has no line of dashes after its header.",
            todo="See docs/play-scripts.md for the format.",
        )
    return Script(header, tuple(lines))


async def play(services: Services, script: Script, *, keep_going: bool = False) -> Played:
    """Play a script on a desk. A line that fails is reported and ends the script, unless `keep_going`;
    what was played before it stays played."""
    played = Played()
    await _begin(services, script.header, played)
    told_by_model: list[Turn] = []
    unsubscribe = services.events.subscribe(partial(_hear, told_by_model))
    try:
        await _lines(services, script, played, told_by_model, keep_going=keep_going)
    finally:
        unsubscribe()
    return played


async def _lines(
    services: Services, script: Script, played: Played, told_by_model: list[Turn], *, keep_going: bool
) -> None:
    for number, line in script.lines:
        told_by_model.clear()
        try:
            reply = await services.play.submit(played.scene_id, line)
        except MonitorError as error:
            played.replies.append({"line": number, "typed": line, "error": str(error), "code": error.code})
            played.error = played.error or f"line {number}: {error}"
            if not keep_going:
                break
            continue
        told = {"line": number, "typed": line, "kind": reply.kind, "says": list(reply.lines)}
        if reply.text:
            told["prompt"] = reply.text
        # The GM's own words stand in the line that was typed; a model's do not.
        if words := [turn.text for turn in told_by_model if turn.text not in line]:
            told["tells"] = words
        played.replies.append(told)
        if reply.goto == "scene" and reply.subject:
            played.scene_id = reply.subject


def _hear(told_by_model: list[Turn], event: Event) -> None:
    """Collect what is told while a line is played."""
    if isinstance(event, TurnAppended) and event.turn.speaker in (Speaker.GM, Speaker.NPC):
        told_by_model.append(event.turn)


async def _begin(services: Services, header: dict[str, str], played: Played) -> None:
    """Find or make what the header names, and open the scene."""
    played.universe_id = await _universe(services, header.get("universe", "sample"))
    name = header.get("story", "")
    for card in await services.stories.stories():
        same = card.story.title.casefold() == name.casefold()
        if same and card.universe.id == played.universe_id and card.state == "active":
            played.story_id, played.scene_id = card.story.id, await services.stories.resume(card.story.id)
            return
    outline = await _outline(services, header, played.universe_id)
    played.scene_id = await services.stories.start_story(outline)
    played.story_id = (await services.play.scene(played.scene_id)).story.id


async def _universe(services: Services, name: str) -> Id:
    if name.casefold() == "sample":
        return (await services.stories.add_sample()).id
    for universe in await services.stories.universes():
        if universe.name.casefold() == name.casefold():
            return universe.id
    return (await services.stories.create_universe(NewUniverse(name=name))).id


async def _outline(services: Services, header: dict[str, str], universe_id: Id) -> StoryOutline:
    people = await services.stories.characters(universe_id)
    tick = header.get("tick", "480")
    if not re.fullmatch(r"-?\d{1,12}", tick):
        raise InputError(f"tick: {tick!r} is not a whole number of minutes.")
    return StoryOutline(
        universe_id=universe_id,
        title=header.get("story", "A story"),
        pc=_person(header.get("pc", ""), people),
        theme=header.get("theme", ""),
        tone=header.get("tone", ""),
        constraints=header.get("constraints", ""),
        lines_and_veils=header.get("lines", ""),
        mode=_choice(StoryMode, header, "mode", StoryMode.COPILOT),
        critical=_choice(Critical, header, "critical", Critical.ASK),
        system=await _system(services, header.get("system", "")),
        dice=_choice(DiceBy, header, "dice", DiceBy.PROGRAM),
        tension_mode=_choice(TensionMode, header, "tension", TensionMode.BEND),
        scene_title=header.get("scene", "Scene 1"),
        scene_goal=header.get("goal", ""),
        place=header.get("place") or None,
        cast=tuple(_known(n.strip(), people).id for n in header.get("cast", "").split(",") if n.strip()),
        tick=int(tick),
    )


async def _system(services: Services, name: str) -> str:
    known = [pack for pack in await services.stories.systems() if pack.id]
    for pack in known:
        if name.casefold() in (pack.id.casefold(), pack.name.casefold()):
            return pack.id
    return name  # the desk says what is wrong with it


def _person(text: str, people: list[Entity]) -> Id | NewCharacter | None:
    """Read `Mara`, or `Mara (hp 10, might 1)` for someone new."""
    if not text:
        return next((e.id for e in people if e.is_pc), None)
    name, numbers = split_trailing_numbers(text)
    for entity in people:
        if name.casefold() in (entity.name.casefold(), *(a.casefold() for a in entity.aliases)):
            return entity.id
    return NewCharacter(name=name, numbers=numbers)


def _known(name: str, people: list[Entity]) -> Entity:
    for entity in people:
        if name.casefold() in (entity.name.casefold(), *(a.casefold() for a in entity.aliases)):
            return entity
    raise InputError(
        f"cast: there is no {name!r} in this universe.", todo="Bring them in with /npc in the script."
    )


def _choice(kind: type[T], header: dict[str, str], key: str, default: T) -> T:
    value = header.get(key, default.value).casefold()
    if value not in {member.value for member in kind}:
        raise InputError(f"{key}: {value!r} is none of {', '.join(m.value for m in kind)}.")
    return kind(value)


def _read_header(header: dict[str, str], number: int, line: str) -> None:
    found = _HEADER.fullmatch(line)
    if found is None or found[1].casefold() not in _KEYS:
        raise InputError(
            f"line {number}: {line[:60]!r} is no part of a header.",
            todo=f"A header has {', '.join(sorted(_KEYS))}, each with a colon; then a line of dashes.",
        )
    header[found[1].casefold()] = found[2].strip()
