"""What is tried again, how long is waited, who is asked next; never after a word was heard."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from agents.model.errors import (
    BudgetExhausted,
    ModelBusy,
    ModelCut,
    ModelError,
    ModelKeyRefused,
    ModelRefused,
    ModelRejected,
    ModelTimeout,
    ModelTooLong,
    ModelUnknown,
    ModelUnreachable,
)
from agents.model.names import Target
from agents.model.port import Ask, Message, Usage, Words
from agents.model.retry import PATIENCE, TRIES, Trail, with_retries
from agents.model.scripted import Reply, ScriptedModel, Told

FIRST, SECOND = Target("a/first", "http://127.0.0.1/v1"), Target("b/second")
ASK = Ask("", (Message("user", "hello"),), max_tokens=50)


class Slept(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


async def told(model: ScriptedModel, trail: Trail, *targets: Target) -> tuple[str, Slept]:
    slept, words = Slept(), ""
    async with aclosing(with_retries(model, ASK, targets or (FIRST, SECOND), trail, sleep=slept)) as stream:
        async for part in stream:
            words += part.text if isinstance(part, Words) else ""
    return words, slept


async def test_what_may_go_better_is_tried_again_after_a_while() -> None:
    model = ScriptedModel([ModelUnreachable("gone"), ModelTimeout("slow"), "It opens."])
    words, slept = await told(model, trail := Trail())
    assert words == "It opens."
    assert (trail.tries, trail.model) == (3, "a/first")
    assert [round(wait // 0.5 * 0.5, 1) for wait in slept] in ([0.5, 1.0], [1.0, 1.0], [0.5, 1.5], [1.0, 1.5])
    assert trail.in_words == "a/first: gone a/first: slow"
    assert {(ask.model, ask.api_base) for ask in model.asked} == {(FIRST.model, FIRST.api_base)}


async def test_a_provider_is_waited_for_as_long_as_it_says() -> None:
    _, slept = await told(ScriptedModel([ModelBusy("full", after=7.0), "Yes."]), Trail())
    assert slept == [7.0]


async def test_but_not_for_ever() -> None:
    model = ScriptedModel(
        lambda ask: ModelBusy("full", after=PATIENCE + 1) if ask.model == "a/first" else "Yes."
    )
    words, slept = await told(model, trail := Trail())
    assert (words, slept) == ("Yes.", [])
    assert (trail.tries, trail.model) == (2, "b/second")
    assert model.asked[-1].api_base == ""


async def test_each_model_has_its_tries_and_the_last_one_s_error_is_told() -> None:
    model = ScriptedModel(lambda ask: ModelUnreachable(ask.model))
    with pytest.raises(ModelUnreachable, match="b/second"):
        await told(model, trail := Trail())
    assert [ask.model for ask in model.asked] == ["a/first"] * TRIES + ["b/second"] * TRIES
    assert trail.tries == 2 * TRIES
    assert trail.in_words == f"a/first: a/first ({TRIES} times) b/second: b/second ({TRIES} times)"


@pytest.mark.parametrize("error", [ModelKeyRefused("no"), ModelUnknown("no"), ModelTooLong("no")])
async def test_what_will_not_go_better_is_asked_of_the_next_at_once(error: ModelError) -> None:
    model = ScriptedModel([error, "Yes."])
    assert await told(model, Trail()) == ("Yes.", [])
    assert [ask.model for ask in model.asked] == ["a/first", "b/second"]


@pytest.mark.parametrize("error", [ModelRefused("no"), ModelRejected("no"), BudgetExhausted("no")])
async def test_what_the_player_has_to_know_first_is_asked_of_nobody_else(error: ModelError) -> None:
    model = ScriptedModel([error, "Yes."])
    with pytest.raises(type(error)):
        await told(model, Trail())
    assert len(model.asked) == 1


async def test_an_error_can_say_that_it_will_not_go_better() -> None:
    unpaid = ModelBusy("no credit")
    unpaid.again = False
    assert await told(ScriptedModel([unpaid, "Yes."]), Trail()) == ("Yes.", [])


@pytest.mark.parametrize("error", [ModelUnreachable("gone"), ModelTimeout("slow")])
async def test_nothing_is_tried_again_once_a_word_was_heard(error: ModelError) -> None:
    class Breaks(ScriptedModel):
        async def stream(self, ask: Ask):  # type: ignore[no-untyped-def]
            self.asked.append(ask)
            yield Words("It ")
            raise error

    model, trail = Breaks(["unused"]), Trail()
    stream = with_retries(model, ASK, (FIRST, SECOND), trail, sleep=Slept())
    assert await anext(stream) == Words("It ")
    with pytest.raises(ModelCut, match=error.what):
        await anext(stream)
    assert len(model.asked) == 1
    assert trail.failed


async def test_closing_it_closes_what_it_reads() -> None:
    model = ScriptedModel([Reply(("one", "two", "three"))])
    async with aclosing(with_retries(model, ASK, (FIRST,), sleep=Slept())) as stream:
        assert await anext(stream) == Words("one")
    assert len(model.stopped) == 1


@pytest.mark.parametrize("reply", [Reply(), Reply(usage=Usage(finish="length"))])
async def test_an_answer_without_words_is_an_answer(reply: Told) -> None:
    model = ScriptedModel([reply])
    assert await told(model, trail := Trail()) == ("", [])
    assert trail.tries == 1
