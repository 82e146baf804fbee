"""Numbers the items of lists that commands name by number: an item keeps its number while its scene is open."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final

from stores.records.ids import Id

MAX_SCENES: Final = 8
"""Scenes whose numbers are remembered, those that were read last."""


class ItemNumbers:
    """The numbers of the scenes that were read since the program was started.

    What is settled or undone leaves a gap, so that a number never means another item.
    """

    def __init__(self) -> None:
        self._numbers_by_scene: OrderedDict[Id, dict[Id, int]] = OrderedDict()

    def number_items(self, scene_id: Id, item_ids: Iterable[Id]) -> Mapping[Id, int]:
        """Return the numbers of items, from 1; those that are new come after all others, in their order."""
        numbers = self._numbers_by_scene.setdefault(scene_id, {})
        self._numbers_by_scene.move_to_end(scene_id)
        while len(self._numbers_by_scene) > MAX_SCENES:
            self._numbers_by_scene.popitem(last=False)
        for item_id in item_ids:
            numbers.setdefault(item_id, len(numbers) + 1)
        return dict(numbers)
