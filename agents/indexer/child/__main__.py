"""Start: take the pipes, load the model, serve until stdin ends.

Questions are answered at once, by this thread; what is indexed by another, which stands back behind play
where the system knows threads of different rank, and a question need not wait for it.
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
from agents.indexer.pipe import ERROR, HEAD, VECTORS, frame, head, texts_in

if TYPE_CHECKING:
    from agents.indexer.child.minilm import MiniLm

NICER = 10
"""How far behind play indexing stands when both want a core."""

THREADS_HAVE_RANK = sys.platform == "linux"


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the screen's; we end when stdin does
    out = claim_stdout()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if not THREADS_HAVE_RANK and hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICER)
    try:
        from agents.indexer.child.minilm import MiniLm

        model = MiniLm()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the installation is told
        write_all(out, frame(0, f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")))
        raise SystemExit(1) from None
    answers = _Answers(model, out)
    behind: SimpleQueue[tuple[int, list[str]]] = SimpleQueue()
    Thread(target=_stand_back, args=(answers, behind), name="behind play", daemon=True).start()
    write_all(out, frame(0, b""))
    while asked := _next(sys.stdin.buffer):
        number, texts, urgent = asked
        if urgent:
            answers.give(number, texts)
        else:
            behind.put((number, texts))
    os._exit(0)  # no word to say to anybody: threads of libraries are not waited for


class _Answers:
    """Makes vectors and says them, one answer at a time."""

    def __init__(self, model: MiniLm, out: int) -> None:
        self._model = model
        self._out = out
        self._saying = Lock()

    def give(self, number: int, texts: list[str]) -> None:
        try:
            told = VECTORS + self._model.embed(texts)
        except Exception as error:  # noqa: BLE001 - told to whoever asked; the next texts may go well
            told = ERROR + f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")
        with suppress(BrokenPipeError), self._saying:
            write_all(self._out, frame(number, told))


def _stand_back(answers: _Answers, behind: SimpleQueue[tuple[int, list[str]]]) -> None:
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICER)
    while True:
        answers.give(*behind.get())


def _next(inlet: BinaryIO) -> tuple[int, list[str], bool] | None:
    raw = inlet.read(HEAD.size)
    if len(raw) < HEAD.size:
        return None
    number, length = head(raw)
    data = inlet.read(length)
    return (number, *texts_in(data)) if len(data) == length else None


if __name__ == "__main__":
    main()
