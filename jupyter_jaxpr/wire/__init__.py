"""Declares and carries the messages between the kernel and the panel."""
