"""Puts processes together: the command, the embedded process, the server and worker entry points."""
