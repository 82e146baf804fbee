"""The process that writes the daily backup of a library in files, while another plays in it.

It is started as `python -m monitor_tui.backup_process HOME FOLDER LIBRARY KEEP`, reads the library beside play, and
writes its answer as one pickle: a `WrittenBackup`, a `Failure`, or None. When its input ends before, it takes back
what it had written.
"""

from __future__ import annotations

import asyncio
import pickle
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from agents.child_processes import (
    build_child_environment,
    claim_stdout,
    end_child,
    lower_own_priority,
    write_all,
)
from agents.jobs.worker_pipe import Failure
from stores.backup.writing import WrittenBackup, write_backup
from stores.errors import InputError, MonitorError, StoreError
from stores.open import open_stores_for_backup
from stores.records.ids import Id

END_SECONDS: Final = 2.0

BackupAnswer = WrittenBackup | Failure | None
"""None: there is nothing in the library yet."""


async def write_backup_beside_play(
    home: Path, folder: Path, library_id: Id, keep: int
) -> WrittenBackup | None:
    """Write a backup as `write_backup` does, in a process, which ends if this is cancelled; None: the library is empty.

    Raises what `write_backup` raises, or StoreError if the process was killed.
    """
    start = asyncio.create_task(_start(home, folder, library_id, keep))
    try:
        process = await asyncio.shield(
            start
        )  # if this is cancelled meanwhile, there is a process all the same
        assert process.stdout is not None
        data = await process.stdout.read()
    finally:
        await end_child(await start, seconds=END_SECONDS)
    if not data:
        raise StoreError("The process that writes it ended.")
    answer: BackupAnswer = pickle.loads(data)
    if isinstance(answer, Failure):
        raise answer.error()
    return answer


async def _start(home: Path, folder: Path, library_id: Id, keep: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        # -P: not from the current folder, see agents.llm.child_client.
        *("-P", "-m", "monitor_tui.backup_process", str(home), str(folder), library_id, str(keep)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=build_child_environment({}),
        start_new_session=True,
    )


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # handled by the screen, which ends this process
    lower_own_priority()
    home, folder, library_id, keep = sys.argv[1:]
    output = claim_stdout()
    answer = asyncio.run(_write_until_input_ends(Path(home), Path(folder), library_id, int(keep)))
    write_all(output, pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL))


async def _write_until_input_ends(home: Path, folder: Path, library_id: Id, keep: int) -> BackupAnswer:
    """Return the answer; when the input ends before there is one, what was begun is taken back."""
    backup = asyncio.create_task(_write(home, folder, library_id, keep))
    input_end = asyncio.create_task(_wait_for_input_end())
    await asyncio.wait((backup, input_end), return_when=asyncio.FIRST_COMPLETED)
    if not backup.done():
        backup.cancel()
        await asyncio.wait([backup])
    return None if backup.cancelled() else backup.result()


async def _write(home: Path, folder: Path, library_id: Id, keep: int) -> BackupAnswer:
    try:
        stores = await open_stores_for_backup(home)
        try:
            return await write_backup(stores, folder, library_id=library_id, keep=keep)
        finally:
            await stores.close()
    except InputError:
        return None
    except MonitorError as error:
        return Failure.of(error)
    except Exception as error:  # noqa: BLE001 - passed on to the program
        return Failure(str(error))


async def _wait_for_input_end() -> None:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the program has ended
        main()
