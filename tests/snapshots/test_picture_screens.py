"""Pictures of pictures, in blocks: on a card, large, refused, and a page of a rulebook beside its text."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from agents.story_outline import NewUniverse
from monitor_tui.app import MonitorApp
from tests.agents.ingest.documents.typeset_book import typeset
from tests.agents.ingest.reading_in import read_in
from tests.program import opened
from tests.screens.ingest_library import ladder_server
from tests.screens.screen_driver import NIGHT, real_services
from tests.snapshots.steps import SIZES, Compare, Steps, walk

pytestmark = pytest.mark.slow

ON_CARDS: dict[str, Steps] = {
    "card": ("3",),
    "large": ("3", "I"),
    "removed": ("3", "I", "delete"),
    "none": ("3", "down", "I"),
}


def draw_portrait() -> bytes:
    """Return a head on a ground of two colours: what is drawn upside down or too wide is seen."""
    picture = Image.new("RGB", (300, 400), "#28485c")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 300, 300, 400), fill="#3d2b1f")
    pen.ellipse((80, 60, 220, 240), fill="#d9a066")
    pen.rectangle((110, 240, 190, 320), fill="#d9a066")
    pen.ellipse((110, 120, 135, 145), fill="black")
    pen.ellipse((165, 120, 190, 145), fill="black")
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return out.getvalue()


async def attach_portrait(home: Path) -> None:
    (home / "clerk.png").write_bytes(draw_portrait())
    async with opened(home) as program:
        (universe,) = await program.services.stories.universes()
        (ivo,) = await program.services.world.list_entities(universe.id, "Ivo")
        await program.services.pictures.attach_picture(ivo.id, str(home / "clerk.png"))


@SIZES
@pytest.mark.parametrize("name", ON_CARDS)
def test_picture(name: str, size: tuple[int, int], snap_compare: Compare, sample_home: Path) -> None:
    asyncio.run(attach_portrait(sample_home))
    app = MonitorApp(real_services(sample_home, start=NIGHT))
    assert snap_compare(app, terminal_size=size, run_before=walk(*ON_CARDS[name]))


async def read_book(home: Path) -> None:
    text = (
        "# The Drowned Keep\n\nSer Aldric keeps the gate.\n\n## The yard\n\n"
        + "Salt lies on every stone. " * 20
    )
    book = home.parent / "keep.pdf"
    book.write_bytes(typeset(text, "The Drowned Keep").pdf)
    async with opened(home) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Salt"))
        await program.services.ingest.start(str(book), universe.id)
        await read_in(program, ladder_server(program))


@SIZES
def test_page_picture(size: tuple[int, int], snap_compare: Compare, tmp_path: Path) -> None:
    asyncio.run(read_book(tmp_path / "home"))
    app = MonitorApp(real_services(tmp_path / "home", start=NIGHT))
    assert snap_compare(app, terminal_size=size, run_before=walk("5", "o", "I"))
