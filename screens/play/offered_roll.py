"""A line that was sent and waits in the prompt: for an offered roll, for dice or for a likelihood. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from agents.views.replies import Reply

OFFER_HINT = "Typing on tells it without a roll · → goes on with it"


@dataclass(frozen=True, slots=True)
class OfferedRoll:
    """The line that waits, and the roll that it waits for. It is played before any other line."""

    typed_line: str
    """Its words without the roll."""
    prompt_text: str
    """The line with the roll, as it was put into the prompt."""
    preparing_command: str = ""
    """The command that may come first (`/state`): after it the roll is offered anew."""

    @classmethod
    def from_reply(cls, reply: Reply) -> Self:
        return cls(reply.plain_line, reply.prompt_text, reply.preparing_command)

    def is_same_line(self, sent_line: str, revised_line: str) -> bool:
        """Say whether what was sent is the line that waits, as it stands there or edited."""
        is_edited = not {sent_line, revised_line}.isdisjoint({self.typed_line, self.prompt_text})
        return is_edited or self.typed_line in sent_line

    def is_prepared_by(self, sent_line: str) -> bool:
        """Say whether what was sent is the command that the offer asks for first."""
        return bool(self.preparing_command) and sent_line.split(maxsplit=1)[0] == self.preparing_command

    def describe_waiting(self) -> str:
        """Return that the line waits, and what each key makes of it, for who finds it after a restart."""
        return f"Not played yet: {self.typed_line} Esc, or typing on, tells it without a roll."
