"""A real process that plays at random with its whole background, until it is killed; its embedding model is
killed under it all the while."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from contextlib import suppress
from pathlib import Path

from agents.indexer.minilm_embedder import MiniLmEmbedder
from monitor_tui.behind import Work
from monitor_tui.compose import Desktop, open_desktop
from tests.chaos.player import play_on


def run(home: str, notes: str, seed: int) -> None:
    """Play until killed."""
    asyncio.run(_play(Path(home), Path(notes), random.Random(seed)))


async def _play(home: Path, notes: Path, dice: random.Random) -> None:
    embedder = MiniLmEmbedder()

    async def open_() -> Desktop:
        return await open_desktop(home, work=Work.PLAY, embedder=embedder)

    killing = asyncio.create_task(_kill_now_and_then(embedder, dice))
    try:
        await play_on(open_, notes, dice)
    finally:
        killing.cancel()


async def _kill_now_and_then(embedder: MiniLmEmbedder, dice: random.Random) -> None:
    while True:
        await asyncio.sleep(dice.uniform(0.2, 2.0))
        if embedder.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(embedder.pid, signal.SIGKILL)
