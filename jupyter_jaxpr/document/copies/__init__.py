"""Makes copies of a document that hold less: for a notebook, for a file, of some programs, without values."""
