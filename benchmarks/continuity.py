"""Measures continuity in a long story (`python -m benchmarks.continuity`): what prompts contain and what is caught.

A scripted model sets continuity traps in three of five turns (`tests/long_model/baits.py`); no real model
is used and nothing costs anything. `tests/long_model` asserts these figures.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.long_model.playing import open_run

TURNS = 100


async def _play(turns: int, seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="monitor-continuity-") as folder:
        async with open_run(Path(folder), seed) as run:
            return (await run.play(turns)).table()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help=f"exchanges that are played ({TURNS})")
    parser.add_argument("--seed", type=int, default=1, help="another order of baits and innocent turns")
    options = parser.parse_args()
    print(asyncio.run(_play(options.turns, options.seed)))


if __name__ == "__main__":
    main()
