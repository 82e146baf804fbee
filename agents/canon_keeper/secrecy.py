"""What takes a change of who may know a fact back. Pure."""

from __future__ import annotations

from stores.records.canon import ChangeSecrecy, Fact


def restore_secrecy(change: ChangeSecrecy, fact: Fact) -> ChangeSecrecy | None:
    """Return the change that takes another back, in what nothing has changed since; None if that is nothing."""
    known_to = fact.secrecy.known_to if fact.secrecy else ()
    restored_change = ChangeSecrecy(
        fact_id=fact.id,
        is_secret=None if change.is_secret is not fact.is_secret else not fact.is_secret,
        tell=tuple(i for i in change.hide_from if i not in known_to),
        hide_from=tuple(i for i in change.tell if i in known_to),
    )
    return restored_change if restored_change.after(fact.secrecy) != fact.secrecy else None
