"""What every record is: frozen, closed against unknown fields, and one JSON shape for good."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. To change one, make another with `model_copy(update=...)`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
