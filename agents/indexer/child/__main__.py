"""Starts the child process: sets up the pipes, loads the model, serves until stdin ends.

This thread answers questions at once; other threads index, with a lower priority where the system has
thread priorities, so that a question need not wait for them.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread, get_native_id
from typing import TYPE_CHECKING, BinaryIO

from agents.child_processes import claim_stdout, write_all
from agents.indexer.embedding_pipe import (
    BACKGROUND_THREADS,
    ERROR_TAG,
    FRAME_HEADER,
    VECTORS_TAG,
    decode_texts,
    pack_embeddings,
    pack_frame,
    unpack_header,
)

if TYPE_CHECKING:
    from agents.indexer.child.minilm import MiniLmModel

BACKGROUND_NICENESS = 10
"""How much lower the indexing threads' priority is."""

HAS_THREAD_PRIORITY = sys.platform == "linux"


def main() -> None:
    # Ctrl+C is handled by the screen; this process ends when stdin does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output_fd = claim_stdout()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if not HAS_THREAD_PRIORITY and hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(BACKGROUND_NICENESS)
    try:
        from agents.indexer.child.minilm import MiniLmModel, load_token_projection

        model = MiniLmModel(load_token_projection())
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the installation is reported
        write_all(
            output_fd, pack_frame(0, f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace"))
        )
        raise SystemExit(1) from None
    answers = _AnswerWriter(model, output_fd)
    background_requests: SimpleQueue[tuple[int, list[str]]] = SimpleQueue()
    for _ in range(BACKGROUND_THREADS):
        Thread(
            target=_embed_in_background, args=(answers, background_requests), name="indexing", daemon=True
        ).start()
    write_all(output_fd, pack_frame(0, b""))
    while request := _read_request(sys.stdin.buffer):
        number, texts, urgent = request
        if urgent:
            answers.write_answer(number, texts)
        else:
            background_requests.put((number, texts))
    os._exit(0)  # end without waiting for the threads of libraries


class _AnswerWriter:
    """Computes vectors, and writes one answer at a time."""

    def __init__(self, model: MiniLmModel, out: int) -> None:
        self._model = model
        self._out = out
        self._write_lock = Lock()

    def write_answer(self, number: int, texts: list[str]) -> None:
        try:
            answer = VECTORS_TAG + pack_embeddings(self._model.embed(texts))
        except Exception as error:  # noqa: BLE001 - reported to the caller; the next texts may succeed
            answer = ERROR_TAG + f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")
        with suppress(BrokenPipeError), self._write_lock:
            write_all(self._out, pack_frame(number, answer))


def _embed_in_background(
    answers: _AnswerWriter, background_requests: SimpleQueue[tuple[int, list[str]]]
) -> None:
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), BACKGROUND_NICENESS)
    while True:
        answers.write_answer(*background_requests.get())


def _read_request(inlet: BinaryIO) -> tuple[int, list[str], bool] | None:
    raw = inlet.read(FRAME_HEADER.size)
    if len(raw) < FRAME_HEADER.size:
        return None
    number, length = unpack_header(raw)
    data = inlet.read(length)
    return (number, *decode_texts(data)) if len(data) == length else None


if __name__ == "__main__":
    main()
