"""Reads a character card or a lorebook from a file's bytes; what kind of file it is, its content shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agents.importers.cards.card_containers import read_card_document
from agents.importers.cards.card_errors import broken_card_error
from agents.importers.cards.card_text import MAX_TEXT_LENGTH, clean_text, clean_title
from agents.importers.cards.card_values import CardFile, CardForm, CharacterCard, KeptText
from agents.importers.cards.lorebook import has_entries, read_entries
from agents.importers.log_entries import ImportProblem
from agents.proposals.statements import MAX_NAME_LENGTH

_FORMS: Final = {"chara_card_v2": CardForm.CARD_V2, "chara_card_v3": CardForm.CARD_V3}
_V1_FIELDS: Final = ("first_mes", "mes_example", "personality", "scenario")
MIN_V1_FIELDS: Final = 2
"""Fields that a card without a `spec` must have beside its name."""

MAX_GREETINGS: Final = 50
_INSTRUCTIONS: Final = ("system_prompt", "post_history_instructions")


def read_card(data: bytes) -> CardFile | None:
    """Return what a card or lorebook holds, or None for a file that is neither.

    Raises InputError for one that is broken, too large or empty.
    """
    document = read_card_document(data)
    if document is None or not isinstance(document.data, dict):
        return None
    root = document.data
    problems = [ImportProblem(0, note) for note in document.notes]
    spec = root.get("spec")
    if isinstance(spec, str) and spec.startswith("chara_card_v"):
        if not isinstance(root.get("data"), dict):
            raise broken_card_error("it is a character card without its data")
        if spec not in _FORMS:
            problems.append(ImportProblem(0, "its format is newer than those known here; read as V3"))
        return _read_character(_FORMS.get(spec, CardForm.CARD_V3), root["data"], problems)
    if spec == "lorebook_v3" and isinstance(root.get("data"), dict):
        return _read_lorebook(root["data"], problems)
    if (
        isinstance(root.get("name"), str)
        and sum(isinstance(root.get(f), str) for f in _V1_FIELDS) >= MIN_V1_FIELDS
    ):
        return _read_character(CardForm.CARD_V1, root, problems)
    if has_entries(root):
        return _read_lorebook(root, problems)
    return None


def _read_lorebook(book: Mapping[str, Any], problems: list[ImportProblem]) -> CardFile:
    entries = tuple(read_entries(book, problems))
    if not entries:
        reasons = "; ".join(problem.message for problem in problems)
        raise broken_card_error(
            f"no entry of the lorebook can be used{f' ({reasons})' if reasons else ': it has none'}",
            "Switch entries on, or give them texts, and export it again",
        )
    return CardFile(
        CardForm.LOREBOOK, clean_title(book.get("name")), entries=entries, problems=tuple(problems)
    )


def _read_character(form: CardForm, fields: Mapping[str, Any], problems: list[ImportProblem]) -> CardFile:
    name = clean_title(fields.get("name"))
    if not name:
        raise broken_card_error(
            "its character has no name", "Give the character a name, and export the card again"
        )
    if len(name) > MAX_NAME_LENGTH:
        name = name[:MAX_NAME_LENGTH].strip()
        problems.append(ImportProblem(0, f"the name has more than {MAX_NAME_LENGTH} characters, and was cut"))
    texts = {key: _read_text(fields, key, problems) for key in ("description", "personality", "scenario")}
    nickname = clean_title(fields.get("nickname"))[:MAX_NAME_LENGTH]
    character = CharacterCard(
        name=name,
        nickname=nickname if nickname.casefold() != name.casefold() else "",
        kept_texts=tuple(_read_kept_texts(fields, problems)),
        **texts,
    )
    book = fields.get("character_book")
    entries = tuple(read_entries(book, problems)) if isinstance(book, dict) else ()
    if any(isinstance(fields.get(key), str) and fields[key].strip() for key in _INSTRUCTIONS):
        problems.append(
            ImportProblem(
                0, "its instructions to a language model are left out: they say nothing of the world", True
            )
        )
    if isinstance(fields.get("tags"), list) and fields["tags"]:
        problems.append(ImportProblem(0, "its tags are left out: they sort cards", True))
    book_title = clean_title(book.get("name")) if isinstance(book, dict) else ""
    return CardFile(form, book_title or name, character, entries, tuple(problems))


def _read_kept_texts(fields: Mapping[str, Any], problems: list[ImportProblem]) -> Iterator[KeptText]:
    """Yield what the card says that is no statement about the world."""
    for title, key in (
        ("First message", "first_mes"),
        ("Sample lines", "mes_example"),
        ("The author's notes", "creator_notes"),
    ):
        if text := _read_text(fields, key, problems):
            yield KeptText(title, text)
    greetings = [
        clean_text(greeting)
        for key in ("alternate_greetings", "group_only_greetings")
        if isinstance(fields.get(key), list)
        for greeting in fields[key]
        if isinstance(greeting, str)
    ]
    if len(greetings) > MAX_GREETINGS:
        problems.append(
            ImportProblem(
                0, f"{len(greetings) - MAX_GREETINGS:,} of its {len(greetings):,} greetings left out", True
            )
        )
    yield from (KeptText("Another first message", text) for text in greetings[:MAX_GREETINGS] if text)


def _read_text(fields: Mapping[str, Any], key: str, problems: list[ImportProblem]) -> str:
    value = fields.get(key)
    if isinstance(value, str):
        if len(value) > MAX_TEXT_LENGTH:
            message = f"its {key} has {len(value):,} characters; left out what is over {MAX_TEXT_LENGTH:,}"
            problems.append(ImportProblem(0, message, True))
        return clean_text(value)
    if value is not None:
        problems.append(ImportProblem(0, f"its {key} is no text; left out", True))
    return ""
