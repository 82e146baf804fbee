"""Whole commits in `library.db`, which holds both canon and the log."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from stores.authority import Role
from stores.embedded.canon_graph import write_batch
from stores.embedded.database import Transactions
from stores.embedded.narrative_log import close_commit
from stores.records.ids import Id
from stores.records.workflow import Canonization


class EmbeddedCommits:
    """Writes whole commits as `role`."""

    def __init__(self, db: Transactions, role: Role) -> None:
        self._db = db
        self._role = role

    async def write_commit(self, canonization: Canonization, scene_outcomes: Sequence[Id] = ()) -> None:
        def write(connection: apsw.Connection) -> None:
            write_batch(connection, canonization.batch)
            close_commit(connection, canonization, scene_outcomes)

        await self._db.write(self._role, write)
