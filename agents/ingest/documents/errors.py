"""The errors of documents and pictures that cannot be read."""

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


def blank_document_error() -> InputError:
    return unreadable_document_error("there is no text on its pages", "Choose a document with text in it")


def scanned_document_error() -> InputError:
    return unreadable_document_error(
        "it has pictures of pages and no text, as from a scanner",
        "Have a model that sees pictures read its pages, or make its text readable with a program for text "
        "recognition (OCR), then choose it again",
    )


def unusable_picture_error(reason: str, todo: str) -> InputError:
    """Return the error; `reason` ends the sentence "This picture cannot be used: "."""
    return InputError(f"This picture cannot be used: {reason}.", kept="Nothing was changed.", todo=f"{todo}.")


def damaged_picture_error() -> InputError:
    return unusable_picture_error(
        "it is damaged or cut off",
        "Get it anew, or save it again as PNG or JPEG with the program that made it",
    )
