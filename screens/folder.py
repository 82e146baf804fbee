"""Where the style sheets of the screens are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SCREENS_FOLDER: Final = Path(__file__).parent
