"""Tests what Query tells a player who has just begun, asked in the player's own words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from agents.views.query_views import Answer, AnswerStanding
from tests.program import begin, opened

PEOPLE = (
    "/npc here Greta: a smith",
    "/npc here Dob: a boy",
    "/npc here Wick: a warden",
    "/place Red Heron: an inn",
    "/place Old Mill: a mill",
    "/place Millbrook: a village",
    "/thing ring: a silver ring",
    "/accept all",
    "/commit",
)

Ask = Callable[[str], Awaitable[Answer]]


@asynccontextmanager
async def played(home: Path, *lines: str) -> AsyncIterator[Ask]:
    async with opened(home) as program:
        services, scene_id = program.services, await begin(program)
        for line in (*PEOPLE, *lines):
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        view = await services.play.scene(scene_id)

        async def ask(question: str) -> Answer:
            return await services.query.answer_question(
                question, universe_id=view.universe.id, story_id=view.story.id
            )

        yield ask


def texts(answer: Answer) -> list[str]:
    return [finding.text for finding in answer.findings]


async def test_query_where_somebody_or_a_thing_is_comes_first_the_newest_first(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "/fact Greta now has the ring",
        "/fact Greta owes Dob ten silver",
        "/fact Dob's mother was killed in the flood",
        "/accept all",
        "/commit",
        "> Dob says: My mother sold fish in Millbrook.",
        "Greta stays behind at the Red Heron.",
        "I walk to Millbrook alone.",
        "> Dob runs away to the Old Mill.",
        "> Dob leaves.",
    ) as ask:
        for question in (
            "Where is Dob's ring?",
            "Where is Dob's ring now?",
            "Where is the ring?",
            "Who has the ring?",
            "Who has Dob's ring?",
        ):
            answer = await ask(question)
            assert (texts(answer), answer.standing) == (["Greta now has the ring."], AnswerStanding.CANON)
        assert texts(await ask("Where is Greta?")) == ["you: Greta stays behind at the Red Heron."]
        for question in ("Where is Dob?", "Where did Dob go?"):
            assert texts(await ask(question)) == [
                "the GM: Dob leaves.",
                "the GM: Dob runs away to the Old Mill.",
            ]


async def test_query_of_a_thing_by_the_last_word_of_its_name(tmp_path: Path) -> None:
    lines = ("/thing silver ring: small", "> Next morning Greta returns with Dob.")
    async with played(tmp_path, *lines, "I give Greta the ring.", "/accept all", "/commit") as ask:
        for question in ("Who has the ring?", "Where is the ring?", "Who's got my ring now?"):
            answer = await ask(question)
            assert (texts(answer)[0], answer.standing) == ("Greta has the ring.", AnswerStanding.CANON)


async def test_query_of_somebodys_relative_is_not_answered_of_them_or_of_another(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "/fact Dob's mother was killed in the flood",
        "/fact Dob is the head of the smugglers",
        "/accept all",
        "/commit",
        "/fact Dob killed his brother",
    ) as ask:
        for question in (
            "Who killed Dob's brother?",
            "Who killed the brother of Dob?",
            "Is Dob's brother dead?",
        ):
            answer = await ask(question)
            assert set(texts(answer)) == {"Dob killed his brother."}
            assert answer.standing is AnswerStanding.PROPOSED
        answer = await ask("Who killed Dob's mother?")
        assert answer.standing is AnswerStanding.UNKNOWN, "how she died says nobody who killed her"
        assert answer.nearest[0].text == "Dob's mother was killed in the flood."
        assert texts(await ask("Who killed Dob?")) == ["No death of Dob is recorded."]
        assert (await ask("Who killed Dob's father?")).standing is AnswerStanding.UNKNOWN


async def test_query_whether_somebody_is_alive_by_what_is_said_of_it_and_the_dead_remember_no_death(
    tmp_path: Path,
) -> None:
    async with played(
        tmp_path,
        "/state Wick.hp = 8",
        "/accept all",
        "/commit",
        "> Wick was killed by the flood.",
        "/accept all",
        "/commit",
    ) as ask:
        for question in ("Is Wick alive?", "Is Wick dead?"):
            answer = await ask(question)
            assert set(texts(answer)) == {"Wick was killed by the flood."}
            assert answer.standing is AnswerStanding.CANON
            assert "Wick" not in {finding.believer for finding in answer.findings}
        assert (await ask("What does Wick remember?")).standing is AnswerStanding.UNKNOWN


async def test_query_what_somebody_promised_me_is_not_what_i_promised_them(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "I promise Dob that I will find his mother.",
        "/fact I owe Dob a coin",
        "/accept all",
        "/commit",
        "/fact Greta promised me a lamp",
    ) as ask:
        for question in ("What did Dob promise me?", "Did Dob promise me anything?", "What does Dob owe me?"):
            answer = await ask(question)
            assert (texts(answer), answer.standing) == ([], AnswerStanding.UNKNOWN)
        assert set(texts(await ask("Who promised me anything?"))) == {"Greta promised Mara a lamp."}
        assert (
            texts(await ask("What did I promise Dob?"))[0] == "Mara promised Dob: “I will find his mother.”"
        )
        assert texts(await ask("What do I owe Dob?"))[0] == "Mara owes Dob a coin."


async def test_query_who_knows_a_secret_and_whether_somebody_does(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "I promise Dob that I will find his mother.",
        "/secret Greta: I was a thief",
        "/secret Greta: Dob's mother was a smuggler",
        "/fact Dob is the head of the smugglers",
        "/accept all",
        "/commit",
    ) as ask:
        thief = "Mara was a thief. (secret; known to: Greta)"
        for question in (
            "Who knows I was a thief?",
            "Who knows that I was a thief?",
            "Does Greta know I was a thief?",
        ):
            answer = await ask(question)
            assert (texts(answer)[0], answer.standing) == (thief, AnswerStanding.CANON)
        smuggler = "Dob's mother was a smuggler. (secret; known to: Greta)"
        assert texts(await ask("Does Greta know that Dob's mother was a smuggler?")) == [smuggler]
        answer = await ask("Does Dob know that his mother was a smuggler?")
        assert (texts(answer), answer.standing) == (
            ["Nothing says that Dob knows it."],
            AnswerStanding.UNKNOWN,
        )
        heads = (await ask("Who knows that Dob is the head of the smugglers?")).findings
        assert "Dob" in {finding.believer for finding in heads}
