"""Holds the version of this package, as the build wrote the version."""

try:
    from ._version import __version__
except ImportError:  # the checkout was never built; the build writes the version file
    __version__ = "0.0.0+unbuilt"

__all__ = ["__version__"]
