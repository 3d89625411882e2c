"""A program of a user, and what it is called with: only its types are checked."""
