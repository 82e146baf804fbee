"""Shows the picture of an entity over its card, on the screens that have one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from widgets.pictures.picture_view import PictureView

if TYPE_CHECKING:
    from agents.services.pictures import PictureService
    from agents.views.picture_views import EntityPicture
    from widgets.entity_card import EntityCardView


def show_card_picture(card: EntityCardView, pictures: PictureService, picture: EntityPicture | None) -> None:
    """Show the picture, or none, over the card; the panel for it is made for the first picture."""
    panel = card.parent
    assert isinstance(panel, Widget)
    if picture is None or not picture.key:
        for view in panel.query(PictureView):
            view.show_picture("", None)
        return
    if not panel.query(PictureView):
        panel.mount(PictureView(), before=card)
    panel.query_one(PictureView).show_picture(picture.key, partial(pictures.read_small, picture))
