"""The errors for a copy and servers that cannot be joined."""

from __future__ import annotations

from stores.errors import StoreError, StoreUnavailable

_UNCHANGED = "Nothing was changed, here or there."
_SET_ASIDE_ADVICE = (
    "set the copy here aside with `monitor mirror --set-aside` (it stays a whole library of its own)"
)


class CopyDiverged(StoreError):
    """The copy and the servers cannot be joined without a decision of the user."""

    code = "Apart"


def wrong_library_error() -> CopyDiverged:
    return CopyDiverged(
        "The servers have another library than the one that this home folder is a copy of.",
        kept=_UNCHANGED,
        todo="Choose another folder for them, or give the addresses of the right servers.",
    )


def different_libraries_error() -> CopyDiverged:
    return CopyDiverged(
        "The log's server and the canon server have two different libraries.",
        kept=_UNCHANGED,
        todo="Check the addresses of both: they belong together.",
    )


def lost_library_error(name: str) -> CopyDiverged:
    return CopyDiverged(
        f"The {name} server has lost its library, or it is another server.",
        kept=f"{_UNCHANGED} A copy in a home folder that was joined to it is whole.",
        todo="Check its address, or restore the library to it from a backup.",
    )


def older_servers_error() -> CopyDiverged:
    return CopyDiverged(
        "The servers are older than the copy in your home folder: they were put back to an earlier day.",
        kept=_UNCHANGED,
        todo=f"To go on from the servers, {_SET_ASIDE_ADVICE}.",
    )


def both_changed_error(host: str) -> CopyDiverged:
    return CopyDiverged(
        f"MONITOR on {host} has played in this library since, and here there is something never sent.",
        kept=_UNCHANGED,
        todo=f"To go on from the servers, {_SET_ASIDE_ADVICE}.",
    )


def played_elsewhere_error(host: str) -> CopyDiverged:
    return CopyDiverged(
        f"MONITOR on {host} has played in this library since it was last open here.",
        kept="What you play now stays in your home folder.",
        todo="Close MONITOR and open it again: it then fetches what is new.",
    )


def unrelated_library_error() -> CopyDiverged:
    return CopyDiverged(
        "This home folder has a library of its own, which is not the servers'.",
        kept=_UNCHANGED,
        todo=f"Bring it there with `monitor migrate`, or choose another folder; or {_SET_ASIDE_ADVICE}.",
    )


def partial_servers_error() -> CopyDiverged:
    return CopyDiverged(
        "The servers have a library already, and only one of log and canon is on them.",
        kept=_UNCHANGED,
        todo="Put both on servers to have it here, or choose servers that are empty.",
    )


def no_copy_error(reason: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The library has to be fetched from its servers first, and that was cut off: {reason}",
        kept=_UNCHANGED,
        todo="Open MONITOR again when the server is back.",
    )


def servers_not_named_error() -> CopyDiverged:
    return CopyDiverged(
        "This home folder is the copy of a library whose log or canon is on a server.",
        kept="Nothing was changed.",
        todo="Name the servers as before, with MONITOR_STORES=servers (they may be down: play goes on here);"
        " or choose another folder.",
    )
