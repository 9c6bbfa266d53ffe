"""Carries messages between the kernel and the panel."""
