"""Holds the version of this package, which the build writes into `_version.py`."""

try:
    from ._version import __version__
except ImportError:  # the build, which writes the version file, was never run in this checkout
    __version__ = "0.0.0+unbuilt"

__all__ = ["__version__"]
