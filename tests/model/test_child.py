"""The model through its real child process and real LiteLLM: every way an answer can go."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agents.llm import errors
from agents.llm.child_client import ChildModel
from agents.llm.errors import ModelBusy, ModelCut, ModelError
from agents.llm.llm_port import AnswerSchema, EmbeddingRequest, LlmRequest, Message, TextChunk, Usage
from tests.model.behaviours import HOSTILE
from tests.model.server import WORDS, Server, serving

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("the model's child")]

KEY = "planted-key-1234567"
MOOD = {"type": "object", "properties": {"mood": {"type": "string", "maxLength": 9}}, "required": ["mood"]}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def model() -> AsyncIterator[ChildModel]:
    """One child for all: its start costs seconds."""

    async def keys() -> dict[str, str]:
        return {"OPENAI_API_KEY": KEY}

    model = ChildModel(keys, provider="tests.model.provider:provider")
    yield model
    await model.close()


@pytest_asyncio.fixture(loop_scope="module")
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


def ask(model: str, **more: Any) -> LlmRequest:
    told = {"max_tokens": 100, "seconds": 20.0, **more}
    return LlmRequest(
        model, (Message("system", "You are the narrator."), Message("user", "I open the door.")), **told
    )


async def heard(model: ChildModel, ask: LlmRequest) -> tuple[str, Usage]:
    parts = [part async for part in model.stream(ask)]
    assert isinstance(parts[-1], Usage)
    return "".join(part.text for part in parts[:-1] if isinstance(part, TextChunk)), parts[-1]


async def broken(model: ChildModel, ask: LlmRequest) -> tuple[str, ModelError]:
    """The words that came, and the error that ended them."""
    words, caught = "", None
    try:
        async for part in model.stream(ask):
            words += part.text if isinstance(part, TextChunk) else ""
    except ModelError as error:
        caught = error
    assert caught is not None
    assert caught.what
    assert KEY not in str(caught)
    assert "\n" not in str(caught)
    return words, caught


async def test_words_and_what_they_took(model: ChildModel, server: Server) -> None:
    words, usage = await heard(model, ask("openai/gpt-4o-mini", api_base=server.address, seed=7))
    assert words == "".join(WORDS)
    assert (usage.tokens_in, usage.tokens_out, usage.tokens_cached) == (20, 3, 16)
    assert usage.counted
    assert usage.finish == "stop"
    # 4 tokens at 0.15, 16 cached ones at 0.075, 3 at 0.60 dollars a million
    assert usage.cost.known
    assert usage.cost.micros == round(4 * 0.15 + 16 * 0.075 + 3 * 0.60)
    (sent,) = server.asked
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["seed"], sent["max_tokens"], sent["temperature"]) == (7, 100, 0.7)
    assert server.headers["authorization"] == f"Bearer {KEY}"


async def test_what_no_list_knows_has_no_price_and_what_nobody_counts_is_counted_here(
    model: ChildModel, server: Server
) -> None:
    _, usage = await heard(model, ask("openai/uncounted", api_base=server.address))
    assert not usage.counted
    assert usage.tokens_in > 5
    assert usage.tokens_out == 4
    assert not usage.cost.known


async def test_the_length_that_was_asked_for_ends_it(model: ChildModel, server: Server) -> None:
    assert (await heard(model, ask("openai/long", api_base=server.address)))[1].finish == "length"
    assert (await heard(model, ask("scripted/long")))[1].finish == "length"


@pytest.mark.parametrize(
    ("name", "kind", "again", "says"),
    [
        ("unauthorized", errors.ModelKeyRefused, False, "OPENAI_API_KEY"),
        ("busy", errors.ModelBusy, True, "Wait 7 s"),
        ("unpaid", errors.ModelBusy, False, "credit"),
        ("unknown", errors.ModelUnknown, False, "/v1"),
        ("broken", errors.ModelUnreachable, True, "HTTP 500"),
        ("overloaded", errors.ModelBusy, True, "Wait a little"),
        ("overlong", errors.ModelTooLong, False, "4096"),
        ("picky", errors.ModelRejected, False, "response_format"),
        ("page", errors.ModelUnreachable, False, "/v1"),
    ],
)
async def test_a_server_that_does_not_answer_as_it_should(
    model: ChildModel, server: Server, name: str, kind: type[ModelError], again: bool, says: str
) -> None:
    words, error = await broken(model, ask(f"openai/{name}", api_base=server.address))
    assert not words
    assert type(error) is kind
    assert error.is_retryable is again
    assert says in str(error)
    assert len(server.asked) == 1  # not one retry below us
    assert "litellm" not in str(error).lower()
    if name == "busy":
        assert isinstance(error, ModelBusy)
        assert error.retry_after == 7.0


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("unauthorized", errors.ModelKeyRefused, "key"),
        ("busy", errors.ModelBusy, "Wait 7 s"),
        ("overlong", errors.ModelTooLong, "8192"),
        ("refusing", errors.ModelRefused, "declined"),
    ],
)
async def test_a_provider_that_fails(model: ChildModel, name: str, kind: type[ModelError], says: str) -> None:
    words, error = await broken(model, ask(f"scripted/{name}"))
    assert not words
    assert type(error) is kind
    assert says in str(error)
    assert "sk-planted" not in str(error)


async def test_nobody_there_and_somebody_else_there(model: ChildModel) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    other = await asyncio.start_server(greet, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}/v1"
    _, error = await broken(model, ask("openai/x", api_base=address))
    assert isinstance(error, errors.ModelUnreachable)
    assert "no model server" in error.what
    other.close()
    _, error = await broken(model, ask("openai/x", api_base=address))
    assert isinstance(error, errors.ModelUnreachable)
    assert error.what == f"Nobody answers at {address}."


async def test_a_name_that_nobody_goes_by(model: ChildModel) -> None:
    _, error = await broken(model, ask("antropic/claude-haiku-4-5"))
    assert isinstance(error, errors.ModelUnknown)
    assert "anthropic/claude-haiku-4-5" in error.todo
    with pytest.raises(errors.ModelUnknown):
        await model.read_facts("blah")


async def test_no_key_is_said_before_anything_is_sent(model: ChildModel) -> None:
    _, error = await broken(model, ask("anthropic/claude-haiku-4-5"))
    assert isinstance(error, errors.ModelKeyRefused)
    assert "ANTHROPIC_API_KEY" in error.todo


async def test_words_that_came_are_kept_when_the_rest_does_not(model: ChildModel, server: Server) -> None:
    for words, error in (
        await broken(model, ask("openai/cut", api_base=server.address)),
        await broken(model, ask("openai/silent", api_base=server.address, seconds=1.0)),
    ):
        assert words == "".join(WORDS)
        assert type(error) is ModelCut
    words, error = await broken(model, ask("scripted/cut"))
    assert words == "It begins "
    assert type(error) is ModelCut


async def test_silence_ends_in_time(model: ChildModel, server: Server) -> None:
    _, error = await broken(model, ask("scripted/slow", seconds=0.5))
    assert type(error) is ModelCut
    assert "0.5 s" in error.what


async def test_a_server_that_never_stops_is_stopped(model: ChildModel, server: Server) -> None:
    words, error = await broken(model, ask("openai/endless", api_base=server.address, max_tokens=10))
    assert type(error) is ModelCut
    assert len(words) < 10_000
    await asyncio.wait_for(server.left.wait(), 10)


async def test_closing_the_stream_hangs_up(model: ChildModel, server: Server) -> None:
    async with aclosing(model.stream(ask("openai/silent", api_base=server.address))) as stream:
        assert await anext(stream) == TextChunk(WORDS[0])
        assert not server.left.is_set()
    await asyncio.wait_for(server.left.wait(), 10)


async def test_cancelling_who_listens_hangs_up(model: ChildModel, server: Server) -> None:
    first = asyncio.Event()

    async def listen() -> None:
        async for _ in model.stream(ask("openai/silent", api_base=server.address)):
            first.set()

    task = asyncio.create_task(listen())
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.left.wait(), 10)


async def test_many_at_once_do_not_mix(model: ChildModel, server: Server) -> None:
    good = (heard(model, ask("openai/x", api_base=server.address)) for _ in range(8))
    bad = (broken(model, ask("openai/busy", api_base=server.address)) for _ in range(4))
    told, failed = await asyncio.gather(asyncio.gather(*good), asyncio.gather(*bad))
    assert {words for words, _ in told} == {"".join(WORDS)}
    assert {type(error) for _, error in failed} == {ModelBusy}


async def test_hostile_words_arrive_as_words(model: ChildModel, server: Server) -> None:
    """Whole, in order and valid: what is not for the screen is taken out where text enters the log."""
    words, _ = await heard(model, ask("scripted/hostile", max_tokens=2_000))
    assert words == HOSTILE.replace("\ud800", "?")
    words, _ = await heard(model, ask("openai/escapes", api_base=server.address))
    assert words.startswith("\x1b[31mred\x00")
    words.encode()


async def test_what_a_library_prints_spoils_nothing(model: ChildModel) -> None:
    assert (await heard(model, ask("scripted/noisy")))[0] == "".join(WORDS)


async def test_a_shape_by_schema(model: ChildModel, server: Server) -> None:
    shaped = ask("openai/schema", api_base=server.address, shape=AnswerSchema("mood", MOOD))
    assert (await heard(model, shaped))[0] == '{"mood": "calm"}'
    sent = server.asked[-1]["response_format"]["json_schema"]
    assert (sent["name"], sent["schema"]) == ("mood", MOOD)


async def test_a_shape_by_tools(model: ChildModel, server: Server) -> None:
    shaped = ask("openai/tools", api_base=server.address, shape=AnswerSchema("mood", MOOD, mode="tools"))
    assert (await heard(model, shaped))[0] == '{"mood": "calm"}'
    sent = server.asked[-1]
    assert sent["tools"][0]["function"]["parameters"] == MOOD
    assert sent["tool_choice"]["function"]["name"] == "mood"
    # A small model writes the call as text: then that is what we get.
    shaped = ask("openai/schema", api_base=server.address, shape=AnswerSchema("mood", MOOD, mode="tools"))
    assert (await heard(model, shaped))[0] == '{"mood": "calm"}'


async def test_an_empty_answer_is_one(model: ChildModel, server: Server) -> None:
    assert (await heard(model, ask("openai/mute", api_base=server.address)))[0] == ""


async def test_what_is_known_without_asking(model: ChildModel) -> None:
    facts = await model.read_facts("openai/gpt-4o-mini")
    assert (facts.window, facts.takes_schema, facts.in_per_million) == (128_000, True, 0.15)
    facts = await model.read_facts("openai/my-own")
    assert (facts.window, facts.in_per_million) == (None, None)
    assert facts.takes_schema
    assert await model.count_tokens("openai/gpt-4o", ("hello world", "")) == ((2, 0), True)
    numbers, exact = await model.count_tokens("ollama/anything", ("hello world", "<|endoftext|>"))
    assert numbers[0] == 2
    assert not exact


async def test_a_key_goes_to_nobody_in_the_clear(model: ChildModel, server: Server) -> None:
    """A machine in the open network, by its name's looks, is refused the key without https."""
    await model.send_keys({"OPENAI_API_KEY": KEY})
    _, error = await broken(model, ask("openai/x", api_base="http://models.example.invalid/v1"))
    assert isinstance(error, errors.ModelUnreachable)
    assert "cannot be found" in error.what


