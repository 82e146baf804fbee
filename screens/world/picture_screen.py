"""The picture of an entity, large: attached, replaced, removed and undone here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from agents.events import PictureChanged
from screens.base import ServiceScreen
from screens.dialogs.file_dialog import FileDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.pictures.picture_kinds import PictureKind
from widgets.pictures.picture_view import PictureView
from widgets.safe_text import content

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.picture_views import EntityPicture
    from stores.records.world import Entity

NO_PICTURE_HINT = "No picture yet. Ctrl+O chooses a PNG or JPEG: a portrait, a map."
PICTURES_OFF_HINT = "There is a picture. Pictures are off in the settings (Look, Pictures)."


class PictureScreen(ServiceScreen[None]):
    """One picture in all the room that there is."""

    CSS_PATH = SCREENS_FOLDER / "world/picture_screen.tcss"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Picture"
    BINDINGS = [
        Binding(
            "ctrl+o",
            "choose",
            "Choose a file",
            id="picture.choose",
            tooltip="Attach a PNG or JPEG, or replace it",
        ),
        Binding("delete", "remove", "Remove", id="picture.remove", tooltip="Take the picture away"),
        Binding("u", "undo", "Undo", id="picture.undo", tooltip="Undo what was done last with this picture"),
        Binding("escape,q", "escape", "Back", id="picture.escape", tooltip="One step back"),
    ]

    @dataclass
    class PictureLoaded(Message):
        entity: Entity
        picture: EntityPicture

    @dataclass
    class Changed(Message):
        """Something was done with the picture, in a line."""

        line: str

    def __init__(self, services: Services, entity_id: Id) -> None:
        super().__init__(services)
        self.entity_id = entity_id
        self._picture: EntityPicture | None = None
        self._last_path = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Picture")
        with Vertical(id="page"):
            yield Static(id="hint", markup=False)
            yield PictureView()
        yield NoticePanel()
        yield KeyBar()

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, PictureChanged) and event.entity_id == self.entity_id

    async def load_view(self) -> None:
        entity = await self.services.world.canon.entity(self.entity_id)
        self.post_message(
            self.PictureLoaded(entity, await self.services.pictures.find_picture(self.entity_id))
        )

    @on(PictureLoaded)
    def _show_picture(self, message: PictureLoaded) -> None:
        picture = self._picture = message.picture
        view = self.query_one(PictureView)
        self.query_one(TitleBar).show_place(message.entity.name, picture.file_name)
        hint = (
            NO_PICTURE_HINT if not picture.key else PICTURES_OFF_HINT if view.kind is PictureKind.OFF else ""
        )
        self.query_one("#hint", Static).update(content(hint))
        self.query_one("#hint").display = bool(hint)
        read = partial(self.services.pictures.read_small, picture) if picture.key else None
        view.show_picture(picture.key, read)
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "remove":
                return self._picture is not None and bool(self._picture.key)
            case "undo":
                return self._picture is not None and self._picture.can_undo
        return super().check_action(action, parameters)

    def action_choose(self) -> None:
        self.app.push_screen(FileDialog(self._last_path, takes_folders=False), self._file_chosen)

    def _file_chosen(self, path: str | None) -> None:
        if path:
            self._last_path = path
            self.query_one(NoticePanel).show_lines(("Looking at the file …",))
            self.start_change(partial(self._attach_picture, path), "attach")

    async def _attach_picture(self, path: str) -> None:
        picture = await self.services.pictures.attach_picture(self.entity_id, path)
        self.post_message(self.Changed(f"Attached: {picture.file_name}. u undoes that."))

    def action_remove(self) -> None:
        self.start_change(self._remove_picture, "remove")

    async def _remove_picture(self) -> None:
        await self.services.pictures.remove_picture(self.entity_id)
        self.post_message(self.Changed("Removed. u brings it back."))

    def action_undo(self) -> None:
        self.start_change(self._undo_picture, "undo")

    async def _undo_picture(self) -> None:
        picture = await self.services.pictures.undo_picture(self.entity_id)
        self.post_message(self.Changed("Undone." if picture.key else "Undone: there is no picture."))

    @on(Changed)
    def _show_changed(self, message: Changed) -> None:
        self.query_one(NoticePanel).show_lines((message.line,))

    def action_escape(self) -> None:
        """Go one step back: close the notes, then the picture."""
        if self.query_one(NoticePanel).asks_for_attention:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))
