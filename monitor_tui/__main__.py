"""`python -m monitor_tui` is `monitor`."""

from monitor_tui.cli.app import main

main()
