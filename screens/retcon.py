"""A retcon before it is one: what it would change, and all that rests on what was never so.

On what was retconned already the same screen restores it. Source: design/authority.md, "Retcon".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from agents.views.play_views import FactView
from screens.aside import Aside
from screens.listing import ListingScreen
from screens.routes import Back, Visit
from stores.records.ids import Id
from widgets.ink import Ink
from widgets.mentions import Mention, Section
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import ImpactView

WAITS = "This waits at the gate already: g goes there."
NOTHING = "Nothing else rests on it."


class RetconScreen(ListingScreen):
    """What would be never so, or so again."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Retcon"
    NAME = "Retcon"
    BINDINGS = [
        Binding(
            "enter",
            "stage",
            "Propose",
            id="retcon.stage",
            tooltip="Propose it: it waits at the gate, and nothing is deleted",
            priority=True,
            key_display="⏎",
        ),
    ]

    @dataclass
    class Read(Message):
        impact: ImpactView

    @dataclass
    class Staged(Message):
        """It waits at the gate."""

    def __init__(self, services: Services, subject_id: Id) -> None:
        super().__init__(services)
        self.subject_id = subject_id
        self.impact: ImpactView | None = None

    async def read_page(self) -> None:
        self.post_message(self.Read(await self.services.world.previews.retcon(self.subject_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        impact = self.impact = message.impact
        self.universe_id = impact.universe.id
        state = "would be so again" if impact.restore else "would never have been so"
        self.entitle(impact.universe.name, state)
        self.page.show(_sections(impact))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stage":
            ready = self.impact is not None and not self.impact.staged
            return ready and self.on_page
        return super().check_action(action, parameters)

    def action_stage(self) -> None:
        self.query_one(Aside).clear()
        self.change(self._stage(), "stage")

    async def _stage(self) -> None:
        await self.services.world.edits.retcon(self.subject_id)
        self.post_message(self.Staged())

    @on(Staged)
    def _go_back(self) -> None:
        self.post_message(Visit(Back(self)))


def _sections(impact: ImpactView) -> Iterator[Section]:
    head = f"{'So again' if impact.restore else 'Never so'}: {one_line(impact.title)}"
    yield Section(head, count=0)
    if impact.staged:
        yield Section(words=(WAITS,), ink=Ink.WARN)
    changes = [f"{one_line(what)}  {was} → {will}" for what, was, will in impact.changes]
    yield Section(
        "What changes", words=changes or ["Nothing that holds now."], count=len(changes), ink=Ink.PROSE
    )
    resting = list(_resting(impact))
    yield from resting
    if not resting:
        yield Section(words=("", NOTHING))


def _resting(impact: ImpactView) -> Iterator[Section]:
    told: set[Id] = set()

    def facts(heading: str, views: Sequence[FactView]) -> Iterator[Section]:
        """Each fact stands once, under the first heading that it fits."""
        fresh = [view for view in views if view.fact.id not in told]
        told.update(view.fact.id for view in fresh)
        if fresh:
            yield Section(heading, [Mention(view) for view in fresh])

    yield from facts("Open commitments among what rests on it", impact.commitments)
    yield from facts("Came of it", impact.caused)
    yield from facts("Rests on the same words", impact.same_words)
    yield from facts(
        "Involves it" if impact.entity else "Involves what it brought into the world", impact.involving
    )
    if impact.memories:
        words = [f"{one_line(m.who)}: {one_line(m.text)}" for m in impact.memories]
        yield Section("Remembered", words=words, count=len(words), ink=Ink.PROSE)
    if impact.scenes:
        yield Section("Told of in other scenes", [Mention(scene) for scene in impact.scenes])
    if impact.proposals:
        yield Section("Proposals that name it", [Mention(row) for row in impact.proposals])
