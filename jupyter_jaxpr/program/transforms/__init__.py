"""Derives programs from a program by a transform such as `grad`, as JAX does, and finds the role of each equation."""

from .derive import BATCH, Derived, Kind, derive
from .differentiated_inputs import DerivedPart
from .roles_of_equations import Kept, Roles, roles_of

__all__ = ["BATCH", "Derived", "DerivedPart", "Kept", "Kind", "Roles", "derive", "roles_of"]
