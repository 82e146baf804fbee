"""What the commands share: where the library is, how to open it, how an error ends."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from monitor_tui.paths import home_folder
from stores.errors import InputError

if TYPE_CHECKING:
    from monitor_tui.compose import Desktop
    from stores.open import Stores
    from stores.records.ids import Id

T = TypeVar("T")

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


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def open_desk(home: Path) -> Desktop:
    from monitor_tui.compose import open_desktop

    return await open_desktop(home)


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
    listed = ", ".join(row[1] for row in there) or "none yet"
    raise InputError(f"There is no {kind} called {name!r}.", todo=f"There are: {listed}.")


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
