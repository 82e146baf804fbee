"""A real process that plays at random until it is killed, and notes what was acknowledged to it.

The notes go to a file in single appends: what the operating system has taken survives SIGKILL.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agents.services.services import Services
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program, open_program
from stores.errors import MonitorError
from stores.records.play import CriticalCommitMode


def run(home: str, notes: str, seed: int) -> None:
    """Play until killed."""
    asyncio.run(play_on(lambda: open_program(Path(home)), Path(notes), random.Random(seed)))


async def nothing_else(program: Program, dice: random.Random) -> None:
    """Between two lines."""


async def play_on(
    open_: Callable[[], Awaitable[Program]],
    notes: Path,
    dice: random.Random,
    also: Callable[[Program, random.Random], Awaitable[None]] = nothing_else,
) -> None:
    sheet = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(**entry: Any) -> None:
        os.write(sheet, (json.dumps(entry) + "\n").encode())

    note(kind="started", pid=os.getpid())
    program = await open_()
    await program.services.stories.recover()
    program.services.jobs.start()
    scene_id = await _scene(program.services)
    note(kind="ready")
    number = 0
    while True:
        number += 1
        tag = f"{os.getpid()}-{number}"
        scene_id = await _act(program.services, scene_id, tag, dice, note)
        await also(program, dice)


async def _scene(services: Services) -> str:
    """Resume the story, or begin it."""
    for card in await services.stories.stories():
        if card.state == "active":
            return await services.stories.resume(card.story.id)
    known = await services.stories.universes()
    universe = known[0] if known else await services.stories.create_universe(NewUniverse("Chaos"))
    return await services.stories.start_story(
        StoryOutline(
            universe.id,
            "Chaos",
            NewCharacter("Mara", numbers=(("hp", 1_000), ("might", 1))),
            place="Yard",
            critical=CriticalCommitMode.AUTO,
        )
    )


async def _act(services: Services, scene_id: str, tag: str, dice: random.Random, note: Any) -> str:
    """Type one line, and note what came back."""
    line = dice.choices(
        (
            f"I do thing {tag}.",
            f"I try thing {tag}. /check might vs 7; success: Mara.hp -1; fail: Mara.hp -2",
            f"> It happens: {tag}.",
            f"/fact event: Fact {tag}",
            f"/place Place {tag}",
            "/undo yes",
            "/redo",
            "/commit",
            f"/end Scene {tag}",
        ),
        weights=(4, 4, 4, 4, 1, 2, 1, 2, 1),
    )[0]
    if (await services.play.scene(scene_id)).state == "finalizing":
        line = dice.choice(("/commit", "/commit", "/reopen"))
    note(kind="typed", line=line, tag=tag)
    try:
        reply = await services.play.submit(scene_id, line)
    except MonitorError as error:
        note(kind="refused", line=line, why=str(error))
        return scene_id
    note(kind="acknowledged", line=line, tag=tag, says=list(reply.lines))
    return reply.subject if reply.goto == "scene" and reply.subject else scene_id
