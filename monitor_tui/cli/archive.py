"""`monitor archive`: archive a story's logs in the object store, list the archives, and read one back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    count_text,
    find_one,
    open_library,
    print_json,
    resolve_home,
    run_command,
)
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.memory_manager.scene_archive import SceneLog
    from stores.open import Stores
    from stores.records.ids import Id
    from stores.records.memory import ArchivedLog

commands = command_group()


@commands.command("archive")
def archive_command(
    context: typer.Context,
    story: Annotated[str | None, typer.Argument(help="The story whose logs are archived.")] = None,
    list_archives: Annotated[bool, typer.Option("--list", help="List what is archived.")] = False,
    read: Annotated[str | None, typer.Option("--read", help="A scene, by title or id, to read back.")] = None,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Archive a story's logs, checked; the library keeps its own copy."""
    home_path = resolve_home(context, home)
    if read is not None:
        _print_log(run_command(_read_archived_log(home_path, read)), as_json)
    elif story is not None:
        archived_logs = run_command(_archive_story(home_path, story))
        turns = sum(each.turns for each in archived_logs)
        print(
            f"Archived {count_text(len(archived_logs), 'scene')} with {count_text(turns, 'turn')}; "
            "each was read back whole."
        )
        print("The library keeps its own log: nothing was removed from it.")
    elif list_archives:
        _print_list(run_command(_list_archived_logs(home_path)), as_json)
    else:
        raise InputError(
            "It does not say which story.",
            kept="Nothing was archived.",
            todo='As in: monitor archive "The Drowned Bell". --list shows what is there, --read reads it.',
        )


async def _archive_story(home: Path, name: str) -> list[ArchivedLog]:
    from agents.memory_manager.scene_archive import SceneArchive
    from stores.authority import Role
    from stores.records.ids import utc_now

    async with open_library(home) as stores:
        log = stores.log(Role.ARCHIVIST)
        story = find_one("story", name, [(s.id, s.title, s) for s in (await log.readable_stories()).records])
        archive = SceneArchive(log, log, stores.objects(Role.ARCHIVIST), utc_now)
        return [await archive.archive_scene(scene.id) for scene in await log.scenes(story.id) if scene.head]


async def _read_archived_log(home: Path, name: str) -> SceneLog:
    from agents.memory_manager.scene_archive import SceneArchive
    from stores.authority import Role
    from stores.records.ids import utc_now

    async with open_library(home) as stores:
        log = stores.log(Role.ARCHIVIST)
        archived_scenes = [
            await log.scene(archived_log.scene_id) for archived_log in await log.archived_logs()
        ]
        scene = find_one("archived scene", name, [(s.id, s.title, s) for s in archived_scenes])
        return await SceneArchive(log, log, stores.objects(Role.ARCHIVIST), utc_now).read_archived(scene.id)


async def _list_archived_logs(home: Path) -> list[tuple[ArchivedLog, str, str, bool]]:
    async with open_library(home) as stores:
        return [row async for row in _archived_rows(stores)]


async def _archived_rows(stores: Stores) -> AsyncIterator[tuple[ArchivedLog, str, str, bool]]:
    from stores.authority import Role

    log = stores.log(Role.ARCHIVIST)
    titles: dict[Id, str] = {story.id: story.title for story in (await log.readable_stories()).records}
    for archived_log in await log.archived_logs():
        scene = await log.scene(archived_log.scene_id)
        yield (
            archived_log,
            titles.get(archived_log.story_id, ""),
            scene.title,
            scene.head == archived_log.head,
        )


def _print_list(rows: list[tuple[ArchivedLog, str, str, bool]], as_json: bool) -> None:
    if as_json:
        print_json([{**h.model_dump(mode="json"), "title": t, "current": now} for h, _, t, now in rows])
        return
    if not rows:
        print("Nothing is archived yet. monitor archive STORY does it.")
    for archived_log, story, title, now in rows:
        since = f"{archived_log.archived_at:%Y-%m-%d}" + ("" if now else " (played on since)")
        print(
            f"{story} / {title}  {count_text(archived_log.turns, 'turn')}  {since}  {archived_log.scene_id}"
        )


def _print_log(scene_log: SceneLog, as_json: bool) -> None:
    if as_json:
        for turn in scene_log.turns:
            # `said` is what `time_text` was called: scripts may read it.
            print(
                json.dumps(
                    {**turn.model_dump(mode="json"), "said": turn.time_text},
                    ensure_ascii=False,
                    separators=(",", ":"),
                )
            )
        return
    print(f"{scene_log.scene.title}: {count_text(len(scene_log.turns), 'turn')} on all its lines")
    for turn in scene_log.turns:
        print(f"{turn.depth + 1}. {turn.name or turn.speaker}: {turn.text}")
