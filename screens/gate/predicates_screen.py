"""The predicates of a universe, as YAML: checked whole, refused with the line that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from screens.dialogs.checked_text_screen import CheckedTextScreen

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.world import Universe

PREDICATES_HINT = """\
This world's own kinds of fact, as YAML. For example:
sworn_to: {cardinality: one, excludes: [enemy_of], statement: "{subject} is sworn to {object}."}"""


class PredicatesScreen(CheckedTextScreen):
    """An editor; text that is refused stays as it was typed."""

    BINDING_GROUP_TITLE = "Kinds of fact"
    BINDINGS = [
        Binding("ctrl+s", "save", "Save", id="predicates.save", tooltip="Check and save them", priority=True),
        Binding(
            "escape", "leave", "Back", id="predicates.leave", tooltip="Back to the gate rules", priority=True
        ),
    ]

    def __init__(self, services: Services, universe: Universe, text: str) -> None:
        super().__init__(services, "Kinds of fact", universe.name, PREDICATES_HINT, text)
        self.universe = universe

    async def save_text(self, text: str) -> tuple[str, ...]:
        count = await self.services.policy.set_predicates(self.universe.id, text)
        plural = "" if count == 1 else "s"
        return (f"Kept: {count} predicate{plural} of this world's own.",)
