"""The slash command for pictures of what canon has: `/picture`."""

from __future__ import annotations

from agents.orchestrator.commands.lookup_commands import find_named_entity
from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.views.replies import CommandTopic, Reply

group = CommandGroup(CommandTopic.ASK)


@group.command(
    "picture",
    "/picture NAME: FILE",
    "Attach a picture (PNG or JPEG) to a card; remove or undo in place of the file",
    access=Access.DELEGATE,
    needs_argument=True,
)
async def change_picture(tools: CommandTools, call: CommandCall) -> Reply:
    typed_name, _, rest = call.argument.partition(":")
    entity = await find_named_entity(tools, call, typed_name.strip())
    typed = rest.strip()
    how_to_undo = f"/picture {entity.name}: undo takes that back."
    match typed.casefold():
        case "":
            picture = await tools.pictures.find_picture(entity.id)
            if not picture.key:
                line = f"{entity.name} has no picture. /picture {entity.name}: FILE attaches one."
            else:
                name = f" ({picture.file_name})" if picture.file_name else ""
                line = f"{entity.name} has a picture{name}. I on the card shows it large."
            return Reply("operation", (line,))
        case "remove":
            await tools.pictures.remove_picture(entity.id)
            return Reply("operation", (f"Removed: the picture of {entity.name}. {how_to_undo}",))
        case "undo":
            picture = await tools.pictures.undo_picture(entity.id)
            state = "has the picture it had before" if picture.key else "has no picture"
            return Reply("operation", (f"Undone: {entity.name} {state}.",))
    await tools.pictures.attach_picture(entity.id, typed)
    return Reply("operation", (f"Attached: a picture of {entity.name}, on the card. {how_to_undo}",))
