"""Folders and vaults: which documents would be read, and which not and why."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from agents.ingest.documents import folders
from agents.ingest.documents.folders import list_documents
from agents.ingest.documents.limits import DEFAULT_LIMITS
from stores.errors import InputError


def write_vault(root: Path) -> Path:
    vault = root / "vault"
    for name in (
        "Ser Aldric.md",
        "places/Marrow Keep.md",
        "rules/keep.pdf",
        ".obsidian/app.json",
        ".trash/old.md",
    ):
        path = vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("words")
    (vault / "map.png").write_bytes(b"\x89PNG")
    (vault / "empty.md").write_bytes(b"")
    return vault


def test_vault_is_listed_with_what_is_not_read_and_why(tmp_path: Path) -> None:
    vault = write_vault(tmp_path)
    (tmp_path / "secret.md").write_text("secret")
    (vault / "out.md").symlink_to(tmp_path / "secret.md")
    (vault / "in.md").symlink_to(vault / "Ser Aldric.md")
    (vault / "loop").symlink_to(vault)
    listing = list_documents(vault)
    assert listing.is_vault
    assert [one.name for one in listing.documents] == [
        "Ser Aldric.md",
        "places/Marrow Keep.md",
        "rules/keep.pdf",
    ]
    assert {one.name: one.reason for one in listing.skipped} == {
        ".obsidian": "it is hidden",
        ".trash": "it is hidden",
        "empty.md": "it is empty",
        "in.md": "it is a link to what is listed itself",
        "loop": "it is a link to what is listed itself",
        "map.png": "its format is not one of PDF, EPUB, HTML, DOCX, Markdown and plain text",
        "out.md": "it is a link out of the folder",
    }


def test_listing_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_DOCUMENTS", 2)
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("words")
    listing = list_documents(tmp_path, dataclasses.replace(DEFAULT_LIMITS, file_bytes=100))
    assert [one.name for one in listing.documents] == ["a.md", "b.md"]
    assert listing.skipped[0].reason == "a folder's first 2 documents are the most"
    (tmp_path / "b.md").write_text("words " * 100)
    listing = list_documents(tmp_path, dataclasses.replace(DEFAULT_LIMITS, file_bytes=100))
    assert [one.name for one in listing.documents] == ["a.md", "c.md"]


def test_single_file_is_a_listing_of_one(tmp_path: Path) -> None:
    path = tmp_path / "keep.txt"
    path.write_text("words")
    (listed,) = list_documents(path).documents
    assert (listed.path, listed.name, listed.size) == (path, "keep.txt", 5)


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file or folder none"):
        list_documents(tmp_path / "none")
