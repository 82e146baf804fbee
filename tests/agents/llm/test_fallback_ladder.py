"""Tests of structured answers: which step of the fallback ladder answers, its cost, and any input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from agents.llm.answer_parsing import answer_schema, find_json_answer, parse_plain_answer
from agents.llm.errors import ModelBusy, ModelError, ModelRejected
from agents.llm.fallback_ladder import FallbackOutcome, ask_with_fallbacks
from agents.llm.llm_port import LlmRequest, Message, ModelFacts, Usage
from agents.personas.outputs import OUTPUTS, Chronicle, CitedAnswer, Critique, Plan, Routing, routing_model
from stores.records.llm import FallbackStep, Money

PLAN = {"beats": ["The bell rings.", "Tam turns."], "assumptions": ["It is dark."]}
REQUEST = LlmRequest("m", (Message("system", "Plan."), Message("user", "I knock.")), max_tokens=200)
ALL_MODES = ModelFacts("m", takes_schema=True, takes_tools=True)
TEXT_ONLY = ModelFacts("m")
USAGE = Usage(tokens_in=10, tokens_out=5, counted=True, cost=Money(micros=7))


class FakeSender:
    """Answers in order and records the requests."""

    def __init__(self, *answers: str | ModelError, finish: str = "stop") -> None:
        self._answers = list(answers)
        self._finish = finish
        self.requests: list[LlmRequest] = []

    async def __call__(self, request: LlmRequest) -> tuple[str, Usage]:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return answer, Usage(**{**{f: getattr(USAGE, f) for f in USAGE.__slots__}, "finish": self._finish})

    def request_modes(self) -> list[str]:
        return [request.shape.mode if request.shape else "words" for request in self.requests]


async def run_ladder(
    sender: FakeSender, facts: ModelFacts = ALL_MODES, output_type: type[Any] = Plan
) -> FallbackOutcome[Any]:
    return await ask_with_fallbacks(sender, REQUEST, output_type, facts)


# --- the steps ----------------------------------------------------------------------------------------


async def test_fallback_ladder_asks_by_schema_first_in_one_call() -> None:
    sender = FakeSender(json.dumps(PLAN))
    outcome = await run_ladder(sender)
    assert outcome.value == Plan.model_validate(PLAN)
    assert (outcome.fallback_step, outcome.tries, sender.request_modes()) == (
        FallbackStep.SCHEMA,
        1,
        ["schema"],
    )
    assert outcome.usage.cost == Money(micros=7)


async def test_fallback_ladder_asks_by_tool_then_in_words() -> None:
    sender = FakeSender(json.dumps(PLAN))
    outcome = await run_ladder(sender, ModelFacts("m", takes_tools=True))
    assert (outcome.fallback_step, sender.request_modes()) == (FallbackStep.TOOLS, ["tools"])
    sender = FakeSender(json.dumps(PLAN))
    outcome = await run_ladder(sender, TEXT_ONLY)
    assert (outcome.fallback_step, sender.request_modes()) == (FallbackStep.TEXT, ["words"])
    assert '"beats"' in sender.requests[0].messages[-1].text


@pytest.mark.parametrize(
    "answer",
    [
        f"Here is the plan:\n```json\n{json.dumps(PLAN, indent=1)}\n```\nI hope it helps!",
        f"<think>a {{draft}}</think>{json.dumps(PLAN)} and that is all.",
        "{'beats': ['The bell rings.', 'Tam turns.'], 'assumptions': ['It is dark.',]}",
        '{"beats": ["The bell rings.", "Tam turns."], "assumptions": ["It is dark."',
        'Sure! {"Beats": "- The bell rings.\\n- Tam turns.", "assumptions": "It is dark.", "mood": 3}',
        f"[{json.dumps(PLAN)}]",
    ],
)
async def test_fallback_ladder_finds_json_in_text_without_second_call(answer: str) -> None:
    sender = FakeSender(answer)
    outcome = await run_ladder(sender)
    assert outcome.value == Plan.model_validate(PLAN)
    assert outcome.tries == 1
    assert outcome.fallback_step in (FallbackStep.TEXT, FallbackStep.SCHEMA)


async def test_fallback_ladder_limited_to_one_answer_asks_again_only_if_rejected() -> None:
    sender = FakeSender("I would ring the bell.", json.dumps(PLAN))
    outcome = await ask_with_fallbacks(sender, REQUEST, Plan, ALL_MODES, max_answers=1)
    assert (outcome.value, outcome.tries, len(sender.requests)) == (None, 1, 1)
    assert outcome.answer == "I would ring the bell."


async def test_fallback_ladder_notes_answer_that_was_cut_off() -> None:
    outcome = await run_ladder(FakeSender('{"beats": ["The bell rings.", "Tam tu', finish="length"))
    assert outcome.value == Plan(beats=("The bell rings.", "Tam tu"))
    assert "cut off" in outcome.note


async def test_fallback_ladder_bills_both_requests() -> None:
    sender = FakeSender("I would ring the bell.", json.dumps(PLAN))
    outcome = await run_ladder(sender)
    assert (outcome.fallback_step, outcome.tries, sender.request_modes()) == (
        FallbackStep.TOOLS,
        2,
        ["schema", "tools"],
    )
    assert outcome.usage.cost == Money(micros=14)
    assert outcome.usage.tokens_in == 20


async def test_fallback_ladder_ends_with_plain_words_or_nothing() -> None:
    outcome = await run_ladder(FakeSender("Well:\n1. The bell rings.\n2. Tam turns.", "No idea."))
    assert (outcome.fallback_step, outcome.value) == (
        FallbackStep.HEURISTICS,
        Plan(beats=("The bell rings.", "Tam turns.")),
    )
    outcome = await run_ladder(FakeSender("No idea.", "None at all."))
    assert (outcome.fallback_step, outcome.value, outcome.tries, outcome.answer) == (
        FallbackStep.NONE,
        None,
        2,
        "None at all.",
    )
    assert "No structured answer" in outcome.note


@pytest.mark.parametrize(
    "cut",
    [
        '{\n  "here": [\n    "The Abbey",\n    "The world",',
        'Here it is:\n```json\n{"came": ["- The crypt"',
    ],
)
def test_json_that_ends_too_early_is_no_plain_words(cut: str) -> None:
    """As a small model wrote it: the record of the scene would have begun with a brace."""
    assert parse_plain_answer(cut, Chronicle) is None
    assert parse_plain_answer("The crypt {dark} is empty.", Chronicle) is not None


async def test_fallback_ladder_asks_in_words_after_rejected_schema() -> None:
    sender = FakeSender(ModelRejected("It takes no schema."), json.dumps(PLAN))
    outcome = await run_ladder(sender)
    assert (outcome.fallback_step, sender.request_modes()) == (FallbackStep.TEXT, ["schema", "words"])
    assert "takes no schema" in outcome.note


async def test_fallback_ladder_raises_error_unless_something_was_answered() -> None:
    with pytest.raises(ModelBusy):
        await run_ladder(FakeSender(ModelBusy("Busy.")))
    with pytest.raises(ModelRejected):
        await run_ladder(FakeSender(ModelRejected("No."), ModelRejected("No.")))
    outcome = await run_ladder(FakeSender("- The bell rings.", ModelBusy("Busy.")))
    assert (outcome.fallback_step, outcome.value) == (
        FallbackStep.HEURISTICS,
        Plan(beats=("The bell rings.",)),
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=200), min_size=2, max_size=2), st.booleans(), st.booleans())
async def test_fallback_ladder_never_sends_more_than_two_requests(
    answers: list[str], schema: bool, tools: bool
) -> None:
    sender = FakeSender(*answers)
    outcome = await run_ladder(sender, ModelFacts("m", takes_schema=schema, takes_tools=tools))
    assert len(sender.requests) == outcome.tries <= 2


# --- any text -------------------------------------------------------------------------------------------

NAMES = sorted({n for model in OUTPUTS.values() for n in model.model_fields} | {"kind", "subject", "quote"})
JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=8)
    ),
    max_leaves=30,
)


def is_within_bounds(value: BaseModel) -> bool:
    """Return whether the value stays valid when it is written and read again."""
    return type(value).model_validate_json(value.model_dump_json()) == value


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=500) | st.text(alphabet="{}[]\",':\\ \n`abjson0.-", max_size=300))
def test_answer_parsing_survives_any_text(text: str) -> None:
    for model in OUTPUTS.values():
        value = find_json_answer(text, model)
        assert value is None or is_within_bounds(value)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(JSONISH, st.sampled_from([*OUTPUTS.values()]), st.integers(0, 400))
def test_answer_parsing_survives_json_cut_anywhere(data: object, model: type[BaseModel], cut: int) -> None:
    text = json.dumps(data)
    for part in (text, text[:cut], f"```\n{text}\n```", f"Sure: {text[cut:]}"):
        value = find_json_answer(part, model)
        assert value is None or is_within_bounds(value)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 50_000,
        '{"' * 20_000,
        "[" * 50_000,
        '{"a":' * 9_000,
        "```json\n" * 5_000,
        '{"x":"' + "\\" * 30_000,
    ],
)
@pytest.mark.timeout(15)
def test_answer_parsing_does_not_hang_on_hostile_answer(text: str) -> None:
    """A full repair of the second one took 20 s, and longer ones far longer."""
    assert find_json_answer(text, Chronicle) is None


# --- corrections ------------------------------------------------------------------------------------------


def test_answer_parsing_clips_long_values_and_drops_unknown_fields() -> None:
    data = {
        "summary": "x" * 900,
        "changes": [
            {"kind": "Said", "subject": "Tam" * 90, "quote": "it rings", "weight": 0.8, "mood": "x"},
            {"kind": "prophecy", "subject": "Tam", "quote": "it rings"},
            {"kind": "died", "subject": "Tam"},
            *(
                {"kind": "met", "subject": "Tam", "quote": "it rings", "weight": "about 140 %"}
                for _ in range(20)
            ),
        ],
    }
    value = find_json_answer(json.dumps(data), Chronicle)
    assert value is not None
    assert len(value.summary) == 300
    assert [c.kind for c in value.changes] == ["said", *["met"] * 7]
    assert value.changes[0].weight == 80
    assert value.changes[1].weight == 100
    assert len(value.changes[0].subject) == 80


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ('{"unknown": "yes", "sentences": []}', True),
        ('{"unknown": 0, "sentences": [{"text": "She left.", "cites": [1, 1e999, NaN]}]}', False),
        ('{"Unknown": false, "sentences": [{"text": "She left.", "cites": ["2"]}]}', False),
    ],
)
def test_answer_parsing_reads_booleans_and_numbers_in_many_forms(text: str, unknown: bool) -> None:
    value = find_json_answer(text, CitedAnswer)
    assert value is not None
    assert value.unknown is unknown
    assert all(0 <= number <= 100 for sentence in value.sentences for number in sentence.cites)


def test_answer_parsing_removes_repeated_entries() -> None:
    value = find_json_answer('{"beats": ["Rain.", "Rain.", "Rain.", "A door.", "Rain.", "Tam."]}', Plan)
    assert value == Plan(beats=("Rain.", "A door.", "Tam."))


def test_answer_parsing_rejects_object_without_known_fields() -> None:
    assert find_json_answer('{"error": "rate limit"}', Critique) is None
    assert find_json_answer("{}", Chronicle) is None


def test_answer_parsing_routing_accepts_only_existing_commands() -> None:
    output_type = routing_model(frozenset({"list", "show", "end"}))
    value = find_json_answer('{"mode": "operation", "command": "/Show", "argument": "Mara"}', output_type)
    assert isinstance(value, Routing)
    assert (value.mode, value.command) == ("operation", "show")
    hostile = find_json_answer('{"mode": "operation", "command": "rm -rf", "argument": "/"}', output_type)
    assert hostile is not None
    assert hostile.command == "none"
    shape = answer_schema(output_type, "schema").schema
    assert shape["properties"]["command"]["enum"] == ["none", "end", "list", "show"]


@pytest.mark.parametrize("model", OUTPUTS.values())
def test_answer_schema_is_closed_and_bounded(model: type[BaseModel]) -> None:
    def walk(schema: dict[str, Any]) -> None:
        kind = schema.get("type")
        if kind == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
        if kind == "string" and "enum" not in schema and "const" not in schema:
            assert "maxLength" in schema
        if kind == "integer":
            assert -1_000_000 <= schema["minimum"] < schema["maximum"] <= 1_000_000
        if kind == "array":
            assert "maxItems" in schema
            walk(schema["items"])
        assert kind != "number"
        for field in (*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()):
            walk(field)

    walk(dict(answer_schema(model, "schema").schema))
