"""The alert rules that are shipped are ones that Prometheus takes, and fire when they should."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.prometheus import find_program
from tools.servers.fetch import ServerMissing

RULES = Path(__file__).parents[2] / "docs" / "telemetry"


@pytest.fixture
def promtool() -> Path:
    try:
        return find_program("promtool")
    except ServerMissing as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "rules", "monitor.rules.yml"),
        ("check", "config", "prometheus.yml"),
        ("test", "rules", "monitor.rules.test.yml"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_alert_rules_pass_promtool(promtool: Path, arguments: tuple[str, ...]) -> None:
    done = subprocess.run([promtool, *arguments], cwd=RULES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_alert_rules_name_metrics_that_the_exporter_has() -> None:
    """A metric that is renamed would leave an alert that never fires."""
    exporter = (RULES.parents[1] / "agents/telemetry/otel_exporter.py").read_text(encoding="utf-8")
    rules = (RULES / "monitor.rules.yml").read_text(encoding="utf-8")
    metrics = set(re.findall(r"\b(scheduler_\w+|operations_total)\b(?=[\[{)])", rules))
    assert metrics == {"scheduler_lag_seconds_bucket", "scheduler_longest_wait_seconds", "operations_total"}
    for metric in metrics:
        assert f'"{metric.removesuffix("_bucket").removesuffix("_total")}"' in exporter
