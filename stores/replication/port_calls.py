"""The arguments of a write as JSON, so that the write can be made again later.

Their types are taken from the ports. Making a write twice is harmless: see `stores/ports.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, Final, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from stores import ports
from stores.authority import Store
from stores.records.base import Record

_WRITER_PORTS: Final[Mapping[Store, tuple[type, ...]]] = {
    Store.LOG: (
        ports.TurnWriter,
        ports.OrchestratorLog,
        ports.NarratorLog,
        ports.ResolverLog,
        ports.CanonKeeperLog,
        ports.MemoryWriter,
        ports.SourceWriter,
        ports.IngestLog,
        ports.ArchivedLogWriter,
    ),
    Store.CANON: (ports.ContainerWriter, ports.CanonWriter),
    Store.VECTORS: (ports.VectorIndex,),
    Store.WORDS: (ports.TextIndex,),
}
"""The protocols of each store that have methods that write."""

_EARLIER_PARAMETER_NAMES: Final = {("finish_exchange", "run_id"): "exchange_id"}
"""What parameters were called in earlier versions: calls that still wait have those names."""


def serialize_arguments(store: Store, method: str, arguments: Mapping[str, object]) -> str:
    """Return the arguments of a write as JSON."""
    values = {name: _to_plain_value(value) for name, value in arguments.items()}
    return _arguments_model(store, method)(**values).model_dump_json()


def parse_arguments(store: Store, method: str, arguments: str) -> dict[str, Any]:
    """Return the arguments again, by name. Raises pydantic's ValidationError if they are damaged."""
    parsed_arguments = _arguments_model(store, method).model_validate_json(arguments)
    return {name: getattr(parsed_arguments, name) for name in type(parsed_arguments).model_fields}


@cache
def _arguments_model(store: Store, method: str) -> type[BaseModel]:
    """Build the model of a write's arguments from the signature on its port."""
    function: Callable[..., Any] = next(
        vars(writer_port)[method] for writer_port in _WRITER_PORTS[store] if method in vars(writer_port)
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
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
    return create_model(method, __config__=config, **fields)


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
