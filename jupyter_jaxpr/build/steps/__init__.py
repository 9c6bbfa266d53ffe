"""Builds the recordings of the stepper from the steps that were recorded."""
