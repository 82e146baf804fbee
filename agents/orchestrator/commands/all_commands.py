"""The slash commands, in the order in which help lists them."""

from __future__ import annotations

from agents.orchestrator.commands import (
    dice_commands,
    gate_commands,
    lookup_commands,
    model_commands,
    picture_commands,
    proposal_commands,
    query_commands,
    solo_commands,
    timeline_commands,
)
from agents.orchestrator.commands.registry import CommandRegistry

COMMANDS = CommandRegistry(
    (
        proposal_commands.group,
        timeline_commands.group,
        lookup_commands.group,
        picture_commands.group,
        gate_commands.group,
        solo_commands.group,
        dice_commands.group,
        model_commands.group,
        query_commands.group,
    )
)
