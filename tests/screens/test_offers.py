"""What a line offers waits beside the story: one key reaches it, one takes it, one drops it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App

from agents.views.scene_views import Offer
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from widgets.offer_list import OfferList
from widgets.prompt import PlayPrompt


class OfferApp(App[None]):
    """A list of offers that takes what Enter takes out of it."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.offers = [
            Offer("Somebody shouts:", "/end"),
            Offer("Unknown:", "/thing cloak"),
            Offer("Over:", "/end x"),
        ]

    def compose(self) -> Iterator[OfferList]:
        yield OfferList()

    def on_mount(self) -> None:
        self.query_one(OfferList).show_offers(self.offers)
        self.query_one(OfferList).focus()

    def on_offer_list_taken(self, message: OfferList.Taken) -> None:
        self.taken.append(message.offer.command)
        self.offers = [offer for offer in self.offers if offer != message.offer]
        self.query_one(OfferList).show_offers(self.offers)


async def test_offer_that_ends_the_scene_is_never_one_key_behind_another() -> None:
    app = OfferApp()
    async with app.run_test() as pilot:
        await pilot.press("down", "enter", "enter", "enter")
        assert app.taken == ["/thing cloak"]
        await pilot.press("down", "enter")
        assert app.taken == ["/thing cloak", "/end"]


def offers(ui: ScreenDriver) -> OfferList:
    return ui.app.screen.query_one(OfferList)


@pytest.mark.slow
async def test_offers_wait_while_the_next_lines_are_typed(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        assert not offers(ui).display
        await ui.type("> Three days pass.")
        await ui.type("> Behind the bar stands Pella Rook, the cook.")
        await ui.type("> The wind howls over the marsh.")
        assert ui.shows("offers 2")
        assert ui.shows("Time passes? /time +3 days")

        # What is being typed stays as it is, whatever is taken or dropped.
        await ui.type("I look for a bo", enter=False)
        await ui.press("ctrl+l")
        assert ui.app.screen.focused is offers(ui)
        await ui.press("delete")
        assert ui.shows("offers 1")
        assert not ui.shows("“Pella Rook” is not known")
        await ui.press("enter")
        assert ui.shows("Time passes. It is Day 6")
        assert not offers(ui).display
        await ui.type("at.")
        assert ui.shows("you  I look for a boat.")


@pytest.mark.slow
async def test_offers_are_reached_without_room_beside_the_story(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (80, 24), first="demo") as ui:
        await ui.type("> Three days pass.")
        await ui.type("> The wind howls over the marsh.")
        assert ui.shows("^l 1 offer")
        await ui.press("ctrl+l")
        assert ui.shows("Time passes? /time +3 days")
        await ui.press("ctrl+l")
        assert ui.app.screen.query_one(PlayPrompt).input_has_focus
        await ui.press("ctrl+l", "enter")
        assert ui.shows("Time passes. It is Day 6")
        assert not ui.shows("^l 1 offer")
        assert ui.app.screen.query_one(PlayPrompt).input_has_focus


@pytest.mark.slow
async def test_line_far_above_is_marked_once_what_it_names_is_known(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        lines = ("> It rains.", "> It is cold.", "I wait.", "> The tide falls.", "> A gull cries.")
        for line in ("> Ivo Tarrant loses the whistle.", *lines):
            await ui.type(line)
        assert not ui.shows("whistle. proposed")
        await ui.type("/thing whistle")
        assert ui.shows("Ivo Tarrant loses the whistle. proposed 1 ")
