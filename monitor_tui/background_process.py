"""The process that remembers, summarises, archives, indexes words and vectors, and reads documents.

It is started as `python -m monitor_tui.background_process HOME [EMBEDDING MODEL]`. It reads the library beside the
process that plays, and writes nothing but `index.db` and archives: what it finds for the library, the process that
plays writes (docs/decisions/0022), and embeds what is indexed by meaning (docs/decisions/0032). It ends when its input
does.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from agents.child_processes import claim_stdout, lower_own_priority, write_all
from agents.indexer.piped_embedder import PipedEmbedder
from agents.jobs.worker_pipe import READY_NUMBER, Failure
from agents.jobs.worker_server import ProgramPipe, send_by_pipe, serve_workers
from agents.telemetry.span_recorder import SpanRecorder
from agents.telemetry.spans import Span
from monitor_tui.worker_building import build_workers_behind_play
from stores.errors import LibraryInUse, MonitorError
from stores.open import StoresBehindPlay, open_stores_behind_play

WAIT_SECONDS: Final = 20.0
"""The longest wait for the process of a program that was killed."""


def main() -> None:
    # Ctrl+C is handled by the screen; this process ends when stdin does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lower_own_priority()
    home, *embedding_models = sys.argv[1:]
    asyncio.run(_serve(Path(home), embedding_models, claim_stdout()))


async def _serve(home: Path, embedding_models: Sequence[str], output: Any) -> None:
    telemetry = SpanRecorder(_forget_trace)
    program = ProgramPipe(send_by_pipe(partial(write_all, output)), telemetry)
    try:
        stores = await _open_stores(home)
    except MonitorError as error:
        program.answer(READY_NUMBER, Failure(error.what, error.kept, error.todo))
        return
    try:
        embedders = [PipedEmbedder(model, program) for model in embedding_models]
        workers = build_workers_behind_play(stores, embedders, program)
        await serve_workers(workers, await _open_input(), program, telemetry)
    finally:
        await stores.close()


def _forget_trace(span: Span) -> None:
    """Forget what was measured once it has gone with the answer: this process sends nothing itself."""


async def _open_stores(home: Path) -> StoresBehindPlay:
    """Open the stores, as soon as the process of a program that was killed has ended. Raises StoreError."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                try:
                    return await open_stores_behind_play(home)
                except LibraryInUse:
                    await asyncio.sleep(WAIT_SECONDS / 100)
    except TimeoutError:
        return await open_stores_behind_play(home)


async def _open_input() -> asyncio.StreamReader:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


if __name__ == "__main__":
    main()
