"""What runs behind play, as the footer and the System screen draw it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from stores.records.ids import Id
from stores.records.jobs import Job


@dataclass(frozen=True, slots=True)
class BackgroundView:
    """`waiting` counts what is left to do (items, as far as it is known), `doing` says what is done now
    (empty: nothing). `rows` are (what, how it stands) for the System screen: indexes, embedding model,
    memories. `poisoned` failed too often and wait for a word of the user's."""

    items_left: int = 0
    current_work: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    poisoned: tuple[Job, ...] = ()
    names: Mapping[Id, str] = field(default_factory=dict)
    """What subjects of poisoned jobs are called, as far as it is known."""

    def with_names(self, names: Mapping[Id, str]) -> BackgroundView:
        return replace(self, names=names)
