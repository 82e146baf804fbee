"""The slash commands as one table: a command is a function with a decorator that declares what it needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.resolver.roll_kinds import ROLL_KINDS
from agents.typed_text import one_line
from agents.views.replies import CommandHelp, CommandTopic, Reply
from stores.errors import InputError
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A slash command as it was typed."""

    context: SceneContext
    """The scene, read once for the command."""
    argument: str
    """What was typed after the command's name."""
    choice: str = ""
    """The choice of the command that was typed in place of its name."""
    command_help: tuple[CommandHelp, ...] = ()
    """Help for every command."""

    @property
    def scene_id(self) -> Id:
        return self.context.scene.id


CommandHandler = Callable[[CommandTools, CommandCall], Awaitable[Reply | Outcome]]


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: its name, what it needs before it runs, and the function that runs it."""

    help: CommandHelp
    handler: CommandHandler
    access: Access
    action: str = ""
    """What is refused when the scene is not being played, as words for the player."""
    moves_timeline: bool = False
    """Whether it moves along the timeline, so that the turns it brings back are not announced again."""
    former_name: str = ""
    """A name that the command had in an earlier version and that still works."""
    needs_records: bool = False
    """Whether it waits until it is recorded what the narrations before changed."""
    lists_alone: bool = False
    """Whether it lists what there is if nothing is typed after it, though it is meant to be used with words."""
    takes_numbers: bool = False
    """Whether it takes numbers of what it lists alone, so that numbers typed alone after that are meant for it."""
    other_names: tuple[str, ...] = ()
    """Names that may be typed in place of its own: `/item` is `/thing`."""
    choices: tuple[str, ...] = ()
    """Words that it offers and that may be typed in place of its name: `/lie 2` is `/resolve 2 lie`."""
    instead_of_words: str = ""
    """What to type instead of words after it, of which it reads none; empty if it reads them."""
    answers: tuple[str, ...] = ()
    """The words that are read after it all the same: the answer to its question."""


class CommandGroup:
    """The commands of one module, by default on one topic."""

    def __init__(self, topic: CommandTopic) -> None:
        self.commands: list[Command] = []
        self._topic = topic

    def command(
        self,
        name: str,
        usage: str,
        summary: str,
        *,
        access: Access,
        needs_argument: bool = False,
        lists_alone: bool = False,
        takes_numbers: bool = False,
        action: str = "",
        moves_timeline: bool = False,
        needs_records: bool = False,
        former_name: str = "",
        other_names: tuple[str, ...] = (),
        choices: tuple[str, ...] = (),
        instead_of_words: str = "",
        answers: tuple[str, ...] = (),
        topic: CommandTopic | None = None,
    ) -> Callable[[CommandHandler], CommandHandler]:
        """Register the decorated function as the command `name`; see `Command` for the rest."""

        def register(handler: CommandHandler) -> CommandHandler:
            entry = CommandHelp(name, usage, summary, needs_argument, topic or self._topic)
            self.commands.append(
                Command(
                    entry,
                    handler,
                    access,
                    action=action,
                    moves_timeline=moves_timeline,
                    former_name=former_name,
                    other_names=other_names,
                    needs_records=needs_records,
                    lists_alone=lists_alone,
                    takes_numbers=takes_numbers,
                    choices=choices,
                    instead_of_words=instead_of_words,
                    answers=answers,
                )
            )
            return handler

        return register


PLAYED_COMMANDS = (
    CommandHelp("narrate", "/narrate WORDS  (or > WORDS)", "Narrate what happens, as the GM", True),
    CommandHelp(
        "whisper", "/whisper NAME: the key is gone", "Say something that only those you name can hear", True
    ),
    *(
        CommandHelp(kind, rules.usage, rules.summary, rules.needs_argument, CommandTopic.DICE)
        for kind, rules in ROLL_KINDS.items()
        if rules.usage
    ),
)
"""Commands that are part of the story: the parser reads them, and no handler does."""


class CommandRegistry:
    """All commands by name."""

    def __init__(self, groups: Iterable[CommandGroup]) -> None:
        self._commands = {c.help.name: c for group in groups for c in group.commands}
        self._names_by_former_name = {
            c.former_name: name for name, c in self._commands.items() if c.former_name
        }
        self._names_by_other_name = {
            other_name: name for name, c in self._commands.items() for other_name in c.other_names
        }
        self._names_by_choice = {choice: name for name, c in self._commands.items() for choice in c.choices}

    def names(self) -> frozenset[str]:
        """Return the names of the commands that a handler runs, former and other names and choices included."""
        return frozenset(
            (*self._commands, *self._names_by_former_name, *self._names_by_other_name, *self._names_by_choice)
        )

    def find_choice(self, name: str) -> str:
        """Return the name if it is a choice of a command and no command itself, else nothing."""
        return name if name in self._names_by_choice else ""

    def describe_former_name(self, name: str) -> str:
        """Return a line on the command's present name; empty if this is its present name."""
        current_name = self._names_by_former_name.get(name)
        return f"/{name} is now called /{current_name}." if current_name else ""

    def list_help(self) -> tuple[CommandHelp, ...]:
        """Return help for every command, the played ones included, in order."""
        return (*PLAYED_COMMANDS, *(command.help for command in self._commands.values()))

    def find_command(self, name: str) -> Command:
        """Return the command by its name, a former or other name, or a choice of it."""
        names = self._names_by_former_name | self._names_by_other_name | self._names_by_choice
        return self._commands[names.get(name, name)]


def lacks_argument(command: Command, argument: str) -> bool:
    """Say whether nothing is typed after a command that needs something."""
    return command.help.needs_argument and not argument and not command.lists_alone


def refuse_unread_words(command: Command, name: str, argument: str) -> None:
    """Raise InputError if words are typed after a command that reads none."""
    if not command.instead_of_words or not argument or argument.casefold() in command.answers:
        return
    raise InputError(
        f"/{name} takes no words: “{one_line(argument)[:60]}” would not be read.",
        kept="Nothing was done.",
        todo=command.instead_of_words,
    )
