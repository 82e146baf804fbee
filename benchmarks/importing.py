"""`python -m benchmarks.importing`: a long log brought in, while somebody plays, and cut off half way.

How long it takes, what a typed line takes meanwhile, how soon a cancel is obeyed, and that what was gone on
with holds every turn of the log.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from agents.importers.import_views import ImportProgress, ImportRequest
from benchmarks import table
from benchmarks.recall_set.build import LOG
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from tests.table import begin

TURNS = 20_000


def long_log(turns: int) -> bytes:
    """The measuring set over and over, each time a year later."""
    said = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    said = [fields for fields in said if fields["role"] != "ooc"]
    lines = []
    for number in range(turns):
        again, place = divmod(number, len(said))
        fields = said[place]
        year = int(fields["time"][:4]) + again
        lines.append(
            json.dumps({**fields, "turn": f"{again}/{fields['turn']}", "time": f"{year}{fields['time'][4:]}"})
        )
    return "\n".join(lines).encode()


async def _measured(turns: int) -> list[table.Row]:
    with tempfile.TemporaryDirectory(prefix="monitor-import-") as folder:
        program = await open_program(Path(folder))
        try:
            return await _rows(program, ImportRequest("long.jsonl", long_log(turns), hero="Tamsin"), turns)
        finally:
            await program.close()


async def _rows(program: Program, order: ImportRequest, turns: int) -> list[table.Row]:
    services = program.services
    scene_id = await begin(program)
    alone = [await _act(program, scene_id, number) for number in range(20)]
    stopped = await _cut_off(program, order)
    began, spent = time.perf_counter(), time.process_time()
    coming = asyncio.ensure_future(services.imports.import_log(order))
    beside: list[float] = []
    while not coming.done():
        beside.append(await _act(program, scene_id, len(beside)))
        await asyncio.sleep(0.05)
    done = await coming
    took, worked = time.perf_counter() - began, time.process_time() - spent
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    there = sum([await log.line_length(scene.id) for scene in await log.scenes(done.story_id)])
    assert there == done.turns == turns, f"{there} of {turns} turns are in"
    left = turns - done.resumed_at + 1
    return [
        table.Row(f"import: from a cancel to its end, at turn {done.resumed_at - 1:,}", stopped, unit="s"),
        table.Row(f"import: the other {left:,} turns, with play beside", took, unit="s", cpu=worked),
        table.Row("import: turns a second", left / took, unit="turns"),
        table.times("import: a typed line before it", alone),
        table.times("import: a typed line beside it", beside),
    ]


async def _act(program: Program, scene_id: str, number: int) -> float:
    began = time.perf_counter()
    await program.services.play.submit(scene_id, f"Act {number} of the afternoon.")
    return time.perf_counter() - began


async def _cut_off(program: Program, order: ImportRequest) -> float:
    """Cancel an import when a third of it is in; return how long it took to end, in seconds."""
    told = asyncio.Event()

    def hear(progress: ImportProgress) -> None:
        if progress.turns * 3 >= progress.total_turns:
            told.set()

    coming = asyncio.ensure_future(program.services.imports.import_log(order, hear))
    await told.wait()
    began = time.perf_counter()
    coming.cancel()
    await asyncio.gather(coming, return_exceptions=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.importing", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help=f"turns of the log ({TURNS:,})")
    options = parser.parse_args()
    print(table.machine())
    print(table.head())
    for row in asyncio.run(_measured(options.turns)):
        print(table.line(row))
    print(table.foot())


if __name__ == "__main__":
    main()
