"""The MCP server: a chat client reads a campaign, and proposes; only `server` imports the SDK."""
