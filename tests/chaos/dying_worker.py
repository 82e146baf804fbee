"""The process behind play, in which indexing one subject kills it, and another takes more memory than there is.

Started as `python -m tests.chaos.dying_worker HOME FATAL_SUBJECT GREEDY_SUBJECT`. While the file `mended` is in
the home folder, it works as it should.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

from agents.indexer.index_worker import IndexWorker
from monitor_tui import background_process
from stores.records.ids import Id

SPARE_BYTES = 2 * 1024**3
"""What it may take more than at its start: each thread takes some 70 MB of addresses."""


def main() -> None:
    home, (fatal_id, greedy_id) = Path(sys.argv[1]), sys.argv[2:]
    used_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used_bytes + SPARE_BYTES, resource.RLIM_INFINITY))
    reconcile = IndexWorker.reconcile

    async def reconcile_or_die(self: IndexWorker, subject_id: Id) -> int:
        if not (home / "mended").exists():
            if subject_id == fatal_id:
                os.kill(os.getpid(), signal.SIGKILL)
            if subject_id == greedy_id:
                hoard = []
                while True:
                    hoard.append(bytearray(2**24))
        return await reconcile(self, subject_id)

    IndexWorker.reconcile = reconcile_or_die  # type: ignore[method-assign]
    background_process.main()


if __name__ == "__main__":
    main()
