"""What Tab completes in the prompt: slash commands, the tables of `/table`, names after an `@`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.views.replies import CommandHelp

_AT = re.compile(r"(?:^|(?<=[\s(\"“‘']))@([^@\n]{0,40})$")

_TABLE = re.compile(r"(?P<head>/(?:table|spark)\s+)(?P<prefix>[^=\n]{0,80})", re.IGNORECASE)


class Completer:
    """Completes commands by their beginning, and names and tables by the beginning of any of their words."""

    def __init__(
        self,
        commands: Sequence[CommandHelp] = (),
        names: Sequence[str] = (),
        tables: Sequence[str] = (),
    ) -> None:
        self.commands = tuple(commands)
        self.names = tuple(names)
        self.tables = tuple(tables)
        self._by_name = {_with_slash(command.name): command for command in self.commands}

    def candidates(self, line_before_cursor: str, *, first_line: bool = True) -> list[str]:
        """Return what the line up to the cursor may become, the likeliest first."""
        if first_line and line_before_cursor.startswith("/") and " " not in line_before_cursor:
            prefix = line_before_cursor.casefold()
            return [f"{name} " for name in self._by_name if name.startswith(prefix)]
        if first_line and (match := _TABLE.fullmatch(line_before_cursor)):
            head, prefix = match["head"], match["prefix"].casefold()
            return [
                head + table for table in self.tables if _starts_any_word(table.replace("_", " "), prefix)
            ]
        if match := _AT.search(line_before_cursor):
            head, prefix = line_before_cursor[: match.start()], match.group(1).casefold()
            return [head + name for name in self.names if _starts_any_word(name.casefold(), prefix)]
        return []

    def completes_name(self, line_before_cursor: str) -> bool:
        """Say whether it is a name behind an `@` that the line up to the cursor may go on with."""
        return not line_before_cursor.startswith(("/table ", "/spark ")) and bool(
            _AT.search(line_before_cursor)
        )

    def usage(self, text: str) -> str:
        """Return one line about the command being typed, or about those it may become."""
        if not text.startswith("/"):
            return ""
        word = text.split(maxsplit=1)[0].casefold()
        if command := self._by_name.get(word):
            return f"{command.usage}  {command.summary}"
        if text != word:
            return ""
        return "  ".join(name for name in self._by_name if name.startswith(word))


def _with_slash(name: str) -> str:
    return name if name.startswith("/") else f"/{name}"


def _starts_any_word(name: str, prefix: str) -> bool:
    return name.startswith(prefix) or any(word.startswith(prefix) for word in name.split())
