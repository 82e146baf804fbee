"""The slash commands of the table: `/dice`, `/reroll`, `/pick`, `/rest`, `/sheet`, `/system`, `/note` ..."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agents.orchestrator.commands.registry import Command, CommandHandler
from agents.orchestrator.dice_requests import AlterationKind
from agents.sanitize import clean
from agents.solo.play_table import PlayTable
from agents.views.play_views import CommandHelp, Reply
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.services.services import Services


def dice_commands(
    services: Services, play_table: PlayTable, session_lock: asyncio.Lock
) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    async def dice(scene_id: Id, argument: str) -> Reply:
        async with session_lock:
            return _reply(await play_table.settings.dice(scene_id, argument))

    def alter(alteration_kind: AlterationKind) -> CommandHandler:
        async def handler(scene_id: Id, argument: str) -> Reply:
            return await services.play.alter_roll(scene_id, alteration_kind, argument)

        return handler

    async def rest(scene_id: Id, argument: str) -> Reply:
        return await services.play.rest(scene_id, argument)

    async def sheet(scene_id: Id, argument: str) -> Reply:
        return _reply(await play_table.sheets.lines(scene_id, argument))

    async def system(scene_id: Id, argument: str) -> Reply:
        async with session_lock:
            return _reply(await play_table.settings.system(scene_id, argument))

    async def note(scene_id: Id, argument: str) -> Reply:
        async with session_lock:
            await play_table.notes.add(scene_id, clean(argument))
        return _reply(("Noted. /notes lists them.",))

    async def notes(scene_id: Id, argument: str) -> Reply:
        lines = await play_table.notes.list(scene_id, argument)
        return _reply(lines or ("No notes yet. /gm WORDS keeps one beside the turn.",))

    note_help = "Note something out of character, beside the turn"
    return (
        (
            CommandHelp("dice", "/dice physical  (or program)", "Whose dice fall: yours or its own"),
            dice,
        ),
        (
            CommandHelp("reroll", "/reroll 2  (a die, its face, all)", "Throw dice of the last roll again"),
            alter("reroll"),
        ),
        (
            CommandHelp("pick", "/pick success  (or a face, a row)", "Take another result than fell", True),
            alter("pick"),
        ),
        (CommandHelp("rest", "/rest night  (with Old Tam)", "Rest by the rules: time passes"), rest),
        (CommandHelp("sheet", "/sheet Mara", "A character sheet, by the story's rules"), sheet),
        (CommandHelp("system", "/system lantern_twos", "The rules that the story is played by"), system),
        (CommandHelp("note", "/note WORDS", note_help, True), note),
        (CommandHelp("notes", "/notes  (or /notes bell)", "Your notes, with where they were made"), notes),
    )


def _reply(lines: tuple[str, ...]) -> Reply:
    return Reply("operation", lines)