async def test_a_key_handed_over_is_used_from_then_on(model: ChildModel, server: Server) -> None:
    await model.send_keys({"OPENAI_API_KEY": "another-key-7654321"})
    await heard(model, ask("openai/x", api_base=server.address))
    assert server.headers["authorization"] == "Bearer another-key-7654321"
    await model.send_keys({"OPENAI_API_KEY": KEY})


async def test_texts_become_vectors_in_their_order(model: ChildModel) -> None:
    vectors, usage = await model.embed(EmbeddingRequest("scripted/good", ("a", "bbb", "\ud800 half a pair")))
    assert [tuple(vector) for vector in vectors] == [(1.0, 0.5), (3.0, 0.5), (13.0, 0.5)]
    assert (usage.tokens_in, usage.counted, usage.cost.known) == (7, True, False)


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [("unauthorized", errors.ModelKeyRefused), ("busy", ModelBusy), ("few", errors.ModelRejected)],
)
async def test_vectors_that_cannot_be_had_are_told(
    model: ChildModel, behaviour: str, kind: type[ModelError]
) -> None:
    with pytest.raises(kind) as caught:
        await model.embed(EmbeddingRequest(f"scripted/{behaviour}", ("a", "b")))
    assert "sk-planted" not in str(caught.value)


async def test_no_provider_goes_by_the_name_of_an_embedding_model(model: ChildModel) -> None:
    with pytest.raises(errors.ModelUnknown):
        await model.embed(EmbeddingRequest("nobody-knows-this/model", ("a",)))


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
async def test_a_child_that_ended_is_started_anew_and_leaves_no_zombie(model: ChildModel) -> None:
    """Last: it ends the child that the others share."""
    async with aclosing(model.stream(ask("scripted/slow"))) as waiting:
        await anext(waiting)
        words, error = await broken(model, ask("scripted/dies"))
        assert words == "It begins "
        assert type(error) is ModelCut
        with pytest.raises(ModelCut):
            await anext(waiting)
    assert (await heard(model, ask("scripted/good")))[0] == "".join(WORDS)
    await model.close()
    assert not _children()
    with pytest.raises(errors.ModelUnreachable):
        await model.warm()


def _children() -> list[str]:
    """Processes of ours, dead ones that nobody waited for too."""
    me = f"PPid:\t{os.getpid()}\n"
    return [path.name for path in Path("/proc").glob("[0-9]*") if me in _read(path / "status")]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
