"""Names of MONITOR's indexes, buckets and users on a server that may be shared."""

from __future__ import annotations

import hashlib
import re

_LIBRARY_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_PART_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,80}")


def name_prefix(library: str) -> str:
    """Return the prefix of the names of a library's indexes, collections, buckets and users.

    Lower-case letters, digits and hyphens, as S3 requires; unique for each library.
    """
    if _LIBRARY_PATTERN.fullmatch(library):
        return f"{library}-"
    readable = re.sub(r"[^a-z0-9]+", "-", library.lower())[:17].strip("-")
    return f"{readable or 'library'}-{_digest(library)}-"


def to_name_part(text: str) -> str:
    """Return a text as a part of a name: unchanged if possible, else made unique by a digest."""
    if _PART_PATTERN.fullmatch(text):
        return text
    return f"{re.sub(r'[^A-Za-z0-9._-]', '-', text)[:67]}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
