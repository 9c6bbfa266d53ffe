"""Parts of a document as scripts read them."""
