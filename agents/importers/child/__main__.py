"""Reads one request from stdin, and writes the log that it holds in pieces; see `agents.importers.log_process`."""

from __future__ import annotations

import pickle
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial

from agents.child_processes import claim_stdout, lower_own_priority, write_all
from agents.importers.log_process import ENTRIES_PER_PIECE, LogRequest, RefusedLog, pack_piece
from agents.importers.log_reading import read_log
from stores.errors import InputError


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # handled by the screen, which ends this process
    lower_own_priority()
    write = partial(write_all, claim_stdout())
    request = pickle.load(sys.stdin.buffer)
    assert isinstance(request, LogRequest)
    try:
        log = read_log(request.data, form=request.form, hero=request.hero)
    except InputError as error:
        write(pack_piece(RefusedLog(error.what, error.kept, error.todo)))
        return
    write(pack_piece(replace(log, entries=())))
    for start in range(0, len(log.entries), ENTRIES_PER_PIECE):
        write(pack_piece(tuple(log.entries[start : start + ENTRIES_PER_PIECE])))
    write(pack_piece(None))


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the import was cancelled
        main()
