"""Runs `python -m benchmarks`: measures, and prints one table.

Figures over their aim are marked, never an error.
"""

from __future__ import annotations

import argparse
import tempfile
import traceback
from pathlib import Path

from benchmarks import (
    commit,
    exchange,
    gate,
    idle,
    keys,
    memory,
    model_counts,
    modes,
    narration,
    newcomer,
    opening,
    outcomes,
    peers,
    prompt_prefix,
    reads,
    replication,
    start,
    stores,
    table,
    while_indexing,
    while_reading,
)
from benchmarks.libraries import Libraries

GROUPS = {
    "exchange": exchange.run,
    "reads": reads.run,
    "commit": commit.run,
    "opening": opening.run,
    "keys": keys.run,
    "gate": gate.run,
    "modes": modes.run,
    "prompts": prompt_prefix.run,
    "counts": model_counts.run,
    "outcomes": outcomes.run,
    "narration": narration.run,
    "newcomer": newcomer.run,
    "start": start.run,
    "memory": memory.run,
    "stores": stores.run,
    "replication": replication.run,
    "while-indexing": while_indexing.run,
    "while-reading": while_reading.run,
    "idle": idle.run,
    "peers": peers.run,
}

ONLY_WHEN_NAMED = ("newcomer", "outcomes")
"""Groups that download packages, or ask a model, which may cost money."""


def main() -> None:
    options = _options()
    print(table.machine())
    print(table.format_header())
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder:
        libraries = Libraries(Path(folder), options.quick)
        for name in options.only or [name for name in GROUPS if name not in ONLY_WHEN_NAMED]:
            _measure(name, libraries)
    print(table.format_footer())


def _measure(name: str, libraries: Libraries) -> None:
    try:
        for row in GROUPS[name](libraries):
            print(table.format_row(row), flush=True)
    except Exception:  # noqa: BLE001  (the other groups can still be measured)
        print(f"{name}: could not be measured", flush=True)
        traceback.print_exc()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smaller library and fewer rounds")
    parser.add_argument("--only", action="append", choices=GROUPS, metavar="NAME", help=", ".join(GROUPS))
    return parser.parse_args()


main()
