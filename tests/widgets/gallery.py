"""Every widget on one screen, for looking at them and for snapshots: `python -m tests.widgets.gallery`."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical

from agents.views.turn_views import TurnView
from monitor_tui.theme import register_themes
from tests.widgets import samples
from widgets.cast_box import CastBox
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree
from widgets.evidence_list import EvidenceList
from widgets.prompt import PlayPrompt
from widgets.proposal_detail import ProposalDetail
from widgets.proposal_list import ProposalList, ProposalPanel
from widgets.proposal_rows import Grouping
from widgets.status_bar import StatusBar
from widgets.transcript.transcript import Transcript
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
                yield PlayPrompt(
                    commands=samples.COMMANDS, names=samples.NAMES, hint="Say what you do", placeholder="…"
                )
            with Vertical(id="side"):
                yield ProposalPanel()
                yield CastBox()

    def on_mount(self) -> None:
        views = samples.opening()

        async def fetch(start: int, count: int) -> list[TurnView]:
            return views[start : start + count]

        self.query_one(StatusBar).view = samples.scene_view()
        self.query_one(Transcript).open_timeline(len(views), fetch)
        self.query_one(ProposalPanel).show_proposals(samples.proposals())
        self.query_one(CastBox).show(samples.cast())
        self.query_one(TriggerBar).why = self._trigger
        self.query_one(PlayPrompt).focus_input()


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
                yield ProposalDetail(with_change=True)
                yield EvidenceList()

    def on_mount(self) -> None:
        self.query_one(EntityTree).show_entities(samples.entities())
        self.query_one(EntityCardView).show_card(samples.card())
        proposals = self.query_one(ProposalList)
        proposals.grouping = Grouping.GROUP
        proposals.show_proposals(samples.proposals())
        self.query_one(ProposalDetail).show_proposal(samples.proposals()[2])
        self.query_one(EvidenceList).show_evidence(
            [samples.basis(n, place=f"turn {n + 10} of scene 2") for n in (1, 2)]
        )
        self.query_one(EntityCardView).focus()


if __name__ == "__main__":
    PlayGallery().run()
