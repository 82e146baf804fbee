"""What MONITOR's things are called on a server that may be shared, in letters that it takes."""

from __future__ import annotations

import hashlib
import re

_LIBRARY_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_PART_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,80}")


def name_prefix(library: str) -> str:
    """Return what the names of a library's indexes, collections, buckets and users begin with.

    Small letters, digits and hyphens alone, as S3 wants them; two libraries never have the same.
    """
    if _LIBRARY_PATTERN.fullmatch(library):
        return f"{library}-"
    readable = re.sub(r"[^a-z0-9]+", "-", library.lower())[:17].strip("-")
    return f"{readable or 'library'}-{_digest(library)}-"


def to_name_part(text: str) -> str:
    """Return a text as a part of a name: as it is if that can be, else told from all others by a digest."""
    if _PART_PATTERN.fullmatch(text):
        return text
    return f"{re.sub(r'[^A-Za-z0-9._-]', '-', text)[:67]}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
