"""A program and the name of a transform in, the programs that JAX derives from it out, with what each equation is."""

from .derive import BATCH, Derived, DerivedPart, Kind, derive
from .roles import Kept, Roles, roles_of

__all__ = ["BATCH", "Derived", "DerivedPart", "Kept", "Kind", "Roles", "derive", "roles_of"]
