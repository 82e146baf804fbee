"""MONITOR's own two themes. Every pair of text and ground in them has a contrast of at least 4.5.

Textual's own themes stay selectable; they do not all reach that (placeholders and highlighted rows
fall short), so these two are the default. `CONTRAST` belongs in the application's CSS_PATH.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.app import App
from textual.theme import Theme

CONTRAST = Path(__file__).with_name("contrast.tcss")
"""Style sheet for the few things that Textual draws faint whatever the theme."""

DARK = Theme(
    name="monitor-dark",
    dark=True,
    background="#10151b",
    surface="#161d25",
    panel="#1d2630",
    foreground="#d8dee6",
    primary="#6cb0cc",  # shallow sea
    secondary="#93b8a0",  # lichen
    accent="#d8ab72",  # brass
    warning="#e2b863",
    error="#e88a7d",
    success="#86c08d",
    variables={
        "text": "#d8dee6",
        "text-muted": "#9fabba",
        "text-disabled": "#97a3b2",
        "foreground-muted": "#9fabba",
        "foreground-disabled": "#97a3b2",
        "border": "#6cb0cc",
        "border-blurred": "#3a4754",
        "block-cursor-foreground": "#10151b",
        "block-cursor-background": "#6cb0cc",
        "block-cursor-blurred-background": "#26343f",
        "block-cursor-text-style": "bold",
        "input-selection-background": "#2f4c5c",
        "input-selection-foreground": "#ffffff",
        "input-cursor-background": "#d8ab72",
        "input-cursor-foreground": "#10151b",
        "button-color-foreground": "#10151b",
        "footer-background": "#161d25",
        "footer-key-foreground": "#d8ab72",
        "footer-description-foreground": "#b4bfcc",
        "scrollbar": "#3a4754",
        "scrollbar-hover": "#4d5d6c",
        "scrollbar-active": "#6cb0cc",
        "scrollbar-background": "#10151b",
        "scrollbar-background-hover": "#10151b",
        "scrollbar-background-active": "#10151b",
        "scrollbar-corner-color": "#10151b",
        "link-color": "#8cc4dc",
    },
)
"""Night: sea slate and brass."""

LIGHT = Theme(
    name="monitor-light",
    dark=False,
    background="#f7f4ed",
    surface="#f0ece2",
    panel="#e8e3d6",
    foreground="#282c33",
    primary="#1d5a72",
    secondary="#3a6046",
    accent="#7c4a0c",
    warning="#744c06",
    error="#98291f",
    success="#285f33",
    variables={
        "text": "#282c33",
        "text-muted": "#50565f",
        "text-disabled": "#585e67",
        "foreground-muted": "#50565f",
        "foreground-disabled": "#585e67",
        "border": "#1d5a72",
        "border-blurred": "#c3bba8",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-background": "#1d5a72",
        "block-cursor-blurred-background": "#dfe3de",
        "block-cursor-text-style": "bold",
        "input-selection-background": "#bfd6de",
        "input-selection-foreground": "#14181d",
        "input-cursor-background": "#7c4a0c",
        "input-cursor-foreground": "#ffffff",
        "button-color-foreground": "#ffffff",
        "footer-background": "#e8e3d6",
        "footer-key-foreground": "#7c4a0c",
        "footer-description-foreground": "#3d434b",
        "scrollbar": "#c3bba8",
        "scrollbar-hover": "#a9a08b",
        "scrollbar-active": "#1d5a72",
        "scrollbar-background": "#f7f4ed",
        "scrollbar-background-hover": "#f7f4ed",
        "scrollbar-background-active": "#f7f4ed",
        "scrollbar-corner-color": "#f7f4ed",
        "link-color": "#1d5a72",
    },
)
"""Day: ink on paper."""

THEMES = (DARK, LIGHT)


def register_themes(app: App[Any]) -> None:
    """Make both selectable beside Textual's own."""
    for theme in THEMES:
        app.register_theme(theme)
