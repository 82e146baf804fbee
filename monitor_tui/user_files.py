"""The bundled rule packs, tables and prompts, with the user's own files over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path

from agents.llm.prompt_builder import Prompts
from agents.personas.prompt_files import load_prompts, with_user_prompts
from agents.resolver.random_tables import TableLibrary, bundled_tables, read_tables
from agents.resolver.rulesets import PackLibrary, add_user_packs, load_bundled_packs
from agents.services.world_import import WorldSeed, parse_world_file
from monitor_tui.atomic_file import replace_file
from monitor_tui.sample import sample_text
from stores.errors import InputError
from stores.small_files import read_small_file

PROMPTS_FOLDER = "prompts"
TABLES_FOLDER = "tables"
ASIDE_ENDING = ".bak"
"""Follows the name of a prompt file that was set aside."""


class UserFiles:
    """Reads the files of one home folder, each kind once, when it is first asked for."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._own_prompts: Prompts | None = None

    def prompts(self) -> Prompts:
        """Return the prompts of the personas."""
        if self._own_prompts is None:
            self._own_prompts = with_user_prompts(load_prompts(), self.read_own_prompts())
        return self._own_prompts

    def read_own_prompts(self) -> dict[str, str]:
        """Return the user's own prompt files by name."""
        return self._read_own(PROMPTS_FOLDER)

    def write_prompt(self, name: str, text: str) -> None:
        """Write a prompt of the user's own; it is used from now on. Raises InputError."""
        try:
            replace_file(self._home / PROMPTS_FOLDER / name, text)
        except OSError as error:
            raise _unwritable(self._home / PROMPTS_FOLDER / name, error) from error
        self._own_prompts = None

    def set_prompt_aside(self, name: str) -> None:
        """Rename a prompt of the user's own, so that it is not used. Raises InputError."""
        file = self._home / PROMPTS_FOLDER / name
        try:
            file.replace(file.with_name(f"{name}{ASIDE_ENDING}"))
        except OSError as error:
            raise _unwritable(file, error) from error
        self._own_prompts = None

    def tables(self) -> TableLibrary:
        """Return the random tables."""
        return self._tables

    def read_own_table(self, name: str) -> str:
        """Return the text of a table of the user's own; empty if there is none of this name."""
        return _read_text(self._home / TABLES_FOLDER / f"{name}.yaml")

    def write_table(self, name: str, text: str) -> None:
        """Write a table of the user's own; it is used from now on. Raises InputError."""
        file = self._home / TABLES_FOLDER / f"{name}.yaml"
        try:
            replace_file(file, text)
        except OSError as error:
            raise _unwritable(file, error) from error
        self.__dict__.pop("_tables", None)

    def packs(self) -> PackLibrary:
        """Return the rule packs."""
        return self._packs

    def read_notes(self, more: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """Return a line for each file of the user's own that cannot be used, then `more`."""
        return (
            *self._packs.notes,
            *self._tables.notes,
            *map(str, self._tables.errors),
            *(f"{file}: {why}" for file, why in self.prompts().rejected_files.items()),
            *more(),
        )

    @cached_property
    def _tables(self) -> TableLibrary:
        return read_tables(sorted((self._home / TABLES_FOLDER).glob("*.yaml")), bundled_tables())

    @cached_property
    def _packs(self) -> PackLibrary:
        return add_user_packs(load_bundled_packs(), self._read_own("systems"))

    def _read_own(self, folder: str) -> dict[str, str]:
        return {path.name: _read_text(path) for path in sorted((self._home / folder).glob("*.yaml"))}


def load_sample() -> WorldSeed:
    """Read the bundled universe."""
    return parse_world_file(sample_text())


@cache
def read_sample_prose() -> frozenset[str]:
    """Return the turns that the bundled universe begins with."""
    return frozenset(load_sample().opening.prose)


def _unwritable(file: Path, error: OSError) -> InputError:
    return InputError(
        f"{file} cannot be written: {error.strerror or 'the system refused'}.",
        kept="It is as it was.",
        todo="Check the folder, and who may write there.",
    )


def _read_text(path: Path) -> str:
    """Read a file; one that cannot be read has no text, and is refused by name like any bad one."""
    try:
        return read_small_file(path).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
