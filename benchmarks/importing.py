"""Measures the import of a long log (`python -m benchmarks.importing`), during play and cut off half way.

Timed are the import, a typed line during it, and a cancel; the import that was resumed must hold every turn
of the log.
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
from tests.program import begin

TURNS = 20_000


def make_long_log(turns: int) -> bytes:
    """Return the measuring set repeated, each time a year later."""
    log_entries = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    log_entries = [fields for fields in log_entries if fields["role"] != "ooc"]
    lines = []
    for number in range(turns):
        round_number, place = divmod(number, len(log_entries))
        fields = log_entries[place]
        year = int(fields["time"][:4]) + round_number
        lines.append(
            json.dumps(
                {**fields, "turn": f"{round_number}/{fields['turn']}", "time": f"{year}{fields['time'][4:]}"}
            )
        )
    return "\n".join(lines).encode()


async def _measure(turns: int) -> list[table.Row]:
    with tempfile.TemporaryDirectory(prefix="monitor-import-") as folder:
        program = await open_program(Path(folder))
        try:
            return await _rows(
                program, ImportRequest("long.jsonl", make_long_log(turns), hero="Tamsin"), turns
            )
        finally:
            await program.close()


async def _rows(program: Program, import_request: ImportRequest, turns: int) -> list[table.Row]:
    services = program.services
    scene_id = await begin(program)
    seconds_alone = [await _time_act(program, scene_id, number) for number in range(20)]
    cancel_seconds = await _time_cancel(program, import_request)
    started_at, cpu_started_at = time.perf_counter(), time.process_time()
    import_task = asyncio.ensure_future(services.imports.import_log(import_request))
    seconds_beside: list[float] = []
    while not import_task.done():
        seconds_beside.append(await _time_act(program, scene_id, len(seconds_beside)))
        await asyncio.sleep(0.05)
    import_result = await import_task
    seconds, cpu_seconds = time.perf_counter() - started_at, time.process_time() - cpu_started_at
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    stored_turns = sum(
        [await log.line_length(scene.id) for scene in await log.scenes(import_result.story_id)]
    )
    assert stored_turns == import_result.turns == turns, f"{stored_turns} of {turns} turns are in"
    remaining_turns = turns - import_result.resumed_at + 1
    return [
        table.Row(
            f"import: from a cancel to its end, at turn {import_result.resumed_at - 1:,}",
            cancel_seconds,
            unit="s",
        ),
        table.Row(
            f"import: the other {remaining_turns:,} turns, with play beside",
            seconds,
            unit="s",
            cpu=cpu_seconds,
        ),
        table.Row("import: turns a second", remaining_turns / seconds, unit="turns"),
        table.make_times_row("import: a typed line before it", seconds_alone),
        table.make_times_row("import: a typed line beside it", seconds_beside),
    ]


async def _time_act(program: Program, scene_id: str, number: int) -> float:
    started_at = time.perf_counter()
    await program.services.play.submit(scene_id, f"Act {number} of the afternoon.")
    return time.perf_counter() - started_at


async def _time_cancel(program: Program, import_request: ImportRequest) -> float:
    """Cancel an import when a third of it is done; return how many seconds it took to end."""
    third_imported = asyncio.Event()

    def on_progress(progress: ImportProgress) -> None:
        if progress.turns * 3 >= progress.total_turns:
            third_imported.set()

    import_task = asyncio.ensure_future(program.services.imports.import_log(import_request, on_progress))
    await third_imported.wait()
    started_at = time.perf_counter()
    import_task.cancel()
    await asyncio.gather(import_task, return_exceptions=True)
    return time.perf_counter() - started_at


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.importing", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help=f"turns of the log ({TURNS:,})")
    options = parser.parse_args()
    print(table.machine())
    print(table.format_header())
    for row in asyncio.run(_measure(options.turns)):
        print(table.format_row(row))
    print(table.format_footer())


if __name__ == "__main__":
    main()
