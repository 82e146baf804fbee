"""Session zero: a few questions before or during a story, each answered or skipped by a line.

`/zero` shows them all and begins with the first that is open; an answer leads to the next open one. Only the
answers are stored.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.proposal_description import stated_title
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.sanitize import clean
from agents.solo.scene_cast import describe_as_known
from agents.solo.story_clocks import ClockService
from agents.solo.story_journal import NOTHING_CHANGED, StoryJournal
from agents.solo.story_threads import ThreadService
from agents.typed_text import did_you_mean, one_line
from agents.views.replies import Reply
from stores.errors import InputError
from stores.queries import FactsAboutQuery
from stores.records.canon import AssertFact, CreateEntity
from stores.records.ids import Id
from stores.records.world import ACTORS

MAX_ANSWER_LENGTH: Final = 1_000


@dataclass(frozen=True, slots=True)
class SetupQuestion:
    """`key` is what is typed after `/zero`; `example` is an answer, `tie` what ties an answered person to the hero."""

    key: str
    question_text: str
    example: str
    tie: str = ""


QUESTIONS: Final = (
    SetupQuestion("tone", "What is it like?", "quiet dread, with dry humour"),
    SetupQuestion(
        "lines", "What stays out, and what happens off stage?", "no harm to animals; torture off stage"
    ),
    SetupQuestion("theme", "What is it about, underneath?", "what the living owe the dead"),
    SetupQuestion(
        "stakes", "What is lost if {hero} does nothing?", "The harvest is carted off before the snow"
    ),
    SetupQuestion("thread", "Which question is open as it begins?", "Who was seen at the ford that night?"),
    SetupQuestion(
        "clock", "What comes nearer by itself, and in how many steps?", "The first snow 6 per scene 1"
    ),
    SetupQuestion(
        "friend",
        "Who is on {hero}'s side, if not always?",
        "NAME: who they are, and what they want",
        "ally_of",
    ),
    SetupQuestion("rival", "Who is in {hero}'s way?", "NAME: who they are, and what they want", "enemy_of"),
)
_OUTLINE_FIELDS: Final = {"tone": "tone", "lines": "lines_and_veils", "theme": "theme"}


class SessionZero:
    """Asks the questions, and stores the answers in the story."""

    def __init__(
        self,
        journal: StoryJournal,
        agenda_reader: StoryAgendaReader,
        threads: ThreadService,
        clocks: ClockService,
        declarations: DeclarationService,
    ) -> None:
        self._journal = journal
        self._agenda_reader = agenda_reader
        self._threads = threads
        self._clocks = clocks
        self._declarations = declarations

    async def list_questions(self, scene_id: Id) -> Reply:
        """Return the questions with their answers, and the first open one for the prompt."""
        context = await self._journal.load_open_scene(scene_id)
        answers = await self._read_answers(context)
        lines = [
            f"{'✓' if q.key in answers else '·'} {_ask(q, context)}  "
            f"{answers.get(q.key) or f'/zero {q.key} {q.example}'}"
            for q in QUESTIONS
        ]
        next_question = next((q for q in QUESTIONS if q.key not in answers), None)
        closing_line = (
            "Answer those you like: Tab, then your answer. /zero and the word alone skips to the next."
            if next_question
            else "All is set."
        )
        return Reply(
            "operation",
            (*lines, closing_line),
            suggested_line=f"/zero {next_question.key} " if next_question else "",
        )

    async def answer_question(self, scene_id: Id, key: str, answer_text: str) -> Reply:
        """Store an answer (none skips the question) and ask the next. Raises InputError."""
        question = next((q for q in QUESTIONS if q.key == key.casefold().rstrip(":")), None)
        if question is None:
            suggestion = did_you_mean(key, [q.key for q in QUESTIONS])
            raise InputError(
                f"Session zero has no question {one_line(key)[:40]!r}.",
                kept=NOTHING_CHANGED,
                todo=suggestion
                or "/zero lists the questions; each begins with its word, as in /zero tone ...",
            )
        context = await self._journal.load_open_scene(scene_id)
        answer_lines = (
            await self._save_answer(context, question, answer_text.strip())
            if answer_text.strip()
            else (f"Skipped, and nothing was changed: {_ask(question, context)}",)
        )
        answers = await self._read_answers(await self._journal.load_open_scene(scene_id))
        later_questions = QUESTIONS[QUESTIONS.index(question) + 1 :]
        next_question = next((q for q in later_questions if q.key not in answers), None)
        if next_question is None:
            return Reply("operation", (*answer_lines, _describe_open_questions(answers)))
        question_line = f"{_ask(next_question, context)}  Tab, then your answer: {next_question.example}"
        return Reply(
            "operation", (*answer_lines, question_line), suggested_line=f"/zero {next_question.key} "
        )

    async def _read_answers(self, context: SceneContext) -> dict[str, str]:
        """Return the answers that the story has, by question."""
        agenda, tied_names = await gather(
            self._agenda_reader.read_agenda(context), self._read_tied_names(context)
        )
        return read_answers(context, agenda, tied_names)

    async def _read_tied_names(self, context: SceneContext) -> dict[str, str]:
        """Return by question who is tied to the hero as it asks, wherever they are: by canon, or proposed."""
        hero = context.player_character()
        if hero is None:
            return {}
        canon = self._agenda_reader.canon
        tied_ids: dict[str, Id] = {}
        for question in (question for question in QUESTIONS if question.tie):
            facts = await canon.facts_about(hero.id, FactsAboutQuery(predicate=question.tie))
            proposed = [p.change for p in context.staged_proposals if isinstance(p.change, AssertFact)]
            ties = [f.involves for f in facts] + [c.involves for c in proposed if c.predicate == question.tie]
            for involves in ties:
                ids = [i.entity_id for i in involves]
                if hero.id in ids and (others := [i for i in ids if i != hero.id]):
                    tied_ids.setdefault(question.key, others[0])
        entities = {**context.entities, **await canon.entities_by_id(tied_ids.values())}
        people = {key: entities[i] for key, i in tied_ids.items() if i in entities}
        return {key: person.name for key, person in people.items() if person.kind in ACTORS}

    async def _save_answer(
        self, context: SceneContext, question: SetupQuestion, answer_text: str
    ) -> tuple[str, ...]:
        match question.key:
            case "tone" | "lines" | "theme":
                if len(answer_text) > MAX_ANSWER_LENGTH:
                    raise InputError(
                        f"That is {len(answer_text):,} characters; {MAX_ANSWER_LENGTH:,} is the most.",
                        kept=NOTHING_CHANGED,
                    )
                await self._journal.set_outline(
                    context, **{_OUTLINE_FIELDS[question.key]: clean(answer_text)}
                )
                return (f"{_ask(question, context)} {one_line(answer_text)}",)
            case "stakes" | "thread":
                return await self._threads.open_thread(context, answer_text, setup_question=question.key)
            case "clock":
                return await self._clocks.apply_clock_command(context.scene.id, answer_text)
            case _:
                example = f"/zero {question.key} {question.example}"
                proposals = await self._declarations.declare_companion(
                    context, answer_text, example, question.tie
                )
                return (
                    *(f"Proposed: {stated_title(p.change)}" for p in proposals),
                    *(
                        describe_as_known(p.change.name, p.change.description)
                        for p in proposals
                        if isinstance(p.change, CreateEntity)
                    ),
                )


def _describe_open_questions(answers: Mapping[str, str]) -> str:
    """Return which questions have no answer after the last one."""
    open_keys = [question.key for question in QUESTIONS if question.key not in answers]
    if not open_keys:
        return "That was all. /zero shows it again."
    return f"Still open: {', '.join(open_keys)}. /zero shows them."


def _ask(question: SetupQuestion, context: SceneContext) -> str:
    """Return the question with the hero's name."""
    hero = context.player_character()
    return question.question_text.format(hero=hero.name if hero else "your hero")


