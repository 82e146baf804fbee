"""Canon as lines of text, one for each entity and fact: read from an archive, and from expected.yaml.

Both come out in the same words, so that a difference reads as a diff.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from agents.world_time.calendar import format_tick
from stores.archive_file import ArchiveReader
from stores.records.canon import Evidence, EvidenceKind, Fact, Standing
from stores.records.world import Calendar, Entity

WORDS = {EvidenceKind.MANUAL: "by hand", EvidenceKind.RESOLUTION: "roll"}
"""What evidence is called in expected.yaml, where it is not called as it is."""
USUAL = "by hand, scene"
"""What a declaration in play rests on: the words typed, and the scene."""


def archived(path: Path) -> list[str]:
    """Return the canon that an archive holds."""
    with path.open("rb") as file:
        reader = ArchiveReader(file)

        def all_of(collection: str) -> list[Any]:
            return list(reader.read_records(collection))

        entities: list[Entity] = all_of("entities")
        evidence: dict[str, Evidence] = {e.id: e for e in all_of("evidence")}
        supports: defaultdict[str, list[Evidence]] = defaultdict(list)
        for support in all_of("supports"):
            supports[support.subject_id].append(evidence[support.evidence_id])
        calendar: Calendar = all_of("universes")[0].calendar
        names = {e.id: e.name for e in entities}
        rows = [
            *(_entity_line(_entity(e, names)) for e in entities),
            *(_fact_line(_fact(f, names, supports[f.id], calendar)) for f in all_of("facts")),
        ]
    return sorted(rows)


def expected(path: Path) -> list[str]:
    """Return the canon that a hand-written file tells."""
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows = [
        *map(_entity_line, told["entities"]),
        *(_fact_line(fact) for part in told["facts"].values() for fact in part),
    ]
    return sorted(rows)


# --- records in the words of expected.yaml ----------------------------------------------------------


def _entity(entity: Entity, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": entity.name,
        "kind": entity.kind.value,
        "about": entity.description,
        "also": list(entity.aliases),
        "tags": list(entity.tags),
        "numbers": entity.numbers,
        "pc": entity.is_pc,
        "locked": entity.locked,
        "status": entity.status.value,
        "is": names.get(entity.merged_into or "", ""),
    }


def _fact(
    fact: Fact, names: Mapping[str, str], evidence: Iterable[Evidence], calendar: Calendar
) -> dict[str, Any]:
    who: dict[str, Any] = {}
    for involved in fact.involves:
        if involved.role == "participant":
            who.setdefault("with", []).append(names[involved.entity_id])
        else:
            who[involved.role] = names[involved.entity_id]
    return {
        "fact": fact.statement,
        "kind": fact.kind.value,
        "predicate": fact.predicate,
        "who": who,
        "value": fact.value,
        "from": _when(fact.valid_from, calendar),
        "to": _when(fact.valid_to, calendar),
        "standing": fact.standing.value,
        "status": fact.status.value,
        "closed": fact.closed,
        "known to": [names[i] for i in fact.secrecy.known_to] if fact.is_secret and fact.secrecy else [],
        "word": fact.authority.value,
        "rests on": ", ".join(sorted({WORDS.get(e.kind, e.kind.value) for e in evidence})),
    }


def _when(tick: int | None, calendar: Calendar) -> str:
    return "" if tick is None else format_tick(calendar, tick)


# --- lines ------------------------------------------------------------------------------------------


def _entity_line(entity: Mapping[str, Any]) -> str:
    numbers = ", ".join(f"{key} {value}" for key, value in sorted(entity.get("numbers", {}).items()))
    return _line(
        f"{entity['kind']} {entity['name']}",
        entity.get("about"),
        also=", ".join(entity.get("also", ())),
        tags=", ".join(entity.get("tags", ())),
        numbers=numbers,
        pc=entity.get("pc"),
        locked=entity.get("locked"),
        status=entity.get("status", "canonical"),
        **{"is": entity.get("is")},
    )


def _fact_line(fact: Mapping[str, Any]) -> str:
    who = fact.get("who", {})
    roles = {role: name for role, name in who.items() if role != "with"}
    return _line(
        fact["fact"],
        f"{fact['kind']} {fact.get('predicate', fact['kind'])}",
        **roles,
        **{"with": ", ".join(sorted(who.get("with", ()))), "value": fact.get("value")},
        **{"from": fact.get("from"), "to": fact.get("to")},
        standing=fact.get("standing", Standing.TRUE.value),
        status=fact.get("status", "canonical"),
        closed=fact.get("closed"),
        **{"known to": ", ".join(fact.get("known to", ()))},
        word=fact.get("word", "gm"),
        **{"rests on": fact.get("rests on", USUAL)},
    )


def _line(*heads: str | None, **parts: object) -> str:
    """Join what there is; a part that says what is usual is left out of the line."""
    usual = {"standing": "true", "status": "canonical", "word": "gm"}
    said = [
        f"{name}: {value}"
        for name, value in parts.items()
        if (value is not None if name == "value" else value) and usual.get(name) != value
    ]
    return " | ".join(filter(None, (*heads, *said)))
