"""Runs `python -m jupyter_jaxpr.schema`, which writes the JSON Schema of the wire; see `wire.schema`."""

import sys

from .wire.schema import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
