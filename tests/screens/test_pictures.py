"""Pictures by keyboard: on a card, large, replaced and taken away; and a page as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import DirectoryTree

from tests.agents.ingest.documents.typeset_book import typeset
from tests.picture_files import jpeg_of, png_of
from tests.screens.ingest_library import reading
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app
from widgets.pictures.picture_kinds import PictureKind
from widgets.pictures.picture_view import PictureView

pytestmark = pytest.mark.slow

BLOCKS = "▀▀▀▀▀▀"


async def choose(ui: ScreenDriver, name: str) -> None:
    """Choose a file of the home folder in the dialog."""
    await ui.press("ctrl+o")
    assert ui.shows(name)
    tree = ui.app.screen.query_one(DirectoryTree)
    while (
        tree.cursor_node is None or tree.cursor_node.data is None or tree.cursor_node.data.path.name != name
    ):
        await ui.press("down")
    await ui.press("enter")


async def test_portrait_is_attached_from_the_card_seen_replaced_and_taken_away(
    sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player: "I had drawn the clerk, and wanted to see him beside what is true of him"."""
    folder = tmp_path / "drawings"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    (folder / "clerk.png").write_bytes(png_of(300, 300))
    (folder / "older.jpg").write_bytes(jpeg_of())
    (folder / "letter.png").write_text("Dear Ivo")
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("3")
        assert ui.shows("Ivo Tarrant", "I Picture")
        assert not ui.app.screen.query(PictureView)
        await ui.press("I")
        assert ui.screen == "PictureScreen"
        assert ui.shows("No picture yet. Ctrl+O chooses a PNG or JPEG")
        await choose(ui, "letter.png")
        assert ui.shows("it is neither PNG nor JPEG", "Nothing was changed.", "No picture yet")
        await ui.press("escape")
        await choose(ui, "clerk.png")
        assert ui.shows("Attached: clerk.png. u undoes that.", BLOCKS)
        assert not ui.shows("No picture yet")
        await choose(ui, "older.jpg")
        assert ui.shows("older.jpg", BLOCKS)
        await ui.press("u")
        assert ui.shows("Undone.", BLOCKS)
        await ui.press("delete")
        assert ui.shows("Removed. u brings it back.", "No picture yet")
        await ui.press("u")
        await ui.press("q")
        assert ui.screen == "UniverseScreen"
        assert ui.shows(BLOCKS, "The Company's tide-clerk")
        await ui.press("down")
        assert not ui.shows(BLOCKS)
        await ui.press("up")
        assert ui.shows(BLOCKS)
        await ui.press("v")
        assert ui.screen == "RelationMapScreen"
        assert ui.shows(BLOCKS, "Ivo Tarrant")


async def test_picture_in_play_is_shown_on_the_card_that_play_opens(
    played_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "mara.png").write_bytes(png_of())
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.press("enter")
        await ui.type(f"/picture Mara Venn: {tmp_path / 'gone.png'}")
        assert ui.shows("cannot be read: no such file")
        await ui.press("escape")
        await ui.type(f"/picture Mara Venn: {tmp_path / 'mara.png'}")
        assert ui.shows("Attached: a picture of Mara Venn")


async def test_pictures_are_not_drawn_where_they_are_switched_off(sample_home: Path, tmp_path: Path) -> None:
    (tmp_path / "clerk.png").write_bytes(png_of())
    (sample_home / "settings.toml").write_text('[ui]\npictures = "off"\n')
    async with started_app(real_services(sample_home), NARROW, home=sample_home) as ui:
        assert ui.app.picture_kind is PictureKind.OFF
        (universe,) = await ui.services.stories.universes()
        (ivo,) = await ui.services.world.list_entities(universe.id, "Ivo")
        await ui.services.pictures.attach_picture(ivo.id, str(tmp_path / "clerk.png"))
        await ui.press("3")
        assert not ui.shows(BLOCKS)
        await ui.press("I")
        assert ui.shows("Pictures are off in the settings")
        assert not ui.shows(BLOCKS)


async def test_page_of_a_rulebook_is_shown_as_it_is_printed_beside_its_text(tmp_path: Path) -> None:
    """A player: "the table's page made no sense as text, so I looked how it is laid out"."""
    book = typeset("# The Drowned Keep\n\nSer Aldric keeps the gate.", "The Drowned Keep").pdf
    (tmp_path / "keep.pdf").write_bytes(book)
    async with reading(tmp_path / "home", NARROW) as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(str(tmp_path / "keep.pdf"), universe.id)
        await reader.read_all()
        await ui.press("5", "o")
        assert ui.shows("Ser Aldric keeps the gate.", "I Picture")
        assert not ui.shows(BLOCKS)
        await ui.press("I")
        assert ui.shows("Ser Aldric keeps the gate.", BLOCKS)
        await ui.press("I")
        assert not ui.shows(BLOCKS)
        # Where its words can be read it stands in place of the text.
        ui.app.__class__ = type("KittyApp", (ui.app.__class__,), {"picture_kind": PictureKind.KITTY})
        await ui.press("I")
        assert not ui.shows("Ser Aldric keeps the gate.")
        assert "\U0010eeee" in ui.text


async def test_missing_original_is_said_and_the_card_stays(sample_home: Path, tmp_path: Path) -> None:
    (tmp_path / "clerk.png").write_bytes(png_of())
    async with started_app(real_services(sample_home), NARROW) as ui:
        (universe,) = await ui.services.stories.universes()
        (ivo,) = await ui.services.world.list_entities(universe.id, "Ivo")
        picture = await ui.services.pictures.attach_picture(ivo.id, str(tmp_path / "clerk.png"))
        (sample_home / "objects" / "originals" / picture.key[:2] / picture.key[2:]).unlink()
        await ui.press("3")
        assert ui.shows("There is no object", "Ivo Tarrant", "The Company's tide-clerk")
