"""The cures of notes as edits of the user's text, and their trial."""
