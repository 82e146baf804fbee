"""What screens show of the picture of an entity."""

from __future__ import annotations

from dataclasses import dataclass

from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class EntityPicture:
    """The picture of an entity, or that it has none."""

    entity_id: Id
    key: str = ""
    """Its object; empty if there is no picture."""
    media_type: str = ""
    file_name: str = ""
    """The name of the file that it was; empty of one that was brought back."""
    can_undo: bool = False
    """Whether something was done with it that can be undone: attached, replaced, removed."""
