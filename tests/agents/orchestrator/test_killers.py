"""Who killed somebody is told, proposed and committed, also of those who are known to be dead."""

from __future__ import annotations

from pathlib import Path

from stores.queries import FactQuery
from tests.played_scene import PlayedScene
from tests.program import begin, opened


async def read_canon(table: PlayedScene) -> set[str]:
    universe_id = (await table.view()).universe.id
    return {f.statement for f in await table.program.services.world.canon.facts(universe_id, FactQuery())}


async def test_killer_of_somebody_who_is_known_to_be_dead_becomes_canon(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/npc here Pell", "/npc here Orrel Finch", "/npc here Tolly", "/npc The hooded stranger"
        )
        await table.say(
            "> Orrel Finch staggers in and dies.", "> Tolly dies.", "/accept 5", "/accept 6", "/commit"
        )
        # Canon has them dead, and neither warns of them nor takes the killer for said already.
        assert await table.say("> Pell killed Tolly.") == ("Proposed: Pell killed Tolly.",)
        assert await table.say("> Orrel was murdered by the hooded stranger.") == (
            "Proposed: Orrel was murdered by the hooded stranger.",
        )
        assert await table.say("> The hooded stranger killed Orrel.") == ()
        assert await table.say("> Orrel lies dead by the fire.") == ()
        await table.say("/accept 7", "/accept 8", "/commit")
        canon = await read_canon(table)
        assert {"Pell killed Tolly.", "Orrel was murdered by the hooded stranger.", "Tolly dies."} <= canon
        # Nobody is killed by two.
        (_, warning) = await table.say("/fact Pell killed Orrel Finch")
        assert warning.startswith("⚠ Canon says “Orrel was murdered by the hooded stranger.”")


async def test_killer_without_capitals_becomes_canon_by_fact(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/npc here red monk: a pilgrim", "/npc here Lisel: a lost child", "> Lisel dies of the cold."
        )
        await table.say("/accept 3", "/commit", "/fact The red monk killed Lisel")
        assert await table.say("/commit") == ("Canon: The red monk killed Lisel.",)


async def test_killer_of_whom_a_pronoun_means_is_proposed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/npc here Sheriff Hob Tully: law", "/npc here Mr. Pask: steward", "/npc here Dob: a boy"
        )
        for lines, proposed in (
            (("> Pask is dead. Tully killed him.",), True),
            (("> Pask dies.", "> Tully killed him."), True),
            (("> Pask looks at Dob. Tully killed him.",), False),
            (("> Pask is dead. Tully says he killed him.",), False),
            (("> Pask is dead. If Tully killed him, he will hang.",), False),
            (("> Pask is dead. Tully nearly killed him.",), False),
            (("> Pask is dead. Tully killed his dog.",), False),
        ):
            replies = await table.say(*lines)
            assert ("Proposed: Tully killed Mr. Pask." in replies) is proposed, lines
            await table.say(*["/undo"] * len(lines))
        await table.say("> Pask is dead. Tully killed him.", "/accept all", "/commit")
        assert "Tully killed Mr. Pask." in await read_canon(table)
