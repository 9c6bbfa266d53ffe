"""One file for each request of the panel: its parameters, its answer, how it is answered (see `wire/request.py`)."""
