"""What a provider says when it refuses is told in a line, whatever it is."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.xdist_group("LiteLLM's errors"), pytest.mark.slow]


@pytest.mark.parametrize(
    "message",
    [
        '{"error": {"message": "no credit"}}',
        "{" + '"a": [' * 100_000,
        '{"error": []}',
        '{"error": null, "message": 3}',
        "[" * 100_000,
        "\x1b]52;c;AAAA\x07" * 100,
    ],
    ids=["message", "nested without end", "list", "none", "list without end", "escapes"],
)
def test_error_of_any_shape_is_told_in_one_short_line(message: str) -> None:
    # Importing LiteLLM takes seconds: only the process that runs these does it.
    from agents.llm.child.provider_errors import to_model_error

    error = to_model_error(RuntimeError(message), "openai/mine", "http://127.0.0.1:1/v1")
    assert str(error).isprintable()
    assert len(str(error)) < 1_000
