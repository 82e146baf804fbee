"""A real small model reads a sample of a real rulebook (`make test-model`): every passage is served."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from monitor_tui.cli.common import open_library
from stores.authority import Role
from stores.queries import LlmCallQuery, ProposalQuery
from stores.records.llm import Persona
from stores.records.workflow import OPEN_STATUSES
from tools.reference_documents import fetch_rulebook
from tools.small_model import NAME, serve_model

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("a small model"), pytest.mark.timeout(3_600)]

PARTS = ("# Conditions", "# Equipment", "# Spells", "# Monsters", "# Magic Items")
PART_CHARACTERS = 7_000
MIN_PASSAGES = 20
SECONDS = 180


def sample(rulebook: str) -> str:
    """Return the beginning of each part: rules, prices, spells, stat blocks and things."""
    starts = [rulebook.index(f"\n{heading}\n") for heading in PARTS]
    return "\n".join(rulebook[start : start + PART_CHARACTERS].rpartition("\n\n")[0] for start in starts)


async def test_small_model_reads_passages_of_a_rulebook(tmp_path: Path) -> None:
    """Whatever a weak model answers or fails to, every passage is served by some stage of the ladder, what is proposed
    quotes the passage, and nothing of it is canon."""
    try:
        rulebook = fetch_rulebook(Path(tempfile.gettempdir()) / "monitor-reference-documents")
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"the book cannot be fetched: {error}")
    document = tmp_path / "sample.md"
    document.write_text(sample(rulebook.read_text(encoding="utf-8")), encoding="utf-8")
    home = tmp_path / "home"
    with serve_model() as address:
        environ = {
            **os.environ,
            "MONITOR_HOME": str(home),
            "MONITOR_MODEL_NAME": f"openai/{NAME}",
            "MONITOR_MODEL_API_BASE": address,
            "MONITOR_MODEL_SECONDS": str(SECONDS),
            "MONITOR_READER_ON": "true",
            "MONITOR_READER_MAX_TOKENS": "300",
        }
        command = [
            sys.executable,
            "-m",
            "monitor_tui",
            "ingest",
            str(document),
            "--universe",
            "Rules",
            "--model",
        ]
        completed = await asyncio.to_thread(
            lambda: subprocess.run(
                [*command, "--json"], capture_output=True, text=True, env=environ, check=False
            )
        )
    assert completed.returncode == 0, completed.stderr
    report = json.loads(completed.stdout)
    (read_document,) = report["documents"]
    print(f"\n{json.dumps(report['ladder'], indent=1)}\n{read_document}")
    universe_id, stages = report["universe"]["id"], report["ladder"]["chunks_by_stage"]
    async with open_library(home) as stores:
        log = stores.log(Role.INGEST)
        calls = await stores.log(Role.ORCHESTRATOR).llm_calls(LlmCallQuery(universe_id=universe_id))
        (source,) = await log.sources(universe_id)
        proposals = await log.proposals(ProposalQuery(source_id=source.id))
        passages = {snippet.id: snippet.text for snippet in await log.snippets(source.id)}
    print("proposals:", dict(Counter(proposal.payload.kind for proposal in proposals)))
    for call in calls:
        print(
            f"{call.tokens_in:>5} {call.tokens_out:>4} {call.seconds:6.1f} s {call.outcome.value:<9} "
            f"{call.fallback_step.value:<9} {call.result or call.error}"
        )
    assert sum(stages.values()) == len(passages) >= MIN_PASSAGES
    assert len(calls) >= MIN_PASSAGES
    assert {call.persona for call in calls} == {Persona.READER}
    assert proposals
    assert all(proposal.status in OPEN_STATUSES for proposal in proposals)
    for proposal in proposals:
        assert all(piece.quote in passages[piece.ref_id] for piece in proposal.evidence), proposal
