"""`monitor doctor`: whether the stores refuse what they must, and whether all that is kept is whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    count_text,
    exit_with_error,
    open_library,
    print_json,
    resolve_home,
    run_command,
)

if TYPE_CHECKING:
    from stores.authority import Role, Store
    from stores.doctor import Attempt, DoctorFinding

commands = command_group()

_FINDING_SIGNS = {"ok": "✓", "warning": "!", "bad": "✗"}
_NO_ROLE = "(nobody)"

MATRIX_LEGEND = """\
✓ refused by the store itself   (✓) refused by this program: that store cannot tell
– not tried, for want of a row to try it on   ✗ NOT refused"""


@commands.command()
def doctor(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="List every check.")] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Check that the library is whole and its permissions hold. Changes nothing."""
    report = run_command(_run_checks(resolve_home(context, home), quiet=as_json))
    if as_json:
        print_json(report.as_json())
    else:
        print(report.matrix_text())
        print(MATRIX_LEGEND)
        for attempt in report.attempts if every else report.passed_attempts:
            print(f"  {attempt.outcome.value:<13} {attempt.role or _NO_ROLE}: {attempt.what}")
    problems = [f"{finding.what} ({finding.says})" for finding in report.findings if finding.state == "bad"]
    problems += [f"the {a.role or 'owner'} may “{a.what}”" for a in report.passed_attempts]
    if problems:
        exit_with_error(
            f"{count_text(len(problems), 'thing')} wrong: {'; '.join(problems[:5])}. Nothing was changed by looking."
        )
    if not as_json:
        warning_count = sum(finding.state == "warning" for finding in report.findings)
        print(
            f"Nothing is wrong; {count_text(warning_count, 'thing')} to look at (!)."
            if warning_count
            else "Everything is fine."
        )


class _DoctorReport:
    """What was found, tried and counted."""

    def __init__(self, home: Path, versions: dict[str, str]) -> None:
        self.home = home
        self.versions = versions
        self.findings: list[DoctorFinding] = []
        self.attempts: list[Attempt] = []

    @property
    def passed_attempts(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.outcome.value == "passed"]

    def matrix_text(self) -> str:
        """A row a role, a column a store: how much was refused, and by whom."""
        from stores.authority import Role, Store

        rows = [["may not write", *Store]]
        rows += [
            [role or _NO_ROLE, *(self._matrix_cell(role, store) for store in Store)] for role in (*Role, None)
        ]
        return "\n".join("".join(f"{cell:<18}" for cell in row).rstrip() for row in rows)

    def as_json(self) -> dict[str, Any]:
        return {
            "home": str(self.home),
            "versions": self.versions,
            "findings": [finding._asdict() for finding in self.findings],
            "attempts": [attempt._asdict() for attempt in self.attempts],
            "refused": dict(Counter(attempt.outcome.value for attempt in self.attempts)),
            "well": not self.passed_attempts and all(finding.state != "bad" for finding in self.findings),
        }

    def _matrix_cell(self, role: Role | None, store: Store) -> str:
        count_by_outcome = Counter(
            a.outcome.value for a in self.attempts if a.role == role and a.store == store
        )
        marks = (("passed", "✗ {}"), ("refused", "✓ {}"), ("refused here", "(✓) {}"), ("untried", "– {}"))
        return " ".join(
            mark.format(count_by_outcome[outcome]) for outcome, mark in marks if count_by_outcome[outcome]
        )


async def _run_checks(home: Path, *, quiet: bool) -> _DoctorReport:
    import asyncio

    from monitor_tui.environment_checks import check_environment, read_versions
    from stores.records.ids import utc_now

    report = _DoctorReport(home, read_versions())
    if not quiet:
        print(f"{home}\n{', '.join(f'{part} {number}' for part, number in report.versions.items())}\n")

    def add_finding(finding: DoctorFinding) -> None:
        report.findings.append(finding)
        if not quiet:
            says = f": {finding.says}" if finding.says else ""
            print(f"{_FINDING_SIGNS[finding.state]} {finding.what}{says}", flush=True)

    async with open_library(home, for_reading=True) as stores:
        for finding in await asyncio.to_thread(lambda: list(check_environment(home, utc_now()))):
            add_finding(finding)
        async for finding in stores.doctor.findings():
            add_finding(finding)
        if not quiet:
            print("\nTrying, as each role, everything it has no permission for ...", flush=True)
        async for attempt in stores.doctor.attempts():
            report.attempts.append(attempt)
    return report
