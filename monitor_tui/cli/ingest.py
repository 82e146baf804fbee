"""`monitor ingest`: reads documents into a universe. What they say is proposed, and waits for the review."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from monitor_tui.cli.common import (
    INTERRUPTED_EXIT_CODE,
    AsJson,
    Home,
    command_group,
    count_text,
    open_services,
    print_json,
    print_progress,
    print_warning,
    resolve_home,
)
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.ingest_views import DocumentPreview, IngestEstimate, IngestProgress
    from stores.records.ids import Id

commands = command_group()

POLL_SECONDS: Final = 1.0
MAX_LISTED_FILES: Final = 20
"""Files that are not read that are listed; all are counted."""


@commands.command("ingest")
def ingest(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="PDF, EPUB, HTML, DOCX, Markdown or text; a folder, or an Obsidian vault.",
        ),
    ],
    universe: Annotated[
        str, typer.Option("--universe", help="The universe; created if there is none of that name.")
    ] = "",
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say what it would bring and cost; nothing is stored.")
    ] = False,
    model: Annotated[
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Ask the model about each passage, which may cost; or read on without one that is away.",
        ),
    ] = None,
    pictures: Annotated[
        bool,
        typer.Option(
            "--pictures", help="Have the model read scanned pages, which are pictures without text; may cost."
        ),
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Read it now, or when MONITOR is next open.")
    ] = True,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Read documents in. None of it becomes canon: what they say waits for your review, by document.

    Ctrl+C stops it between two passages; the same command again goes on from there.
    """
    try:
        is_whole = asyncio.run(
            _ingest(
                resolve_home(context, home),
                [str(path) for path in paths],
                universe,
                is_estimate=estimate,
                uses_model=model,
                reads_pictures=pictures,
                waits=wait,
                as_json=as_json,
            )
        )
    except KeyboardInterrupt:
        print_warning("Stopped. What was read is kept; the same command again goes on from there.")
        raise SystemExit(INTERRUPTED_EXIT_CODE) from None
    if not is_whole:
        raise SystemExit(1)


async def _ingest(
    home: Path,
    paths: Sequence[str],
    universe_name: str,
    *,
    is_estimate: bool,
    uses_model: bool | None,
    reads_pictures: bool,
    waits: bool,
    as_json: bool,
) -> bool:
    """Do what the command says; return whether every document could be read.

    `uses_model` None leaves a document that is there already as it is, and reads a new one without a model.
    """
    from monitor_tui.background_mode import BackgroundMode

    mode = BackgroundMode.OFF if is_estimate or not waits else BackgroundMode.INGEST
    program = await open_services(home, mode)
    try:
        services = program.services
        universe_id = await _find_universe_id(services, universe_name)
        if is_estimate:
            estimates = [await services.ingest.preview(path, universe_id) for path in paths]
            if as_json:
                print_json([_estimate_json(one) for one in estimates])
            else:
                print("\n".join(line for one in estimates for line in _estimate_lines(one)), flush=True)
            return True
        if uses_model or reads_pictures:
            _require_model(
                await services.ingest.preview(paths[0], universe_id), reads_pictures=reads_pictures
            )
        await services.stories.recover()
        source_ids: list[Id] = []
        for path in paths:
            started = await services.ingest.start(
                path,
                universe_id,
                new_universe=universe_name,
                uses_model=bool(uses_model),
                reads_pictures=reads_pictures,
            )
            universe_id = started[0].universe_id
            source_ids += [progress.source_id for progress in started]
            for progress in started:
                if progress.state.value in ("paused", "failed"):
                    progress = await services.ingest.resume(progress.source_id)
                if uses_model is not None and progress.uses_model is not uses_model:
                    await _change_model_use(services, progress, uses_model=uses_model)
        assert universe_id is not None
        if waits:
            await _read_to_end(services, universe_id)
        view = await services.ingest.list_sources(universe_id)
        results = [one.progress for one in reversed(view.sources) if one.source.id in source_ids]
        if as_json:
            print_json(
                {
                    "universe": {"id": universe_id, "name": view.universe.name},
                    "documents": [_progress_json(progress) for progress in results],
                    "ladder": services.ingest.ladder_metrics.as_json(),
                }
            )
        else:
            print("\n".join(_result_line(progress) for progress in results), flush=True)
            print(f"Universe: {view.universe.name}. What they say waits for your review there.", flush=True)
        return not waits or all(progress.state.value == "done" for progress in results)
    finally:
        await program.close()


def _require_model(estimate: IngestEstimate, *, reads_pictures: bool) -> None:
    """Raise InputError if no model reads documents, or none that may be shown pictures."""
    if not estimate.model:
        raise InputError(
            "No model reads documents.",
            kept="Nothing was stored.",
            todo="Set one with monitor model and switch the reader on, or leave out --model and --pictures.",
        )
    if reads_pictures and not estimate.sees_pictures:
        raise InputError(
            f"{estimate.model} does not see pictures.",
            kept="Nothing was stored.",
            todo="Set another model for the reader, or leave out --pictures.",
        )


async def _find_universe_id(services: Services, name: str) -> Id | None:
    if not name:
        return None
    universes = await services.stories.universes()
    return next((u.id for u in universes if name.casefold() in (u.name.casefold(), u.id)), None)


