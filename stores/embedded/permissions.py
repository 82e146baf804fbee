"""Enforces the write matrix in SQLite, by an authorizer and a function for triggers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import apsw

from stores.authority import Operation, Role, Store, find_grants

StoreOfTable = Mapping[str, tuple[Store, str]]
"""The store and collection that each table holds."""

OUTBOX_TABLE = "outbox"
"""The table of writes that are still to be sent to a server (`stores.replication`). It is no collection: each role
that may write anything may add and remove its own entries."""

CHANGES_TABLE = "changes"
"""The table of numbered changes (`stores.embedded.changes`). It is no collection: its triggers alone write it."""

_READ_ACTIONS = {
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


class RolePermissions:
    """What `role` (None: a reader) may do in a file with these tables."""

    def __init__(self, role: Role | None, store_of_table: StoreOfTable) -> None:
        self._inserts: dict[str, frozenset[str] | None] = {}
        self._updates: dict[str, frozenset[str] | None] = {}
        self._deletes: set[str] = set()
        for table, (store, collection) in store_of_table.items() if role else ():
            assert role is not None
            if role_grants := find_grants(role, store, collection, Operation.INSERT):
                self._inserts[table] = _merge_restrictions(
                    g.values[1] if g.values else None for g in role_grants
                )
            if role_grants := find_grants(role, store, collection, Operation.UPDATE):
                self._updates[table] = _merge_restrictions(g.columns for g in role_grants)
            if find_grants(role, store, collection, Operation.DELETE):
                self._deletes.add(table)
        self._outbox_role = role.value if role and self.may_write else None

    @property
    def may_write(self) -> bool:
        """Whether the role may write anything in this file."""
        return bool(self._inserts or self._updates or self._deletes)

    def apply_to(self, connection: apsw.Connection) -> None:
        """Restrict `connection` to these permissions."""
        _register_permission_function(connection, self._is_allowed)
        connection.authorizer = self._authorize

    def _authorize(
        self, action: int, table: str | None, column: str | None, database: str | None, trigger: str | None
    ) -> int:
        if action in _READ_ACTIONS:
            return apsw.SQLITE_OK
        if table == OUTBOX_TABLE and self._outbox_role:
            is_applied_update = action == apsw.SQLITE_UPDATE and column == "applied"
            is_allowed = is_applied_update or action in (apsw.SQLITE_INSERT, apsw.SQLITE_DELETE)
        elif table == CHANGES_TABLE:
            is_by_trigger = trigger is not None and trigger.startswith(f"{CHANGES_TABLE}_")
            is_allowed = is_by_trigger and action in (apsw.SQLITE_INSERT, apsw.SQLITE_DELETE)
        elif action == apsw.SQLITE_INSERT:
            is_allowed = table in self._inserts
        elif action == apsw.SQLITE_UPDATE:
            columns = self._updates.get(table or "", frozenset())
            is_allowed = columns is None or column in columns
        elif action == apsw.SQLITE_DELETE:
            is_allowed = table in self._deletes
        else:
            is_allowed = action == apsw.SQLITE_PRAGMA and _is_reading_pragma(table, column)
        return apsw.SQLITE_OK if is_allowed else apsw.SQLITE_DENY

    def _is_allowed(self, op: str, table: str, value: str | None) -> bool:
        """Answer the triggers about what the authorizer does not see: values of rows, and rows that REPLACE deletes."""
        if table == OUTBOX_TABLE:
            return value == self._outbox_role
        if op == Operation.DELETE:
            return table in self._deletes
        values = self._inserts.get(table, frozenset())
        return values is None or value in values


def allow_all_writes(connection: apsw.Connection) -> None:
    """Let migrations and imports write wherever the append-only triggers allow it."""
    _register_permission_function(connection, lambda op, table, value: True)


def _register_permission_function(connection: apsw.Connection, is_allowed: Callable[..., bool]) -> None:
    connection.create_scalar_function("monitor_may", is_allowed, 3, flags=apsw.SQLITE_INNOCUOUS)


def _merge_restrictions(restrictions: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """Return the union of restrictions; None, which restricts nothing, wins."""
    merged: frozenset[str] = frozenset()
    for restriction in restrictions:
        if restriction is None:
            return None
        merged |= restriction
    return merged


def _is_reading_pragma(pragma: str | None, argument: str | None) -> bool:
    takes_table_argument = pragma in {"foreign_key_list", "table_info", "table_xinfo"}
    return pragma in _READABLE_PRAGMAS and (argument is None or takes_table_argument)
