"""Remembers: the HTTP API, the log, the players and their mail."""
