"""Names of the form `scene.gate`, which TOML reads as a table in a table unless they are quoted."""

from __future__ import annotations

from collections.abc import Mapping


def join_nested_names(table: Mapping[str, object]) -> dict[str, object]:
    """Return the values by their whole names, however deep they stand."""
    value_by_name: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            inner = join_nested_names(value)
            value_by_name.update({f"{name}.{rest}": inner_value for rest, inner_value in inner.items()})
        else:
            value_by_name[name] = value
    return value_by_name
