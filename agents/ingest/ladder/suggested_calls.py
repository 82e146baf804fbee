"""Finds the tool calls that a model wrote into its words, as JSON that may be broken. Pure.

Models write them in many forms: an object with a field a tool, a call with a name and arguments (under the words of
several providers), lists of these, arguments that are JSON in a string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agents.ingest.findings import Finding
from agents.ingest.ladder.tool_calls import (
    ARGUMENT_TYPES,
    ChunkToolCalls,
    ToolCall,
    ToolName,
    finding_of_argument,
    order_tool_calls,
)
from agents.llm.answer_parsing import find_json_blocks, fit_to_model
from stores.records.sources import LadderStage

MAX_DEPTH: Final = 6
"""Wrappers around a call that are looked into."""

_NAME_KEYS: Final = ("tool", "name", "tool_name", "function", "action")
_ARGUMENT_KEYS: Final = ("arguments", "parameters", "params", "args", "input", "action_input")

_SINGULARS: Final = {
    "add_observation": ToolName.ADD_OBSERVATIONS,
    "create_entity": ToolName.CREATE_ENTITIES,
    "state_fact": ToolName.STATE_FACTS,
    "state_rule": ToolName.STATE_RULES,
    "add_table": ToolName.ADD_TABLES,
    "create_relation": ToolName.CREATE_RELATIONS,
}
_TOOLS_BY_KEY: Final[Mapping[str, ToolName]] = {**{tool.value: tool for tool in ToolName}, **_SINGULARS}


def find_tool_calls(message: str) -> tuple[ToolCall, ...]:
    """Return the calls that stand in a message, in the order of execution, each within the bounds of its tool."""
    findings_by_tool: dict[ToolName, list[Finding]] = {}
    for block in find_json_blocks(message):
        for tool, entries in _calls_in(block, MAX_DEPTH):
            findings = findings_by_tool.setdefault(tool, [])
            for entry in entries[: _max_entries(tool) - len(findings)]:
                if (argument := fit_to_model(entry, ARGUMENT_TYPES[tool])) is not None:
                    findings.append(finding_of_argument(argument))
    return order_tool_calls(
        ToolCall(tool, tuple(dict.fromkeys(findings)), LadderStage.SUGGESTED)
        for tool, findings in findings_by_tool.items()
        if findings
    )


def _calls_in(value: object, depth: int) -> Iterator[tuple[ToolName, list[Any]]]:
    """Yield the calls that a JSON value is or holds: a tool and the entries of its call."""
    if depth == 0:
        return
    if isinstance(value, list):
        for entry in value[:100]:
            yield from _calls_in(entry, depth - 1)
    elif isinstance(value, dict):
        if (tool := _named_tool(value)) is not None:
            arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), value)
            yield tool, _entries_of(arguments)
            return
        for key, inner in list(value.items())[:100]:
            if (tool := _TOOLS_BY_KEY.get(_normalize(key))) is not None:
                yield tool, _entries_of(inner)
            else:
                yield from _calls_in(inner, depth - 1)


def _named_tool(call: Mapping[Any, object]) -> ToolName | None:
    """Return the tool that a call names, if it names one; an entity has a `name` too."""
    for key in _NAME_KEYS:
        name = call.get(key)
        if isinstance(name, str) and (tool := _TOOLS_BY_KEY.get(_normalize(name))) is not None:
            return tool
    return None


def _entries_of(arguments: object) -> list[Any]:
    """Return the entries of a call: a list, the list that is an argument's value, or the arguments themselves."""
    if isinstance(arguments, str):
        arguments = next(find_json_blocks(arguments), None)
    if isinstance(arguments, list):
        return arguments
    if not isinstance(arguments, dict):
        return []
    lists = [value for value in arguments.values() if isinstance(value, list)]
    is_wrapper = len(arguments) == 1 and len(lists) == 1
    return lists[0] if is_wrapper else [arguments]


def _max_entries(tool: ToolName) -> int:
    limits = (getattr(m, "max_length", None) for m in ChunkToolCalls.model_fields[tool.value].metadata)
    return next(limit for limit in limits if isinstance(limit, int))


def _normalize(key: object) -> str:
    return str(key)[:60].strip().casefold().replace("-", "_").replace(" ", "_").removeprefix("functions.")
