"""A process with one worker, whose subjects say what becomes of them. Run by `test_worker_process`."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Collection
from functools import partial

from agents.child_processes import claim_stdout, write_all
from agents.events import Event, HeadMoved, Notice
from agents.indexer.embedding_port import EmbedderUnavailable
from agents.jobs.worker import PLAIN_QUEUE, JobSubject, RetryLater
from agents.jobs.worker_pipe import FRAME_HEADER, WorkAnswer, pack_frame
from agents.jobs.worker_server import ProgramPipe, send_by_pipe, serve_workers
from agents.telemetry.span_recorder import SpanRecorder
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.jobs import JobKind


class ServedWorker:
    kind = JobKind.REMEMBER
    queue = PLAIN_QUEUE
    priority = 1

    def __init__(self, program: ProgramPipe, write: Callable[[bytes], None]) -> None:
        self._program = program
        self._write = write
        self._release = asyncio.Event()

    async def subjects(self) -> Collection[JobSubject]:
        return [JobSubject("scene", "universe", os.getpid())]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return [JobSubject(event.scene_id, "universe")] if isinstance(event, HeadMoved) else []

    async def reconcile(self, subject_id: Id) -> int:
        match subject_id:
            case "refused":
                raise InputError("No room.", kept="All is kept.", todo="Make room.")
            case "broken":
                raise RuntimeError("a bug")
            case "odd":
                raise OddError
            case "fatal":
                os._exit(9)
            case "torn":
                self._write(pack_frame(1, WorkAnswer(items_left=3))[:-1])
                os._exit(0)
            case "nonsense":
                self._write(FRAME_HEADER.pack(1, 4) + b"????")
            case "embedded":
                try:
                    (embedding,) = await self._program.embed_texts(["a bell"], "universe")
                except EmbedderUnavailable as error:
                    raise RetryLater(error.what, seconds=7.0, whole_kind=True) from error
                return int(sum(embedding.vector))
            case "complete":
                await self._program.mark_vectors_complete()
            case "held":
                await self._release.wait()
            case "release":
                self._release.set()
            case "hanging":
                time.sleep(3_600)  # noqa: ASYNC251 - it is to hang
            case "written":
                await self._program.write_cursor(self.kind, JobSubject("scene", "universe"), "so far")
                self._program.publish(Notice("written"))
        return 3

    async def confirm_complete(self) -> Collection[JobSubject]:
        return [JobSubject("overlooked", "universe")]


class OddError(Exception):
    """Cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("a bug")
        self.lock = threading.Lock()


async def main() -> None:
    write = partial(write_all, claim_stdout())
    telemetry = SpanRecorder(lambda trace: None)
    program = ProgramPipe(send_by_pipe(write), telemetry)
    requests = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(requests), sys.stdin
    )
    await serve_workers([ServedWorker(program, write)], requests, program, telemetry)


if __name__ == "__main__":
    asyncio.run(main())
