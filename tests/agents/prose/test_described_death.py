"""Who is described as dead is dead; what only sounds like it is not."""

from __future__ import annotations

import pytest

from agents.prose.described_death import describes_dead


@pytest.mark.parametrize(
    "description",
    [
        "her dead brother",
        "Odile's brother, lost on the pass four winters ago",
        "brother of Odile, lost four winters ago",
        "killed by the wolves",
        "her late husband",
        "a rider, drowned in Low Harl",
        "the old keeper, who died in the flood",
        "the priest before Hesk; long dead",
        "a smuggler. He was hanged last spring.",
        "her mother, dead these ten years",
        "sister of the carter, murdered two winters ago",
    ],
)
def test_described_death_is_read(description: str) -> None:
    assert describes_dead(description)


@pytest.mark.parametrize(
    "description",
    [
        "",
        "keeper of the dead",
        "a pilgrim lost in the woods",
        "a hunter who killed the white wolf",
        "killed three men in Harl and sleeps well",
        "dead drunk by noon",
        "her brother, believed dead",
        "not dead, whatever they say",
        "the ghost of her dead brother",
        "a widow whose house burned down years ago",
        "buries the dead of Low Harl",
        "late for everything",
        "a clerk who wants the bell back",
    ],
)
def test_described_death_is_not_read_into_what_only_sounds_like_it(description: str) -> None:
    assert not describes_dead(description)
