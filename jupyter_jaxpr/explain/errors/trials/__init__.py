"""Tries the cures of errors, so that the card shows only a cure that works."""
