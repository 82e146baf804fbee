"""`monitor doctor`: whether the stores refuse what they must, and whether all that is kept is whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitor_tui.cli_common import AsJson, Home, count, fail, group, home_of, library, print_json, run

if TYPE_CHECKING:
    from stores.authority import Role, Store
    from stores.doctor import Attempt, Finding

commands = group()

_MARKS = {"ok": "✓", "warning": "!", "bad": "✗"}
_NOBODY = "(nobody)"

LEGEND = """\
✓ refused by the store itself   (✓) refused by this program: that store cannot tell
– not tried, for want of a row to try it on   ✗ NOT refused"""


@commands.command()
def doctor(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="List every single thing that was tried.")] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Try what each role may not do, and look whether everything is whole. Changes nothing."""
    report = run(_examine(home_of(context, home), quiet=as_json))
    if as_json:
        print_json(report.as_json())
    else:
        print(report.matrix())
        print(LEGEND)
        for attempt in report.attempts if every else report.passed:
            print(f"  {attempt.outcome.value:<13} {attempt.role or _NOBODY}: {attempt.what}")
    wrong = [f"{finding.what} ({finding.says})" for finding in report.findings if finding.state == "bad"]
    wrong += [f"the {a.role or 'owner'} may “{a.what}”" for a in report.passed]
    if wrong:
        fail(f"{count(len(wrong), 'thing')} wrong: {'; '.join(wrong[:5])}. Nothing was changed by looking.")
    if not as_json:
        warned = sum(finding.state == "warning" for finding in report.findings)
        print(f"Nothing is wrong; {count(warned, 'thing')} to look at (!)." if warned else "All is well.")


class _Report:
    """What was found, tried and counted."""

    def __init__(self, home: Path, versions: dict[str, str]) -> None:
        self.home = home
        self.versions = versions
        self.findings: list[Finding] = []
        self.attempts: list[Attempt] = []

    @property
    def passed(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.outcome.value == "passed"]

    def matrix(self) -> str:
        """A row a role, a column a store: how much was refused, and by whom."""
        from stores.authority import Role, Store

        rows = [["may not write", *Store]]
        rows += [[role or _NOBODY, *(self._cell(role, store) for store in Store)] for role in (*Role, None)]
        return "\n".join("".join(f"{cell:<18}" for cell in row).rstrip() for row in rows)

    def as_json(self) -> dict[str, Any]:
        return {
            "home": str(self.home),
            "versions": self.versions,
            "findings": [finding._asdict() for finding in self.findings],
            "attempts": [attempt._asdict() for attempt in self.attempts],
            "refused": dict(Counter(attempt.outcome.value for attempt in self.attempts)),
            "well": not self.passed and all(finding.state != "bad" for finding in self.findings),
        }

    def _cell(self, role: Role | None, store: Store) -> str:
        tried = Counter(a.outcome.value for a in self.attempts if a.role == role and a.store == store)
        marks = (("passed", "✗ {}"), ("refused", "✓ {}"), ("refused here", "(✓) {}"), ("untried", "– {}"))
        return " ".join(mark.format(tried[outcome]) for outcome, mark in marks if tried[outcome])


async def _examine(home: Path, *, quiet: bool) -> _Report:
    import asyncio

    from monitor_tui.doctor import look_around, versions
    from stores.records.ids import utc_now

    report = _Report(home, versions())
    if not quiet:
        print(f"{home}\n{', '.join(f'{part} {number}' for part, number in report.versions.items())}\n")

    def note(finding: Finding) -> None:
        report.findings.append(finding)
        if not quiet:
            says = f": {finding.says}" if finding.says else ""
            print(f"{_MARKS[finding.state]} {finding.what}{says}", flush=True)

    async with library(home) as stores:
        for finding in await asyncio.to_thread(lambda: list(look_around(home, utc_now()))):
            note(finding)
        async for finding in stores.doctor.findings():
            note(finding)
        if not quiet:
            print("\nTrying, as each role, everything that is not granted to it ...", flush=True)
        async for attempt in stores.doctor.attempts():
            report.attempts.append(attempt)
    return report
