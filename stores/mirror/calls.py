"""A call of a port as data: its method and arguments as JSON, so that it can be made again later.

What is a write and what a read is taken from the ports themselves, so a method that comes to a port is
known here too. Source: stores/ports.py ("idempotent by the record's identifier").
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from stores import ports
from stores.authority import Store
from stores.records.base import Record


class _Doors(NamedTuple):
    """The protocols of one store: the one that only reads, and those that write."""

    reads: type | None
    writes: tuple[type, ...]


_DOORS: Final[Mapping[Store, _Doors]] = {
    Store.LOG: _Doors(
        ports.LogReader,
        (
            ports.TurnWriter,
            ports.OrchestratorLog,
            ports.NarratorLog,
            ports.ResolverLog,
            ports.CanonKeeperLog,
            ports.MemoryLog,
            ports.IngestLog,
            ports.ArchivistLog,
        ),
    ),
    Store.CANON: _Doors(ports.CanonReader, (ports.ContainerWriter, ports.CanonWriter)),
    Store.VECTORS: _Doors(None, (ports.VectorIndex,)),
    Store.WORDS: _Doors(None, (ports.TextIndex,)),
}
_INDEX_WRITES = frozenset({"put", "delete", "drop"})
"""What writes on the ports that have reading and writing on one protocol."""


def _methods(protocol: type) -> Iterator[str]:
    return (n for n, v in vars(protocol).items() if inspect.iscoroutinefunction(v) and not n.startswith("_"))


@cache
def reads_of(store: Store) -> frozenset[str]:
    """Return the names of the methods that only read."""
    doors = _DOORS[store]
    if doors.reads:
        return frozenset(_methods(doors.reads))
    return frozenset(n for door in doors.writes for n in _methods(door)) - _INDEX_WRITES


@cache
def writes_of(store: Store) -> frozenset[str]:
    """Return the names of the methods that write."""
    return frozenset(n for door in _DOORS[store].writes for n in _methods(door)) - reads_of(store)


def pack(store: Store, method: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Return the arguments of a write as JSON. Raises TypeError for arguments that the port does not take."""
    shape = _shape(store, method)
    bound = shape.signature.bind(None, *args, **named)
    bound.apply_defaults()
    given = {n: _plain(v) for n, v in bound.arguments.items() if n != "self"}
    return shape.model(**given).model_dump_json()


def unpack(store: Store, method: str, arguments: str) -> dict[str, Any]:
    """Return the arguments again, by name. Raises pydantic's ValidationError if they are damaged."""
    filled = _shape(store, method).model.model_validate_json(arguments)
    return {name: getattr(filled, name) for name in type(filled).model_fields}


class _Shape(NamedTuple):
    signature: inspect.Signature
    model: type[BaseModel]


@cache
def _shape(store: Store, method: str) -> _Shape:
    function: Callable[..., Any] = next(
        vars(door)[method] for door in _DOORS[store].writes if method in vars(door)
    )
    signature = inspect.signature(function)
    hints = get_type_hints(function)
    fields: dict[str, Any] = {n: (_fixed(hints[n]), ...) for n in signature.parameters if n != "self"}
    config = ConfigDict(protected_namespaces=(), extra="forbid", frozen=True, ser_json_inf_nan="strings")
    return _Shape(signature, create_model(method, __config__=config, **fields))


def _fixed(hint: Any) -> Any:
    """Return the hint; a collection of any kind is a list in JSON."""
    return list[get_args(hint)[0]] if get_origin(hint) is Collection else hint  # type: ignore[misc]


def _plain(value: Any) -> Any:
    """Return what JSON can hold: a set (or the keys of something) in order, an array as numbers.

    Halves of a character, which no server takes and no word has, are left out of texts to be indexed.
    """
    if isinstance(value, Record | str | bytes | Mapping) or not isinstance(value, Collection):
        return value
    if isinstance(value, list | tuple):
        return [_plain_item(item) for item in value]
    return sorted(value)


def _plain_item(item: Any) -> Any:
    if isinstance(item, ports.VectorItem):
        return item._replace(vector=[float(number) for number in item.vector])
    if isinstance(item, ports.TextItem):
        return item._replace(text=item.text.encode("utf-8", "replace").decode())
    return item
