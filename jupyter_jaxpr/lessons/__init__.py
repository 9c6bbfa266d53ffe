"""Holds the course: notebooks that `python -m jupyter_jaxpr.lessons` opens, in one folder for each language."""
