"""Every write of a log's port can be kept until its server is there again."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from stores import ports
from stores.authority import Store
from stores.replication.port_calls import serialize_arguments

LOG_PORTS = (
    ports.OrchestratorLog,
    ports.NarratorLog,
    ports.ResolverLog,
    ports.CanonKeeperLog,
    ports.MemoryLog,
    ports.IngestLog,
    ports.ArchivistLog,
)
WRITES = sorted(
    {
        name
        for port in LOG_PORTS
        for name in set(dir(port)) - set(dir(ports.LogReader))
        if not name.startswith("_")
    }
)


@pytest.mark.parametrize("method", WRITES)
def test_write_of_a_log_has_arguments_that_can_be_kept(method: str) -> None:
    with pytest.raises(ValidationError, match="Field required"):
        serialize_arguments(Store.LOG, method, {})
