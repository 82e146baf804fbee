"""`monitor recall`: the turns that bear on a question, ranked, so that finding again can be measured from
outside."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from monitor_tui.cli_asking import Where, looked_in, patiently
from monitor_tui.cli_common import (
    AsJson,
    Home,
    group,
    home_of,
    open_services,
    print_json,
    run,
)
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.query_views import RecalledTurn, Recollection
    from stores.records.ids import Id

commands = group()

MOST = 1_000
"""Turns of one answer."""


class Question(NamedTuple):
    """`id` is what the file of questions calls it (empty: it has no name)."""

    text: str
    id: str = ""


@commands.command()
def recall(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What is to be found again.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, max=MOST, help="How many turns.")] = 20,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Many at once: one a line, or JSON lines with id and question."),
    ] = None,
    story: Annotated[str, typer.Option("--story", help="Only in this story.")] = "",
    universe: Annotated[
        str, typer.Option("--universe", help="In which one; needed if there are several.")
    ] = "",
    now: Annotated[
        bool, typer.Option("--now", help="Go by what is indexed already, however much is not.")
    ] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Rank the turns that bear on a question, by words, meaning and graph.

    What is not indexed yet of the universe is indexed first, unless --now. With --questions, --json prints
    one line of JSON an answer.
    """
    asked = _asked(question, questions)
    where = Where(universe, story, now)
    run(_recall(home_of(context, home), asked, k, where, as_json, one=questions is None))


async def _recall(
    home: Path, asked: list[Question], k: int, where: Where, as_json: bool, *, one: bool
) -> None:
    from monitor_tui.behind import Work

    program = await open_services(home, Work.ASK)
    try:
        services = program.services
        universe_id, story_id = await looked_in(services, where)
        for question in asked:
            found = await _found(services, question.text, universe_id, story_id, k)
            if as_json and one:
                print_json(_told(question, found))
            elif as_json:
                print(json.dumps(_told(question, found), ensure_ascii=False), flush=True)
            else:
                print("\n".join(_lines(found)), flush=True)
    finally:
        await program.close()


async def _found(
    services: Services, question: str, universe_id: Id, story_id: Id | None, k: int
) -> Recollection:
    return await patiently(
        lambda: services.query.recall(question, universe_id=universe_id, story_id=story_id, k=k)
    )


def _asked(question: str, file: Path | None) -> list[Question]:
    """Return the questions. Raises InputError."""
    if (file is None) is (not question.strip()):
        raise InputError(
            "There is nothing to look for."
            if file is None
            else "Either a question or --questions, not both.",
            todo='monitor recall "Who has the iron key?", or --questions FILE.',
        )
    if file is None:
        return [Question(question)]
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error
    asked = [_read(line, n, file) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not asked:
        raise InputError(f"{file} holds no question.", todo="Write one a line.")
    return asked


def _read(line: str, number: int, file: Path) -> Question:
    """Read a line: a question as it stands, or a JSON object with `question` and maybe `id`."""
    if not line.lstrip().startswith("{"):
        return Question(line.strip())
    try:
        held = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}, line {number}: that is no JSON ({error.msg}).") from error
    text = held.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{file}, line {number}: there is no question in it.")
    name = held.get("id", "")
    return Question(text, name if isinstance(name, str) else json.dumps(name))


def _told(question: Question, found: Recollection) -> dict[str, Any]:
    told: dict[str, Any] = {"question": found.question}
    if question.id:
        told["id"] = question.id
    return told | {"turns": [_turn(turn) for turn in found.turns], "notes": list(found.notes)}


def _turn(turn: RecalledTurn) -> dict[str, Any]:
    return {
        "turn": turn.ref or turn.turn_id,
        "id": turn.turn_id,
        "score": round(turn.score, 4),
        "speaker": turn.speaker,
        "text": turn.text,
        "scene": turn.scene_id,
        "where": turn.where,
        "by": {way: round(score, 4) for way, score in turn.by},
    }


def _lines(found: Recollection) -> list[str]:
    from agents.sanitize import clean_line

    lines = [clean_line(found.question)]
    for place, turn in enumerate(found.turns, 1):
        said = f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
        name = f"{clean_line(turn.ref)}, " if turn.ref else ""
        lines.append(f"{place:>3}. {turn.score:.2f}  {clean_line(said)}")
        lines.append(f"           ({name}{clean_line(turn.where)})")
    if not found.turns:
        lines.append("  Nothing was found.")
    return [*lines, *(f"  · {clean_line(note)}" for note in found.notes)]
