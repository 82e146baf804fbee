"""Reads a long log in a process of its own, so that play goes on meanwhile (docs/decisions/0032).

The process gets a pickled `LogRequest` and answers in pieces, each with its length: the log without entries, its
entries some at a time, so that no piece holds the screen, and None; or a `RefusedLog`.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
import sys
from dataclasses import dataclass, replace
from typing import Final

from agents.child_processes import build_child_environment, kill_child
from agents.importers.log_entries import LogEntry, LogFormat, ParsedLog
from agents.importers.log_reading import read_log
from stores.errors import InputError

MIN_BYTES: Final = 200_000
"""A shorter log is read in less time than a process takes to start."""

ENTRIES_PER_PIECE: Final = 500
"""Some three milliseconds of unpickling."""

_LENGTH: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class LogRequest:
    """A log to be read, see `read_log`."""

    data: bytes
    form: LogFormat | None
    hero: str


@dataclass(frozen=True, slots=True)
class RefusedLog:
    """The words of an InputError."""

    what: str
    kept: str
    todo: str


Piece = ParsedLog | tuple[LogEntry, ...] | RefusedLog | None


def pack_piece(piece: Piece) -> bytes:
    data = pickle.dumps(piece, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


async def read_log_beside_play(data: bytes, *, form: LogFormat | None, hero: str) -> ParsedLog:
    """Read a log as `read_log` does; a long one in a process, which is ended if this is cancelled.

    Raises InputError.
    """
    if len(data) < MIN_BYTES:
        return await asyncio.to_thread(read_log, data, form=form, hero=hero)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # -P: not from the current folder, see agents.llm.child_client.
        *("-P", "-m", "agents.importers.child"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=build_child_environment({}),
        start_new_session=True,
    )
    try:
        return await _exchange(process, LogRequest(data, form, hero))
    except (EOFError, ConnectionError) as error:
        raise InputError(
            "The file could not be read: the process that reads it ended.",
            kept="Nothing was imported.",
            todo="Try again, or split the file.",
        ) from error
    finally:
        await kill_child(process)


async def _exchange(process: asyncio.subprocess.Process, request: LogRequest) -> ParsedLog:
    """Send the request and collect the pieces. Raises InputError, EOFError or ConnectionError."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL))
    await process.stdin.drain()
    process.stdin.close()
    log: ParsedLog | None = None
    entries: list[LogEntry] = []
    while (piece := await _read_piece(process.stdout)) is not None:
        match piece:
            case RefusedLog(what, kept, todo):
                raise InputError(what, kept=kept, todo=todo)
            case ParsedLog():
                log = piece
            case _:
                entries += piece
        await asyncio.sleep(0)  # other tasks go on, even if the next piece is there already
    if log is None:
        raise EOFError
    return replace(log, entries=tuple(entries))


async def _read_piece(stdout: asyncio.StreamReader) -> Piece:
    """Raises EOFError (asyncio.IncompleteReadError is one)."""
    (length,) = _LENGTH.unpack(await stdout.readexactly(_LENGTH.size))
    piece: Piece = pickle.loads(await stdout.readexactly(length))
    return piece
