"""What a person should know about a run, beyond what was observed: leaked tracers."""
