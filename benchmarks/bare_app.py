"""The smallest Textual app, which `benchmarks.peers` measures (`python -m benchmarks.bare_app`)."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class BareApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("Hello")


if __name__ == "__main__":
    BareApp().run()
