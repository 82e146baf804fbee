"""Session zero: a few questions before (or while) a story is told, each with a line that answers or skips it.

`/zero` shows them all and begins with the first that is open; an answer leads to the next. Nothing is kept
but the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.resolver.typed_text import did_you_mean, one_line
from agents.sanitize import clean
from agents.solo.story_clocks import Clocks
from agents.solo.story_journal import KEPT, Books
from agents.solo.story_threads import Threads
from agents.views.play_views import Reply
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.world import EntityKind

MAX_WORDS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """`key` is what stands behind `/zero`; `example` an answer."""

    key: str
    asks: str
    example: str


QUESTIONS: Final = (
    Question("tone", "What is it like?", "quiet dread, with dry humour"),
    Question("lines", "What stays out, and what happens off stage?", "no harm to animals; torture off stage"),
    Question("theme", "What is it about, underneath?", "what the living owe the dead"),
    Question(
        "stakes", "What is lost if your hero does nothing?", "The village drowns with the next spring tide"
    ),
    Question("thread", "Which question is open as it begins?", "Who moved the bell?"),
    Question("clock", "What comes nearer by itself, and in how many steps?", "Spring tide 6 per scene 1"),
    Question("friend", "Who is on your hero's side, if not always?", "Old Tam: keeper of the salt bell"),
    Question("rival", "Who is in the way?", "Ilse Karr: harbour master, nothing lands without her mark"),
)
_OUTLINE: Final = {"tone": "tone", "lines": "lines_and_veils", "theme": "theme"}


class SessionZero:
    """Asks and keeps answers. Stateless: what is answered is read from the story."""

    def __init__(
        self,
        books: Books,
        agendas: StoryAgendaReader,
        threads: Threads,
        clocks: Clocks,
        declarations: DeclarationService,
    ) -> None:
        self._books = books
        self._agendas = agendas
        self._threads = threads
        self._clocks = clocks
        self._declarations = declarations

    async def ask(self, scene_id: Id) -> Reply:
        """Return the questions, with what is answered, and the first open one in the prompt."""
        context = await self._books.opened(scene_id)
        done = answered(context, await self._agendas.read_agenda(context))
        lines = [
            f"{'✓' if q.key in done else '·'} {q.asks}  {done.get(q.key) or f'/zero {q.key} {q.example}'}"
            for q in QUESTIONS
        ]
        first = next((q for q in QUESTIONS if q.key not in done), None)
        last = "Answer those you like; /zero and a word alone skips to the next." if first else "All is set."
        return Reply("operation", (*lines, last), text=f"/zero {first.key} " if first else "")

    async def answer(self, scene_id: Id, key: str, words: str) -> Reply:
        """Keep an answer (none skips the question) and ask the next. Raises InputError."""
        asked = next((q for q in QUESTIONS if q.key == key.casefold()), None)
        if asked is None:
            near = did_you_mean(key, [q.key for q in QUESTIONS])
            raise InputError(
                f"Session zero has no question {one_line(key)[:40]!r}.",
                kept=KEPT,
                todo=near or "/zero lists the questions.",
            )
        told = await self._keep(scene_id, asked, words.strip()) if words.strip() else ()
        place = QUESTIONS.index(asked) + 1
        if place == len(QUESTIONS):
            return Reply("operation", (*told, "That was all of it. /zero shows it again, any time."))
        following = QUESTIONS[place]
        line = f"{following.asks}  /zero {following.key} {following.example}"
        return Reply("operation", (*told, line), text=f"/zero {following.key} ")

    async def _keep(self, scene_id: Id, asked: Question, words: str) -> tuple[str, ...]:
        match asked.key:
            case "tone" | "lines" | "theme":
                context = await self._books.opened(scene_id)
                if len(words) > MAX_WORDS:
                    raise InputError(
                        f"That is {len(words):,} characters; {MAX_WORDS:,} is the most.", kept=KEPT
                    )
                await self._books.outline(context, **{_OUTLINE[asked.key]: clean(words)})
                return (f"{asked.asks} {one_line(words)}",)
            case "stakes" | "thread":
                return await self._threads.open(await self._books.opened(scene_id), words)
            case "clock":
                return await self._clocks.act(scene_id, words)
            case _:
                staged = await self._declarations.declare_entity(
                    await self._books.opened(scene_id),
                    EntityKind.CHARACTER,
                    words,
                    f"/zero {asked.key} {asked.example}",
                )
                return (f"Proposed: {getattr(staged.payload, 'name', words)}",)


def answered(context: SceneContext, agenda: StoryAgenda) -> dict[str, str]:
    """Return what is answered, by question. Threads and people are counted: whoever there is will do."""
    story = context.story
    threads = [t.name for t in agenda.threads if t.fact_id is None]
    people = [e.name for e in context.present_actors() if e.id != story.pc_id]
    clocks = [f"{clock.name}, {clock.size} steps" for clock in agenda.open_clocks]
    found = {
        "tone": one_line(story.tone),
        "lines": one_line(story.lines_and_veils),
        "theme": one_line(story.theme),
        "stakes": threads[0] if threads else "",
        "thread": threads[1] if len(threads) > 1 else "",
        "clock": clocks[0] if clocks else "",
        "friend": people[0] if people else "",
        "rival": people[1] if len(people) > 1 else "",
    }
    return {key: words for key, words in found.items() if words}
