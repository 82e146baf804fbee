"""A secret stands in no prompt of somebody who may not know it, however it could get there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.known_secrets import UniverseSecrets, hold_back_secrets
from agents.context_assembly.prompt_sections import build_npc_sections, build_prompt_sections
from agents.llm.call_context import OMISSIONS, PromptParts
from agents.prose.struck_words import strike_statements
from agents.search.scene_recall import RecalledScene
from stores.records.canon import ChangeSecrecy, Fact, FactKind, Involvement, Secrecy
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Speaker
from tests.agents.context_assembly.test_context_package import PlayedStory
from tests.contract import builders as make
from tests.program import begin, opened

PEOPLE = ("Vess", "Dob", "Bela")
HERE = "/npc here {}: of the pier"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "The tide turns. Only Vess knows that Dob forged the seal. A gull cries.",
            "The tide turns. A gull cries.",
        ),
        ("Dob forged the seals.", "Dob forged the seals."),
        ("DOB FORGED THE SEAL", ""),
    ],
)
def test_secret_is_struck_by_whole_sentences_and_words(text: str, left: str) -> None:
    assert strike_statements(text, ["Dob forged the seal."]) == left


async def test_secrets_reach_no_prompt_of_those_who_may_not_know_them(tmp_path: Path) -> None:
    """Random secrets, knowers and presence; each secret is tried in every place that prompts are made of."""
    async with opened(tmp_path) as program:
        story = PlayedStory(program, await begin(program))
        await story.play(*(HERE.format(name) for name in PEOPLE), "I look at the tide.")
        base = await story.package("I wait.")
    people = {p.entity.name: p.entity.id for p in base.canonical.cast}
    hero_id = next(i for name, i in people.items() if name not in PEOPLE)
    rng = random.Random(14)
    told_count = 0
    for _ in range(150):
        present_ids = {hero_id, *(people[name] for name in PEOPLE if rng.random() < 0.6)}
        secrets = [_secret(n, rng, list(people.values())) for n in range(rng.randint(1, 5))]
        package = hold_back_secrets(
            _with_everything(base, secrets, present_ids, rng), UniverseSecrets(tuple(secrets), {})
        )
        narrator_text = _text(build_prompt_sections(package))
        for secret in secrets:
            is_known_here = secret.is_known_to_any(present_ids)
            assert (secret.statement in narrator_text) is is_known_here, secret
            told_count += is_known_here
        for person in package.present_npcs():
            npc = person.entity
            npc_text = _text(build_npc_sections(package, npc, package.memories_of(npc.id)))
            for secret in secrets:
                assert (secret.statement in npc_text) is secret.is_known_to_any({npc.id}), (npc.name, secret)
    assert told_count > 50


async def test_narrator_is_told_who_knows_a_secret_and_characters_their_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        story = PlayedStory(program, await begin(program))
        await story.play(*(HERE.format(name) for name in PEOPLE[:2]), "/fact Vess is afraid of gulls")
        package = await story.package()
    ids = {p.entity.name: p.entity.id for p in package.canonical.cast}
    secret = _fact("Vess opened the sluice.", (ids["Vess"],), ids["Vess"])
    package = hold_back_secrets(package, UniverseSecrets((secret,)))
    assert "- Vess opened the sluice. (secret; known to: Vess)" in build_prompt_sections(package)["secrets"]
    vess, dob = (
        next(p.entity for p in package.canonical.cast if p.entity.name == name) for name in PEOPLE[:2]
    )
    assert (
        build_npc_sections(package, vess, ())["secrets"] == "- Vess opened the sluice. (nobody else knows it)"
    )
    dob_sections = build_npc_sections(package, dob, ())
    assert "secrets" not in dob_sections
    assert "held back from Dob: Vess opened the sluice." in dob_sections[OMISSIONS]


async def test_proposed_knowers_count_as_long_as_they_are_not_rejected(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        story = PlayedStory(program, await begin(program))
        await story.play(*(HERE.format(name) for name in PEOPLE[:2]))
        package = await story.package()
    ids = {p.entity.name: p.entity.id for p in package.canonical.cast}
    secret = _fact("The sluice was opened from within.", ())
    held = hold_back_secrets(package, UniverseSecrets((secret,)))
    assert held.canonical.secrets == ()
    assert "sluice" in held.omitted_items[-1].reason
    proposal = make.proposal(
        package.scene.scene, payload=ChangeSecrecy(fact_id=secret.id, tell=(ids["Dob"],))
    )
    scene = replace(package.scene, staged_proposals=(proposal,))
    told = hold_back_secrets(replace(package, scene=scene), UniverseSecrets((secret,)))
    assert [s.knower_names for s in told.canonical.secrets] == [("Dob",)]


async def test_proposed_fact_that_is_made_a_secret_is_no_plain_fact_any_more(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        story = PlayedStory(program, await begin(program))
        await story.play(*(HERE.format(name) for name in PEOPLE[:2]), "/fact Vess opened the sluice")
        assert "- Vess opened the sluice. (proposed)" in (await story.parts())["facts"]
        await story.play("/secret Vess: Vess opened the sluice")
        parts = await story.parts()
        assert "sluice" not in parts.get("facts", "")
        assert parts["secrets"] == "- Vess opened the sluice. (secret; known to: Vess)"
        await story.play("/secret all: Vess opened the sluice")
        parts = await story.parts()
        assert "- Vess opened the sluice. (proposed)" in parts["facts"]
        assert "secrets" not in parts


def _secret(number: int, rng: random.Random, ids: Sequence[Id]) -> Fact:
    knowers = tuple(i for i in ids if rng.random() < 0.35)
    return _fact(f"Secret number {number} of the tide house.", knowers, rng.choice(ids))


def _fact(statement: str, known_to: Sequence[Id], about: Id = "") -> Fact:
    involves = (Involvement(role="subject", entity_id=about),) if about else ()
    return make.fact(
        statement, kind=FactKind.ATTRIBUTE, involves=involves, secrecy=Secrecy(known_to=tuple(known_to))
    )


def _with_everything(
    base: ContextPackage, secrets: Sequence[Fact], present_ids: set[Id], rng: random.Random
) -> ContextPackage:
    """Put each secret into some of the lists, turns, notes, summaries and memories of a package."""

    def some() -> tuple[Fact, ...]:
        return tuple(fact for fact in secrets if rng.random() < 0.5)

    def prose() -> str:
        return " ".join(("The tide turns.", *(fact.statement for fact in some()), "A gull cries."))

    turn = base.narrative.recent_turns[-1]
    turns = tuple(turn.model_copy(update={"text": prose(), "speaker": Speaker.GM}) for _ in range(2))
    memories = {
        p.entity.id: tuple(
            Memory(
                id=make.new_id(),
                entity_id=p.entity.id,
                universe_id=fact.universe_id,
                text=rng.choice((fact.statement, "It was said at the pier.")),
                linked_fact_id=fact.id,
                created_at=fact.recorded_at,
            )
            for fact in some()
        )
        for p in base.canonical.cast
    }
    return replace(
        base,
        canonical=replace(
            base.canonical,
            facts=some(),
            relations=some(),
            encounters=some(),
            assertions=some(),
            settled_commitments=some(),
            nearby_relations=some(),
            lore=some(),
            cast=tuple(replace(p, is_here=p.entity.id in present_ids) for p in base.canonical.cast),
        ),
        narrative=replace(
            base.narrative,
            recent_turns=turns,
            previous_scene_turns=turns,
            summary_lines=(prose(),),
            notes=(prose(),),
        ),
        recalled=replace(
            base.recalled,
            facts=some(),
            scenes=(RecalledScene(base.scene.scene, prose()),),
            memories_by_entity=memories,
        ),
    )


def _text(parts: PromptParts) -> str:
    return "\n".join(text for name, text in parts.items() if name != OMISSIONS)
