"""Tools for developing MONITOR; nothing here is imported by the program."""