def read_answers(context: SceneContext, agenda: StoryAgenda, tied_names: Mapping[str, str]) -> dict[str, str]:
    """Return the answers by question.

    `tied_names` are people who are tied to the hero as a question asks; for what is open of threads and people, any
    that the story has answer it.
    """
    story = context.story
    threads = [t for t in agenda.threads if t.fact_id is None]
    answering_names = {t.setup_question: t.name for t in reversed(threads) if t.setup_question}
    further_names = iter([t.name for t in threads if not t.setup_question])
    people = (e for e in context.entities.values() if e.kind in ACTORS and e.id != story.pc_id)
    other_names = iter([e.name for e in people if e.name not in tied_names.values()])
    clock_lines = [f"{clock.name}, {clock.size} steps" for clock in agenda.open_clocks]
    answers = {
        "tone": one_line(story.tone),
        "lines": one_line(story.lines_and_veils),
        "theme": one_line(story.theme),
        "stakes": answering_names.get("stakes") or next(further_names, ""),
        "thread": answering_names.get("thread") or next(further_names, ""),
        "clock": clock_lines[0] if clock_lines else "",
        "friend": tied_names.get("friend") or next(other_names, ""),
        "rival": tied_names.get("rival") or next(other_names, ""),
    }
    return {key: answer_text for key, answer_text in answers.items() if answer_text}
