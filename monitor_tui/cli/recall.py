"""`monitor recall`: the turns that bear on a question, ranked, so that retrieval can be measured from outside."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    open_services,
    print_json,
    resolve_home,
    run_command,
)
from monitor_tui.cli.record_queries import QueryScope, prepare_scope, query_until_awake
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.search.turn_filter import TurnFilter
    from agents.services.services import Services
    from agents.views.query_views import RecalledTurn, RecallResult
    from stores.records.ids import Id

commands = command_group()

MAX_TURNS = 1_000
"""Turns of one answer."""


class RecallQuestion(NamedTuple):
    """`id` is what the file of questions calls it (empty: it has no name)."""

    text: str
    id: str = ""


@commands.command()
def recall(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What to search for.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, max=MAX_TURNS, help="How many turns.")] = 20,
    skip: Annotated[
        int,
        typer.Option(
            "--skip", min=0, max=MAX_TURNS, help="How many of the best to leave out: the next page."
        ),
    ] = 0,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Many at once: one a line, or JSON lines with id and question."),
    ] = None,
    story: Annotated[str, typer.Option("--story", help="Only in this story.")] = "",
    universe: Annotated[
        str, typer.Option("--universe", help="In which universe; needed if there are several.")
    ] = "",
    by: Annotated[
        str, typer.Option("--by", help="Only what this one said: player, gm, or a name.", metavar="WHO")
    ] = "",
    since: Annotated[
        datetime | None,
        typer.Option("--since", formats=["%Y-%m-%d"], help="Only what was played on this day or later."),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option("--until", formats=["%Y-%m-%d"], help="Only what was played on this day or before."),
    ] = None,
    now: Annotated[bool, typer.Option("--now", help="Search only what is indexed already.")] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Rank the turns that bear on a question, by words, meaning and graph.

    A line with ! says what rests on a turn and does not hold any more.

    What is not indexed yet of the universe is indexed first, unless --now. With --questions, --json prints
    one line of JSON an answer.
    """
    from agents.search.turn_filter import TurnFilter

    recall_questions = _read_questions(question, questions)
    scope = QueryScope(universe, story, now)
    turn_filter = TurnFilter(by, since.date() if since else None, until.date() if until else None)
    run_command(
        _run_recall(
            resolve_home(context, home),
            recall_questions,
            k,
            skip,
            scope,
            turn_filter,
            as_json,
            is_single=questions is None,
        )
    )


async def _run_recall(
    home: Path,
    recall_questions: list[RecallQuestion],
    k: int,
    skip: int,
    scope: QueryScope,
    turn_filter: TurnFilter,
    as_json: bool,
    *,
    is_single: bool,
) -> None:
    from monitor_tui.background_mode import BackgroundMode

    program = await open_services(home, BackgroundMode.QUERY)
    try:
        services = program.services
        universe_id, story_id = await prepare_scope(services, scope)
        for question in recall_questions:
            recollection = await _recall_turns(
                services, question.text, universe_id, story_id, k, skip, turn_filter
            )
            if as_json and is_single:
                print_json(_recollection_json(question, recollection))
            elif as_json:
                print(json.dumps(_recollection_json(question, recollection), ensure_ascii=False), flush=True)
            else:
                print("\n".join(_recollection_lines(recollection, skip)), flush=True)
    finally:
        await program.close()


async def _recall_turns(
    services: Services,
    question: str,
    universe_id: Id,
    story_id: Id | None,
    k: int,
    skip: int,
    turn_filter: TurnFilter,
) -> RecallResult:
    return await query_until_awake(
        lambda: services.query.recall_turns(
            question, universe_id=universe_id, story_id=story_id, k=k, skip=skip, turn_filter=turn_filter
        )
    )


def _read_questions(question: str, file: Path | None) -> list[RecallQuestion]:
    """Return the questions. Raises InputError."""
    if (file is None) is (not question.strip()):
        raise InputError(
            "There is nothing to search for."
            if file is None
            else "Either a question or --questions, not both.",
            todo='monitor recall "Who has the iron key?", or --questions FILE.',
        )
    if file is None:
        return [RecallQuestion(question)]
    from monitor_tui.input_files import read_text_file

    text = read_text_file(file, "file of questions")
    recall_questions = [
        _parse_question(line, n, file) for n, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if not recall_questions:
        raise InputError(f"{file} holds no question.", todo="Write one a line.")
    return recall_questions


def _parse_question(line: str, number: int, file: Path) -> RecallQuestion:
    """Read a line: a question as it stands, or a JSON object with `question` and maybe `id`."""
    if not line.lstrip().startswith("{"):
        return RecallQuestion(line.strip())
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep"
        raise InputError(f"{file}, line {number}: that is not JSON ({reason}).") from error
    text = fields.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{file}, line {number}: there is no question in it.")
    name = fields.get("id", "")
    return RecallQuestion(text, name if isinstance(name, str) else json.dumps(name))


def _recollection_json(question: RecallQuestion, recollection: RecallResult) -> dict[str, Any]:
    answer_fields: dict[str, Any] = {"question": recollection.question}
    if question.id:
        answer_fields["id"] = question.id
    return answer_fields | {
        "turns": [_turn_json(turn) for turn in recollection.turns],
        "notes": list(recollection.notes),
    }


def _turn_json(turn: RecalledTurn) -> dict[str, Any]:
    return {
        "turn": turn.ref or turn.turn_id,
        "id": turn.turn_id,
        "score": round(turn.score, 4),
        "speaker": turn.speaker,
        "text": turn.text,
        "scene": turn.scene_id,
        "where": turn.where,
        "by": {way: round(score, 4) for way, score in turn.by},
        "quotations": [{"speaker": q.speaker, "text": q.text} for q in turn.quotations],
        "clashes": list(turn.clashes),
        "earlier": turn.is_earlier,
    }


def _recollection_lines(recollection: RecallResult, skip: int) -> list[str]:
    from agents.sanitize import clean_line

    lines = [clean_line(recollection.question)]
    for place, turn in enumerate(recollection.turns, skip + 1):
        turn_text = f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
        name = f"{clean_line(turn.ref)}, " if turn.ref else ""
        lines.append(f"{place:>3}. {turn.score:.2f}  {clean_line(turn_text)}")
        lines.append(f"           ({name}{clean_line(turn.where)})")
        lines += [f"           ! {clean_line(clash)}" for clash in turn.clashes]
    if not recollection.turns:
        lines.append("  Nothing was found.")
    return [*lines, *(f"  · {clean_line(note)}" for note in recollection.notes)]
