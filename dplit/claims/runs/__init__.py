"""Sentences of the papers about their tables and figures, decided on the stored runs."""
