"""Writes a story in any of its forms. Pure."""

from __future__ import annotations

from typing import assert_never

from agents.exports.epub import write_epub
from agents.exports.print_page import write_print_page
from agents.exports.story_form import StoryForm
from agents.exports.story_journal import write_journal
from agents.exports.story_lonelog import write_lonelog
from agents.exports.story_markdown import write_markdown
from agents.exports.story_values import StoryRecord


def write_story(record: StoryRecord, form: StoryForm, *, with_mechanics: bool = False) -> bytes:
    """Return a story as a file. Books and pages have its prose alone unless `with_mechanics`; texts have everything."""
    match form:
        case StoryForm.MARKDOWN:
            return write_markdown(record).encode()
        case StoryForm.JOURNAL:
            return write_journal(record).encode()
        case StoryForm.LONELOG:
            return write_lonelog(record).encode()
        case StoryForm.EPUB:
            return write_epub(record, with_mechanics=with_mechanics)
        case StoryForm.HTML:
            return write_print_page(record, with_mechanics=with_mechanics)
        case _:
            assert_never(form)
