"""Slash commands beside the story: `/dice`, `/reroll`, `/pick`, `/rest`, `/sheet`, `/system`, `/note`, `/notes`."""

from __future__ import annotations

from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.sanitize import clean
from agents.views.play_views import Reply

group = CommandGroup()


@group.command(
    "dice",
    "/dice physical  (or program)",
    "Whose dice fall: yours or its own",
    access=Access.CHANGE,
)
async def choose_dice(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.play_tools.settings.set_dice_roller(call.scene_id, call.argument))


@group.command(
    "reroll",
    "/reroll 2  (a die, its face, all)",
    "Throw dice of the last roll again",
    access=Access.PLAY,
    action="take a roll otherwise",
)
async def reroll(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.alter_roll(call.context, "reroll", call.argument)


@group.command(
    "pick",
    "/pick success  (or a face, a row)",
    "Take another result than fell",
    access=Access.PLAY,
    action="take a roll otherwise",
    needs_argument=True,
)
async def pick(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.alter_roll(call.context, "pick", call.argument)


@group.command(
    "rest",
    "/rest night  (with Old Tam)",
    "Rest by the rules: time passes",
    access=Access.PLAY,
    action="rest",
)
async def rest(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.actions.rest(call.context, call.argument)


@group.command("sheet", "/sheet Mara", "A character sheet, by the story's rules", access=Access.READ)
async def show_sheet(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.play_tools.sheets.describe_sheet(call.scene_id, call.argument))


@group.command(
    "system",
    "/system lantern_twos",
    "The rules that the story is played by",
    access=Access.CHANGE,
)
async def choose_system(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.play_tools.settings.set_rule_pack(call.scene_id, call.argument))


@group.command(
    "note",
    "/note WORDS",
    "Note something out of character, beside the turn",
    access=Access.CHANGE,
    needs_argument=True,
)
async def add_note(tools: CommandTools, call: CommandCall) -> Reply:
    await tools.play_tools.notes.add_note(call.scene_id, clean(call.argument))
    return Reply("operation", ("Noted. /notes lists them.",))


@group.command(
    "notes",
    "/notes  (or /notes bell)",
    "Your notes, with where they were made",
    access=Access.READ,
)
async def list_notes(tools: CommandTools, call: CommandCall) -> Reply:
    lines = await tools.play_tools.notes.list_notes(call.scene_id, call.argument)
    return Reply("operation", lines or ("No notes yet. /gm WORDS keeps one beside the turn.",))
