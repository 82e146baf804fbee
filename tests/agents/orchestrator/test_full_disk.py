"""A disk that fills up while a line is played: what is said of the line is true."""

from __future__ import annotations

from pathlib import Path

from stores.errors import StoreError
from tests.libraries import no_room_beyond
from tests.program import begin, opened

PAGE_BYTES = 4_096


async def test_full_disk_never_denies_a_line_that_was_kept(tmp_path: Path) -> None:
    kept_lines = refused_lines = 0
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look up.")
        log_path = tmp_path / "library.db-wal"
        for pages in range(1, 60, 2):
            line = f"I count {pages} gulls. /check might vs 8; success: Mara +sure-{pages}"
            with no_room_beyond(log_path.stat().st_size + pages * PAGE_BYTES):
                try:
                    await program.services.play.submit(scene_id, line)
                except StoreError as error:
                    message = str(error)
                else:
                    message = ""
            turns = await program.services.play.transcript(scene_id, 0, 500)
            was_kept = any(f"{pages} gulls" in turn.turn.text for turn in turns)
            kept_lines, refused_lines = kept_lines + was_kept, refused_lines + bool(message)
            assert "othing" not in message or not was_kept, message
            assert message or was_kept
    assert kept_lines
    assert refused_lines
