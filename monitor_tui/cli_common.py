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
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.services.services import Services
    from monitor_tui.behind import Work
    from monitor_tui.compose import Program
    from stores.open import Stores
    from stores.records.ids import Id
    from stores.records.world import Universe

T = TypeVar("T")

SHOWN = 12
"""Names that an error lists in full; of more, the near ones."""

Home = Annotated[
    Path | None, typer.Option("--home", help="Where campaigns live (or MONITOR_HOME).", file_okay=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


def group() -> typer.Typer:
    """Return a Typer for the commands of one file; `cli` takes them all in."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def home_of(context: typer.Context, home: Path | None) -> Path:
    """The home folder: the command's own `--home`, or that of `monitor` itself."""
    return home_folder(home or context.obj)


INTERRUPTED: Final = 130
"""What a command ends with that Ctrl+C stopped."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work. Ctrl+C ends it with a word, and without a traceback."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        warn("Stopped.")
        raise SystemExit(INTERRUPTED) from None


async def open_services(home: Path, work: Work | None = None) -> Program:
    """Open the library; `work` says how much goes on behind it (None: nothing)."""
    from monitor_tui.behind import Work as Works
    from monitor_tui.compose import open_program

    return await open_program(home, work=work or Works.NOTHING)


@asynccontextmanager
async def library(home: Path) -> AsyncIterator[Stores]:
    """The stores alone, without anybody at the desk."""
    import os

    from stores.open import kinds_named, open_stores

    stores = await open_stores(home, kinds=kinds_named(os.environ), environ=os.environ)
    try:
        yield stores
    finally:
        await stores.close()


def the_one(kind: str, name: str, there: Sequence[tuple[Id, str, T]]) -> T:
    """Return what has this name or identifier. Raises InputError that lists what there is."""
    found = [row for row in there if name.casefold() in (row[1].casefold(), row[0])]
    if len(found) == 1:
        return found[0][2]
    if found:
        todo = f"Name it by its identifier: {', '.join(row[0] for row in found)}."
        raise InputError(f"There is more than one {kind} called {name!r}.", todo=todo)
    raise InputError(f"There is no {kind} called {name!r}.", todo=_near(name, [row[1] for row in there]))


def _near(name: str, there: Sequence[str]) -> str:
    """Say what may be meant: the near names where there are many, else all of them."""
    from rapidfuzz import process

    if len(there) <= SHOWN:
        return f"There are: {', '.join(there) or 'none yet'}."
    near = [each for each, _, _ in process.extract(name, there, limit=3)]
    return f"Near that are: {', '.join(near)} ({len(there):,} in all)."


async def universe_named(services: Services, name: str) -> Universe:
    """Return the universe of that name; without one, the only one there is. Raises InputError."""
    universes = await services.stories.universes()
    if not name and len(universes) == 1:
        return universes[0]
    if not name and not universes:
        raise InputError("The library is empty.", todo="Play a story, or bring a log in: monitor import-log.")
    if not name:
        listed = ", ".join(each.name for each in universes)
        raise InputError("There are several universes.", todo=f"Say which one: --universe, of {listed}.")
    return the_one("universe", name, [(each.id, each.name, each) for each in universes])


async def story_named(services: Services, universe: Universe, name: str) -> Id:
    """Return the universe's story of that title or identifier. Raises InputError."""
    cards = [card.story for card in await services.stories.stories() if card.universe.id == universe.id]
    return the_one("story", name, [(story.id, story.title, story.id) for story in cards])


def print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def progress(line: str) -> None:
    """Progress is no result: it goes where errors go."""
    print(line, file=sys.stderr, flush=True)


def warn(words: str) -> None:
    print(f"monitor: {words}", file=sys.stderr)


def fail(words: str) -> NoReturn:
    """End with a clear error."""
    warn(words)
    raise SystemExit(1)


def count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """Bytes in words."""
    amount = float(number)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1_000 or unit == "GB":
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1_000
    raise AssertionError("unreachable")
