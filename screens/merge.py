"""Two entities side by side, and what making them one would do. Nothing is lost: a merge can be split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Static

from screens.aside import Aside
from screens.key_bar import KeyBar
from screens.listing import ListingScreen
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.entity_card import EntityCardView
from widgets.ink import Ink
from widgets.mentions import Mention, MentionList, Section
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import MergeView


class MergeScreen(ListingScreen):
    """Left, the one whose name is kept; right, the one that becomes another name of it."""

    CSS_PATH = "merge.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Making two one"
    NAME = "Merge"
    EVIDENCE_IN = "#what"
    BINDINGS = [
        Binding(
            "enter",
            "stage",
            "Make them one",
            id="merge.stage",
            tooltip="Propose it: it waits at the gate, and can be split again",
            priority=True,
            key_display="⏎",
        ),
        Binding("s", "swap", "Keep the other", id="merge.swap", tooltip="Keep the name of the other one"),
    ]

    @dataclass
    class Read(Message):
        view: MergeView

    @dataclass
    class Staged(Message):
        """It waits at the gate."""

    def __init__(self, services: Services, kept_id: Id, absorbed_id: Id) -> None:
        super().__init__(services)
        self.kept_id = kept_id
        self.absorbed_id = absorbed_id
        self.view: MergeView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(self.NAME)
        with Horizontal(id="sides"):
            with Vertical(classes="side"):
                yield Static("this name is kept", classes="role", markup=False)
                yield EntityCardView(id="kept")
            with Vertical(classes="side", id="right"):
                yield Static("becomes another name of it", classes="role", markup=False)
                yield EntityCardView(id="absorbed")
        with Vertical(id="what"):
            yield MentionList()
        yield Aside()
        yield KeyBar()

    async def read_page(self) -> None:
        self.post_message(self.Read(await self.services.world.previews.merge(self.kept_id, self.absorbed_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        view = self.view = message.view
        self.universe_id = view.universe.id
        kept, absorbed = view.kept.entity, view.absorbed.entity
        self.entitle(f"{one_line(absorbed.name)} is {one_line(kept.name)}", view.universe.name)
        self.query_one("#kept", EntityCardView).show(view.kept)
        self.query_one("#absorbed", EntityCardView).show(view.absorbed)
        self.page.show(_sections(view))
        self.refresh_bindings()

    @on(EntityCardView.ShowEvidence)
    def _evidence_of(self, message: EntityCardView.ShowEvidence) -> None:
        message.stop()
        fact = message.fact_view.fact
        self.show_evidence(fact.id, fact.statement)

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "stage":
                return self.view is not None and not self.view.staged and self.on_page
            case "swap":
                return self.view is not None
        return super().check_action(action, parameters)

    def action_swap(self) -> None:
        self.kept_id, self.absorbed_id = self.absorbed_id, self.kept_id
        self.reload()

    def action_stage(self) -> None:
        self.query_one(Aside).clear()
        self.change(self._stage(), "stage")

    async def _stage(self) -> None:
        await self.services.world.edits.merge(self.kept_id, self.absorbed_id)
        self.post_message(self.Staged())

    @on(Staged)
    def _go_back(self) -> None:
        self.post_message(Visit(Back(self)))


def _sections(view: MergeView) -> Iterator[Section]:
    kept, absorbed = one_line(view.kept.entity.name), one_line(view.absorbed.entity.name)
    if view.staged:
        yield Section(words=("This waits at the gate already: g goes there.",), ink=Ink.WARN)
    if view.kept.entity.kind is not view.absorbed.entity.kind:
        kinds = f"⚠ {kept} is a {view.kept.entity.kind}, {absorbed} is a {view.absorbed.entity.kind}."
        yield Section(words=(kinds,), ink=Ink.WARN)
    if view.clashes:
        clashes = [Mention(theirs, f"cannot stand beside: {one_line(ours)}") for ours, theirs in view.clashes]
        yield Section(f"⚠ Clashes: what {kept} has stays, this is left behind", clashes)
    yield Section(
        f"{kept} would also be called",
        words=(", ".join(map(one_line, view.gained)) or "nothing more",),
        count=0,
        ink=Ink.PROSE,
    )
    moved = [Mention(fact) for fact in view.moved]
    yield Section(f"Would be told of {kept}", moved, () if moved else ("Nothing.",))
    if view.repeated:
        yield Section(f"Said of {kept} already", [Mention(fact) for fact in view.repeated])
    if view.memories:
        yield Section(words=(f"{view.memories} memories stay with {absorbed}.",))
