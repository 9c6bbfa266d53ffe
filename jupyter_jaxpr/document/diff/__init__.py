"""The comparison of two programs of documents."""
