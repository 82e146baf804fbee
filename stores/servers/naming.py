"""What MONITOR's things are called on a server that may be shared: by library, in letters that it takes."""

from __future__ import annotations

import hashlib
import re

_ODD = re.compile(r"[^a-z0-9-]")
_LONGEST_LIBRARY = 30


def prefix_of(library: str) -> str:
    """Return what the names of a library's indexes, collections, buckets and users begin with.

    Small letters, digits and hyphens alone, as S3 wants them; two libraries never have the same.
    """
    name = plain(library, _ODD, _LONGEST_LIBRARY)
    return f"{name if name[0].isalnum() else f'm{name}'}-"


def plain(name: str, odd: re.Pattern[str], longest: int) -> str:
    """Return a name without what is odd: as it is if that can be, else told from all others by a digest."""
    safe = odd.sub("-", name)
    if name and safe == name and len(name) <= longest:
        return name
    return f"{safe[:longest]}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:12]}"
