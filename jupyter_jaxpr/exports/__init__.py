"""A document in, texts for readers without the panel out: plain, HTML, Markdown."""
