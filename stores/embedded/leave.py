"""What one role may write in one file, as SQLite asks it: an authorizer and a function for triggers.

Source: design/authority.md ("The store"); the grants are those of `stores.authority.MATRIX`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import apsw

from stores.authority import Op, Role, Store, grants

StoreOfTable = Mapping[str, tuple[Store, str]]
"""Which collection of which store a table holds."""

OUTBOX = "outbox"
"""Where a mirror keeps what is still to be sent to a server (`stores.mirror`). It is no collection: a role
that may write at all puts in and takes out what it has done itself, and nothing in another's name."""

_HARMLESS = {
    apsw.SQLITE_SELECT,
    apsw.SQLITE_READ,
    apsw.SQLITE_FUNCTION,
    apsw.SQLITE_RECURSIVE,
    apsw.SQLITE_TRANSACTION,
    apsw.SQLITE_SAVEPOINT,
}
_READABLE_PRAGMAS = {
    "data_version",
    "foreign_key_list",
    "page_count",
    "table_info",
    "table_xinfo",
    "user_version",
}


class Leave:
    """The leave of `role` (None: only to read) in a file of these tables."""

    def __init__(self, role: Role | None, store_of_table: StoreOfTable) -> None:
        self._inserts: dict[str, frozenset[str] | None] = {}
        self._updates: dict[str, frozenset[str] | None] = {}
        self._deletes: set[str] = set()
        for table, (store, collection) in store_of_table.items() if role else ():
            assert role is not None
            if granted := grants(role, store, collection, Op.INSERT):
                self._inserts[table] = _union(g.values[1] if g.values else None for g in granted)
            if granted := grants(role, store, collection, Op.UPDATE):
                self._updates[table] = _union(g.columns for g in granted)
            if grants(role, store, collection, Op.DELETE):
                self._deletes.add(table)
        self._sends_as = role.value if role and self.writes else None

    @property
    def writes(self) -> bool:
        """Whether there is anything at all that the role may write here."""
        return bool(self._inserts or self._updates or self._deletes)

    def bind(self, connection: apsw.Connection) -> None:
        """Hold `connection` to this leave."""
        _register(connection, self._may)
        connection.authorizer = self._authorize

    def _authorize(
        self, action: int, table: str | None, column: str | None, database: str | None, trigger: str | None
    ) -> int:
        if action in _HARMLESS:
            return apsw.SQLITE_OK
        if table == OUTBOX and self._sends_as:
            updates = action == apsw.SQLITE_UPDATE and column == "applied"
            allowed = updates or action in (apsw.SQLITE_INSERT, apsw.SQLITE_DELETE)
        elif action == apsw.SQLITE_INSERT:
            allowed = table in self._inserts
        elif action == apsw.SQLITE_UPDATE:
            columns = self._updates.get(table or "", frozenset())
            allowed = columns is None or column in columns
        elif action == apsw.SQLITE_DELETE:
            allowed = table in self._deletes
        else:
            allowed = action == apsw.SQLITE_PRAGMA and _only_reads(table, column)
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    def _may(self, op: str, table: str, value: str | None) -> bool:
        """Answer the triggers on what no authorizer is asked: row values, and rows that REPLACE deletes."""
        if table == OUTBOX:
            return value == self._sends_as
        if op == Op.DELETE:
            return table in self._deletes
        values = self._inserts.get(table, frozenset())
        return values is None or value in values


def bind_owner(connection: apsw.Connection) -> None:
    """Let migrations and archive import write where the append-only triggers do not forbid it."""
    _register(connection, lambda op, table, value: True)


def _register(connection: apsw.Connection, may: Callable[..., bool]) -> None:
    connection.create_scalar_function("monitor_may", may, 3, flags=apsw.SQLITE_INNOCUOUS)


def _union(parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """Join narrowings; one that narrows nothing (None) opens all."""
    joined: frozenset[str] = frozenset()
    for part in parts:
        if part is None:
            return None
        joined |= part
    return joined


def _only_reads(pragma: str | None, argument: str | None) -> bool:
    takes_a_table = pragma in {"foreign_key_list", "table_info", "table_xinfo"}
    return pragma in _READABLE_PRAGMAS and (argument is None or takes_a_table)
