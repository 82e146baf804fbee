"""A memory names somebody of an earlier scene by the first name, and is compared with what canon says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.memory_manager.memory_session import open_memory_session

DEATH = "Marra Sool is dead."


@pytest.mark.parametrize(
    ("others", "line", "belief"),
    [
        ((), "> Osk says that Marra is dead.", ("Marra is dead.", True, DEATH)),
        ((), "> Osk says that Marra is alive.", ("Marra is alive.", False, DEATH)),
        (("/place Marra Bridge",), "Osk: Marra is dead.", ("Marra is dead.", True, DEATH)),
        # By the first name of two nobody is meant.
        (
            ("/npc Marra Vey",),
            "> Osk says that Marra is dead.",
            ("Osk says that Marra is dead.", None, ""),
        ),
        ((), "> Osk says that Sister Vey is dead.", ("Osk says that Sister Vey is dead.", None, "")),
    ],
)
async def test_death_by_the_first_name_of_one_is_compared_with_canon(
    tmp_path: Path, others: tuple[str, ...], line: str, belief: tuple[str, bool | None, str]
) -> None:
    async with open_memory_session(tmp_path) as session:
        await session.play("/npc Osk", "/npc Marra Sool", *others, f"> {DEATH}", "/accept all")
        await session.play("/end That was that", "/commit", "/scene The mill", "/cast + Osk", line)
        await session.remember()
        beliefs = await session.knowledge.read_beliefs((await session.ids_by_name())["Mara"])
        assert [
            (b.memory.text, b.agrees_with_canon, b.current_fact.statement if b.current_fact else "")
            for b in beliefs
            if b.memory.scene_id == session.scene_id
        ] == [belief]
