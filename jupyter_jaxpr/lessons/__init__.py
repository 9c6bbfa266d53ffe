"""The course, one folder a language: notebooks that `python -m jupyter_jaxpr.lessons` opens."""
