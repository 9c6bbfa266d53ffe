"""Matches the equations of two programs, whatever their variables are called."""