async def _change_model_use(services: Services, progress: IngestProgress, *, uses_model: bool) -> None:
    """Have the model asked about a document that was to be read without it, or read it on without the model."""
    if uses_model:
        await services.ingest.enrich(progress.source_id)
    elif progress.is_running:
        await services.ingest.read_without_model(progress.source_id)


async def _read_to_end(services: Services, universe_id: Id) -> None:
    """Have everything of the universe read; how far it is goes to stderr."""
    reading = asyncio.ensure_future(services.jobs.wait_until_idle(universe_id))
    last_line = ""
    try:
        while not (await asyncio.wait([reading], timeout=POLL_SECONDS))[0]:
            open_progress = await services.ingest.read_progress(universe_id)
            line = "; ".join(map(_progress_line, open_progress[:3])) or "Indexing ..."
            if line != last_line:
                print_progress(line)
                last_line = line
        reading.result()
    finally:
        reading.cancel()


def _progress_line(progress: IngestProgress) -> str:
    if progress.pictures_left:
        return f"{progress.title}: {count_text(progress.pictures_left, 'scanned page')} left for the model"
    if progress.chunk_count is None:
        pages = (
            f"{progress.pages_read:,} of {progress.page_count:,} pages" if progress.page_count else "opening"
        )
        return f"{progress.title}: {pages}"
    stages = ", ".join(f"{stage.value} {count:,}" for stage, count in progress.by_stage if count)
    return (
        f"{progress.title}: {progress.served_count:,} of {progress.chunk_count:,} passages"
        f"{f' ({stages})' if stages else ''}"
    )


def _result_line(progress: IngestProgress) -> str:
    if progress.state.value == "failed":
        return f"{progress.title}: not read. {progress.error}"
    if progress.waits_for_model:
        return (
            f"{progress.title}: it waits for its model: {progress.error.rstrip('.')}. "
            "The same command reads on once the model answers, and with --no-model without it."
        )
    if progress.state.value != "done":
        state = progress.error or f"It is {progress.state.value}."
        return f"{progress.title}: {state} It goes on when MONITOR is next open."
    return (
        f"{progress.title}: {count_text(progress.page_count or 0, 'page')}, "
        f"{count_text(progress.served_count, 'passage')} of {progress.chunk_count:,}, "
        f"{count_text(progress.proposal_count, 'proposal')}."
    )


def _estimate_lines(estimate: IngestEstimate) -> list[str]:
    lines = []
    for document in estimate.documents:
        about = "about " if document.is_estimated else ""
        cost = ""
        if estimate.model:
            dollars = "an unknown price" if document.micros is None else f"${document.micros / 1e6:,.2f}"
            cost = f"; with {estimate.model} about {document.token_count:,} tokens, {dollars}"
        lines.append(
            f"{document.title}: {count_text(document.page_count, 'page')}, "
            f"{about}{count_text(document.chunk_count, 'passage')}, {document.seconds:,.0f} s{cost}"
        )
        lines += [f"  {note}" for note in document.notes]
        if document.picture_count:
            lines.append(f"  {_picture_text(estimate, document)}")
        if document.same_as:
            lines.append(f"  The universe has it already: {document.same_as}.")
    if estimate.skipped:
        lines.append(f"{count_text(len(estimate.skipped), 'file')} not read:")
        lines += [f"  {one.path}: {one.reason}" for one in estimate.skipped[:MAX_LISTED_FILES]]
        if len(estimate.skipped) > MAX_LISTED_FILES:
            lines.append(f"  ... and {len(estimate.skipped) - MAX_LISTED_FILES:,} more (all with --json)")
    return lines


def _picture_text(estimate: IngestEstimate, document: DocumentPreview) -> str:
    pages = count_text(document.picture_count, "scanned page")
    if not estimate.sees_pictures:
        return f"{pages}: left out; a model that sees pictures could read them."
    price = (
        "an unknown price" if document.picture_micros is None else f"${document.picture_micros / 1e6:,.2f}"
    )
    return f"{pages}: left out; with --pictures read by {estimate.model}, about {price}."


def _estimate_json(estimate: IngestEstimate) -> dict[str, Any]:
    return {
        "model": estimate.model or None,
        "documents": [
            {
                "path": one.path,
                "title": one.title,
                "media_type": one.media_type,
                "pages": one.page_count,
                "chunks": one.chunk_count,
                "tokens": one.token_count,
                "dollars": None if one.micros is None else one.micros / 1e6,
                "seconds": one.seconds,
                "is_estimated": one.is_estimated,
                "notes": list(one.notes),
                "same_as": one.same_as or None,
                "scanned_pages": one.picture_count,
                "scanned_dollars": None if one.picture_micros is None else one.picture_micros / 1e6,
            }
            for one in estimate.documents
        ],
        "skipped": [{"path": one.path, "reason": one.reason} for one in estimate.skipped],
    }


def _progress_json(progress: IngestProgress) -> dict[str, Any]:
    return {
        "id": progress.source_id,
        "title": progress.title,
        "state": progress.state.value,
        "pages": progress.page_count,
        "chunks": progress.chunk_count,
        "served": progress.served_count,
        "scanned_pages_left": progress.pictures_left,
        "by_stage": {stage.value: count for stage, count in progress.by_stage},
        "proposals": progress.proposal_count,
        "waits_for_model": progress.waits_for_model,
        "error": progress.error or None,
    }
