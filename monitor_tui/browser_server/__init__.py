"""The program in a browser: only `server` uses aiohttp and textual-serve."""
