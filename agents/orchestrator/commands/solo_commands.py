"""The slash commands of bookkeeping: `/thread`, `/npcs`, `/clock`, `/track`, `/cast`, `/scene`, `/start`,
`/zero`, `/tension`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.commands.registry import Command, CommandHandler
from agents.resolver.dice_faces import split_faces
from agents.resolver.random_events import tension_after
from agents.solo.solo_tools import Bookkeeping
from agents.solo.story_settings import MODES
from agents.views.play_views import CastMember, CommandHelp, Reply, SceneView
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import TensionMode

if TYPE_CHECKING:
    from agents.services.services import Services

DoCommand = Callable[[Id, str], Awaitable[tuple[str, ...]]]
"""Does what was typed, and returns what came of it."""
ListLines = Callable[[SceneContext], Awaitable[tuple[str, ...]]]
"""Returns what there is, as lines."""

_CAST_PATTERN = re.compile(r"([+-])\s*(.+)", re.DOTALL)
_FINISH_PATTERN = re.compile(r"(.+?)\s+(?:roll|finish)", re.IGNORECASE | re.DOTALL)


def solo_commands(
    services: Services, solo_tools: Bookkeeping, session_lock: asyncio.Lock
) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    def act_or_list(act: DoCommand, list_lines: ListLines, empty_line: str) -> CommandHandler:
        """A command that acts on what stands behind it, and lists what there is if nothing does."""

        async def handler(scene_id: Id, argument: str) -> Reply:
            if argument:
                async with session_lock:
                    return _reply(await act(scene_id, argument))
            return _reply(await list_lines(await solo_tools.context.load_context(scene_id)) or (empty_line,))

        return handler

    act_on_track = act_or_list(
        solo_tools.clocks.act_on_track,
        solo_tools.clocks.tracks,
        "Nothing is worked at. /track Find the bell starts a track.",
    )

    async def track(scene_id: Id, argument: str) -> Reply:
        track_text, faces = split_faces(argument)
        if match := _FINISH_PATTERN.fullmatch(track_text):
            return await services.play.finish_track(scene_id, match[1], faces)
        return await act_on_track(scene_id, argument)

    async def cast(scene_id: Id, argument: str) -> Reply:
        if not argument:
            return _reply(_cast_lines(await services.play.scene(scene_id)))
        match = _CAST_PATTERN.fullmatch(argument)
        if match is None:
            raise InputError(
                "Does somebody come, or leave?",
                kept="Nothing was changed.",
                todo="/cast + Old Tam, /cast - Old Tam; /npc brings in somebody new.",
            )
        act = solo_tools.people.come if match[1] == "+" else solo_tools.people.leave
        async with session_lock:
            return _reply(await act(scene_id, match[2].strip()))

    async def scene(scene_id: Id, argument: str) -> Reply:
        if not argument:
            return _reply(_scene_lines(await services.play.scene(scene_id)))
        name, colon, goal = (part.strip() for part in argument.partition(":"))
        if colon and not name:
            name = (await services.play.scene(scene_id)).scene.title
        await services.gate.rename_scene(scene_id, name, goal)
        return _reply((f"This scene is now called {name}." + (f" Its goal: {goal}" if goal else ""),))

    async def start(scene_id: Id, argument: str) -> Reply:
        return await services.play.check_start(scene_id, split_faces(argument)[1])

    async def zero(scene_id: Id, argument: str) -> Reply:
        key, _, words = argument.partition(" ")
        async with session_lock:
            return await (
                solo_tools.zero.answer(scene_id, key, words) if key else solo_tools.zero.ask(scene_id)
            )

    async def tension(scene_id: Id, argument: str) -> Reply:
        if argument.casefold() in list(TensionMode):
            await services.play.set_tension(scene_id, TensionMode(argument.casefold()))
            return _reply((MODES[TensionMode(argument.casefold())],))
        current_tension = (await services.play.scene(scene_id)).story.tension
        was_in_control = {"up": False, "down": True}.get(argument.casefold())
        if was_in_control is None and not (argument.isdecimal() and len(argument) < 3):
            raise InputError(
                "How tense?",
                kept="Nothing was changed.",
                todo="/tension 1 to /tension 9, up, down; bend or edge says what it does to the oracle.",
            )
        new_tension = (
            tension_after(current_tension, was_in_control) if was_in_control is not None else int(argument)
        )
        await services.play.set_tension(scene_id, new_tension)
        return _reply((f"Tension {current_tension} -> {new_tension}.",))

    return (
        (
            CommandHelp("thread", "/thread Who moved the bell?", "Open threads: list, open, weigh, close"),
            act_or_list(
                solo_tools.threads.act,
                solo_tools.threads.list,
                "No thread is open. /thread Who moved the bell? opens one.",
            ),
        ),
        (
            CommandHelp("npcs", "/npcs  (then /npcs 2 + or off)", "Who matters in the story, by weight"),
            act_or_list(
                solo_tools.people.act,
                solo_tools.people.list,
                "Nobody matters yet. /npc Old Tam: keeper of the salt bell brings one in.",
            ),
        ),
        (
            CommandHelp("clock", "/clock Tide 6  (then Tide +1)", "Clocks: list, start, move, set, stop"),
            act_or_list(
                solo_tools.clocks.act,
                solo_tools.clocks.list,
                "No clock runs. /clock Tide 6 starts one of six steps.",
            ),
        ),
        (
            CommandHelp("track", "/track Find the bell slow", "Progress tracks: list, start, mark, roll"),
            track,
        ),
        (CommandHelp("cast", "/cast  (or + Tam, - Tam)", "Who is here; somebody comes or leaves"), cast),
        (
            CommandHelp(
                "scene", "/scene Under the chapel: find the bell", "Show the scene; name it, and its goal"
            ),
            scene,
        ),
        (CommandHelp("start", "/start", "Roll how the scene begins: expected, altered, interrupted"), start),
        (CommandHelp("zero", "/zero", "Session zero: a few questions about the story"), zero),
        (
            CommandHelp("tension", "/tension 6  (or up, down, bend, edge)", "How tense the story is", True),
            tension,
        ),
    )


def _reply(lines: tuple[str, ...]) -> Reply:
    return Reply("operation", lines)


def _cast_lines(view: SceneView) -> tuple[str, ...]:
    return tuple(map(_member_line, view.cast)) or ("Nobody is here.",)


def _member_line(member: CastMember) -> str:
    numbers = ", ".join(f"{key} {number}" for key, number in member.numbers.items())
    return " · ".join(part for part in (member.name, numbers, ", ".join(member.tags)) if part)


def _scene_lines(view: SceneView) -> tuple[str, ...]:
    """Return title, goal, time, place and cast, with how each is changed."""
    scene = view.scene
    return (
        f"Scene {scene.order}: {scene.title}   (/scene Title: goal)",
        f"Goal: {scene.goal or 'none'}   (/scene : goal)",
        f"Time: {view.when}   (/time +2h)",
        f"Place: {view.place or 'nowhere in particular'}   (/go Place)",
        f"Here: {', '.join(m.name for m in view.cast) or 'nobody'}   (/cast + Name, /cast - Name)",
    )
