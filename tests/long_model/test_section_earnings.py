"""Tests what sections of prompts are said to earn."""

from __future__ import annotations

from tests.long_model.section_earnings import FedPrompt, format_earnings, measure_sections

PROMPT = """You narrate.
## Who is here
<data>
- Wenna Pike
</data>
## The last turns
<data>
GM: Wenna Pike looks up. The bell is gone.
</data>
## Decided (it holds)
<data>
- We never kill.
</data>
"""


def test_section_earns_what_no_other_section_holds() -> None:
    earnings = measure_sections(
        [FedPrompt(PROMPT, ("Wenna Pike", "We never kill", "a red door")), FedPrompt(PROMPT)]
    )
    assert {heading: (e.needed_count, e.alone_count) for heading, e in earnings.items()} == {
        "Who is here": (1, 0),
        "The last turns": (1, 0),
        "Decided (it holds)": (1, 1),
    }
    decided = earnings["Decided (it holds)"]
    assert decided.prompt_count == 2
    assert decided.earned_per_1000_tokens == 1_000 / decided.token_count


def test_sections_are_listed_by_what_they_earn() -> None:
    lines = format_earnings(measure_sections([FedPrompt(PROMPT, ("The bell is gone",))])).splitlines()
    assert lines[1].startswith("The last turns")
