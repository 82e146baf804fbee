"""`python -m monitor_tui` is `monitor`."""

from monitor_tui.cli import main

main()
