"""Live objects of an observation in; the document and its later parts out."""
