"""The errors of documents that cannot be read."""

from __future__ import annotations

from stores.errors import InputError

READABLE_FORMATS = "PDF, EPUB, HTML, DOCX, Markdown and plain text"


def unreadable_document_error(reason: str, todo: str) -> InputError:
    """Return the error; `reason` ends the sentence "This document cannot be read: "."""
    return InputError(
        f"This document cannot be read: {reason}.", kept="Nothing of it was taken in.", todo=f"{todo}."
    )


def damaged_document_error(format_name: str) -> InputError:
    return unreadable_document_error(
        f"it is damaged, or no {format_name}", "Get it anew, or save it again with the program that made it"
    )
