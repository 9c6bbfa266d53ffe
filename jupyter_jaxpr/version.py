"""The version of this package, as the build wrote it."""

try:
    from ._version import __version__
except ImportError:  # a checkout that was never built: the version file is written by the build
    __version__ = "0.0.0+unbuilt"

__all__ = ["__version__"]
