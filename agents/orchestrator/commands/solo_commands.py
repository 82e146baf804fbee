"""Slash commands of solo play: threads, clocks, tracks, cast, scene start, session zero, tension."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.scene_views import build_cast
from agents.resolver.dice_faces import split_faces
from agents.resolver.random_events import tension_after
from agents.solo.story_settings import TENSION_MODE_LINES
from agents.typed_numbers import living_numbers
from agents.views.replies import CommandTopic, Reply
from agents.views.scene_views import CastMember
from agents.world_time.calendar import format_tick
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import TensionMode

group = CommandGroup(CommandTopic.STORY)

_CAST_PATTERN = re.compile(r"([+-])([\s,]*\w.*)", re.DOTALL)
_FINISH_PATTERN = re.compile(r"(.+?)\s+(?:roll|finish)", re.IGNORECASE | re.DOTALL)

ChangeLines = Callable[[Id, str], Awaitable[tuple[str, ...]]]
"""Makes the change that was typed, and returns lines about it."""
ListLines = Callable[[SceneContext], Awaitable[tuple[str, ...]]]
"""Returns the existing items as lines."""


async def _change_or_list(
    call: CommandCall, change: ChangeLines, list_lines: ListLines, empty_line: str
) -> Reply | Outcome:
    """Make the change typed after the command, or list the existing items if nothing was typed."""
    if call.argument:
        return Reply("operation", await change(call.scene_id, call.argument))
    return Outcome(Reply("operation", await list_lines(call.context) or (empty_line,)), call.context)


@group.command(
    "thread",
    "/thread WORDS",
    "Threads: list, open, weigh, close",
    access=Access.CHANGE,
)
async def change_threads(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    threads = tools.solo_tools.threads
    empty_line = "No open threads. /thread WORDS opens one."
    return await _change_or_list(call, threads.apply_command, threads.list_threads, empty_line)


@group.command(
    "decide",
    "/decide WORDS",
    "Decide something that holds: every prompt says it",
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
)
async def make_decision(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    if not call.argument:
        return await list_decisions(tools, call)
    return Reply("operation", await tools.solo_tools.decisions.decide(call.scene_id, call.argument))


@group.command(
    "decisions",
    "/decisions",
    "What was decided and holds, with numbers",
    access=Access.READ,
    instead_of_words="/decisions lists what holds; /decide WORDS decides something.",
)
async def list_decisions(tools: CommandTools, call: CommandCall) -> Outcome:
    lines = await tools.solo_tools.decisions.list_decisions(call.context)
    empty_line = "Nothing is decided yet. /decide WORDS does it."
    return Outcome(Reply("operation", lines or (empty_line,)), call.context)


@group.command(
    "lift",
    "/lift 2  (or /lift 2 NEW WORDS)",
    "Take a decision back, or put another in its place",
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
    takes_numbers=True,
)
async def lift_decision(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    if not call.argument:
        return await list_decisions(tools, call)
    return Reply("operation", await tools.solo_tools.decisions.lift(call.scene_id, call.argument))


@group.command(
    "npcs",
    "/npcs  (then /npcs 2 + or off)",
    "Who matters in the story, by weight",
    topic=CommandTopic.PEOPLE,
    access=Access.CHANGE,
)
async def weigh_people(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    people = tools.solo_tools.npcs
    empty_line = "Nobody yet. /npc NAME: who it is adds one."
    return await _change_or_list(call, people.apply_command, people.describe_npcs, empty_line)


@group.command(
    "clock",
    "/clock NAME 6  (then NAME +1)",
    "Clocks: list, start, move, set, stop",
    access=Access.CHANGE,
)
async def change_clocks(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    clocks = tools.solo_tools.clocks
    empty_line = "No clock yet. /clock NAME 6 starts one with six steps."
    return await _change_or_list(call, clocks.apply_clock_command, clocks.list_clocks, empty_line)


@group.command(
    "track",
    "/track NAME slow",
    "Progress tracks: list, start, mark, roll",
    access=Access.CHANGE,
)
async def change_tracks(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    track_text, faces = split_faces(call.argument)
    if match := _FINISH_PATTERN.fullmatch(track_text):
        context = await tools.guard.require_playing(call.context, "finish a track")
        return await tools.line_player.finish_track(context, match[1], faces)
    clocks = tools.solo_tools.clocks
    empty_line = "No track yet. /track NAME starts one."
    return await _change_or_list(call, clocks.apply_track_command, clocks.list_tracks, empty_line)


@group.command(
    "cast",
    "/cast  (or + NAMES, - NAMES)",
    "Who is here; + comes in, - leaves",
    topic=CommandTopic.PEOPLE,
    access=Access.CHANGE,
)
async def change_cast(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    if not call.argument:
        lines = tuple(map(_member_line, build_cast(call.context))) or ("Nobody is here.",)
        return Outcome(Reply("operation", lines), call.context)
    match = _CAST_PATTERN.fullmatch(call.argument)
    if match is None:
        raise InputError(
            "Should somebody come or leave?",
            kept="Nothing was changed.",
            todo="/cast + NAME, /cast - NAME; /npc adds somebody new.",
        )
    move = tools.solo_tools.cast.enter_scene if match[1] == "+" else tools.solo_tools.cast.leave_scene
    return Reply("operation", await move(call.scene_id, match[2].strip()))


@group.command(
    "scene",
    "/scene TITLE: GOAL",
    "Show the scene; set its title and goal",
    topic=CommandTopic.SCENES,
    access=Access.CHANGE,
)
async def show_or_rename_scene(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    if not call.argument:
        return Outcome(Reply("operation", _scene_lines(call.context)), call.context)
    name, colon, goal = (part.strip() for part in call.argument.partition(":"))
    if colon and not name:
        name = call.context.scene.title
    await tools.gate.rename_scene(call.context, name, goal)
    return Reply("operation", (f"This scene is now called {name}." + (f" Its goal: {goal}" if goal else ""),))


@group.command(
    "start",
    "/start",
    "Roll how the scene begins: expected, altered, interrupted",
    topic=CommandTopic.SCENES,
    access=Access.PLAY,
    action="roll how it begins",
)
async def check_start(tools: CommandTools, call: CommandCall) -> Outcome:
    words, faces = split_faces(call.argument)
    if words:
        raise InputError(
            f"/start takes no words: “{words[:60]}” would not be read.",
            kept="Nothing was rolled.",
            todo="As in: /start, or with your own dice: /start = 90",
        )
    return await tools.line_player.check_start(call.context, faces)


@group.command(
    "zero",
    "/zero",
    "Session zero: a few questions about the story",
    topic=CommandTopic.SCENES,
    access=Access.CHANGE,
)
async def answer_session_zero(tools: CommandTools, call: CommandCall) -> Reply:
    key, _, words = call.argument.partition(" ")
    if key:
        return await tools.solo_tools.session_zero.answer_question(call.scene_id, key, words)
    return await tools.solo_tools.session_zero.list_questions(call.scene_id)


@group.command(
    "tension",
    "/tension 6  (or up, down, bend, edge)",
    "How tense the story is",
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
    takes_numbers=True,
)
async def set_tension(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    word = call.argument.casefold()
    if not word:
        story = call.context.story
        lines = (f"Tension {story.tension}.", TENSION_MODE_LINES[story.tension_mode])
        return Outcome(Reply("operation", lines), call.context)
    if word in list(TensionMode):
        await tools.actions.set_tension(call.scene_id, TensionMode(word))
        return Reply("operation", (TENSION_MODE_LINES[TensionMode(word)],))
    current_tension = call.context.story.tension
    was_in_control = {"up": False, "down": True}.get(word)
    if was_in_control is None and not (call.argument.isdecimal() and len(call.argument) < 3):
        raise InputError(
            "How tense?",
            kept="Nothing was changed.",
            todo="/tension 1 to /tension 9, up, down; bend or edge sets what it does to the oracle.",
        )
    new_tension = (
        tension_after(current_tension, was_in_control) if was_in_control is not None else int(call.argument)
    )
    await tools.actions.set_tension(call.scene_id, new_tension)
    return Reply("operation", (f"Tension {current_tension} → {new_tension}.",))


def _member_line(member: CastMember) -> str:
    shown_numbers = living_numbers(member.numbers, (*member.tags, member.note), member.changed_keys)
    numbers = ", ".join(f"{key} {number}" for key, number in shown_numbers.items())
    note = "" if member.note in member.tags else member.note
    return " · ".join(part for part in (member.name, note, numbers, ", ".join(member.tags)) if part)


def _scene_lines(context: SceneContext) -> tuple[str, ...]:
    """Return title, goal, time, place and cast as lines, each with the command that changes it."""
    scene = context.scene
    when = format_tick(context.universe.calendar, context.tick)
    place_name = context.place.name if context.place else "nowhere in particular"
    return (
        f"{scene.label}   (/scene Title: goal)",
        f"Goal: {scene.goal or 'none'}   (/scene : goal)",
        f"Time: {when}   (/time +2h)",
        f"Place: {place_name}   (/go Place)",
        f"Here: {', '.join(m.name for m in context.present_actors()) or 'nobody'}   (/cast + Name, /cast - Name)",
    )
