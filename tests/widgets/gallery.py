"""Every widget on one screen, for looking at them and for snapshots: `python -m tests.widgets.gallery`."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical

from monitor_tui.theme import register_themes
from tests.widgets import samples
from widgets.cast import Cast
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree
from widgets.evidence import EvidenceList
from widgets.prompt import Prompt
from widgets.proposal_about import ProposalAbout
from widgets.proposal_rows import Grouping
from widgets.proposals import ProposalList, ProposalPanel
from widgets.status_bar import StatusBar
from widgets.transcript import Transcript
from widgets.trigger_bar import TriggerBar


class PlayGallery(App[None]):
    """The scene screen's parts as they stand together."""

    CSS = """
    Transcript { border: round $border-blurred; }
    Transcript:focus { border: round $primary; }
    #side { width: 40%; max-width: 56; }
    ProposalPanel { height: 1fr; }
    """

    def __init__(self, theme: str = "monitor-dark", trigger: str = "") -> None:
        super().__init__()
        register_themes(self)
        self.theme = theme
        self.animation_level = "none"
        self._trigger = trigger

    def compose(self) -> ComposeResult:
        yield StatusBar()
        with Horizontal():
            with Vertical():
                yield Transcript(empty="Say what you do, or /help.")
                yield TriggerBar()
                yield Prompt(
                    commands=samples.COMMANDS, names=samples.NAMES, hint="Say what you do", placeholder="…"
                )
            with Vertical(id="side"):
                yield ProposalPanel()
                yield Cast()

    def on_mount(self) -> None:
        views = samples.opening()

        async def fetch(start: int, count: int) -> list[samples.TurnView]:
            return views[start : start + count]

        self.query_one(StatusBar).view = samples.scene_view()
        self.query_one(Transcript).open(len(views), fetch)
        self.query_one(ProposalPanel).show(samples.proposals())
        self.query_one(Cast).show(samples.cast())
        self.query_one(TriggerBar).why = self._trigger
        self.query_one(Prompt).focus_input()


class WorldGallery(App[None]):
    """The world's parts: tree, card, evidence, grouped proposals, change."""

    CSS = """
    #left { width: 28; }
    #right { width: 1fr; }
    EntityCardView { width: 2fr; }
    EvidenceList { height: 1fr; }
    ProposalList { height: 12; }
    """

    def __init__(self, theme: str = "monitor-dark") -> None:
        super().__init__()
        register_themes(self)
        self.theme = theme
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="left"):
                yield EntityTree()
            yield EntityCardView()
            with Vertical(id="right"):
                yield ProposalList(accept_all="unmarked")
                yield ProposalAbout(change=True)
                yield EvidenceList()

    def on_mount(self) -> None:
        self.query_one(EntityTree).show(samples.entities())
        self.query_one(EntityCardView).show(samples.card())
        proposals = self.query_one(ProposalList)
        proposals.grouping = Grouping.GROUP
        proposals.show(samples.proposals())
        self.query_one(ProposalAbout).show(samples.proposals()[2])
        self.query_one(EvidenceList).show(
            [samples.basis(n, place=f"turn {n + 10} of scene 2") for n in (1, 2)]
        )
        self.query_one(EntityCardView).focus()


if __name__ == "__main__":
    PlayGallery().run()
