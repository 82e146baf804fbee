"""How much of the Narrator's prompt a provider's prefix cache can reuse, from one turn to the next.

A story is played on a fresh library; before each answer the prompt is built as it would be sent, and compared
with the one before it. Then a story of three scenes in which every narration changes something
(`tests/long_model/changing_story.py`), with the requests as they were sent. Tokens are estimated.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.llm.prompt_builder import BuiltPrompt, build_prompt, estimate_tokens, reusable_share
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.prompt_files import load_prompts
from benchmarks.libraries import Libraries, OpenScene, open_scene, time_call
from benchmarks.table import Row, make_times_row, percentile
from stores.authority import Role
from stores.records.llm import Persona
from tests.long_model.changing_story import play_changing_story

TURNS = 60
WINDOW = 32_000
PLAYER = (
    "I ask what the bell is for and why nobody rings it.",
    "I look behind the counter while the others talk.",
    "I step out into the rain and listen for the sea.",
    "I put the lantern down and wait for an answer.",
)
NARRATED = (
    "> The lamp burns low, and somewhere under the floor the water moves. Nobody looks at you for a while; "
    "then a chair is pushed back, and the talk goes on a little lower. The rain has not let up. A coin "
    "lies on the boards that was not there when you came in, and everybody is careful not to look at it."
)


def run(libraries: Libraries) -> Iterator[Row]:
    fresh, big = libraries.fresh, libraries.big
    yield from asyncio.run(_measure(fresh, libraries.often(TURNS)))
    yield asyncio.run(_play_changes(libraries.folder / "changes"))
    measured_shares = asyncio.run(_pack_turns(big, libraries.often(TURNS)))
    yield make_times_row(f"package of a turn, {libraries.big_name}", measured_shares, 60)


async def _pack_turns(home: Path, rounds: int) -> list[float]:
    async with open_scene(home) as scene_in_play:
        context, packages = _open_readers(scene_in_play)

        async def pack_context() -> None:
            build_prompt_sections(
                await packages.build_package(await context.load_context(scene_in_play.scene_id), PLAYER[0])
            )

        return [await time_call(pack_context) for _ in range(rounds)]


def _open_readers(scene_in_play: OpenScene) -> tuple[SceneContextLoader, ContextPackageBuilder]:
    log = scene_in_play.stores.log(Role.CONTEXT_ASSEMBLY)
    canon = scene_in_play.stores.canon(Role.CONTEXT_ASSEMBLY)
    context = SceneContextLoader(canon, log)
    return context, ContextPackageBuilder(canon, log, context, StoryAgendaReader(canon, log))


async def _measure(home: Path, rounds: int) -> list[Row]:
    prompt = load_prompts()[Persona.NARRATOR]
    shares, took, before = [], [], None
    async with open_scene(home) as scene_in_play:
        context, packages = _open_readers(scene_in_play)
        for nth in range(rounds):
            words = PLAYER[nth % len(PLAYER)]
            await scene_in_play.services.play.submit(scene_in_play.scene_id, words)
            start = time.perf_counter()
            package = await packages.build_package(await context.load_context(scene_in_play.scene_id), words)
            sections = {
                **build_prompt_sections(package),
                **NarratorBrief.from_story(package.scene.story, words).parts(),
            }
            built = build_prompt(prompt, sections, estimate_tokens, WINDOW)
            took.append(time.perf_counter() - start)
            if before is not None:
                shares.append(_reusable_percent(before, built))
            before = built
            await scene_in_play.services.play.submit(
                scene_in_play.scene_id, NARRATED.replace("coin", f"coin ({nth})")
            )
    size = before.tokens if before else 0
    return [
        make_times_row("package and prompt of a turn", took, 60),
        Row(
            f"of the narrator's prompt ({size:,} tokens), reusable from the turn before",
            percentile(shares, 50),
            percentile(shares, 5),
            unit="%",
        ),
    ]


async def _play_changes(home: Path) -> Row:
    shares = [100 * share for share in (await play_changing_story(home)).reusable_shares()]
    return Row(
        f"of it where every turn changes something, mean {sum(shares) / len(shares):.0f} %",
        percentile(shares, 50),
        percentile(shares, 5),
        unit="%",
    )


def _reusable_percent(before: BuiltPrompt, built: BuiltPrompt) -> float:
    share = reusable_share(before, built, estimate_tokens)
    return 100 * share.tokens / share.total_tokens
