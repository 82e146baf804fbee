"""Which rule packs there are: those that come with the program, and the user's own from the home folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from agents.resolver.ruleset_reader import read_pack
from agents.resolver.ruleset_schema import Pack, spoken_key
from agents.typed_text import did_you_mean
from stores.errors import InputError

MAX_PACKS: Final = 100
"""Packs of the user's own that are read."""


@dataclass(frozen=True, slots=True)
class PackLibrary:
    """Packs by id in the order they are offered, with a note for each that was replaced or left out.

    `user_pack_ids` are the user's packs; `errors_by_file` says why a file was left out.
    """

    packs: Mapping[str, Pack]
    notes: tuple[str, ...] = ()
    user_pack_ids: frozenset[str] = frozenset()
    errors_by_file: Mapping[str, str] = field(default_factory=dict)

    def find_pack(self, wanted_name: str) -> Pack:
        """Return the pack of this id or name.

        Raises InputError that lists those there are, or says what is wrong with the file that was meant.
        """
        for pack in self.packs.values():
            if spoken_key(wanted_name) in (spoken_key(pack.id), spoken_key(pack.name)):
                return pack
        for name, reason in self.errors_by_file.items():
            if spoken_key(wanted_name) in (spoken_key(name), spoken_key(name.rpartition(".")[0])):
                raise InputError(f"{name}: {reason}")
        raise InputError(
            f"There is no rule system called {wanted_name[:60]!r}.",
            kept="Nothing was changed.",
            todo=did_you_mean(wanted_name, self.packs) or f"There is: {', '.join(self.packs)}.",
        )


def load_bundled_packs() -> PackLibrary:
    """Return the packs that come with the program."""
    folder = files(__package__).joinpath("systems")
    texts = {
        file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name[-5:] == ".yaml"
    }
    packs = [read_pack(texts[name]) for name in sorted(texts)]
    return PackLibrary({pack.id: pack for pack in packs})


def add_user_packs(library: PackLibrary, texts: Mapping[str, str]) -> PackLibrary:
    """Return the library with the user's packs added.

    `texts` are their files (`home/systems/*.yaml`) by name. A pack with an id that is taken replaces the
    one that was there; a bad one is left out. A note says so: no file keeps the program from opening.
    """
    packs, notes = dict(library.packs), list(library.notes)
    user_pack_ids, errors_by_file = set(library.user_pack_ids), dict(library.errors_by_file)
    names = sorted(texts)
    for name in names[:MAX_PACKS]:
        try:
            pack = read_pack(texts[name])
        except InputError as error:
            notes.append(f"{name}: {error}")
            errors_by_file[name] = str(error)
            continue
        if replaced_pack := packs.get(pack.id):
            notes.append(
                f"{name}: {pack.name!r} replaces {replaced_pack.name!r}; both have the id {pack.id}."
            )
        packs[pack.id] = pack
        user_pack_ids.add(pack.id)
    if len(names) > MAX_PACKS:
        notes.append(f"{len(names) - MAX_PACKS} more packs were left out: {MAX_PACKS} are read.")
    return PackLibrary(packs, tuple(notes), frozenset(user_pack_ids), errors_by_file)
