"""Pictures made small: whole files only, within bounds, whatever is in them."""

from __future__ import annotations

import pytest
from PIL import Image

from agents.ingest.documents.child.small_pictures import shrink_picture
from agents.ingest.documents.limits import MAX_PICTURE_BYTES
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.picture_files import JPEG, PNG, detect_picture_type
from stores.errors import InputError
from tests import picture_files as files


@pytest.fixture(autouse=True)
def _own_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of Pillow, which the child process takes away for itself, stays this process's."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)


def test_picture_is_made_as_small_as_its_room_and_never_larger() -> None:
    assert files.size_of(shrink_picture(files.png_of(600, 400), 60, 60)) == (60, 40)
    assert files.size_of(shrink_picture(files.png_of(600, 400), 10_000, 10_000)) == (600, 400)
    assert files.size_of(shrink_picture(files.png_of(1, 3_000), 60, 60)) == (1, 60)


def test_picture_of_a_camera_stands_upright() -> None:
    assert files.size_of(shrink_picture(files.jpeg_of(60, 40, orientation=6), 100, 100)) == (40, 60)


def test_transparent_picture_has_a_white_ground() -> None:
    empty = files._save(Image.new("RGBA", (4, 4), (0, 0, 0, 0)), "PNG")
    assert files.corner_of(shrink_picture(empty, 4, 4)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(files.huge_png(50_000, 50_000), "it has 50,000 x 50,000 pixels", id="huge"),
        pytest.param(files.huge_png(200_000, 2), "it has 200,000 x 2 pixels", id="long"),
        pytest.param(files.huge_png(400, 400), "damaged or cut off", id="few_pixels"),
        pytest.param(files.png_of()[:-30], "damaged or cut off", id="png_cut_off"),
        pytest.param(files.jpeg_of(600, 400)[:700], "damaged or cut off", id="jpeg_cut_off"),
        pytest.param(b"\x89PNG\r\n\x1a\nmore", "damaged or cut off", id="begins_as_png"),
        pytest.param(b"\xff\xd8\xff" + b"\0" * 99, "damaged or cut off", id="begins_as_jpeg"),
        pytest.param(files.moving_png(), "it moves", id="moving"),
    ],
)
def test_picture_that_cannot_be_used_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as refusal:
        shrink_picture(data, 60, 60)
    assert refusal.value.kept == "Nothing was changed."
    assert refusal.value.todo


def test_picture_type_is_told_by_its_bytes() -> None:
    assert (detect_picture_type(files.png_of()), detect_picture_type(files.jpeg_of())) == (PNG, JPEG)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b"GIF89a", "it is a GIF"),
        (b"RIFF....WEBP", "a WebP"),
        (b"<svg>", "an SVG"),
        (b"%PDF-1.7", "it is a PDF"),
        (b"words", "neither PNG nor JPEG"),
    ],
)
def test_what_is_no_picture_is_refused_with_what_it_is(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        detect_picture_type(data)


def test_picture_of_too_many_bytes_is_refused_unread() -> None:
    with pytest.raises(InputError, match="more than 20 MB"):
        detect_picture_type(b"\x89PNG\r\n\x1a\n" + bytes(MAX_PICTURE_BYTES))


@pytest.mark.slow
async def test_picture_is_made_small_in_a_process_of_its_own() -> None:
    reader = DocumentReader()
    assert files.size_of(await reader.shrink_picture(files.png_of(600, 400), 30, 30)) == (30, 20)
    with pytest.raises(InputError, match="it has 50,000 x 50,000 pixels"):
        await reader.shrink_picture(files.huge_png(50_000, 50_000), 30, 30)
