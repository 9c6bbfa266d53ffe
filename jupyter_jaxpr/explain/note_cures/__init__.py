"""Makes cures of notes as edits of the user's source code, and tries them."""
