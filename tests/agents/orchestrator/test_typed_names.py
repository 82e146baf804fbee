"""Names resolve alike in every command: whole, without the article, by their beginning, and in lists."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.examples import first_few
from tests.program import begin, opened


class Table:
    """A scene with named people, a place and clocks."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.scene_id = scene_id

    async def say(self, line: str) -> tuple[str, ...]:
        return (await self.program.services.play.submit(self.scene_id, line)).lines

    async def cast(self) -> set[str]:
        view = await self.program.services.play.scene(self.scene_id)
        return {member.name for member in view.cast}


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with opened(tmp_path) as program:
        table = Table(program, await begin(program))
        for line in (
            "I look round.",
            "/npc here The Undersinger: she hums below the pier",
            "/npc here Old Tam: keeper of the salt bell",
            "/npc here Wenna Pike: lies about last night",
            "/place Boat Shed: tarred boards",
            "/clock The thaw 6",
            "/track Find the bell slow",
            "/thread Who cut the rope?",
            "/commit",
        ):
            await table.say(line)
        yield table


@pytest.mark.parametrize(
    "line",
    first_few(
        [
            "/cast - Undersinger",
            "/cast - the undersinger",
            "/cast - under",
            "/whisper Undersinger: the key is gone",
            "/npcs Undersinger +",
            "/react Undersinger",
            "/state Undersinger +angry",
            "/check 2d6 vs 7; success: Undersinger +calm",
            "/sheet Undersinger",
            "/show Undersinger",
            "/go Boat",
            "/place Boat Shed > Loft",
            "/place shed > Cellar",
            "/clock thaw +1",
            "/clock The th = 2",
            "/track find mark",
            "/thread who cut close",
        ]
    ),
)
async def test_name_without_its_article_or_its_end_is_understood(table: Table, line: str) -> None:
    await table.say(line)


async def test_cast_takes_lists_of_names(table: Table) -> None:
    assert await table.say("/cast - Undersinger, Tam and Wenna") == (
        "The Undersinger leaves.",
        "Old Tam leaves.",
        "Wenna Pike leaves.",
    )
    assert await table.cast() == {"Mara"}
    await table.say("/cast + Wenna, old tam")
    assert await table.cast() == {"Mara", "Wenna Pike", "Old Tam"}
    await table.say("/undo")
    assert await table.cast() == {"Mara"}


async def test_cast_with_a_name_that_nobody_has_moves_nobody(table: Table) -> None:
    with pytest.raises(InputError, match="no 'Nobody'"):
        await table.say("/cast - Tam, Nobody")
    with pytest.raises(InputError, match="Should somebody come or leave"):
        await table.say("/cast - , ,")
    assert "Old Tam" in await table.cast()


async def test_name_that_several_have_is_asked_back(table: Table) -> None:
    await table.say("/npc Old Gil: a caulker")
    with pytest.raises(InputError, match=r"could be any of: .*Type more of the name"):
        await table.say("/cast - Old")


async def test_accept_takes_the_title_of_a_row(table: Table) -> None:
    await table.say("/fact The rope was cut with a clean blade")
    assert await table.say("/accept the rope was cut") == ("Accepted: The rope was cut with a clean blade.",)


async def test_resolve_takes_a_name_or_the_only_conflict(table: Table) -> None:
    await table.say("/npc wenna pike: a stranger")
    assert "Wenna Pike" in " ".join(await table.say("/resolve wenna"))
    assert "Wenna Pike" in " ".join(await table.say("/resolve"))
    with pytest.raises(InputError, match=r"In conflict: .*wenna pike"):
        await table.say("/resolve nobody")


async def test_paid_takes_words_of_the_promise(table: Table) -> None:
    await table.say("/fact promise: Mara promised Old Tam a boat")
    await table.say("/fact promise: Mara promised Wenna a coat")
    await table.say("/commit")
    assert await table.say("/paid tam a boat") == ("Proposed: Kept: Mara promised Old Tam a boat.",)


async def test_dead_who_come_in_are_said_to_be_dead(table: Table) -> None:
    await table.say("/cast - Tam")
    await table.say("/fact Old Tam is dead.")
    await table.say("/commit")
    assert await table.say("/cast + Old Tam") == (
        "Old Tam lies here dead, and neither acts nor hears: /state Old Tam.alive = true if they live after all.",
    )
    assert "Old Tam" in await table.cast()


async def test_promise_is_proposed_and_open_at_once(table: Table) -> None:
    assert await table.say("/promise Mara brings Wenna the bell before winter") == (
        "Proposed: Mara brings Wenna the bell before winter.",
    )
    listed = await table.say("/thread")
    assert any("promise: Mara brings Wenna the bell before winter" in line for line in listed)


async def test_paid_takes_the_number_that_the_threads_have(table: Table) -> None:
    await table.say("/thread Who rang the bell?")
    await table.say("/promise Mara brings Wenna the bell before winter")
    await table.say("/fact question: Where is the ferry?")
    listed = await table.say("/thread")
    proposed_number = next(line.split(".")[0].strip() for line in listed if "Wenna" in line)
    assert await table.say(f"/paid {proposed_number}") == (
        "Proposed: Kept: Mara brings Wenna the bell before winter.",
    )
    await table.say("/undo")
    await table.say("/commit")
    threads = {line.split(".")[0].strip(): line for line in await table.say("/thread")}
    promises = {line.split(".")[0].strip(): line for line in await table.say("/promises")}
    assert len(promises) == 2
    for number, line in promises.items():
        assert line.partition(": ")[2].split(".")[0].rstrip("?") in threads[number]
    number = next(number for number, line in promises.items() if "ferry" in line)
    assert await table.say(f"/paid {number}") == ("Proposed: Answered: Where is the ferry?",)
    (thread_number,) = (number for number, line in threads.items() if "Who rang" in line)
    with pytest.raises(InputError, match="is no promise"):
        await table.say(f"/paid {thread_number}")


async def test_part_of_a_name_that_two_people_bear_is_asked_about(table: Table) -> None:
    await table.say("/npc here Tam Marrow: a fisher")
    await table.say("/fact Tam Marrow is dead")
    for line in ("/cast - tam", "/cast + Tam", "/state Tam.hp = 4", "/whisper tam: the key is gone"):
        with pytest.raises(InputError, match=r"could be any of: (?=.*Old Tam).*Tam Marrow"):
            await table.say(line)
    await table.say("/cast - Old Tam, Tam Marrow")
    with pytest.raises(InputError, match=r"could be any of: (?=.*Old Tam).*Tam Marrow"):
        await table.say("/cast + tam")
    assert await table.say("/cast + Old Tam") == ("Old Tam comes in.",)
    # A part that one bears alone is enough.
    assert (await table.say("/cast + marrow"))[0].startswith("Tam Marrow lies here dead")
