"""Recorded situations: what each persona is told in them, and what it must not be told (`prompt_situations.yaml`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import Script, ScriptedProgram, house, persona_of, telling
from tests.long_model.section_earnings import split_sections

ON = (Persona.DIRECTOR, Persona.CRITIC, Persona.CHARACTER)
MIN_SITUATIONS = 60


@cache
def read_sessions() -> Mapping[str, Any]:
    path = Path(__file__).with_name("prompt_situations.yaml")
    sessions: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))["sessions"]
    return sessions


@dataclass
class Teller:
    """The model: what the step of a session has for each persona."""

    step: Mapping[str, Any] = field(default_factory=dict)
    count: int = 0

    def narrate(self, _: LlmRequest) -> ScriptedAnswer:
        self.count += 1
        return (
            self.step.get("tells")
            or f"Lamp number {self.count} burns low over an empty chair, and the wind turns."
        )

    def record(self, _: LlmRequest) -> ScriptedAnswer:
        told = self.step.get("tells", "")
        reports = {"summary": told.partition(".")[0], **self.step.get("reports", {})}
        changes = [{"quote": told, "weight": 70, **change} for change in reports.get("changes", ())]
        return json.dumps({**reports, "changes": changes})

    def speak(self, _: LlmRequest) -> ScriptedAnswer:
        return self.step.get("speaks") or "“I could not say,” they answer."


async def play_step(scripted: ScriptedProgram, teller: Teller, step: Mapping[str, Any]) -> list[LlmRequest]:
    """Play one step; return the requests that it made."""
    teller.step, count_before = step, len(scripted.model.requests)
    if step.get("commit"):
        report = await scripted.program.services.gate.commit(scripted.scene_id)
        assert report.next_scene_id
        scripted.scene_id = report.next_scene_id
    else:
        await scripted.program.services.play.submit(scripted.scene_id, step["say"])
    return scripted.model.requests[count_before:]


def check_situation(situation: Mapping[str, Any], requests: Sequence[LlmRequest]) -> None:
    persona = Persona(situation["of"])
    asked = [request for request in requests if persona_of(request) is persona]
    assert asked, f"{situation['what']}: the {persona} was not asked"
    prompt = "\n".join(message.text for message in asked[-1].messages)
    text = split_sections(prompt).get(situation["in"], "") if "in" in situation else prompt
    for words in situation.get("has", ()):
        assert words in text, f"{situation['what']}: {words!r} is not in\n{text}"
    for words in situation.get("lacks", ()):
        assert words not in text, f"{situation['what']}: {words!r} is in\n{text}"


def test_situations_are_at_least_sixty() -> None:
    situations = [
        f"{name}: {situation['what']}"
        for name, session in read_sessions().items()
        for step in session["steps"]
        for situation in step.get("expect", ())
    ]
    assert len(situations) >= MIN_SITUATIONS
    assert len(set(situations)) == len(situations)


@pytest.mark.slow
@pytest.mark.parametrize("name", read_sessions())
async def test_situations_of_a_session(tmp_path: Path, name: str) -> None:
    session, teller = read_sessions()[name], Teller()
    script: Script = {
        Persona.NARRATOR: teller.narrate,
        Persona.ARCHIVIST: teller.record,
        Persona.CHARACTER: teller.speak,
        Persona.DIRECTOR: json.dumps({"beats": ["it goes on", "somebody looks up"]}),
        Persona.CRITIC: json.dumps({"faults": []}),
        Persona.STEWARD: json.dumps({"doubts": []}),
    }
    async with telling(tmp_path, script, house(*ON)) as scripted:
        for line in session["before"]:
            await scripted.program.services.play.submit(scripted.scene_id, line)
        for step in session["steps"]:
            requests = await play_step(scripted, teller, step)
            for situation in step.get("expect", ()):
                check_situation(situation, requests)
