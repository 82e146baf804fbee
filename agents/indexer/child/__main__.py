"""Start: take the pipes, stand back behind play, load the model, serve until stdin ends."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import BinaryIO

from agents.indexer.pipe import ERROR, HEAD, VECTORS, frame, head, texts_in
from agents.processes import own_pipe, write_all

NICER = 10
"""How far behind play we stand when both want a core."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the screen's; we end when stdin does
    out = own_pipe()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICER)
    try:
        from agents.indexer.child.minilm import MiniLm

        model = MiniLm()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the installation is told
        write_all(out, frame(0, f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")))
        raise SystemExit(1) from None
    write_all(out, frame(0, b""))
    while asked := _next(sys.stdin.buffer):
        number, texts = asked
        try:
            told = VECTORS + model.embed(texts)
        except Exception as error:  # noqa: BLE001 - told to whoever asked; the next texts may go well
            told = ERROR + f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")
        with suppress(BrokenPipeError):
            write_all(out, frame(number, told))
    os._exit(0)  # no word to say to anybody: threads of libraries are not waited for


def _next(inlet: BinaryIO) -> tuple[int, list[str]] | None:
    raw = inlet.read(HEAD.size)
    if len(raw) < HEAD.size:
        return None
    number, length = head(raw)
    data = inlet.read(length)
    return (number, texts_in(data)) if len(data) == length else None


if __name__ == "__main__":
    main()
