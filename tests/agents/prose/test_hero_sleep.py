"""Which turns the player character sleeps through, by what the turns before say."""

from __future__ import annotations

import pytest

from agents.prose.hero_sleep import find_turns_slept_through
from stores.records.ids import utc_now
from stores.records.play import Speaker, Turn

ASLEEP = "I fall asleep by the fire."
THEFT = "> Osric steals the silver key."


def read_slept(*lines: str, minutes: int = 1) -> list[str]:
    """Return the lines that Mara sleeps through; `> ` begins the GM's."""
    turns = [
        Turn(
            id=f"t{depth}",
            scene_id="scene",
            parent_id=f"t{depth - 1}" if depth else None,
            exchange_id=f"t{depth}",
            speaker=Speaker.GM if line.startswith("> ") else Speaker.PLAYER,
            text=line.removeprefix("> "),
            depth=depth,
            tick=depth * minutes,
            created_at=utc_now(),
        )
        for depth, line in enumerate(lines)
    ]
    slept_ids = find_turns_slept_through(turns, ("Mara Venn", "Mara"))
    return [line for turn, line in zip(turns, lines, strict=True) if turn.id in slept_ids]


@pytest.mark.parametrize(
    "line",
    [
        ASLEEP,
        "I lie down and soon fall asleep.",
        "I drink the wine. Then I pass out.",
        "I am fast asleep.",
        "> Mara falls asleep by the fire.",
        "> You doze off.",
        "> Mara lies down, and falls asleep at once.",
    ],
)
def test_turn_after_falling_asleep_is_slept_through(line: str) -> None:
    assert read_slept(line, THEFT, "> Osric slips out.") == [THEFT, "> Osric slips out."]


@pytest.mark.parametrize(
    "line",
    [
        "I pretend to fall asleep.",
        "I wait until Bodil falls asleep.",
        "If I fall asleep, wake me.",
        "> Bodil falls asleep by the fire.",
        "I fall asleep. At dawn I wake.",
        "I fall over the sleeping dog.",
        "“I fall asleep at sermons,” I tell Osric.",
        "I sleep until morning.",
    ],
)
def test_turn_is_seen_by_who_is_awake(line: str) -> None:
    assert read_slept(line, THEFT) == []


@pytest.mark.parametrize(
    "line",
    [
        "I open my eyes.",
        "> You wake with a start.",
        "> In the morning the inn is empty.",
        "> Something wakes Mara.",
        "> A scream cuts through the night.",
        "> Mara sees Osric at the chest.",
    ],
)
def test_turn_after_waking_is_seen(line: str) -> None:
    assert read_slept(ASLEEP, THEFT, line, "> Osric runs off.") == [THEFT]


def test_player_may_sleep_on() -> None:
    lines = ("I do not wake.", THEFT, "I get up.", "> Osric is gone.")
    assert read_slept(ASLEEP, *lines) == [THEFT]


@pytest.mark.parametrize("dream", ["I dream of the sea.", "> You dream of the sea."])
def test_dreams_are_the_sleepers_own(dream: str) -> None:
    assert read_slept(ASLEEP, dream, THEFT) == [THEFT]


def test_hour_of_sleep_is_over() -> None:
    assert read_slept(ASLEEP, THEFT, minutes=61) == []


def test_things_of_the_sleeper_wake_nobody() -> None:
    theft = "> Osric takes the key from Mara's belt."
    assert read_slept(ASLEEP, theft) == [theft]
