"""The way from the prompt into the panels beside the story, and back."""

from __future__ import annotations

from textual.widget import Widget

from widgets.offer_list import OfferList
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalPanel


class SideFocus:
    """Moves the focus; without room beside the story, the panels lie over it while they have the focus."""

    def __init__(self, side: Widget, prompt: PlayPrompt) -> None:
        self._side = side
        self._prompt = prompt

    def toggle_proposals(self) -> None:
        panel = self._side.query_one(ProposalPanel)
        if panel.proposal_list.has_focus:
            self.leave()
        else:
            self._side.add_class("-over")
            panel.focus_list()

    def toggle_offers(self) -> None:
        offers = self._side.query_one(OfferList)
        if offers.has_focus:
            self.leave()
        else:
            self._side.add_class("-over")
            offers.focus()

    def leave(self) -> None:
        """Go back to the prompt."""
        self._side.remove_class("-over")
        self._prompt.focus_input()
