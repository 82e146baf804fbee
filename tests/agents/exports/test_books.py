"""Books and pages to print: valid, and prose alone or with mechanics."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agents.exports.epub import write_epub
from agents.exports.print_page import write_print_page
from stores.errors import InputError
from tests.agents.exports.hostile_world import hostile_world
from tests.agents.orchestrator.recorded_story import the_drowned_bell
from tests.program import begin, opened

XHTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"


@pytest.mark.parametrize("with_mechanics", [False, True])
def test_epub_is_in_order_and_well_formed(with_mechanics: bool) -> None:
    (story,) = hostile_world().stories
    book = write_epub(story, with_mechanics=with_mechanics)
    archive = zipfile.ZipFile(io.BytesIO(book))
    first = archive.infolist()[0]
    assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")
    assert book[30:58] == b"mimetypeapplication/epub+zip"
    documents = {
        name: ElementTree.fromstring(archive.read(name))
        for name in archive.namelist()
        if name.endswith((".xml", ".opf", ".xhtml"))
    }
    package = documents["EPUB/package.opf"]
    listed = {f"EPUB/{item.get('href')}" for item in package.iter(f"{OPF}item")}
    assert listed == {name for name in archive.namelist() if name.startswith("EPUB/")} - {"EPUB/package.opf"}
    linked = [f"EPUB/{link.get('href')}" for link in documents["EPUB/nav.xhtml"].iter(f"{XHTML}a")]
    spine = [f"EPUB/{item.get('idref')}.xhtml" for item in package.iter(f"{OPF}itemref")]
    assert linked == spine == ["EPUB/title.xhtml", "EPUB/scene-001.xhtml", "EPUB/recap.xhtml"]
    assert "<b>bold</b>" in "".join(documents["EPUB/scene-001.xhtml"].itertext())
    assert not list(documents["EPUB/scene-001.xhtml"].iter(f"{XHTML}b"))
    assert write_epub(story, with_mechanics=with_mechanics) == book


def test_prose_alone_has_no_rolls_questions_or_notes() -> None:
    record = the_drowned_bell()
    prose = write_print_page(record, with_mechanics=False).decode()
    everything = write_print_page(record, with_mechanics=True).decode()
    assert 'class="roll"' not in prose
    assert 'class="roll"' in everything
    assert "Rests on" not in prose
    assert "Rests on" in everything
    for row in record.scenes[0].rows:
        if row.turn.speaker == "gm":
            assert row.turn.text.split()[0] in prose


@pytest.mark.slow
def test_epub_passes_epubcheck(tmp_path: Path) -> None:
    jar = Path("/usr/share/java/epubcheck.jar")
    if not jar.exists() or shutil.which("java") is None:
        pytest.skip("no epubcheck is installed (Debian: apt-get install epubcheck)")
    (hostile_story,) = hostile_world().stories
    for story, with_mechanics in ((hostile_story, True), (the_drowned_bell(), False)):
        file = tmp_path / f"{with_mechanics}.epub"
        file.write_bytes(write_epub(story, with_mechanics=with_mechanics))
        checked = subprocess.run(
            ["java", "-jar", str(jar), str(file)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert checked.returncode == 0, checked.stderr


async def test_export_command_writes_the_form_that_is_asked_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in ("I wait. /roll 2d6", "/secret Mara is a ghost", "/commit"):
            await play.submit(scene_id, line)
        for line, ending in (
            ("/export epub", "epub"),
            ("/export html rolls players", "html"),
            ("/export lonelog", "md"),
        ):
            (said,) = (await play.submit(scene_id, line)).lines
            assert said.startswith("Written: ")
            assert said.endswith(f".{ending}")
        page = next((tmp_path / "exports").glob("*.html")).read_text("utf-8")
        assert 'class="roll"' in page
        assert "ghost" not in page
        for line in ("/export papyrus", "/export epub html"):
            with pytest.raises(InputError, match="A story is not written as"):
                await play.submit(scene_id, line)
        for line in (
            "/export ~/story.md",
            "/export /tmp/My story.html",
            r"/export C:\stories\one",
            "/export a.epub",
        ):
            with pytest.raises(InputError, match="/export takes no file") as refused:
                await play.submit(scene_id, line)
            assert 'monitor story "A story" --to FILE' in refused.value.todo
