"""Finds facts about a run that the user should know and that no hook reported, such as causes of errors and misses."""
