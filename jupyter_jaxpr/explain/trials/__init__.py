"""Tries cures, so that a card shows only a cure that works: copied values, a time limit, traces of edited code."""
