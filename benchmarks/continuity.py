"""Measures continuity in a long story (`python -m benchmarks.continuity`): what prompts contain and what is caught.

A scripted model sets continuity traps in three of five turns (`tests/long_model/baits.py`); no real model
is used and nothing costs anything. `tests/long_model` asserts these figures. Then what each section of the prompts
earns: the needed words that stood in no other, for 1,000 tokens of it; in those prompts, and in one after the
thirty scenes of `tests/long_campaign/data/blind_campaign.yaml`.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.long_campaign.blind_playing import play_blind_campaign
from tests.long_campaign.blind_script import read_blind_script
from tests.long_model.playing import open_run
from tests.long_model.section_earnings import FedPrompt, format_earnings, measure_sections

TURNS = 100


async def _play(turns: int, seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="monitor-continuity-") as folder:
        async with open_run(Path(folder), seed) as run:
            result = await run.play(turns)
        return "\n\n".join((result.table(), format_earnings(measure_sections(result.fed_prompts))))


async def _play_blind() -> str:
    """Return what the sections of a late prompt hold of the decisions and promises of thirty scenes before."""
    with tempfile.TemporaryDirectory(prefix="monitor-continuity-") as folder:
        run = await play_blind_campaign(Path(folder), read_blind_script())
    assert run.ledger is not None
    promises = [commitment.fact.fact.statement for commitment in run.ledger.open_commitments]
    needed_words = tuple(text.rstrip(".") for text in (*run.played[-1].decisions, *promises))
    earnings = measure_sections([FedPrompt(run.narrator_prompt, needed_words)])
    held_count = sum(words in run.narrator_prompt for words in needed_words)
    head = f"{held_count} of {len(needed_words)} decisions and open promises are in the prompt of scene 30"
    return "\n".join((head, format_earnings(earnings)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help=f"exchanges that are played ({TURNS})")
    parser.add_argument("--seed", type=int, default=1, help="another order of baits and innocent turns")
    options = parser.parse_args()
    print(asyncio.run(_play(options.turns, options.seed)))
    print(f"\n{asyncio.run(_play_blind())}")


if __name__ == "__main__":
    main()
