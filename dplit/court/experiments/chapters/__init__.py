"""Stored runs of single chapters: each module computes its cells again, and writes them.

``python -m dplit.court.experiments.chapters.rivals data/results/consistency/rivals.json`` runs one of them.
"""
