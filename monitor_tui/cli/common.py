"""What the commands share: where the library is, how to open it, how an error ends."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeVar

import typer

from monitor_tui.paths import home_folder
from stores.errors import ArchiveError, InputError

if TYPE_CHECKING:
    from agents.services.services import Services
    from monitor_tui.background_mode import BackgroundMode
    from monitor_tui.compose import Program
    from stores.open import Stores
    from stores.records.ids import Id
    from stores.records.world import Universe

CommandResult = TypeVar("CommandResult")

MAX_LISTED_NAMES = 12
"""Names that an error lists in full; of more, the near ones."""

Home = Annotated[
    Path | None, typer.Option("--home", help="Where campaigns live (or MONITOR_HOME).", file_okay=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


def command_group() -> typer.Typer:
    """Return a Typer for the commands of one file; `cli` takes them all in."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def resolve_home(context: typer.Context, home: Path | None) -> Path:
    """The home folder: the command's own `--home`, or that of `monitor` itself."""
    return home_folder(home or context.obj)


INTERRUPTED_EXIT_CODE: Final = 130
"""What a command ends with that Ctrl+C stopped."""


def run_command(coroutine: Coroutine[Any, Any, CommandResult]) -> CommandResult:
    """Run a command's work. Ctrl+C ends it with a word, and without a traceback."""
    try:
        return asyncio.run(coroutine)
    except KeyboardInterrupt:
        print_warning("Stopped.")
        raise SystemExit(INTERRUPTED_EXIT_CODE) from None


async def open_services(
    home: Path, mode: BackgroundMode | None = None, *, for_reading: bool = False
) -> Program:
    """Open the library; `mode` says how much background work runs (None: nothing).

    With `for_reading` a copy of it is opened where it cannot be opened itself; a line says so.
    """
    from monitor_tui.background_mode import BackgroundMode as Works
    from monitor_tui.compose import open_program

    warn_of_unknown_settings(home)
    stores = await _open_stores_for_reading(home) if for_reading else None
    return await open_program(home, stores=stores, mode=mode or Works.OFF)


def warn_of_unknown_settings(home: Path) -> None:
    """Print a line for each name in settings.toml that is no setting."""
    from monitor_tui.settings import read_settings_with_warnings

    for warning in read_settings_with_warnings(home).warnings:
        print_warning(warning)


@asynccontextmanager
async def open_library(home: Path, *, for_reading: bool = False) -> AsyncIterator[Stores]:
    """Open the stores without services; with `for_reading`, a copy where the library cannot be opened."""
    import os

    from stores.open import open_stores, read_store_kinds

    if for_reading:
        stores = await _open_stores_for_reading(home)
    else:
        stores = await open_stores(home, kinds=read_store_kinds(os.environ), environ=os.environ)
    try:
        yield stores
    finally:
        await stores.close()


async def _open_stores_for_reading(home: Path) -> Stores:
    import os

    from stores.open import open_stores_for_reading, read_store_kinds

    stores, problem = await open_stores_for_reading(
        home, kinds=read_store_kinds(os.environ), environ=os.environ
    )
    if problem is not None:
        print_progress(f"{problem.what} What follows is read from a copy of it as it is now.")
    return stores


def find_one(kind: str, name: str, candidates: Sequence[tuple[Id, str, CommandResult]]) -> CommandResult:
    """Return what has this name or identifier, or the only one with this part of a name.

    Raises InputError that lists what there is.
    """
    from agents.name_matching import match_names

    matches = [row for row in candidates if name.casefold() in (row[1].casefold(), row[0])]
    if not matches:
        named_ids = match_names(name, [(row[1], row[0]) for row in candidates])
        matches = [row for row in candidates if row[0] in named_ids]
    if len(matches) == 1:
        return matches[0][2]
    if matches:
        are_alike = len({row[1].casefold() for row in matches}) < len(matches)
        todo = (
            f"Name it by its identifier: {', '.join(row[0] for row in matches)}."
            if are_alike
            else f"Type more of the name: {', '.join(row[1] for row in matches[:MAX_LISTED_NAMES])}."
        )
        raise InputError(f"There is more than one {kind} called {name!r}.", todo=todo)
    raise InputError(
        f"There is no {kind} called {name!r}.", todo=_suggest_names(name, [row[1] for row in candidates])
    )


def _suggest_names(name: str, names: Sequence[str]) -> str:
    """Say what may be meant: the near names where there are many, else all of them."""
    from rapidfuzz import process

    if len(names) <= MAX_LISTED_NAMES:
        return f"There are: {', '.join(names) or 'none yet'}."
    near_names = [each for each, _, _ in process.extract(name, names, limit=3)]
    return f"Near that are: {', '.join(near_names)} ({len(names):,} in all)."


async def find_universe(services: Services, name: str) -> Universe:
    """Return the universe of that name; without one, the only one there is. Raises InputError."""
    universes = await services.stories.universes()
    if not name and len(universes) == 1:
        return universes[0]
    if not name and not universes:
        raise InputError("The library is empty.", todo="Play a story, or bring a log in: monitor import-log.")
    if not name:
        universe_names = ", ".join(each.name for each in universes)
        raise InputError(
            "There are several universes.", todo=f"Say which one: --universe, of {universe_names}."
        )
    return find_one("universe", name, [(each.id, each.name, each) for each in universes])


async def find_story(services: Services, universe: Universe, name: str) -> Id:
    """Return the universe's story of that title or identifier. Raises InputError."""
    cards = [card.story for card in await services.stories.stories() if card.universe.id == universe.id]
    return find_one("story", name, [(story.id, story.title, story.id) for story in cards])


def print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_progress(line: str) -> None:
    """Progress is no result: it goes where errors go."""
    print(line, file=sys.stderr, flush=True)


def print_warning(text: str) -> None:
    print(f"monitor: {text}", file=sys.stderr)


def exit_with_error(text: str) -> NoReturn:
    """End with a clear error."""
    print_warning(text)
    raise SystemExit(1)


def write_new_file(path: Path, data: bytes) -> None:
    """Write a file that is not there yet. Raises InputError for one that is, and ArchiveError."""
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise InputError(
            f"{path} is there already.", kept="It is as it was.", todo="Name another file."
        ) from None
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be written: {error.strerror}.",
            kept="Nothing was lost.",
            todo="Name another file.",
        ) from error


def count_text(number: int, singular: str, plural: str = "") -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size_text(number: int) -> str:
    """Bytes in words."""
    amount = float(number)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1_000 or unit == "GB":
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1_000
    raise AssertionError("unreachable")
