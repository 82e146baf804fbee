"""The contract's adapters on real servers, each where its address is in the environment (`make servers`).

The servers are for tests alone: every adapter begins with an empty store.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from stores.servers.canon_graph import ServerCanon
from stores.servers.graph import open_graph


def at_hand(store: str) -> bool:
    """Say whether a server for this store was named."""
    return bool(os.environ.get(f"MONITOR_{store}"))


@asynccontextmanager
async def neo4j_canon(folder: Path) -> AsyncIterator[Any]:
    """Give canon on the Neo4j at hand, emptied."""
    names = ("MONITOR_NEO4J_URL", "MONITOR_NEO4J_USER", "MONITOR_NEO4J_PASSWORD")
    graph = await open_graph(*(os.environ[name] for name in names))
    try:
        await graph.run("MATCH (n) WHERE coalesce(n.name, '') <> 'format' DETACH DELETE n")
        yield lambda role: ServerCanon(graph, role)
    finally:
        await graph.close()
