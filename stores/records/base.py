"""The base class of every record: frozen, without unknown fields, and readable in the JSON of earlier versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. To change one, make another with `model_copy(update=...)`.

    A field that was renamed has its earlier name as `validation_alias`: records are read with either name,
    and written with the present one.
    """

    # JSON has no infinity: a record that held one could be written, and never read again.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True, loc_by_alias=False
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with the fields of `update` changed. Raises KeyError for a field that there is not."""
        if update and (unknown := update.keys() - type(self).model_fields.keys()):
            raise KeyError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        return super().model_copy(update=update, deep=deep)


def old_names_reader(**new_names: str) -> Callable[[Any], Any]:
    """Return a validator that reads a record stored under field names of an earlier version.

    `new_names` maps each old name to the present one. A record that has the present name is left as it is.
    """

    def rename(data: Any) -> Any:
        if not isinstance(data, dict) or not any(
            old in data and new not in data for old, new in new_names.items()
        ):
            return data
        return {new_names.get(key, key): value for key, value in data.items()}

    return rename
