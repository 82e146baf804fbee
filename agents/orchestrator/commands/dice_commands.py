"""Slash commands for dice (`/dice`, `/reroll`, `/pick`), rules (`/rest`, `/sheet`, `/system`) and notes."""

from __future__ import annotations

from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.sanitize import clean
from agents.views.replies import CommandTopic, Reply

group = CommandGroup(CommandTopic.DICE)

NO_GEAR = "No gear by the story's rules. /system chooses rules; /state NAME +GEAR puts gear on a sheet."


@group.command(
    "dice",
    "/dice physical  (or program)",
    "Roll your own dice, or let the program roll",
    access=Access.CHANGE,
)
async def choose_dice(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.play_tools.settings.set_dice_roller(call.scene_id, call.argument))


@group.command(
    "reroll",
    "/reroll 2  (a die, its face, all)",
    "Reroll dice of the last roll",
    access=Access.PLAY,
    action="change a roll",
)
async def reroll(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.alter_roll(call.context, "reroll", call.argument)


@group.command(
    "pick",
    "/pick success  (or a face, a row)",
    "Choose another result than was rolled",
    access=Access.PLAY,
    action="change a roll",
    needs_argument=True,
)
async def pick(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.alter_roll(call.context, "pick", call.argument)


@group.command(
    "rest",
    "/rest long  (with NAME; alone: lists them)",
    "Rest by the rules: time passes",
    topic=CommandTopic.PEOPLE,
    access=Access.PLAY,
    action="rest",
)
async def rest(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.rest(call.context, call.argument)


@group.command(
    "advance",
    "/advance stronger  (alone: lists what there is)",
    "Spend experience by the rules",
    topic=CommandTopic.PEOPLE,
    access=Access.PLAY,
    action="advance",
)
async def advance(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.advance(call.context, call.argument)


@group.command(
    "sheet",
    "/sheet NAME",
    "A character sheet, by the story's rules",
    topic=CommandTopic.PEOPLE,
    access=Access.READ,
)
async def show_sheet(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.play_tools.sheets.describe_sheet(call.scene_id, call.argument))


@group.command(
    "gear",
    "/gear long blade: Oathkeeper",
    "List your gear, or make a piece of it a thing of the world",
    topic=CommandTopic.PEOPLE,
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
)
async def change_gear(tools: CommandTools, call: CommandCall) -> Outcome:
    sheets = tools.play_tools.sheets
    if not call.argument:
        lines = await sheets.list_gear(call.context)
        return Outcome(Reply("operation", lines or (NO_GEAR,)), call.context)
    proposals = await sheets.propose_gear_thing(call.context, clean(call.argument))
    return await tools.actions.describe_proposed(call.context, proposals)


@group.command(
    "system",
    "/system lantern_twos",
    "The rules of the story",
    topic=CommandTopic.PEOPLE,
    access=Access.CHANGE,
)
async def choose_system(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.play_tools.settings.set_rule_pack(call.scene_id, call.argument))


@group.command(
    "note",
    "/note WORDS",
    "Write a note out of character, beside the turn",
    topic=CommandTopic.PLAY,
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
)
async def add_note(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
    if not call.argument:
        return await list_notes(tools, call)
    await tools.play_tools.notes.add_note(call.scene_id, clean(call.argument))
    return Reply("operation", ("Noted. /notes lists them.",))


@group.command(
    "notes",
    "/notes  (or /notes bell)",
    "Your notes, with where they were made",
    topic=CommandTopic.ASK,
    access=Access.READ,
)
async def list_notes(tools: CommandTools, call: CommandCall) -> Outcome:
    lines = await tools.play_tools.notes.list_notes(call.scene_id, call.argument)
    empty_line = "No notes yet. /note WORDS adds one beside the turn."
    return Outcome(Reply("operation", lines or (empty_line,)), call.context)
