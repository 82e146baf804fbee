"""Reads the numbers of proposals that commands take, and says of one that cannot be decided what is so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.name_matching import match_names
from agents.orchestrator.commands.registry import CommandCall
from agents.orchestrator.commands.tools import CommandTools
from agents.proposals.decisions import NOTHING_DECIDED
from agents.views.proposal_views import ProposalView
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposalStatus

MAX_NAMED_NUMBERS: Final = 20
"""Numbers of open proposals that are named when one that was typed is not there."""
_MAX_NUMBER_LENGTH: Final = 9
NOTHING_OPEN: Final = "No proposal is open."


async def read_rows(tools: CommandTools, call: CommandCall) -> tuple[ProposalView, ...]:
    """Return the proposals of the scene as the gate numbers them."""
    return await tools.views.read_scene_rows(call.scene_id)


async def choose_rows(
    tools: CommandTools, call: CommandCall, rows: Sequence[ProposalView]
) -> list[ProposalView]:
    """Return the proposals that the numbers, or one title, name. Raises InputError for one that cannot be decided."""
    argument = call.argument
    numbers = argument.replace(",", " ").split()
    rows_by_number = {str(row.number): row for row in rows}
    if not any(number in rows_by_number for number in numbers):
        open_titles = [(row.title, row.number) for row in rows if row.status in OPEN_STATUSES]
        if len(named := match_names(argument, open_titles)) == 1:
            return [rows_by_number[str(named[0])]]
    for number in numbers:
        if number not in rows_by_number:
            raise await missing_row_error(
                tools, call.scene_id, rows, number, kept=NOTHING_DECIDED, todo=_name_open_numbers(rows)
            )
        if (row := rows_by_number[number]).status not in OPEN_STATUSES:
            raise closed_row_error(row, kept=NOTHING_DECIDED)
    return [rows_by_number[n] for n in numbers]


async def missing_row_error(
    tools: CommandTools, scene_id: Id, rows: Sequence[ProposalView], number: str, *, kept: str, todo: str
) -> InputError:
    """Return the error for a number that no row has: nothing was proposed under it, or it is undone or in a row."""
    row = None
    if number.isdecimal() and len(number) <= _MAX_NUMBER_LENGTH:
        row = await tools.views.find_numbered_row(scene_id, int(number))
    if row is None:
        return InputError(f"There is no proposal {number[:20]!r}.", kept=kept, todo=todo)
    including_row = next((r for r in rows if row.proposal.id in r.member_ids), None)
    if including_row is not None:
        return InputError(
            f"{number} is a step of {including_row.number} “{including_row.title}”",
            kept=kept,
            todo=f"{including_row.number} is the number for all of it.",
        )
    if row.status is ProposalStatus.WITHDRAWN:
        return InputError(
            f"{_name_row(number, row)} is undone.", kept=kept, todo="Ctrl+Y brings back what was undone last."
        )
    return closed_row_error(row, kept=kept, number=number)


def closed_row_error(row: ProposalView, *, kept: str, number: str = "") -> InputError:
    """Return the error for a proposal that a commit closed: what became of it, and what can be done."""
    name = _name_row(number or str(row.number), row)
    if row.is_retconned:
        return InputError(
            f"{name} was taken from canon.",
            kept=kept,
            todo="Z in the universe lists it; R there restores it.",
        )
    if row.status is ProposalStatus.ACCEPTED:
        return InputError(
            f"{name} is in canon already.",
            kept=kept,
            todo="u on its row at the gate (F3) proposes to take it from canon.",
        )
    return InputError(
        f"{name} was {row.status} by a commit.",
        kept=kept,
        todo="u on its row at the gate (F3) proposes it again.",
    )


def _name_row(number: str, row: ProposalView) -> str:
    return f"{number} “{row.title.removesuffix('.')}”"


def _name_open_numbers(rows: Sequence[ProposalView]) -> str:
    """Return the numbers that can be decided; they have gaps where something was undone or shares a row."""
    open_numbers = [str(row.number) for row in rows if row.status in OPEN_STATUSES]
    if not open_numbers:
        return NOTHING_OPEN
    shown_numbers = open_numbers[-MAX_NAMED_NUMBERS:]
    earlier = "... " if len(shown_numbers) < len(open_numbers) else ""
    return f"Open: {earlier}{', '.join(shown_numbers)}; a title does for one too."
