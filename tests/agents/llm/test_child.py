"""Tests of the model through the real child process and real LiteLLM: every way a call can end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agents.llm import errors
from agents.llm.child_client import ChildModel
from agents.llm.errors import ModelBusy, ModelCut, ModelError
from agents.llm.llm_port import AnswerSchema, EmbeddingRequest, LlmRequest, Message, TextChunk, Usage
from agents.llm.trusted_addresses import TRUST_VARIABLE
from tests.agents.llm.behaviours import HOSTILE
from tests.agents.llm.server import WORDS, FakeModelServer, serve_fake_model

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("the model's child"),
    pytest.mark.slow,
]

KEY = "planted-key-1234567"
MOOD = {"type": "object", "properties": {"mood": {"type": "string", "maxLength": 9}}, "required": ["mood"]}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def model() -> AsyncIterator[ChildModel]:
    """One child process for all tests, because its start takes seconds."""

    async def keys() -> dict[str, str]:
        return {"OPENAI_API_KEY": KEY}

    model = ChildModel(keys, provider="tests.agents.llm.provider:provider")
    yield model
    await model.close()


@pytest_asyncio.fixture(loop_scope="module")
async def server(model: ChildModel) -> AsyncIterator[FakeModelServer]:
    """A server whose address the user entered."""
    async with serve_fake_model() as server:
        await model.warm()
        await model.send_keys({TRUST_VARIABLE: server.address.removesuffix("/v1")})
        yield server


def request_for(model: str, **fields: Any) -> LlmRequest:
    request_fields = {"max_tokens": 100, "seconds": 20.0, **fields}
    return LlmRequest(
        model,
        (Message("system", "You are the narrator."), Message("user", "I open the door.")),
        **request_fields,
    )


async def collect_answer(model: ChildModel, request: LlmRequest) -> tuple[str, Usage]:
    parts = [part async for part in model.stream(request)]
    assert isinstance(parts[-1], Usage)
    return "".join(part.text for part in parts[:-1] if isinstance(part, TextChunk)), parts[-1]


async def collect_failure(model: ChildModel, request: LlmRequest) -> tuple[str, ModelError]:
    """Return the text that arrived, and the error that ended it."""
    words, failure = "", None
    try:
        async for part in model.stream(request):
            words += part.text if isinstance(part, TextChunk) else ""
    except ModelError as error:
        failure = error
    assert failure is not None
    assert failure.what
    assert KEY not in str(failure)
    assert "\n" not in str(failure)
    return words, failure


async def test_child_streams_text_and_usage(model: ChildModel, server: FakeModelServer) -> None:
    words, usage = await collect_answer(
        model, request_for("openai/gpt-4o-mini", api_base=server.address, seed=7)
    )
    assert words == "".join(WORDS)
    assert (usage.tokens_in, usage.tokens_out, usage.tokens_cached) == (20, 3, 16)
    assert usage.counted
    assert usage.finish == "stop"
    # 4 tokens at 0.15, 16 cached ones at 0.075, 3 at 0.60 dollars a million
    assert usage.cost.known
    assert usage.cost.micros == round(4 * 0.15 + 16 * 0.075 + 3 * 0.60)
    (sent,) = server.requests
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["seed"], sent["max_tokens"], sent["temperature"]) == (7, 100, 0.7)
    assert server.headers["authorization"] == f"Bearer {KEY}"


async def test_child_shows_pictures_as_data(model: ChildModel, server: FakeModelServer) -> None:
    request = request_for("openai/gpt-4o-mini", api_base=server.address)
    system, user = request.messages
    await collect_answer(
        model, replace(request, messages=(system, replace(user, pictures=("iVBORw0KGgo=",))))
    )
    (sent,) = server.requests
    assert sent["messages"][0]["content"] == system.text
    assert sent["messages"][1]["content"] == [
        {"type": "text", "text": user.text},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]


async def test_child_counts_tokens_itself_and_leaves_unknown_price(
    model: ChildModel, server: FakeModelServer
) -> None:
    _, usage = await collect_answer(model, request_for("openai/uncounted", api_base=server.address))
    assert not usage.counted
    assert usage.tokens_in > 5
    assert usage.tokens_out == 4
    assert not usage.cost.known


async def test_child_reports_answer_cut_by_length(model: ChildModel, server: FakeModelServer) -> None:
    assert (await collect_answer(model, request_for("openai/long", api_base=server.address)))[
        1
    ].finish == "length"
    assert (await collect_answer(model, request_for("scripted/long")))[1].finish == "length"


@pytest.mark.parametrize(
    ("name", "error_type", "is_retryable", "message"),
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
async def test_child_errors_of_misbehaving_server(
    model: ChildModel,
    server: FakeModelServer,
    name: str,
    error_type: type[ModelError],
    is_retryable: bool,
    message: str,
) -> None:
    words, error = await collect_failure(model, request_for(f"openai/{name}", api_base=server.address))
    assert not words
    assert type(error) is error_type
    assert error.is_retryable is is_retryable
    assert message in str(error)
    assert len(server.requests) == 1  # LiteLLM retries nothing itself
    assert "litellm" not in str(error).lower()
    if name == "busy":
        assert isinstance(error, ModelBusy)
        assert error.retry_after == 7.0


@pytest.mark.parametrize(
    ("name", "error_type", "message"),
    [
        ("unauthorized", errors.ModelKeyRefused, "key"),
        ("busy", errors.ModelBusy, "Wait 7 s"),
        ("overlong", errors.ModelTooLong, "8192"),
        ("refusing", errors.ModelRefused, "declined"),
    ],
)
async def test_child_errors_of_failing_provider(
    model: ChildModel, name: str, error_type: type[ModelError], message: str
) -> None:
    words, error = await collect_failure(model, request_for(f"scripted/{name}"))
    assert not words
    assert type(error) is error_type
    assert message in str(error)
    assert "sk-planted" not in str(error)


async def test_child_errors_of_unreachable_and_wrong_server(model: ChildModel) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    tcp_server = await asyncio.start_server(greet, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{tcp_server.sockets[0].getsockname()[1]}/v1"
    _, error = await collect_failure(model, request_for("openai/x", api_base=address))
    assert isinstance(error, errors.ModelUnreachable)
    assert "no model server" in error.what
    tcp_server.close()
    _, error = await collect_failure(model, request_for("openai/x", api_base=address))
    assert isinstance(error, errors.ModelUnreachable)
    assert error.what == f"Nobody answers at {address}."


async def test_child_unknown_model_suggests_names(model: ChildModel) -> None:
    _, error = await collect_failure(model, request_for("antropic/claude-haiku-4-5"))
    assert isinstance(error, errors.ModelUnknown)
    assert "anthropic/claude-haiku-4-5" in error.todo
    with pytest.raises(errors.ModelUnknown):
        await model.read_facts("blah")


async def test_child_missing_key_is_reported_before_sending(model: ChildModel) -> None:
    _, error = await collect_failure(model, request_for("anthropic/claude-haiku-4-5"))
    assert isinstance(error, errors.ModelKeyRefused)
    assert "ANTHROPIC_API_KEY" in error.todo


async def test_child_keeps_text_when_stream_breaks(model: ChildModel, server: FakeModelServer) -> None:
    for words, error in (
        await collect_failure(model, request_for("openai/cut", api_base=server.address)),
        await collect_failure(model, request_for("openai/silent", api_base=server.address, seconds=1.0)),
    ):
        assert words == "".join(WORDS)
        assert type(error) is ModelCut
    words, error = await collect_failure(model, request_for("scripted/cut"))
    assert words == "It begins "
    assert type(error) is ModelCut


async def test_child_silence_ends_in_timeout(model: ChildModel, server: FakeModelServer) -> None:
    _, error = await collect_failure(model, request_for("scripted/slow", seconds=0.5))
    assert type(error) is ModelCut
    assert "0.5 s" in error.what


async def test_child_stops_endless_server(model: ChildModel, server: FakeModelServer) -> None:
    words, error = await collect_failure(
        model, request_for("openai/endless", api_base=server.address, max_tokens=10)
    )
    assert type(error) is ModelCut
    assert len(words) < 10_000
    await asyncio.wait_for(server.client_left.wait(), 60)


async def test_child_closing_stream_closes_connection(model: ChildModel, server: FakeModelServer) -> None:
    async with aclosing(model.stream(request_for("openai/silent", api_base=server.address))) as stream:
        assert await anext(stream) == TextChunk(WORDS[0])
        assert not server.client_left.is_set()
    await asyncio.wait_for(server.client_left.wait(), 60)


async def test_child_cancelling_listener_closes_connection(
    model: ChildModel, server: FakeModelServer
) -> None:
    first = asyncio.Event()

    async def listen() -> None:
        async for _ in model.stream(request_for("openai/silent", api_base=server.address)):
            first.set()

    task = asyncio.create_task(listen())
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.client_left.wait(), 60)


async def test_child_concurrent_streams_do_not_mix(model: ChildModel, server: FakeModelServer) -> None:
    good_calls = (collect_answer(model, request_for("openai/x", api_base=server.address)) for _ in range(8))
    failing_calls = (
        collect_failure(model, request_for("openai/busy", api_base=server.address)) for _ in range(4)
    )
    answers, failures = await asyncio.gather(asyncio.gather(*good_calls), asyncio.gather(*failing_calls))
    assert {words for words, _ in answers} == {"".join(WORDS)}
    assert {type(error) for _, error in failures} == {ModelBusy}


async def test_child_hostile_text_arrives_as_text(model: ChildModel, server: FakeModelServer) -> None:
    """It arrives complete, in order and valid; control characters are removed where text enters the log."""
    words, _ = await collect_answer(model, request_for("scripted/hostile", max_tokens=2_000))
    assert words == HOSTILE.replace("\ud800", "?")
    words, _ = await collect_answer(model, request_for("openai/escapes", api_base=server.address))
    assert words.startswith("\x1b[31mred\x00")
    words.encode()


async def test_child_ignores_what_libraries_print(model: ChildModel) -> None:
    assert (await collect_answer(model, request_for("scripted/noisy")))[0] == "".join(WORDS)


async def test_child_structured_answer_by_schema(model: ChildModel, server: FakeModelServer) -> None:
    request = request_for("openai/schema", api_base=server.address, shape=AnswerSchema("mood", MOOD))
    assert (await collect_answer(model, request))[0] == '{"mood": "calm"}'
    sent = server.requests[-1]["response_format"]["json_schema"]
    assert (sent["name"], sent["schema"]) == ("mood", MOOD)


async def test_child_structured_answer_by_tools(model: ChildModel, server: FakeModelServer) -> None:
    request = request_for(
        "openai/tools", api_base=server.address, shape=AnswerSchema("mood", MOOD, mode="tools")
    )
    assert (await collect_answer(model, request))[0] == '{"mood": "calm"}'
    sent = server.requests[-1]
    assert sent["tools"][0]["function"]["parameters"] == MOOD
    assert sent["tool_choice"]["function"]["name"] == "mood"
    # A small model may write the call as text, which is returned as it is.
    request = request_for(
        "openai/schema", api_base=server.address, shape=AnswerSchema("mood", MOOD, mode="tools")
    )
    assert (await collect_answer(model, request))[0] == '{"mood": "calm"}'


async def test_child_empty_answer_is_an_answer(model: ChildModel, server: FakeModelServer) -> None:
    assert (await collect_answer(model, request_for("openai/mute", api_base=server.address)))[0] == ""


async def test_child_reads_model_facts_without_request(model: ChildModel) -> None:
    facts = await model.read_facts("openai/gpt-4o-mini")
    assert (facts.window, facts.takes_schema, facts.in_per_million) == (128_000, True, 0.15)
    facts = await model.read_facts("openai/my-own")
    assert (facts.window, facts.in_per_million) == (None, None)
    assert facts.takes_schema
    assert await model.count_tokens("openai/gpt-4o", ("hello world", "")) == ((2, 0), True)
    numbers, exact = await model.count_tokens("ollama/anything", ("hello world", "<|endoftext|>"))
    assert numbers[0] == 2
    assert not exact


async def test_child_sends_no_key_unencrypted(model: ChildModel, server: FakeModelServer) -> None:
    """A server whose name is not a local one gets no key without https."""
    await model.send_keys({"OPENAI_API_KEY": KEY})
    _, error = await collect_failure(
        model, request_for("openai/x", api_base="http://models.example.invalid/v1")
    )
    assert isinstance(error, errors.ModelUnreachable)
    assert "cannot be found" in error.what


async def test_child_uses_key_sent_later(model: ChildModel, server: FakeModelServer) -> None:
    await model.send_keys({"OPENAI_API_KEY": "another-key-7654321"})
    await collect_answer(model, request_for("openai/x", api_base=server.address))
    assert server.headers["authorization"] == "Bearer another-key-7654321"
    await model.send_keys({"OPENAI_API_KEY": KEY})


async def test_child_embeds_texts_in_order(model: ChildModel) -> None:
    vectors, usage = await model.embed(EmbeddingRequest("scripted/good", ("a", "bbb", "\ud800 half a pair")))
    assert [tuple(vector) for vector in vectors] == [(1.0, 0.5), (3.0, 0.5), (13.0, 0.5)]
    assert (usage.tokens_in, usage.counted, usage.cost.known) == (7, True, False)


@pytest.mark.parametrize(
    ("behaviour", "error_type"),
    [("unauthorized", errors.ModelKeyRefused), ("busy", ModelBusy), ("few", errors.ModelRejected)],
)
async def test_child_reports_embedding_errors(
    model: ChildModel, behaviour: str, error_type: type[ModelError]
) -> None:
    with pytest.raises(error_type) as error:
        await model.embed(EmbeddingRequest(f"scripted/{behaviour}", ("a", "b")))
    assert "sk-planted" not in str(error.value)


async def test_child_rejects_unknown_embedding_model(model: ChildModel) -> None:
    with pytest.raises(errors.ModelUnknown):
        await model.embed(EmbeddingRequest("nobody-knows-this/model", ("a",)))


async def test_key_is_not_sent_to_an_address_that_the_user_did_not_enter(
    model: ChildModel, server: FakeModelServer
) -> None:
    async with serve_fake_model() as other_server:
        await collect_answer(model, request_for("openai/gpt-4o-mini", api_base=other_server.address))
        assert KEY not in other_server.headers["authorization"]
        with pytest.raises(errors.ModelKeyRefused, match="Yours was not sent") as refusal:
            await collect_answer(model, request_for("openai/unauthorized", api_base=other_server.address))
    assert f"monitor model trust {other_server.address}" in refusal.value.todo


async def test_key_that_a_server_sends_back_is_masked_in_the_text(
    model: ChildModel, server: FakeModelServer
) -> None:
    text, _ = await collect_answer(model, request_for("openai/echo", api_base=server.address))
    assert text == "Your key is ***. Keep it."


async def test_prompt_does_not_follow_a_redirect_to_another_server(
    model: ChildModel, server: FakeModelServer
) -> None:
    async with serve_fake_model() as other_server:
        server.redirect_to = other_server.address
        with pytest.raises(errors.ModelUnreachable, match="no prompt follows to another server"):
            await collect_answer(model, request_for("openai/redirect", api_base=server.address))
        assert other_server.requests == []


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
async def test_child_is_restarted_after_its_end_without_zombie(model: ChildModel) -> None:
    """The last test, because it ends the child that the others share."""
    async with aclosing(model.stream(request_for("scripted/slow"))) as open_stream:
        await anext(open_stream)
        words, error = await collect_failure(model, request_for("scripted/dies"))
        assert words == "It begins "
        assert type(error) is ModelCut
        with pytest.raises(ModelCut):
            await anext(open_stream)
    assert (await collect_answer(model, request_for("scripted/good")))[0] == "".join(WORDS)
    await model.close()
    assert not _children()
    with pytest.raises(errors.ModelUnreachable):
        await model.warm()


def _children() -> list[str]:
    """Return our child processes, including zombies."""
    parent_line = f"PPid:\t{os.getpid()}\n"
    return [path.name for path in Path("/proc").glob("[0-9]*") if parent_line in _read(path / "status")]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
