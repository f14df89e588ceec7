"""The command line: one module per command, thin; what they do is in the layers below, loaded when a command runs."""

from treecrf.cli._app import app, main

__all__ = ["app", "main"]
