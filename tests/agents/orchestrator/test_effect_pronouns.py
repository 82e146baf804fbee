"""An effect or a command on `he` or `her` names nobody: it is refused, whoever has a name that begins so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import InputError
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    """Hela and Itha are here, whose names begin with pronouns."""
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(
            "/npc here Hela: a baker (hp 6)", "/npc here Itha: a smith (hp 6)", "/commit", "I wait."
        )
        yield scene


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("/check 2d6 vs 2; success: he +dead", "“he” does not say who or what is meant."),
        ("/check 2d6 vs 2; success: he.hp -3", "“he” does not say who or what is meant."),
        ("/check 2d6 vs 2; success: It.alive = false", "“It” does not say who or what is meant."),
        ("/check 2d6 vs 2; success: her -wounded", "“her” does not say who or what is meant."),
        ("/check 2d6 vs 2; success: he dies", "“he” does not say who is meant."),
        ("/check 2d6 vs 2; success: they die", "“they” does not say who is meant."),
        ("/state he.hp -3", "“he” does not say who or what is meant."),
        ("/cast - he", "“he” does not say who or what is meant."),
    ],
)
async def test_pronoun_is_no_name(scene: PlayedScene, line: str, what: str) -> None:
    rows = (await scene.view()).proposals
    with pytest.raises(InputError) as refused:
        await scene.say(line)
    assert refused.value.what == what
    assert refused.value.todo.startswith("Write the name: ")
    assert (await scene.view()).proposals == rows
    assert await scene.cast_names() == {"Hela", "Itha"}


@pytest.mark.parametrize(
    ("effect", "suggestion"),
    [
        ("Hela dies", "Did you mean Hela.alive = false?"),
        ("Hela is dead.", "Did you mean Hela.alive = false?"),
        ("she hp -3", "Did you mean NAME.hp -3?"),
        ("Hela hp -3", "Did you mean Hela.hp -3?"),
    ],
)
async def test_effect_in_words_is_answered_with_what_is_read(
    scene: PlayedScene, effect: str, suggestion: str
) -> None:
    with pytest.raises(InputError) as refused:
        await scene.say(f"/check 2d6 vs 2; success: {effect}")
    assert refused.value.todo == suggestion


@pytest.mark.parametrize(
    ("effect", "title"),
    [
        ("Hela.hp -2", "Hela: HP 6 → 4"),
        ("hel +wounded", "Hela is wounded"),
        ("Itha.alive = false", "Itha died"),
        ("me +tired", "Mara is tired"),
    ],
)
async def test_effect_on_a_name_or_the_hero_is_proposed(scene: PlayedScene, effect: str, title: str) -> None:
    await scene.say(f"/check 2d6 vs 2; success: {effect}")
    assert title in [row.title for row in (await scene.view()).proposals]


async def test_who_is_called_by_a_pronoun_is_meant(scene: PlayedScene) -> None:
    await scene.say("/npc here It: a voice in the well", "/check 2d6 vs 2; success: It +angry")
    assert "It is angry" in [row.title for row in (await scene.view()).proposals]
