"""Names with nothing to see are refused; names that look like another are proposed with a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.sanitize import clean
from stores.errors import InputError
from stores.records.workflow import Verdict
from tests.program import begin, opened


@pytest.mark.parametrize("name", ["\u200b", "\u3164", "\u2800", "\u200d", "\u0301", "\U000e0041", "\ufe0f"])
async def test_name_with_nothing_to_see_is_refused(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look up.")
        for command in ("/npc", "/place", "/thing"):
            with pytest.raises(InputError, match="needs a name"):
                await program.services.play.submit(scene_id, f"{command} {name}: somebody")
        await program.services.play.submit(scene_id, "/npc Tam: the pier-keeper")
        (tam,) = [
            row for row in (await program.services.play.scene(scene_id)).proposals if "Tam" in row.title
        ]
        with pytest.raises(InputError, match="A name has 1 to"):
            await program.services.gate.edit_text(tam.proposal.id, f"{name}: somebody")


async def test_name_loses_the_letters_that_nobody_sees(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look up.")
        await program.services.play.submit(scene_id, "/npc Ma\u200bra\U000e0041: somebody")
        row = (await program.services.play.scene(scene_id)).proposals[-1]
        assert any("called Mara already" in conflict.text for conflict in row.conflicts)


@pytest.mark.parametrize(
    "name", ["M\u0430ra", "\u041c\u0430r\u0430", "\uff2d\uff41\uff52\uff41", "M\u03b1ra"]
)
async def test_name_that_looks_like_another_is_proposed_with_a_note(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look up.")
        await program.services.play.submit(scene_id, f"/npc {name}: a stranger")
        row = (await program.services.play.scene(scene_id)).proposals[-1]
        assert any("looks like Mara" in reason for reason in row.reasons), row.reasons
        assert row.mark != "reject"


async def test_name_in_another_alphabet_looks_like_itself_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look up.")
        for name in (
            "\u041e\u043b\u044c\u0433\u0430",
            "\u0418\u0433\u043e\u0440\u044c",
            "\u0391\u03bd\u03bd\u03b1",
        ):
            await program.services.play.submit(scene_id, f"/npc {name}: a stranger")
        await program.services.gate.commit(scene_id)
        rows = (await program.services.play.scene(scene_id)).proposals
        assert not any("looks like" in reason for row in rows for reason in row.reasons)
        assert {row.verdict for row in rows} <= {None, *Verdict}


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u2764\ufe0f",
        "?!",
    ],
)
def test_clean_keeps_what_emoji_and_scripts_are_joined_by(text: str) -> None:
    assert clean(text) == text
