"""`monitor archive`: put a story's logs away in the object store, list what is there, and read one back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor_tui.cli_common import AsJson, Home, count, group, home_of, library, print_json, run, the_one
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.memory_manager.archive import SceneLog
    from stores.open import Stores
    from stores.records.ids import Id
    from stores.records.memory import ArchivedLog

commands = group()


@commands.command("archive")
def archive_command(
    context: typer.Context,
    story: Annotated[str | None, typer.Argument(help="The story whose logs are put away.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List what was put away.")] = False,
    read: Annotated[str | None, typer.Option("--read", help="A scene, by title or id, to read back.")] = None,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Put a story's logs away, whole and checked; the library keeps its own."""
    where = home_of(context, home)
    if read is not None:
        _print_log(run(_read(where, read)), as_json)
    elif story is not None:
        put = run(_put(where, story))
        turns = sum(each.turns for each in put)
        print(f"Put away {count(len(put), 'scene')} with {count(turns, 'turn')}; each was read back whole.")
        print("The library keeps its own log: nothing was taken out of it.")
    elif listed:
        _print_list(run(_listed(where)), as_json)
    else:
        raise InputError(
            "It does not say which story.",
            kept="Nothing was put away.",
            todo='As in: monitor archive "The Drowned Bell". --list shows what is there, --read reads it.',
        )


async def _put(home: Path, name: str) -> list[ArchivedLog]:
    from agents.memory_manager.archive import Archive
    from stores.authority import Role
    from stores.records.ids import utc_now

    async with library(home) as stores:
        log = stores.log(Role.ARCHIVIST)
        story = the_one("story", name, [(s.id, s.title, s) for s in await log.stories()])
        archive = Archive(log, stores.objects(Role.ARCHIVIST), utc_now)
        return [await archive.put(scene.id) for scene in await log.scenes(story.id) if scene.head]


async def _read(home: Path, name: str) -> SceneLog:
    from agents.memory_manager.archive import Archive
    from stores.authority import Role
    from stores.records.ids import utc_now

    async with library(home) as stores:
        log = stores.log(Role.ARCHIVIST)
        scenes = [await log.scene(held.scene_id) for held in await log.archived_logs()]
        scene = the_one("scene that was put away", name, [(s.id, s.title, s) for s in scenes])
        return await Archive(log, stores.objects(Role.ARCHIVIST), utc_now).read(scene.id)


async def _listed(home: Path) -> list[tuple[ArchivedLog, str, str, bool]]:
    async with library(home) as stores:
        return [row async for row in _rows(stores)]


async def _rows(stores: Stores) -> AsyncIterator[tuple[ArchivedLog, str, str, bool]]:
    from stores.authority import Role

    log = stores.log(Role.ARCHIVIST)
    titles: dict[Id, str] = {story.id: story.title for story in await log.stories()}
    for held in await log.archived_logs():
        scene = await log.scene(held.scene_id)
        yield held, titles.get(held.story_id, ""), scene.title, scene.head == held.head


def _print_list(rows: list[tuple[ArchivedLog, str, str, bool]], as_json: bool) -> None:
    if as_json:
        print_json([{**h.model_dump(mode="json"), "title": t, "current": now} for h, _, t, now in rows])
        return
    if not rows:
        print("Nothing was put away yet. monitor archive STORY does it.")
    for held, story, title, now in rows:
        since = f"{held.archived_at:%Y-%m-%d}" + ("" if now else " (played on since)")
        print(f"{story} / {title}  {count(held.turns, 'turn')}  {since}  {held.scene_id}")


def _print_log(kept: SceneLog, as_json: bool) -> None:
    if as_json:
        for turn in kept.turns:
            print(turn.model_dump_json())
        return
    print(f"{kept.scene.title}: {count(len(kept.turns), 'turn')} on all its lines")
    for turn in kept.turns:
        print(f"{turn.depth + 1}. {turn.name or turn.speaker}: {turn.text}")
