"""What words of the story could not do, each with the command that does it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from agents.views.replies import Reply
from agents.views.scene_views import Offer


class CommandHint(NamedTuple):
    """What words of the story could not do, with the command that does it."""

    text: str
    """It ends without a full stop: `Vess is not here: /cast + Vess brings them in`."""
    command: str
    offers: tuple[Offer, ...] = ()
    """What waits for an answer after the line: usually the command alone."""


def add_notices(reply: Reply, notices: Sequence[CommandHint]) -> Reply:
    """Return the reply with a line on each notice; Tab takes the command of the first, if it takes no other."""
    if not notices:
        return reply
    first = notices[0]
    lines = [f"{notice.text}." for notice in notices]
    if not reply.suggested_line:
        lines[0] = f"{first.text} (Tab takes it)."
    return replace(
        reply,
        lines=(*reply.lines, *lines),
        offers=(*reply.offers, *(offer for notice in notices for offer in notice.offers)),
        suggested_line=reply.suggested_line or first.command,
    )
