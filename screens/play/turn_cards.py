"""From the names in a turn to the cards of who and what they name."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.message import Message

from agents.prose.entity_name_index import EntityNameIndex
from screens.base import ServiceScreen
from screens.dialogs.choice_dialog import ChoiceDialog
from screens.routes import ToUniverse, Visit
from stores.records.ids import Id
from widgets.transcript.transcript import Transcript

NO_NAMES = "Nobody and nothing that canon knows is named there."


class TurnCardScreen(ServiceScreen[None]):
    """A screen with a transcript, whose names lead to cards; `o` on a turn asks which, if it names several."""

    _name_index: EntityNameIndex | None = None
    _waiting_text = ""
    """A turn whose card was asked for before the names of canon were read."""

    @dataclass
    class EntityNameIndexRead(Message):
        """What finds the names of canon is built."""

        index: EntityNameIndex

    @property
    def played_universe_id(self) -> Id | None:
        """The world of the turns, once it is read."""
        raise NotImplementedError

    async def load_entity_name_index(self, universe_id: Id) -> None:
        """Read how everything in canon is called. Runs in a worker."""
        self.post_message(
            self.EntityNameIndexRead(await self.services.world.read_entity_name_index(universe_id))
        )

    @on(EntityNameIndexRead)
    def _link_names(self, message: EntityNameIndexRead) -> None:
        self._name_index = message.index
        self.query_one(Transcript).set_names(message.index)
        if self._waiting_text:
            self._open_card_of(self._waiting_text)

    @on(Transcript.CardRequested)
    def _take_request(self, message: Transcript.CardRequested) -> None:
        message.stop()
        self._open_card_of(message.text)

    @on(Transcript.NameChosen)
    def _open_chosen(self, message: Transcript.NameChosen) -> None:
        message.stop()
        self._visit_card(message.entity_id)

    def _open_card_of(self, text: str) -> None:
        """Open the card of what a text names; of several ask which."""
        if self._name_index is None:
            self._waiting_text = text
            return
        self._waiting_text = ""
        entities = {span.entity.id: span.entity for span in self._name_index.find(text)}
        match tuple(entities.values()):
            case ():
                self.notify(NO_NAMES)
            case (only,):
                self._visit_card(only.id)
            case several:
                choices = [(entity.id, f"{entity.name}  ({entity.kind.value})") for entity in several]
                self.app.push_screen(ChoiceDialog("Whose card?", choices), self._visit_card)

    def _visit_card(self, entity_id: Id | None) -> None:
        if entity_id is not None and (universe_id := self.played_universe_id) is not None:
            self.post_message(Visit(ToUniverse(universe_id, entity_id, beside_play=True)))
