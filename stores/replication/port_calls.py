"""A call of a port as data: its method and arguments as JSON, so that it can be made again later.

What is a write and what a read is taken from the ports themselves, so a method that comes to a port is
known here too. Source: stores/ports.py ("idempotent by the record's identifier").
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from stores import ports
from stores.authority import Store
from stores.records.base import Record


class _StorePorts(NamedTuple):
    """The protocols of one store: the one that only reads, and those that write."""

    reader_port: type | None
    writer_ports: tuple[type, ...]


_STORE_PORTS: Final[Mapping[Store, _StorePorts]] = {
    Store.LOG: _StorePorts(
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
    Store.CANON: _StorePorts(ports.CanonReader, (ports.ContainerWriter, ports.CanonWriter)),
    Store.VECTORS: _StorePorts(None, (ports.VectorIndex,)),
    Store.WORDS: _StorePorts(None, (ports.TextIndex,)),
}
_EARLIER_PARAMETER_NAMES: Final = {("finish_exchange", "run_id"): "exchange_id"}
"""What parameters were called in earlier versions: calls that still wait have those names."""

_INDEX_WRITE_METHODS = frozenset({"put", "delete", "drop"})
"""What writes on the ports that have reading and writing on one protocol."""


def _method_names(protocol: type) -> Iterator[str]:
    return (n for n, v in vars(protocol).items() if inspect.iscoroutinefunction(v) and not n.startswith("_"))


@cache
def read_methods(store: Store) -> frozenset[str]:
    """Return the names of the methods that only read."""
    store_ports = _STORE_PORTS[store]
    if store_ports.reader_port:
        return frozenset(_method_names(store_ports.reader_port))
    return (
        frozenset(n for writer_port in store_ports.writer_ports for n in _method_names(writer_port))
        - _INDEX_WRITE_METHODS
    )


@cache
def write_methods(store: Store) -> frozenset[str]:
    """Return the names of the methods that write."""
    return frozenset(
        n for writer_port in _STORE_PORTS[store].writer_ports for n in _method_names(writer_port)
    ) - read_methods(store)


def serialize_arguments(store: Store, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Return the arguments of a write as JSON. Raises TypeError for arguments that the port does not take."""
    call_schema = _call_schema(store, method)
    bound_arguments = call_schema.signature.bind(None, *args, **kwargs)
    bound_arguments.apply_defaults()
    values = {n: _to_plain_value(v) for n, v in bound_arguments.arguments.items() if n != "self"}
    return call_schema.model(**values).model_dump_json()


def parse_arguments(store: Store, method: str, arguments: str) -> dict[str, Any]:
    """Return the arguments again, by name. Raises pydantic's ValidationError if they are damaged."""
    parsed_arguments = _call_schema(store, method).model.model_validate_json(arguments)
    return {name: getattr(parsed_arguments, name) for name in type(parsed_arguments).model_fields}


class _CallSchema(NamedTuple):
    signature: inspect.Signature
    model: type[BaseModel]


@cache
def _call_schema(store: Store, method: str) -> _CallSchema:
    function: Callable[..., Any] = next(
        vars(writer_port)[method]
        for writer_port in _STORE_PORTS[store].writer_ports
        if method in vars(writer_port)
    )
    signature = inspect.signature(function)
    hints = get_type_hints(function)
    fields: dict[str, Any] = {
        n: (
            _serializable_hint(hints[n]),
            Field(validation_alias=_EARLIER_PARAMETER_NAMES.get((method, n), n)),
        )
        for n in signature.parameters
        if n != "self"
    }
    config = ConfigDict(
        protected_namespaces=(),
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        ser_json_inf_nan="strings",
    )
    return _CallSchema(signature, create_model(method, __config__=config, **fields))


def _serializable_hint(hint: Any) -> Any:
    """Return the hint; a collection of any kind is a list in JSON."""
    return list[get_args(hint)[0]] if get_origin(hint) is Collection else hint  # type: ignore[misc]


def _to_plain_value(value: Any) -> Any:
    """Return what JSON can hold: a set (or the keys of something) in order, an array as numbers.

    Halves of a character, which no server takes and no word has, are left out of texts to be indexed.
    """
    if isinstance(value, Record | str | bytes | Mapping) or not isinstance(value, Collection):
        return value
    if isinstance(value, list | tuple):
        return [_to_plain_item(item) for item in value]
    return sorted(value)


def _to_plain_item(item: Any) -> Any:
    if isinstance(item, ports.VectorItem):
        return item._replace(vector=[float(number) for number in item.vector])
    if isinstance(item, ports.TextItem):
        return item._replace(text=item.text.encode("utf-8", "replace").decode())
    return item
