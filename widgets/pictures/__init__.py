"""Pictures on the terminal."""
