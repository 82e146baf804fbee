"""Slash commands that move along the timeline of a scene: `/time`, `/undo`, `/retake`, `/take`, `/branch` ..."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agents.orchestrator.branches import BACK
from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.views.replies import CommandTopic, Reply
from stores.errors import InputError
from stores.records.ids import Id

group = CommandGroup(CommandTopic.SCENES)

CONFIRMED: Final = "!"
"""Follows the number of a turn that is edited although canon rests on it."""


@group.command(
    "time",
    "/time +2h  (or to dusk)",
    "Let world time pass",
    access=Access.PLAY,
    action="pass time",
    needs_argument=True,
)
async def pass_time(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.pass_time(call.context, call.argument)


@group.command(
    "undo",
    "/undo",
    "Undo the last thing done: a commit, a command, a decision, a branch or a line",
    topic=CommandTopic.PLAY,
    access=Access.PLAY,
    action="undo",
    moves_timeline=True,
    instead_of_words="/undo takes back what was done last; /undecide and a number a decision; "
    "/branch and a number goes back to a turn.",
    answers=("yes",),
)
async def undo(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.scene_undo.undo(call.context, is_confirmed=call.argument.casefold() == "yes")


@group.command(
    "redo",
    "/redo",
    "Redo what was undone",
    topic=CommandTopic.PLAY,
    access=Access.PLAY,
    action="redo",
    moves_timeline=True,
    instead_of_words="/redo brings back what was undone last.",
    answers=("yes",),
)
async def redo(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.scene_undo.redo(call.context, is_confirmed=call.argument.casefold() == "yes")


@group.command(
    "retake",
    "/retake WORDS",
    "Rewrite the last GM turn as a new take",
    access=Access.PLAY,
    action="retake",
    needs_argument=True,
    moves_timeline=True,
)
async def retake(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.retake(call.context, call.argument)


@group.command(
    "take",
    "/take next  (or previous)",
    "Switch between takes of the last GM turn",
    access=Access.PLAY,
    action="switch takes",
    needs_argument=True,
    moves_timeline=True,
)
async def walk_takes(tools: CommandTools, call: CommandCall) -> Outcome:
    match call.argument.casefold():
        case "next" | "+":
            return await tools.actions.walk_takes(call.context, 1)
        case "previous" | "prev" | "-":
            return await tools.actions.walk_takes(call.context, -1)
    raise InputError("Which take?", kept="Nothing was changed.", todo="/take next or /take previous.")


@group.command(
    "branch",
    "/branch NAME  (or /branch 4, /branch 4 NAME)",
    "Branch from here, or from turn 4, with canon of its own; without a name, play on from turn 4",
    access=Access.PLAY,
    action="branch",
    needs_argument=True,
    lists_alone=True,
    takes_numbers=True,
    moves_timeline=True,
)
async def branch(tools: CommandTools, call: CommandCall) -> Outcome:
    if not call.argument:
        return await tools.branches.list_branches(call.context)
    typed_number, _, name = call.argument.partition(" ")
    if not typed_number.isnumeric():
        return await _make_branch(tools, call, call.context.scene.head, call.argument)
    turn_number = read_turn_number(replace(call, argument=typed_number))
    (turn,) = await tools.log.line_slice(call.scene_id, turn_number - 1, 1)
    if name.strip().casefold() in ("", "yes"):
        return await tools.branches.branch(call.context, turn.id, is_confirmed=bool(name))
    return await _make_branch(tools, call, turn.id, name)


async def _make_branch(tools: CommandTools, call: CommandCall, turn_id: Id | None, name: str) -> Outcome:
    branch = await tools.branch_maker.make_branch(call.scene_id, turn_id, name)
    count = len(call.context.undecided)
    undecided_words = "1 proposal is" if count == 1 else f"{count} proposals are"
    undecided_place = "on both lines" if turn_id == call.context.scene.head else "on the line that you left"
    return Outcome(
        Reply(
            "operation",
            (
                f"“{branch.name}” begins at {branch.place_in_words}, with canon as it was then. /map shows it.",
                *((f"{undecided_words} undecided {undecided_place}.",) if count else ()),
            ),
            goto="story",
            subject=branch.copy.story_id,
        )
    )


@group.command(
    "edit",
    "/edit 4 WORDS",
    "Put turn 4 in other words; the turns after a narration stand, your own line is played again",
    access=Access.PLAY,
    action="edit a turn",
    needs_argument=True,
    moves_timeline=True,
)
async def edit_turn(tools: CommandTools, call: CommandCall) -> Outcome:
    typed_number, _, words = call.argument.partition(" ")
    turn_number = read_turn_number(replace(call, argument=typed_number.removesuffix(CONFIRMED)))
    (turn,) = await tools.log.line_slice(call.scene_id, turn_number - 1, 1)
    return await tools.branches.edit_turn(
        call.context, turn.id, words, is_confirmed=typed_number.endswith(CONFIRMED)
    )


@group.command(
    "branches",
    "/branches  (or /branches 2, /branches back, /branches NAME)",
    "List the lines that this scene took, or go to the end of one, or to a named branch",
    access=Access.PLAY,
    action="go to another line",
    moves_timeline=True,
)
async def go_to_branch(tools: CommandTools, call: CommandCall) -> Outcome:
    typed_line, is_confirmed = _split_confirmed(call.argument)
    if not typed_line:
        return await tools.branches.list_branches(call.context)
    if not (typed_line.isdecimal() or typed_line.casefold() == BACK):
        story = await tools.branch_maker.find_story(call.context.story, typed_line)
        return Outcome(Reply("operation", goto="story", subject=story.id))
    return await tools.branches.go_to_branch(call.context, typed_line, is_confirmed=is_confirmed)


@group.command(
    "map",
    "/map",
    "Show the branches of this world, with their scenes, takes and ways: go there, branch, compare, merge",
    access=Access.READ,
    instead_of_words="/map shows all branches; /branches NAME goes to one.",
)
async def show_map(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", goto="map")


def _split_confirmed(argument: str) -> tuple[str, bool]:
    """Return what was typed without the `yes` of an answer, and whether that was there."""
    words = argument.split()
    is_confirmed = len(words) > 1 and words[-1].casefold() == "yes"
    return " ".join(words[:-1] if is_confirmed else words), is_confirmed


def read_turn_number(call: CommandCall) -> int:
    """Return the number (from 1) of a turn on the timeline. Raises InputError if there is no such turn."""
    count = call.context.head.depth + 1 if call.context.head else 0
    number = int(call.argument) if call.argument.isdecimal() and len(call.argument) < 9 else 0
    if not 1 <= number <= count:
        raise InputError(
            f"There is no turn {call.argument[:20]!r} in this scene.",
            kept="Nothing was changed.",
            todo=f"It has turns 1 to {count}." if count else "It has no turns yet.",
        )
    return number
