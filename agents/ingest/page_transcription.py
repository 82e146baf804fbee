"""Has a model read the pages of a document that are pictures without text, as from a scanner.

A page is stored as soon as it is read, and a call is billed once, so a document goes on after a stop where it was.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from agents.ingest.documents.document import describe_pages
from agents.ingest.ports import OriginalReader, PageRenderer
from agents.llm.call_context import PICTURE_TASK, CallContext, PersonaCalls
from agents.llm.errors import ModelCut, ModelError, ModelRefused
from agents.sanitize import clean
from stores.errors import MonitorError
from stores.ports import LogReader, SourceWriter
from stores.records.ids import derive_id
from stores.records.llm import Persona
from stores.records.sources import Source, SourcePage

PICTURE_WIDTH: Final = 1_500
"""Pixels of a picture that is shown to a model: small print can be read, and few providers take more."""

NO_TEXT_ANSWER: Final = "NO TEXT"
"""What the model says of a page without words (agents/prompts/reader_picture.yaml)."""

_FENCE: Final = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)


class ModelUnavailable(MonitorError):
    """No model can be asked now. What was read or found until then is stored."""


class PictureText(NamedTuple):
    """What a model read on a picture."""

    text: str
    model: str


class PictureModel(Protocol):
    async def read_picture(self, source: Source, number: int, picture: bytes) -> PictureText:
        """Return the text of page `number`, shown as PNG. Raises ModelError."""
        ...


@dataclass(frozen=True, slots=True)
class PictureReaderPersona:
    """The Reader, shown a page: one billed call a page, held to the budgets. Implements `PictureModel`."""

    calls: PersonaCalls

    async def read_picture(self, source: Source, number: int, picture: bytes) -> PictureText:
        run_id = derive_id("read picture", source.id, source.edition, number)
        answer = await self.calls.ask_prose(
            Persona.READER,
            {"source": f"{source.title}, page {number}"},
            CallContext(source.universe_id, None, None, run_id=run_id),
            lambda _: None,
            PICTURE_TASK,
            (base64.b64encode(picture).decode("ascii"),),
        )
        if not answer.is_complete:
            raise ModelCut("The model did not come to the end of the page.")
        return PictureText(answer.text, answer.call.model)


@dataclass(frozen=True, slots=True)
class PageTranscriber:
    """Reads pictures of pages one after another, and stores each."""

    log: LogReader
    writer: SourceWriter
    originals: OriginalReader
    renderer: PageRenderer
    model: PictureModel
    timer: Callable[[], float]

    async def read_pages(self, source: Source, ends_at: float) -> int:
        """Read at least one page, and more until the timer shows `ends_at`; return how many are left.

        A page on which the model breaks off or refuses is stored without text. Raises ModelUnavailable.
        """
        data = await self.originals.get("originals", source.object_key)
        for number in source.picture_pages:
            picture = await self.renderer.render_page(data, source.file_name, number, PICTURE_WIDTH)
            try:
                picture_text = await self.model.read_picture(source, number, picture)
            except (ModelCut, ModelRefused):
                picture_text = PictureText("", "the model")
            except ModelError as error:
                raise ModelUnavailable(error.what) from error
            for page in await self.log.source_pages(source.id, source.edition, numbers=[number]):
                await self.writer.put_pages([_with_text(page, picture_text)])
            left = tuple(one for one in source.picture_pages if one != number)
            source = source.model_copy(update={"picture_pages": left, "error": ""})
            await self.writer.put_source(source)
            if self.timer() > ends_at:
                break
        return len(source.picture_pages)


def transcription_notes(pages: Collection[SourcePage]) -> tuple[str, ...]:
    """Return what to know of pages that a model read from their pictures, in sentences."""
    with_text = [page for page in pages if page.text]
    notes = []
    if with_text:
        models = ", ".join(dict.fromkeys(page.transcribed_by for page in with_text))
        verb = "was" if len(with_text) == 1 else "were"
        numbers = describe_pages([page.number for page in with_text])
        notes.append(f"{numbers} {verb} read from pictures by {models}: X on a page shows what is printed.")
    if without_text := [page.number for page in pages if not page.text]:
        notes.append(f"{describe_pages(without_text)} gave no text.")
    return tuple(notes)


def _with_text(page: SourcePage, picture_text: PictureText) -> SourcePage:
    text = clean(picture_text.text).strip()
    if fenced := _FENCE.match(text):
        text = fenced[1].strip()
    if text.strip(".()[] ").upper() == NO_TEXT_ANSWER:
        text = ""
    return page.model_copy(update={"text": text, "transcribed_by": picture_text.model})
